"""Sums of pinball losses: the central path, the corner it leads to, and certificates.

Also known as: check loss, tilted absolute loss, Frisch-Newton, interior point for
quantile regression.

    P(b) = sum_i w_i rho_t(y_i - z_i'b),   rho_t(r) = max(t r, (t - 1) r)        (1)
    D(a) = sum_i y_i a_i   over  Z'a = 0,  -(1 - t) w_i <= a_i <= t w_i          (2)

P >= D for every b and every such a, with equality at the optimum.  An absolute penalty
lambda |b_j| is one more row: z = c e_j, y = 0, t = 1/2 and weight 2 lambda/c.  With a
barrier mu the best a for a residual r has a closed form,

    a = w (s - 1 + t),   s = (1 + u)/2,   u = k/(1 + R),   k = r/(2 mu),
    R = sqrt(1 + k^2),   ds/dr = 1/(4 mu R (1 + R))                              (3)

so that the central path needs nothing of a row but its residual: it minimises

    F(b) = sum_i a_i r_i + w_i mu log(2/(1 + R_i)),                              (4)
    gradient -Z'a,   Hessian Z'AZ,  A = diag(w ds/dr)                            (5)

and lies within 2 mu sum w of the optimum.  A step costs one pass and one weighted Gram
matrix.  Near its end the rows of the smallest residuals make the corner: as many as
there are weights, independent, with residual 0.  At a corner the other a_i are at their
bounds and those of its rows follow from Z'a = 0; if they keep theirs, P = D.     (6)

Notation: b (p,), of which an intercept is the last; t = quantile.
Course: S2-17. References: Portnoy and Koenker (1997); Koenker (2005), ch. 6.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.linalg as sla
import scipy.sparse as sp
from scipy.optimize import linprog, lsq_linear

from corollary.core.arrays import Floats, Vector
from corollary.engine.statistics import Statistics

__all__ = [
    "Corner",
    "Feasible",
    "Nearest",
    "Path",
    "QuantileRows",
    "Solved",
    "corner_of",
    "newton_step",
    "other_minimizer",
    "solve_rows",
]

NEAR = 1e-9  # share of the loss by which P and D of a good solution differ
FLAT = 1e-6  # of a direction with entries up to 1: below it, the direction is 0
CERTAIN = 1e-6  # share of the largest singular value that makes a rank certain
ROUNDING = 1e-14  # of b, as a share of y: the columns have unit spread
INSIDE = 1e-7  # share of a row's weight by which a_i is off its bounds
ZERO = 1e-10  # share of its terms below which a residual is 0


@dataclass(frozen=True)
class QuantileRows(Statistics):
    """Rows in memory: Z, y, w and the quantile t of each; chunks follow each other."""

    Z: Any  # (n, p)
    y: Floats
    w: Floats
    t: Floats

    def __add__(self, other: QuantileRows) -> QuantileRows:
        sparse = sp.issparse(self.Z)
        Z = sp.vstack([self.Z, other.Z], "csr") if sparse else None
        return QuantileRows(
            np.concatenate([self.Z, other.Z]) if Z is None else Z,
            np.concatenate([self.y, other.y]),
            np.concatenate([self.w, other.w]),
            np.concatenate([self.t, other.t]),
        )

    def residuals(self, b: Floats) -> Floats:
        """Return y - Zb."""
        return self.y - self.Z @ b

    def on_plane(self, b: Floats) -> Vector:
        """Say the rows whose residual is 0 but for rounding."""
        terms = np.abs(self.y) + abs(self.Z) @ np.abs(b)
        return np.abs(self.residuals(b)) <= ZERO * terms

    def loss(self, r: Floats) -> float:
        """Return (1) of residuals."""
        return float(self.w @ np.maximum(self.t * r, (self.t - 1) * r))


@dataclass(frozen=True)
class Path(Statistics):
    """What a Newton step along the central path needs."""

    n: float
    rows: float
    P: float  # (1)
    F: float  # (4)
    g: Floats  # (p,) gradient
    H: Floats  # (p, p) Hessian

    @classmethod
    def of(cls, rows: QuantileRows, b: Floats, mu: float) -> Path:
        """Sum (1), (4) and (5) over rows."""
        r, w, Z = rows.residuals(b), rows.w, rows.Z
        k = r / (2 * mu)
        R = np.hypot(1.0, k)
        a = w * (0.5 * (1 + k / (1 + R)) - 1 + rows.t)  # (3)
        F = float(a @ r + mu * (w @ np.log(2 / (1 + R))))
        A = w / (4 * mu * R * (1 + R))
        AZ = Z.multiply(A[:, None]).tocsr() if sp.issparse(Z) else Z * A[:, None]
        H = Z.T @ AZ
        dense = np.asarray(H.toarray() if sp.issparse(H) else H)
        return cls(float(w.sum()), float(len(w)), rows.loss(r), F, -(Z.T @ a), dense)


def newton_step(g: Floats, H: Floats) -> Floats:
    """Return -H^-1 g, with unit diagonal first; the shortest where H is singular."""
    scale = np.sqrt(np.maximum(np.diagonal(H), 1e-300))
    C = H / np.outer(scale, scale)
    try:
        factor = sla.cho_factor(C, lower=True)
        return -sla.cho_solve(factor, g / scale) / scale
    except np.linalg.LinAlgError:
        return -(sla.pinvh(C) @ (g / scale)) / scale


@dataclass(frozen=True)
class Nearest(Statistics):
    """The rows with the smallest residuals, at most `most` of them."""

    rows: QuantileRows
    r: Floats
    most: int

    @classmethod
    def of(cls, rows: QuantileRows, b: Floats, most: int) -> Nearest:
        """Choose them in one chunk."""
        r = rows.residuals(b)
        at = np.argsort(np.abs(r), kind="stable")[:most]
        Z = rows.Z[at]
        Z = np.asarray(Z.toarray() if sp.issparse(Z) else Z)
        return cls(QuantileRows(Z, rows.y[at], rows.w[at], rows.t[at]), r[at], most)

    def __add__(self, other: Nearest) -> Nearest:
        rows, r = self.rows + other.rows, np.concatenate([self.r, other.r])
        at = np.argsort(np.abs(r), kind="stable")[: self.most]
        few = QuantileRows(rows.Z[at], rows.y[at], rows.w[at], rows.t[at])
        return Nearest(few, r[at], self.most)

    def corner(self) -> Floats | None:
        """Return the b at which independent ones of them have no residual.

        A b_j that is 0 but for rounding is 0, so that its penalty's row has none.
        """
        p = self.rows.Z.shape[1]
        basis = np.zeros((0, p))
        chosen: list[int] = []
        for i, z in enumerate(self.rows.Z):
            rest = z - basis.T @ (basis @ z)
            rest -= basis.T @ (basis @ rest)
            size = np.sqrt(rest @ rest)
            if size > 1e-8 * np.sqrt(z @ z):
                basis = np.vstack([basis, rest / size])
                chosen.append(i)
            if len(chosen) == p:
                y = self.rows.y[chosen]
                b = np.linalg.solve(self.rows.Z[chosen], y)
                return np.where(np.abs(b) <= ROUNDING * np.abs(y).max(), 0.0, b)
        return None

    def at_zero(self, b: Floats) -> QuantileRows:
        """Return those on the plane of b, equal ones as one row of both weights."""
        zero = self.rows.on_plane(b)
        Z, y, w, t = (
            v[zero] for v in (self.rows.Z, self.rows.y, self.rows.w, self.rows.t)
        )
        _, first, same = np.unique(
            np.column_stack([Z, y, t]), axis=0, return_index=True, return_inverse=True
        )
        weight: Any = np.bincount(same.ravel(), weights=w, minlength=len(first))
        return QuantileRows(Z[first], y[first], weight, t[first])


@dataclass(frozen=True)
class Corner(Statistics):
    """What is known of a corner b: the loss, the other rows' share of Z'a and y'a."""

    P: float
    c: Floats  # (p,) sum of a_i z_i over residuals that are not 0
    D: float  # sum of a_i y_i over them
    weight: float  # of the rows with residual 0

    def certified(self, zero: QuantileRows) -> tuple[float, bool]:
        """Return the gap by (6), infinite where (6) fails, and whether b is unique.

        `zero` has the rows with residual 0.
        """
        p = len(self.c)
        if len(zero.y) < p or not np.isclose(zero.w.sum(), self.weight, rtol=1e-12):
            return np.inf, False
        low, high = zero.w * (zero.t - 1), zero.w * zero.t
        margin = 1e-9 * zero.w
        if len(zero.y) == p:
            a = np.linalg.solve(zero.Z.T, -self.c)
        else:
            a = lsq_linear(zero.Z.T, -self.c, (low, high), method="bvls").x
        off = np.abs(zero.Z.T @ a + self.c).max()
        size = np.abs(zero.Z.T).dot(zero.w).max() + np.abs(self.c).max()
        if (a < low - margin).any() or (a > high + margin).any() or off > 1e-10 * size:
            return np.inf, False
        inside = (a > low + margin).all() and (a < high - margin).all()
        gap = max(0.0, self.P - self.D - float(a @ zero.y))
        return gap, bool(inside) and len(zero.y) == p


