"""Data: a source with somebody to compute on it, checked when it is first read."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Generator, Iterator, Mapping
from functools import cached_property, partial
from types import MappingProxyType
from typing import Any, TypeVar

import numpy as np

from corollary.core.arrays import Vector
from corollary.core.configuration import get_config
from corollary.core.errors import DataError, ParameterError, sentence
from corollary.core.magnitude import check_not_tiny
from corollary.core.memory import check_working_memory, exceeds_memory
from corollary.engine.executors.executor import (
    Executor,
    Memories,
    NoMemories,
    Recalling,
    Serial,
    Threads,
    chunks,
)
from corollary.engine.first_pass import Check, Seen, guarded, len_of
from corollary.engine.sources.source import ArraySource, Chunk, Source, chunk_bytes
from corollary.engine.statistics import fold

__all__ = ["Data"]

S = TypeVar("S")

NARROW = 100  # features whose matrices cost nothing


class Data:
    """A source with somebody to compute on it: what a learner's `start` sees.

    `once` tells that no row will be met again: a stream, or chunks that come once;
    `given` is what callbacks see of the rows, as the user gave them.
    """

    def __init__(
        self,
        learner: Any,
        source: Source,
        *,
        once: bool = False,
        given: Mapping[str, Any] = MappingProxyType({}),
    ) -> None:
        self.learner, self.source, self.given = learner, source, given
        self.once = once or not source.replayable
        sums = learner.sums_bytes(source.n_features)
        source.chunk_bytes = chunk_bytes(sums)
        parts = source.parts() if source.in_memory else None
        self._parts = parts if isinstance(parts, list) else None
        self.single = self._parts is not None and len(self._parts) == 1
        self.executor = chosen_executor(source, self.single)
        if not isinstance(source, ArraySource):  # an array was checked when opened
            self._check_memory(source.n_rows or 0)
        self.memories: Memories = {}
        self.row_bytes = getattr(learner, "row_bytes", 0.0)
        self._forget_beyond(source.n_rows or 0)
        self._whole: Chunk | None = None  # all rows, where one chunk has them
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

    def reduce(
        self,
        statistics: Callable[[Chunk], S],
        recall: Callable[[dict[str, Any]], S | None] | None = None,
    ) -> S:
        """Make one pass and add up what each chunk contributes.

        `recall` says it from the chunk's memory alone, or None where that is not
        enough: an executor whose workers fetch rows asks it first.
        """
        if self._one_chunk:
            return self._at_once(statistics)
        with contextlib.closing(self._map(statistics, recall)) as results:
            total = fold(results)
        if total is None:
            must = "a source must give at least one chunk of rows"
            raise DataError(sentence(self.learner, must, "none"))
        return total

    @property
    def _one_chunk(self) -> bool:
        """Tell whether this thread computes on all rows of an array in one chunk."""
        plain = isinstance(self.source, ArraySource) and self.single
        return plain and type(self.executor) is Serial

    def _at_once(self, function: Callable[[Chunk], S]) -> S:
        """Make a pass over rows that are one chunk: nothing is divided or added up."""
        if self._whole is None:
            assert self._parts is not None
            self._whole = next(chunks(self._parts[0], 0, self.memories), None)
            if self._whole is None:
                self._end_pass(Seen())  # refuses it
            assert self._whole is not None
        if self._checked:  # many passes over few rows: no more than this
            self.passes += 1
            return function(self._whole)
        seen, result = guarded(function, self._check(), self._whole)
        self._end_pass(seen)
        return result

    def rows(
        self, outputs: Callable[[Chunk], tuple[Vector, ...]]
    ) -> tuple[Vector, ...]:
        """Make one pass and join what it says of each row."""
        if self._one_chunk:
            return self._at_once(outputs)
        parts = list(self._map(outputs))
        if len(parts) == 1:
            return parts[0]
        return tuple(np.concatenate(columns) for columns in zip(*parts, strict=True))

    def look(self) -> None:
        """Make a pass that only checks the rows."""
        if self._one_chunk:
            self._at_once(len_of)
            return
        for _ in self.one_by_one():
            pass

    def forget(self) -> None:
        """Drop the chunks' memories; only time is lost."""
        self.memories.clear()
        self._whole = None

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
        missing = getattr(self.learner, "takes_missing", bool)()
        who, names = type(self.learner).__name__, self.source.names
        return Check(who, names, numbers, missing, self._double())

    def _double(self) -> bool:
        """Tell whether the learner makes its squares in float64."""
        return getattr(self.learner, "double_squares", False)

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
                dtype, double = self.source.dtype, self._double() and name == "X"
                check_not_tiny(self.learner, size, name, dtype, double)
        self.n_rows, self._checked = seen.rows, True
        self.passes += 1

    def _check_memory(self, rows: int) -> None:
        """Refuse rows whose work does not fit in memory, nor stays with workers."""
        if not self.stays_apart(rows):
            check_working_memory(self.learner, rows, self.source.n_features)

    def stays_apart(self, rows: int) -> bool:
        """Tell whether a reduced form of the rows stays with the workers of a cluster.

        It does where the learner can do with sums and where the rows would take more
        memory here than the limit.
        """
        if not self.executor.remote or not getattr(self.learner, "apart", bool)():
            return False
        return exceeds_memory(self.learner.working_bytes(rows, self.source.n_features))

    def _map(
        self,
        function: Callable[[Chunk], S],
        recall: Callable[[dict[str, Any]], S | None] | None = None,
    ) -> Generator[S]:
        if self._checked and not self.source.replayable:
            must = "a learner that needs several passes needs data it can read again"
            remedy = "Give a function that returns a new iterator, or use partial_fit."
            raise DataError(sentence(self.learner, must, self.source.described, remedy))
        parts = self._parts if self._parts is not None else self.source.parts()
        task: Any = partial(guarded, function, self._check())
        if recall is not None:
            task = Recalling(partial(noted, task), partial(with_rows, recall))
        total = Seen()
        for seen, result in self.executor.map(task, parts, self.memories):
            total |= seen
            if self.source.n_rows is None:
                self._check_memory(total.rows)
            self._forget_beyond(total.rows)
            yield result
        self._end_pass(total)


def noted(task: Callable[[Chunk], S], chunk: Chunk) -> S:
    """Apply a task to a chunk, whose memory takes note of its rows."""
    chunk.memory["rows"] = chunk.n
    return task(chunk)


def with_rows(
    recall: Callable[[dict[str, Any]], S | None], memory: dict[str, Any]
) -> tuple[Seen, S] | None:
    """Return what a chunk's memory says, and of how many rows."""
    answer = recall(memory)
    return None if answer is None else (Seen(memory["rows"]), answer)


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
