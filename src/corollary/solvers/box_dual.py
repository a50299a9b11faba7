"""The dual of every support vector machine, what is optimal, and how far from it.

    D(b) = 1/2 b'K b + q'b + sum_t eps_t |b_t|                                   (1)
    lo <= b <= hi,    sum_{t in group g} b_t  kept,      f = K b + q             (2)

`smo.py` minimises it and has the derivation; the equation numbers here are its own.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from scipy.linalg.lapack import dsycon, dsysv

from corollary import loops
from corollary.core.arrays import Floats, Vector

__all__ = [
    "Dual",
    "duality_gap",
    "exact_move",
    "filled",
    "gap_at",
    "kept_offsets",
    "offsets",
    "snapped",
]

ROUNDING = 64 * float(np.finfo(np.float64).eps)  # of a sum, over its terms
SNAP = 1e-13  # share of the largest variable by which rounding may miss a bound
NOISE = 1e-16  # of the sum f'b, below which a gap is rounding
LEAST = 1e-3  # share of the gap that a better offset might still take off
WORSE = 1.1  # times the least gap that the middle of the offsets may have


@dataclass(frozen=True)
class Dual:
    """Problem (1) but for K; all arrays (v,)."""

    q: Floats
    lo: Floats
    hi: Floats
    eps: Floats
    start: Floats
    group: Vector | None = None  # int8, 0 or 1

    @cached_property
    def bent(self) -> bool:
        """Whether |b| counts."""
        return bool(self.eps.any())

    @property
    def groups(self) -> int:
        """How many sums are kept."""
        return 1 if self.group is None else 2

    def members(self, g: int) -> Any:
        """Return what picks the variables of group g out of an array."""
        return slice(None) if self.group is None else np.flatnonzero(self.group == g)


def filled(price: Floats, total: float, order: Vector | None = None) -> Floats:
    """Return numbers in [0, price] that sum to a total: full ones first, in an order.

    A total that is a sum of prices but for rounding leaves no number in between.

    >>> filled(np.array([1.0, 2.0, 1.0]), 2.5)
    array([1. , 1.5, 0. ])
    """
    order = np.arange(len(price)) if order is None else order
    before = np.concatenate([[0.0], np.cumsum(price[order])[:-1]])
    start = np.empty(len(price))
    start[order] = np.clip(total - before, 0.0, price[order])
    near = ROUNDING * total
    start = np.where(start <= near, 0.0, start)
    return np.where(price - start <= near, price, start)


def slopes(b: Floats, f: Floats, dual: Dual) -> tuple[Floats, Floats]:
    """Return (3), inf and -inf where a variable cannot move."""
    if not dual.bent:
        return np.where(b < dual.hi, f, np.inf), np.where(b > dual.lo, f, -np.inf)
    up = np.where(b < dual.hi, f + np.where(b >= 0, dual.eps, -dual.eps), np.inf)
    low = np.where(b > dual.lo, f + np.where(b > 0, dual.eps, -dual.eps), -np.inf)
    return up, low


def snapped(b: Floats, dual: Dual) -> Floats:
    """Put variables that rounding left beside a bound, or beside 0, on it."""
    near = SNAP * float(np.abs(b).max(initial=0.0))
    b = np.where(np.abs(b) <= near, np.clip(0.0, dual.lo, dual.hi), b)
    b = np.where(b - dual.lo <= near, dual.lo, b)
    return np.where(dual.hi - b <= near, dual.hi, b)


def offsets(b: Floats, f: Floats, dual: Dual, g: int) -> tuple[float, float]:
    """Return the least and the largest offset that (4) allows.

    Where some variables are free both are the mean of their slopes.
    """
    of = dual.members(g)
    up, low = (side[of] for side in slopes(b, f, dual))
    free = up == low
    if free.any():
        mean = float(up[free].sum()) / int(free.sum())
        return mean, mean
    top, bottom = up.min(initial=np.inf), low.max(initial=-np.inf)
    if not np.isfinite(top) or not np.isfinite(bottom):
        end = bottom if np.isfinite(bottom) else top if np.isfinite(top) else 0.0
        return float(end), float(end)
    if bottom > top:  # by no more than tol
        bottom = top = (bottom + top) / 2
    return float(bottom), float(top)


def duality_gap(
    b: Floats, f: Floats, dual: Dual, rounding: float = 0.0
) -> tuple[float, Floats]:
    """Return (8), for every f within a rounding error, and the offsets."""
    parts = [least_gap(b, f, dual, g, rounding) for g in range(dual.groups)]
    return sum(gap for gap, _ in parts), np.array([rho for _, rho in parts])


def least_gap(
    b: Floats,
    f: Floats,
    dual: Dual,
    g: int,
    rounding: float,
    first: float | None = None,
) -> tuple[float, float]:
    """Return the least (8) of a group, and where; `first` is an offset to begin at."""
    of = dual.members(g)
    if not len(b[of]):
        return 0.0, 0.0
    f_g, b_g, eps = f[of], b[of], dual.eps[of]
    low, high = float((f_g - eps).min()), float((f_g + eps).max())
    guess = offsets(b, f, dual, g)[0] if first is None else first
    guess = min(max(guess, low), high)
    floor = NOISE * float(np.abs(f_g) @ np.abs(b_g))
    search: Any = loops.least_gap
    part = (f_g, b_g, dual.lo[of], dual.hi[of], eps)
    return search(*part, rounding, low, high, guess, LEAST, floor)


def gap_at(
    b: Floats, f: Floats, dual: Dual, rho: Floats, rounding: float = 0.0
) -> float:
    """Return (8) at given offsets, for every f within a rounding error.

    A sum of b that rounding took from the one that is kept adds what it may hide.
    """
    total, change = 0.0, b - dual.start
    for g, offset in enumerate(rho):
        total += group_gap(b, f, dual, g, float(offset), rounding)
        total += abs(float(offset) * float(change[dual.members(g)].sum()))
    return total


def group_gap(
    b: Floats, f: Floats, dual: Dual, g: int, rho: float, rounding: float
) -> float:
    """Return (8) of a group at a given offset."""
    of = dual.members(g)
    part = (f[of], b[of], dual.lo[of], dual.hi[of], dual.eps[of])
    search: Any = loops.least_gap
    return search(*part, rounding, rho, rho, rho, LEAST, 0.0)[0]


def kept_offsets(
    b: Floats, f: Floats, dual: Dual, rounding: float = 0.0
) -> tuple[float, Floats]:
    """Return (8) at the offsets to keep, and from where to where each may lie.

    Where a search ended early the middle of the offsets that (4) allows may be far from
    the best one, which is then taken instead.
    """
    ends, total, change = np.empty((dual.groups, 2)), 0.0, b - dual.start
    for g in range(dual.groups):
        ends[g] = low, high = offsets(b, f, dual, g)
        middle = (low + high) / 2
        gap = group_gap(b, f, dual, g, middle, rounding)
        least, best = least_gap(b, f, dual, g, rounding, low)
        if gap > WORSE * least:
            ends[g] = middle = best
            gap = group_gap(b, f, dual, g, best, rounding)
        total += gap + abs(middle * float(change[dual.members(g)].sum()))  # as `gap_at`
    return total, ends


def exact_move(b: Floats, f: Floats, dual: Dual, free: Vector, K: Floats) -> Any:
    """Return the step of the free variables that solves (7), None where a bound is met.

    K (m, m) is the kernel matrix of their rows.
    """
    group = np.zeros(len(free), int) if dual.group is None else dual.group[free]
    of = (group[:, None] == np.arange(dual.groups)).astype(np.float64)
    unit = float(np.abs(np.diagonal(K)).max()) or 1.0  # else 1 drowns in K
    slope = (f[free] + dual.eps[free] * np.sign(b[free])) / unit
    m, size = len(free), len(free) + dual.groups
    A, target = np.zeros((size, size)), np.zeros(size)
    A[:m, :m], A[:m, m:], A[m:, :m] = K / unit, -of, -of.T
    target[:m] = -slope
    step = shortest_solution(A, target)[:m]
    step -= of @ (of.T @ step / np.maximum(of.sum(axis=0), 1.0))  # sums are kept
    moved = b[free] + step
    bad = (moved <= dual.lo[free]) | (moved >= dual.hi[free])
    bad |= (dual.eps[free] > 0) & (moved * b[free] < 0)
    return None if bad.any() or not np.isfinite(moved).all() else step


def shortest_solution(A: Floats, target: Floats) -> Floats:
    """Solve A x = target, for the shortest x where there are many."""
    A = A.astype(np.float64, copy=False)
    factor, pivots, x, singular = dsysv(A, target[:, None])
    if not singular and np.isfinite(x).all():
        share, _ = dsycon(factor, pivots, np.linalg.norm(A, 1))  # 1 / condition
        if share >= np.finfo(np.float64).eps:
            return x[:, 0]
    return np.linalg.lstsq(A, target, rcond=1e-12)[0]
