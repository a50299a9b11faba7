"""What a Dask worker does: parts, and chunk memories that it keeps between passes."""

from __future__ import annotations

import contextlib
import uuid
from collections import OrderedDict
from dataclasses import dataclass
from typing import Any

from corollary.engine.executors.executor import (
    Memories,
    chunks,
    single_threaded_blas,
)
from corollary.engine.sources.dask import Computed
from corollary.engine.sources.source import Chunk, Loaded, Part

__all__ = ["Shipment", "release", "work", "work_by_memory"]


@dataclass(frozen=True)
class Shipment:
    """A pickled function that a worker opens once."""

    key: str
    pickled: bytes

    @classmethod
    def of(cls, task: Any) -> Shipment:
        """Pickle a function."""
        import cloudpickle  # type: ignore[import-untyped]

        return cls(uuid.uuid4().hex, cloudpickle.dumps(task))

    def opened(self) -> Any:
        """Return the function."""
        import cloudpickle

        if self.key not in opened_tasks:
            opened_tasks[self.key] = cloudpickle.loads(self.pickled)
        task = opened_tasks[self.key]
        keep_at_most(opened_tasks, 4)
        return task


opened_tasks: OrderedDict[str, Any] = OrderedDict()
kept_memories: OrderedDict[str, Memories] = OrderedDict()


def work(
    shipment: Shipment, fit: str, number: int, rows: Any, *blocks: Any
) -> tuple[str, list[Any]]:
    """Apply the function to the chunks of a part; tell which worker did."""
    from distributed import get_worker

    memories = kept_memories.setdefault(fit, {})
    keep_at_most(kept_memories, 16)  # whose client may be gone; only time is lost
    task = shipment.opened()
    part: Part = Loaded(rows) if isinstance(rows, Chunk) else rows
    if blocks:
        part = Computed(rows, blocks)
    with single_threaded_blas():
        results, places = [], []
        for chunk in chunks(part, number, memories):
            results.append(task(chunk))
            places.append(chunk.at)
    memories[(number, -1)] = {"places": places}
    return str(get_worker().address), results


def work_by_memory(
    shipment: Shipment, fit: str, number: int
) -> tuple[str, list[Any] | None]:
    """Apply a function to the memories of a part's chunks; None where they are gone."""
    from distributed import get_worker

    memories = kept_memories.get(fit, {})
    recall, address = shipment.opened(), str(get_worker().address)
    results = []
    with single_threaded_blas():
        for place in memories.get((number, -1), {"places": [None]})["places"]:
            answer = recall(memories.get(place, {}))
            if answer is None:
                return address, None
            results.append(answer)
    return address, results


async def release(fits: set[str]) -> None:
    """Forget the memories of some fits; a coroutine, for nobody waits for it."""
    for fit in fits:
        kept_memories.pop(fit, None)


def keep_at_most(kept: OrderedDict[str, Any], most: int) -> None:
    with contextlib.suppress(KeyError):  # another thread was faster
        while len(kept) > most:
            kept.popitem(last=False)
