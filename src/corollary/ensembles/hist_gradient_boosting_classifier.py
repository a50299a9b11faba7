"""Histogram gradient boosting for classes.

Also known as: HistGradientBoosting, LightGBM-style boosting, GBDT, LogitBoost-like
boosting with binning.

Two classes have one score, K > 2 classes one each:

    f(x) = base + sum_t nu * tree_t(x)                                           (1)
    P(1 | x) = 1 / (1 + e^-f)   or   P(k | x) = e^f_k / sum_j e^f_j              (2)

where tree_t fits the gradients of the log loss at the scores so far
(`histogram_boosting`).  The same rows give the same trees for any number of threads,
chunks or workers: sums of gradients are sums of integers (`trees/histogram_tree.py`).

Notation: nu = learning_rate.
References: Friedman (2001); Ke et al. (2017); Shi et al. (2022).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, ClassVar

import numpy as np
from scipy.special import expit, softmax

from corollary.core.arrays import Floats, Vector
from corollary.core.class_weights import class_weight_rule, stated_class_weights
from corollary.core.errors import DataError, sentence
from corollary.core.parameters import one_of
from corollary.core.roles import Classifier
from corollary.ensembles.boosting_judges import Judge, judged_by
from corollary.ensembles.histogram_boosting import COMMON_RULES, HistogramBoosting
from corollary.ensembles.histogram_losses import (
    HistogramLoss,
    LogisticLoss,
    SoftmaxLoss,
)

__all__ = ["HistGradientBoostingClassifier"]


class HistGradientBoostingClassifier(HistogramBoosting, Classifier):
    """Gradient boosting of classification trees on bin codes.

    Parameters
    ----------
    loss : 'log_loss'
        What is minimised.
    learning_rate : float, default=0.1
        Factor of every tree's values.
    max_iter : int, default=100
        Steps; the most trees for each output.
    max_leaf_nodes : int or None, default=31
        Leaves of a tree; None = any number.
    max_depth : int or None, default=None
        Splits from the root to a leaf; None = any number.
    min_samples_leaf : int, default=20
        Rows that a leaf has at least.
    l2_regularization : float, default=0.0
        Added to the hessian of a leaf.
    max_features : float, default=1.0
        Share of the features that is drawn for each node.
    max_bins : int, default=255
        Bins of a feature, one more is for missing values.
    categorical_features : array of names, numbers or booleans, or 'from_dtype'
        Which features are categories.  'from_dtype' takes columns of categories and
        texts of a data frame.
    monotonic_cst : array of -1, 0, 1 or dict, default=None
        Whether the score falls (-1) or rises (1) in a feature.
    interaction_cst : {'pairwise', 'no_interactions'} or list of sets, default=None
        Features that may split one branch together; those named nowhere form one more
        set.
    warm_start : bool, default=False
        Whether a fit goes on where the last one ended.
    early_stopping : 'auto' or bool, default='auto'
        Whether to stop as soon as the score rests; 'auto' for more than 10,000 rows.
    scoring : str, callable or None, default='loss'
        What is watched; 'loss' is minus the loss, None the estimator's own score.
    validation_fraction : int, float or None, default=0.1
        Rows or share of rows that are held out; None watches the training rows.
    n_iter_no_change : int, default=10
        Steps without a better score after which a fit stops.
    tol : float, default=1e-7
        How much better a better score is.
    verbose : int, default=0
        1 shows progress.
    random_state : int, RandomState or None
        Seed of the sample that makes the bins, of held-out rows and of drawn features.
    class_weight : dict, 'balanced' or None, default=None
        Weights of the classes.

    Attributes
    ----------
    classes_ : array of shape (K,)
    n_iter_ : int
        Steps made.
    n_trees_per_iteration_ : int
    do_early_stopping_ : bool
    train_score_, validation_score_ : arrays of shape (steps + 1,)
        Scores before the first step and after each; empty without early stopping.
    is_categorical_ : array of shape (d,) or None
    n_features_in_ : int
    report_ : Report

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from corollary import HistGradientBoostingClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> HistGradientBoostingClassifier().fit(X, y).score(X, y)
    1.0
    """

    rules: ClassVar = {
        "loss": one_of("log_loss"),
        **COMMON_RULES,
        "class_weight": class_weight_rule,
    }

    def __init__(
        self,
        loss: str = "log_loss",
        *,
        learning_rate: float = 0.1,
        max_iter: int = 100,
        max_leaf_nodes: int | None = 31,
        max_depth: int | None = None,
        min_samples_leaf: int = 20,
        l2_regularization: float = 0.0,
        max_features: float = 1.0,
        max_bins: int = 255,
        categorical_features: Any = "from_dtype",
        monotonic_cst: Any = None,
        interaction_cst: Any = None,
        warm_start: bool = False,
        early_stopping: str | bool = "auto",
        scoring: Any = "loss",
        validation_fraction: float | int | None = 0.1,
        n_iter_no_change: int = 10,
        tol: float = 1e-7,
        verbose: int = 0,
        random_state: Any = None,
        class_weight: Any = None,
    ) -> None:
        self.loss = loss
        self.learning_rate = learning_rate
        self.max_iter = max_iter
        self.max_leaf_nodes = max_leaf_nodes
        self.max_depth = max_depth
        self.min_samples_leaf = min_samples_leaf
        self.l2_regularization = l2_regularization
        self.max_features = max_features
        self.max_bins = max_bins
        self.categorical_features = categorical_features
        self.monotonic_cst = monotonic_cst
        self.interaction_cst = interaction_cst
        self.warm_start = warm_start
        self.early_stopping = early_stopping
        self.scoring = scoring
        self.validation_fraction = validation_fraction
        self.n_iter_no_change = n_iter_no_change
        self.tol = tol
        self.verbose = verbose
        self.random_state = random_state
        self.class_weight = class_weight

    # -- learning ------------------------------------------------------------------
    def chosen_loss(self, y: Floats) -> HistogramLoss:
        """Return the log loss of two classes or of several."""
        K = len(self.classes_)
        return LogisticLoss() if K <= 2 else SoftmaxLoss(K)

    def encoded(self, y: Any) -> Floats:
        """Return the numbers of labels."""
        labels = np.asarray(y).ravel()
        strange = labels[~np.isin(labels, self.classes_)]
        if len(strange):
            must = f"y_val must hold labels among {list(self.classes_)}"
            raise DataError(sentence(self, must, repr(strange[0])))
        return np.searchsorted(self.classes_, labels).astype(np.float64)

    def class_weights(self, totals: Floats) -> Floats | None:
        """Return the weights that `class_weight` gives the classes."""
        asked = self.class_weight
        return None if asked is None else stated_class_weights(self, totals)

    def stratified(self, y: Floats) -> Any:
        """Keep the shares of the classes."""
        return y

    def scorer(self) -> Callable[[Judge], float]:
        """Return minus the loss, or what `scoring` names."""
        return judged_by(self, self._probabilities)

    # -- use -----------------------------------------------------------------------
    def decision_function(self, X: Any) -> Floats:
        """Return the scores (1), (n,) for two classes and (n, K) for several."""
        f = self.raw_scores(X)
        return f[:, 0] if f.shape[1] == 1 else f

    def predict_proba(self, X: Any) -> Floats:
        """Return the probability of each class (2), (n, K)."""
        return self._probabilities(self.raw_scores(X))

    def predict(self, X: Any) -> Vector:
        """Return the likeliest class of each row."""
        return self._labels(self.raw_scores(X))

    def staged_predict(self, X: Any) -> Iterator[Vector]:
        """Yield the predictions after each step."""
        return (self._labels(f) for f in self.staged_scores(X))

    def staged_predict_proba(self, X: Any) -> Iterator[Floats]:
        """Yield the probabilities after each step."""
        return (self._probabilities(f) for f in self.staged_scores(X))

    def staged_decision_function(self, X: Any) -> Iterator[Floats]:
        """Yield the scores after each step."""
        return (f[:, 0] if f.shape[1] == 1 else f for f in self.staged_scores(X))

    def _labels(self, f: Floats) -> Vector:
        best = f[:, 0] > 0 if f.shape[1] == 1 else f.argmax(axis=1)
        return self.classes_[best.astype(np.int64)]

    def _probabilities(self, f: Floats) -> Floats:
        if len(self.classes_) == 1:
            return np.ones((len(f), 1))
        if f.shape[1] > 1:
            return softmax(f, axis=1)
        p = expit(f)
        return np.hstack([1 - p, p])
