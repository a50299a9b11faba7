"""The one loop: passes over a source until the learner says stop.

    state   <- start(data)                                                       (1)
    repeat     s <- sum over chunks of statistics(chunk, state)                  (2)
               state <- update(s, state)                                         (3)
    until      stop(state)

(2) is a map by an executor and a sum in pairs, in chunk order; nothing in it depends on
threads, workers or the order in which they finish.
"""

from __future__ import annotations

import contextlib
import time
import warnings
from collections.abc import Callable, Generator, Iterator
from contextvars import ContextVar
from dataclasses import dataclass
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from corollary.core.arrays import Vector
from corollary.core.configuration import get_config
from corollary.core.errors import DataError, ParameterError, sentence
from corollary.core.magnitude import check_not_tiny, numerical_errors
from corollary.core.memory import check_working_memory, exceeds_memory
from corollary.core.progress import progress
from corollary.core.randomness import entropy
from corollary.core.report import Report, StopReason
from corollary.engine.executors.executor import (
    Executor,
    Memories,
    NoMemories,
    Serial,
    Threads,
    single_threaded_blas,
)
from corollary.engine.first_pass import Check, Seen, guarded, len_of
from corollary.engine.schedules import PerChunk, PerPass
from corollary.engine.sources.source import ArraySource, Chunk, Source, chunk_bytes
from corollary.engine.statistics import fold

if TYPE_CHECKING:
    from corollary.engine.contract import SummationLearner

__all__ = ["SHORT", "Data", "Fitted", "Settled", "run", "stream", "unsaid"]

S = TypeVar("S")

SHORT = (StopReason.MAX_PASSES, StopReason.STALLED, StopReason.DIVERGED)
WIDE = 500  # features whose matrices are worth threads of BLAS
NARROW = 100  # features whose matrices cost nothing


@dataclass
class Fitted:
    """What a run leaves: the last state, its statistics, per-row outputs, a report."""

    state: Any
    statistics: Any
    rows: tuple[Vector, ...] | None
    report: Report


class Settled(NamedTuple):
    """What a last look at the data adds: outputs for each row, the final objective."""

    state: Any
    rows: tuple[Vector, ...] | None = None
    objective: float | None = None


class Data:
    """A source with somebody to compute on it: what a learner's `start` sees.

    `once` tells that no row will be met again: a stream, or chunks that come once.
    """

    def __init__(self, learner: Any, source: Source, *, once: bool = False) -> None:
        self.learner, self.source = learner, source
        self.once = once or not source.replayable
        sums = learner.sums_bytes(source.n_features)
        source.chunk_bytes = chunk_bytes(sums)
        if not isinstance(source, ArraySource):  # an array was checked when opened
            check_working_memory(learner, source.n_rows or 0, source.n_features)
        parts = source.parts() if source.in_memory else None
        self._parts = parts if isinstance(parts, list) else None
        self.single = self._parts is not None and len(self._parts) == 1
        self.executor = chosen_executor(source, self.single)
        self.memories: Memories = {}
        self.row_bytes = getattr(learner, "row_bytes", 0.0)
        self._forget_beyond(source.n_rows or 0)
        self.passes = 0
        self.n_rows: int = source.n_rows or 0
        self._checked = False

    @cached_property
    def few_rows(self) -> int:
        """The number of rows, or one more than the features where it is above that.

        Where there are no more rows than features, learners keep the rows or what n x n
        sums say of them, rather than sums over pairs of features.  A source that does
        not know its rows is read until there are more of them than features.
        """
        most = self.source.n_features + 1
        if self.source.n_rows is not None:
            return min(self.source.n_rows, most)
        if self.once or most <= NARROW:
            return most
        rows = 0
        for chunk in (chunk for part in self.source.parts() for chunk in part.chunks()):
            rows += chunk.n
            if rows >= most:
                return most
        return rows

    def reduce(self, statistics: Callable[[Chunk], S]) -> S:
        """Make one pass and add up what each chunk contributes."""
        with contextlib.closing(self._map(statistics)) as results:
            total = fold(results)
        if total is None:
            must = "a source must give at least one chunk of rows"
            raise DataError(sentence(self.learner, must, "none"))
        return total

    def rows(
        self, outputs: Callable[[Chunk], tuple[Vector, ...]]
    ) -> tuple[Vector, ...]:
        """Make one pass and join what it says of each row."""
        parts = list(self._map(outputs))
        if len(parts) == 1:
            return parts[0]
        return tuple(np.concatenate(columns) for columns in zip(*parts, strict=True))

    def forget(self) -> None:
        """Drop the chunks' memories; only time is lost."""
        self.memories.clear()

    def _forget_beyond(self, rows: int) -> None:
        """Keep no memories of rows from files where they would exceed the limit."""
        if isinstance(self.source, ArraySource) or not self.row_bytes:
            return
        if exceeds_memory(2 * self.row_bytes * rows):  # the rest is for reading
            self.memories.clear()
            self.memories = NoMemories()

    def one_by_one(self) -> Iterator[Chunk]:
        """Make one pass in this thread and yield the chunks."""
        total = Seen()
        for chunk in (chunk for part in self.source.parts() for chunk in part.chunks()):
            if not chunk.n:
                continue
            seen, _ = guarded(len_of, self._check(), chunk)
            total |= seen
            yield chunk
        self._end_pass(total)

    def _check(self) -> Check | None:
        """Say in whose name a chunk is checked; once is enough."""
        if self._checked:
            return None
        numbers = getattr(self.learner, "target", "none") in ("number", "numbers")
        return Check(type(self.learner).__name__, self.source.names, numbers)

    def _end_pass(self, seen: Seen) -> None:
        """End a pass; the first one shows whether there is anything to learn from."""
        if not seen.rows:
            must = "a source must give at least one row"
            raise DataError(sentence(self.learner, must, "none"))
        if not self._checked:
            if not seen.weight:
                must = "at least one sample_weight must be above 0"
                raise DataError(sentence(self.learner, must, "zero for every row"))
            for name, size in zip(("sample_weight", "X", "y"), seen[1:], strict=True):
                check_not_tiny(self.learner, size, name, self.source.dtype)
        self.n_rows, self._checked = seen.rows, True
        self.passes += 1

    def _map(self, function: Callable[[Chunk], S]) -> Generator[S]:
        if self._checked and not self.source.replayable:
            must = "a learner that needs several passes needs data it can read again"
            remedy = "Give a function that returns a new iterator, or use partial_fit."
            raise DataError(sentence(self.learner, must, self.source.described, remedy))
        parts = self._parts if self._parts is not None else self.source.parts()
        task = partial(guarded, function, self._check())
        total = Seen()
        for seen, result in self.executor.map(task, parts, self.memories):
            total |= seen
            if self.source.n_rows is None:
                check_working_memory(self.learner, total.rows, self.source.n_features)
            self._forget_beyond(total.rows)
            yield result
        self._end_pass(total)


