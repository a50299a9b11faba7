"""One step of a search, whichever method it is by.

A search is a record that says where it wants f, its gradient and perhaps its Hessian
next (`trial`); a pass over the data answers, and the step goes on from there:

    state                  method                      asks for
    LBFGSState             L-BFGS; orthant-wise        F, g
                           L-BFGS where there is l1
    NewtonState            Newton                      f, g, H
    ProximalNewtonState    proximal Newton             F, g, H
    PiecewiseNewtonState   piecewise Newton            f, g, H, or slopes on a line

Notation: F = f + sum_j l1_j |x_j|; g and H belong to f, which is smooth.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from corollary.core.arrays import Floats, Vector
from corollary.solvers import (
    lbfgs,
    newton,
    orthant_wise,
    piecewise_newton,
    proximal_newton,
)

__all__ = ["step"]


def step(
    search: Any,
    f: float,
    g: Floats,
    H: Any = None,
    *,
    l1: Floats | None = None,
    free: Vector | None = None,
    precondition: lbfgs.Precondition | None = None,
    unit: Floats | None = None,
    noise: float = 1e-15,
) -> Any:
    """Take what was found at `search.trial`, and say where to look next.

    Parameters
    ----------
    search : LBFGSState, NewtonState, ProximalNewtonState or PiecewiseNewtonState
    f : float
        F at the trial point.
    g : array of shape (d,)
    H : array of shape (d, d), optional
    l1 : array of shape (d,), optional
        Weight of |x_j|; None for none.
    free : array of bool, of shape (d,), optional
        Entries without l1, which proximal Newton eliminates.
    precondition : function, optional
        Multiplies by an approximation of H^-1, for L-BFGS.
    unit : array of shape (d,), optional
        A length of each variable, for Newton.
    noise : float
        Relative rounding error of F.
    """
    if isinstance(search, lbfgs.LBFGSState):
        assert precondition is not None
        if l1 is not None:
            return orthant_wise.step(search, f, g, l1, precondition, noise)
        return lbfgs.step(search, f, g, precondition, noise)
    if isinstance(search, newton.NewtonState):
        return newton.step(search, f, g, H, unit)
    if isinstance(search, piecewise_newton.PiecewiseNewtonState):
        return piecewise_newton.step(search, f, g, H)
    weights = np.zeros(len(g)) if l1 is None else l1
    kept = np.zeros(len(g), dtype=bool) if free is None else free
    return proximal_newton.step(search, f, g, H, weights, kept, noise)
