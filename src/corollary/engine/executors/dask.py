"""The cluster: Dask's workers as an executor that only time can be lost to.

The client keeps a window of parts under way and takes their results in order.  What a
worker needs travels with each part: the function with its state, and the rows as a
reference (files, Dask partitions) or, for arrays in the client's memory, as data that
is placed on a worker once a fit.

A worker may die at any moment.  Whatever it had is given to another one: the part is
submitted again, rows are placed again from the client's copy, chunk memories start
empty.  Since statistics are pure functions of a chunk and a state, and are added up
in the parts' order, the answer is the same to the bit.

A task that the chunks' memories may be enough for goes to the worker that has them,
without the rows; only where they are gone do rows travel, or a partition is computed.
"""

from __future__ import annotations

import asyncio
import contextlib
import sys
import time
import uuid
from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any

from corollary.core.configuration import get_config
from corollary.core.errors import ClusterError, ParameterError, sentence
from corollary.engine.executors.dask_client import (
    Failed,
    Lost,
    asked,
    is_of_the_scheduler,
    losses,
    placed,
)
from corollary.engine.executors.dask_workers import (
    Shipment,
    release,
    work,
    work_by_memory,
)
from corollary.engine.executors.executor import (
    Executor,
    Memories,
    R,
    Recalling,
    Task,
)
from corollary.engine.sources.dask import DaskSource, Partition
from corollary.engine.sources.paths import failure
from corollary.engine.sources.source import Loaded, Part, Slice

__all__ = ["DaskExecutor", "DaskSource", "dask_executor"]

IN_FLIGHT = 4  # parts under way for each thread of the cluster
PATIENCE = 60.0  # seconds to wait while there is no worker at all
ATTEMPTS = 10  # times that a part is given to the cluster, for PATIENCE at least
GLANCE = 1.0  # seconds between two looks at a part that takes long
INLINE_BYTES = 2**20  # of a function with its state, above which it is placed once
GONE = ("lost", "cancelled", "error")  # what becomes of a future


def dask_executor(client: Any) -> DaskExecutor | None:
    """Return an executor for a Client, or None where it is none.

    None asks for the default client, if the process has one.
    """
    distributed = sys.modules.get("distributed")
    if distributed is None:
        return None
    if client is None:
        try:
            return DaskExecutor(distributed.default_client())
        except ValueError:  # there is none
            return None
    return DaskExecutor(client) if isinstance(client, distributed.Client) else None


@dataclass
class Job:
    """One part on its way through the cluster."""

    number: int
    part: Part
    rows: Any = None  # future of rows in memory, else the part itself
    home: str | None = None  # the worker that should do it
    future: Any = None
    answer: Any = None  # the task that gathers what the future holds
    forgotten: bool = False  # whether the chunks' memories were not enough

    def drop(self) -> None:
        """Let the cluster forget a lost future, errors of what it needed included."""
        if self.future is not None:
            self.future.release()
        self.future = self.answer = None

    async def gathered(self, client: Any) -> tuple[str, list[Any] | None] | None:
        """Wait a moment for the results; None where they are not there yet.

        Whoever stops waiting leaves the gathering alone.  Dask gathers for several
        callers in one task: one that is cancelled before it begins stays in the client,
        and all that is gathered later fails.
        """
        if self.answer is None:
            asked = client.gather(self.future, asynchronous=True)
            self.answer = asyncio.ensure_future(asked)
            self.answer.add_done_callback(was_asked)
        await asyncio.wait([self.answer], timeout=GLANCE)
        if not self.answer.done():
            return None
        found: tuple[str, list[Any] | None] = self.answer.result()
        self.drop()  # here in the loop: what a signal raises in a `__del__` is lost
        return found


