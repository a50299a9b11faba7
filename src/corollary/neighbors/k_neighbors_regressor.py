"""Regression by the k nearest neighbours.

It is a lazy learner with no summation form: all rows are kept, by the model and by its
file, and every prediction compares with all of them.  Its relatives that scale are a
linear model on splines, random features or `LandmarkFeatures`, fitted by `Ridge`.

Also known as: k-NN regression, kNN smoothing, running mean, local averaging.

The answer is the mean of the k nearest rows' targets,

    y^(x) = sum_{i in N_k(x)} w(r_i) y_i / sum_{i in N_k(x)} w(r_i)              (1)

with w = 1, or 1 / r_i for a neighbour at distance r_i, in which case rows at distance 0
count alone.  With w = 1 the variance of (1) is sigma^2 / k, and its bias is that of the
mean of f over the ball that holds k rows: k trades one for the other, and
`choose_n_neighbors` measures where they balance.  `LocallyWeightedRegression` fits a
line in place of the mean, which removes the bias at the edges.

Notation: N_k(x) = the k nearest rows, the first of equal distances; X_fit_, y_fit_ =
the rows and their targets.
Course: S3-40. References: Fix and Hodges (1951); Stone (1977); Hastie, Tibshirani and
Friedman (2009), 2.3.2.
"""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from corollary.core.arrays import Vector
from corollary.core.roles import Regressor
from corollary.neighbors.neighbors_learner import NEIGHBOR_RULES, NeighborsLearner

__all__ = ["KNeighborsRegressor"]


class KNeighborsRegressor(NeighborsLearner, Regressor):
    """The mean target of the k nearest rows.

    Parameters
    ----------
    n_neighbors : int, default=5
        k.
    weights : {'uniform', 'distance'}, function or None, default='uniform'
        What a neighbour counts: 1, or 1 / distance, or what the function makes of the
        distances (q, k).
    algorithm : {'auto', 'brute', 'kd_tree', 'ball_tree'}, default='auto'
        Every one is brute force in tiles, and exact.
    leaf_size : ignored
        Kept for compatibility.
    p : float, default=2
        Power of 'minkowski': 1 is 'manhattan', 2 'euclidean', inf 'chebyshev'.
    metric : str, function or DistanceMetric, default='minkowski'
        'minkowski', 'euclidean', 'manhattan', 'chebyshev' or 'cosine', which are fast
        and take sparse rows; 'precomputed' where X holds distances from the training
        rows, (n, n) in `fit`, dense, or sparse with those of some neighbours alone; any
        other of `other_metrics`, or a function of two rows.
    metric_params : dict, optional
        Parameters of the metric: {'w': weights of the columns}; 'V' of 'seuclidean',
        'VI' of 'mahalanobis'; keywords of a function.
    n_jobs : ignored
        `corollary.set_config(threads=...)` says how many threads search.

    Attributes
    ----------
    X_fit_ : array or CSR matrix of shape (n, d)
        The rows, which every prediction needs: a model file holds them.
    y_fit_ : array of shape (n,) or (n, m)
        Their targets.
    effective_metric_ : str, or what `metric` is
    effective_metric_params_ : dict
    n_samples_fit_ : int
    n_features_in_ : int
    report_ : Report

    Examples
    --------
    >>> from corollary import KNeighborsRegressor
    >>> X, y = [[0.0], [1.0], [2.0], [3.0]], [0.0, 0.0, 1.0, 1.0]
    >>> KNeighborsRegressor(n_neighbors=2).fit(X, y).predict([[1.5], [3.5]]).tolist()
    [0.5, 1.0]
    """

    shapes: ClassVar = {"X_fit_": "n d", "y_fit_": "n|n m"}
    rules: ClassVar = NEIGHBOR_RULES

    def __init__(
        self,
        n_neighbors: int = 5,
        *,
        weights: Any = "uniform",
        algorithm: str = "auto",
        leaf_size: int = 30,
        p: float = 2,
        metric: Any = "minkowski",
        metric_params: Any = None,
        n_jobs: int | None = None,
    ) -> None:
        self.n_neighbors = n_neighbors
        self.weights = weights
        self.algorithm = algorithm
        self.leaf_size = leaf_size
        self.p = p
        self.metric = metric
        self.metric_params = metric_params
        self.n_jobs = n_jobs

    # -- use -----------------------------------------------------------------------
    def predict(self, X: Any) -> Vector:
        """Return (1) for each row.

        Parameters
        ----------
        X : array or CSR matrix of shape (q, d), or None
            None predicts each training row from the others.

        Returns
        -------
        array of shape (q,) or (q, m)
        """
        found = self._neighbours(X)
        Y = self.y_fit_.reshape(len(self.y_fit_), -1)[found.rows]  # (q, k, m)
        sums = np.einsum("qk,qkm->qm", found.votes, Y)
        means = (sums / found.votes.sum(axis=1)[:, None]).astype(found.dtype)
        return means if self.y_fit_.ndim == 2 else means[:, 0]
