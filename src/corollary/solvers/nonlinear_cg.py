"""Nonlinear conjugate gradients.

Also known as: Polak-Ribiere, PR+, Fletcher-Reeves.

    d+ = -r+ + beta d,   beta = max(0, r+'(r+ - r) / r'r),   r = f'(x)               (1)
    x+ = x + t d,        t by strong Wolfe conditions with a small c2                (2)

On a quadratic with exact steps it is the method of conjugate gradients: at most d
steps.  beta = 0 restarts along the gradient, by itself where progress is poor, and
whenever d does not descend.  Memory: a few vectors.

Course: S4-10. Reference: Nocedal and Wright (2006), 5.2.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from corollary.core.arrays import Floats
from corollary.solvers.problem import Problem
from corollary.solvers.solver import Iterate, Solver
from corollary.solvers.wolfe import Found, search

__all__ = ["NonlinearCG"]

C2 = 0.1


@dataclass(frozen=True)
class NonlinearCG(Solver):
    """Steps (1) and (2).

    Examples
    --------
    >>> from scipy.optimize import rosen, rosen_der
    >>> from corollary.solvers.minimize import minimize
    >>> from corollary.solvers.problem import Problem
    >>> valley = Problem(2, rosen, rosen_der)
    >>> minimize(valley, NonlinearCG(), start=[-1.2, 1.0]).x.round(4).tolist()
    [1.0, 1.0]
    """

    needs = ("gradient", "smooth", "no simple part")

    def steps(self, problem: Problem, x: Floats) -> Iterator[Iterate]:
        """Yield the iterates of (2)."""
        assert problem.gradient is not None
        r = problem.gradient(x)
        here, d = Found(0.0, x, float(problem.value(x)), r, 0.0), -r
        t = 1 / max(float(np.abs(r).sum()), 1e-300)
        while True:
            yield Iterate(here.x, here.f, here.g)
            slope = float(here.g @ d)
            if not slope < 0:
                d, slope = -here.g, -float(here.g @ here.g)
            begin = Found(0.0, here.x, here.f, here.g, slope)
            found = search(problem, begin, d, t, C2)
            if found is None and (d != -here.g).any():
                d = -here.g
                continue
            if found is None:
                yield Iterate(here.x, here.f, here.g, stalled=True)
                return
            old = float(here.g @ here.g)
            beta = max(0.0, float(found.g @ (found.g - here.g)) / old)  # (1)
            fresh = -found.g + beta * d
            next_slope = float(found.g @ fresh)
            t = found.t * min(slope / next_slope, 10.0) if next_slope < 0 else found.t
            here, d = found, fresh
