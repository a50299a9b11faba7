"""Ctrl-C: what a fit has is published, every thread stops, and the interrupt goes on.

A driver learns inside `as_before`, publishes, and ends with `conclude`:

    no pass complete        the learner stays as it was; KeyboardInterrupt
    some passes complete    the best state is published, its report says INTERRUPTED,
                            and then KeyboardInterrupt is raised again; or, after
                            ``set_config(interrupt="keep")``, a ConvergenceWarning

Threads that work for a fit watch its token: compiled loops and `stop_if_asked` raise
KeyboardInterrupt in them as soon as the fit's own thread has stopped the token.  No
signal handler is installed, and fits in different threads have different tokens.
"""

from __future__ import annotations

import atexit
import contextlib
import os
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextvars import copy_context
from queue import Empty, SimpleQueue
from typing import Any, TypeVar

from sklearn.exceptions import ConvergenceWarning

from corollary import loops
from corollary.core.configuration import config_context, get_config
from corollary.core.report import Report, StopReason
from corollary.core.warn import warn

__all__ = [
    "apart",
    "as_before",
    "awaited",
    "caught",
    "conclude",
    "done_within",
    "or_so_far",
    "stop_if_asked",
    "watching",
]

R = TypeVar("R")

LISTEN = 0.05  # seconds between two looks for a signal
LOW = 5  # priority of a call left behind; 19 would be starved by other processes


@contextlib.contextmanager
def as_before(learner: Any) -> Iterator[None]:
    """Leave a learner as it was where Ctrl-C ends the block.

    Fits inside the block raise it again in any case, for the learner to deal with.
    """
    before = dict(vars(learner))
    inner: contextlib.AbstractContextManager[Any] = contextlib.nullcontext()
    if get_config().interrupt != "raise":
        inner = config_context(interrupt="raise")
    try:
        with inner:
            yield
    except KeyboardInterrupt:
        vars(learner).clear()
        vars(learner).update(before)
        raise


def conclude(report: Report) -> None:
    """End a fit that has published: after Ctrl-C raise it again, or warn."""
    if report.stop is not StopReason.INTERRUPTED:
        return
    if get_config().interrupt == "raise":
        raise KeyboardInterrupt
    text = f"{report.learner}: {report.stop.word} after {report.passes} passes; "
    text += f"{report.optimality}. {report.what_to_do}"
    warn(text, ConvergenceWarning)


@contextlib.contextmanager
def or_so_far(model: Any) -> Iterator[None]:
    """Fit a new model inside another fit; go on where Ctrl-C left one published."""
    try:
        yield
    except KeyboardInterrupt:
        report = getattr(model, "report_", None)
        if report is None or report.stop is not StopReason.INTERRUPTED:
            raise


# -- threads that work for a fit -------------------------------------------------------
@contextlib.contextmanager
def watching(token: loops.Token | None) -> Iterator[None]:
    """Let this thread stop when the token is stopped."""
    before = loops.watch(token)
    try:
        yield
    finally:
        loops.watch(before)


def caught() -> None:
    """Let a thread that was asked to stop, and has heard it, finish its part."""
    loops.watch(None)


def stop_if_asked() -> None:
    """Raise KeyboardInterrupt in a thread whose token is stopped."""
    if loops.asked_to_stop():
        raise KeyboardInterrupt


def awaited(future: Future[R]) -> R:
    """Wait for a part; Ctrl-C is heard even where its signal went to another thread.

    So is whatever else a signal's handler raises, a TimeoutError too.
    """
    done_within(future, float("inf"))
    return future.result()


def done_within(future: Future[Any], seconds: float) -> bool:
    """Wait for a future, and tell whether it is done by then."""
    ended: SimpleQueue[Any] = SimpleQueue()
    future.add_done_callback(ended.put)
    until = time.monotonic() + seconds
    while (left := until - time.monotonic()) > 0:
        if came(ended, left):
            return True
    return future.done()


def came(ended: SimpleQueue[Any], seconds: float) -> bool:
    """Wait a moment for something to come.

    A signal that ends a wait for an event, or for a condition, can let go of the lock
    that the other thread holds at that moment, and then both fail.  Queues wait in C.
    """
    try:
        ended.get(timeout=min(LISTEN, seconds))
    except Empty:
        return False
    return True


# -- calls that cannot be interrupted --------------------------------------------------
def apart(function: Callable[..., R], *arguments: Any, **options: Any) -> R:
    """Call a long function of NumPy or SciPy so that Ctrl-C need not wait for it.

    The main thread waits for another one.  After Ctrl-C that one goes on behind, at a
    low priority, and neither the next fit nor the end of the process waits for it.
    (LAPACK's memory must not be taken from under it: where a system has no way to end
    without taking libraries down first, the end waits.)
    """
    if threading.current_thread() is not threading.main_thread():
        return function(*arguments, **options)
    run, found, failed = copy_context().run, [], []
    ended: SimpleQueue[None] = SimpleQueue()
    end_can_go_without = loops.begin_apart()

    def work() -> None:
        try:
            found.append(run(function, *arguments, **options))
        except BaseException as error:  # raised below, in the thread that asked
            failed.append(error)
        loops.end_apart()
        ended.put(None)

    thread = threading.Thread(target=work, name="corollary-apart", daemon=True)
    thread.start()
    try:
        while not came(ended, LISTEN):  # a signal may have gone to another thread
            pass
    except BaseException:
        if sys.platform == "linux" and thread.native_id is not None:
            with contextlib.suppress(OSError):  # it has ended
                os.setpriority(os.PRIO_PROCESS, thread.native_id, LOW)
        if not end_can_go_without:
            atexit.register(thread.join)
        raise
    if failed:
        raise failed[0]
    return found[0]
