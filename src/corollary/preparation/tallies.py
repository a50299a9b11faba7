"""Tallies: the distinct values of a column, and what is summed over the rows of each.

Also known as: frequency tables, value counts, grouped moments.

For the value v of a column, over the rows n with x_n = v,

    W_v = sum_n w_n,   m_v = sum_n w_n y_n / W_v,   S_v = sum_n w_n (y_n - m_v)^2  (1)

Two tallies merge value by value: weights add, means and centred squares merge as
moments do (`engine.statistics`), so that no digit is lost:

    m = m_a + d W_b/W,   S = S_a + S_b + d^2 W_a W_b/W,   d = m_b - m_a           (2)

Rows of weight 0 are left out, and with them the values that only they have.  A tally is
as large as the column has values: where these are too many, the column is refused.

Notation: v = labels, sorted as scikit-learn's encoders sort them, missing ones last;
W = weight; m = mean; S = squares.
Course: S0-63. Reference: Chan, Golub and LeVeque (1979).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from corollary.core.arrays import Floats, Vector
from corollary.core.column import Column, joined_column
from corollary.core.distinct import SMALL_RANGE, distinct, objects_array
from corollary.core.errors import DataError, sentence
from corollary.core.memory import block_bytes, check_memory
from corollary.engine.statistics import Statistics

__all__ = [
    "Groups",
    "Tallies",
    "Tally",
    "Weights",
    "check_size",
    "codes_of",
    "labels_of",
    "tally_bytes",
    "weights_of",
]

MOST = 10_000_000  # distinct values of a column
TALLY_BYTES = 2**22  # what merging the tallies of a few thousand texts is like
TALLY_SHARE = 128  # of the limit: a chunk's values, all different, of chunks under way
READING_BYTES = 2**25  # what a source takes while its chunks are read
OBJECT_BYTES = 150  # of a text, with its place in a list and in a table
REMEDY = "Use HashingEncoder, which learns no categories, or drop the column."


# -- what is summed over the rows of each value ----------------------------------------
@dataclass(frozen=True)
class Weights(Statistics):
    """Weight of the rows of each value."""

    weight: Floats  # (k,)

    def placed(self, place: Vector, k: int) -> Weights:
        """Return the same among k values, each at its place."""
        total: Any = np.bincount(place, self.weight, minlength=k)
        return Weights(total)


@dataclass(frozen=True)
class Groups(Statistics):
    """Weight of the rows of each value, and the moments (1) of their targets."""

    weight: Floats  # (k,)
    mean: Floats  # (k, m); 0 where there is no weight
    squares: Floats  # (k, m)

    @classmethod
    def of(cls, codes: Vector, k: int, w: Vector | None, Y: Floats) -> Groups:
        """Take the moments of numbers; rows whose code is -1 are in no group."""
        codes, w, Y = counted(codes, w, Y)
        weight = np.bincount(codes, w, minlength=k).astype(np.float64)
        safe = np.where(weight > 0, weight, 1.0)
        sums = [np.bincount(codes, y if w is None else w * y, minlength=k) for y in Y.T]
        mean = np.stack(sums, axis=1) / safe[:, None]
        about = [(y - m[codes]) ** 2 for y, m in zip(Y.T, mean.T, strict=True)]
        sums = [
            np.bincount(codes, z if w is None else w * z, minlength=k) for z in about
        ]
        return cls(weight, mean, np.stack(sums, axis=1))

    @classmethod
    def of_classes(
        cls, codes: Vector, k: int, w: Vector | None, y: Vector, classes: int
    ) -> Groups:
        """Take the moments of the indicators of classes, which follow from counts."""
        codes, w, y = counted(codes, w, y)
        both = codes.astype(np.int64) * classes + y
        counts = np.bincount(both, w, minlength=k * classes).reshape(k, classes)
        weight = counts.sum(axis=1, dtype=np.float64)
        mean = counts / np.where(weight > 0, weight, 1.0)[:, None]
        return cls(weight, mean, counts * (1.0 - mean))

    def column(self, j: int) -> Groups:
        """Return the moments of one target."""
        return Groups(self.weight, self.mean[:, [j]], self.squares[:, [j]])

    def __add__(self, other: Groups) -> Groups:
        weight = self.weight + other.weight
        delta = other.mean - self.mean
        share = (other.weight / np.where(weight > 0, weight, 1.0))[:, None]
        mean = self.mean + delta * share  # (2)
        between = delta**2 * (self.weight[:, None] * share)
        return Groups(weight, mean, self.squares + other.squares + between)

    def __getitem__(self, some: Any) -> Groups:
        """Return some of the groups."""
        return Groups(self.weight[some], self.mean[some], self.squares[some])

    def placed(self, place: Vector, k: int) -> Groups:
        """Return the same among k values, each at its place."""
        m = self.mean.shape[1]
        weight, mean, squares = np.zeros(k), np.zeros((k, m)), np.zeros((k, m))
        weight[place], mean[place], squares[place] = (
            self.weight,
            self.mean,
            self.squares,
        )
        return Groups(weight, mean, squares)


def counted(codes: Vector, w: Vector | None, y: Vector) -> tuple[Vector, Any, Vector]:
    """Leave out the rows whose code is -1."""
    if not len(codes) or codes.min() >= 0:
        return codes, w, y
    kept = codes >= 0
    return codes[kept], None if w is None else w[kept], y[kept]


# -- tallies ---------------------------------------------------------------------------
@dataclass(frozen=True)
class Tally(Statistics):
    """The distinct values of a column, with what is summed over the rows of each."""

    who: str  # in whose name a column is refused
    name: str  # of the column, for a message
    labels: Vector  # (k,)
    sums: Any = None  # Weights or Groups of the labels; None = not needed
    given: bool = False  # whether the labels are those of the user, in that order

    def __add__(self, other: Tally) -> Tally:
        if self._same_labels(other):
            sums = None if self.sums is None else self.sums + other.sums
            return Tally(self.who, self.name, self.labels, sums, self.given)
        both = joined_column([Column(self.labels), Column(other.labels)])
        m = len(self.labels)
        if self.given:  # of another type
            labels, place = both.array()[:m], np.tile(np.arange(m), 2)
        else:
            labels, place = both.coded(self.who)
        check_size(self.who, self.name, labels)
        sums = None
        if self.sums is not None:
            k = len(labels)
            sums = self.sums.placed(place[:m], k) + other.sums.placed(place[m:], k)
        return Tally(self.who, self.name, labels, sums, self.given)

    def _same_labels(self, other: Tally) -> bool:
        a, b = self.labels, other.labels
        if a is b:
            return True
        if len(a) != len(b) or a.dtype != b.dtype:
            return False
        return a.tolist() == b.tolist()  # a NaN of its own is no harm: it is merged


@dataclass(frozen=True)
class Tallies(Statistics):
    """A tally of each column, and what is summed over all rows."""

    columns: tuple[Tally, ...]
    rows: Any  # Weights or Groups of one group: all rows

    def __add__(self, other: Tallies) -> Tallies:
        check_room([*self.columns, *other.columns])
        pairs = zip(self.columns, other.columns, strict=True)
        return Tallies(tuple(a + b for a, b in pairs), self.rows + other.rows)


def check_room(columns: Sequence[Tally]) -> None:
    """Refuse to merge more distinct values than there is room for, beforehand."""
    first, needed = columns[0], sum(label_bytes(one.labels) for one in columns)
    needed += block_bytes(READING_BYTES, share=2)
    where = "all columns" if len(columns) > 2 else f"column {first.name}"
    check_memory(first.who, needed, f"the distinct values of {where}", REMEDY)


def label_bytes(labels: Vector) -> float:
    """Estimate what distinct values take, with their sums, while they are merged.

    A value and its weight are there before a merger and after it, those of other chunks
    wait to be merged with what comes of it, and freed memory is left in pieces: up to
    sixteen times the value, measured.
    """
    objects = labels.dtype == object
    return len(labels) * float(OBJECT_BYTES if objects else 16 * labels.dtype.itemsize)


def tally_bytes() -> int:
    """Estimate the size of a chunk's tallies, and keep it to a share of the limit."""
    return block_bytes(TALLY_BYTES, TALLY_SHARE)


