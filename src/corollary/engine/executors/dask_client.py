"""Asking a Dask cluster from a thread that may hear a signal at any moment.

All that is asked of the client runs in the client's own loop; the thread that asks only
waits.  So what fails there arrives as a value and is raised here under one name, and
whatever else is raised meanwhile comes of a signal's handler and is nobody's to catch:
Ctrl-C, or a TimeoutError that a user's own alarm raises.  Nor can a signal fall in the
middle of what Dask writes to the scheduler.  Another thread wakes the loop, since there
asyncio swallows every OSError (a TimeoutError is one).
"""

from __future__ import annotations

import asyncio
import contextlib
import traceback
from collections.abc import Awaitable, Callable, Iterator
from concurrent.futures import CancelledError, ThreadPoolExecutor
from typing import Any, TypeVar

from corollary.core.configuration import get_config
from corollary.core.interrupt import awaited, done_within

__all__ = ["Failed", "Lost", "asked", "is_of_the_scheduler", "losses", "placed"]

R = TypeVar("R")

ARRIVAL = 10.0  # seconds to wait for a worker to place rows on
WAKER = ThreadPoolExecutor(1, "corollary-dask")  # hands tasks to clients' loops


class Lost(Exception):  # noqa: N818  (a part is submitted again)
    """A part, or the rows it needs, went down with a worker."""


class Failed(Exception):  # noqa: N818  (it never leaves the executor)
    """What was asked of the client failed with `error`, or had no answer in time."""

    def __init__(self, error: BaseException) -> None:
        super().__init__(str(error))
        self.error = error


def asked(client: Any, ask: Callable[[], Awaitable[R]], patience: float) -> R:
    """Run something in the client's loop and wait for it; Failed where it fails."""

    async def answer() -> R:
        return await ask()

    if client.status in ("closing", "closed"):
        raise Failed(OSError("the client is closed"))
    loop = client.loop.asyncio_loop
    future = awaited(WAKER.submit(asyncio.run_coroutine_threadsafe, answer(), loop))
    try:
        done_within(future, patience)
    finally:
        future.cancel()  # nothing where it is done
    if future.cancelled():
        raise Failed(TimeoutError(f"no answer within {patience:g} seconds"))
    error = future.exception()
    if error is not None:
        raise Failed(error) from error
    return future.result()


@contextlib.contextmanager
def losses(*kinds: Any) -> Iterator[None]:
    """Take a cancelled future and some other errors of the client for a loss."""
    try:
        yield
    except Failed as failed:
        if isinstance(failed.error, (CancelledError, asyncio.CancelledError, *kinds)):
            raise Lost from failed.error
        raise failed.error from None


def is_of_the_scheduler(error: BaseException) -> bool:
    """Tell an error of Dask's scheduler from one of the work on a part.

    A worker that dies while a part is taken in can confuse the scheduler, which then
    hands its own error to the client as if the part had raised it.  Dask cuts the
    scheduler out of the trace: nothing but the client is left.
    """
    from distributed import client

    frames = [frame for frame, _ in traceback.walk_tb(error.__traceback__)]
    return bool(frames) and frames[-1].f_code.co_filename == client.__file__


def placed(client: Any, value: Any, **where: Any) -> Any:
    """Put a value on workers; Failed where they do not take it."""
    patience = get_config().patience
    options = {"hash": False, "timeout": min(ARRIVAL, patience), "asynchronous": True}
    return asked(client, lambda: client.scatter(value, **options, **where), patience)
