"""The common core of linear learners that take one row after another.

Such a learner has no summation form: each step depends on the step before.  What it
does have is a pass over rows in a fixed order, so it runs on every source, in one
thread for each class; `gradient_descent.py` and `logistic_regression.py` are the
relatives that are sums.  The compiled loop makes an epoch and judges it:

    epoch      every row in a new order (`visits.py`)
    cost       mean loss of the rows, each before its own update (progressive
               validation), also in windows of so many rows, plus the penalty
    stop       the cost (or the loss of rows held out) has not fallen by tol for so
               many epochs; an adaptive rate is divided by 5 instead, until it is tiny

With K > 2 classes there is one machine for each class against the rest.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator
from typing import Any

import numpy as np

from corollary import loops
from corollary.core.arrays import Floats, Vector
from corollary.core.errors import DataError, ParameterError, sentence
from corollary.core.report import Optimality, Report, StopReason
from corollary.core.rows import dense
from corollary.engine import ArraySource, Data, SequentialLearner
from corollary.engine.executors.executor import side_by_side
from corollary.engine.sequential_learner import Start
from corollary.linear.online.sequential_fit import (
    SLOT,
    Epochs,
    Machine,
    Plan,
    numbers,
)
from corollary.linear.online.sequential_walk import (
    DIVERGED,
    heed,
    limit,
    rule_of,
    walk,
)
from corollary.linear.online.visits import VisitedRows, blocks, rows_to_visit
from corollary.objectives.losses import Loss
from corollary.objectives.penalties import Penalty

__all__ = [
    "Epochs",
    "LinearSequentialLearner",
    "Machine",
    "Plan",
    "publish_weights",
    "report_epochs",
]

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
SCHEDULES |= {"pa1": 3, "pa2": 4}
WORK_AT_ONCE = 10**6  # numbers that one call reads, which takes about a millisecond
FIRST_AT_ONCE, MOST_AT_ONCE = 16, 32  # epochs: in the first call, in later ones
OF_A_VISIT = 16  # numbers that take as long as a visit does beside its row


class LinearSequentialLearner(SequentialLearner):
    """Learns a linear function row by row, epoch by epoch."""

    tol: float | None
    shuffle: bool
    n_iter_no_change: int
    early_stopping: bool
    validation_fraction: float
    warm_start: bool
    coef_: Any
    intercept_: Any
    learning_rate: str = "constant"
    trace: bool = False  # whether to note the rows that move w
    output: str = "last"  # 'pocket' keeps w of the fewest errors
    _running: list[Machine] | None

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

    # -- the engine's contract ---------------------------------------------------------
    def start(self, data: Data, seed: int, begin: Start) -> Epochs:
        """Begin where a stream or a warm start left off, or where the user asks."""
        plans, d = self._plans(data, seed), data.source.n_features
        before = getattr(self, "_running", None) or []
        if begin.stream and self.early_stopping:
            must = "early_stopping must be False in partial_fit, which makes one epoch"
            raise ParameterError(sentence(self, must, "True"))
        if begin.stream and before:
            machines = [machine.copy(done=False) for machine in before]
        else:
            machines = self._machines(plans, d, self._begin(begin, (len(plans), d)))
        single = getattr(self, "target", "") == "numbers"
        single = single and len(plans) == 1  # a column of targets is one target
        dtype = data.source.dtype
        return Epochs(plans, machines, seed, dtype, single, data.once)

    def _begin(self, begin: Start, shape: tuple[int, int]) -> Start:
        """Take what a user does not say from the last fit, where that is asked for."""
        last = np.atleast_2d(dense(getattr(self, "coef_", np.zeros(0))))
        if begin.stream or not self.warm_start or last.shape != shape:
            return begin
        coef = last if begin.coef is None else begin.coef
        b = self.intercept_ if begin.intercept is None else begin.intercept
        return begin._replace(coef=coef, intercept=b)

    def _machines(self, plans: list[Plan], d: int, begin: Start) -> list[Machine]:
        """Make the machines, at 0 or where the user asks to start."""
        m = len(plans)
        W = initial(self, begin.coef, "coef_init", (m, d))
        b = initial(self, begin.intercept, "intercept_init", (m,))
        machines = []
        for plan, w, b0 in zip(plans, W, b, strict=True):
            machine = Machine.new(d, plan)
            machine.w[:], machine.slots[SLOT["intercept"]] = w, b0
            machine.best = np.zeros(d) if self.output == "pocket" else None
            machines.append(machine)
        return machines

    def epoch(self, data: Data, state: Epochs) -> Epochs:
        """Let every machine that has not stopped see every row."""
        before, state = state, state.copy()
        active = state.begin_epoch()
        with np.errstate(over="ignore", invalid="ignore"):
            for learn, _ in self.passed(data, state):
                self._walk(state, active, learn)
            state.number += 1
            held_out = self._held_out(data, state)
            for j in active:
                self._judge(state, before, j, held_out[j])
            if self.output == "pocket":
                fill_pocket(self, data, state)
        state.rest()
        state.fall = before.cost() - state.cost() if before.number else None
        return state

    def epochs(
        self, data: Data, state: Epochs, most: int
    ) -> tuple[Epochs, list[float]]:
        """Make epochs of few rows in one call of the loop, others one by one."""
        count = min(most, self._at_once(data, state))
        found = self._several(state, count) if count > 1 else None
        if found is not None:
            return found
        state = self.epoch(data, state)
        return state, [state.cost()]

    def objective(self, state: Epochs) -> float:
        """Return the mean cost of the machines."""
        return state.cost()

    def stop(self, state: Epochs) -> StopReason | None:
        """Stop when every machine rests, or one diverges."""
        return state.stop

    # -- several epochs ----------------------------------------------------------------
    def _at_once(self, data: Data, state: Epochs) -> int:
        """Return how many epochs one call may make: of few rows, where all is alike."""
        looks = self.early_stopping or self.trace or self.output == "pocket"
        looks = looks or self.learning_rate == "adaptive"
        if looks or not isinstance(data.source, ArraySource):
            return 1
        (rows,) = state.rows or self._prepared(data, state)
        active = sum(not machine.done for machine in state.machines)
        epoch = active * rows.n_visits * (data.source.n_features + OF_A_VISIT)
        most = MOST_AT_ONCE if state.number else FIRST_AT_ONCE
        return int(min(most, WORK_AT_ONCE // max(1, epoch)))

    def _several(self, state: Epochs, count: int) -> tuple[Epochs, list[float]] | None:
        """Make so many epochs, or fewer if all stop; None where a machine diverges."""
        assert state.rows is not None
        (rows,), state = state.rows, state.copy()
        active = state.begin_epoch()
        orders = rows.orders(state.seed, state.number, count)
        costs = np.repeat(np.array(state.costs)[:, None], count, axis=1)  # (m, count)
        made, verdicts = np.zeros(len(costs), int), np.zeros(len(costs), int)

        def one(j: int) -> None:
            machine, memory = state.machines[j], state.machines[j].memory()
            target = self._target(rows.y, j)
            if not state.number:
                state.limits[j] = limit(self._loss(), target)
            judge = (rule_of(self, state, j), memory, costs[j])
            walked = walk(machine, state.plan_of(j), rows, orders, target, judge)
            made[j], verdicts[j], updates = walked.said
            costs[j, made[j] :] = costs[j, made[j] - 1]
            state.updates[j] += round(updates)
            state.monitor[j].append(walked.windows)
            heed(self, machine, verdicts[j], memory)

        side_by_side(one, active)
        if (verdicts == DIVERGED).any():
            return None  # one by one they tell where
        return state, state.end_epochs(made, costs)

    # -- one epoch ---------------------------------------------------------------------
    def passed(
        self, data: Data, state: Epochs
    ) -> Iterator[tuple[VisitedRows, VisitedRows | None]]:
        """Yield the rows of one pass: those to learn from and those held out."""
        for rows in state.rows or self._prepared(data, state):
            if not self.early_stopping:
                yield rows, None
                continue
            share = float(self.validation_fraction)
            learn, check = rows.split(share, state.seed + 1)
            if not len(learn.which) or not len(check.which):
                must = f"validation_fraction = {share:g} must leave rows on both sides"
                came = f"{len(learn.which)} to learn from, {len(check.which)} to check"
                raise DataError(sentence(self, must, came, "Use more rows."))
            yield learn, check

    def _prepared(self, data: Data, state: Epochs) -> Iterator[VisitedRows]:
        for chunk in blocks(data):
            rows = rows_to_visit(chunk, shuffle=self.shuffle, seed=state.seed)
            if isinstance(data.source, ArraySource):
                state.rows = [rows]
            yield rows

    def _walk(self, state: Epochs, active: list[int], rows: VisitedRows) -> None:
        """Walk the rows with every machine, each in a thread of its own."""
        order = rows.order(state.seed, state.number)

        def one(j: int) -> None:
            machine, target = state.machines[j], self._target(rows.y, j)
            if not state.number:
                state.limits[j] = max(state.limits[j], limit(self._loss(), target))
            before = 0.0 if self.trace else machine["updates"]
            plan = state.plan_of(j)
            walked = walk(machine, plan, rows, order[None], target, trace=self.trace)
            state.updates[j] += round(machine["updates"] - before)
            state.monitor[j].append(walked.windows)
            if walked.moved is not None:
                state.moved[j].append((rows, walked.moved))

        side_by_side(one, active)

    def _judge(
        self, state: Epochs, before: Epochs, j: int, held_out: float | None
    ) -> None:
        """Take the cost of an epoch; decide whether the machine goes on."""
        machine, memory = state.machines[j], state.machines[j].memory()
        plan, rule = numbers(state.plans[j]), rule_of(self, state, j)
        judge: Any = loops.sgd_judge
        verdict, cost = judge(plan, machine.w, machine.slots, rule, held_out, memory)
        if verdict == DIVERGED:
            state.machines[j] = before.machines[j].copy(done=True)
            state.stop = StopReason.DIVERGED
            return
        state.costs[j] = cost
        heed(self, machine, verdict, memory)

    def _held_out(self, data: Data, state: Epochs) -> list[float | None]:
        """Return the mean loss of each machine on the rows held out, if there are."""
        m = len(state.machines)
        if not self.early_stopping:
            return [None] * m
        loss, total, weight = self._loss(), np.zeros(m), 0.0
        for _, rows in self.passed(data, state):
            assert rows is not None
            weight += rows.total
            for j, machine in enumerate(state.machines):
                f = np.asarray(rows.X @ machine.w)[rows.which] + machine["intercept"]
                values = loss.value(self._target(rows.y, j)[rows.which], f)
                total[j] += values @ rows.weights()
        return [float(t) for t in total / weight]


def publish_weights(
    learner: Any, state: Epochs, found: list[tuple[Floats, float]]
) -> None:
    """Set the weights, and the machines that a stream or a warm start goes on with."""
    W = np.array([w for w, _ in found]).astype(state.dtype)
    learner.coef_ = W[0] if state.single else W
    learner.intercept_ = np.array([b for _, b in found]).astype(state.dtype)
    learner._running = state.machines
    learner.n_iter_ = state.number
    learner.t_ = max(machine["time"] for machine in state.machines)


def report_epochs(state: Epochs, report: Report) -> None:
    """Report how the cost fell, the steps, and who computed."""
    report.executor = "one thread for each class"
    report.optimality = Optimality("fall of the cost in the last epoch", state.fall)
    report.facts["n_steps"] = round(sum(m["time"] - 1 for m in state.machines))


def fill_pocket(learner: LinearSequentialLearner, data: Data, state: Epochs) -> None:
    """Keep the iterate with the fewest errors, the last or that of the longest run.

    Also known as: pocket algorithm.
    """
    for j, machine in enumerate(state.machines):
        found = [machine.current()]
        found += [machine.longest()] if machine["best_run"] > 0 else []
        W, b = np.array([w for w, _ in found]), np.array([b for _, b in found])
        errors = np.zeros(len(found))
        for rows, _ in learner.passed(data, state):
            scores = np.asarray(rows.X @ W.T)[rows.which] + b
            wrong = learner._target(rows.y, j)[rows.which][:, None] * scores <= 0
            errors += rows.weights() @ wrong
        for candidate, count in zip(found, errors, strict=True):
            if state.pocket[j] is None or count < state.pocket[j][0]:
                state.pocket[j] = (count, *candidate)


def initial(learner: object, values: Any, name: str, shape: tuple[int, ...]) -> Floats:
    """Check where the user asks to start; 0 by default."""
    if values is None:
        return np.zeros(shape)
    array = np.asarray(values, dtype=np.float64)
    if array.size != np.prod(shape) or not np.isfinite(array).all():
        must = f"{name} must be finite and of shape {shape}"
        raise DataError(sentence(learner, must, f"shape {array.shape}"))
    return array.reshape(shape)
