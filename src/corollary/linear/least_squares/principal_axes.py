"""Linear regression in the principal axes of X, from sums over the rows.

With centred columns and the singular value decomposition Xc = U diag(s) V', every
regression that shrinks along the principal axes v_j is one line,

    b = sum_j f(s_j) (u_j' yc) v_j,     b0 = mean(y) - mean(X)' b                (1)

least squares with f(s) = 1/s, ridge regression with f(s) = s/(s^2 + alpha), principal
component regression with f(s) = 1/s on the first k axes and 0 on the others.  Sums give
all of it: from the moments, Xc'Xc = V diag(s^2) V' and u_j' yc = v_j' Xc'yc / s_j, or
from the triangle, whose R = U_R diag(s) V' keeps twice the digits.  The residual is

    ||yc - Xc b||^2 = ||yc||^2 - ||z||^2 + ||(1 - s f(s)) z||^2,    z_j = u_j' yc  (2)

and the fit uses the effective degrees of freedom, the trace of the matrix that turns y
into predictions,

    df = sum_j s_j f(s_j)                                                        (3)

Few rows next to the columns give U and s by Xc Xc' = U diag(s^2) U', and the axes are
combinations of them that need not be multiplied out, V' = diag(1/s) U'Xc; for ridge
regression all n - 1 of them are kept, also where s_j = 0.

Notation: V (r, d), axes in rows; s (r,) falls; Z (r, m), z in columns.
Course: S3-90, S3-92. Reference: Hastie, Tibshirani, Friedman (2009), 3.4.1, 3.5.1.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from corollary.core.arrays import Floats, Matrix, Vector
from corollary.core.records import stored
from corollary.engine.statistics import Moments, Triangle
from corollary.linear_algebra.decompositions import eigh, svd
from corollary.solvers.normal_equations import (
    CHEAP,
    DIGITS,
    EPS,
    axes_of_pairs,
    centred,
    raw,
    with_ones,
)

__all__ = ["PrincipalAxes"]


@dataclass(frozen=True)
class RowSpan:
    """Axes V = T X by the rows that span them, of which nothing of size r d is made."""

    T: Floats  # (r, n)
    X: Matrix  # (n, d)
    parts: Floats  # (n, r), of these rows along the axes

    def __rmatmul__(self, C: Floats) -> Floats:
        return np.asarray((self.X.T @ (C @ self.T).T).T)

    @property
    def shape(self) -> tuple[int, int]:
        """Return (r, d)."""
        return len(self.T), self.X.shape[1]

    __array_ufunc__ = None  # C @ V is for this class to compute


@stored
@dataclass(frozen=True)
class PrincipalAxes:
    """X by its principal axes, and y by its parts along them.

    Where `ones`, nothing is centred and the first entry of an axis belongs to a column
    of ones, whose coefficient is the intercept.
    """

    n: float
    mean_x: Floats  # (d,), zeros where nothing is centred
    mean_y: Floats  # (m,)
    V: Any  # (r, d) or (r, 1 + d), or a RowSpan
    s: Floats  # (r,) > 0, falling
    Z: Floats  # (r, m)
    rest: Floats  # (m,) = ||yc||^2 - ||z||^2
    smallest: float  # s^2 of the last axis of all, also where it is 0
    ones: bool = False
    scale: Floats | None = None  # (d,) what the columns were divided by

    @classmethod
    def of(
        cls,
        sums: Moments | Triangle,
        d: int,
        *,
        intercept: bool = True,
        ones: bool = False,
        scale: bool = False,
    ) -> PrincipalAxes:
        """Decompose the columns of X; a triangle must begin with a column of ones.

        Parameters
        ----------
        sums : Moments of [X, Y] or Triangle of [1, X, Y] (or [X, Y] if no intercept)
        d : int
            Columns of X.
        intercept : bool
            Whether to centre.
        ones : bool
            Whether the column of ones is to be one of X, not to be centred away.
        scale : bool
            Whether to divide every column by its standard deviation.
        """
        centre, columns = intercept and not ones, d + ones
        if isinstance(sums, Triangle):
            mean, R = centred(sums, centre)
            Rx, Y = R[:, :columns], R[:, columns:]
            sd = deviations((Rx**2).sum(axis=0), sums.n) if scale else None
            U, s, V = svd(Rx if sd is None else Rx / sd, full_matrices=False)
            r = int((s > EPS * max(Rx.shape) * s[:1]).sum())
            Z = U[:, :r].T @ Y
            rest = ((Y - U[:, :r] @ Z) ** 2).sum(axis=0)
            smallest = float(s[-1] ** 2) if len(s) == columns else 0.0
            s, V = s[:r], V[:r]
        else:
            sums = with_ones(sums) if ones else sums
            S, mean = sums.M2 if centre else raw(sums), sums.mean * centre
            G, B = S[:columns, :columns], S[:columns, columns:]
            sd = deviations(np.diagonal(G), sums.n) if scale else None
            if sd is not None:
                G, B = G / np.outer(sd, sd), B / sd[:, None]
            squares, V = eigh(G)
            squares, V = squares[::-1], V.T[::-1]
            smallest = max(float(squares[-1]), 0.0)
            r = int((squares > EPS * columns * max(squares[0], 0.0)).sum())
            s, V = np.sqrt(squares[:r]), V[:r]
            Z = (V @ B) / s[:, None]
            total = np.diagonal(S)[columns:]
            rest = np.maximum(total - (Z**2).sum(axis=0), 0.0)
        mean = np.zeros(d + Z.shape[1]) if ones else mean
        return cls(sums.n, mean[:d], mean[d:], V, s, Z, rest, smallest, ones, sd)

    @classmethod
    def of_rows(
        cls, X: Matrix, Y: Floats, w: Vector | None, *, intercept: bool, alpha: float
    ) -> PrincipalAxes | None:
        """Decompose few rows by their products, for ridges of at least alpha.

        None where the products lose too many digits.
        """
        root = np.ones(len(Y)) if w is None else np.sqrt(w, dtype=np.float64)
        total = float(root @ root)
        X = X.astype(np.float64, copy=False)
        mean_x = np.asarray(root**2 @ X) / total * intercept
        mean_y = (root**2 @ Y) / total * intercept
        if intercept and not sp.issparse(X):
            X = X - mean_x
        K = X @ X.T
        K = (K.toarray() if sp.issparse(K) else K) * np.outer(root, root)
        size, v = float(np.trace(K)), beside(root)
        if intercept:
            Kv = K @ v
            K -= np.outer(v, Kv - v * (v @ Kv) / 2)
            K -= np.outer(Kv - v * (v @ Kv) / 2, v)
            K = K[1:, 1:]  # of what is orthogonal to the means
        found = axes_of_pairs(K, X.shape[1], alpha, size) if len(K) else None
        if found is None:
            return None
        U, s = found[0], np.maximum(found[1], EPS * np.sqrt(size))
        if intercept:
            U = np.vstack([np.zeros_like(s), U]) - np.outer(v, v[1:] @ U)
        Z = U.T @ (root[:, None] * (Y - mean_y))
        V = RowSpan((U / s).T * root, X, U * s / root[:, None])
        rest = np.zeros(Y.shape[1])  # the axes span all of y
        return cls(total, mean_x, mean_y, V, s, Z, rest, float(s[-1] ** 2))

    def good(self, moments: Moments, alpha: float = 0.0) -> bool:
        """Say whether axes made of moments have digits enough for (1) with a ridge."""
        d = len(self.mean_x)
        digits = DIGITS if moments.n * d * d > CHEAP else DIGITS / 1000
        highest = float(self.s[0] ** 2) if len(self.s) else 0.0
        length = np.sqrt(np.diagonal(moments.M2)[:d])
        offset = np.abs(moments.mean[:d]) * np.sqrt(moments.n)
        still = length <= 64 * EPS * offset  # columns that never move
        constant, smallest = length == 0, self.smallest
        if constant.any() and len(self.s) == d - constant.sum():
            still &= ~constant  # they are 0 exactly, and have no part in the axes
            smallest = float(self.s[-1] ** 2) if len(self.s) else 0.0
        known = EPS * (highest + alpha) < digits * (smallest + alpha)
        return bool(known and not still.any())

    def coefficients(self, f: Floats) -> tuple[Floats, Floats]:
        """Return (1), coefficients (a, m, d) and intercepts (a, m), for rows f (a, r).

        f may be (a, r), the same for all targets, or (a, r, m).
        """
        F = f[:, :, None] if f.ndim == 2 else f
        C = np.moveaxis(F * self.Z, 1, 2)  # (a, m, r)
        a, m, r = C.shape
        B = (C.reshape(a * m, r) @ self.V).reshape(a, m, self.V.shape[1])
        if self.ones:
            return B[:, :, 1:], B[:, :, 0]
        if self.scale is not None:
            B = B / self.scale
        return B, self.mean_y - B @ self.mean_x

    def residuals(self, f: Floats) -> Floats:
        """Return (2), (a, m), for rows f (a, r)."""
        return self.rest + ((1 - f * self.s) ** 2) @ self.Z**2

    def degrees_of_freedom(self, f: Floats) -> Floats:
        """Return (3), (a,)."""
        return f @ self.s

    def ridge(self, alphas: Floats) -> Floats:
        """Return f of ridge regression, (a, r)."""
        return self.s / (self.s**2 + alphas[:, None])


def beside(q: Floats) -> Floats:
    """Return the v of Householder's I - v v', which turns q > 0 to the first axis.

    >>> v = beside(np.array([3.0, 4.0]))
    >>> (np.eye(2) - np.outer(v, v)).round(12).tolist()
    [[-0.6, -0.8], [-0.8, 0.6]]
    """
    v = q.copy()
    v[0] += np.sqrt(q @ q)
    return v * np.sqrt(2 / (v @ v))


def deviations(squares: Floats, n: float) -> Floats:
    """Return standard deviations, 1 for a column that never moves."""
    deviation = np.sqrt(squares / max(n - 1, 1.0))
    return np.where(deviation > 0, deviation, 1.0)
