"""The one driver: it fits every estimator.

It checks the parameters, opens the source, keeps time, shows progress, hears Ctrl-C,
makes the report, publishes what was learned and warns.  Learners differ only in how
they read the data:

    by_passes    sums over all chunks, then a step, again and again              (1)
    by_epochs    every row in order, epoch after epoch
    at_once      all rows in one chunk
    one_batch    one more batch of a stream

(1) is a map by an executor and a sum in pairs, in chunk order; nothing in it depends on
threads, workers or the order in which they finish:

    state   <- start(data)
    repeat     s <- sum over chunks of statistics(chunk, state)                  (2)
               state <- update(s, state)                                         (3)
    until      stop(state)
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextvars import ContextVar
from copy import copy
from dataclasses import dataclass
from functools import partial
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from corollary.core.arrays import Vector
from corollary.core.configuration import get_config
from corollary.core.errors import DataError, sentence
from corollary.core.facts import known_values
from corollary.core.interrupt import as_before, conclude
from corollary.core.magnitude import check_learned, numerical_errors
from corollary.core.memory import less_memory
from corollary.core.parameters import check_parameters
from corollary.core.progress import progress
from corollary.core.randomness import entropy
from corollary.core.records import stored
from corollary.core.report import Report, StopReason
from corollary.core.roles import accept_sources
from corollary.core.warn import warn
from corollary.engine.best_of_starts import best_of_starts
from corollary.engine.callbacks import Tasks, called_back, given_rows, is_heard
from corollary.engine.data import Data
from corollary.engine.executors.executor import single_threaded_blas
from corollary.engine.gather import chunk_size, gather
from corollary.engine.predict import answer
from corollary.engine.row_marks import source_marks
from corollary.engine.schedules import PerChunk, check_streams, chosen_schedule
from corollary.engine.sources.opening import open_source
from corollary.engine.sources.source import Chunk
from corollary.engine.statistics import Statistics

if TYPE_CHECKING:
    from corollary.engine.contract import SummationLearner
    from corollary.engine.rows_learner import RowsLearner
    from corollary.engine.sequential_learner import SequentialLearner, Start

__all__ = [
    "SHORT",
    "Fitted",
    "Settled",
    "at_once",
    "by_epochs",
    "by_passes",
    "conduct",
    "fit",
    "inside_another_fit",
    "one_batch",
]

L = TypeVar("L")

SHORT = (StopReason.MAX_PASSES, StopReason.STALLED, StopReason.DIVERGED)
WIDE = 500  # features whose matrices are worth threads of BLAS

accept_sources(answer)  # what `fit` takes, the methods of a fitted model take


@stored
@dataclass
class Fitted:
    """What a fit leaves: the last state, its statistics, per-row outputs, a report."""

    state: Any
    statistics: Any
    rows: tuple[Vector, ...] | None
    report: Report


class Settled(NamedTuple):
    """What a last look at the data adds: outputs for each row, the final objective."""

    state: Any
    rows: tuple[Vector, ...] | None = None
    objective: float | None = None


Reading = Callable[[Any, Data, Report], Fitted]


# -- the driver ------------------------------------------------------------------------
def fit(
    learner: L,
    read: Reading,
    X: Any,
    y: Any = None,
    sample_weight: Any = None,
    *,
    stream: bool = False,
    classes: Any = None,
) -> L:
    """Fit a learner to data that it reads in its own way.

    Parameters
    ----------
    learner : estimator
    read : callable
        ``read(learner, data, report)`` returns a `Fitted` and fills the report.
    X, y, sample_weight
        What the user gave.
    stream : bool, default=False
        Whether the data is one more batch of a stream.
    classes : array, optional
        Every label that can come in the stream.
    """
    given = given_rows(X, y, sample_weight) if is_heard(learner) else {}

    def learn(report: Report) -> Fitted:
        reset = not stream or getattr(learner, "_running", None) is None
        if stream and learner.target == "labels":  # type: ignore[attr-defined]
            check_classes(learner, classes, first=reset)
        source = open_source(learner, X, y, sample_weight, reset=reset, classes=classes)
        data = Data(learner, source, once=stream, given=given)
        try:
            return read(learner, data, report)
        finally:
            data.executor.close()

    return conduct(learner, learn, given=given)


def conduct(
    learner: Any,
    learn: Callable[[Report], Fitted],
    *,
    warns: bool = True,
    raises: bool = True,
    given: Mapping[str, Any] | None = MappingProxyType({}),
) -> Any:
    """Check parameters, let a learner learn, publish what it learned, and warn.

    An estimator that fits others does not warn again of what they warned of; where it
    fits none, it does not raise their Ctrl-C again.  All of it is one task of the
    callbacks, which see the rows that were `given`; None where they were called.
    """
    if given is not None and is_heard(learner):
        work = partial(conduct, learner, learn, warns=warns, raises=raises, given=None)
        return called_back(learner, given, work)
    check_parameters(learner, learner.rules)
    begun = time.perf_counter()
    report = Report(type(learner).__name__, StopReason.CLOSED_FORM, 1)
    with as_before(learner):
        with numerical_errors(learner):
            fitted = learn(report)
        report.seconds = time.perf_counter() - begun
        learner.report_ = report
        learner.publish(fitted)
        report.facts = known_values(report.facts)
        check_learned(learner)
        if isinstance(fitted.statistics, Statistics) and hasattr(
            learner, "partial_fit"
        ):
            fitted.rows = None
            fitted.statistics = fitted.statistics.scaled(1.0)  # keeps no single row
            learner._running = fitted
    if warns:
        warn_if_short(learner, report)
    if raises:
        conclude(report)
    return learner


def check_classes(learner: Any, classes: Any, *, first: bool) -> None:
    """Refuse a first batch without its classes, and a later one with others."""
    if first and classes is None:
        must = "classes must be passed on the first call to partial_fit"
        raise DataError(sentence(learner, must, "None"))
    if not first and classes is not None:
        if not np.array_equal(np.unique(classes), learner.classes_):
            must = f"classes must be those of the first call, {list(learner.classes_)}"
            raise DataError(sentence(learner, must, f"{list(classes)}"))


_inside: ContextVar[bool] = ContextVar("corollary_inside_another_fit", default=False)


@contextlib.contextmanager
def inside_another_fit() -> Iterator[None]:
    """Let the fits of a block stop short in silence: an outer fit counts them."""
    token = _inside.set(True)
    try:
        yield
    finally:
        _inside.reset(token)


def warn_if_short(learner: Any, report: Report) -> None:
    """Warn where a fit stopped before its rule was met; tol=None is no rule."""
    if report.stop not in SHORT or _inside.get():
        return
    if report.stop is StopReason.MAX_PASSES and getattr(learner, "tol", 0) is None:
        return
    text = (
        f"{report.learner}: {report.stop.word} after {report.passes} passes; "
        f"{report.optimality}. {report.what_to_do}"
    )
    warn(text, ConvergenceWarning)


def complete(learner: Any, data: Data, fitted: Fitted) -> Fitted:
    """Say what data was read and by whom, and how far from optimal the state is."""
    report, stop = fitted.report, fitted.report.stop
    report.rows += data.n_rows
    report.reads += data.passes
    report.executor = data.executor.described
    report.source = data.source.described
    report.row_marks = source_marks(data.source)
    learner.account(fitted.state, report)
    if stop is StopReason.INTERRUPTED:
        report.stop = stop
    return fitted


# -- how learners read -----------------------------------------------------------------
def at_once(
    learner: RowsLearner,
    data: Data,
    report: Report,
    learn: Callable[[Chunk, Report], None] | None = None,
) -> Fitted:
    """Gather all rows in memory and learn from them, by a function of the caller's."""
    rows = gather(data)
    ours = 0.0 if data.source.in_memory else chunk_size(rows)
    with less_memory(ours):
        (learn or learner.learn)(rows, report)
    return complete(learner, data, Fitted(None, None, None, report))


