"""The common core of `Lasso` and `ElasticNet`, in summation form.

A fit goes one of two ways to the same answer:

    gram   one pass over any source for the moments of [X, y]; that is all it reads.
    rows   working sets on the rows themselves, which must be in memory: for columns so
           many that their Gram matrix would cost more than all else.

`solvers/coordinate_descent.py` has the mathematics of both.
"""

from __future__ import annotations

import warnings
from abc import abstractmethod
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
import scipy.sparse as sp

from corollary.core.arrays import Floats, Vector
from corollary.core.checks import check_memory
from corollary.core.errors import DataError, ParameterError, sentence
from corollary.core.parameters import array_like, boolean, one_of, real, seed, whole
from corollary.core.report import Optimality, Report, StopReason, stored_gap
from corollary.core.roles import Regressor
from corollary.core.vectors import numbers
from corollary.engine import (
    ArraySource,
    Chunk,
    Data,
    Fitted,
    Moments,
    Settled,
    Statistics,
)
from corollary.engine.contract import CheckingLearner
from corollary.engine.rows_learner import gather
from corollary.objectives.penalties import Penalty
from corollary.solvers.coordinate_descent import Point
from corollary.solvers.coordinate_descent import path as solved_path
from corollary.solvers.design import Design, Grams, Rows

__all__ = ["ElasticNetLearner", "account_for", "by_gram"]

FEW_COLUMNS = 200  # their Gram matrix costs nothing
SAME = 1e-4  # of the largest entry, that two Gram matrices may differ by
SOME_COLUMNS = 2000  # worth a Gram matrix if there are several times as many rows


@dataclass(frozen=True)
class Shrunk:
    """The state: the route, and one point of the path for each target."""

    route: str  # "gram" or "rows"
    d: int
    dtype: Any
    many: bool  # whether y came as a matrix
    before: Floats | None  # (m, d) coefficients to start from
    points: tuple[Point, ...] = ()
    intercept: Any = None  # (m,)


def by_gram(n: int, d: int) -> bool:
    """Say whether n rows in memory had better be summed up in a Gram matrix."""
    return d <= FEW_COLUMNS or (d <= SOME_COLUMNS and n >= 4 * d)


class ElasticNetLearner(CheckingLearner, Regressor):
    """Least squares with l1 and l2 penalties; subclasses say how alpha is shared."""

    takes_sparse = True
    any_layout = True
    shapes: ClassVar = {"coef_": "d|m d", "intercept_": "|m"}
    rules: ClassVar = {
        "alpha": real(0),
        "fit_intercept": boolean,
        "precompute": boolean | array_like,
        "copy_X": boolean,
        "max_iter": whole(1),
        "tol": real(0),
        "warm_start": boolean,
        "positive": boolean,
        "random_state": seed,
        "selection": one_of("cyclic", "random"),
    }
    alpha: float
    fit_intercept: bool
    precompute: Any
    max_iter: int
    tol: float
    warm_start: bool
    positive: bool

    @abstractmethod
    def _l1_ratio(self) -> float:
        """Return the share of alpha that penalises ||b||_1."""

    @property
    def sparse_coef_(self) -> Any:
        """Return `coef_` as a sparse matrix."""
        return sp.csr_matrix(self.coef_)

    # -- learning ------------------------------------------------------------------
    def start(self, data: Data, seed: int) -> Shrunk:
        """Choose the route by the shape of the data."""
        source, d = data.source, data.source.n_features
        rows_at_hand = isinstance(source, ArraySource) or data.few_rows <= d
        asked = self.precompute is not False
        gram = asked or not rows_at_hand or by_gram(source.n_rows or data.few_rows, d)
        if gram:
            remedy = "Use fewer columns, or give the rows as an array in memory."
            check_memory(self, 24.0 * d * d, f"the {d} x {d} Gram matrix", remedy)
        before = np.atleast_2d(self.coef_) if self._goes_on() else None
        if before is not None and before.shape[1] != d:
            before = None
        route = "gram" if gram else "rows"
        return Shrunk(route, d, source.dtype, source.many_targets, before)

    def _goes_on(self) -> bool:
        return self.warm_start and hasattr(self, "coef_")

    def statistics(self, chunk: Chunk, state: Shrunk) -> Statistics:
        """Sum the moments of [X, y], where the route needs them."""
        if state.route == "rows":
            return Statistics()  # the pass checks that the rows are finite
        return Moments.of(chunk.X, chunk.w, two_dimensional(chunk.y))

    def update(self, s: Any, state: Shrunk) -> Shrunk:
        """Descend on the Gram matrix; the rows route waits for `settle`."""
        if state.route == "rows":
            return state
        if not isinstance(self.precompute, bool | np.bool_):
            check_given(self, s, state.d)
        design = Grams([s], state.d, intercept=self.fit_intercept)
        return self._solved(design, state)

    def settle(self, data: Data, state: Shrunk) -> Settled:
        """Descend on the rows in memory."""
        if state.route == "gram":
            return Settled(state)
        rows = gather(data)
        Y = two_dimensional(rows.y).astype(np.float64)
        W = None if rows.w is None else np.repeat(rows.w[:, None], Y.shape[1], 1)
        design = Rows(rows.X, Y, W, intercept=self.fit_intercept)
        solved = self._solved(design, state)
        return Settled(solved, None, self.objective(None, solved))

    def publishable(self, state: Shrunk) -> bool:
        """Say whether a descent has ended."""
        return bool(state.points)

    def _solved(self, design: Design, state: Shrunk) -> Shrunk:
        penalty = Penalty(float(self.alpha), self._l1_ratio(), bool(self.positive))
        before = state.before
        if before is not None and len(before) != len(design.y2):
            before = None
        how: Any = {"tol": float(self.tol), "max_iter": int(self.max_iter)}
        points = tuple(next(solved_path(design, [penalty], start=before, **how)))
        intercept = design.intercepts(np.array([point.coef for point in points]))
        return replace(state, points=points, intercept=intercept)

    def objective(self, s: Any, state: Shrunk) -> float:
        """Return the objective, summed over the targets."""
        return sum((p.objective for p in state.points), 0.0)

    def sums_bytes(self, n_features: int) -> int:
        """Return the size of the moments."""
        return 8 * (n_features + 1) ** 2

    def account(self, state: Shrunk, report: Report) -> None:
        """Report the gap, the zeros, and how well the optimality conditions hold."""
        report.objective = report.objective[-1:]
        report.facts["route"] = state.route
        account_for(state.points, report, state.dtype)

    def publish(self, fitted: Fitted) -> None:
        """Set coefficients in the shape of y."""
        state: Shrunk = fitted.state
        coef = np.array([p.coef for p in state.points]).astype(state.dtype)
        intercept = state.intercept.astype(state.dtype)
        many = state.many and len(coef) > 1
        self.coef_ = coef if many else coef[0]
        self.intercept_ = intercept if state.many else intercept[0]
        if not self.fit_intercept:
            self.intercept_ = 0.0
        epochs, gaps = [p.epochs for p in state.points], [p.gap for p in state.points]
        self.n_iter_ = epochs if many else epochs[0]
        self.dual_gap_ = np.array(gaps) if many else gaps[0]

    # -- use -----------------------------------------------------------------------
    def predict(self, X: Any) -> Vector:
        """Return X b + b0."""
        X = self._query(X)
        return X @ self.coef_.T.astype(X.dtype) + np.asarray(self.intercept_, X.dtype)


