"""The search for the minimum of a linear problem, one pass over the data a step.

    lbfgs            L-BFGS, preconditioned by the blocks of the Hessian that belong to
                     one output, P_k = (H_kk + l2 I*)^-1, or by their diagonal where
                     there are many columns; orthant-wise steps with an l1 penalty
    newton           Newton's method with the full Hessian
    proximal_newton  coordinate descent on the full Hessian's quadratic model plus l1

L-BFGS starts from the curvature at the constant model, which needs only the covariance
of x.  It is summed anew, in the same pass as the gradient, whenever so many passes have
not sufficed (`patience`), and near the end where it is wanted (`near`).  That makes the
search indifferent to the scale of the features and to correlations among them.

Notation: F, g, H, theta as in `objectives/problem.py`.
References: Bohning (1992); Nocedal and Wright (2006).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from corollary.core.arrays import Floats
from corollary.core.records import changed
from corollary.engine import Chunk
from corollary.objectives.chunk_losses import Sums
from corollary.objectives.problem import LinearProblem
from corollary.solvers import lbfgs, newton, proximal_newton
from corollary.solvers.steps import step

__all__ = ["Descent", "advance", "begin", "statistics"]

BEGIN: dict[str, Any] = {
    "lbfgs": lbfgs.begin,
    "newton": newton.begin,
    "proximal_newton": proximal_newton.begin,
}


@dataclass(frozen=True)
class Descent:
    """The state: the problem, where the solver stands, what the next pass sums."""

    problem: LinearProblem
    search: Any  # a state of `solvers/steps.py`
    curvature: str | None  # that the next pass sums
    P: Any = None  # inverse of the blocks: (m, p, p), or (m, p) where diagonal
    patience: int = 0  # passes before the blocks are summed anew
    near: float = -1.0  # a Newton decrement below which they are, too; < 0 for none
    age: int = 0  # passes since P was taken
    decrement: float = np.inf  # g'P g / 2, where it is asked for
    H: Any = None  # the blocks' sums where the search stands, if they are known
    pearson: float = 0.0
    start: Any = None
    first: Any = None  # the gradient at the start


def begin(
    problem: LinearProblem,
    theta: Floats,
    method: str,
    H: Floats | None = None,
    *,
    patience: int = 0,
    near: float = -1.0,
) -> Descent:
    """Start at a point, given the blocks of the Hessian at the constant model."""
    search = BEGIN[method](theta)
    if method != "lbfgs" or H is None:
        return Descent(problem, search, "full", start=theta)
    P = problem.inverse(H)
    state = Descent(problem, search, None, P, patience, near, start=theta)
    return changed(state, curvature=_blocks(state) if patience < 0 else None)


def _blocks(state: Descent) -> str:
    return "blocks" if state.P.ndim == 3 else "diagonal"


def statistics(chunk: Chunk, state: Descent) -> Sums:
    """Sum over the chunk's rows what the next step needs."""
    return state.problem.sums(chunk, state.search.trial, state.curvature)


def advance(s: Sums, state: Descent) -> Descent:
    """Add the penalty and take the step."""
    problem, search = state.problem, state.search
    f, g = problem.smooth(s, search.trial)
    first = g if search.g is None else state.first
    f += problem.absolute(search.trial)
    l1 = problem.l1 if problem.penalty.l1 else None
    if state.P is None:
        H, free = problem.hessian(s.H), problem.unpenalized
        if isinstance(search, newton.NewtonState):
            H = problem.regular(H)
        how: Any = {"unit": problem.unit, "noise": problem.noise}
        after = step(search, f, g, H, l1=l1, free=free, **how)
        return changed(state, search=after, first=first)
    P, age = state.P, state.age + 1
    if s.H is not None and np.isfinite(f):
        P, age = problem.inverse(s.H / problem.n), 1

    def precondition(v: Floats) -> Floats:
        return problem.precondition(P, v)

    after = step(search, f, g, l1=l1, precondition=precondition, noise=problem.noise)
    if after.x is not search.trial or after.stalled:
        return changed(state, search=after, age=state.age + 1, first=first)
    decrement = 0.5 * float(g @ precondition(g)) if state.near >= 0 else np.inf
    wanted = age > state.patience or decrement <= state.near
    return changed(
        state,
        search=after,
        curvature=_blocks(state) if wanted else None,
        P=P,
        age=age,
        decrement=decrement,
        H=s.H,
        pearson=s.pearson,
        first=first,
    )