def corner_of(rows: QuantileRows, b: Floats) -> Corner:
    """Sum what (6) needs over rows."""
    r = rows.residuals(b)
    zero = rows.on_plane(b)
    a = np.where(zero, 0.0, rows.w * np.where(r > 0, rows.t, rows.t - 1))
    on = float(rows.w[zero].sum())
    return Corner(rows.loss(r), rows.Z.T @ a, float(a @ rows.y), on)


@dataclass(frozen=True)
class Feasible(Statistics):
    """A dual point made feasible: y'a, and how far beyond its bounds it would be."""

    D: float
    beyond: float  # the largest a over its bound; at most 1 inside

    def __add__(self, other: Feasible) -> Feasible:
        return Feasible(self.D + other.D, max(self.beyond, other.beyond))

    @classmethod
    def of(cls, rows: QuantileRows, b: Floats, mu: float, v: Floats) -> Feasible:
        """Take a of (3) less A Z v, so that Z'a = 0 where v = H^-1 Z'a."""
        r = rows.residuals(b)
        k = r / (2 * mu)
        R = np.hypot(1.0, k)
        share = 0.5 * (1 + k / (1 + R)) - 1 + rows.t
        share -= (rows.Z @ v) / (4 * mu * R * (1 + R))
        bound = np.where(share > 0, rows.t, 1 - rows.t)
        beyond = float((np.abs(share) / bound).max(initial=0.0))
        return cls(float((rows.w * share) @ rows.y), beyond)

    @property
    def bound(self) -> float:
        """D of the point, shrunk into its bounds."""
        return self.D / max(1.0, self.beyond)


