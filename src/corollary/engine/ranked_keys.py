"""Keys of given ranks in groups of rows, in a few passes.

Also known as: distributed selection, multiway radix search.

A target is the key with so many units of weight, or rows, before it,

    k_(r) = the smallest key k of its group with  sum_{k_i <= k} u_i > r         (1)

A pass counts the units of each of many equal cells of an interval that holds the key,
and notes the least and the largest key in each; the next interval is what lies between
those two of the cell of rank r.  Many targets share their cells.  Keys are 64 bits, so
that one target takes no more than six passes.
Numbers become keys by their bits, which are in their order.  `order_statistics.py` does
more, for columns; here each target has rows of its own.

References: Munro and Paterson (1980).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from corollary.core.arrays import Floats, Vector
from corollary.engine.column_cells import bits, floats
from corollary.engine.statistics import Statistics

__all__ = ["CountedKeys", "RankedKeys", "keys_of_numbers", "numbers_of_keys"]

CELLS, ALL_CELLS = 2048, 2**14  # at most: of a target, of all
SIGN = np.uint64(2**63)


def keys_of_numbers(x: Floats) -> Vector:
    """Return keys in the order of numbers.

    >>> keys_of_numbers(np.array([-1.0, 0.0, 2.0])).argsort().tolist()
    [0, 1, 2]
    """
    return bits(x + 0.0).view(np.uint64) ^ SIGN


def numbers_of_keys(keys: Vector) -> Floats:
    """Return the numbers of keys."""
    return floats((keys ^ SIGN).view(np.int64))


@dataclass(frozen=True)
class CountedKeys(Statistics):
    """What cells hold, (targets, cells)."""

    units: Vector
    least: Vector
    largest: Vector

    def __add__(self, other: CountedKeys) -> CountedKeys:
        return CountedKeys(
            self.units + other.units,
            np.minimum(self.least, other.least),
            np.maximum(self.largest, other.largest),
        )


@dataclass(frozen=True)
class RankedKeys:
    """Where the keys of some targets are known to be."""

    low: Vector  # (targets,) uint64
    high: Vector
    rank: Vector  # (targets,) int64, from the low end on

    @classmethod
    def anywhere(cls, ranks: Any) -> RankedKeys:
        """Know nothing."""
        rank = np.asarray(ranks, np.int64)
        low = np.zeros(len(rank), np.uint64)
        return cls(low, low + np.uint64(2**64 - 1), rank)

    @property
    def found(self) -> bool:
        """Tell whether every key is known."""
        return bool((self.low == self.high).all())

    def count(self, groups: Sequence[tuple[Vector, Vector | None]]) -> CountedKeys:
        """Count the keys of some rows, and their units, for each target."""
        shape = len(self.low), self._cells
        made = CountedKeys(
            np.zeros(shape, np.int64),
            np.full(shape, 2**64 - 1, np.uint64),
            np.zeros(shape, np.uint64),
        )
        for j, (keys, units) in enumerate(groups):
            low, high = self.low[j], self.high[j]
            inside = (keys >= low) & (keys <= high)
            own = keys[inside]
            if low == high or not len(own):
                continue
            order = np.argsort(own)
            own = own[order]
            cells = (own - low) // self._steps[j]
            first = np.flatnonzero(np.append(True, cells[1:] != cells[:-1]))
            at = cells[first].astype(np.int64)
            last = np.append(first[1:], len(own))
            made.least[j, at], made.largest[j, at] = own[first], own[last - 1]
            made.units[j, at] = last - first
            if units is not None:
                made.units[j, at] = np.add.reduceat(units[inside][order], first)
        return made

    @property
    def _cells(self) -> int:
        """How many cells a target has."""
        return min(CELLS, max(2, ALL_CELLS // max(1, len(self.low))))

    @property
    def _steps(self) -> Vector:
        """How wide a cell is."""
        return (self.high - self.low) // np.uint64(self._cells) + np.uint64(1)

    def narrowed(self, counted: CountedKeys) -> RankedKeys:
        """Go on inside the cell of each rank."""
        low, high, rank = self.low.copy(), self.high.copy(), self.rank.copy()
        for j in np.flatnonzero(low != high).tolist():
            before = np.cumsum(counted.units[j])
            at = int(np.searchsorted(before, rank[j], side="right"))
            rank[j] -= before[at - 1] if at else 0
            low[j], high[j] = counted.least[j, at], counted.largest[j, at]
        return RankedKeys(low, high, rank)
