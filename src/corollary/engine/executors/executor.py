"""Executors: who computes the parts.  Results always come back in the parts' order.

`Serial` and `Threads` differ in nothing but time: BLAS runs on one thread inside both,
so that the same chunk gives the same bits.  `DaskExecutor` is in `dask.py`.
"""

from __future__ import annotations

import contextlib
import os
import sys
import threading
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, ClassVar, Generic, TypeVar

from threadpoolctl import ThreadpoolController

from corollary.core.configuration import get_config
from corollary.core.interrupt import awaited, stop_if_asked
from corollary.core.records import changed
from corollary.engine.executors.team import Job, in_a_team, in_turn, run_parts, team
from corollary.engine.sources.source import Chunk, Loaded, Part

__all__ = [
    "Executor",
    "Memories",
    "NoMemories",
    "Recalling",
    "Serial",
    "Threads",
    "side_by_side",
    "single_threaded_blas",
]

T = TypeVar("T")
R = TypeVar("R")
Task = Callable[[Chunk], R]
Memories = dict[tuple[int, int], dict[str, Any]]  # by part and chunk of the part


class NoMemories(Memories):
    """Memories that are forgotten at once; only time is lost."""

    def setdefault(self, key: Any, default: Any = None) -> Any:
        """Return an empty memory, and keep none."""
        return {}


@dataclass(frozen=True)
class Recalling(Generic[R]):
    """A task that a chunk's memory alone may be enough for."""

    task: Task[R]
    recall: Callable[[dict[str, Any]], R | None]  # None = it is not enough

    def __call__(self, chunk: Chunk) -> R:
        """Apply the task."""
        return self.task(chunk)


class Executor(ABC):
    """Applies a task to each part's chunk and yields the results in order.

    `remote` tells whether chunks are with workers that have memory of their own.
    """

    described: str
    remote: ClassVar[bool] = False

    @abstractmethod
    def map(
        self, task: Task[R], parts: Iterable[Part], memories: Memories
    ) -> Iterator[R]:
        """Yield ``task(chunk)`` for every chunk of every part, in order.

        `memories` keeps what a learner left in ``chunk.memory`` from pass to pass.
        """

    def close(self) -> None:  # noqa: B027  (most executors hold nothing)
        """Let go of whatever the executor holds for one fit."""


def chunks(part: Part, number: int, memories: Memories) -> Iterator[Chunk]:
    """Read a part and give its chunks, but for empty ones, the memories they had."""
    for place, chunk in enumerate(part.chunks()):
        if chunk.n:
            memory = memories.setdefault((number, place), {})
            yield changed(chunk, memory=memory, at=(number, place))


class Serial(Executor):
    """One part after the other; the next one is read while this one is computed."""

    described = "serial"

    def map(
        self, task: Task[R], parts: Iterable[Part], memories: Memories
    ) -> Iterator[R]:
        """Compute in this thread."""
        if isinstance(parts, list) and len(parts) == 1 and not parts[0].several:
            yield from map(task, chunks(parts[0], 0, memories))
            return
        with single_threaded_blas():
            for chunk in _ahead(parts, memories):
                yield task(chunk)


class Threads(Executor):
    """A team of threads, each taking the next part; the loops release the GIL."""

    def __init__(self, threads: int) -> None:
        self.threads = threads
        self.described = f"{threads} thread{'s' if threads > 1 else ''}"

    def map(
        self, task: Task[R], parts: Iterable[Part], memories: Memories
    ) -> Iterator[R]:
        """Keep the team busy with a few parts more than it has threads."""

        def work(number: int, part: Part) -> list[R]:
            results = []
            for chunk in chunks(part, number, memories):
                stop_if_asked()
                results.append(task(chunk))
            return results

        job = Job(team(self.threads))
        window: deque[Future[list[R]]] = job.futures
        with single_threaded_blas():
            try:
                for number, part in enumerate(self._enough(parts)):
                    job.submit(work, number, part)
                    if len(window) > 2 * self.threads:
                        yield from awaited(window.popleft())
                while window:
                    yield from awaited(window.popleft())
            except BaseException:  # an error, Ctrl-C, or a caller that stopped asking
                job.halt()
                raise

    def _enough(self, parts: Iterable[Part]) -> Iterable[Part]:
        """Break up the parts where they are too few to keep every thread busy."""
        if isinstance(parts, list) and len(parts) < 2 * self.threads:
            return (piece for part in parts for piece in _pieces(part))
        return parts