def check_size(who: object, name: str, labels: Vector) -> None:
    """Refuse a column that has more distinct values than there is room for."""
    k = len(labels)
    what = f"the distinct values of column {name}"
    if k > MOST:
        must = f"{what} must be at most {MOST:,}"
        raise DataError(sentence(who, must, f"{k:,} or more", REMEDY))
    check_memory(who, label_bytes(labels), f"{k:,} or more of {what}", REMEDY)


# -- the values of one chunk -----------------------------------------------------------
def codes_of(column: Column, who: object) -> tuple[Vector, Vector]:
    """Return the distinct values of a column in order, and which each row has."""
    if column.codes is None and column.values.dtype.kind == "f":
        found = _whole_codes(column.values)
        if found is not None:
            return found
    return column.coded(who)


def labels_of(column: Column, who: object) -> Vector:
    """Return the distinct values of a column in order."""
    values = column.values
    if column.codes is None and values.dtype.kind in "OUS":
        return _ordered(set, values, who)[0]
    if column.codes is None and values.dtype.kind == "f":
        found = _whole_codes(values)
        return np.unique(values) if found is None else found[0]
    return codes_of(column, who)[0]


def weights_of(column: Column, w: Vector | None, who: object) -> tuple[Vector, Vector]:
    """Return the distinct values of a column in order, and the weight of each."""
    if column.codes is None and w is None and column.values.dtype.kind in "OUS":
        labels, place, found = _ordered(Counter, column.values, who)
        counts = np.fromiter(found.values(), dtype=np.float64, count=len(found))
        return labels, np.bincount(place, counts, minlength=len(labels))
    labels, codes = codes_of(column, who)
    return labels, np.bincount(codes, w, minlength=len(labels))


