"""Gradient boosting of classes: logistic, exponential and multinomial loss.

Also known as: GBM, MART, gradient-boosted trees, LogitBoost (in spirit).

Two classes y = -1, +1 have one score f, and

    loss          L(y, f)           P(+1 | x)            f_0                         (1)
    log_loss      log(1 + e^{-y f}) 1/(1 + e^{-f})       log(n+/n-)
    exponential   e^{-y f}          1/(1 + e^{-2 f})     1/2 log(n+/n-)

The exponential loss is AdaBoost's; the logistic one grows only linearly and is the more
patient with wrong labels.  K > 2 classes have a score each and the cross-entropy

    L(y, f) = log sum_k e^{f_k} - f_y,    P(k | x) = softmax(f)_k                    (2)

for which each stage fits K regressors.  How stages are made, searched, drawn and ended
is in `gradient_boosting.py`.  All rows are used at once, stage after stage.

Notation: f = decision_function; v = learning_rate; T = n_estimators_.
Course: S2-26, S2-27. References: Friedman (2001, 2002); Friedman, Hastie and Tibshirani
(2000).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar

import numpy as np

from corollary.core.arrays import Floats, Matrix, Vector
from corollary.core.checks import check_two_classes
from corollary.core.errors import ParameterError, sentence
from corollary.core.parameters import one_of
from corollary.core.roles import Classifier
from corollary.ensembles.gradient_boosting import BOOSTING_RULES, GradientBoosting
from corollary.objectives.stagewise_losses import (
    ExponentialStages,
    LogisticStages,
    MultinomialStages,
    StagewiseLoss,
)

__all__ = ["GradientBoostingClassifier"]


class GradientBoostingClassifier(GradientBoosting, Classifier):
    """Gradient boosting of classes.

    Parameters
    ----------
    estimator : regressor, optional
        The base, any regressor; by default a regression tree of the parameters below.
    loss : {'log_loss', 'exponential'}, default='log_loss'
        Of (1), (2); 'exponential' is for two classes.
    learning_rate : float, default=0.1
        v, the share of each step that is gone.
    n_estimators : int, default=100
        Stages T.
    subsample : float, default=1.0
        Share of the rows, drawn anew without replacement, that a stage sees.
    criterion : 'deprecated'
        Kept for compatibility; has no effect.
    min_samples_split, min_samples_leaf, min_weight_fraction_leaf : numbers
        Of the trees, as in `DecisionTreeRegressor`.
    max_depth : int or None, default=3
        Of the trees.
    min_impurity_decrease : float, default=0.0
        Of the trees.
    init : estimator, 'zero' or None, default=None
        Where to begin: the answers of an estimator, 0, or the best constant.
    random_state : int, RandomState or None
        Seed of the draws and of the members.
    max_features : int, float, {'sqrt', 'log2'} or None, default=None
        Features that a split of a tree looks at; all by default.
    verbose : int, default=0
        1 shows progress.
    max_leaf_nodes : int or None, default=None
        Of the trees.
    warm_start : bool, default=False
        Whether to add stages to those of the last fit.
    validation_fraction : float, default=0.1
        Share of the rows held out where `n_iter_no_change` is given, and no X_val.
    n_iter_no_change : int, optional
        End when the held-out loss is not better by `tol` than any of so many before.
    tol : float, default=1e-4
        Of `n_iter_no_change`.
    ccp_alpha : float, default=0.0
        Of the trees.

    Attributes
    ----------
    classes_ : array of shape (C,)
    n_classes_ : int
    estimators_ : array of shape (T, K)
        The regressors.
    steps_ : array of shape (T,)
        s of the line search; 1 for trees.
    qualities_ : array of shape (T,)
        gamma: the share of the squared pseudo-residuals that each stage meets.
    train_score_ : array of shape (T,)
        The loss of the rows that a stage saw, after it.
    validation_score_ : array of shape (T,)
        The loss of held-out rows, where there are any.
    oob_improvement_, oob_scores_ : array of shape (T,)
        The fall of the out-of-bag loss, and the loss; where `subsample` < 1.
    oob_score_ : float
        The last of `oob_scores_`.
    init_ : estimator, 'zero' or None
    initial_score_ : array of shape (K,)
        f_0, the best constant; 0 where `init` is given.
    initial_loss_ : float
        The loss before the first stage, in units of `train_score_`.
    n_estimators_ : int
        Stages made.
    n_trees_per_iteration_ : int
        K.
    max_features_ : int
    n_features_in_ : int
    report_ : Report

    Examples
    --------
    >>> from corollary import GradientBoostingClassifier
    >>> X = [[0.0], [1.0], [2.0], [3.0], [4.0], [5.0]]
    >>> model = GradientBoostingClassifier(n_estimators=20).fit(X, [0, 0, 1, 1, 0, 0])
    >>> model.predict(X).tolist()
    [0, 0, 1, 1, 0, 0]
    """

    shapes: ClassVar = {
        "classes_": "C",
        "estimators_": "T K",
        "steps_": "T",
        "qualities_": "T",
        "initial_score_": "K",
    }
    rules: ClassVar = {"loss": one_of("log_loss", "exponential"), **BOOSTING_RULES}

    def __init__(
        self,
        estimator: Any = None,
        *,
        loss: str = "log_loss",
        learning_rate: float = 0.1,
        n_estimators: int = 100,
        subsample: float = 1.0,
        criterion: str = "deprecated",
        min_samples_split: Any = 2,
        min_samples_leaf: Any = 1,
        min_weight_fraction_leaf: float = 0.0,
        max_depth: int | None = 3,
        min_impurity_decrease: float = 0.0,
        init: Any = None,
        random_state: Any = None,
        max_features: Any = None,
        verbose: int = 0,
        max_leaf_nodes: int | None = None,
        warm_start: bool = False,
        validation_fraction: float = 0.1,
        n_iter_no_change: int | None = None,
        tol: float = 1e-4,
        ccp_alpha: float = 0.0,
    ) -> None:
        self.loss = loss
        self.learning_rate = learning_rate
        self.n_estimators = n_estimators
        self.subsample = subsample
        self.criterion = criterion
        self.min_samples_split = min_samples_split
        self.min_samples_leaf = min_samples_leaf
        self.min_weight_fraction_leaf = min_weight_fraction_leaf
        self.max_depth = max_depth
        self.min_impurity_decrease = min_impurity_decrease
        self.init = init
        self.random_state = random_state
        self.max_features = max_features
        self.verbose = verbose
        self.max_leaf_nodes = max_leaf_nodes
        self.warm_start = warm_start
        self.validation_fraction = validation_fraction
        self.n_iter_no_change = n_iter_no_change
        self.tol = tol
        self.ccp_alpha = ccp_alpha
        self.estimator = estimator

    # -- learning ------------------------------------------------------------------
    def _stagewise(self, y: Vector) -> tuple[StagewiseLoss, Vector]:
        check_two_classes(self)
        C = len(self.classes_)
        if C > 2 and self.loss == "exponential":
            must = "loss='exponential' is for two classes"
            raise ParameterError(
                sentence(self, must, f"{C} classes", "Use 'log_loss'.")
            )
        return self._fitted_loss(), y if C > 2 else np.where(y == 1, 1.0, -1.0)

    def _fitted_loss(self) -> StagewiseLoss:
        if len(self.classes_) > 2:
            return MultinomialStages(len(self.classes_))
        return LogisticStages() if self.loss == "log_loss" else ExponentialStages()

    def _stratum(self, y: Vector) -> Vector:
        return y

    def _initial(self, X: Matrix) -> Floats:
        if not hasattr(self.init_, "predict_proba"):
            must = "init must be an estimator that gives probabilities"
            raise ParameterError(sentence(self, must, f"a {type(self.init_).__name__}"))
        return np.asarray(self.init_.predict_proba(X), dtype=np.float64)

    @property
    def n_classes_(self) -> int:
        """Number of classes."""
        return len(self.classes_)

    # -- use -----------------------------------------------------------------------
    def decision_function(self, X: Any) -> Floats:
        """Return the scores f, (n,) for two classes, else (n, C)."""
        return self._shaped(self._scores(self._query(X)))

    def staged_decision_function(self, X: Any) -> Iterator[Floats]:
        """Yield `decision_function` after each stage."""
        for F in self._staged(X):
            yield self._shaped(F)

    def _shaped(self, F: Floats) -> Floats:
        return F[:, 0] if F.shape[1] == 1 else F

    def predict(self, X: Any) -> Vector:
        """Return the class of the largest score."""
        return self._winners(self._scores(self._query(X)))

    def staged_predict(self, X: Any) -> Iterator[Vector]:
        """Yield `predict` after each stage."""
        for F in self._staged(X):
            yield self._winners(F)

    def _winners(self, F: Floats) -> Vector:
        one = F.shape[1] == 1
        return self.classes_[(F[:, 0] >= 0).astype(int) if one else F.argmax(axis=1)]

    def predict_proba(self, X: Any) -> Floats:
        """Return the probabilities of the classes, (n, C)."""
        F = self._scores(self._query(X))
        return self._fitted_loss().answers_of(F)

    def predict_log_proba(self, X: Any) -> Floats:
        """Return the logarithms of `predict_proba`."""
        with np.errstate(divide="ignore"):
            return np.log(self.predict_proba(X))

    def staged_predict_proba(self, X: Any) -> Iterator[Floats]:
        """Yield `predict_proba` after each stage."""
        for F in self._staged(X):
            yield self._fitted_loss().answers_of(F)

    def apply(self, X: Any) -> Floats:
        """Return the leaf of each row in each tree, (n, T, K)."""
        return self._leaves(X)