def _pieces(part: Part) -> Iterator[Part]:
    return map(Loaded, part.chunks()) if part.several else iter((part,))


def _ahead(parts: Iterable[Part], memories: Memories) -> Iterator[Chunk]:
    """Read one chunk ahead in a thread of its own.

    A part is opened when the one before has been read to its end: two that are open at
    once would take twice the memory.
    """
    reader, numbered = Job(team(1)), enumerate(parts)
    # the chunks of the part that is read, and those of the next
    waiting: deque[Iterator[Chunk]] = deque()

    def read() -> Chunk | None:
        while waiting:
            if (chunk := next(waiting[0], None)) is not None:
                return chunk
            waiting.popleft()
        return None

    chunk: Chunk | None = None
    try:
        while True:
            while len(waiting) < 2 and (following := next(numbered, None)) is not None:
                number, part = following
                waiting.append(chunks(part, number, memories))
            reading = reader.submit(read) if waiting else None
            if chunk is not None:
                yield chunk
            if reading is None:
                return
            chunk = awaited(reading)
            reader.futures.remove(reading)
    except BaseException:  # as in `Threads`
        reader.halt()
        raise


def side_by_side(work: Callable[[T], R], items: Sequence[T]) -> list[R]:
    """Do the work for each item, several at a time; Ctrl-C stops all of them.

    >>> side_by_side(abs, [-1, 2, -3])
    [1, 2, 3]
    """
    threads = get_config().threads
    if threads == 1 or len(items) <= 1 or in_a_team():
        return in_turn(work, items)
    with single_threaded_blas():
        return run_parts(work, items, team(threads))


_limits_lock = threading.Lock()
_limits: list[tuple[Any, int]] = []  # the libraries held, with the threads they had
_limits_users: set[object] = set()


@lru_cache(maxsize=1)
def _blas(modules: int) -> list[Any]:
    """Look for BLAS (3 ms), unless nothing was imported since the last time."""
    libraries = ThreadpoolController().lib_controllers
    return [library for library in libraries if library.user_api == "blas"]


@contextlib.contextmanager
def single_threaded_blas() -> Iterator[None]:
    """Hold BLAS to one thread; the last of several concurrent fits releases it."""
    user = object()
    try:
        _hold(user)
        yield
    finally:
        try:
            _release(user)
        except KeyboardInterrupt:  # must not leave BLAS on one thread for ever
            _release(user)
            raise


def _hold(user: object) -> None:
    with _limits_lock:
        if not _limits_users:
            had = [(one, one.num_threads) for one in _blas(len(sys.modules))]
            _limits.extend((one, threads) for one, threads in had if threads != 1)
            _limit([(library, 1) for library, _ in _limits])
        _limits_users.add(user)


def _release(user: object) -> None:
    """Let one user go; to do it twice does no harm."""
    with _limits_lock:
        _limits_users.discard(user)
        if _limits and not _limits_users:
            _limit(_limits)
            for library, _ in _limits:
                _any_thread_may_limit(library)
            _limits.clear()


def _limit(limits: list[tuple[Any, int]]) -> None:
    """Limit some libraries from any thread."""
    for library, threads in limits:
        _any_thread_may_limit(library)
        library.set_num_threads(threads)


def _any_thread_may_limit(library: Any) -> None:
    """Let this thread limit BLAS: threadpoolctl obeys only the first that ever did."""
    clear = getattr(library, "clear_controlling_thread", None)  # since 3.8
    if clear is not None:
        clear(force=True)


def _alone() -> None:
    """Forget the limit that threads held which a forked child does not have."""
    global _limits_lock
    _limits_lock = threading.Lock()
    _limits_users.clear()
    _limit(_limits)
    _limits.clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_alone)
