"""The common core of linear learners that take one row after another.

Such a learner has no summation form: each step depends on the step before.  What it
does have is a pass over rows in a fixed order, so it runs on every source, in one
thread for each class; `gradient_descent.py` and `logistic_regression.py` are the
relatives that are sums.  The compiled loop makes one epoch; this file keeps the books:

    epoch      every row in a new order (`visits.py`)
    cost       mean loss of the rows, each before its own update (progressive
               validation), also in windows of so many rows, plus the penalty
    stop       the cost (or the loss of rows held out) has not fallen by tol for so
               many epochs; an adaptive rate is divided by 5 instead, until it is tiny

With K > 2 classes there is one machine for each class against the rest.
"""

from __future__ import annotations

import time
import warnings
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from corollary import loops
from corollary.core.arrays import Floats, Vector
from corollary.core.config import get_config
from corollary.core.errors import DataError, sentence
from corollary.core.magnitude import check_learned
from corollary.core.params import Rule, check_parameters
from corollary.core.randomness import entropy
from corollary.core.report import Optimality, Report, StopReason
from corollary.core.rows import rows_loop
from corollary.engine import ArraySource, Data
from corollary.engine.opening import open_source
from corollary.linear.visits import Rows, blocks, rows_to_visit
from corollary.objectives.losses import Loss
from corollary.objectives.penalties import Penalty

__all__ = ["Fit", "Machine", "Plan", "SequentialLearner", "walk"]

CODES = {
    name: code
    for code, name in enumerate(
        (
            "hinge perceptron log_loss modified_huber squared_hinge squared_error "
            "huber epsilon_insensitive squared_epsilon_insensitive exponential "
            "sigmoid quantile"
        ).split()
    )
}
SCHEDULES = {"constant": 0, "adaptive": 0, "optimal": 1, "invscaling": 2}
SLOTS = (
    "intercept time paid loss weight window_loss window_weight entries updates "
    "mean_count mean_intercept run best_run best_intercept steps"
).split()
SLOT = {name: number for number, name in enumerate(SLOTS)}
TINY_RATE = 1e-6


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

    def clear(self, *names: str) -> None:
        """Set slots to 0."""
        for name in names:
            self.slots[SLOT[name]] = 0.0

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
class Fit:
    """The books of one fit."""

    data: Data
    seed: int
    plans: list[Plan]
    machines: list[Machine]
    epochs: int = 0
    stop: StopReason | None = None
    kept: list[Rows] | None = None  # an array is prepared once
    costs: list[float] = field(default_factory=list)  # of each machine
    limits: list[float] = field(default_factory=list)  # costs above are divergence
    objective: list[float] = field(default_factory=list)
    monitor: list[list[Floats]] = field(default_factory=list)
    start: list[tuple[Floats, float]] = field(default_factory=list)
    moved: list[list[tuple[Rows, Vector]]] = field(default_factory=list)
    pocket: list[Any] = field(default_factory=list)  # (errors, w, b) of each machine
    updates: list[int] = field(default_factory=list)  # of each machine, in all epochs


