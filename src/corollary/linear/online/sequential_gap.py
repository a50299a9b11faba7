"""How far a linear model that was learned row by row is from the best one.

A stochastic fit sees its cost fall, not how far it has to go.  One pass over the rows
after the last epoch gives the objective

    J(w, b) = 1/n sum_i o_i L(y_i, w'x_i + b) + R(w)                                 (1)

at the weights that are kept, and a bound on it from below (`objectives/duality.py`):
their distance is at least J - min J.  n counts visits, so whole weights are
repetitions.  Of several machines the one that is farthest speaks.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from corollary.core.arrays import Floats
from corollary.core.records import changed
from corollary.core.report import Optimality, Report
from corollary.engine import Data, Settled
from corollary.linear.online.sequential import Epochs, LinearSequentialLearner
from corollary.linear.online.visits import VisitedRows
from corollary.objectives.duality import DualityGap, DualSums, dual_sums, gap_of_sums
from corollary.objectives.losses import Loss
from corollary.objectives.penalties import Penalty

__all__ = ["report_gap", "with_gap"]

BLOCK = 8192  # rows at a time


def with_gap(
    learner: LinearSequentialLearner,
    data: Data,
    state: Epochs,
    found: list[tuple[Floats, float]],
) -> Settled:
    """Add the gap to the state, where rows can be met again and theory has one."""
    loss, penalty = learner._loss(), learner._penalty()
    finite = all(np.isfinite(w).all() and math.isfinite(b) for w, b in found)
    if data.once or not loss.convex or penalty.strength == 0 or not finite:
        return Settled(state)
    dtype = state.dtype
    stored = [(w.astype(dtype), float(dtype.type(b))) for w, b in found]
    worst = max(
        gaps(learner, data, state, stored, loss, penalty), key=lambda gap: gap.gap
    )
    return Settled(changed(state, gap=worst))


def report_gap(gap: DualityGap, report: Report) -> None:
    """Report the gap and the objective that it belongs to."""
    relative = gap.gap / gap.primal if gap.primal > 0 else 0.0
    report.optimality = Optimality("duality gap", gap.gap, relative)
    report.facts["objective"] = gap.primal


def gaps(
    learner: LinearSequentialLearner,
    data: Data,
    state: Epochs,
    found: list[tuple[Floats, float]],
    loss: Loss,
    penalty: Penalty,
) -> list[DualityGap]:
    """Return the gap of each machine by one pass over the rows."""
    sums: list[DualSums | None] = [None] * len(found)
    visits = 0.0
    for rows, _ in learner.passed(data, state):
        visits += rows.n_visits
        for first in range(0, len(rows.which), BLOCK):
            part = rows.which[first : first + BLOCK]
            for j, (w, b) in enumerate(found):
                more = block_sums(learner, loss, state, j, rows, part, w, b)
                before = sums[j]
                sums[j] = more if before is None else before + more
    intercept = bool(state.plans[0].intercept)
    return [
        gap_of_sums(s, w, penalty, visits, intercept=intercept)
        for s, (w, _) in zip(sums, found, strict=True)
        if s is not None
    ]


def block_sums(
    learner: LinearSequentialLearner,
    loss: Loss,
    state: Epochs,
    j: int,
    rows: VisitedRows,
    part: Any,
    w: Floats,
    b: float,
) -> DualSums:
    """Return what some rows contribute to the gap of machine j."""
    X, y = rows.X[part], learner._target(rows.y[part], j)
    f = np.asarray(X @ w.astype(np.float64), dtype=np.float64) + b
    o = np.ones(len(part)) if rows.weight is None else rows.weight[part]
    plan = state.plans[j]
    if (plan.positive, plan.negative) != (1, 1):
        o = o * np.where(y > 0, plan.positive, plan.negative)
    return dual_sums(loss, X, y, f, o)