def check_given(learner: ElasticNetLearner, s: Moments, d: int) -> None:
    """Refuse a Gram matrix of other rows; warn of one whose columns are not centred.

    Weights may be scaled in it.  It is a check alone: the sums are at hand anyway.
    """
    G = numbers(learner, learner.precompute, "precompute", ParameterError)
    S, mean = s.M2[:d, :d], s.mean[:d]
    raw = S + s.n * np.outer(mean, mean)
    if G.shape != (d, d) or not (proportional(G, S) or proportional(G, raw)):
        must = f"precompute must be the Gram matrix of X, of shape ({d}, {d})"
        came = f"another matrix, of shape {G.shape}"
        raise DataError(sentence(learner, must, came, "Use precompute=True."))
    if learner.fit_intercept and not proportional(G, S):
        text = "precompute is of columns that are not centred, as an intercept needs"
        text = f"{type(learner).__name__}: {text}; the Gram matrix is computed anew."
        warnings.warn(text, UserWarning, stacklevel=6)


def proportional(A: Floats, B: Floats) -> bool:
    """Tell whether two matrices are the same but for a factor and rounding."""
    a, b = np.abs(A).max(initial=0.0), np.abs(B).max(initial=0.0)
    if not a or not b:
        return bool(a == b)
    return bool(np.abs(A / a - B / b).max() <= SAME)


def two_dimensional(y: Any) -> Any:
    """Return targets as the columns of a matrix."""
    return y if y.ndim == 2 else y[:, None]


def account_for(points: tuple[Point, ...], report: Report, dtype: Any) -> None:
    """Report how far from optimal some solutions are, together."""
    value = sum(p.objective for p in points)
    gap = stored_gap(sum(p.gap for p in points), value, dtype)
    report.optimality = Optimality("duality gap", gap, gap / value if value else None)
    report.facts["n_nonzero"] = sum(int(np.count_nonzero(p.coef)) for p in points)
    report.facts["kkt_residual"] = max(p.kkt for p in points)
    report.facts["n_epochs"] = sum(p.epochs for p in points)
    stops = {p.stop for p in points}
    for stop in (StopReason.MAX_PASSES, StopReason.STALLED, StopReason.CONVERGED):
        if stop in stops:
            report.stop = stop
            break
