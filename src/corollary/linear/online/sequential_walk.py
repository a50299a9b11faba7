"""A machine's walk over the rows: the loop makes its epochs and judges them."""

from __future__ import annotations

import math
import sys
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from corollary import loops
from corollary.core.arrays import Floats, Matrix, Vector
from corollary.core.rows import rows_loop
from corollary.linear.online.sequential_fit import Epochs, Machine, Plan, numbers
from corollary.linear.online.visits import VisitedRows
from corollary.objectives.losses import Loss

__all__ = ["DIVERGED", "Walked", "heed", "limit", "rule_of", "walk"]

TINY_RATE = 1e-6
_, AT_REST, HAS_WAITED, DIVERGED = range(4)  # what the loop says of an epoch


class Walked(NamedTuple):
    """What the loop says of some epochs."""

    said: tuple[int, int, float]  # epochs made, verdict on the last, updates in all
    windows: Floats  # their costs
    moved: Vector | None  # rows of the visits that moved w


def walk(
    machine: Machine,
    plan: Plan,
    rows: VisitedRows,
    orders: Matrix,
    target: Vector,
    judge: tuple[Floats, Floats, Floats] | None = None,
    *,
    trace: bool = False,
) -> Walked:
    """Make an epoch in each of some orders with one machine; a judge may end them."""
    o, times = rows.visits
    monitor = rows.costs_of_windows(plan.window, len(orders))
    moved = np.empty(rows.n_visits, np.int64) if trace else None
    machine.clear("entries", "updates") if trace else machine.clear("entries")
    said = rows_loop(loops.sgd_epochs, loops.sgd_epochs_csr, rows.X)(
        np.ascontiguousarray(target, dtype=np.float64),
        orders,
        o,
        times,
        numbers(plan),
        machine.w,
        machine.slots,
        machine.q,
        machine.mean,
        machine.best,
        monitor,
        moved,
        *(judge or (None, None, None)),
    )
    costs = np.zeros(0) if monitor is None else monitor[: int(machine["entries"])]
    if moved is not None:
        moved = moved[: int(machine["updates"])]
    return Walked(said, costs, moved)


def rule_of(learner: Any, state: Epochs, j: int) -> Floats:
    """Return what the loop judges an epoch of a machine by."""
    tol = -math.inf if learner.tol is None else learner.tol
    return np.array([state.limits[j], tol, learner.n_iter_no_change], dtype=np.float64)


def heed(learner: Any, machine: Machine, verdict: int, memory: Floats) -> None:
    """Keep what the judge remembers; let a machine rest, or lower an adaptive rate."""
    machine.lowest, machine.waited = float(memory[0]), int(memory[1])
    if verdict == AT_REST:
        machine.done = True  # no later epoch can change anything
    elif verdict == HAS_WAITED:
        adaptive = learner.learning_rate == "adaptive"
        machine.done = not adaptive or machine.eta0 <= TINY_RATE
        machine.eta0, machine.waited = machine.eta0 / 5, 0


def limit(loss: Loss, target: Vector) -> float:
    """Return the cost beyond which steps grow for ever: far above that of f = 0.

    Losses whose slope is bounded cannot run away.
    """
    if is_bounded(loss):
        return sys.float_info.max
    costs = loss.value(target, np.zeros_like(target))
    return 1e6 * (1 + float(costs.sum()) / len(costs))


@lru_cache(maxsize=256)
def is_bounded(loss: Loss) -> bool:
    """Tell whether the slope of a loss is bounded."""
    far = np.array([-1e3, 1e3])
    return bool(np.abs(loss.slope(far)).max() < 100)
