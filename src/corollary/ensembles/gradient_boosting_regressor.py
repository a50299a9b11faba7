"""Gradient boosting of numbers: six losses, any regressor.

Also known as: GBM, MART, gradient-boosted regression trees, L2Boosting (squared error).

The loss says what of y given x is learned, and how far a wild row pulls:

    loss             L(y, f)                                learned                  (1)
    squared_error    (y - f)^2/2                            mean
    absolute_error   |y - f|                                median
    huber            (y - f)^2/2, straight beyond delta     mean of what is not far
    quantile         alpha (y - f)+ + (1 - alpha)(f - y)+   alpha-quantile
    poisson          e^f - y f                              log mean of counts
    gamma            f + y e^{-f}                           log mean of amounts

up to what depends on y alone.  delta of Huber's is the alpha-quantile of |y - f|, found
anew before each stage.  How stages are made, searched, drawn and ended is in
`gradient_boosting.py`.  All rows are used at once, stage after stage.

Notation: v = learning_rate; T = n_estimators_.
Course: S2-26, S2-27. References: Friedman (2001, 2002); Buehlmann and Yu (2003).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar

import numpy as np

from corollary.core.arrays import Floats, Matrix, Vector
from corollary.core.errors import DataError, sentence
from corollary.core.parameters import one_of, real
from corollary.core.roles import SingleRegressor
from corollary.ensembles.gradient_boosting import BOOSTING_RULES, GradientBoosting
from corollary.objectives.deviance_loss import DevianceLoss
from corollary.objectives.families import Tweedie
from corollary.objectives.links import Log
from corollary.objectives.residual_losses import Quantile
from corollary.objectives.stagewise_losses import (
    DevianceStages,
    HuberStages,
    QuantileStages,
    SquaredStages,
    StagewiseLoss,
    absolute_stages,
)

__all__ = ["GradientBoostingRegressor"]

LOSSES = "squared_error absolute_error huber quantile poisson gamma".split()


class GradientBoostingRegressor(GradientBoosting, SingleRegressor):
    """Gradient boosting of numbers.

    Parameters
    ----------
    estimator : regressor, optional
        The base, any regressor; by default a regression tree of the parameters below.
    loss : {'squared_error', 'absolute_error', 'huber', 'quantile', 'poisson', 'gamma'}
        By default 'squared_error'.
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
    alpha : float, default=0.9
        The quantile of 'quantile', and of the residuals that bend 'huber'.
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
    >>> from corollary import GradientBoostingRegressor
    >>> X, y = [[0.0], [1.0], [2.0], [3.0]], [0.0, 0.0, 5.0, 5.0]
    >>> model = GradientBoostingRegressor(learning_rate=1.0, n_estimators=1).fit(X, y)
    >>> model.predict([[0.5], [9.0]]).tolist()
    [0.0, 5.0]
    """

    shapes: ClassVar = {
        "estimators_": "T 1",
        "steps_": "T",
        "qualities_": "T",
        "initial_score_": "1",
    }
    rules: ClassVar = {
        "loss": one_of(*LOSSES),
        "alpha": real(0, 1, ends="()"),
        **BOOSTING_RULES,
    }

    def __init__(
        self,
        estimator: Any = None,
        *,
        loss: str = "squared_error",
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
        alpha: float = 0.9,
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
        self.alpha = alpha
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
        least = float(y.min())
        if self.loss == "poisson" and (least < 0 or not y.any()):
            must = "loss='poisson' needs y >= 0, not 0 in every row"
            raise DataError(sentence(self, must, f"{least:g}"))
        if self.loss == "gamma" and least <= 0:
            must = "loss='gamma' needs y > 0"
            raise DataError(sentence(self, must, f"{least:g}"))
        return self._fitted_loss(), y.astype(np.float64)

    def _fitted_loss(self) -> StagewiseLoss:
        if self.loss == "squared_error":
            return SquaredStages()
        if self.loss == "absolute_error":
            return absolute_stages()
        if self.loss == "huber":
            return HuberStages(q=self.alpha)
        if self.loss == "quantile":
            return QuantileStages(Quantile(self.alpha), self.alpha)
        power = 1.0 if self.loss == "poisson" else 2.0
        return DevianceStages(DevianceLoss(Tweedie(power), Log()))

    def _stratum(self, y: Vector) -> None:
        return None

    def _initial(self, X: Matrix) -> Floats:
        return np.asarray(self.init_.predict(X), dtype=np.float64)

    # -- use -----------------------------------------------------------------------
    def predict(self, X: Any) -> Floats:
        """Return what the loss learns of y, such as the mean."""
        F = self._scores(self._query(X))
        return self._fitted_loss().answers_of(F)

    def staged_predict(self, X: Any) -> Iterator[Floats]:
        """Yield `predict` after each stage."""
        for F in self._staged(X):
            yield self._fitted_loss().answers_of(F)

    def apply(self, X: Any) -> Floats:
        """Return the leaf of each row in each tree, (n, T)."""
        return self._leaves(X)[:, :, 0]
