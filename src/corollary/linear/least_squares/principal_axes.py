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

Notation: V (r, d), axes in rows; s (r,) falls; Z (r, m), z in columns.
Course: S3-90, S3-92. Reference: Hastie, Tibshirani, Friedman (2009), 3.4.1, 3.5.1.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from corollary.core.arrays import Floats
from corollary.engine.statistics import Moments, Triangle
from corollary.linear_algebra.decompositions import eigh, svd
from corollary.solvers.normal_equations import (
    CHEAP,
    DIGITS,
    EPS,
    centred,
    raw,
    with_ones,
)

__all__ = ["PrincipalAxes"]


@dataclass(frozen=True)
class PrincipalAxes:
    """X by its principal axes, and y by its parts along them.

    Where `ones`, nothing is centred and the first entry of an axis belongs to a column
    of ones, whose coefficient is the intercept.
    """

    n: float
    mean_x: Floats  # (d,), zeros where nothing is centred
    mean_y: Floats  # (m,)
    V: Floats  # (r, d) or (r, 1 + d)
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

    def good(self, moments: Moments, alpha: float = 0.0) -> bool:
        """Say whether axes made of moments have digits enough for (1) with a ridge."""
        d = len(self.mean_x)
        digits = DIGITS if moments.n * d * d > CHEAP else DIGITS / 1000
        highest = float(self.s[0] ** 2) if len(self.s) else 0.0
        length = np.sqrt(np.diagonal(moments.M2)[:d])
        offset = np.abs(moments.mean[:d]) * np.sqrt(moments.n)
        still = length <= 64 * EPS * offset  # columns that never move
        known = EPS * (highest + alpha) < digits * (self.smallest + alpha)
        return bool(known and not still.any())

    def coefficients(self, f: Floats) -> tuple[Floats, Floats]:
        """Return (1), coefficients (a, m, d) and intercepts (a, m), for rows f (a, r).

        f may be (a, r), the same for all targets, or (a, r, m).
        """
        F = f[:, :, None] if f.ndim == 2 else f
        B = np.tensordot(F * self.Z, self.V, axes=(1, 0))  # (a, m, d)
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


def deviations(squares: Floats, n: float) -> Floats:
    """Return standard deviations, 1 for a column that never moves."""
    deviation = np.sqrt(squares / max(n - 1, 1.0))
    return np.where(deviation > 0, deviation, 1.0)
