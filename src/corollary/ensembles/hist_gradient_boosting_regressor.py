"""Histogram gradient boosting for numbers.

Also known as: HistGradientBoosting, LightGBM-style boosting, GBDT, MART with binning.

    f(x) = base + sum_t nu * tree_t(x)                                           (1)

where tree_t fits the gradients of the loss at the scores so far (`histogram_boosting`).
The prediction is f for squared, absolute and quantile loss and e^f for the deviances
of counts (Poisson) and of positive numbers (gamma).

The same rows give the same trees for any number of threads, chunks or workers: sums of
gradients are sums of integers (`trees/histogram_tree.py`).

Notation: nu = learning_rate.
References: Friedman (2001); Ke et al. (2017); Shi et al. (2022).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, ClassVar

import numpy as np

from corollary.core.arrays import Floats, Vector
from corollary.core.errors import DataError, ParameterError, sentence
from corollary.core.parameters import missing, one_of, real
from corollary.core.roles import SingleRegressor
from corollary.ensembles.boosting_judges import Judge, judged_by
from corollary.ensembles.histogram_boosting import COMMON_RULES, HistogramBoosting
from corollary.ensembles.histogram_losses import (
    GammaLoss,
    HistogramLoss,
    PoissonLoss,
    QuantileLoss,
    SquaredLoss,
)

__all__ = ["HistGradientBoostingRegressor"]

LOSSES = ("squared_error", "absolute_error", "gamma", "poisson", "quantile")


class HistGradientBoostingRegressor(HistogramBoosting, SingleRegressor):
    """Gradient boosting of regression trees on bin codes.

    Parameters
    ----------
    loss : {'squared_error', 'absolute_error', 'gamma', 'poisson', 'quantile'}
        What is minimised.
    quantile : float or None, default=None
        Which quantile the loss 'quantile' finds.
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

    Attributes
    ----------
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
    >>> import numpy as np
    >>> from corollary import HistGradientBoostingRegressor
    >>> X = np.arange(200.0)[:, None]
    >>> model = HistGradientBoostingRegressor().fit(X, X[:, 0] >= 100)
    >>> model.predict([[10.0], [150.0]]).round(3).tolist()
    [0.0, 1.0]
    """

    rules: ClassVar = {
        "loss": one_of(*LOSSES),
        "quantile": missing | real(0, 1),
        **COMMON_RULES,
    }

    def __init__(
        self,
        loss: str = "squared_error",
        *,
        quantile: float | None = None,
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
    ) -> None:
        self.loss = loss
        self.quantile = quantile
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

    # -- learning ------------------------------------------------------------------
    def chosen_loss(self, y: Floats) -> HistogramLoss:
        """Return the loss that `loss` names."""
        if self.loss == "quantile":
            if self.quantile is None:
                must = "loss='quantile' needs quantile between 0 and 1"
                raise ParameterError(sentence(self, must, "None"))
            return QuantileLoss(float(self.quantile))
        self._check_targets(y)
        by_name: dict[str, HistogramLoss] = {
            "squared_error": SquaredLoss(),
            "absolute_error": QuantileLoss(0.5, factor=2.0),
            "poisson": PoissonLoss(),
            "gamma": GammaLoss(),
        }
        return by_name[self.loss]

    def encoded(self, y: Any) -> Floats:
        """Return targets as numbers."""
        found = np.asarray(y, np.float64).ravel()
        if not np.isfinite(found).all():
            must = "y_val must hold finite numbers"
            raise DataError(sentence(self, must, "NaN or infinity"))
        return found

    def scorer(self) -> Callable[[Judge], float]:
        """Return minus the loss, or what `scoring` names."""
        return judged_by(self, lambda f: self._means(f[:, 0]))

    def _check_targets(self, y: Floats) -> None:
        if self.loss == "gamma" and y.min() <= 0:
            must = "loss='gamma' needs targets above 0"
            raise DataError(sentence(self, must, f"{y.min():.4g}"))
        if self.loss == "poisson" and (y.min() < 0 or y.sum() <= 0):
            must = "loss='poisson' needs targets >= 0, some above 0"
            raise DataError(sentence(self, must, f"{y.min():.4g} to {y.max():.4g}"))

    # -- use -----------------------------------------------------------------------
    def predict(self, X: Any) -> Vector:
        """Return the prediction for each row."""
        return self._means(self.raw_scores(X)[:, 0])

    def staged_predict(self, X: Any) -> Iterator[Vector]:
        """Yield the predictions after each step."""
        for f in self.staged_scores(X):
            yield self._means(f[:, 0])

    def _means(self, f: Floats) -> Floats:
        return np.exp(f) if self.loss in ("poisson", "gamma") else f
