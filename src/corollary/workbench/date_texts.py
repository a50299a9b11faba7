"""Dates as people write them.

    2026-04-03, 2026/4/3 14:05, 2026-04-03T14:05:00Z      year-month-day
    3.4.2026, 03/04/26                                    day.month.year
    4/3/2026 2:05 PM                                      month/day/year
    3 Apr 2026, April 3, 2026                             told by the name of the month
    2026-04, 04/2026, Apr 2026                            the first of the month

Whether 3/4 is the third of April or the fourth of March is told by the column: a first
number above 12 somewhere is a day, so is a second one.  Where no cell tells it, a slash
means month/day, as Americans write, anything else day.month.  Moments with a zone are
turned into those of Greenwich; minutes may be left out.  Numbers of seconds since 1970
are no dates; 20260403 is one where the name of its column says so.  Times of the day,
14:30, are hours, 14.5.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

import numpy as np

from corollary.core.arrays import Vector

__all__ = [
    "DIGITS",
    "Dates",
    "digit_dates",
    "find_dates",
    "find_digit_dates",
    "find_hours",
    "is_date",
    "parse_dates",
    "parse_hours",
]

LOOKED_AT = 200
ENOUGH = 0.9  # of the cells looked at, for a column to be tried as dates
YEAR_FIRST = r"^(?P<c>\d{4})(?P<s>[-/.])(?P<b>\d{1,2})[-/.](?P<a>\d{1,2})"
YEAR_LAST = r"^(?P<a>\d{1,2})(?P<s>[-/.])(?P<b>\d{1,2})[-/.](?P<c>\d{4}|\d{2})"
DAY_NAME = (
    r"^(?P<a>\d{1,2})(?P<s>[-/. ]) ?(?P<b>[A-Za-z]{3,9})[-/., ]{1,2}(?P<c>\d{4}|\d{2})"
)
NAME_DAY = r"^(?P<b>[A-Za-z]{3,9})(?P<s>[. ]) ?(?P<a>\d{1,2}),? (?P<c>\d{4})"
CLOCK = (
    r"(?:(?:T|,? )(?P<h>\d{1,2})(?::(?P<m>\d{2})(?::(?P<e>\d{2})(?P<f>[.,]\d{1,9})?)?)?"
    r" ?(?P<p>[AaPp][Mm])? ?(?P<z>Z|UTC|GMT|[+-]\d{2}:?\d{2})?)?$"
)
MONTH = r"(?P<a>)(?P<b>\d{1,2})"  # of which no day is said
YEAR_MONTH = rf"^(?P<c>\d{{4}})(?P<s>[-/]){MONTH}" + CLOCK
MONTH_YEAR = rf"^{MONTH}(?P<s>[-/])(?P<c>\d{{4}})" + CLOCK
NAME_YEAR = r"^(?P<a>)(?P<b>[A-Za-z]{3,9})(?P<s>[-/., ]) ?(?P<c>\d{4})" + CLOCK
DIGITS = "yearmonthday"
FORMS = {
    "year-month-day": YEAR_FIRST + CLOCK,
    "numbers": YEAR_LAST + CLOCK,
    "day month-name year": DAY_NAME + CLOCK,
    "month-name day year": NAME_DAY + CLOCK,
    "year-month": YEAR_MONTH,
    "month/year": MONTH_YEAR,
    "month-name year": NAME_YEAR,
    DIGITS: r"^(?P<c>\d{4})(?P<s>)(?P<b>\d{2})(?P<a>\d{2})" + CLOCK,
}
HOURS = r"^(?P<h>\d{1,2}):(?P<m>\d{2})(?::(?P<e>\d{2}(?:[.]\d{1,9})?))?$"
DATED = re.compile(r"(^|[^a-z])(date|day|ymd|dt)([^a-z]|$)|date$")
MONTHS = "jan feb mar apr may jun jul aug sep oct nov dec".split()
NAMES = (
    "january february march april may june july august september october november "
    "december sept"
).split()
NAME_OF = {name: place % 12 + 1 for place, name in enumerate(NAMES[:12])}
NAME_OF |= {name: place + 1 for place, name in enumerate(MONTHS)} | {"sept": 9}


@dataclass(frozen=True)
class Dates:
    """Texts read as dates, and how."""

    array: Any  # timestamp[us], null where a text is no date
    how: str
    unsure: bool = False  # no cell tells the day from the month


@dataclass(frozen=True)
class Parts:
    """The parts of dates, each an integer array of shape (n,); NaN nowhere."""

    valid: Vector
    first: Vector  # the day, or the month, by the order
    second: Vector
    year: Vector
    micros: Vector  # of the day, less the zone


def order_of(how: str) -> str:
    """Return which of two numbers comes first, by the words of a column.

    >>> order_of("month/day/year"), order_of("day.month.year")
    ('month', 'day')
    """
    return "month" if how.startswith("month/") or how.startswith("month-d") else "day"


def find_dates(array: Any) -> Dates | None:
    """Return texts as dates where nearly all of them are, else None."""
    import pyarrow as pa
    import pyarrow.compute as pc

    some = array.drop_null().slice(0, LOOKED_AT).to_pylist()
    counts = {
        form: sum(1 for text in some if re.match(pattern, text))
        for form, pattern in FORMS.items()
    }
    form = max(counts, key=lambda one: counts[one])
    if not some or counts[form] < ENOUGH * len(some):
        return None
    if form == "year-month-day":
        try:
            return Dates(pc.cast(array, pa.timestamp("us")), form)
        except pa.ArrowInvalid:
            return Dates(parse_dates(array, form), form)
    if form != "numbers":
        return Dates(parse_dates(array, form), form)
    parts = parts_of(array, FORMS[form])
    days_first, months_first = (moments(parts, order) for order in ("day", "month"))
    lost = [int(np.isnat(found).sum()) for found in (days_first, months_first)]
    sign = separator(some)
    unsure = lost[0] == lost[1]
    month = lost[1] < lost[0] or (unsure and sign == "/")
    how = sign.join(("month", "day", "year") if month else ("day", "month", "year"))
    return Dates(pa.array(months_first if month else days_first), how, unsure)


def is_date(text: str) -> bool:
    """Tell whether a text looks like a date that is no plain number.

    >>> is_date("3.4.2026"), is_date("20260403"), is_date("3.4")
    (True, False, False)
    """
    text = text.strip()
    return any(re.match(p, text) for form, p in FORMS.items() if form != DIGITS)


def find_digit_dates(name: str, values: Any) -> Any | None:
    """Return 20260403 and the like as dates, in a column that is named for dates."""
    import pyarrow.compute as pc

    if not DATED.search(name.lower()) or values.null_count == len(values):
        return None
    bounds = pc.min_max(values).as_py()
    if not 19_000_101 <= bounds["min"] <= bounds["max"] <= 22_000_101:
        return None
    if not pc.all(pc.equal(pc.floor(values), values)).as_py():
        return None
    dates = digit_dates(values)
    return dates if dates.null_count == values.null_count else None


def digit_dates(values: Any) -> Any:
    """Return numbers such as 20260403 as dates; null where there is no such day."""
    import pyarrow as pa
    import pyarrow.compute as pc

    texts = pc.cast(pc.cast(values, pa.int64(), safe=False), pa.string())
    return parse_dates(texts, DIGITS)


def find_hours(array: Any) -> Any | None:
    """Return times of the day such as 14:30 as hours, 14.5, where all cells are."""
    some = array.drop_null().slice(0, LOOKED_AT).to_pylist()
    if not some or not all(re.match(HOURS, text) for text in some):
        return None
    hours = parse_hours(array)
    return hours if hours.null_count == array.null_count else None


def parse_hours(array: Any) -> Any:
    """Return times of the day as hours; null where a text is none."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if isinstance(array, pa.ChunkedArray):
        array = array.combine_chunks()
    found = pc.extract_regex(array, HOURS)
    parts = []
    for name in "hme":
        field = pc.struct_field(found, name)
        parts.append(pc.cast(pc.if_else(pc.equal(field, ""), "0", field), pa.float64()))
    hours = pc.add(parts[0], pc.divide(parts[1], 60.0))
    hours = pc.add(hours, pc.divide(parts[2], 3600.0))
    good = pc.and_(pc.less(hours, 24.0), pc.less(parts[1], 60.0))
    return pc.if_else(good, hours, pa.scalar(None, pa.float64()))


