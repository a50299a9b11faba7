"""What linear support vector machines share: the choice of a search, and its report."""

from __future__ import annotations

from typing import Any

import numpy as np

from corollary.core.arrays import Floats
from corollary.core.report import Optimality, Report, StopReason, stored_gap
from corollary.engine import ArraySource, Chunk, Data, Statistics, SummationLearner
from corollary.engine.rows_learner import gather
from corollary.svm.crammer_singer import Contest, account
from corollary.svm.linear_problem import SupportProblem
from corollary.svm.linear_search import (
    LinearSearch,
    begin,
    dual_search,
    gap_of,
    stop,
    summed,
    update,
)

__all__ = ["LinearSupportMachine", "search_for", "weights_of"]

State = LinearSearch | Contest  # classes apart, or all at once

SMALL = 2e6  # numbers in X up to which a pass costs next to nothing
NARROW = 400  # features up to which the whole Hessian is summed in every pass


class LinearSupportMachine(SummationLearner):
    """A linear machine: subclasses state the problem and publish the weights."""

    takes_sparse = True

    def max_passes(self) -> int:
        """Bound the number of passes; the first looks at the start."""
        return 1 + int(self.max_iter)  # type: ignore[attr-defined]

    def statistics(self, chunk: Chunk, state: State) -> Statistics:
        """Sum what the search asks for."""
        return Statistics() if isinstance(state, Contest) else summed(chunk, state)

    def update(self, statistics: Any, state: State) -> State:
        """Take its step."""
        return state if isinstance(state, Contest) else update(statistics, state)

    def objective(self, statistics: Any, state: State) -> float:
        """Return P, the lowest so far."""
        if isinstance(state, Contest):
            return state.objective[-1]
        return sum(machine.P for machine in state.machines)

    def stop(self, state: State) -> StopReason | None:
        """Stop where every machine's gap is closed."""
        return state.stop if isinstance(state, Contest) else stop(state)

    def account(self, state: State, report: Report) -> None:
        """Report the gap and the search."""
        if isinstance(state, Contest):
            return account(state, report)
        machines, problem = state.machines, state.problem
        P = sum(machine.P for machine in machines)
        gap = stored_gap(sum(map(gap_of, machines)), P, problem.dtype)
        report.optimality = Optimality("duality gap", gap, gap / P if P > 0 else None)
        rounds, l1 = max(machine.rounds for machine in machines), problem.penalty.l1 > 0
        if rounds:
            report.facts |= {"solver": "descent on the dual", "n_rounds": rounds}
        elif state.full:
            kind = "proximal Newton" if l1 else "Newton"
            report.facts["solver"] = f"{kind} with the full Hessian"
        else:
            kind = "orthant-wise L-BFGS" if l1 else "L-BFGS"
            report.facts["solver"] = f"{kind} with the Hessian's diagonal"
        if l1:
            zeros = [np.count_nonzero(machine.x) for machine in machines]
            report.facts["n_nonzero"] = int(sum(zeros))


def search_for(
    learner: Any, data: Data, problem: SupportProblem, seed: int
) -> LinearSearch:
    """Choose the search: by the number of features, and by where the rows are."""
    d, source, tol = data.source.n_features, data.source, learner.tol
    narrow, in_memory = d <= NARROW, isinstance(source, ArraySource)
    dual = learner.dual
    if dual == "auto":
        dual = (in_memory and (source.n_rows or 0) <= d) or not problem.squared
    if dual and in_memory and not narrow and not problem.penalty.l1:
        return dual_search(problem, gather(data), tol, int(learner.max_iter), seed)
    starts = np.zeros((problem.machines, problem.width(d)))
    few = (source.n_rows or np.inf) * d <= SMALL
    exact = narrow and (problem.squared or few)
    return begin(problem, starts, tol, full=narrow, exact=exact)


def constant_of(learner: Any) -> float:
    """Return the constant feature B, 0 for no intercept."""
    return float(learner.intercept_scaling) if learner.fit_intercept else 0.0


def weights_of(state: LinearSearch) -> tuple[Floats, Floats, int]:
    """Return the weights of the features, the intercepts, and the rounds of descent."""
    split = [state.problem.split(machine.x) for machine in state.machines]
    dtype = state.problem.dtype
    W = np.array([w for w, _ in split]).astype(dtype)
    b = np.array([b for _, b in split]).astype(dtype)
    return W, b, max(machine.rounds for machine in state.machines)
