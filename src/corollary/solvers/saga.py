"""SAGA: stochastic steps without the noise.

Also known as: variance-reduced stochastic gradient, incremental gradient with memory.

f = 1/n sum_i f_i + h.  The last gradient a_i of each term is remembered, and their mean
a; a step draws one term and moves against an unbiased estimate of f' whose variance
vanishes as x converges:

    r = f_i'(x) - a_i + a + h'(x)                                                    (1)
    x+ = prox_{t g}(x - t r),   then  a_i <- f_i'(x),  a <- a + change / n           (2)

With t = 1/(3 L), L the largest Lipschitz constant of a term, it converges at a fixed
step: geometrically by 1 - min(1/(4 n), mu/(3 L)) a step where F is strongly convex, and
like 1/k otherwise.  Of a linear model only the slope of each term is kept.

Course: S1-54. Reference: Defazio, Bach and Lacoste-Julien (2014).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from corollary.core.arrays import Floats
from corollary.core.randomness import generator
from corollary.solvers.problem import Problem
from corollary.solvers.solver import Iterate, Solver, require_step

__all__ = ["Saga"]


@dataclass(frozen=True)
class Saga(Solver):
    """Steps (1) and (2), n of them an iteration.

    Parameters
    ----------
    rate : float, optional
        t, 1/(3 L) by default.
    seed : int, default=0
        Of the draws.

    Examples
    --------
    >>> import numpy as np
    >>> from corollary.objectives.losses import Squared
    >>> from corollary.solvers.minimize import minimize
    >>> from corollary.solvers.problem import linear_problem
    >>> X = np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]])
    >>> line = linear_problem(X, [1.0, 2.0, 4.0], Squared())
    >>> minimize(line, Saga(), tol=1e-9).x.round(6).tolist()
    [1.333333, 2.333333]
    """

    rate: float | None = None
    seed: int = 0

    def __post_init__(self) -> None:
        require_step(self, "rate", self.rate)

    @property
    def needs(self) -> tuple[str, ...]:
        """Name what a problem must have."""
        rate = () if self.rate is not None else ("smooth terms",)
        return ("gradient", "finite sum", "smooth", *rate)

    def steps(self, problem: Problem, x: Floats) -> Iterator[Iterate]:
        """Yield x after each n steps."""
        terms = problem.terms
        assert terms is not None
        t, n = self.rate or 1 / (3 * max(terms.lipschitz, 1e-300)), terms.n
        everyone = np.arange(n)
        kept = np.array(terms.parts(x, everyone), dtype=float)
        mean = terms.total(kept, everyone) / n
        epoch = 0
        yield Iterate(x)
        while True:
            for i in generator(self.seed, epoch).integers(n, size=n):
                row = np.array([i])
                fresh = terms.parts(x, row)
                change = terms.total(fresh - kept[row], row)
                r = change + mean + terms.common(x)  # (1)
                x = problem.proximal(x - t * r, t)
                kept[row] = fresh
                mean = mean + change / n  # (2)
            epoch += 1
            mean = terms.total(kept, everyone) / n  # rounding does not add up
            yield Iterate(x)