@dataclass(frozen=True)
class Solved:
    """Solutions b of (1) and a of (2), or a word where there is none."""

    b: Floats
    a: Floats
    word: str = ""


def solve_rows(rows: QuantileRows, method: str, options: Any) -> Solved:
    """Solve (2) as a linear program; b are its multipliers.

    Outliers set the scale of the first solution and so its accuracy; where that shows,
    a second one, of the residuals in the scale of their middle, has the accuracy of the
    middle.
    """
    unit = rows.w.mean()
    w = rows.w / unit
    bounds = np.column_stack([w * (rows.t - 1), w * rows.t])
    b: Floats = np.zeros(rows.Z.shape[1])
    a: Floats = np.zeros(len(w))
    for _ in range(2):
        r = rows.residuals(b)
        scale = float(np.median(np.abs(r))) or float(np.abs(r).max()) or 1.0
        result = linprog(
            -r / scale,
            A_eq=rows.Z.T,
            b_eq=np.zeros(len(b)),
            bounds=bounds,
            method=method,
            options=options,
        )
        if result.x is None:
            return Solved(b, a, str(result.message))
        a = unit * np.asarray(result.x)
        more = b - scale * np.asarray(result.eqlin.marginals)
        P = rows.loss(rows.residuals(more))
        if rows.loss(r) >= P:
            b = more
            if abs(P - rows.y @ a) <= NEAR * P:
                break
    return Solved(b, a)


