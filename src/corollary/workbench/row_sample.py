"""A uniform sample of rows, taken while they are read.

Row i of the file has the key h(seed, i), a hash of 64 bits, and the sample is

    {i : h(seed, i) <= t}                                                        (1)

where t falls as rows come, so that those kept never exceed what there is room for.  It
depends on the seed and on the number of the row, not on the chunks in which a file is
read; kept rows stay in their order.

Also known as: bottom-k sampling, reservoir sampling with keys.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from corollary.core.arrays import Vector

__all__ = ["RowSample", "row_hashes"]

SHRINK = 0.7  # share of the rows that stay when there is no room for more
MIX = (0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9, 0x94D049BB133111EB)


def row_hashes(start: int, count: int, seed: int) -> Vector:
    """Return 64-bit hashes of row numbers (splitmix64).

    >>> bool((row_hashes(0, 5, 0)[2:] == row_hashes(2, 3, 0)).all())
    True
    """
    step, first, second = (np.uint64(mix) for mix in MIX)
    rows = np.arange(start + 1, start + count + 1, dtype=np.uint64)
    offset = np.array([seed % 2**64], dtype=np.uint64) * second
    z = (rows + offset) * step
    z = (z ^ (z >> np.uint64(30))) * first
    z = (z ^ (z >> np.uint64(27))) * second
    return np.asarray(z ^ (z >> np.uint64(31)))


class RowSample:
    """Rows kept so far; `most` of them, or as many as fit in `room` bytes."""

    def __init__(self, seed: int, most: int | None = None, room: float = np.inf):
        self.seed, self.most, self.room = seed, most, room
        self.rows = 0
        self._threshold = np.uint64(2**64 - 1)  # t of (1)
        self._tables: list[Any] = []
        self._keys: list[Vector] = []
        self._bytes = 0.0

    def add(self, table: Any) -> None:
        """Look at the next rows of the file."""
        keys = row_hashes(self.rows, table.num_rows, self.seed)
        self.rows += table.num_rows
        keep = keys <= self._threshold
        if not keep.all():
            table, keys = table.filter(keep), keys[keep]
        if not table.num_rows:
            return
        self._tables.append(table)
        self._keys.append(keys)
        self._bytes += table.nbytes
        kept = sum(map(len, self._keys))
        if self.most is not None and kept > max(2 * self.most, 1000):
            self._shrink(self.most)
        elif self._bytes > self.room and kept > 1:
            self._shrink(max(1, int(SHRINK * kept * self.room / self._bytes)))

    def _shrink(self, most: int) -> None:
        import pyarrow as pa

        keys = np.concatenate(self._keys)
        if len(keys) <= most:
            return
        self._threshold = np.partition(keys, most - 1)[most - 1]
        keep = keys <= self._threshold
        table = pa.concat_tables(self._tables, promote_options="permissive")
        table = table.filter(keep).combine_chunks()
        self._tables, self._keys = [table], [keys[keep]]
        self._bytes = float(table.nbytes)

    def tables(self) -> list[Any]:
        """Return the sample, in the order of the file."""
        if self.most is not None:
            self._shrink(self.most)
        return self._tables
