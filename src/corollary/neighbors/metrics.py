"""Distances of pairs of rows, exact to rounding.

Also known as: metrics, dissimilarities, Lp distances, city-block distance, cosine
distance.

    euclidean   sqrt(sum_j (x_j - z_j)^2)                                        (1)
    manhattan   sum_j |x_j - z_j|                                                (2)
    chebyshev   max_j |x_j - z_j|                                                (3)
    minkowski   (sum_j |x_j - z_j|^p)^(1/p);  p = 1, 2, inf are (2), (1), (3)    (4)
    cosine      1 - x'z / (||x|| ||z||) = ||u - v||^2 / 2,  u = x/||x||, v = z/||z||
                and 1 where a row is zero                                        (5)
    precomputed the numbers that are given in place of rows

All but the last are sums of differences here, which lose no digits where two rows are
nearly equal; ||x||^2 - 2 x'z + ||z||^2 would.  Differences and squares are float64
whatever the rows are.  Pairs are ordered by the square in place of (1).

Notation: x, z = rows; p = the power.
Course: S3-40. Reference: Deza and Deza (2009), Encyclopedia of Distances.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from corollary.core.arrays import Floats, Matrix, Vector
from corollary.core.rows import dense

__all__ = ["METRICS", "Metric", "metric_of", "pair_values", "unit_rows"]

#: The names of metrics that users may give, and the metric.
METRICS = {
    "minkowski": "minkowski",
    "p": "minkowski",
    "euclidean": "euclidean",
    "l2": "euclidean",
    "manhattan": "manhattan",
    "cityblock": "manhattan",
    "l1": "manhattan",
    "chebyshev": "chebyshev",
    "infinity": "chebyshev",
    "cosine": "cosine",
    "precomputed": "precomputed",
}
PIECE = 2**18  # numbers of the pairs that are compared at a time


@dataclass(frozen=True)
class Metric:
    """One of (1) to (5)."""

    kind: str
    p: float = 2.0

    @property
    def keeps_sparse(self) -> bool:
        """Whether sparse rows stay sparse."""
        return self.kind in ("euclidean", "manhattan", "cosine")

    def distance(self, values: Floats, scale: float) -> Floats:
        """Return the distances that the values of pairs of scaled rows stand for."""
        if self.kind == "cosine":
            return values
        return scale * (np.sqrt(values) if self.kind == "euclidean" else values)


def metric_of(name: str, p: float) -> Metric:
    """Return a metric by its name; special powers by their own.

    >>> metric_of("minkowski", 1), metric_of("l2", 7)
    (Metric(kind='manhattan', p=2.0), Metric(kind='euclidean', p=2.0))
    """
    kind = METRICS[name]
    if kind != "minkowski":
        return Metric(kind)
    special = {1.0: "manhattan", 2.0: "euclidean", np.inf: "chebyshev"}
    return Metric(special[p]) if p in special else Metric("minkowski", float(p))


def pair_values(
    metric: Metric, Q: Matrix, r: Vector, Z: Matrix, c: Vector, scale: float
) -> Floats:
    """Return what orders the pairs of rows (Q[r], Z[c]), divided by a power of two.

    It is the distance, the square of (1): float64.
    """
    step = max(1, PIECE // max(1, Q.shape[1]))
    pieces = [slice(a, a + step) for a in range(0, len(r), step)]
    values = [_values(metric, Q[r[some]], Z[c[some]], scale) for some in pieces]
    return np.concatenate(values) if values else np.zeros(0)


def _values(metric: Metric, A: Matrix, B: Matrix, scale: float) -> Floats:
    if not metric.keeps_sparse or not sp.issparse(B):
        A, B = dense(A), dense(B)
    if metric.kind == "cosine":
        A, B = unit_rows(A), unit_rows(B)
        halves = 0.5 * _sums(_difference(A, B), 2)
        zero = ~(_sums(A, 2) > 0) | ~(_sums(B, 2) > 0)
        return np.where(zero, 1.0, halves)  # (5)
    difference = _difference(A, B) * (1.0 / scale)
    if metric.kind == "euclidean":
        return _sums(difference, 2)
    if metric.kind == "manhattan":
        return _sums(difference, 1)
    sizes = np.abs(difference)
    largest = sizes.max(axis=1)
    if metric.kind == "chebyshev":
        return largest
    relative = sizes / np.where(largest > 0, largest, 1.0)[:, None]
    return largest * (relative**metric.p).sum(axis=1) ** (1 / metric.p)  # (4)


def _difference(A: Matrix, B: Matrix) -> Any:
    """Return the differences of two lots of rows, in float64."""
    if sp.issparse(B):
        return sp.csr_array(A, dtype=np.float64) - B.astype(np.float64)
    return A.astype(np.float64) - B


def _sums(D: Any, power: int) -> Floats:
    """Return the sum of |d| or of d^2 over each row."""
    if sp.issparse(D):
        return np.asarray((abs(D) if power == 1 else D.multiply(D)).sum(axis=1)).ravel()
    if power == 1:
        return np.abs(D).sum(axis=1)
    return np.einsum("ij,ij->i", D, D)


def unit_rows(X: Matrix) -> Any:
    """Return rows of length 1, in float64; zero rows stay.

    >>> unit_rows(np.array([[3.0, 4.0], [0.0, 0.0]])).tolist()
    [[0.6, 0.8], [0.0, 0.0]]
    """
    X = X.astype(np.float64)
    X = _divided(X, _largest(X))  # first: squares of tiny entries would vanish
    return _divided(X, np.sqrt(_sums(X, 2)))


def _largest(X: Any) -> Floats:
    sizes = abs(X).max(axis=1)
    return sizes.toarray().ravel() if sp.issparse(sizes) else sizes


def _divided(X: Any, size: Floats) -> Any:
    """Return each row divided by a number, those of size 0 as they are."""
    size = np.where(size > 0, size, 1.0)
    if not sp.issparse(X):
        return X / size[:, None]
    each = np.repeat(size, np.diff(X.indptr))
    return sp.csr_array((X.data / each, X.indices, X.indptr), shape=X.shape)