def other_minimizer(rows: QuantileRows, b: Floats, a: Floats) -> Floats | None:
    """Return another minimiser of (1) than b, or None where there is none.

    With one solution a of (2), b + d is a minimiser where no residual changes sides:

        z_i'd = 0  where a_i is between its bounds,
        z_i'd <= 0 where r_i = 0 and a_i = t w_i,  >= 0 where a_i = (t - 1) w_i    (7)

    and d is not too long for the others.  Where the rows with r_i = 0 leave a direction
    free, that is one.  Else d = 0 is alone in (7) where all these rows can have their
    a_i between the bounds, or where no d of (7) has a sum of z_i'd, each with the sign
    that (7) forbids, below 0.
    """
    zero, P = rows.on_plane(b), rows.loss(rows.residuals(b))
    low, high = rows.w * (rows.t - 1), rows.w * rows.t
    margin = INSIDE * rows.w
    top, bottom = zero & (a >= high - margin), zero & (a <= low + margin)
    Z = rows.Z[zero]
    Z = np.asarray(Z.toarray() if sp.issparse(Z) else Z)
    between = ~(top | bottom)[zero]
    spans = certain(Z)
    if certain(Z[between]) or (spans and all_between(rows, b, zero, Z)):
        return None  # (7) leaves d = 0 alone
    if spans:
        sides = (np.where(top[zero], 1.0, -1.0)[:, None] * Z)[~between]
        result = linprog(
            sides.sum(axis=0),
            A_ub=sides,
            b_ub=np.zeros(len(sides)),
            A_eq=Z[between],
            b_eq=np.zeros(between.sum()),
            bounds=(-1.0, 1.0),
        )
        d = result.x
    else:
        d = np.linalg.svd(Z)[2][-1]
    if d is None or np.abs(d).max() < FLAT:
        return None
    other = b + longest(rows, b, d) * d
    same = rows.loss(rows.residuals(other)) <= P + 1e-9 * (P + np.abs(rows.y).max())
    return other if same else None


def all_between(rows: QuantileRows, b: Floats, zero: Vector, Z: Floats) -> bool:
    """Tell whether (2) has a solution with a_i between its bounds where r_i = 0.

    The one looked at is nearest to the middle of the bounds, in units of their width;
    Z has the rows with r_i = 0.
    """
    w = rows.w[zero]
    middle = w * (rows.t[zero] - 0.5)
    rest = corner_of(rows, b).c + Z.T @ middle
    WZ = Z * w[:, None]
    move = np.linalg.lstsq(WZ.T, -rest)[0]  # of a_i from the middle, in units of w_i
    off = np.abs(WZ.T @ move + rest).max()
    balanced = off <= 1e-10 * (np.abs(WZ).sum(axis=0).max() + np.abs(rest).max())
    return bool(balanced and w.all() and (np.abs(move) < 0.5 - INSIDE).all())


def certain(Z: Floats) -> bool:
    """Tell whether rows have full rank without a doubt."""
    if len(Z) < Z.shape[1]:
        return False
    sizes = np.linalg.svd(Z, compute_uv=False)
    return bool(sizes[-1] > CERTAIN * sizes[0])


def longest(rows: QuantileRows, b: Floats, d: Floats) -> float:
    """Return how far b may move along d until a residual changes sides."""
    r, move = rows.residuals(b), np.asarray(rows.Z @ d)
    size = float(np.abs(rows.y).max(initial=0.0)) or 1.0
    meets = ~rows.on_plane(b) & (move * r > 1e-12 * np.abs(r))
    return float((r[meets] / move[meets]).min(initial=size / np.abs(d).max()))
