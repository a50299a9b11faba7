"""Gradient descent: fixed, backtracking and exact steps.

Also known as: steepest descent, Cauchy's method, proximal gradient, ISTA, forward-
backward splitting, batch gradient descent, exact line search.

    x+ = prox_{t g}(x - t f'(x)),   x+ = x - t f'(x) where g = 0                     (1)

    fixed         t = 1/L or a rate of the user's; converges for t < 2/L, and F falls
                  at every step for t <= 1/L
    backtracking  the largest t of a falling ladder with
                  f(x+) <= f(x) + f'(x)'(x+ - x) + ||x+ - x||^2 / (2 t)              (2)
                  or, where rounding hides the change of f, with
                  (f'(x+) - f'(x))'(x+ - x) <= ||x+ - x||^2 / t                      (3)
    exact         the t that makes f(x - t r) least, r = f'(x) (`exact_search.py`);
                  t = r'r / r'H r where f is quadratic                               (4)

For a convex F, F(x_k) - F* <= L ||x_0 - x*||^2 / (2 k) with t = 1/L.  With eigenvalues
of H in [mu, L], kappa = L/mu, a quadratic under (4) obeys

    F(x+) - F* <= ((kappa - 1)/(kappa + 1))^2 (F(x) - F*)                            (5)

and successive directions are orthogonal: descent in a narrow valley zigzags.

Notation: f, g as in `problem.py`; L = lipschitz.
Course: S2-28, S1-54. References: Nocedal and Wright (2006), 3.3; Beck and Teboulle
(2009).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from corollary.core.arrays import Floats
from corollary.core.errors import ParameterError, sentence
from corollary.solvers.exact_search import exact_step
from corollary.solvers.problem import Problem
from corollary.solvers.solver import Iterate, Solver, require_step

__all__ = ["GradientDescent", "backtrack"]

EPS = np.finfo(np.float64).eps
MOST_HALVINGS = 100


@dataclass(frozen=True)
class GradientDescent(Solver):
    """Steps (1).

    Parameters
    ----------
    step : {'fixed', 'backtracking', 'exact'}
    rate : float, optional
        t of 'fixed', 1/L by default; where 'backtracking' begins, 1 by default.

    Examples
    --------
    >>> from corollary.solvers.minimize import minimize
    >>> from corollary.solvers.problem import quadratic_problem
    >>> bowl = quadratic_problem([[1.0, 0.0], [0.0, 9.0]], [0.0, 0.0])
    >>> found = minimize(bowl, GradientDescent("exact"), start=[9, 1], tol=0,
    ...                  max_iter=3)
    >>> found.trace.round(5).tolist()  # falls by (8/10)^2, as slow as (5) allows
    [45.0, 28.8, 18.432, 11.79648]
    """

    step: str = "fixed"
    rate: float | None = None

    def __post_init__(self) -> None:
        if self.step not in ("fixed", "backtracking", "exact"):
            must = "step must be 'fixed', 'backtracking' or 'exact'"
            raise ParameterError(sentence(self, must, repr(self.step)))
        require_step(self, "rate", self.rate)

    @property
    def needs(self) -> tuple[str, ...]:
        """Name what a problem must have."""
        if self.step == "exact":
            return "gradient", "smooth", "no simple part"
        known = self.step == "backtracking" or self.rate is not None
        return ("gradient", "smooth", *(() if known else ("Lipschitz constant",)))

    def steps(self, problem: Problem, x: Floats) -> Iterator[Iterate]:
        """Yield the iterates of (1)."""
        assert problem.gradient is not None
        t = self.rate or (1.0 if self.step != "fixed" else 1 / (problem.lipschitz or 1))
        f, stalled = None, False
        while True:
            r = problem.gradient(x)
            if self.step == "backtracking":
                f = float(problem.value(x)) if f is None else f
                yield Iterate(x, None, r, stalled)
                x, t, f, stalled = backtrack(problem, x, f, r, t)
                t *= 2
                continue
            yield Iterate(x, None, r)
            if self.step == "exact":
                t = best_step(problem, x, r, t)  # (4)
                if t == 0:
                    yield Iterate(x, None, r, stalled=True)
                    t = 1.0
            x = problem.proximal(x - t * r, t)  # (1)


def best_step(problem: Problem, x: Floats, r: Floats, first: float) -> float:
    """Return the t of (4), by its formula or by a search along the line."""
    products = problem.hessian is not None or problem.hessian_product is not None
    if problem.quadratic and products:
        bend = float(r @ problem.product(x, r))
        return float(r @ r) / bend if bend > 0 else 0.0
    gradient = problem.gradient
    assert gradient is not None
    return exact_step(
        lambda t: float(problem.value(x - t * r)),
        lambda t: -float(gradient(x - t * r) @ r),
        first,
    )


def backtrack(
    problem: Problem, x: Floats, f: float, r: Floats, t: float
) -> tuple[Floats, float, float, bool]:
    """Return x+, t, f(x+) for the first t, t/2, t/4, ... with (2), and if none was."""
    for _ in range(MOST_HALVINGS):
        trial = problem.proximal(x - t * r, t)
        with np.errstate(over="ignore", invalid="ignore"):
            value = float(problem.value(trial))
            if _enough(problem, trial, trial - x, value - f, r, t, EPS * abs(f)):
                return trial, t, value, False
        t /= 2
    return x, t, f, True


def _enough(
    problem: Problem,
    trial: Floats,
    move: Floats,
    change: float,
    r: Floats,
    t: float,
    rounding: float,
) -> bool:
    """Test (2), or (3) where rounding hides the change of f."""
    allowed = float(move @ move) / (2 * t)
    if allowed > 1e4 * rounding:
        return change - float(r @ move) <= allowed
    assert problem.gradient is not None
    return float((problem.gradient(trial) - r) @ move) <= 2 * allowed  # (3)