class SequentialLearner(ABC):
    """Learns a linear function row by row, epoch by epoch."""

    rules: ClassVar[Mapping[str, Rule]]
    max_iter: int
    tol: float | None
    shuffle: bool
    n_iter_no_change: int
    _running: Any

    # -- the mathematics, written by each method ---------------------------------------
    @abstractmethod
    def _loss(self) -> Loss:
        """Return the loss."""

    @abstractmethod
    def _penalty(self) -> Penalty:
        """Return the penalty on w."""

    @abstractmethod
    def _plans(self, data: Data, seed: int) -> list[Plan]:
        """Return the plan of each machine."""

    @abstractmethod
    def _target(self, y: Any, machine: int) -> Vector:
        """Return what a machine shall learn of y: -1 and +1, or numbers."""

    @abstractmethod
    def _publish(self, fit: Fit) -> None:
        """Set what users read."""

    def _between(self, fit: Fit) -> None:  # noqa: B027
        """Look at the machines after an epoch."""

    def _traced(self) -> bool:
        """Tell whether to note the rows that move w."""
        return False

    def _pocketed(self) -> bool:
        """Tell whether to keep w of the longest run without an update."""
        return False

    def sums_bytes(self, n_features: int) -> int:
        """Ask for chunks of no special size."""
        return 0

    # -- what users call ---------------------------------------------------------------
    def fit(
        self,
        X: Any,
        y: Any = None,
        coef_init: Any = None,
        intercept_init: Any = None,
        sample_weight: Any = None,
    ) -> Self:
        """Learn from data, in epochs.

        Parameters
        ----------
        X : array, sparse matrix, data frame, or Source
            Rows are examples.
        y : array
            Target; None where the source carries it.
        coef_init, intercept_init : arrays, optional
            Where to start, in the shapes of `coef_` and `intercept_`.
        sample_weight : array of shape (n,), optional
            Weight w counts a row w times; 0 removes it.

        Returns
        -------
        self
        """
        check_parameters(self, self.rules)
        before = getattr(self, "_running", None) or []
        data = Data(self, open_source(self, X, y, sample_weight))
        seed = entropy(getattr(self, "random_state", None))
        plans, d = self._plans(data, seed), data.source.n_features
        warm = getattr(self, "warm_start", False) and len(before) == len(plans)
        if warm and len(before[0].w) == d:
            machines = [replace(machine, done=False, waited=0) for machine in before]
        else:
            machines = self._machines(plans, d, coef_init, intercept_init)
        self._learn(Fit(data, seed, plans, machines), self.max_iter)
        return self

    def _absorb(self, X: Any, y: Any, w: Any, classes: Any = None) -> Self:
        """Make one epoch over one more batch of a stream."""
        check_parameters(self, self.rules)
        before = getattr(self, "_running", None)
        source = open_source(self, X, y, w, reset=before is None, classes=classes)
        data = Data(self, source, once=True)
        seed = entropy(getattr(self, "random_state", None))
        plans = self._plans(data, seed)
        machines = before or self._machines(plans, source.n_features, None, None)
        for machine in machines:
            machine.done = False
        self._learn(Fit(data, seed, plans, machines), None)
        return self

    def _machines(
        self, plans: list[Plan], d: int, coef: Any, intercept: Any
    ) -> list[Machine]:
        """Make the machines, at 0 or where the user asks to start."""
        m = len(plans)
        W = initial(self, coef, "coef_init", (m, d))
        b = initial(self, intercept, "intercept_init", (m,))
        machines = []
        for plan, w, b0 in zip(plans, W, b, strict=True):
            machine = Machine.new(d, plan)
            machine.w[:], machine.slots[SLOT["intercept"]] = w, b0
            machine.best = np.zeros(d) if self._pocketed() else None
            machines.append(machine)
        return machines

    # -- the loop over epochs ----------------------------------------------------------
    def _learn(self, fit: Fit, most: int | None) -> None:
        """Make epochs until every machine rests; `most` is None in a stream."""
        begun = time.perf_counter()
        m = len(fit.plans)
        fit.costs, fit.limits = [float("inf")] * m, [0.0] * m
        fit.pocket, fit.updates = [None] * m, [0] * m
        fit.start = [machine.current() for machine in fit.machines]
        fit.monitor, fit.moved = [[] for _ in range(m)], [[] for _ in range(m)]
        try:
            with np.errstate(over="ignore", invalid="ignore"):
                while fit.stop is None and fit.epochs < (most or 1):
                    self._epoch(fit)
        finally:
            fit.data.executor.close()
        if most is None and fit.stop is not StopReason.DIVERGED:
            fit.stop = StopReason.STREAMING
        self.report_ = self._report(fit, time.perf_counter() - begun)
        self._running = fit.machines
        self.n_iter_ = fit.epochs
        self.t_ = max(machine["time"] for machine in fit.machines)
        self._publish(fit)
        check_learned(self)
        self._warn(self.report_)

    def _warn(self, report: Report) -> None:
        short = report.stop is StopReason.MAX_PASSES and self.tol is not None
        if short or report.stop is StopReason.DIVERGED:
            text = f"{report.learner}: {report.stop.word} after {report.passes} passes"
            text = f"{text}; {report.optimality}. {report.stop.remedy}"
            warnings.warn(text, ConvergenceWarning, stacklevel=4)

    def _epoch(self, fit: Fit) -> None:
        """Let every machine that has not stopped see every row."""
        before = [(m.w.copy(), m.slots.copy()) for m in fit.machines]
        for machine in fit.machines:
            machine.clear("loss", "weight", "updates", "steps", "run", "best_run")
        active = [j for j, machine in enumerate(fit.machines) if not machine.done]
        for learn, _ in self.passed(fit):
            self._walk(fit, active, learn)
        fit.epochs += 1
        checked = self._held_out(fit)
        for j in active:
            self._judge(fit, j, before[j], checked[j])
        self._between(fit)
        if fit.stop is None and all(machine.done for machine in fit.machines):
            fit.stop = StopReason.CONVERGED
        fit.objective.append(float(np.mean(fit.costs)))

    def passed(self, fit: Fit) -> Iterator[tuple[Rows, Rows | None]]:
        """Yield the rows of one pass: those to learn from and those held out."""
        for rows in fit.kept or self._prepared(fit):
            if not getattr(self, "early_stopping", False):
                yield rows, None
                continue
            share = float(getattr(self, "validation_fraction", 0.1))
            learn, check = rows.split(share, fit.seed + 1)
            if not len(learn.which) or not len(check.which):
                must = f"validation_fraction = {share:g} must leave rows on both sides"
                came = f"{len(learn.which)} to learn from, {len(check.which)} to check"
                raise DataError(sentence(self, must, came, "Use more rows."))
            yield learn, check

    def _prepared(self, fit: Fit) -> Iterator[Rows]:
        for chunk in blocks(fit.data):
            rows = rows_to_visit(chunk, shuffle=self.shuffle, seed=fit.seed)
            if isinstance(fit.data.source, ArraySource):
                fit.kept = [rows]
            yield rows

    def _walk(self, fit: Fit, active: list[int], rows: Rows) -> None:
        """Walk the rows with every machine, each in a thread of its own."""
        order = rows.order(fit.seed, fit.epochs)

        def one(j: int) -> None:
            machine, target = fit.machines[j], self._target(rows.y, j)
            plan = fit.plans[j]._replace(eta0=fit.machines[j].eta0)
            if not fit.epochs:
                fit.limits[j] = max(fit.limits[j], limit(self._loss(), target))
            before = 0.0 if self._traced() else machine["updates"]
            costs, moved = walk(machine, plan, rows, order, target, self._traced())
            fit.updates[j] += round(machine["updates"] - before)
            fit.monitor[j].append(costs)
            if moved is not None:
                fit.moved[j].append((rows, moved))

        threads = get_config().threads
        if len(active) > 1 and threads > 1:
            with ThreadPoolExecutor(threads) as pool:
                list(pool.map(one, active))
        else:
            for j in active:
                one(j)

    def _judge(self, fit: Fit, j: int, before: Any, checked: float | None) -> None:
        """Take the cost of an epoch; decide whether the machine goes on."""
        machine = fit.machines[j]
        cost = machine["loss"] / machine["weight"]
        finite = np.isfinite([*machine.w, machine["intercept"]]).all()
        if not (finite and cost <= fit.limits[j]):
            machine.w[:], machine.slots[:] = before
            machine.done, fit.stop = True, StopReason.DIVERGED
            return
        cost = cost if checked is None else checked
        fit.costs[j] = cost = cost + self._penalty().value(machine.w)
        if machine["updates"] == 0 and self._penalty().strength == 0:
            machine.done = True  # no later epoch can change anything
        if self.tol is None or machine.done:
            return
        machine.waited = machine.waited + 1 if cost > machine.lowest - self.tol else 0
        machine.lowest = min(machine.lowest, cost)
        if machine.waited >= self.n_iter_no_change:
            adaptive = getattr(self, "learning_rate", "") == "adaptive"
            machine.done = not adaptive or machine.eta0 <= TINY_RATE
            machine.eta0, machine.waited = machine.eta0 / 5, 0

    def _held_out(self, fit: Fit) -> list[float | None]:
        """Return the mean loss of each machine on the rows held out, if there are."""
        m = len(fit.machines)
        if not getattr(self, "early_stopping", False):
            return [None] * m
        loss, total, weight = self._loss(), np.zeros(m), 0.0
        for _, rows in self.passed(fit):
            assert rows is not None
            weight += rows.total()
            for j, machine in enumerate(fit.machines):
                f = np.asarray(rows.X @ machine.w)[rows.which] + machine["intercept"]
                values = loss.value(self._target(rows.y, j)[rows.which], f)
                total[j] += values @ rows.weights()
        return [float(t) for t in total / weight]

    def _report(self, fit: Fit, seconds: float) -> Report:
        stop = fit.stop or StopReason.MAX_PASSES
        report = Report(type(self).__name__, stop, fit.epochs, objective=fit.objective)
        report.reads, report.rows = fit.data.passes, fit.data.n_rows
        report.seconds, report.source = seconds, fit.data.source.described
        report.executor = "one thread for each class"
        fall = fit.objective[-2] - fit.objective[-1] if fit.epochs > 1 else None
        report.optimality = Optimality("fall of the cost in the last epoch", fall)
        report.facts["steps"] = round(sum(m["time"] - 1 for m in fit.machines))
        return report