def chosen_executor(source: Source, single: bool) -> Executor:
    """Pick the executor that the configuration or the kind of data asks for."""
    config = get_config()
    asked = config.executor
    if isinstance(asked, Executor):
        return asked
    if single or asked == "serial":
        return Serial()
    if asked == "threads" or (
        asked == "auto" and not source.described.startswith("Dask")
    ):
        return Threads(config.threads) if config.threads > 1 else Serial()
    from corollary.engine.executors.dask import dask_executor

    executor = dask_executor(None if asked == "auto" else asked)
    if executor is not None:
        return executor
    if asked == "auto":
        return Threads(config.threads)
    must = "executor must be 'auto', 'serial', 'threads' or a dask.distributed Client"
    raise ParameterError(sentence("set_config", must, repr(asked)))


def chosen_schedule() -> PerPass | PerChunk:
    """Return the configured schedule."""
    schedule = get_config().schedule or PerPass()
    if not isinstance(schedule, PerPass | PerChunk):
        must = "schedule must be engine.PerPass() or engine.PerChunk(decay)"
        raise ParameterError(sentence("set_config", must, repr(schedule)))
    return schedule


def run(learner: SummationLearner, source: Source) -> Fitted:
    """Fit a learner to a source under the configured schedule.

    BLAS keeps to one thread: parts of the data have the others, and where there is but
    one part, in many passes, the threads of NumPy's BLAS and of SciPy's would wait for
    each other.  Only many features make matrices that are worth threads of their own.
    """
    schedule = chosen_schedule()
    begun = time.perf_counter()
    data = Data(learner, source, once=isinstance(schedule, PerChunk))
    brief = source.n_features > WIDE or learner.max_passes() <= 1
    free = data.single and brief
    threads = contextlib.nullcontext() if free else single_threaded_blas()
    with threads, numerical_errors(learner):
        try:
            if isinstance(schedule, PerChunk):
                fitted = _per_chunk(learner, data, schedule)
            else:
                fitted = _per_pass(learner, data)
            _account(learner, fitted, data, time.perf_counter() - begun)
        finally:
            data.executor.close()
    return fitted


def _per_pass(learner: SummationLearner, data: Data) -> Fitted:
    """Batch learning, from one start or the best of several."""
    best: Fitted | None = None
    verbose = max(get_config().verbose, int(getattr(learner, "verbose", 0)))
    most = learner.max_passes()
    seed = entropy(getattr(learner, "random_state", None))
    with progress(type(learner).__name__, most, verbose) as tell:
        try:
            for state in learner.starts(data, seed):
                steps = _passes(learner, data, state, most)
                fitted = _follow(learner, data, steps, tell)
                if best is None or _lower(fitted, best):
                    best = fitted
                if fitted.report.stop is StopReason.INTERRUPTED:
                    raise KeyboardInterrupt
        except KeyboardInterrupt:
            if best is None:
                raise
            best.report.stop = StopReason.INTERRUPTED
    assert best is not None
    return best