def by_passes(learner: SummationLearner, data: Data, report: Report) -> Fitted:
    """Make passes until the learner says stop, or one update after each chunk.

    BLAS keeps to one thread: parts of the data have the others, and where there is but
    one part, in many passes, the threads of NumPy's BLAS and of SciPy's would wait for
    each other.  Only many features make matrices that are worth threads of their own.
    """
    schedule = chosen_schedule()
    most = learner.max_passes()
    brief = data.source.n_features > WIDE or most <= 1
    threads = (
        contextlib.nullcontext() if data.single and brief else single_threaded_blas()
    )
    seed = entropy(getattr(learner, "random_state", None))
    with threads:
        if isinstance(schedule, PerChunk):
            check_streams(learner, data, schedule)
            data.once = True
            steps = _chunks(learner, data, learner.start(data, seed), schedule.decay)
            end = _follow(learner, data, steps)
        else:
            passes = partial(_passes, learner, data, most=most)
            end = _best(learner, data, learner.starts(data, seed), passes, most)
        return complete(learner, data, end.fitted(report))


def by_epochs(
    learner: SequentialLearner, data: Data, report: Report, begin: Start
) -> Fitted:
    """Visit all rows in order, epoch after epoch; those of a stream once."""
    seed = entropy(getattr(learner, "random_state", None))
    most = 1 if begin.stream else learner.max_passes()
    starts = (learner.start(data, seed, begin) for _ in range(1))
    epochs = partial(_epochs, learner, data, most=most)
    end = _best(learner, data, starts, epochs, most)
    short = (StopReason.DIVERGED, StopReason.INTERRUPTED)
    if begin.stream and end.reason not in short:
        end = end._replace(reason=StopReason.STREAMING)
    return complete(learner, data, end.fitted(report))


