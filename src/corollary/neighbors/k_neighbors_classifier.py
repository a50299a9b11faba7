"""Classification by the k nearest neighbours.

It is a lazy learner with no summation form: all rows are kept, by the model and by its
file, and every prediction compares with all of them.  Its relatives that scale keep a
few rows or sums only: `NearestCentroid`, and a linear model on `LandmarkFeatures`.

Also known as: k-NN, kNN, nearest-neighbour rule, k-nearest-neighbor classifier,
instance-based learning, memory-based learning, lazy learning.

A ball around x that holds k rows, k_c of them of class c, estimates the density of the
class by k_c / (n_c V) and its share by n_c / n; the ball's volume V cancels, and

    P(c | x) = k_c / k                                                           (1)
    y^(x)    = argmax_c k_c,    of equal counts the first class                  (2)

With weights a neighbour at distance r counts w(r) in place of 1, as 1 / r ('distance'):

    P(c | x) = sum_{i in N_k(x), y_i = c} w(r_i) / sum_{i in N_k(x)} w(r_i)      (3)

and rows at distance 0 count alone.  As n grows the error of one neighbour is at most
twice the least possible (Cover and Hart 1967); a larger k comes nearer to the least, as
long as all k rows are close to x.  `choose_n_neighbors` weighs the two.

Distances see the columns as they are: scale them first.  The report warns of a column
that varies far more than another.

Notation: N_k(x) = the k nearest rows, the first of equal distances; X_fit_, y_fit_ =
the rows and the codes of their classes.
Course: S3-40. References: Fix and Hodges (1951); Cover and Hart (1967); Duda, Hart and
Stork (2001), 4.5.
"""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from corollary.core.arrays import Floats, Vector
from corollary.core.errors import ModelFileError
from corollary.core.roles import Classifier
from corollary.neighbors.neighbors_learner import (
    NEIGHBOR_RULES,
    NeighborsLearner,
    Neighbours,
)

__all__ = ["KNeighborsClassifier"]


class KNeighborsClassifier(NeighborsLearner, Classifier):
    """The class of most of the k nearest rows.

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
    classes_ : array of shape (K,), or list of such
        The classes; a list where y has several columns.
    X_fit_ : array or CSR matrix of shape (n, d)
        The rows, which every prediction needs: a model file holds them.
    y_fit_ : array of shape (n,) or (n, m)
        Codes of their classes.
    effective_metric_ : str, or what `metric` is
    effective_metric_params_ : dict
    n_samples_fit_ : int
    outputs_2d_ : bool
        Whether y has several columns.
    n_features_in_ : int
    report_ : Report

    Examples
    --------
    >>> from corollary import KNeighborsClassifier
    >>> X = [[2.0], [4.0], [8.0], [9.0], [12.0]]
    >>> y = ["salmon", "salmon", "bass", "salmon", "bass"]
    >>> model = KNeighborsClassifier(n_neighbors=3).fit(X, y)
    >>> model.predict([[10.0], [3.0]]).tolist()
    ['bass', 'salmon']
    >>> model.predict_proba([[10.0]]).round(3).tolist()
    [[0.667, 0.333]]
    """

    takes_many_labels = True
    shapes: ClassVar = {"X_fit_": "n d", "y_fit_": "n|n m"}
    rules: ClassVar = NEIGHBOR_RULES
    classes_: Any

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

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_label = True
        tags.target_tags.multi_output = True
        return tags

    @property
    def outputs_2d_(self) -> bool:
        """Whether y has several columns."""
        return isinstance(self.classes_, list)

    def _audit(self) -> None:
        """Hold the codes of a model file to its classes."""
        codes = self.y_fit_.reshape(len(self.y_fit_), -1).T
        good = self.y_fit_.dtype.kind == "i" and len(codes) == len(self._outputs())
        for z, classes in zip(codes, self._outputs(), strict=False):
            good = good and bool(((z >= 0) & (z < len(classes))).all())
        if not good:
            raise ModelFileError("y_fit_ must hold codes of the classes")

    def _outputs(self) -> list[Vector]:
        return self.classes_ if self.outputs_2d_ else [self.classes_]

    # -- use -----------------------------------------------------------------------
    def predict(self, X: Any) -> Vector:
        """Return the class of most neighbours, (2).

        Parameters
        ----------
        X : array or CSR matrix of shape (q, d), or None
            None predicts each training row from the others.
        """
        found = self._neighbours(X)
        answers = [
            classes[self._shares(found, o).argmax(axis=1)]
            for o, classes in enumerate(self._outputs())
        ]
        return np.column_stack(answers) if self.outputs_2d_ else answers[0]

    def predict_proba(self, X: Any) -> Any:
        """Return (3), one column for each class; a list of such for several outputs.

        Parameters
        ----------
        X : array or CSR matrix of shape (q, d), or None
            None predicts each training row from the others.
        """
        found = self._neighbours(X)
        shares = [
            self._shares(found, o).astype(found.dtype)
            for o in range(len(self._outputs()))
        ]
        return shares if self.outputs_2d_ else shares[0]

    def _shares(self, found: Neighbours, output: int) -> Floats:
        """Return (3) for one output, (q, K)."""
        codes = self.y_fit_.reshape(len(self.y_fit_), -1)[:, output]
        q, K = len(found.rows), len(self._outputs()[output])
        cells = np.arange(q)[:, None] * K + codes[found.rows]
        votes = np.bincount(cells.ravel(), found.votes.ravel(), minlength=q * K)
        shares = votes.reshape(q, K)
        return shares / shares.sum(axis=1, keepdims=True)