def _ordered(
    collect: Callable[[list[Any]], Any], values: Vector, who: object
) -> tuple[Vector, Vector, Any]:
    """Collect texts or objects, and put them in order: labels, places, collection."""
    try:
        found = collect(values.tolist())
    except TypeError:  # values that cannot be compared, as lists
        found = values.tolist()
    labels, place = distinct(objects_array(found), who)
    return (
        labels if values.dtype == object else labels.astype(values.dtype),
        place,
        found,
    )


def _whole_codes(values: Vector) -> tuple[Vector, Vector] | None:
    """Return labels and codes of floats that are whole and close, without a sort."""
    missing = np.isnan(values)
    some = bool(missing.any())
    steps = whole_steps(values[~missing] if some else values)
    if steps is None:
        return None
    low = float(np.nanmin(values))
    there = np.bincount(steps) > 0
    place = np.cumsum(there, dtype=np.int32) - np.int32(1)
    labels = (np.flatnonzero(there) + low).astype(values.dtype)
    if not some:
        return labels, place[steps]
    codes = np.full(len(values), len(labels), dtype=np.int32)
    codes[~missing] = place[steps]
    return np.append(labels, values.dtype.type(np.nan)), codes


def whole_steps(values: Vector) -> Vector | None:
    """Return how far above the lowest each float is, where all are whole and close."""
    if not len(values) or (values[:64] != np.floor(values[:64])).any():
        return None
    low, high = float(values.min()), float(values.max())
    if high - low >= SMALL_RANGE:
        return None
    above = values - low if values.itemsize > 2 else values.astype(np.float32) - low
    steps = above.astype(np.int64)
    return steps if (steps == above).all() else None
