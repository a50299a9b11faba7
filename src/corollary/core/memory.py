"""Memory: how much a fit may take, and the sentence where it would take more.

The limit is `set_config(memory_limit=...)`, or else a share of the memory that is free
now, inside the container where there is one.  What is free is looked up only for large
amounts: small fits cost nothing.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from corollary.core.configuration import config_context, get_config
from corollary.core.errors import MemoryLimitError, sentence

__all__ = [
    "FEWER",
    "block_bytes",
    "check_answer",
    "check_memory",
    "check_working_memory",
    "exceeds_memory",
    "less_memory",
]

SMALL = 64 * 2**20  # bytes that are not worth a look at what is free
SHARE = 0.8  # of the free memory
LABEL = 20.0  # bytes of a row while its label is encoded
FEWER = "Use fewer rows, a learner that sums over chunks, or a higher memory_limit."


def memory_limit() -> float:
    """Return the bytes that a fit may take beyond its data."""
    limit = get_config().memory_limit
    return float(limit) if limit is not None else SHARE * free_memory()


def free_memory() -> float:
    """Return the bytes that are free, for the machine and for the container."""
    free = float("inf")
    with contextlib.suppress(OSError, ValueError, IndexError):
        lines = Path("/proc/meminfo").read_text().splitlines()
        line = next(line for line in lines if line.startswith("MemAvailable"))
        free = 1024.0 * int(line.split()[1])
    for most, used in (
        ("memory.max", "memory.current"),
        ("memory/memory.limit_in_bytes", "memory/memory.usage_in_bytes"),
    ):
        with contextlib.suppress(OSError, ValueError):
            group = Path("/sys/fs/cgroup")
            room = int((group / most).read_text()) - int((group / used).read_text())
            free = min(free, float(max(room, 0)))
    return free


def exceeds_memory(needed: float) -> bool:
    """Tell whether so many bytes are more than a fit may take."""
    small = needed <= SMALL and get_config().memory_limit is None
    return not small and needed > memory_limit()


def check_memory(who: object, needed: float, what: str, remedy: str) -> None:
    """Refuse a fit that would exceed the memory limit, before it allocates."""
    if exceeds_memory(needed):
        limit = memory_limit()
        must = f"{what} must fit in memory_limit = {limit / 1e9:.3g} GB"
        came = f"an estimate of {needed / 1e9:.3g} GB"
        raise MemoryLimitError(sentence(who, must, came, remedy))


def check_working_memory(
    learner: Any, rows: int, features: int, held: float = 0.0
) -> None:
    """Refuse a fit whose working memory would exceed the limit.

    It is what the learner states, its labels, and what is `held` of the rows.
    """
    state = getattr(learner, "working_bytes", None)
    needed = held + (0.0 if state is None else state(rows, features))
    if getattr(learner, "target", "none") == "labels":
        needed += LABEL * rows
    if exceeds_memory(needed):
        what = f"what {rows:,} rows of {features:,} columns need"
        check_memory(learner, needed, what, FEWER)


def check_answer(learner: Any, X: Any, columns: int) -> None:
    """Refuse a prediction that would itself exceed the memory limit."""
    needed = float(X.dtype.itemsize) * X.shape[0] * columns
    if exceeds_memory(needed):
        what = f"the answer of {X.shape[0]:,} x {columns:,} numbers"
        remedy = "Ask for fewer rows at a time, or for a higher memory_limit."
        check_memory(learner, needed, what, remedy)


def block_bytes(most: int, share: int = 8) -> int:
    """Return the size of a block of work: so many bytes, or a share of the limit."""
    limit = get_config().memory_limit
    return most if limit is None else min(most, max(1, limit // share))


@contextlib.contextmanager
def less_memory(taken: float) -> Iterator[None]:
    """Leave a block of code what is left of the limit."""
    limit = get_config().memory_limit
    if limit is None or not taken:
        yield
        return
    with config_context(memory_limit=max(1, int(limit - taken))):
        yield
