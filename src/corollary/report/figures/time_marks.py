"""Moments on an axis: seconds since 1970, marked at round dates."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import numpy as np

__all__ = ["moment_text", "seconds_of", "time_marks"]

ORIGIN = datetime(1970, 1, 1)
MONTHS = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split()
#: Steps between marks, the smallest first: a unit of the calendar, and how many of it.
STEPS = (
    *(("s", 1), ("s", 10), ("m", 1), ("m", 5), ("m", 15)),
    *(("h", 1), ("h", 3), ("h", 6), ("h", 12), ("D", 1), ("D", 2), ("D", 7), ("D", 14)),
    *(("M", 1), ("M", 2), ("M", 3), ("M", 6)),
    *(("Y", step * 10**power) for power in range(4) for step in (1, 2, 5)),
)


def seconds_of(texts: Any) -> list[float] | None:
    """Return moments in seconds since 1970; None where a text is no date.

    >>> seconds_of(["1970-01-02", "1970-01-01T01:00:00.000000"])
    [86400.0, 3600.0]
    >>> seconds_of(["soon"]) is None
    True
    """
    if not isinstance(texts, list):
        return None
    try:
        moments = [datetime.fromisoformat(text) for text in texts]
    except (TypeError, ValueError):
        return None
    return [(each.replace(tzinfo=None) - ORIGIN).total_seconds() for each in moments]


def moment_text(seconds: float, *, year: bool = True) -> str:
    """Return a moment as a reader meets it.

    >>> moment_text(86400), moment_text(3600, year=False)
    ('2 Jan 1970', '1 Jan 1:00')
    """
    at = np.datetime64(round(seconds), "s").item()
    text = f"{at.day} {MONTHS[at.month - 1]}" + (f" {at.year}" if year else "")
    return f"{text} {at.hour}:{at.minute:02d}" if at.hour or at.minute else text


def time_marks(low: float, high: float, most: int = 3) -> list[tuple[float, str]]:
    """Return at most so many round moments between two, and what is written there.

    >>> [text for _, text in time_marks(0, 1.2e8)]
    ['1970', '1972']
    """
    for unit, step in STEPS:
        first, last = (
            np.datetime64(round(end), "s").astype(f"datetime64[{unit}]").astype(int)
            for end in (low, high)
        )
        shift = 1970 if unit == "Y" else 0
        count = (last + shift) // step - (first + shift - 1) // step
        if count > most + 1:
            continue
        start = -(-(first + shift) // step) * step - shift
        places = start + step * np.arange(count)
        marks = places.astype(f"datetime64[{unit}]").astype("datetime64[s]").astype(int)
        inside = [float(mark) for mark in marks if low <= mark <= high]
        if len(inside) <= most:
            return list(zip(inside, _texts(inside, unit), strict=True))
    return []


def _texts(marks: list[float], unit: str) -> list[str]:
    """Return what is written at marks: the year once, if none of them is its first."""
    moments = [np.datetime64(round(mark), "s").item() for mark in marks]
    if unit == "Y":
        return [str(at.year) for at in moments]
    if unit == "M":
        turns = any(at.month == 1 for at in moments)
        return [
            str(at.year)
            if at.month == 1
            else MONTHS[at.month - 1] + f" {at.year}" * (not i and not turns)
            for i, at in enumerate(moments)
        ]
    first = [moment_text(mark) for mark in marks[:1]]
    if unit == "D":
        return first + [moment_text(mark, year=False) for mark in marks[1:]]
    seconds = unit == "s"
    return first + [
        f"{at.hour}:{at.minute:02d}" + f":{at.second:02d}" * seconds
        for at in moments[1:]
    ]
