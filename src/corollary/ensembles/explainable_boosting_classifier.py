"""Explainable boosting for classes.

Also known as: explainable boosting machine, EBM, GA2M, boosted additive logistic
regression.

Two classes have one score, K > 2 classes one each:

    f(x) = b + sum_j s_j(x_j) + sum_(i,j) s_ij(x_i, x_j)                             (1)
    P(1 | x) = 1 / (1 + e^-f)   or   P(k | x) = e^f_k / sum_j e^f_j                  (2)

with shapes that are tables over bins, boosted in turn on the gradients of the log loss
(`explainable_boosting`).  Every score is a sum of numbers that can be looked up and
drawn: `explain` returns them.

Notation: b = intercept_; s = shapes_.
References: Lou, Caruana, Gehrke and Hooker (2013); Nori et al. (2019).
"""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from scipy.special import expit, softmax

from corollary.core.arrays import Floats, Vector
from corollary.core.errors import DataError, sentence
from corollary.core.roles import Classifier
from corollary.ensembles.explainable_boosting import (
    EXPLAINABLE_RULES,
    ExplainableBoosting,
)
from corollary.ensembles.histogram_losses import (
    HistogramLoss,
    LogisticLoss,
    SoftmaxLoss,
)

__all__ = ["ExplainableBoostingClassifier"]


class ExplainableBoostingClassifier(ExplainableBoosting, Classifier):
    """An additive classifier of boosted shapes, and of pairs that interact.

    Parameters
    ----------
    learning_rate : float, default=0.02
        Factor of every tree's values.
    max_iter : int, default=300
        Rounds at most, of the features and again with the pairs; each has a tree
        for every term.
    interactions : int, default=10
        Pairs at most; only those that interact beyond chance are taken.
    max_bins : int, default=255
        Bins of a feature, one more is for missing values.
    max_leaf_nodes : int, default=3
        Leaves of a feature's tree; a pair's has twice as many.
    min_samples_leaf : int, default=20
        Rows that a leaf has at least.
    l2_regularization : float, default=0.0
        Added to the hessian of a leaf.
    categorical_features : array of names, numbers or booleans, or 'from_dtype'
        Which features are categories.
    early_stopping : 'auto' or bool, default='auto'
        Whether to stop as soon as held-out rows gain no more; 'auto' for more than
        10,000 rows.
    validation_fraction : int or float, default=0.1
        Rows or share of rows that are held out.
    n_iter_no_change : int, default=50
        Rounds without a gain after which a fit stops.
    tol : float, default=1e-7
        How much a gain is.
    verbose : int, default=0
        1 shows progress.
    random_state : int, RandomState or None
        Seed of the sample that makes the bins, and of held-out rows.

    Attributes
    ----------
    classes_ : array of shape (K,)
    shapes_ : ShapeFunctions
        The tables.
    intercept_ : array of shape (1,) or (K,)
    interactions_ : list of pairs of features
    n_iter_ : int
        Rounds made, without pairs and with them.
    do_early_stopping_ : bool
    train_score_, validation_score_ : arrays
        Minus the loss, before the first round and after every tenth.
    is_categorical_ : array of shape (d,) or None
    n_features_in_ : int
    report_ : Report

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from corollary import ExplainableBoostingClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> model = ExplainableBoostingClassifier().fit(X, y)
    >>> bool(model.score(X, y) > 0.95)
    True
    """

    rules: ClassVar = EXPLAINABLE_RULES

    def __init__(
        self,
        *,
        learning_rate: float = 0.02,
        max_iter: int = 300,
        interactions: int = 10,
        max_bins: int = 255,
        max_leaf_nodes: int = 3,
        min_samples_leaf: int = 20,
        l2_regularization: float = 0.0,
        categorical_features: Any = "from_dtype",
        early_stopping: str | bool = "auto",
        validation_fraction: float | int = 0.1,
        n_iter_no_change: int = 50,
        tol: float = 1e-7,
        verbose: int = 0,
        random_state: Any = None,
    ) -> None:
        self.learning_rate = learning_rate
        self.max_iter = max_iter
        self.interactions = interactions
        self.max_bins = max_bins
        self.max_leaf_nodes = max_leaf_nodes
        self.min_samples_leaf = min_samples_leaf
        self.l2_regularization = l2_regularization
        self.categorical_features = categorical_features
        self.early_stopping = early_stopping
        self.validation_fraction = validation_fraction
        self.n_iter_no_change = n_iter_no_change
        self.tol = tol
        self.verbose = verbose
        self.random_state = random_state

    # -- learning ------------------------------------------------------------------
    def chosen_loss(self) -> HistogramLoss:
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

    def stratified(self, y: Floats) -> Any:
        """Keep the shares of the classes."""
        return y

    def output_names(self) -> tuple[str, ...]:
        """Return the classes that the scores speak for."""
        spoken = self.classes_[-1:] if len(self.classes_) <= 2 else self.classes_
        return tuple(str(each) for each in spoken)

    # -- use -----------------------------------------------------------------------
    @property
    def intercept_(self) -> Floats:
        """The mean scores over the training rows, (1,) or (K,)."""
        return self.shapes_.intercept

    def decision_function(self, X: Any) -> Floats:
        """Return the scores (1), (n,) for two classes and (n, K) for several."""
        f = self.raw_scores(X)
        return f[:, 0] if f.shape[1] == 1 else f

    def predict_proba(self, X: Any) -> Floats:
        """Return the probability of each class (2), (n, K)."""
        f = self.raw_scores(X)
        if len(self.classes_) == 1:
            return np.ones((len(f), 1))
        if f.shape[1] > 1:
            return softmax(f, axis=1)
        p = expit(f)
        return np.hstack([1 - p, p])

    def predict(self, X: Any) -> Vector:
        """Return the likeliest class of each row."""
        f = self.raw_scores(X)
        best = f[:, 0] > 0 if f.shape[1] == 1 else f.argmax(axis=1)
        return self.classes_[best.astype(np.int64)]
