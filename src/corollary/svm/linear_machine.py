"""What linear machines share: the choice of a search, the account, the weights."""

from __future__ import annotations

from functools import partial
from typing import Any, Self

import numpy as np
import scipy.sparse as sp
from sklearn.utils.validation import check_is_fitted

from corollary.core.arrays import Floats
from corollary.core.report import Optimality, Report, StopReason, stored_gap
from corollary.core.rows import dense
from corollary.engine import ArraySource, Chunk, Data, SummationLearner
from corollary.engine.rows_learner import gather
from corollary.svm.linear_problem import LinearProblem, LinearSums
from corollary.svm.linear_search import LinearSearch, begin, dual_search

__all__ = ["LinearSupportMachine"]

SMALL = 2e6  # numbers in X up to which a pass costs next to nothing
NARROW = 400  # features up to which the whole Hessian is summed in every pass


class LinearSupportMachine(SummationLearner):
    """A linear machine: subclasses state the problem and publish the weights."""

    tol: float
    max_iter: int
    dual: Any
    fit_intercept: bool
    intercept_scaling: float
    coef_: Any
    intercept_: Any
    takes_sparse = True

    def max_passes(self) -> int:
        """Bound the number of passes; the first looks at the start."""
        return 1 + int(self.max_iter)

    def _constant(self) -> float:
        """Return B."""
        return float(self.intercept_scaling) if self.fit_intercept else 0.0

    # -- the search ------------------------------------------------------------------
    def _begin(self, data: Data, problem: LinearProblem, seed: int) -> LinearSearch:
        """Choose the search: by the number of features, and by where the rows are."""
        d = data.source.n_features
        narrow = d <= NARROW
        in_memory = isinstance(data.source, ArraySource)
        few_rows = in_memory and (data.source.n_rows or 0) <= d
        dual = few_rows or not problem.squared if self.dual == "auto" else self.dual
        if dual and in_memory and not narrow and not problem.l1:
            rows = gather(data)
            return dual_search(problem, rows, self.tol, int(self.max_iter), seed)
        starts = np.zeros((problem.machines, problem.width(d)))
        few = (data.source.n_rows or np.inf) * d <= SMALL
        exact = narrow and (problem.squared or few)
        return begin(problem, starts, self.tol, full=narrow, exact=exact)

    def statistics(self, chunk: Chunk, state: LinearSearch) -> LinearSums:
        """Sum what the search asks for."""
        return state.statistics(chunk)

    def update(self, statistics: LinearSums, state: LinearSearch) -> LinearSearch:
        """Take its step."""
        return state.update(statistics)

    def objective(self, statistics: Any, state: LinearSearch) -> float:
        """Return P, the lowest so far."""
        return state.objective

    def stop(self, state: LinearSearch) -> StopReason | None:
        """Stop where every machine's gap is closed."""
        return state.stop

    def account(self, state: LinearSearch, report: Report) -> None:
        """Tell the gap and the search."""
        P = state.objective
        gap = sum(machine.gap for machine in state.machines)
        gap = stored_gap(gap, P, state.problem.dtype)
        report.optimality = Optimality("duality gap", gap, gap / P if P > 0 else None)
        rounds = max(machine.rounds for machine in state.machines)
        if rounds:
            report.facts["solver"] = f"descent on the dual, {rounds} rounds"
        elif state.full:
            kind = "proximal Newton" if state.problem.l1 else "Newton"
            report.facts["solver"] = f"{kind} with the full Hessian"
        else:
            kind = "orthant-wise L-BFGS" if state.problem.l1 else "L-BFGS"
            report.facts["solver"] = f"{kind} with the Hessian's diagonal"
        if state.problem.l1:
            zeros = [np.count_nonzero(machine.x) for machine in state.machines]
            report.facts["nonzeros"] = int(sum(zeros))

    def _weights(self, state: LinearSearch) -> tuple[Floats, Floats, int]:
        """Return the weights of the features, the intercepts, and the steps taken."""
        split = [state.problem.split(machine.x) for machine in state.machines]
        dtype = state.problem.dtype
        W = np.array([w for w, _ in split]).astype(dtype)
        b = np.array([b for _, b in split]).astype(dtype)
        return W, b, max(machine.rounds for machine in state.machines)

    # -- use -------------------------------------------------------------------------
    def _scores(self, X: Any) -> Floats:
        """Return W x + b."""
        X = self._query(X)  # type: ignore[attr-defined]
        W = self.coef_.astype(X.dtype)
        Z = dense(X @ (W.T if W.ndim == 2 else W))
        return Z + self.intercept_.astype(X.dtype)

    def sparsify(self) -> Self:
        """Keep only the nonzeros of `coef_`, as a sparse matrix."""
        check_is_fitted(self)
        self.coef_ = sp.csr_matrix(self.coef_)
        return self

    def densify(self) -> Self:
        """Make `coef_` an array again."""
        check_is_fitted(self)
        self.coef_ = dense(self.coef_)
        return self


def count_labels(chunk: Chunk, K: int) -> Any:
    """Weigh each class in a chunk."""
    return np.bincount(chunk.y, chunk.w, minlength=K).astype(np.float64)


def label_totals(data: Data, K: int) -> Floats:
    """Weigh each class."""
    return data.reduce(partial(count_labels, K=K))