class DaskExecutor(Executor):
    """The workers of a Dask cluster, reached through a `distributed.Client`."""

    remote = True

    def __init__(self, client: Any) -> None:
        if client.asynchronous:
            must = "a Dask client must be synchronous"
            remedy = "Create it with Client(...) outside of async code."
            raise ParameterError(sentence("DaskExecutor", must, "an async one", remedy))
        self.client = client
        workers = len(self._workers())
        self.described = f"Dask, {workers} worker{'s' if workers != 1 else ''}"
        self._placed: dict[Any, Any] = {}  # futures of the rows of an array
        self._homes: dict[int, str] = {}  # the worker that last had a part
        self._fits: set[str] = set()

    def map(
        self, task: Task[R], parts: Iterable[Part], memories: Memories
    ) -> Iterator[R]:
        """Keep a window of parts under way; take the results in order."""
        order = Order(self.client, task, self._fit(memories))
        window: deque[Job] = deque()
        progress = Progress(window)
        try:
            most = IN_FLIGHT * max(1, sum(self._workers().values()))
            for number, part in enumerate(parts):
                window.append(Job(number, part))
                with contextlib.suppress(Lost):  # `_results` tries again
                    self._submit(order, window[-1])
                    progress.begin()
                self._check_progress(progress)
                if len(window) >= most:
                    yield from self._results(order, window[0], progress)
                    window.popleft()
            while window:
                yield from self._results(order, window[0], progress)
                window.popleft()
        finally:  # an error, Ctrl-C, or a caller that stopped asking
            futures = [job.future for job in window if job.future is not None]
            if futures:
                cancel = partial(self.client.cancel, futures, force=True)
                with contextlib.suppress(Failed):
                    asked(self.client, partial(cancel, asynchronous=True), GLANCE)

    def close(self) -> None:
        """Free the rows and memories that the workers hold."""
        fits, self._fits = self._fits, set()
        self._placed.clear()
        self._homes.clear()
        with contextlib.suppress(Failed):  # nothing to free on a dead cluster
            asked(self.client, partial(self._free, fits), GLANCE)

    async def _free(self, fits: set[str]) -> None:
        run = self.client.run
        await run(release, fits, wait=False, on_error="ignore", asynchronous=True)

    def _fit(self, memories: Memories) -> str:
        """Name the memories on the workers; forgotten ones get another name."""
        mark = memories.setdefault((-1, -1), {})
        if "fit" not in mark:
            mark["fit"] = uuid.uuid4().hex
            self._fits.add(mark["fit"])
        return str(mark["fit"])

    def _submit(self, order: Order, job: Job) -> None:
        """Give a part to the cluster, to the worker that knows it if it is there."""
        job.home = self._homes.pop(job.number, None)
        key = f"corollary-{uuid.uuid4().hex}"
        recalls = bool(job.home and order.recall and not job.forgotten)
        with losses(OSError, TimeoutError, KeyError):  # or unknown by now
            if recalls:
                what: list[Any] = [work_by_memory, order.recall, order.fit, job.number]
                where: dict[str, Any] = {"workers": [job.home]}
            else:
                job.rows = self._rows(job)
                what = [work, order.shipped(), order.fit, job.number, job.rows]
                known = {"workers": [job.home], "allow_other_workers": True}
                where = known if job.home else {}
            computes = not recalls and isinstance(job.part, Partition)
            give = self._compute if computes else self._give
            ask = partial(give, job, *what, key=key, **where)
            asked(self.client, ask, get_config().patience)

    async def _give(self, job: Job, *what: Any, **options: Any) -> None:
        job.future = self.client.submit(*what, pure=False, **options)

    async def _compute(self, job: Job, *what: Any, key: str, **where: Any) -> None:
        import dask

        *call, partition = what
        with dask.annotate(**where):  # the work, not what it needs
            lazy = partition.lazily(*call, key=key)
        job.future = self.client.compute(lazy)

    def _rows(self, job: Job) -> Any:
        """Place rows of this process on a worker, once a fit for an array."""
        part = job.part
        if not isinstance(part, Slice | Loaded):
            return part  # a reference: the worker reads
        key = placement(part)
        future = self._placed.get(key)
        if future is not None and future.status not in GONE:
            return future
        workers = list(self._workers())
        if not workers:
            raise Lost
        worker = workers[job.number % len(workers)]
        (chunk,) = part.chunks()
        future = placed(self.client, chunk, workers=[worker])
        if key is not None:
            self._placed[key] = future
        return future

    def _results(self, order: Order, job: Job, progress: Progress) -> list[Any]:
        """Wait for a part; submit it again as often as it gets lost."""
        begun, attempts = time.monotonic(), 0
        progress.begin()
        while True:
            try:
                if job.future is None:
                    self._submit(order, job)
                self._homes[job.number], results = self._wait(order, job, progress)
                if results is not None:
                    return results
                job.forgotten = True
                job.drop()
                continue
            except Lost as lost:
                reason = failure(lost.__cause__) if lost.__cause__ else "worker died"
            job.drop()
            self._placed.pop(placement(job.part), None)  # to be placed anew
            self._check_progress(progress)
            attempts += 1
            if attempts >= ATTEMPTS and time.monotonic() > begun + PATIENCE:
                must = f"a part must come back from the cluster in {attempts} attempts"
                came = f"part {job.number} lost every time ({reason})"
                remedy = "See the workers' logs: they may be running out of memory."
                raise ClusterError(sentence(self, must, came, remedy))
            time.sleep(min(GLANCE, 0.05 * 2**attempts))  # the dead are soon known
            self._await_workers()

    def _wait(
        self, order: Order, job: Job, progress: Progress
    ) -> tuple[str, list[Any] | None]:
        from distributed import KilledWorker
        from distributed.comm import CommClosedError

        while True:
            with losses(KilledWorker, CommClosedError):
                try:
                    most = GLANCE + get_config().patience
                    ask = partial(job.gathered, self.client)
                    answer = asked(self.client, ask, most)
                    if answer is not None:
                        return answer
                except Failed as failed:
                    error = failed.error
                    if isinstance(error, TimeoutError):  # or the learner's own
                        self._check_progress(progress)
                    # a future cancelled while it is asked may fail inside Dask
                    elif is_of_the_scheduler(error) or job.future.status == "cancelled":
                        raise Lost from error
                    raise
            self._check_progress(progress)
            needed = (job.future, job.rows, order.future)
            if any(getattr(future, "status", "") in GONE for future in needed):
                raise Lost
            workers = self._await_workers()
            if job.home is not None and job.home not in workers:
                raise Lost  # Dask may go on waiting for it, allowed others or not

    def _check_progress(self, progress: Progress) -> None:
        """Give up a cluster that has long finished no part."""
        patience = get_config().patience
        if progress.seconds() > patience:
            must = f"a cluster must finish a part within {patience:g} seconds"
            remedy = "See whether its workers hang, or set_config(patience=...)."
            raise ClusterError(sentence(self, must, "none", remedy))

    def _await_workers(self) -> dict[str, int]:
        """Return the workers with their threads; give up when there are none."""
        until = time.monotonic() + PATIENCE
        while not (workers := self._workers()):
            if time.monotonic() > until or self.client.status == "closed":
                must = f"a cluster must have a worker within {PATIENCE:.0f} seconds"
                came = f"none (client {self.client.status})"
                remedy = "Start workers, or use another executor."
                raise ClusterError(sentence(self, must, came, remedy))
            time.sleep(GLANCE / 10)
        return workers

    def _workers(self) -> dict[str, int]:
        """Look which workers are there now, and how many threads each has."""
        if self.client.status == "running":
            with contextlib.suppress(Lost), losses(OSError, TimeoutError):
                ask, patience = self.client.scheduler.ncores, get_config().patience
                return dict(asked(self.client, ask, patience))
        return {}


