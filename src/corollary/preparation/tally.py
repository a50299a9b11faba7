"""Value counts of columns: the most frequent value, in summation form.

Also known as: mode, most frequent value, value counts, frequency table.

    mode_j = argmax_v  sum_i w_i [x_ij = v]      (ties: the lowest v)            (1)

A chunk counts its distinct values; counts of two chunks add up.  A column that has more
distinct values than may be kept is counted in B parts, a pass for each: the b-th counts
the values whose key (a hash of their bits) leaves b when divided by B, so that the
memory is bounded and the answer is exact.

Course: S0-63. Reference: Misra and Gries (1982).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from corollary.core.arrays import Floats, Matrix, Vector
from corollary.core.memory import block_bytes
from corollary.engine import Statistics
from corollary.engine.column_cells import columns_of

__all__ = ["Counting", "Tally"]

MOST = 2**18  # distinct values of a column that are kept
LEAST = 1000  # of them, whatever the memory limit
VALUE_BYTES = 64  # of a value with its weight, where chunks are under way
PARTS = 8  # times as many parts where these are too many


@dataclass(frozen=True)
class Tally(Statistics):
    """The distinct values of each column, rising, and the weight of each."""

    values: list[Floats]  # (d,) arrays; none of a column with too many
    weights: list[Floats]
    over: Vector  # (d,) which columns have too many
    most: int

    @classmethod
    def of(cls, X: Matrix, w: Vector | None, part: int, parts: int, most: int) -> Tally:
        """Count the values of some columns whose keys are in one part."""
        values, weights = [], []
        for _, x, own in columns_of(X, w):
            mass = np.ones(len(x)) if own is None else own[0]
            if parts > 1:
                chosen = keys(x) % np.uint64(parts) == np.uint64(part)
                x, mass = x[chosen], mass[chosen]
            found, totals = summed(x, mass)
            values.append(found)
            weights.append(totals)
        return cls(values, weights, np.zeros(X.shape[1], bool), most)._kept()

    def __add__(self, other: Tally) -> Tally:
        pairs = [
            summed(np.concatenate([a, b]), np.concatenate([v, w]))
            for a, b, v, w in zip(
                self.values, other.values, self.weights, other.weights, strict=True
            )
        ]
        values, weights = (list(part) for part in zip(*pairs, strict=True))
        return Tally(values, weights, self.over | other.over, self.most)._kept()

    def _kept(self) -> Tally:
        """Drop the values of columns that have too many."""
        over = self.over | [len(x) > self.most for x in self.values]
        if not over.any():
            return self
        none = np.zeros(0)
        values, weights = (
            [none if gone else x for x, gone in zip(part, over, strict=True)]
            for part in (self.values, self.weights)
        )
        return Tally(values, weights, over, self.most)


@dataclass(frozen=True)
class Counting:
    """The search for the most frequent values, part by part."""

    value: Floats  # (d,) NaN while there is none
    weight: Floats  # (d,) of the value
    part: int = 0
    parts: int = 1
    most: int = MOST

    @classmethod
    def begin(cls, d: int) -> Counting:
        """Know no value."""
        most = block_bytes(MOST * VALUE_BYTES * d, share=8) // (VALUE_BYTES * d)
        return cls(np.full(d, np.nan), np.zeros(d), most=max(LEAST, most))

    @property
    def done(self) -> bool:
        """Whether all parts are counted."""
        return self.part == self.parts

    def count(self, X: Matrix, w: Vector | None) -> Tally:
        """Count a chunk's values."""
        return Tally.of(X, w, self.part, self.parts, self.most)

    def counted(self, s: Tally) -> Counting:
        """Keep the most frequent values (1); begin again where they were too many."""
        if s.over.any():
            none = np.full(len(s.over), np.nan), np.zeros(len(s.over))
            return Counting(*none, parts=self.parts * PARTS, most=self.most)
        value, weight = self.value.copy(), self.weight.copy()
        for j, (x, totals) in enumerate(zip(s.values, s.weights, strict=True)):
            if not len(x):
                continue
            best = int(totals.argmax())  # the first of several: the lowest
            tie = totals[best] == weight[j] and x[best] < value[j]
            if totals[best] > weight[j] or tie:
                value[j], weight[j] = x[best], totals[best]
        return replace(self, value=value, weight=weight, part=self.part + 1)


def summed(x: Floats, mass: Floats) -> tuple[Floats, Floats]:
    """Return distinct values, rising, and the sums of their weights.

    >>> [part.tolist() for part in summed(np.array([2.0, 1, 2]), np.array([1.0, 5, 3]))]
    [[1.0, 2.0], [5.0, 4.0]]
    """
    if not len(x):
        return x, mass
    order = np.argsort(x, kind="stable")
    x, mass = x[order], mass[order]
    first = np.flatnonzero(np.append(True, x[1:] != x[:-1]))
    return x[first], np.add.reduceat(mass, first)


def keys(x: Any) -> Vector:
    """Return a 64-bit key of each value; 0 and -0 have the same."""
    h = (x + 0.0).view(np.uint64)
    h = (h ^ (h >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    h = (h ^ (h >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return h ^ (h >> np.uint64(31))
