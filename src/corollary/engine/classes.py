"""Scatter of rows about the means of their classes, as sums over chunks.

With n_c, m_c the weight and the mean of class c, n and m those of all rows,

    S_c = sum_{i in c} w_i (x_i - m_c)(x_i - m_c)'       scatter of a class      (1)
    S_W = sum_c S_c                                      within classes          (2)
    S_B = sum_c n_c (m_c - m)(m_c - m)'                  between classes         (3)
    S_T = sum_i w_i (x_i - m)(x_i - m)' = S_W + S_B      in all                  (4)

Chunks a and b merge class by class (Chan, Golub, LeVeque 1979):

    S_c = S_c^a + S_c^b + delta delta' n_c^a n_c^b / n_c,  delta = m_c^b - m_c^a (5)

`ClassMoments` holds the diagonals of (1), `WithinScatter` (2), `ClassScatters` all of
(1).  (2) of a chunk is taken as (4) minus (3), one symmetric product, where that costs
hardly a digit, and otherwise from rows centred by their class.  `WithinTriangle` holds
an R with R'R = S_W, which has no more rows than the data: where these are few next to
the features it is small, and S_W is not.

Course: S0-38, S2-1, S3-51. Reference: Duda, Hart, Stork (2001), ch. 3.8.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from corollary import loops
from corollary.core.arrays import Floats, Matrix, Vector
from corollary.core.records import stored
from corollary.engine.statistics import (
    LOSS,
    Moments,
    Statistics,
    Variances,
    upright,
)

__all__ = [
    "ClassMoments",
    "ClassScatters",
    "WithinScatter",
    "WithinTriangle",
    "between",
]


@stored
@dataclass(frozen=True)
class ClassMoments(Statistics):
    """Weight, mean and centred sum of squares of each feature in each class."""

    n: Floats  # (k,)
    mean: Floats  # (k, d)
    M2: Floats  # (k, d)

    @classmethod
    def of(cls, X: Matrix, y: Vector, w: Vector | None, k: int) -> ClassMoments:
        """Take the moments of one chunk, dense or sparse."""
        n, mean = np.zeros(k), np.zeros((k, X.shape[1]))
        M2 = np.zeros((k, X.shape[1]))
        if not sp.issparse(X):
            loops.class_moments(X, y, w, n, mean, M2)
            return cls(n, mean, M2)
        for c in np.unique(y):
            own = np.flatnonzero(y == c)
            v = Variances.of(X[own], None if w is None else w[own])
            n[c], mean[c], M2[c] = v.n, v.mean, v.M2
        return cls(n, mean, M2)

    def __add__(self, other: ClassMoments) -> ClassMoments:
        n, mean, delta, weight = merged(self, other)
        M2 = self.M2 + other.M2 + delta**2 * weight[:, None]  # (5)
        return ClassMoments(n, mean, M2)

    def scaled(self, factor: float) -> ClassMoments:
        """Count the same rows `factor` times: the means stay."""
        return ClassMoments(self.n * factor, self.mean, self.M2 * factor)

    def variances(self) -> Floats:
        """Return the variance of each feature over all classes together (4)."""
        n = self.n.sum()
        away = self.mean - self.n @ self.mean / n
        return (self.M2.sum(axis=0) + self.n @ away**2) / n


@stored
@dataclass(frozen=True)
class WithinScatter(Statistics):
    """Weights and means of the classes, and the scatter within them."""

    n: Floats  # (k,)
    mean: Floats  # (k, d)
    S: Floats  # (d, d), (2)

    @classmethod
    def of(cls, X: Floats, y: Vector, w: Vector | None, k: int) -> WithinScatter:
        """Take the scatter of one chunk."""
        classes, total = ClassMoments.of(X, y, w, k), Moments.of(X, w)
        n, mean = classes.n, classes.mean
        spare = LOSS[X.dtype] * classes.M2.sum(axis=0)
        if (spare >= np.diagonal(total.M2)).all():
            return cls(n, mean, total.M2 - between(n, mean))  # (4)
        return cls(n, mean, Moments.of(X - mean.astype(X.dtype)[y], w).M2)

    def __add__(self, other: WithinScatter) -> WithinScatter:
        n, mean, delta, weight = merged(self, other)
        S = self.S + other.S + (delta * weight[:, None]).T @ delta  # (5)
        return WithinScatter(n, mean, S)

    def scaled(self, factor: float) -> WithinScatter:
        """Count the same rows `factor` times: the means stay."""
        return WithinScatter(self.n * factor, self.mean, self.S * factor)

    def within(self) -> Floats:
        """Return the scatter within the classes (2)."""
        return self.S

    def total(self) -> Floats:
        """Return the scatter about the common mean (4)."""
        return self.S + between(self.n, self.mean)


@stored
@dataclass(frozen=True)
class WithinTriangle(Statistics):
    """Weights and means of the classes, and a root R of the scatter within them."""

    n: Floats  # (k,)
    mean: Floats  # (k, d)
    R: Floats  # (at most d, d), R'R = S_W (2)

    @classmethod
    def of(cls, X: Floats, y: Vector, w: Vector | None, k: int) -> WithinTriangle:
        """Decompose the rows of one chunk about the means of their classes."""
        classes = ClassMoments.of(X, y, w, k)
        Z = X - classes.mean[y]
        if w is not None:
            Z *= np.sqrt(w)[:, None]
        return cls(classes.n, classes.mean, upright(Z))

    def __add__(self, other: WithinTriangle) -> WithinTriangle:
        n, mean, delta, weight = merged(self, other)
        steps = delta * np.sqrt(weight)[:, None]  # (5)
        return WithinTriangle(n, mean, upright(np.vstack([self.R, other.R, steps])))

    def scaled(self, factor: float) -> WithinTriangle:
        """Count the same rows `factor` times: the means stay."""
        return WithinTriangle(self.n * factor, self.mean, self.R * np.sqrt(factor))

    def within(self) -> Floats:
        """Return the scatter within the classes (2)."""
        return self.R.T @ self.R


@stored
@dataclass(frozen=True)
class ClassScatters(Statistics):
    """Weights, means and scatters of the classes."""

    n: Floats  # (k,)
    mean: Floats  # (k, d)
    S: Floats  # (k, d, d), (1)

    @classmethod
    def of(cls, X: Floats, y: Vector, w: Vector | None, k: int) -> ClassScatters:
        """Take the scatters of one chunk, its rows sorted by class."""
        order = np.argsort(y, kind="stable")
        ends = np.cumsum(np.bincount(y, minlength=k))
        rows, weights = X[order], None if w is None else w[order]
        n, mean = np.zeros(k), np.zeros((k, X.shape[1]))
        S = np.zeros((k, X.shape[1], X.shape[1]))
        for c in np.flatnonzero(np.diff(ends, prepend=0)):
            own = slice(ends[c - 1] if c else 0, ends[c])
            moments = Moments.of(rows[own], None if weights is None else weights[own])
            n[c], mean[c], S[c] = moments.n, moments.mean, moments.M2
        return cls(n, mean, S)

    def __add__(self, other: ClassScatters) -> ClassScatters:
        n, mean, delta, weight = merged(self, other)
        cross = delta[:, :, None] * (delta * weight[:, None])[:, None, :]
        return ClassScatters(n, mean, self.S + other.S + cross)  # (5)

    def scaled(self, factor: float) -> ClassScatters:
        """Count the same rows `factor` times: the means stay."""
        return ClassScatters(self.n * factor, self.mean, self.S * factor)

    def variances(self) -> Floats:
        """Return the variance of each feature over all classes together (4)."""
        return np.diagonal(self.total()) / self.n.sum()

    def within(self) -> Floats:
        """Return the scatter within the classes (2)."""
        return self.S.sum(axis=0)

    def total(self) -> Floats:
        """Return the scatter about the common mean (4)."""
        return self.within() + between(self.n, self.mean)


def between(n: Floats, mean: Floats) -> Floats:
    """Return the scatter of the class means about the common mean (3)."""
    away = mean - n @ mean / n.sum()
    return (away * n[:, None]).T @ away


def merged(a: Any, b: Any) -> tuple[Floats, Floats, Floats, Floats]:
    """Merge weights and means; return the steps and their weights in (5) too."""
    n = a.n + b.n
    share = b.n / np.where(n > 0, n, 1.0)
    delta = b.mean - a.mean
    return n, a.mean + delta * share[:, None], delta, a.n * share
