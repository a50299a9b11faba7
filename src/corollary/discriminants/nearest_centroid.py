"""Nearest centroid, in summation form.

Also known as: nearest centre, nearest mean, minimum-distance classifier, Rocchio,
nearest shrunken centroids.

Each class is its mean m_c (or its median), and a row belongs to the nearest,

    argmin_c ||x - m_c||                                                         (1)

Gaussian classes with covariance sigma^2 I and equal priors decide like this.  Shrunken
centroids move towards the mean m of all rows, feature by feature, by as much as the
noise explains (Tibshirani et al. 2002): with s_j the standard deviation within classes,
s_0 its median, and a_c = sqrt(1/n_c - 1/n),

    d_cj = (m_cj - m_j) / (a_c (s_j + s_0)),
    m_cj <- m_j + a_c (s_j + s_0) sign(d_cj) max(|d_cj| - Delta, 0)              (2)

With priors pi_c the discriminant is  -sum_j (x_j - m_cj)^2 / s_j^2 + 2 log pi_c  (3)

Means are sums over the rows; medians (metric='manhattan') are not, and need the rows in
memory.

Notation: m = centroids_; s = within_class_std_dev_; d = deviations_; Delta =
shrink_threshold; pi = class_prior_.
Course: S2-7, S2-3. References: Rocchio (1971); Tibshirani, Hastie, Narasimhan, Chu
(2002), PNAS 99.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
import scipy.sparse as sp
from sklearn.metrics.pairwise import euclidean_distances, manhattan_distances

from corollary import loops
from corollary.core.arrays import Floats, Matrix, Vector
from corollary.core.configuration import get_config
from corollary.core.errors import DataError, sentence
from corollary.core.parameters import array_like, missing, one_of, real
from corollary.core.records import stored
from corollary.core.report import Optimality, Report
from corollary.core.rows import dense, rows_loop
from corollary.core.vectors import class_priors
from corollary.discriminants.gaussian_rule import (
    GaussianRule,
    Quadratic,
    log_of,
)
from corollary.engine import Chunk, Data, Fitted, StreamingClassifier
from corollary.engine.blocks import fill_rows
from corollary.engine.classes import ClassMoments

__all__ = ["NearestCentroid"]


@stored
@dataclass(frozen=True)
class Centroids:
    """The state: the parameters of (1), (2) and (3)."""

    k: int
    d: int
    dtype: Any
    medians: Any = None  # (k, d)
    m: Any = None  # (k, d)
    s: Any = None  # (d,)
    away: Any = None  # (k, d)
    priors: Any = None  # (k,)


class NearestCentroid(StreamingClassifier, GaussianRule):
    """Nearest centroid classifier.

    Parameters
    ----------
    metric : {'euclidean', 'manhattan'}, default='euclidean'
        The distance; with 'manhattan' centroids are medians, for data in memory.
    shrink_threshold : float, optional
        Delta of (2); features that all centroids share have no say.
    priors : {'uniform', 'empirical'} or array of shape (k,), default='uniform'
        Class probabilities of (3).  Priors that do not sum to 1 are normalised, with
        a warning.

    Attributes
    ----------
    classes_ : array of shape (k,)
    centroids_ : array of shape (k, d)
    class_prior_ : array of shape (k,)
    within_class_std_dev_ : array of shape (d,)
    deviations_ : array of shape (k, d)
        d of (2), shrunken.
    n_features_in_ : int
    report_ : Report

    Examples
    --------
    >>> import numpy as np
    >>> from corollary import NearestCentroid
    >>> X = np.array([[-1.0, -1], [-2, -1], [-3, -2], [1, 1], [2, 1], [3, 2]])
    >>> model = NearestCentroid().fit(X, [1, 1, 1, 2, 2, 2])
    >>> model.predict([[-0.8, -1.0]]).tolist()
    [1]
    """

    takes_sparse = True
    shapes: ClassVar = {
        "classes_": "k",
        "class_prior_": "k",
        "centroids_": "k d",
        "within_class_std_dev_": "d",
    }
    rules: ClassVar = {
        "metric": one_of("euclidean", "manhattan"),
        "shrink_threshold": missing | real(0),
        "priors": one_of("uniform", "empirical") | array_like,
    }

    def __init__(
        self,
        metric: str = "euclidean",
        *,
        shrink_threshold: float | None = None,
        priors: Any = "uniform",
    ) -> None:
        self.metric = metric
        self.shrink_threshold = shrink_threshold
        self.priors = priors

    # -- learning ------------------------------------------------------------------
    def start(self, data: Data, seed: int) -> Centroids:
        """Check the classes; find medians where the metric asks for them."""
        k = len(self.classes_)
        if k < 2:
            must = "The number of classes has to be greater than one"
            raise DataError(sentence(self, must, f"{k} class"))
        state = Centroids(k, data.source.n_features, data.source.dtype)
        if self.metric == "euclidean":
            return state
        return replace(state, medians=self._medians(data, k))

    def _medians(self, data: Data, k: int) -> Floats:
        if not data.source.in_memory or data.once:
            must = "metric='manhattan' needs all rows in memory: medians are no sums"
            remedy = "Use metric='euclidean'."
            raise DataError(sentence(self, must, data.source.described, remedy))
        chunks = [c for part in data.source.parts() for c in part.chunks()]
        X = np.concatenate([dense(chunk.X) for chunk in chunks])
        y = np.concatenate([chunk.y for chunk in chunks])
        w = np.concatenate([np.ones(c.n) if c.w is None else c.w for c in chunks])
        return np.stack([weighted_median(X[y == c], w[y == c]) for c in range(k)])

    def statistics(self, chunk: Chunk, state: Centroids) -> ClassMoments:
        """Take the moments of each class in the chunk."""
        return ClassMoments.of(chunk.X, chunk.y, chunk.w, state.k)

    def update(self, s: ClassMoments, state: Centroids) -> Centroids:
        """Shrink the centroids (2)."""
        n, total = s.n, float(s.n.sum())
        m = s.mean if state.medians is None else state.medians
        overall = n @ s.mean / total
        scatter = s.M2.sum(axis=0) + n @ (s.mean - m) ** 2
        rounding = total * (64 * np.finfo(np.float64).eps * overall) ** 2
        if (scatter + n @ (s.mean - overall) ** 2 <= rounding).all():
            must = "at least one feature must vary"
            came = "All features have zero variance. Division by zero"
            raise DataError(sentence(self, must, came))
        std = np.sqrt(scatter / max(total - state.k, np.finfo(float).tiny))
        a = np.sqrt(np.maximum(1 / np.where(n > 0, n, np.inf) - 1 / total, 0.0))
        scale = a[:, None] * (std + np.median(std))
        away = np.divide(m - overall, scale, out=np.zeros_like(m), where=scale > 0)
        if self.shrink_threshold:
            away = np.sign(away) * np.maximum(np.abs(away) - self.shrink_threshold, 0)
            m = overall + scale * away
        priors = self._priors(n)
        return replace(state, m=m, s=std, away=away, priors=priors)

    def _priors(self, n: Floats) -> Floats:
        named = {"uniform": np.full(len(n), 1 / len(n)), "empirical": None}
        given = named[self.priors] if isinstance(self.priors, str) else self.priors
        return class_priors(self, given, n, strict=False)

    def account(self, state: Centroids, report: Report) -> None:
        """Report features that never vary, or that have no say."""
        report.optimality = Optimality("exact to rounding", 0.0)
        report.objective = []
        if self.shrink_threshold:
            used = int(state.away.any(axis=0).sum())
            report.facts |= {"n_features_used": used, "n_features": state.d}
        still = np.flatnonzero(state.s == 0)
        if len(still):
            report.warnings.append(
                f"features {still[:10].tolist()} have zero standard deviation within "
                "the classes."
            )

    def publish(self, fitted: Fitted) -> None:
        """Set what users read."""
        state: Centroids = fitted.state
        self.centroids_ = state.m.astype(state.dtype)
        self.class_prior_ = state.priors
        self.within_class_std_dev_, self.deviations_ = state.s, state.away

    # -- use -----------------------------------------------------------------------
    def _has_densities(self) -> bool:
        """Only squared Euclidean distances are logarithms of densities."""
        return self.metric == "euclidean"

    def _decide(self, X: Matrix) -> Vector:
        """Find the nearest centroid (1); decide by (3) if priors differ."""
        if not np.allclose(self.class_prior_, 1 / len(self.classes_)):
            return fill_rows(self._scores, X, len(self.classes_)).argmax(axis=1)
        if self.metric == "manhattan":
            return manhattan_distances(dense(X), self.centroids_).argmin(axis=1)
        labels = np.empty(X.shape[0], dtype=np.int32)
        d2 = np.empty(X.shape[0], dtype=X.dtype)
        mu = self.centroids_.astype(X.dtype)
        nearest = rows_loop(loops.nearest, loops.nearest_csr, X)
        nearest(mu, labels, d2, get_config().threads)
        return labels

    def _scores(self, X: Matrix) -> Floats:
        scale = self._scale().astype(X.dtype)
        rows = X @ sp.diags_array(1 / scale) if sp.issparse(X) else X / scale
        centres = (self.centroids_ / scale).astype(X.dtype)
        distance = (
            manhattan_distances if self.metric == "manhattan" else (euclidean_distances)
        )
        return -(distance(rows, centres) ** 2) + 2 * log_of(self.class_prior_)  # (3)

    def _quadratic(self, c: int) -> Quadratic:
        m = self.centroids_[c]
        if np.allclose(self.class_prior_, 1 / len(self.classes_)):
            return Quadratic(None, 2 * m, float(-(m @ m)))
        precision = 1 / self._scale() ** 2
        constant = 2 * log_of(self.class_prior_)[c] - (precision * m) @ m
        return Quadratic(None, 2 * precision * m, float(constant))

    def _scale(self) -> Floats:
        std = self.within_class_std_dev_
        return np.where(std > 0, std, 1.0)


def weighted_median(X: Floats, w: Floats) -> Floats:
    """Return the median of each column, a weight counting as repetition.

    >>> import numpy as np
    >>> weighted_median(np.array([[1.0], [2.0], [10.0]]), np.array([1.0, 1.0, 2.0]))
    array([6.])
    """
    out = np.empty(X.shape[1])
    for j in range(X.shape[1]):
        order = np.argsort(X[:, j], kind="stable")
        x, total = X[order, j], np.cumsum(w[order])
        half = total[-1] / 2
        low, high = np.searchsorted(total, half), np.searchsorted(total, half, "right")
        out[j] = (x[low] + x[min(high, len(x) - 1)]) / 2
    return out
