"""What every solver of `minimize` is: a stream of iterates, and what it needs.

A `SteppingSolver` has the steps that the estimators take, one pass over their data
each: its state says where it wants f, f' and perhaps H next (`trial`), and a step takes
them.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np

from corollary.core.arrays import Floats
from corollary.core.checks import check_finite_values
from corollary.core.errors import DataError, ParameterError, sentence
from corollary.solvers.problem import Problem

__all__ = [
    "Evaluation",
    "Iterate",
    "Solver",
    "SteppingSolver",
    "check_needs",
    "checked_start",
    "require_step",
]


@dataclass(frozen=True)
class Iterate:
    """A point on the way; F and the gradient of f where the solver has them."""

    x: Floats
    objective: float | None = None
    gradient: Floats | None = None
    stalled: bool = False


class Solver(ABC):
    """A way to minimise a `Problem`."""

    @property
    @abstractmethod
    def needs(self) -> tuple[str, ...]:
        """What a problem must have, in the words of `NEEDS`."""

    @abstractmethod
    def steps(self, problem: Problem, x: Floats) -> Iterator[Iterate]:
        """Yield the start and then every iterate, without end."""


class Evaluation(NamedTuple):
    """What a step takes: F, the gradient and the Hessian of f at the trial point."""

    f: float
    g: Floats
    H: Any  # None where the solver asks for none
    l1: Floats  # (d,) weight of |x_j| in g, 0 for all where g = 0
    scale: float  # of the first gradient, at least 1


class SteppingSolver(Solver):
    """A solver by steps of a state that has `trial`, `x`, `f`, `g` and `stalled`."""

    state: ClassVar[Any]  # the class of its states
    second_order: ClassVar[bool] = False  # whether it asks for the Hessian

    @abstractmethod
    def step(self, state: Any, at: Evaluation) -> Any:
        """Return the next state, given what was found at `state.trial`."""

    def steps(self, problem: Problem, x: Floats) -> Iterator[Iterate]:
        """Yield every accepted point."""
        assert problem.gradient is not None
        l1 = np.zeros(len(x)) if problem.linear is None else problem.linear.l1
        state, seen, scale = self.state(trial=x, x=x), None, 0.0
        while True:
            with np.errstate(over="ignore", invalid="ignore"):
                f, g = problem.objective(state.trial), problem.gradient(state.trial)
                scale = scale or max(1.0, float(np.abs(g).sum()))
                H = None
                if self.second_order:
                    assert problem.hessian is not None
                    H = problem.hessian(state.trial)
                state = self.step(state, Evaluation(f, g, H, l1, scale))
            if state.x is not seen or state.stalled:
                seen = state.x
                yield Iterate(state.x, state.f, state.g, state.stalled)


#: What a solver may need: a test, the words, and what to do where it fails.
NEEDS: dict[str, tuple[Callable[[Problem], Any], str, str]] = {
    "gradient": (
        lambda p: p.gradient is not None,
        "a gradient",
        "Pass gradient= to Problem.",
    ),
    "smooth": (
        lambda p: not p.cornered,
        "a function without corners",
        "Use solver='sgd', or a smooth loss such as SquaredHinge or Huber.",
    ),
    "no simple part": (
        lambda p: p.prox is None,
        "a function without a part that has only a proximal map, such as l1",
        "Use 'gradient_descent', 'backtracking', 'accelerated', 'coordinate_descent', "
        "'orthant_wise', 'proximal_newton', 'sgd' or 'saga'.",
    ),
    "l1": (
        lambda p: p.prox is None or p.linear is not None,
        "a linear model whose penalty is l1 or l2, or no part with a proximal map",
        "Use linear_problem, or solver='accelerated'.",
    ),
    "Hessian": (
        lambda p: p.hessian is not None,
        "a Hessian",
        "Pass hessian= to Problem, or use solver='lbfgs'.",
    ),
    "Hessian product": (
        lambda p: p.hessian is not None or p.hessian_product is not None,
        "a Hessian or its products",
        "Pass hessian_product= to Problem, or use solver='lbfgs'.",
    ),
    "quadratic": (
        lambda p: p.quadratic,
        "a quadratic function",
        "Use 'nonlinear_cg' instead of conjugate gradients.",
    ),
    "Lipschitz constant": (
        lambda p: p.lipschitz is not None and np.isfinite(p.lipschitz),
        "the Lipschitz constant of the gradient",
        "Pass lipschitz= to Problem, a rate to the solver, or use 'backtracking'.",
    ),
    "finite sum": (
        lambda p: p.terms is not None,
        "a sum of terms",
        "Pass terms= to Problem, or use a solver that needs whole gradients only.",
    ),
    "smooth terms": (
        lambda p: p.terms is not None and np.isfinite(p.terms.lipschitz),
        "the Lipschitz constant of the terms' gradients",
        "Pass terms with lipschitz=, or a rate to the solver.",
    ),
    "columns": (
        lambda p: (
            (p.linear is None and p.prox is None)
            or (p.linear is not None and p.linear.loss.lipschitz < np.inf)
        ),
        "a linear model with a smooth loss, or a function without a proximal part",
        "Use linear_problem, or solver='accelerated'.",
    ),
}


def check_needs(solver: Solver, problem: Problem) -> None:
    """Refuse a solver that needs what a problem does not have."""
    for need in solver.needs:
        holds, words, remedy = NEEDS[need]
        if not holds(problem):
            came = f"{problem.name}, of which this is not known"
            raise ParameterError(sentence(solver, f"needs {words}", came, remedy))


def require_step(solver: Solver, name: str, value: float | None) -> None:
    """Check a step size that may be left open."""
    if value is not None and not 0 < value < np.inf:
        must = f"{name} must be a finite number > 0"
        raise ParameterError(sentence(solver, must, f"{value!r}"))


def checked_start(problem: Problem, start: Any) -> Floats:
    """Return where to begin, 0 by default."""
    x = np.zeros(problem.dimension) if start is None else np.array(start, float)
    if x.shape != (problem.dimension,):
        must = f"start must have {problem.dimension} entries"
        raise DataError(sentence("minimize", must, f"shape {x.shape}"))
    check_finite_values("minimize", x, "start")
    return x
