"""Statistics of each column by itself, where values may be missing.

Also known as: column moments, column ranges.

A missing value (NaN) counts in no sum: each column j has a count of its own,

    n_j = sum_i w_i [x_ij is there],   mean_j,   M2_j = sum_i w_i (x_ij - mean_j)^2  (1)

and two of these merge by means and centred squares, column by column, as the moments of
`engine.statistics` do.  A chunk's own sums are taken about a number near its mean,

    mean_j = m_j + r_j,    r_j = sum_i w_i (x_ij - m_j) / n_j                    (2)
    M2_j   = sum_i w_i (x_ij - m_j)^2 - n_j r_j^2                                (3)

and both parts of (2) are kept: their sum has more digits than one number holds, so that
the difference of two chunks' means is exact where the spread of a column is small
beside its mean.

Extremes merge as they are.  Rows of weight 0 count nowhere; where no row has a weight
of its own, the counts are whole numbers.

Course: S4-5. Reference: Chan, Golub, LeVeque (1983).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from corollary.core.arrays import Floats, Matrix, Vector
from corollary.core.records import stored
from corollary.engine import Statistics
from corollary.engine.column_extremes import column_extremes
from corollary.engine.statistics import dense_blocks, fold

__all__ = ["Extremes", "Spread", "counted", "weighing"]


@stored
@dataclass(frozen=True)
class Spread(Statistics):
    """Weighted count, mean and centred sum of squares (1) of each column."""

    n: Vector  # (d,) whole numbers where there are no weights
    mean: Floats  # (d,) the mean, rounded; 0 where n is 0
    rest: Floats  # (d,) what rounding took away (2)
    M2: Floats  # (d,)

    @classmethod
    def of(cls, X: Matrix, w: Vector | None = None) -> Spread:
        """Take the spread of the columns of X, which may be sparse."""
        X, w = weighing(X, w)
        if not X.shape[0]:
            zeros = np.zeros(X.shape[1])
            n = zeros.astype(np.int64) if w is None else zeros
            return cls(n, zeros, zeros, zeros)
        if sp.issparse(X):
            return cls._of_sparse(X, w)
        total = fold(cls._of_rows(*block[:2]) for block in dense_blocks(X, w, None))
        assert total is not None
        return total

    @classmethod
    def _of_rows(cls, X: Floats, w: Vector | None) -> Spread:
        """Sum about the mean as it is first found."""
        ones = np.ones(len(X)) if w is None else w
        sums = ones @ X
        if not np.isnan(sums).any():
            n = np.full(X.shape[1], len(X) if w is None else w.sum())
            mean = sums / n
            Z = X - mean
        else:
            there = ~np.isnan(X)
            n = there.sum(axis=0) if w is None else ones @ there
            mean = (ones @ np.where(there, X, 0.0)) / np.where(n > 0, n, 1)
            Z = np.where(there, X - mean, 0.0)
        rest = (ones @ Z) / np.where(n > 0, n, 1)  # (2)
        np.multiply(Z, Z, out=Z)
        M2 = np.maximum(ones @ Z - n * rest**2, 0.0)  # (3)
        return cls(n, *both_parts(mean, rest), M2)

    @classmethod
    def _of_sparse(cls, X: Any, w: Vector | None) -> Spread:
        """Sum the stored entries; the others are zeros."""
        d, entries = X.shape[1], np.diff(X.indptr)
        there = ~np.isnan(X.data)
        ones = np.repeat(1.0 if w is None else w, X.shape[0] if w is None else 1)
        of_entries = np.repeat(ones, entries)
        total = ones.sum()

        def sums(values: Floats) -> Floats:
            return np.bincount(X.indices, values, minlength=d).astype(float)

        n = total - sums(of_entries * ~there)
        safe = np.where(n > 0, n, 1)
        mean = sums(np.where(there, of_entries * X.data, 0.0)) / safe
        Z = np.where(there, X.data - mean[X.indices], 0.0)
        full = np.bincount(X.indices, minlength=d) == X.shape[0]
        absent = np.where(full, 0.0, n - sums(of_entries * there))  # zeros' weight
        rest = (sums(of_entries * Z) - absent * mean) / safe  # (2)
        M2 = sums(of_entries * Z**2) + absent * mean**2 - n * rest**2  # (3)
        n = np.rint(n).astype(np.int64) if w is None else n
        return cls(n, *both_parts(mean, rest), np.maximum(M2, 0.0))

    def __add__(self, other: Spread) -> Spread:
        n = self.n + other.n
        share = other.n / np.where(n > 0, n, 1)
        delta = (other.mean - self.mean) + (other.rest - self.rest)
        M2 = self.M2 + other.M2 + delta**2 * (self.n * share)
        return Spread(n, *both_parts(self.mean, self.rest + delta * share), M2)

    def scaled(self, factor: float) -> Spread:
        """Count the same rows `factor` times: the means stay."""
        if factor == 1:
            return self
        return Spread(self.n * factor, self.mean, self.rest, self.M2 * factor)

    @property
    def variance(self) -> Floats:
        """The variance of each column, divided by n; 0 where there is no value."""
        return self.M2 / np.where(self.n > 0, self.n, 1)


@stored
@dataclass(frozen=True)
class Extremes(Statistics):
    """Weight of the rows, least and largest value of each column."""

    n: float  # a whole number where there are no weights
    low: Floats  # (d,) inf where there is no value
    high: Floats  # (d,) -inf where there is no value

    @classmethod
    def of(cls, X: Matrix, w: Vector | None = None) -> Extremes:
        """Take the extremes of the columns of X, which may be sparse."""
        X, w = weighing(X, w)
        n = X.shape[0] if w is None else float(w.sum(dtype=np.float64))
        return cls(n, *column_extremes(X))

    def __add__(self, other: Extremes) -> Extremes:
        low, high = np.minimum(self.low, other.low), np.maximum(self.high, other.high)
        return Extremes(self.n + other.n, low, high)

    def scaled(self, factor: float) -> Extremes:
        """Count the same rows `factor` times: the extremes stay."""
        return self if factor == 1 else Extremes(self.n * factor, self.low, self.high)


def both_parts(a: Floats, b: Floats) -> tuple[Floats, Floats]:
    """Return a + b as a rounded sum and what rounding took away (Knuth's two-sum).

    >>> [part.tolist() for part in both_parts(np.array([1e16]), np.array([1.5]))]
    [[1.0000000000000002e+16], [-0.5]]
    """
    total = a + b
    from_b = total - a
    return total, (a - (total - from_b)) + (b - from_b)


def weighing(X: Matrix, w: Vector | None) -> tuple[Matrix, Vector | None]:
    """Leave out the rows of weight 0."""
    if w is None or w.all():
        return X, w
    return X[w > 0], w[w > 0]


def counted(n: Any) -> Any:
    """Return one count where all columns have the same, as scikit-learn does.

    >>> counted(np.array([3, 3])), counted(np.array([3, 2])).tolist()
    (np.int64(3), [3, 2])
    """
    return n[0] if (n == n[0]).all() else n
