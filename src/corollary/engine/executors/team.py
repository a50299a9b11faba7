"""The team: threads that do parts of one job side by side, and stop together.

Whoever gives the team a job waits for it.  An error in one part, or Ctrl-C in the
thread that waits, stops the job's token: parts not begun are dropped, parts under way
end at their next look at the token.  A part that cannot look, inside a long call of
LAPACK, is left behind, and the next job gets a new team.
"""

from __future__ import annotations

import os
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextvars import copy_context
from functools import cache
from typing import Any, TypeVar

from corollary import loops
from corollary.core.interrupt import awaited, done_within, stop_if_asked, watching

__all__ = ["Halted", "Job", "in_a_team", "in_turn", "run_parts", "team"]

T = TypeVar("T")
R = TypeVar("R")

GRACE = 0.5  # seconds for the parts under way to notice that they shall stop


class Halted(KeyboardInterrupt):
    """Ctrl-C ended a job; `results` is what its parts had, if all had something."""

    def __init__(self, results: list[Any] | None) -> None:
        super().__init__()
        self.results = results


@cache
def team(threads: int) -> ThreadPoolExecutor:
    """Return the process's team of that size; it waits passively between fits."""
    return ThreadPoolExecutor(threads, thread_name_prefix="corollary")


def in_a_team() -> bool:
    """Tell whether this thread is one of a team, which must not wait for the team."""
    return threading.current_thread().name.startswith("corollary_")


class Job:
    """Parts of one job in a pool of threads; they share a token."""

    def __init__(self, pool: ThreadPoolExecutor) -> None:
        self.pool, self.token = pool, loops.Token()
        self.context = copy_context()
        self.futures: deque[Future[Any]] = deque()  # that nobody has taken yet

    def submit(self, work: Callable[..., R], *arguments: Any) -> Future[R]:
        """Give a part of the job to the next thread that is free."""
        future = self.pool.submit(self._do, work, *arguments)
        self.futures.append(future)
        return future

    def _do(self, work: Callable[..., R], *arguments: Any) -> R:
        with watching(self.token):
            stop_if_asked()
            return self.context.copy().run(work, *arguments)

    def halt(self) -> None:
        """Stop every part; leave behind those that do not notice."""
        self.token.stop()
        for future in self.futures:
            future.cancel()
        until = time.monotonic() + GRACE
        if not all(done_within(f, until - time.monotonic()) for f in self.futures):
            team.cache_clear()
            self.pool.shutdown(wait=False)

    def results(self, parts: int) -> list[Any] | None:
        """Return what every part has, None where one has nothing."""
        ended = all(f.done() and not f.cancelled() for f in self.futures)
        ended = ended and len(self.futures) == parts
        if not ended or any(f.exception() is not None for f in self.futures):
            return None
        return [future.result() for future in self.futures]


def run_parts(
    work: Callable[[T], R], items: Sequence[T], pool: ThreadPoolExecutor
) -> list[R]:
    """Do the work for each item; `Halted` after Ctrl-C knows what the parts had."""
    job = Job(pool)
    try:
        for item in items:
            job.submit(work, item)
        return [awaited(future) for future in job.futures]
    except KeyboardInterrupt:
        job.halt()
        raise Halted(job.results(len(items))) from None
    except BaseException:
        job.halt()
        raise


def in_turn(work: Callable[[T], R], items: Iterable[T]) -> list[R]:
    """Do the same in this thread, as one of a team must."""
    results = []
    for item in items:
        stop_if_asked()
        results.append(work(item))
    return results


if hasattr(os, "register_at_fork"):  # a forked child does not have the threads
    os.register_at_fork(after_in_child=team.cache_clear)