class Progress:
    """When the cluster last finished one of the parts under way."""

    def __init__(self, window: deque[Job]) -> None:
        self.window, self.finished = window, 0
        self.moved = time.monotonic()

    def begin(self) -> None:
        """Start the clock: the caller may have been busy meanwhile."""
        self.moved = time.monotonic()

    def seconds(self) -> float:
        """Return how long no part has been finished."""
        futures = [job.future for job in self.window if job.future is not None]
        finished = sum(future.status == "finished" for future in futures)
        if finished > self.finished:
            self.begin()
        self.finished = finished
        return time.monotonic() - self.moved


def was_asked(answer: Any) -> None:
    """Take note of an error that nobody waits for any more."""
    if not answer.cancelled():
        answer.exception()


def placement(part: Part) -> Any:
    """Name the rows of an array, which are placed once; None for other parts."""
    return (id(part.source), part.a, part.b) if isinstance(part, Slice) else None


class Order:
    """The function of one pass, pickled once; a large one is placed on the workers."""

    def __init__(self, client: Any, task: Any, fit: str) -> None:
        self.client, self.fit, self.task, self.future = client, fit, task, None
        recalls = isinstance(task, Recalling)
        self.recall = Shipment.of(task.recall) if recalls else None

    @cached_property
    def shipment(self) -> Shipment:
        """The whole function, which a pass by memories never needs."""
        return Shipment.of(self.task)

    def shipped(self) -> Any:
        """Return what to send with a part."""
        if len(self.shipment.pickled) <= INLINE_BYTES:
            return self.shipment
        if self.future is None or self.future.status in GONE:
            self.future = placed(self.client, self.shipment, broadcast=True)
        return self.future
