"""Accelerated gradient descent.

Also known as: Nesterov's method, FISTA, fast gradient, optimal first-order method.

    y_k = x_k + (a_k - 1)/a_{k+1} (x_k - x_{k-1}),  a_{k+1} = (1 + sqrt(1 + 4 a_k^2))/2
                                                                                     (1)
    x_{k+1} = prox_{t g}(y_k - t f'(y_k)),   a_1 = 1                                 (2)

with t = 1/L, or by backtracking.  For a convex F

    F(x_k) - F* <= 2 L ||x_0 - x*||^2 / (k + 1)^2                                    (3)

which no method that sees gradients only can beat in its order.  F need not fall.  Where
it overshoots the memory is wiped out (a = 1), by the gradient scheme

    (y_k - x_{k+1})'(x_{k+1} - x_k) > 0                                              (4)

and the method then converges geometrically where F is strongly convex, at a rate of
about 1 - 1/sqrt(kappa), without knowing kappa.

Course: S1-54. References: Nesterov (1983); Beck and Teboulle (2009); O'Donoghue and
Candes (2015).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from corollary.core.arrays import Floats
from corollary.solvers.gradient_descent import backtrack
from corollary.solvers.problem import Problem
from corollary.solvers.solver import Iterate, Solver, require_step

__all__ = ["Accelerated"]


@dataclass(frozen=True)
class Accelerated(Solver):
    """Steps (1) and (2).

    Parameters
    ----------
    restart : bool, default=True
        Whether to wipe out the memory on (4).
    rate : float, optional
        t; 1/L by default, by backtracking where L is not known.

    Examples
    --------
    >>> import numpy as np
    >>> from corollary.solvers.minimize import minimize
    >>> from corollary.solvers.problem import quadratic_problem
    >>> bowl = quadratic_problem(np.diag([1.0, 100.0]), [1.0, 100.0])
    >>> minimize(bowl, Accelerated()).x.round(5).tolist()
    [1.0, 1.0]
    """

    restart: bool = True
    rate: float | None = None

    def __post_init__(self) -> None:
        require_step(self, "rate", self.rate)

    needs = ("gradient", "smooth")

    def steps(self, problem: Problem, x: Floats) -> Iterator[Iterate]:
        """Yield x_k of (2)."""
        assert problem.gradient is not None
        known = self.rate is not None or problem.lipschitz is not None
        t = self.rate or 1 / (problem.lipschitz or 1.0)
        y, a, stalled = x, 1.0, False
        while True:
            yield Iterate(x, stalled=stalled)
            r = problem.gradient(y)
            if known:
                fresh = problem.proximal(y - t * r, t)  # (2)
            else:
                f = float(problem.value(y))
                fresh, t, _, stalled = backtrack(problem, y, f, r, t)
            if self.restart and float((y - fresh) @ (fresh - x)) > 0:  # (4)
                a = 1.0
            following = (1 + np.sqrt(1 + 4 * a * a)) / 2
            y = fresh + (a - 1) / following * (fresh - x)  # (1)
            x, a = fresh, following