def _per_chunk(learner: SummationLearner, data: Data, schedule: PerChunk) -> Fitted:
    """Streaming, from the first chunk to the last."""
    if not hasattr(learner, "partial_fit"):
        must = "schedule must be engine.PerPass(): its sums hold for one state only"
        raise ParameterError(sentence(learner, must, f"engine.{schedule}"))
    if not data.source.replayable:
        must = "the first chunk of data that comes once must go through partial_fit"
        raise DataError(sentence(learner, must, data.source.described))
    state = learner.start(data, entropy(getattr(learner, "random_state", None)))
    return _follow(learner, data, _chunks(learner, data, state, schedule.decay))


def _lower(fitted: Fitted, best: Fitted) -> bool:
    return fitted.report.objective[-1:] < best.report.objective[-1:]


class Step(NamedTuple):
    """What one step leaves, and why it was the last one, if it was."""

    state: Any
    statistics: Any
    objective: float
    reason: StopReason | None


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


def _follow(
    learner: SummationLearner,
    data: Data,
    steps: Iterator[Step],
    tell: Callable[[int, float], None] = lambda number, objective: None,
) -> Fitted:
    """Take steps to their end, or to where the user interrupts them."""
    trace: list[float] = []
    last: Step | None = None
    try:
        for last in steps:
            trace.append(last.objective)
            tell(len(trace), last.objective)
        assert last is not None  # every source has a row
        assert last.reason is not None  # and every fit ends
        end, reason = learner.settle(data, last.state), last.reason
    except KeyboardInterrupt:
        if last is None or not learner.publishable(last.state):
            raise
        end, reason = Settled(last.state), StopReason.INTERRUPTED
    passes = 1 if last.reason is StopReason.STREAMING else len(trace)
    trace += [] if end.objective is None else [end.objective]
    report = Report(type(learner).__name__, reason, passes, objective=trace)
    return Fitted(end.state, last.statistics, end.rows, report)


def stream(learner: SummationLearner, source: Source, before: Fitted | None) -> Fitted:
    """Absorb one more batch of a stream: what `partial_fit` does."""
    schedule = chosen_schedule()
    decay = schedule.decay if isinstance(schedule, PerChunk) else 1.0
    begun = time.perf_counter()
    data = Data(learner, source, once=True)
    report = Report(type(learner).__name__, StopReason.STREAMING, 1)
    try:
        if before is None:
            state = learner.start(data, entropy(getattr(learner, "random_state", None)))
        else:
            state = before.state
        s = data.reduce(partial(learner.statistics, state=state))
        if before is not None and type(before.statistics) is not type(s):
            must = "partial_fit cannot go on from a fit that took several kinds of sums"
            came = f"{type(before.statistics).__name__} before {type(s).__name__}"
            raise DataError(sentence(learner, must, came, "Begin with partial_fit."))
        total = s if before is None else before.statistics.scaled(decay) + s
        state = learner.update(total, state)
        if before is not None:
            report.objective = list(before.report.objective)
            report.passes = before.report.passes + 1
            report.rows, report.reads = before.report.rows, before.report.reads
        end = learner.settle(data, state)
        seen = learner.objective(s, state) if end.objective is None else end.objective
        report.objective.append(seen)
        fitted = Fitted(end.state, total, end.rows, report)
        _account(learner, fitted, data, time.perf_counter() - begun)
    finally:
        data.executor.close()
    return fitted


def _account(
    learner: SummationLearner, fitted: Fitted, data: Data, seconds: float
) -> None:
    """Complete the report and warn where the fit stopped short."""
    report, stop = fitted.report, fitted.report.stop
    complete(report, data, seconds)
    learner.account(fitted.state, report)
    if stop is StopReason.INTERRUPTED:
        report.stop = stop
    warn_if_short(report)


def complete(report: Report, data: Data, seconds: float) -> None:
    """Say what data was read, by whom, and in what time."""
    report.rows += data.n_rows
    report.reads += data.passes
    report.seconds = seconds
    report.executor = data.executor.described
    report.source = data.source.described


_unsaid: ContextVar[bool] = ContextVar("corollary_unsaid", default=False)


@contextlib.contextmanager
def unsaid() -> Iterator[None]:
    """Let fits inside another fit stop short without a word: it counts them itself."""
    token = _unsaid.set(True)
    try:
        yield
    finally:
        _unsaid.reset(token)


def warn_if_short(report: Report) -> None:
    """Warn where a fit stopped before its rule was met."""
    if report.stop in SHORT and not _unsaid.get():
        text = (
            f"{report.learner}: {report.stop.word} after {report.passes} passes; "
            f"{report.optimality}. {report.what_to_do}"
        )
        warnings.warn(text, ConvergenceWarning, stacklevel=5)
