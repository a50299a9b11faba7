"""Dates: columns of days and moments, of texts that say them, or of numbers of them.

Every date becomes a moment in microseconds, without a time zone: one that has a zone is
the same moment in UTC.  Texts are read as ISO 8601 says, numbers count units since the
first of January 1970.  What is missing is NaT.
"""

from __future__ import annotations

import datetime
from typing import Any

import numpy as np

from corollary.core.arrays import Vector
from corollary.core.column import Column
from corollary.core.distinct import missing_kind
from corollary.core.errors import DataError, MixedTypesError, sentence
from corollary.core.parameters import shown

__all__ = ["MICROSECONDS", "NAT", "dates_of", "moment"]

MICROSECONDS = {
    "D": 86_400e6, "h": 3600e6, "min": 60e6, "s": 1e6, "ms": 1e3, "us": 1.0, "ns": 1e-3
}  # fmt: skip
FIRST, LAST = (np.datetime64(f"{year}-01-01", "us") for year in ("0001", "9999"))
NAT = np.datetime64("NaT", "us")
KINDS: Any = (datetime.date, np.datetime64)  # of a date
FINER = ("ns", "ps", "fs", "as")  # units of which every date is near enough
FAR = 2.0**60  # microseconds that no calendar needs


def moment(value: Any) -> Any:
    """Return one date as a moment in microseconds.

    >>> str(moment("2026-01-02T03:04")), str(moment(datetime.date(2026, 1, 2)))
    ('2026-01-02T03:04:00.000000', '2026-01-02T00:00:00.000000')
    """
    if missing_kind(value) is not None:
        return NAT
    if isinstance(value, str):
        value = datetime.datetime.fromisoformat(value.strip())
    if isinstance(value, datetime.datetime) and value.tzinfo is not None:
        value = value.astimezone(datetime.UTC).replace(tzinfo=None)
    if not isinstance(value, KINDS):
        raise ValueError("no date")
    return np.datetime64(value, "us")


def dates_of(
    who: object, column: Column, name: str, unit: str, first_row: int = 0
) -> Vector:
    """Return a column as moments, (n,) datetime64[us], or name what is none."""
    if column.codes is not None:
        labels = Column(column.values)
        every = np.append(dates_of(who, labels, name, unit), NAT)
        return every[column.codes]
    values = column.values
    if values.dtype == object and column.kind == "number":
        values = column.numbers(who=who, name=name)
    if values.dtype.kind == "M":
        found = values.astype("datetime64[us]")
        if np.datetime_data(values.dtype)[0] not in FINER:
            found[found.astype(values.dtype) != values] = NAT  # too far away
    elif values.dtype.kind in "fiu":
        found = _counted(values, unit)
    else:
        found = _read(who, values, name, first_row)
    wrong = (found < FIRST) | (found > LAST) | (np.isnat(found) & ~column.is_missing())
    if wrong.any():
        row = int(np.argmax(wrong))
        must = f"column {name} must hold dates of the years 1 to 9998"
        came = f"{values[row]} in row {first_row + row}"
        remedy = f"Numbers count {unit!r} since 1970: set unit."
        numbers = values.dtype.kind in "fiu"
        raise DataError(sentence(who, must, came, remedy if numbers else ""))
    return found


def _counted(values: Vector, unit: str) -> Vector:
    """Return numbers of units since 1970 as moments; those out of range as NaT."""
    with np.errstate(over="ignore", invalid="ignore"):
        micro = np.round(values.astype(np.float64) * MICROSECONDS[unit])
        inside = np.abs(micro) < FAR
    found = np.where(inside, micro, 0.0).astype(np.int64).view("datetime64[us]")
    found[~inside] = NAT
    return found


def _read(who: object, values: Vector, name: str, first_row: int) -> Vector:
    """Read texts and objects, each distinct one once."""
    read: dict[Any, np.datetime64] = {}
    out = np.empty(len(values), dtype="datetime64[us]")
    for row, value in enumerate(values.tolist()):
        try:
            if value not in read:
                read[value] = moment(value)
            out[row] = read[value]
        except (ValueError, TypeError, OverflowError) as error:
            kind = MixedTypesError if isinstance(error, TypeError) else DataError
            must = f"column {name} of the argument must be dates, strings as ISO 8601"
            came = f"{shown(value)} in row {first_row + row}"
            raise kind(sentence(who, f"{must} writes them, or numbers", came)) from None
    return out
