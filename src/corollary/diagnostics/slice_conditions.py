"""Conditions on one column that a slice of the rows may be made of.

Each column is cut into cells: the frequent values of a category, the quantile bins of a
number or a date, and missing values.  A condition is a set of cells:

    category    value = v
    number      a < value <= b,  value <= b,  value > a      at the quantiles
                value = v                                    where there are few of them
    any         value is missing,  value is given

so that every sum over a condition, or over two of them, is a sum of cells: a row of

    C (conditions, cells), 0 or 1,      sums over conditions = C (sums over cells)   (1)

Cells are chosen without a look at the losses.  Rare values, and conditions of fewer
rows than a slice may have, are left out.

Notation: C = members.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from corollary.core.arrays import Floats, Vector
from corollary.core.column import Column
from corollary.core.distinct import objects_array
from corollary.core.errors import MixedTypesError
from corollary.diagnostics.table_text import cell_text

__all__ = ["Conditions", "conditions_of"]

LOOKED_AT = 50_000  # rows that the quantiles are taken from


@dataclass(frozen=True, eq=False)
class Conditions:
    """The conditions on one column."""

    column: int
    codes: Vector  # (n,) the cell of each row; the last cell is in no condition
    cells: int
    members: Floats  # (l, cells) C of (1)
    texts: tuple[str, ...]  # (l,)

    def __len__(self) -> int:
        return len(self.texts)

    def rows(self, at: int) -> Vector:
        """Tell which rows meet a condition."""
        return (self.members[at] > 0)[self.codes]


def conditions_of(
    j: int, name: str, column: Column, bins: int, least: int
) -> Conditions:
    """Return the conditions on a column that at least and at most so many rows meet."""
    gone = column.is_missing()
    numbers = ordered_numbers(column)
    if numbers is None:
        codes, texts = categories(column, gone, least)
        members: Floats = np.eye(len(texts), len(texts) + 1)
        texts = [f"{name} = {text}" for text in texts]
    else:
        codes, cuts, values = cut(numbers, gone, bins)
        members, texts = ranges(name, cuts, values, column.kind == "date")
    codes, members = codes.astype(np.int16), members.astype(np.float64)
    if gone.any():
        codes, members, texts = with_missing(name, codes, members, texts, gone)
    n = len(codes)
    size = members @ np.bincount(codes, minlength=members.shape[1])  # (1)
    keep = (size >= least) & (size <= n - least)
    chosen = tuple(text for text, kept in zip(texts, keep, strict=True) if kept)
    return Conditions(j, codes, members.shape[1], members[keep], chosen)


def with_missing(
    name: str, codes: Vector, members: Floats, texts: list[str], gone: Vector
) -> tuple[Vector, Floats, list[str]]:
    """Add a cell of the missing values, before the last, and its two conditions."""
    last = members.shape[1] - 1
    codes = np.where(codes == last, last + 1, codes)
    codes[gone] = last
    members = np.insert(members, last, 0.0, axis=1)
    absent = np.zeros(last + 2)
    absent[last] = 1.0
    members = np.vstack([members, absent, 1.0 - absent])
    return codes, members, [*texts, f"{name} is missing", f"{name} is given"]


# -- categories ------------------------------------------------------------------------
def categories(column: Column, gone: Vector, least: int) -> tuple[Vector, list[str]]:
    """Return a code for each frequent value, the last code for all others."""
    try:
        labels, codes = column.coded()
    except MixedTypesError:
        texts = objects_array(cell_text(value) for value in column.array())
        labels, codes = Column(texts).coded()
    counts = np.bincount(codes[~gone], minlength=len(labels))
    frequent = np.flatnonzero(counts >= least)
    place = np.full(len(labels), len(frequent))
    place[frequent] = np.arange(len(frequent))
    return place[codes], [cell_text(labels[i]) for i in frequent]


# -- numbers ---------------------------------------------------------------------------
def ordered_numbers(column: Column) -> Floats | None:
    """Return a column of numbers or dates as float64, None of any other."""
    if column.kind == "date":
        return column.array().astype("datetime64[us]").astype(np.int64).astype(float)
    if column.kind != "number":
        return None
    return column.numbers(np.float64, who="find_slices", name=str(column))


def cut(x: Floats, gone: Vector, bins: int) -> tuple[Vector, Floats, Floats | None]:
    """Return the bin of each row, the cuts between bins, and values if they are few."""
    given = x[~gone]
    some = given[:: max(1, len(given) // LOOKED_AT)]
    values, counts = np.unique(some, return_counts=True)
    if len(values) <= bins:
        every = np.unique(given) if len(some) < len(given) else values
        if len(every) <= bins:
            cuts = np.array([between(a, b) for a, b in pairwise(every)])
            return cell_numbers(x, gone, cuts), cuts, every
        values, counts = np.unique(given, return_counts=True)
    cuts = np.array(quantile_cuts(values, np.cumsum(counts), bins))
    return cell_numbers(x, gone, cuts), cuts, None


def quantile_cuts(values: Floats, ranks: Vector, bins: int) -> list[float]:
    """Return short numbers near the quantiles, with values on either side."""
    n, cuts = ranks[-1], []
    for q in np.arange(1, bins) / bins:
        near = n * (q + np.array([-1, 0, 1]) / (8 * bins))
        low, middle, high = np.searchsorted(ranks, near)
        if high > low:
            cuts.append(between(values[low], values[high]))
        elif middle + 1 < len(values):
            cuts.append(between(values[middle], values[middle + 1]))
    return sorted(set(cuts))


def cell_numbers(x: Floats, gone: Vector, cuts: Floats) -> Vector:
    """Return the bin of each row; the last cell holds none yet, but what is missing."""
    found = np.searchsorted(cuts, x, side="left") if len(cuts) else np.zeros(len(x))
    return np.where(gone, len(cuts) + 1, found)


def between(low: float, high: float) -> float:
    """Return the shortest number in [low, high), whole where both are.

    >>> between(61.2, 61.9), between(3.0, 4.0), between(190.0, 215.0)
    (61.5, 3.0, 200.0)
    """
    low, high = float(low), float(high)
    whole = low.is_integer() and high.is_integer()
    for digits in range(1, 17):
        found = float(f"{low + (high - low) / 2:.{digits}g}")
        if low <= found < high and not (whole and not found.is_integer()):
            return found
    return float(low)


def ranges(
    name: str, cuts: Floats, values: Floats | None, dates: bool
) -> tuple[Floats, list[str]]:
    """Return single bins and half-lines as sets of cells, and their texts."""
    b = len(cuts) + 1
    shown = [date_text(c) if dates else f"{c:.10g}" for c in cuts]
    members, texts = [], []
    for i in range(b):
        row = np.zeros(b + 1)
        row[i] = 1.0
        if values is not None and len(values):
            text = date_text(values[i]) if dates else f"{values[i]:.10g}"
            members.append(row)
            texts.append(f"{name} = {text}")
        elif 0 < i < b - 1:
            members.append(row)
            texts.append(f"{shown[i - 1]} < {name} <= {shown[i]}")
    several = values is None or b > 2
    for i in range(b - 1 if several else 0):
        below = np.zeros(b + 1)
        below[: i + 1] = 1.0
        above = np.zeros(b + 1)
        above[i + 1 : b] = 1.0
        single = values is not None  # the ends are among the values
        if not (single and i == 0):
            members.append(below)
            texts.append(f"{name} <= {shown[i]}")
        if not (single and i == b - 2):
            members.append(above)
            texts.append(f"{name} > {shown[i]}")
    return np.array(members).reshape(len(texts), b + 1), texts


def date_text(moment: Any) -> str:
    """Return microseconds since 1970 as a day, or a moment."""
    when = np.datetime64(int(moment), "us")
    day = when.astype("datetime64[D]")
    return str(day) if day == when else str(when.astype("datetime64[s]"))