def separator(texts: list[str]) -> str:
    """Return the first sign between two numbers."""
    found = re.search(r"\d([-/.])\d", texts[0]) if texts else None
    return found.group(1) if found else "."


def parse_dates(array: Any, how: str) -> Any:
    """Return texts as timestamp[us] in any form; `how` tells days from months."""
    import pyarrow as pa

    found = np.full(len(array), np.datetime64("NaT", "us"))
    for form, pattern in FORMS.items():
        order = order_of(how) if form == "numbers" else "day"
        new = moments(parts_of(array, pattern), order)
        found = np.where(np.isnat(found), new, found)
        if not np.isnat(found).any():
            break
    return pa.array(found)


def parts_of(array: Any, pattern: str) -> Parts:
    """Take texts apart by a form of dates."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if isinstance(array, pa.ChunkedArray):
        array = array.combine_chunks()
    found = pc.extract_regex(array, pattern)
    valid = np.asarray(found.is_valid().to_numpy(zero_copy_only=False))

    def texts(name: str) -> Any:
        field = pc.struct_field(found, name)
        return pc.fill_null(field, "")

    def whole(name: str) -> Vector:
        field = texts(name)
        field = pc.if_else(pc.equal(field, ""), "0", field)
        return np.asarray(pc.cast(field, pa.int64()).to_numpy(zero_copy_only=False))

    year = whole("c")
    short = valid & (pc.utf8_length(texts("c")).to_numpy(zero_copy_only=False) == 2)
    year = np.where(short, year + np.where(year >= 69, 1900, 2000), year)
    months = "[A-Za-z]" in pattern.split("(?P<h>")[0]
    second = named_months(texts("b")) if months else whole("b")
    hours, afternoon = whole("h"), pc.utf8_lower(texts("p"))
    clock = np.asarray(pc.not_equal(afternoon, "").to_numpy(zero_copy_only=False))
    late = np.asarray(pc.equal(afternoon, "pm").to_numpy(zero_copy_only=False))
    valid &= ~clock | ((hours >= 1) & (hours <= 12))
    hours = np.where(clock, hours % 12 + 12 * late, hours)
    minutes, seconds = whole("m"), whole("e")
    valid &= (hours <= 24) & (minutes < 60) & (seconds <= 60)
    micros = ((hours * 60 + minutes) * 60 + seconds) * 1_000_000
    micros += fractions(texts("f")) - zones(texts("z"))
    first = np.ones_like(year) if "(?P<a>)" in pattern else whole("a")
    return Parts(valid, first, second, year, micros)


def named_months(texts: Any) -> Vector:
    """Return the numbers of months, 0 for a word that is none."""
    import pyarrow.compute as pc

    coded = pc.utf8_lower(texts).dictionary_encode()
    numbers = [NAME_OF.get(word, 0) for word in coded.dictionary.to_pylist()]
    return np.array([*numbers, 0])[np.asarray(coded.indices)]


def fractions(texts: Any) -> Vector:
    """Return microseconds of ".25" and the like."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if not pc.any(pc.not_equal(texts, "")).as_py():
        return np.zeros(len(texts), dtype=np.int64)
    digits = pc.utf8_rpad(pc.utf8_slice_codeunits(texts, 1, 7), 6, "0")
    return np.asarray(pc.cast(digits, pa.int64()))