def one_batch(learner: SummationLearner, data: Data, report: Report) -> Fitted:
    """Add the statistics of one more batch to those of a stream."""
    schedule = chosen_schedule()
    decay = schedule.decay if isinstance(schedule, PerChunk) else 1.0
    before: Fitted | None = getattr(learner, "_running", None)
    report.stop = StopReason.STREAMING
    if before is None:
        state = learner.start(data, entropy(getattr(learner, "random_state", None)))
    else:
        state = before.state
        report.objective = list(before.report.objective)
        report.passes = before.report.passes + 1
        report.rows, report.reads = before.report.rows, before.report.reads
    s = data.reduce(partial(learner.statistics, state=state))
    if before is not None and type(before.statistics) is not type(s):
        must = "partial_fit cannot go on from a fit that took several kinds of sums"
        came = f"{type(before.statistics).__name__} before {type(s).__name__}"
        raise DataError(sentence(learner, must, came, "Begin with partial_fit."))
    total = s if before is None else before.statistics.scaled(decay) + s
    state = learner.update(total, state)
    end = learner.settle(data, state)
    seen = learner.objective(s, state) if end.objective is None else end.objective
    report.objective.append(seen)
    return complete(learner, data, Fitted(end.state, total, end.rows, report))


# -- steps -----------------------------------------------------------------------------
class Step(NamedTuple):
    """What one step leaves, and why it was the last one, if it was."""

    state: Any
    statistics: Any
    objective: float
    reason: StopReason | None
    earlier: Sequence[float] = ()  # objectives of epochs that were made with it


class End(NamedTuple):
    """What the steps from one start lead to."""

    settled: Settled
    statistics: Any
    reason: StopReason
    passes: int
    trace: list[float]

    def fitted(self, report: Report) -> Fitted:
        """Fill the report."""
        report.stop, report.passes = self.reason, self.passes
        report.objective = self.trace
        return Fitted(self.settled.state, self.statistics, self.settled.rows, report)


def _passes(
    learner: SummationLearner, data: Data, state: Any, most: int
) -> Iterator[Step]:
    """Repeat (2) and (3) from one start."""
    reason: StopReason | None = None
    passes = 0
    while reason is None:
        total = data.reduce(partial(learner.statistics, state=state))  # (2)
        state = learner.update(total, state)  # (3)
        passes += 1
        reason = learner.stop(state)
        if reason is None and passes >= most:
            reason = StopReason.MAX_PASSES
        yield Step(state, total, learner.objective(total, state), reason)


def _epochs(
    learner: SequentialLearner, data: Data, state: Any, most: int
) -> Iterator[Step]:
    """Repeat epochs from one start; callbacks hear of every one."""
    reason: StopReason | None = None
    made, heard = 0, is_heard(learner)
    while reason is None:
        state, found = learner.epochs(data, state, 1 if heard else most - made)
        made += len(found)
        reason = learner.stop(state)
        if reason is None and made >= most:
            reason = StopReason.MAX_PASSES
        yield Step(state, None, found[-1], reason, found[:-1])


def _chunks(
    learner: SummationLearner, data: Data, state: Any, decay: float
) -> Iterator[Step]:
    """Update after every chunk from a total that may forget."""
    total: Any = None
    for chunk in data.one_by_one():
        s = learner.statistics(chunk, state)
        total = s if total is None else total.scaled(decay) + s
        state = learner.update(total, state)
        yield Step(state, total, learner.objective(s, state), StopReason.STREAMING)


def _best(
    learner: Any,
    data: Data,
    starts: Iterator[Any],
    steps: Callable[[Any], Iterator[Step]],
    most: int,
) -> End:
    """Take the steps from every start; the lowest objective wins."""
    verbose = max(get_config().verbose, int(getattr(learner, "verbose", 0)))
    with progress(type(learner).__name__, most, verbose) as show:
        return best_of_starts(
            (_follow(learner, data, steps(state), show) for state in starts),
            lambda end: end.trace[-1:],
            lambda end: end._replace(reason=StopReason.INTERRUPTED),
        )


def _attributes(learner: Any, step: Step, passes: int) -> dict[str, Any]:
    """Return the attributes that a fit would publish after a step."""
    trial, report = copy(learner), Report(type(learner).__name__, StopReason.STOPPED, 1)
    report.passes, report.objective = passes, [step.objective]
    trial.publish(Fitted(step.state, step.statistics, None, report))
    return {name: value for name, value in vars(trial).items() if name.endswith("_")}


def _follow(
    learner: Any,
    data: Data,
    steps: Iterator[Step],
    show: Callable[[int, float], None] = lambda number, objective: None,
) -> End:
    """Take steps to their end, or to where the user interrupts them."""
    trace: list[float] = []
    last: Step | None = None
    tasks = Tasks(learner, data, _attributes)
    try:
        for last in tasks.around(steps):
            trace += [*last.earlier, last.objective]
            show(len(trace), last.objective)
        assert last is not None  # every source has a row
        assert last.reason is not None  # and every fit ends
        state, reason = last.state, last.reason
        end = tasks.conclusion(lambda: learner.settle(data, state))
    except KeyboardInterrupt:
        if last is None or not learner.publishable(last.state):
            raise
        end, reason = Settled(last.state), StopReason.INTERRUPTED
    passes = 1 if last.reason is StopReason.STREAMING else len(trace)
    trace += [] if end.objective is None else [end.objective]
    return End(end, last.statistics, reason, passes, trace)
