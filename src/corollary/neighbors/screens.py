"""Screens: approximate distances of many pairs of rows at once, with their error.

A search for neighbours looks at all pairs twice: a fast look that may err a little says
which pairs can matter, and the exact distance is taken of these alone.  The fast look
at (1) of `metrics` and at the cosine is one product of matrices,

    ||x - z||^2 - ||x||^2 = ||z||^2 - 2 x'z,      (-2x', 1) (z', ||z||^2)'       (1)

of rows that are centred and scaled to size 1 first, which loses less.  A product of d
terms in floating point of unit roundoff u errs by at most d u sum_j |a_j b_j|, so (1)
errs by at most

    2 (d + 8) u (2 ||x|| ||z|| + ||z||^2),    ||z|| <= ||x|| + ||x - z||         (2)

the rounding of the rows included.  A row whose score is above the k-th least one by
more than twice (2) is none of the k nearest; (2) needs no norm but that of x.  The
scores of the other metrics are sums of differences, whose error is relative to the sum.
For a large power p of `minkowski` they are its limit, the largest difference, which is
below the distance by a factor of d^(1/p) at most.

Also known as: filter and refine, lower-bounding filter, GEMM distances.

Notation: x = query; z = row that was kept; u = unit roundoff, eps = 2u.
Course: S3-40. Reference: Higham (2002), Accuracy and Stability, 3.1.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy.spatial.distance import cdist

from corollary.core.arrays import Floats, Matrix
from corollary.core.rows import dense
from corollary.kernels.pairs import pair_sums
from corollary.neighbors.metrics import Metric, unit_rows

__all__ = ["Screen", "Screened", "make_screen"]

LARGE_POWER = 32.0  # whose terms vanish beside the largest
SAFETY = 16.0  # the constants of (2), times two, and some room


@dataclass(frozen=True)
class Screened:
    """Scores of some queries against a tile of rows.

    A score and the `offset` of its query add up to the value of the pair that
    `metrics.pair_values` gives, up to an error of
    ``relative * (size + value) + absolute``.
    """

    scores: Floats  # (q, m)
    offset: Floats  # (q,)
    size: Floats  # (q,)
    relative: float
    absolute: float = 0.0

    def limit(self, value: Floats) -> Floats:
        """Return the score that a pair of at most this value cannot exceed, (q,)."""
        slack = self.relative * (self.size + np.maximum(value, 0.0)) + self.absolute
        return value - self.offset + slack


class Screen(ABC):
    """A tile of rows, ready to be compared with any queries."""

    threaded = False  # whether it has threads of its own

    @abstractmethod
    def screened(self, Q: Matrix) -> Screened:
        """Compare some queries with all rows of the tile."""


def make_screen(metric: Metric, Z: Matrix, scale: float, dtype: Any) -> Screen:
    """Return the screen of a metric for a tile of rows."""
    if metric.kind in ("euclidean", "cosine"):
        return ProductScreen(metric, Z, scale, dtype)
    return DifferenceScreen(metric, Z, scale)


class ProductScreen(Screen):
    """Scores by one product of matrices, (1), or -u'v for the cosine."""

    def __init__(self, metric: Metric, Z: Matrix, scale: float, dtype: Any) -> None:
        self.cosine, self.scale = metric.kind == "cosine", scale
        self.sparse = sp.issparse(Z)
        self.dtype = np.dtype(np.float64 if self.sparse else dtype)
        self.centre: Any = 0.0
        if not self.sparse and not self.cosine:
            self.centre = Z.mean(axis=0, dtype=np.float64)
        rows = self._rows(Z)
        norms = squares(rows)
        if self.sparse:
            self.columns: Any = rows.T.tocsr()
            self.norms = norms
        else:
            d = rows.shape[1]
            self.columns = np.empty((d + 1, len(rows)), self.dtype)
            self.columns[:d] = rows.T
            self.columns[d] = norms

    def _rows(self, X: Matrix) -> Any:
        """Return rows of length 1, or centred and scaled, in the screen's type."""
        if self.cosine:
            return unit_rows(X).astype(self.dtype)
        if self.sparse:
            return X.astype(np.float64) * (1.0 / self.scale)
        return ((X - self.centre) * (1.0 / self.scale)).astype(self.dtype)

    def screened(self, Q: Matrix) -> Screened:
        """Multiply."""
        rows = self._rows(Q if self.sparse else dense(Q))
        d, eps = rows.shape[1], float(np.finfo(self.dtype).eps)
        errors = SAFETY * (d + 8) * eps, SAFETY * (d + 8) * np.finfo(self.dtype).tiny
        if self.cosine:
            S = self._products(rows, -1.0)
            ones = np.ones(len(S))
            return Screened(S, ones, ones, *errors)
        n = squares(rows).astype(np.float64)
        if self.sparse:
            S = self._products(rows, -2.0) + self.norms
        else:
            S = np.column_stack([-2 * rows, np.ones(len(rows), self.dtype)])
            S = S @ self.columns
        return Screened(S, n, n, *errors)

    def _products(self, rows: Any, factor: float) -> Floats:
        columns = self.columns if self.sparse else self.columns[:-1]
        S = (rows * factor) @ columns
        return S.toarray() if sp.issparse(S) else np.asarray(S)


class DifferenceScreen(Screen):
    """Scores by sums of differences; relative errors only."""

    def __init__(self, metric: Metric, Z: Matrix, scale: float) -> None:
        self.metric, self.scale = metric, scale
        self.threaded = metric.kind == "manhattan"
        self.rows = self._rows(Z)

    def _rows(self, X: Matrix) -> Floats:
        factor = np.asarray(1.0 / self.scale, X.dtype)  # a power of two: exact
        X = dense(X) * factor
        return X if self.threaded else X.astype(np.float64)

    def screened(self, Q: Matrix) -> Screened:
        """Take differences."""
        Q, d, p = self._rows(Q), Q.shape[1], self.metric.p
        error = SAFETY * (d + 8) * float(np.finfo(Q.dtype).eps)
        if self.threaded:
            S = pair_sums("distance", Q, self.rows)
        elif self.metric.kind == "chebyshev" or p > LARGE_POWER:
            S = cdist(Q, self.rows, "chebyshev")
            error += 0.0 if self.metric.kind == "chebyshev" else d ** (1 / p) - 1
        else:
            S = cdist(Q, self.rows, "minkowski", p=p)
            error /= min(p, 1.0)
        none = np.zeros(len(Q))
        return Screened(S, none, none, error)


def squares(X: Matrix) -> Floats:
    """Return ||x||^2 of each row."""
    if sp.issparse(X):
        return np.asarray(X.multiply(X).sum(axis=1)).ravel()
    return np.einsum("ij,ij->i", X, X)
