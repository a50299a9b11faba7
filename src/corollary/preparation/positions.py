"""Positions: where the values of a column stand among the categories of a model.

    p_n = the k with x_n = category_k,   -1 where there is none                      (1)
    encoded_n = table[p_n]                                                           (2)

A coded column is looked up label by label, and (2) composed before it meets the rows: a
column of a million rows and a hundred labels costs a hundred look-ups and one gather.

Missing values are found by their kind: None, NaN, NaT.  Files, pandas and polars write
them differently; so a missing value of another kind than those of training stands for
the one that training had, if there was only one and the categories were learned.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from corollary.core.arrays import Vector
from corollary.core.column import Column
from corollary.core.distinct import missing_kind
from corollary.core.errors import DataError, sentence

__all__ = ["Positions", "positions"]

NUMBERS = frozenset("fiub")
DATES = frozenset("mM")
EXACT = 2**24  # the whole numbers up to it are exact in every type but the smallest
FINER = ("ns", "ps", "fs", "as")  # than what Python's dates can tell


class Positions(NamedTuple):
    """The position (1) of each label, and which label each row has."""

    of_label: Vector  # (m,) int32; -1 = unknown; one more, the last, for missing values
    codes: Vector | None  # (n,); None = each row has a label of its own

    def look_up(self, table: Vector) -> Vector:
        """Return (2) for each row; the last entry of the table is for the unknown."""
        found = table[self.of_label]
        return found if self.codes is None else found[self.codes]

    def unknown(self) -> Vector | None:
        """Tell which rows hold no category, (n,) booleans; None where all hold one."""
        absent = self.of_label < 0
        if not absent.any():
            return None
        rows = absent if self.codes is None else absent[self.codes]
        return rows if rows.any() else None


def positions(
    column: Column, categories: Vector, who: object, *, learned: bool = True
) -> Positions:
    """Find the values of a column among categories.

    Parameters
    ----------
    column : Column
    categories : array of shape (k,)
        Sorted where they are numbers or dates.
    who : object
        In whose name to refuse values that cannot be compared.
    learned : bool
        Whether a missing value may stand for the only kind that the categories have.

    Examples
    --------
    >>> import numpy as np
    >>> from corollary.core.column import Column
    >>> towns = Column(np.array(["Rome", "Oslo", None], dtype=object))
    >>> found = positions(towns, np.array(["Bonn", "Rome", np.nan], object), "example")
    >>> found.of_label.tolist(), found.look_up(np.array([5, 6, 7, 0])).tolist()
    ([1, -1, 2], [6, 0, 7])
    """
    if column.codes is None:
        return Positions(_find(column.values, categories, who, learned), None)
    k = len(column.values)
    some = Column(column.values, np.append(np.arange(k), -1), column.missing).array()
    return Positions(_find(some, categories, who, learned), column.codes)


def _find(values: Vector, categories: Vector, who: object, learned: bool) -> Vector:
    kinds = {values.dtype.kind, categories.dtype.kind}
    if kinds <= NUMBERS or (kinds <= DATES and len(kinds) == 1):
        return _sorted_places(values, categories)
    if kinds == {"M", "O"}:
        values, categories = dates_as_objects(values), dates_as_objects(categories)
    return _object_places(values, categories, who, learned)


def dates_as_objects(values: Vector) -> Vector:
    """Return dates as Python's, which have microseconds at best; others as they are."""
    if values.dtype.kind != "M":
        return values
    if np.datetime_data(values.dtype)[0] in FINER:
        values = values.astype("datetime64[us]")
    return values.astype(object)


def _sorted_places(values: Vector, categories: Vector) -> Vector:
    """Look up numbers or dates among sorted ones; a missing one is the last."""
    k = len(categories)
    if not k:
        return np.full(len(values), -1, dtype=np.int32)
    small = _small_places(values, categories)
    if small is not None:
        return small
    place = np.minimum(np.searchsorted(categories, values), k - 1).astype(np.int32)
    found = categories[place]
    known = found == values
    if found.dtype.kind in "fmM" and values.dtype.kind in "fmM":
        known |= (found != found) & (values != values)  # NaN or NaT
    place[~known] = -1
    return place


def _small_places(values: Vector, categories: Vector) -> Vector | None:
    """Look up whole numbers in a table, where the categories lie close together."""
    if not {values.dtype.kind, categories.dtype.kind} <= NUMBERS:
        return None
    known = categories[categories == categories]  # no NaN
    if not len(known) or (known != np.floor(known)).any():
        return None
    low, high = known[0].item(), known[-1].item()
    if high - low > max(1024, 8 * len(values)) or max(-low, high) > EXACT:
        return None
    k, size = len(known), int(high) - int(low)
    table = np.full(size + 3, -1, dtype=np.int32)  # one more on either side
    table[known.astype(np.int64) - (int(low) - 1)] = np.arange(k)
    if values.dtype.kind != "f":
        wide = values.astype(np.int64 if values.dtype != np.uint64 else np.float64)
        return table[(np.clip(wide, low - 1, high + 1) - (low - 1)).astype(np.int64)]
    inside = np.clip(values, low - 1, high + 1) - (low - 1)
    missing = np.isnan(inside)
    some = bool(missing.any())
    steps = (np.where(missing, 0, inside) if some else inside).astype(np.int64)
    place = table[steps]
    place[steps != inside] = -1
    if some and k < len(categories):
        place[missing] = k
    return place


class _Places(dict[Any, int]):
    """Position of each category; missing ones by their kind, others unknown."""

    of_kind: dict[int, int]
    other: int  # for a missing value of a kind that is not there

    def __missing__(self, value: Any) -> int:
        kind = missing_kind(value)
        return -1 if kind is None else self.of_kind.get(kind, self.other)


def _object_places(
    values: Vector, categories: Vector, who: object, learned: bool
) -> Vector:
    """Look up texts and objects one by one."""
    places = _Places()
    places.of_kind = {}
    for k, category in enumerate(categories.tolist()):
        kind = missing_kind(category)
        if kind is None:
            places[category] = k
        else:
            places.of_kind[kind] = k
    only = learned and len(places.of_kind) == 1
    places.other = next(iter(places.of_kind.values())) if only else -1
    items = values.tolist()
    try:
        return np.fromiter(map(places.__getitem__, items), np.int32, count=len(items))
    except TypeError:
        must = "values must be texts, numbers or others that can be compared"
        came = f"{sorted({type(item).__qualname__ for item in items})}"
        raise DataError(sentence(who, must, came)) from None