def walk(
    machine: Machine,
    plan: Plan,
    rows: Rows,
    order: Vector,
    target: Vector,
    trace: bool = False,
) -> tuple[Floats, Vector | None]:
    """Make one epoch with one machine.

    Returns the costs of the windows, and the rows of the visits that moved w.
    """
    o, times = rows.visits()
    visits = len(order) if times is None else int(times[order].sum())
    weight = visits if o is None or times is None else o[order] @ times[order]
    room = int(min(weight / plan.window, visits)) + 2  # of windows that end
    monitor = np.empty(room) if np.isfinite(plan.window) else None
    moved = np.empty(visits, np.int64) if trace else None
    machine.clear("entries", "updates") if trace else machine.clear("entries")
    rows_loop(loops.sgd_epoch, loops.sgd_epoch_csr, rows.X)(
        np.ascontiguousarray(target, dtype=np.float64),
        order,
        o,
        times,
        np.array(plan, dtype=np.float64),
        machine.w,
        machine.slots,
        machine.q,
        machine.mean,
        machine.best,
        monitor,
        moved,
    )
    costs = np.zeros(0) if monitor is None else monitor[: int(machine["entries"])]
    return costs, None if moved is None else moved[: int(machine["updates"])]


def limit(loss: Loss, target: Vector) -> float:
    """Return the cost beyond which steps grow for ever: far above that of f = 0.

    Losses whose slope is bounded cannot run away.
    """
    far = np.array([-1e3, 1e3])
    if np.abs(loss.slope(far)).max() < 100:
        return float(np.finfo(np.float64).max)
    return float(1e6 * (1 + loss.value(target, np.zeros_like(target)).mean()))


def initial(learner: object, values: Any, name: str, shape: tuple[int, ...]) -> Floats:
    """Check where the user asks to start; 0 by default."""
    if values is None:
        return np.zeros(shape)
    array = np.asarray(values, dtype=np.float64)
    if array.size != np.prod(shape) or not np.isfinite(array).all():
        must = f"{name} must be finite and of shape {shape}"
        raise DataError(sentence(learner, must, f"shape {array.shape}"))
    return array.reshape(shape)