def zones(texts: Any) -> Vector:
    """Return microseconds by which a zone is before Greenwich."""
    import pyarrow.compute as pc

    coded = texts.dictionary_encode()
    ahead = []
    for zone in coded.dictionary.to_pylist():
        found = re.fullmatch(r"([+-])(\d\d):?(\d\d)", zone)
        minutes = 60 * int(found.group(2)) + int(found.group(3)) if found else 0
        ahead.append(-minutes if found and found.group(1) == "-" else minutes)
    codes = np.asarray(pc.fill_null(coded.indices, 0))
    return np.array([*ahead, 0], dtype=np.int64)[codes] * 60_000_000


def moments(parts: Parts, order: str) -> Vector:
    """Return parts as datetime64[us], NaT where there is no such day."""
    day, month = parts.first, parts.second
    if order == "month":
        day, month = month, day
    good = parts.valid & (month >= 1) & (month <= 12) & (day >= 1) & (day <= 31)
    good &= (parts.year >= 1) & (parts.year <= 9999)
    year, month, day = (np.where(good, x, 1) for x in (parts.year, month, day))
    start = ((year - 1970) * 12 + month - 1).astype("datetime64[M]")
    days = start.astype("datetime64[D]") + (day - 1)
    good &= days.astype("datetime64[M]") == start
    found = days.astype("datetime64[us]") + parts.micros.astype("timedelta64[us]")
    return np.where(good, found, np.datetime64("NaT", "us"))
