"""The dual of every support vector machine, what is optimal, and how far from it.

    D(b) = 1/2 b'K b + q'b + sum_t eps_t |b_t|                                   (1)
    lo <= b <= hi,    sum_{t in group g} b_t  kept,      f = K b + q             (2)

`smo.py` minimises it and has the derivation; the equation numbers here are its own.
"""

from __future__ import annotations

from dataclasses import dataclass
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
    "free_variables",
    "gap_at",
    "kept_offsets",
    "offsets",
    "snapped",
    "violation",
]

ROUNDING = 64 * float(np.finfo(np.float64).eps)  # of a sum, over its terms
SNAP = 1e-13  # share of the largest variable by which rounding may miss a bound


Doubles = Any  # arrays of float64, as the loops take them


@dataclass(frozen=True)
class Dual:
    """Problem (1) but for K; all arrays (v,)."""

    q: Doubles
    lo: Doubles
    hi: Doubles
    eps: Doubles
    start: Doubles
    group: Vector | None = None  # int8, 0 or 1

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
    ordered = price if order is None else price[order]
    sums, near = np.cumsum(ordered), ROUNDING * total
    full = int(np.searchsorted(sums, total - near))
    start = ordered.copy()
    start[full:] = 0.0
    left = total - (sums[full - 1] if full else 0.0)
    if full < len(start) and left > near:
        start[full] = left if left < ordered[full] - near else ordered[full]
    if order is None:
        return start
    back = np.empty(len(price))
    back[order] = start
    return back


def snapped(b: Doubles, dual: Dual) -> Doubles:
    """Put variables that rounding left beside a bound, or beside 0, on it."""
    out = np.empty(len(b))
    loops.snapped(b, dual.lo, dual.hi, SNAP, out)
    return out


def violation(b: Doubles, f: Doubles, dual: Dual) -> float:
    """Return (4)."""
    return loops.violation(f, b, dual.lo, dual.hi, dual.eps, dual.group)


def offsets(b: Doubles, f: Doubles, dual: Dual, g: int) -> tuple[float, float]:
    """Return the least and the largest offset that (4) allows.

    Where some variables are free both are the mean of their slopes.
    """
    return loops.offsets(f, b, dual.lo, dual.hi, dual.eps, dual.group, g)


def duality_gap(b: Doubles, f: Doubles, dual: Dual, enough: float = 0.0) -> float:
    """Return (8) at the best offsets, or at any that make it little enough."""
    d = dual
    return loops.duality_gap(f, b, d.lo, d.hi, d.eps, d.group, d.groups, enough)


def gap_at(
    b: Doubles, f: Doubles, dual: Dual, rho: Doubles, rounding: float = 0.0
) -> float:
    """Return (8) at given offsets, for every f within a rounding error.

    A sum of b that rounding took from the one that is kept adds what it may hide.
    """
    box = (dual.lo, dual.hi, dual.eps, dual.group, dual.start)
    return loops.gap_at(f, b, *box, rounding, rho)


def kept_offsets(
    b: Doubles, f: Doubles, dual: Dual, rounding: float = 0.0
) -> tuple[float, Doubles]:
    """Return (8) at the offsets to keep, and from where to where each may lie.

    Where a search ended early the middle of the offsets that (4) allows may be far from
    the best one, which is then taken instead.
    """
    ends = np.empty((dual.groups, 2))
    box = (dual.lo, dual.hi, dual.eps, dual.group, dual.start)
    return loops.kept_offsets(f, b, *box, rounding, ends), ends


def free_variables(b: Doubles, dual: Dual) -> Vector:
    """Return the variables that are between their bounds, and not at the kink."""
    free = np.empty(len(b), dtype=np.int64)
    return free[: loops.free_variables(b, dual.lo, dual.hi, dual.eps, free)]


def exact_move(
    b: Doubles,
    f: Doubles,
    dual: Dual,
    free: Vector,
    K: Floats,
    slots: Vector,
    columns: Vector,
) -> Any:
    """Return the step of the free variables that solves (7), None where a bound is met.

    K holds the kernel rows of each of them at its slot, its row is a column of K.
    """
    d, size = dual, len(free) + dual.groups
    A, target = np.empty((size, size)), np.empty(size)
    box = (d.lo, d.hi, d.eps, d.group, d.groups)
    norm = loops.exact_system(K, slots, columns, f, b, *box, free, A, target)
    for g in range(len(free), size if d.groups > 1 else 0):
        if not A[g].any():  # a group without free variables asks nothing of the step
            A[g, g] = norm
    step = shortest_solution(A, target, norm)[: len(free)]
    return step if loops.exact_step(b, *box, free, step) else None


def shortest_solution(A: Floats, target: Floats, norm: float) -> Doubles:
    """Solve A x = target, A symmetric, for the shortest x where there are many.

    The norm is the largest sum of |A| in a column.
    """
    factor, pivots, x, singular = dsysv(A.T, target[:, None])
    if not singular and np.isfinite(x).all():
        share, _ = dsycon(factor, pivots, norm)  # 1 / condition
        if share >= np.finfo(np.float64).eps:
            return x[:, 0]
    return np.linalg.lstsq(A, target, rcond=1e-12)[0]
