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
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from corollary import loops
from corollary.core.arrays import Floats, Vector
from corollary.core.errors import DataError, sentence
from corollary.core.interrupt import as_before, conclude
from corollary.core.magnitude import check_learned
from corollary.core.parameters import Rule, check_parameters
from corollary.core.randomness import entropy
from corollary.core.report import Optimality, Report, StopReason
from corollary.core.rows import rows_loop
from corollary.engine import ArraySource, Data
from corollary.engine.executors.executor import side_by_side
from corollary.engine.sources.opening import open_source
from corollary.linear.online.sequential_fit import SLOT, Fit, Machine, Plan
from corollary.linear.online.visits import Rows, blocks, rows_to_visit
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
TINY_RATE = 1e-6


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
        with as_before(self):
            data = Data(self, open_source(self, X, y, sample_weight))
            seed = entropy(getattr(self, "random_state", None))
            plans, d = self._plans(data, seed), data.source.n_features
            warm = getattr(self, "warm_start", False) and len(before) == len(plans)
            if warm and len(before[0].w) == d:
                machines = [machine.copy(done=False, waited=0) for machine in before]
            else:
                machines = self._machines(plans, d, coef_init, intercept_init)
            self._learn(Fit(data, seed, plans, machines), self.max_iter)
        conclude(self.report_)
        return self

    def _absorb(self, X: Any, y: Any, w: Any, classes: Any = None) -> Self:
        """Make one epoch over one more batch of a stream."""
        check_parameters(self, self.rules)
        before = getattr(self, "_running", None)
        with as_before(self):
            source = open_source(self, X, y, w, reset=before is None, classes=classes)
            data = Data(self, source, once=True)
            seed = entropy(getattr(self, "random_state", None))
            plans = self._plans(data, seed)
            machines = before or self._machines(plans, source.n_features, None, None)
            machines = [machine.copy(done=False) for machine in machines]
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
        except KeyboardInterrupt:
            if not fit.objective:
                raise
            fit.go_back()
            fit.stop = StopReason.INTERRUPTED
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
            text = f"{text}; {report.optimality}. {report.what_to_do}"
            warnings.warn(text, ConvergenceWarning, stacklevel=4)

    def _epoch(self, fit: Fit) -> None:
        """Let every machine that has not stopped see every row."""
        fit.mark()
        for machine in fit.machines:
            machine.clear("loss", "weight", "updates", "steps", "run", "best_run")
        active = [j for j, machine in enumerate(fit.machines) if not machine.done]
        for learn, _ in self.passed(fit):
            self._walk(fit, active, learn)
        fit.epochs += 1
        checked = self._held_out(fit)
        for j in active:
            self._judge(fit, j, checked[j])
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

        side_by_side(one, active)

    def _judge(self, fit: Fit, j: int, checked: float | None) -> None:
        """Take the cost of an epoch; decide whether the machine goes on."""
        machine = fit.machines[j]
        cost = machine["loss"] / machine["weight"]
        finite = np.isfinite([*machine.w, machine["intercept"]]).all()
        if not (finite and cost <= fit.limits[j]):
            machine.w[:], machine.slots[:] = fit.before[j].w, fit.before[j].slots
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
    monitor = rows.costs_of_windows(order, visits, plan.window)
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
