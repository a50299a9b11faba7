"""The state of a sequential fit: plans, machines, and what the epochs have shown.

`sequential.py` makes the epochs, each on a copy, so that Ctrl-C forgets half an epoch.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from corollary.core.arrays import Floats, Vector
from corollary.core.records import stored
from corollary.core.report import StopReason
from corollary.linear.online.visits import VisitedRows
from corollary.objectives.duality import DualityGap

__all__ = ["SLOT", "SLOTS", "Epochs", "Machine", "Plan", "numbers"]

SLOTS = (
    "intercept time paid loss weight window_loss window_weight entries updates "
    "mean_count mean_intercept run best_run best_intercept steps"
).split()
SLOT = {name: number for number, name in enumerate(SLOTS)}
OF_AN_EPOCH = [SLOT[name] for name in "loss weight updates steps run best_run".split()]


@lru_cache(maxsize=256)
def numbers(plan: Plan) -> Floats:
    """Return a plan as the compiled loop takes it."""
    return np.array(plan, dtype=np.float64)


class Plan(NamedTuple):
    """How to step, in the order that the compiled loop reads it."""

    loss: int
    parameter: float = 0.0
    schedule: int = 0
    eta0: float = 1.0
    power: float = 0.5
    start: float = 1.0
    alpha: float = 0.0
    l1: float = 0.0
    l2: float = 0.0
    positive: float = 1.0
    negative: float = 1.0
    intercept: bool = True
    average_from: float = np.inf
    window: float = np.inf
    batch: float = 1.0


@stored
@dataclass
class Machine:
    """One linear function on its way: the arrays that the loop changes."""

    w: Floats  # (d,)
    slots: Floats
    q: Any = None
    mean: Any = None
    best: Any = None
    eta0: float = 1.0
    lowest: float = float(np.inf)
    waited: int = 0
    done: bool = False

    @classmethod
    def new(cls, d: int, plan: Plan) -> Machine:
        """Begin at 0."""
        machine = cls(np.zeros(d), np.zeros(len(SLOTS)), eta0=plan.eta0)
        machine.slots[SLOT["time"]] = 1.0
        machine.q = np.zeros(d) if plan.l1 else None
        machine.mean = np.zeros(d) if np.isfinite(plan.average_from) else None
        return machine

    def __getitem__(self, name: str) -> float:
        return float(self.slots[SLOT[name]])

    def copy(self, **changes: Any) -> Machine:
        """Return the same machine with arrays of its own."""
        other = object.__new__(Machine)
        values = vars(other)
        values.update(vars(self), w=self.w.copy(), slots=self.slots.copy())
        for name in ("q", "mean", "best"):
            if (array := values[name]) is not None:
                values[name] = array.copy()
        values.update(changes)
        return other

    @property
    def at_rest(self) -> bool:
        """Whether it has stopped, and made no visit since it was last cleared."""
        return self.done and not self.slots[SLOT["weight"]]

    def memory(self) -> Floats:
        """Return what the judge of its epochs remembers, as the loop takes it."""
        return np.array([self.lowest, self.waited])

    def clear(self, *names: str) -> None:
        """Set slots to 0."""
        for name in names:
            self.slots[SLOT[name]] = 0.0

    def begin_epoch(self) -> None:
        """Set what is counted in an epoch to 0."""
        self.slots[OF_AN_EPOCH] = 0.0

    def current(self) -> tuple[Floats, float]:
        """Return w and b as they stand."""
        return self.w.copy(), self["intercept"]

    def averaged(self) -> tuple[Floats, float]:
        """Return the mean of the iterates, or the last where it has not begun."""
        n = self["mean_count"]
        if self.mean is None or n == 0:
            return self.current()
        return self.mean / n, self["mean_intercept"] / n

    def longest(self) -> tuple[Floats, float]:
        """Return w and b of the longest run without an update."""
        return self.best.copy(), self["best_intercept"]


@dataclass
class Epochs:
    """The state of a sequential fit; an epoch works on a copy of it."""

    plans: list[Plan]
    machines: list[Machine]
    seed: int
    dtype: Any
    single: bool  # whether there is one target, of numbers
    once: bool  # whether no row will be met again
    number: int = 0  # of the epochs made
    stop: StopReason | None = None
    rows: list[VisitedRows] | None = None  # an array is prepared once
    costs: list[float] = field(default_factory=list)  # of each machine
    limits: list[float] = field(default_factory=list)  # costs above are divergence
    fall: float | None = None  # of the cost in the last epoch
    updates: list[int] = field(default_factory=list)  # of each machine, in all epochs
    monitor: list[list[Floats]] = field(default_factory=list)
    start: list[tuple[Floats, float]] = field(default_factory=list)
    moved: list[list[tuple[VisitedRows, Vector]]] = field(default_factory=list)
    pocket: list[Any] = field(default_factory=list)  # (errors, w, b) of each machine
    gap: DualityGap | None = None  # of the machine that is farthest from optimal
    bound: float | None = None  # on the mistakes of a perceptron

    def __post_init__(self) -> None:
        if not self.costs:
            m = len(self.plans)
            self.costs, self.limits = [float("inf")] * m, [0.0] * m
            self.pocket, self.updates = [None] * m, [0] * m
            self.start = [machine.current() for machine in self.machines]
            self.monitor, self.moved = [[] for _ in range(m)], [[] for _ in range(m)]

    def copy(self) -> Epochs:
        """Return the same state with machines and lists of its own."""
        other = object.__new__(Epochs)
        vars(other).update(vars(self))
        other.machines = [m if m.at_rest else m.copy() for m in self.machines]
        for name in ("costs", "limits", "updates", "pocket"):
            setattr(other, name, list(getattr(self, name)))
        other.monitor = [list(costs) for costs in self.monitor]
        other.moved = [list(rows) for rows in self.moved]
        return other

    def begin_epoch(self) -> list[int]:
        """Set what is counted in an epoch to 0; return which machines go on."""
        for machine in self.machines:
            if not machine.at_rest:
                machine.begin_epoch()
        return [j for j, machine in enumerate(self.machines) if not machine.done]

    def plan_of(self, j: int) -> Plan:
        """Return the plan of a machine at the rate that it has now."""
        plan, eta0 = self.plans[j], self.machines[j].eta0
        return plan if plan.eta0 == eta0 else plan._replace(eta0=eta0)

    def end_epochs(self, made: Vector, costs: Floats) -> list[float]:
        """Take how many epochs each machine made, and its costs; return the mean costs.

        A machine that ends before others is at rest in their last epoch.
        """
        last = int(made.max())
        for machine, count in zip(self.machines, made, strict=True):
            if 0 < count < last:
                machine.begin_epoch()
        trace = (costs[:, :last].sum(axis=0) / len(costs)).tolist()
        known = [self.cost()] * bool(self.number) + trace
        self.fall = known[-2] - known[-1] if len(known) > 1 else None
        self.costs, self.number = costs[:, last - 1].tolist(), self.number + last
        self.rest()
        return trace

    def rest(self) -> None:
        """Stop where no machine goes on."""
        if self.stop is None and all(machine.done for machine in self.machines):
            self.stop = StopReason.CONVERGED

    def cost(self) -> float:
        """Return the mean cost of the machines."""
        return sum(self.costs) / len(self.costs)
