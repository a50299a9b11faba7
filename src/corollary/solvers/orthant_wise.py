"""Orthant-wise L-BFGS: quasi-Newton steps for a smooth function plus an l1 penalty.

Also known as: projected scaled subgradient, two-metric projection, a relative of
OWL-QN.

Minimise  F(x) = f(x) + sum_j l_j |x_j|,  l >= 0.  Of the subgradients of F at x the
least is

    v_j = g_j + l_j sign(x_j),   or  sign(g_j) (|g_j| - l_j)_+  where x_j = 0    (1)

Within one orthant F is smooth.  From x the search goes into the orthant

    o_j = sign(x_j),  or  -sign(v_j) where x_j = 0                               (2)

on the support A, where x_j is not 0 or not penalised, by a quasi-Newton step in A
alone, and elsewhere by a scaled subgradient, which cannot leave the orthant:

    d_A = -H_A v_A,   d_j = -gamma P_jj v_j  for j not in A                      (3)

H_A is the inverse Hessian that L-BFGS has from the parts of its pairs in A.  A trial
that leaves the orthant is put back on its border, where coefficients are exactly 0:

    x+_j = x_j + t d_j,  or 0 where its sign is not o_j and l_j > 0              (4)
    accepted where  F(x+) <= F(x) + c v'(x+ - x),   otherwise t is shortened     (5)

An evaluation is one pass over the data: `step` takes F and g at `trial` and says where
to look next.

Notation: x, g, trial as in `solvers/lbfgs.py`, whose record holds the search; there d
is (3) and f is F.
References: Andrew and Gao (2007); Schmidt (2010), 2.5.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from corollary.core.arrays import Floats
from corollary.core.records import changed
from corollary.objectives.penalties import least_subgradient
from corollary.solvers.lbfgs import (
    EPS,
    MOST_IDLE,
    MOST_TRIES,
    SUFFICIENT,
    LBFGSState,
    Precondition,
    shorter,
    two_loop,
    with_pair,
)
from corollary.solvers.solver import Evaluation, SteppingSolver

__all__ = ["OrthantWise", "least_subgradient", "step"]


def step(
    search: LBFGSState,
    f: float,
    g: Floats,
    l1: Floats,
    precondition: Precondition,
    noise: float,
) -> LBFGSState:
    """Take F and the gradient of its smooth part at the trial point.

    Parameters
    ----------
    search : LBFGSState
    f : float
        F at `search.trial`.
    g : array of shape (d,)
        The smooth part's gradient there.
    l1 : array of shape (d,)
    precondition : function
        Multiplies by a fixed approximation of the inverse Hessian.
    noise : float
        Relative rounding error of F.

    Returns
    -------
    LBFGSState
    """
    if search.g is None:
        return _onward(changed(search, f=f, g=g), l1, precondition)
    v = least_subgradient(search.x, search.g, l1)
    slope = float(v @ (search.trial - search.x))
    flatter = float(np.abs(least_subgradient(search.trial, g, l1)).max())
    flatter /= float(np.abs(v).max()) or 1.0
    same = abs(f - search.f) <= 1e4 * noise * abs(search.f) and flatter < 0.9
    if not (f <= search.f + SUFFICIENT * slope or same):  # (5)
        if search.tries >= MOST_TRIES:
            return changed(search, trial=search.x, stalled=True)
        t = shorter(search.t, search.f, slope / search.t, f)
        trial = _within(search.x, t * search.d, v, l1)
        return changed(search, t=t, trial=trial, tries=search.tries + 1)
    gained = search.f - f > noise * abs(f) or flatter < 0.9
    idle, pairs = 0 if gained else search.idle + 1, with_pair(search, g)
    accepted = changed(search, x=search.trial, f=f, g=g, pairs=pairs, idle=idle)
    if idle > MOST_IDLE:
        return changed(accepted, stalled=True)
    return _onward(accepted, l1, precondition)


def _onward(search: LBFGSState, l1: Floats, precondition: Precondition) -> LBFGSState:
    """Set out from x in the direction (3)."""
    v = least_subgradient(search.x, search.g, l1)
    A = ((search.x != 0) | (l1 == 0)).astype(np.float64)
    pairs = None
    if search.pairs is not None:
        pairs = search.pairs * A
        product = (pairs[0] * pairs[1]).sum(axis=1)
        lengths = np.sqrt((pairs**2).sum(axis=2))
        pairs = pairs[:, product > 1e-10 * lengths[0] * lengths[1]]

    def within(g: Floats) -> Floats:
        return precondition(g * A) * A

    d = -two_loop(v * A, pairs, within)
    outside = precondition(v * (1 - A)) * (1 - A)
    if not d @ v < 0:  # nothing to do in A, or rounding spoilt the pairs
        d = -within(v)
    d = d - np.where(outside * v > 0, outside, 0.0)
    trial = _within(search.x, d, v, l1)
    return changed(search, d=d, t=1.0, tries=0, trial=trial)


def _within(x: Floats, d: Floats, v: Floats, l1: Floats) -> Floats:
    """Return (4): x + d, put back where it leaves the orthant (2)."""
    orthant = np.where(x == 0, -np.sign(v), np.sign(x))
    fresh = x + d
    return np.where((l1 > 0) & (fresh * orthant <= 0), 0.0, fresh)


@dataclass(frozen=True)
class OrthantWise(SteppingSolver):
    """Orthant-wise L-BFGS.

    Examples
    --------
    >>> from corollary.objectives.losses import Squared
    >>> from corollary.objectives.penalties import Penalty
    >>> from corollary.solvers.minimize import minimize
    >>> from corollary.solvers.problem import linear_problem
    >>> lasso = linear_problem(np.eye(2), [4.0, 1.0], Squared(), Penalty(1.0, 1.0))
    >>> minimize(lasso, OrthantWise()).x.round(6).tolist()
    [2.0, 0.0]
    """

    needs = ("gradient", "smooth", "l1")
    state = LBFGSState

    def step(self, state: LBFGSState, at: Evaluation) -> LBFGSState:
        """Take F and g at the trial point."""
        return step(state, at.f, at.g, at.l1, lambda v: v / at.scale, EPS)
