"""BFGS, with the whole approximate inverse Hessian.

Also known as: Broyden-Fletcher-Goldfarb-Shanno, variable metric, quasi-Newton.

    d = -B f'(x),   x+ = x + t d,   t by the strong Wolfe conditions                 (1)
    B+ = (I - rho s y') B (I - rho y s') + rho s s',   rho = 1/(y's)                 (2)

with the step s = x+ - x and the change of gradient y.  B stays positive definite, as
(1) makes y's > 0, and fits the secant equation B+ y = s.  Before the first update B is
scaled to y's/y'y.  With exact steps on a quadratic in d variables BFGS takes the steps
of conjugate gradients and ends in d of them with B = H^-1; near a minimum it converges
superlinearly.  B has d^2 entries; L-BFGS keeps a few pairs (s, y) instead.

Course: S4-10. Reference: Nocedal and Wright (2006), 6.1.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from corollary.core.arrays import Floats
from corollary.solvers.problem import Problem
from corollary.solvers.solver import Iterate, Solver
from corollary.solvers.wolfe import Found, search

__all__ = ["BFGS"]

C2 = 0.9
EXACT = 1e-6


@dataclass(frozen=True)
class BFGS(Solver):
    """Steps (1) and (2).

    Parameters
    ----------
    exact : bool, default=False
        Whether the step is a minimum along d to six digits.

    Examples
    --------
    >>> from scipy.optimize import rosen, rosen_der
    >>> from corollary.solvers.minimize import minimize
    >>> from corollary.solvers.problem import Problem
    >>> valley = Problem(2, rosen, rosen_der)
    >>> minimize(valley, BFGS(), start=[-1.2, 1.0]).x.round(6).tolist()
    [1.0, 1.0]
    """

    exact: bool = False

    needs = ("gradient", "smooth", "no simple part")

    def steps(self, problem: Problem, x: Floats) -> Iterator[Iterate]:
        """Yield the iterates of (1)."""
        assert problem.gradient is not None
        g = problem.gradient(x)
        here = Found(0.0, x, float(problem.value(x)), g, 0.0)
        B: Floats = np.eye(len(x))
        fresh = True
        while True:
            yield Iterate(here.x, here.f, here.g)
            d: Floats = -B @ here.g  # (1)
            if not d @ here.g < 0:  # rounding spoilt B
                B, fresh = np.eye(len(x)), True
                d = -here.g
            size = float(np.abs(here.g).sum())
            first = min(1.0, 1 / size) if fresh and size > 0 else 1.0
            begin = Found(0.0, here.x, here.f, here.g, float(here.g @ d))
            found = search(problem, begin, d, first, EXACT if self.exact else C2)
            if found is None and not fresh:
                B, fresh = np.eye(len(x)), True
                continue
            if found is None:
                yield Iterate(here.x, here.f, here.g, stalled=True)
                return
            s, y = found.x - here.x, found.g - here.g
            B, fresh = updated(B, s, y, fresh), False
            here = found


def updated(B: Floats, s: Floats, y: Floats, fresh: bool) -> Floats:
    """Return (2); B itself where rounding leaves y's no sign."""
    ys = float(y @ s)
    if ys <= 1e-16 * np.sqrt(float(s @ s) * float(y @ y)):
        return B
    if fresh:
        B = B * (ys / float(y @ y))
    By = B @ y
    cross = np.outer(By, s)
    return B - (cross + cross.T) / ys + (1 + float(y @ By) / ys) * np.outer(s, s) / ys
