"""Rows of a kernel matrix in bounded memory; the least recently used row is dropped.

Also known as: kernel cache, row cache.

A decomposition asks for the same rows again and again, and for fewer and fewer columns
of them; both the rows and the cuts of their columns live in one buffer.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Protocol

import numpy as np

from corollary import loops
from corollary.core.arrays import Floats, Vector

__all__ = ["Cache", "Gram", "Held"]


class Gram(Protocol):
    """A kernel matrix, by rows: all the solver knows of kernel and data."""

    n: int  # columns
    dtype: Any
    given: Any  # type of the data
    nbytes: int  # of memory that the matrix takes beside the data

    @property
    def held(self) -> tuple[Floats, Vector] | None:
        """Return a matrix in memory, and which of its rows and columns these are."""

    @property
    def largest(self) -> float:
        """Return the largest k(x, x), or value seen so far."""

    def fill(self, rows: Vector, out: Floats, slots: Vector) -> None:
        """Write K[rows, columns] into out[slots]; rows count in the whole matrix."""

    def take(self, columns: Vector) -> Gram:
        """Return the matrix of some of the whole matrix's columns."""

    def to(self, dtype: Any) -> Gram:
        """Return the same in another precision."""


class Held:
    """Kernel rows that are in memory already: none is computed, none is copied."""

    def __init__(self, K: Floats, numbers: Vector) -> None:
        self.K, self._numbers, self.computed = K, numbers, len(numbers)

    def slots(self, rows: Vector) -> Vector:
        """Return where these rows are."""
        return self._numbers[rows]

    columns = slots

    def add(self, rows: Vector, change: Any, f: Any, threads: int) -> None:
        """Add sums of rows: f += change' K[rows]."""
        at = self._numbers
        loops.add_kernel_rows(self.K, at[rows], change, f, threads, at)


class Cache:
    """Kernel rows by their numbers, in memory of bounded size.

    >>> len(Cache.memory_for(100, 8e3)) == 10 * 100 * 8  # ten rows of float64
    True
    """

    def __init__(self, gram: Gram, whole: int, memory: Vector) -> None:
        self.buffer = memory.view(gram.dtype)
        self.slot_of = np.full(whole, -1, dtype=np.int64)
        self.computed = 0
        self._lay_out(gram)

    @staticmethod
    def memory_for(n: int, cache_bytes: float) -> Vector:
        """Return room for rows of n numbers: four at least, no more than there are."""
        rows = int(min(max(cache_bytes // (8 * max(1, n)), 4), max(4, n)))
        return np.empty(rows * n * 8, np.uint8)

    def _lay_out(self, gram: Gram) -> None:
        self.gram = gram
        slots = min(len(self.buffer) // max(1, gram.n), len(self.slot_of))
        self.K = self.buffer[: slots * gram.n].reshape(slots, gram.n)
        self.owner = np.full(slots, -1, dtype=np.int64)
        self.used = np.zeros(slots, dtype=np.int64)
        self.filled = self.clock = 0

    def blocks(
        self, gram: Gram, rows: Vector, most: int
    ) -> Iterator[tuple[Vector, Floats, Vector]]:
        """Yield rows of a matrix, so many at a time, with where they are, and in what.

        The cache is empty.  Rows of its own matrix stay in it if it has room for all;
        others pass through its buffer.
        """
        if gram is self.gram and len(rows) <= len(self.K):
            for part in np.split(rows, range(most, len(rows), most)):
                yield part, self.K, self.slots(part)
            return
        size = min(most, len(rows), len(self.buffer) // gram.n)
        block = self.buffer[: size * gram.n].reshape(size, gram.n)
        for part in np.split(rows, range(size, len(rows), size)):
            slots = np.arange(len(part))
            gram.fill(part, block, slots)
            yield part, block, slots
        self.computed += len(rows) * gram.n // len(self.slot_of)

    def columns(self, rows: Vector) -> Vector:
        """Return the columns of rows at work, counted among these."""
        return rows

    def add(self, rows: Vector, change: Any, f: Any, threads: int) -> None:
        """Add sums of rows: f += change' K[rows]."""
        loops.add_kernel_rows(self.K, self.slots(rows), change, f, threads)

    def slots(self, rows: Vector) -> Vector:
        """Return where these rows are, and compute those that are missing."""
        self.clock += 1
        where = self.slot_of[rows]
        absent = where < 0
        if absent.any():
            wanted = np.zeros(len(self.slot_of), dtype=bool)
            wanted[rows[absent]] = True
            missing = np.flatnonzero(wanted)
            self.used[where[~absent]] = self.clock
            free = self._free(len(missing))
            self.gram.fill(missing, self.K, free)
            self.slot_of[missing], self.owner[free] = free, missing
            self.computed += len(missing)
            where = self.slot_of[rows]
        self.used[where] = self.clock
        return where

    def _free(self, count: int) -> Vector:
        """Return places never used, or those unused for longest."""
        first, self.filled = self.filled, self.filled + count
        if self.filled <= len(self.K):
            return np.arange(first, self.filled)
        self.filled = len(self.K) + 1
        free = np.sort(np.argpartition(self.used, count - 1)[:count])
        gone = self.owner[free]
        self.slot_of[gone[gone >= 0]] = -1
        return free

    def cut(self, gram: Gram, keep: Vector, rows: Vector, threads: int) -> None:
        """Keep some columns of the rows that are still wanted, in the same buffer."""
        old = self.owner
        wanted = np.zeros(len(self.slot_of), dtype=bool)
        wanted[rows] = True
        self.slot_of[:] = -1
        kept = np.flatnonzero((old >= 0) & wanted[old])
        loops.cut_rows(self.buffer, self.K.shape[1], kept, keep, threads)
        self._lay_out(gram)
        self.filled = len(kept)
        self.owner[: len(kept)] = old[kept]
        self.slot_of[old[kept]] = np.arange(len(kept))
