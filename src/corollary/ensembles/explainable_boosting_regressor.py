"""Explainable boosting for numbers.

Also known as: explainable boosting machine, EBM, GA2M, boosted generalised additive
model.

    y = b + sum_j s_j(x_j) + sum_(i,j) s_ij(x_i, x_j) + noise                        (1)

with shapes that are tables over bins, boosted in turn on the residuals
(`explainable_boosting`).  Every prediction is a sum of numbers that can be looked up
and drawn: `explain` returns them.

Notation: b = intercept_; s = shapes_.
References: Lou, Caruana, Gehrke and Hooker (2013); Nori et al. (2019).
"""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from corollary.core.arrays import Floats, Vector
from corollary.core.errors import DataError, sentence
from corollary.core.roles import SingleRegressor
from corollary.ensembles.explainable_boosting import (
    EXPLAINABLE_RULES,
    ExplainableBoosting,
)
from corollary.ensembles.histogram_losses import HistogramLoss, SquaredLoss

__all__ = ["ExplainableBoostingRegressor"]


class ExplainableBoostingRegressor(ExplainableBoosting, SingleRegressor):
    """An additive regression of boosted shapes, and of pairs that interact.

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
    shapes_ : ShapeFunctions
        The tables.
    intercept_ : float
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
    >>> import numpy as np
    >>> from corollary import ExplainableBoostingRegressor
    >>> X = np.random.default_rng(0).uniform(-2, 2, size=(1000, 3))
    >>> y = np.sin(3 * X[:, 0]) + X[:, 1] * X[:, 2]
    >>> model = ExplainableBoostingRegressor().fit(X, y)
    >>> model.interactions_
    [(1, 2)]
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
        """Return the squared error."""
        return SquaredLoss()

    def encoded(self, y: Any) -> Floats:
        """Return targets as numbers."""
        found = np.asarray(y, np.float64).ravel()
        if not np.isfinite(found).all():
            must = "y_val must hold finite numbers"
            raise DataError(sentence(self, must, "NaN or infinity"))
        return found

    # -- use -----------------------------------------------------------------------
    @property
    def intercept_(self) -> float:
        """The mean prediction over the training rows."""
        return float(self.shapes_.intercept[0])

    def predict(self, X: Any) -> Vector:
        """Return (1) without the noise for each row."""
        return self.raw_scores(X)[:, 0]
