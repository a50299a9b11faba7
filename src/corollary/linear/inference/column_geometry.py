"""The geometry of the columns of X: rank, null space, inverse of the Gram matrix.

A triangle R with Xc'Xc = R'R stands for the centred columns.  The null space N has one
column for each column of X that follows from the others; the condition number is that
of [1 X] with columns of unit length, and the variance inflation factor

    VIF_j = |x_j|^2 ((Xc'Xc)^-1)_jj                                              (1)

is infinite for columns that take part in a dependence.

Reference: Belsley, Kuh, Welsch (1980).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.linalg as sla

from corollary.core.arrays import Floats, Vector
from corollary.engine import Triangle
from corollary.linear_algebra.decompositions import eigh, svd
from corollary.solvers.normal_equations import centred, raw, spectrum_of

__all__ = ["Geometry", "geometry", "square_root"]

ABSENT = 1e-8  # of a direction's length: no part in it


@dataclass(frozen=True)
class Geometry:
    """The columns of X as a triangle: Xc'Xc = R'R, and what depends on what."""

    n: float
    mean: Floats  # (d,)
    R: Floats  # (r, d)
    intercept: bool
    rank: int
    dependent: tuple[int, ...]
    N: Floats  # (d, k) null space, one column for each dependent column

    @classmethod
    def of(cls, n: float, mean: Floats, R: Floats, intercept: bool) -> Geometry:
        """Find the rank and the null space of R."""
        _, rank, dependent = spectrum_of(R)
        d = R.shape[1]
        N = np.zeros((d, len(dependent)))
        rest = list(dependent)
        taken = [j for j in range(d) if j not in dependent]
        if rest:
            N[rest, np.arange(len(rest))] = 1.0
            N[taken] = -np.linalg.lstsq(R[:, taken], R[:, rest], rcond=None)[0]
        return cls(n, mean, R, intercept, rank, dependent, N)

    @property
    def identified(self) -> Vector:
        """Say which coefficients the data determines, the intercept first."""
        parts = (
            self.N if not self.intercept else np.vstack([self.mean @ self.N, self.N])
        )
        length = np.abs(self.N).max(axis=0, initial=1.0)
        return (np.abs(parts) <= ABSENT * length).all(axis=1)

    def gram_inverse(self, alpha: float = 0.0, p: Floats | None = None) -> Floats:
        """Return (Xc'Xc + alpha P)^-1, a pseudo-inverse where the rank is short."""
        d = self.R.shape[1]
        P = np.eye(d) if p is None else np.diag(np.sqrt(p))
        R = self.R if alpha == 0 else np.vstack([self.R, np.sqrt(alpha) * P])
        free = alpha == 0 or (p is not None and not p.all())
        if free and self.rank < d:
            return np.asarray(np.linalg.pinv(R) @ np.linalg.pinv(R).T)
        length = np.sqrt((R**2).sum(axis=0))
        T = np.linalg.qr(R / length, mode="r")
        F = sla.solve_triangular(T, np.eye(d)) / length[:, None]
        return np.asarray(F @ F.T)

    def vif(self) -> Floats:
        """Return (1), infinite for columns that take part in a dependence."""
        own = (self.R**2).sum(axis=0) * np.diagonal(self.gram_inverse())
        part = (np.abs(self.N) > ABSENT).any(axis=1)
        return np.where(part, np.inf, np.maximum(own, 1.0))

    def condition(self) -> float:
        """Return the condition number of [1 X] with columns of unit length."""
        if self.dependent:
            return np.inf
        R = self.R
        if self.intercept:
            first = np.sqrt(self.n) * np.append(1.0, self.mean)
            R = np.vstack([first, np.column_stack([np.zeros(len(R)), R])])
        values = svd(R / np.sqrt((R**2).sum(axis=0)), compute_uv=False)
        return float(values[0] / values[-1])


def square_root(G: Floats) -> Floats:
    """Return an R with R'R = G, for a G that is positive semi-definite."""
    scale = np.sqrt(np.where(np.diagonal(G) > 0, np.diagonal(G), 1.0))
    C = G / np.outer(scale, scale)
    try:
        return np.linalg.cholesky(C).T * scale
    except np.linalg.LinAlgError:
        values, V = eigh(C)
        floor = 64 * len(C) * np.finfo(np.float64).eps
        values = np.where(values > floor, values, 0.0)
        return np.asarray((V * np.sqrt(values)).T * scale)


def geometry(statistics: Any, d: int, intercept: bool) -> tuple[Geometry, Floats]:
    """Return the columns' geometry and the total sums of squares of the targets."""
    if isinstance(statistics, Triangle):
        mean, R = centred(statistics, intercept)
        total = (R[:, d:] ** 2).sum(axis=0)
        R = R[:, :d]
    else:
        S = statistics.M2 if intercept else raw(statistics)
        mean = statistics.mean if intercept else np.zeros(len(S))
        R, total = square_root(S[:d, :d]), np.diagonal(S)[d:]
    return Geometry.of(statistics.n, mean[:d], R, intercept), total
