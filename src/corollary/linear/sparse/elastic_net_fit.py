"""The fit of `Lasso` and `ElasticNet`, in summation form or on working sets.

`design_learner.py` has the two ways to the columns, `solvers/coordinate_descent.py` the
mathematics of both.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from corollary.core.parameters import array_like, boolean, one_of, real, seed, whole
from corollary.core.records import changed
from corollary.core.report import Optimality, Report, StopReason, stored_gap
from corollary.linear.sparse.design_learner import Shrunk
from corollary.objectives.penalties import Penalty
from corollary.solvers.coordinate_descent import Point
from corollary.solvers.coordinate_descent import path as solved_path
from corollary.solvers.design import Design

__all__ = ["RULES", "account_for", "publish_net", "report_net", "solved_net"]

RULES = {
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


def solved_net(learner: Any, design: Design, state: Shrunk, l1_ratio: float) -> Shrunk:
    """Descend for every target by itself."""
    penalty = Penalty(float(learner.alpha), l1_ratio, bool(learner.positive))
    before = state.before
    if before is not None and len(before) != len(design.y2):
        before = None
    how: Any = {"tol": float(learner.tol), "max_iter": int(learner.max_iter)}
    points = tuple(next(solved_path(design, [penalty], start=before, **how)))
    intercept = design.intercepts(np.array([point.coef for point in points]))
    return changed(state, points=points, intercept=intercept)


def report_net(state: Shrunk, report: Report) -> None:
    """Report the gap, the zeros, and how well the optimality conditions hold."""
    report.objective = report.objective[-1:]
    report.facts["route"] = state.route
    account_for(state.points, report, state.dtype)


def publish_net(learner: Any, state: Shrunk) -> None:
    """Set coefficients in the shape of y."""
    coef = np.array([p.coef for p in state.points]).astype(state.dtype)
    intercept = state.intercept.astype(state.dtype)
    many = state.many and len(coef) > 1
    learner.coef_ = coef if many else coef[0]
    learner.intercept_ = intercept if state.many else intercept[0]
    if not learner.fit_intercept:
        learner.intercept_ = 0.0
    epochs, gaps = [p.epochs for p in state.points], [p.gap for p in state.points]
    learner.n_iter_ = epochs if many else epochs[0]
    learner.dual_gap_ = np.array(gaps) if many else gaps[0]


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
