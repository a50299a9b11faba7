"""Metrics beside those of `metrics`: of SciPy, of scikit-learn, functions of two rows.

Also known as: user-defined metric, weighted metric, Mahalanobis distance, Hamming
distance, Jaccard distance, great-circle distance.

    seuclidean    sqrt(sum_j (x_j - z_j)^2 / V_j)
    mahalanobis   sqrt((x - z)' VI (x - z))
    minkowski     (sum_j w_j |x_j - z_j|^p)^(1/p); `w` weighs the columns of others too
    hamming       share of columns that differ; jaccard and others compare yes with no
    haversine     great-circle distance of (latitude, longitude), in radians
    nan_euclidean (1) of `metrics` over the columns that both rows have

No screen is known for them: all distances of a block of queries are taken.  A pair that
has none, as two rows that share no column, is infinitely far.

Notation: x, z = rows; V, VI, w = `metric_params`.
Reference: Deza and Deza (2009), Encyclopedia of Distances.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy.spatial.distance import cdist
from sklearn.metrics import DistanceMetric
from sklearn.metrics.pairwise import haversine_distances, nan_euclidean_distances

from corollary.core.arrays import Floats, Matrix
from corollary.core.errors import DataError, ParameterError, sentence
from corollary.core.parameters import Rule, function, missing, one_of, shown
from corollary.core.rows import dense
from corollary.neighbors.metrics import METRICS, Metric, metric_of
from corollary.neighbors.nearest_rows import Nearest, nearest_of

__all__ = [
    "METRIC",
    "METRIC_PARAMS",
    "OtherMetric",
    "check_metric",
    "chosen_metric",
    "nearest_by",
]

YES_OR_NO = (  # a column counts as yes where it is not 0
    "dice",
    "jaccard",
    "rogerstanimoto",
    "russellrao",
    "sokalsneath",
    "yule",
)
OTHERS = (
    "braycurtis",
    "canberra",
    "correlation",
    "hamming",
    "haversine",
    "mahalanobis",
    "nan_euclidean",
    "seuclidean",
    "sqeuclidean",
    *YES_OR_NO,
)
NEEDED = {"seuclidean": "V", "mahalanobis": "VI"}
WITHOUT = ("haversine", "nan_euclidean", "precomputed")  # that take no parameter
AXES = {"w": 1, "V": 1, "VI": 2}  # of the columns
#: What `metric` and `metric_params` may be.
METRIC = (
    one_of(*METRICS, *OTHERS)
    | function
    | Rule("a DistanceMetric", lambda v: isinstance(v, DistanceMetric))
)
METRIC_PARAMS = missing | Rule("a dict", lambda v: isinstance(v, Mapping))


@dataclass(frozen=True)
class OtherMetric:
    """A metric by its name, a function of two rows, or scikit-learn's object."""

    kind: Any
    params: Mapping[str, Any] = field(default_factory=dict)

    def distances(self, Q: Matrix, X: Matrix) -> Floats:
        """Return the distances of all queries from all rows, (q, n)."""
        Q, X = np.float64(dense(Q)), np.float64(X)
        if self.kind in YES_OR_NO:
            Q, X = Q != 0, X != 0
        if isinstance(self.kind, DistanceMetric):
            D = self.kind.pairwise(Q, X)
        elif self.kind == "nan_euclidean":
            D = nan_euclidean_distances(Q, X)
        elif self.kind == "haversine":
            D = haversine_distances(Q, X)
        else:
            name = "cityblock" if self.kind == "manhattan" else self.kind
            with np.errstate(invalid="ignore", divide="ignore"):
                D = cdist(Q, X, name, **self.params)
        D = np.where(np.isnan(D), np.inf, D)
        if D.size and D.min() < 0:
            must = "the metric must give distances of at least 0"
            raise DataError(sentence("metric", must, f"{D.min():g}"))
        return D


def chosen_metric(learner: Any) -> Metric | OtherMetric:
    """Return the metric of a learner with `metric`, `p` and `metric_params`."""
    params, p = dict(learner.metric_params or {}), learner.p
    if not isinstance(learner.metric, str):
        return OtherMetric(learner.metric, params)
    if learner.metric not in METRICS:
        return OtherMetric(learner.metric, params)
    kind = METRICS[learner.metric]
    if kind == "minkowski":
        p = params.pop("p", p)
    own = metric_of(kind, p)
    if not params:
        return own
    power = {"p": p} if own.kind == "minkowski" else {}
    return OtherMetric(own.kind, params | power)


def check_metric(learner: Any, metric: Metric | OtherMetric, X: Matrix) -> None:
    """Refuse parameters that a metric does not have, and rows that it cannot take."""
    if isinstance(metric, Metric):
        return
    if sp.issparse(X):
        must = f"metric={shown(learner.metric)} needs dense rows"
        raise DataError(sentence(learner, must, "sparse ones"))
    if not isinstance(metric.kind, str):
        return
    needed = NEEDED.get(metric.kind)
    if needed is not None and needed not in metric.params:
        must = f"metric={metric.kind!r} needs metric_params={{{needed!r}: ...}}"
        raise ParameterError(sentence(learner, must, shown(learner.metric_params)))
    known = set() if metric.kind in WITHOUT else {needed or "w"}
    for name, value in metric.params.items():
        if name == "p" and metric.kind == "minkowski":
            continue
        if name not in known:
            must = f"metric_params of metric={metric.kind!r} must be {known or 'none'}"
            raise ParameterError(sentence(learner, must, repr(name)))
        shape = (X.shape[1],) * AXES[name]
        if np.shape(value) != shape or not is_finite(value):
            must = f"{name} of metric_params must be numbers of shape {shape}"
            raise ParameterError(sentence(learner, must, shown(value)))


def is_finite(value: Any) -> bool:
    """Tell whether an array holds finite numbers alone."""
    array = np.asarray(value)
    return array.dtype.kind in "biuf" and bool(np.isfinite(array).all())


def nearest_by(
    metric: OtherMetric, X: Matrix, Q: Matrix, k: int, *, own: bool = False
) -> Nearest:
    """Return the nearest rows of each query, block by block.

    >>> X = np.array([[0.0, 0.0], [3.0, 4.0]])
    >>> nearest_by(OtherMetric("sqeuclidean"), X, X, 1, own=True).distances.tolist()
    [[25.0], [25.0]]
    """
    if metric.kind == "haversine" and X.shape[1] != 2:
        must = "rows must be (latitude, longitude), in radians"
        raise DataError(sentence("haversine", must, f"{X.shape[1]} columns"))
    q, n = Q.shape[0], X.shape[0]
    return nearest_of(lambda a, b: metric.distances(Q[a:b], X), q, n, k, own=own)
