"""Parts of dates: year, month, weekday, ... as columns of numbers.

Also known as: calendar features, datetime features, seasonal features, date expansion.

A moment t, in days since 1970, is written in parts: its year Y, month M, day of the
month D, and what follows from them,

    weekday     = (floor(t) + 3) mod 7,          Monday = 0                          (1)
    day_of_year = floor(t) - floor(first of January of Y) + 1                        (2)
    elapsed     = t - t_0,     t_0 = origin                                          (3)

A part p that comes round after T steps, such as the month after 12, jumps from its last
value to its first.  On a circle it does not: `cyclic` parts become

    sin(2 pi p / T),   cos(2 pi p / T)                                               (4)

with p counted from 0 and T that of the calendar: months have 28 to 31 days, years 365
or 366.  Neighbours on the circle are neighbours in (4), and a linear model of both has
one wave of any phase: a cos(2 pi p/T) + b sin(2 pi p/T) = r cos(2 pi p/T - phi).

What is missing is NaN in every part.  The origin of (3) is the earliest date of
training, found in one pass on any source, or given.

Notation: t_0 = origin_; T = ROUNDS where the calendar does not change it.
Course: S3-87. Reference: Meeus (1998), ch. 7.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from sklearn.base import OneToOneFeatureMixin

from corollary.core.arrays import Floats, Matrix, Vector
from corollary.core.errors import ParameterError, sentence
from corollary.core.memory import check_memory
from corollary.core.parameters import Rule, anything, boolean, one_of
from corollary.core.report import Report
from corollary.core.roles import Transformer
from corollary.engine import Chunk, Data, Fitted, Statistics, SummationLearner
from corollary.preparation.category_learner import DTYPE
from corollary.preparation.dates import MICROSECONDS, NAT, dates_of, moment
from corollary.preparation.expansion import exact

__all__ = ["DateParts"]

PARTS = (
    "year",
    "quarter",
    "month",
    "day",
    "weekday",
    "hour",
    "minute",
    "second",
    "day_of_year",
    "elapsed_days",
)
CYCLIC = tuple(part for part in PARTS if part not in ("year", "elapsed_days"))
FROM_ONE = ("quarter", "month", "day", "day_of_year")
USUAL = ("year", "month", "day", "weekday", "hour", "day_of_year", "elapsed_days")
ROUNDS = {"quarter": 4, "month": 12, "weekday": 7} | {
    "hour": 24, "minute": 60, "second": 60
}  # fmt: skip
DAY, HOUR, MINUTE, SECOND = (MICROSECONDS[unit] for unit in ("D", "h", "min", "s"))


def _named(allowed: tuple[str, ...]) -> Rule:
    def holds(value: Any) -> bool:
        listed = isinstance(value, list | tuple) and len(set(value)) == len(value)
        return listed and all(isinstance(p, str) and p in allowed for p in value)

    return Rule(f"a list of {', '.join(allowed)}, each once", holds)


@dataclass(frozen=True)
class Earliest(Statistics):
    """The earliest date of each column; NaT where there is none."""

    t: Vector  # (d,) datetime64[us]

    def __add__(self, other: Earliest) -> Earliest:
        return Earliest(np.fmin(self.t, other.t))


class DateParts(SummationLearner, Transformer):
    """Turn each column of dates into columns of its parts.

    Parameters
    ----------
    extract : list of str
        The parts, in order: 'year', 'quarter', 'month', 'day', 'weekday' (Monday is
        0), 'hour', 'minute', 'second', 'day_of_year', 'elapsed_days'; by default all
        but quarter, minute and second.
    cyclic : bool or list of str, default=False
        The parts to write as a sine and a cosine (4); True is all that come round.
    origin : 'first' or date, default='first'
        Day 0 of 'elapsed_days': the earliest of training, or a date, or its text.
    unit : {'D', 'h', 'min', 's', 'ms', 'us', 'ns'}, default='D'
        What columns of numbers count since 1970.
    dtype : type of floats, default=numpy.float64
        Type of the result.

    Attributes
    ----------
    origin_ : array of shape (d,)
        Day 0 of each column; NaT where training had no date.
    n_features_in_ : int
    feature_names_in_ : array of shape (d,)
        Names of the columns, where they all have one.
    report_ : Report

    Examples
    --------
    >>> from corollary import DateParts
    >>> model = DateParts(["year", "weekday", "elapsed_days"])
    >>> model.fit_transform([["2026-03-01"], ["2026-03-02T12:00"], [None]]).tolist()
    [[2026.0, 6.0, 0.0], [2026.0, 0.0, 1.5], [nan, nan, nan]]
    >>> model.get_feature_names_out(["born"]).tolist()
    ['born_year', 'born_weekday', 'born_elapsed_days']
    """

    takes_columns = True
    rules: ClassVar = {
        "extract": _named(PARTS),
        "cyclic": boolean | _named(CYCLIC),
        "origin": anything,
        "unit": one_of(*MICROSECONDS),
        "dtype": DTYPE,
    }

    def __init__(
        self,
        extract: Any = USUAL,
        *,
        cyclic: Any = False,
        origin: Any = "first",
        unit: str = "D",
        dtype: Any = np.float64,
    ) -> None:
        self.extract = extract
        self.cyclic = cyclic
        self.origin = origin
        self.unit = unit
        self.dtype = dtype

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = []
        return tags

    def takes_missing(self) -> bool:
        """Take missing values: their parts are missing."""
        return True

    # -- learning ------------------------------------------------------------------
    def start(self, data: Data, seed: int) -> Any:
        """Read the origin, where one is given."""
        if np.dtype(self.dtype).kind != "f":
            must = "dtype must be a type of floats, for missing values"
            raise ParameterError(sentence(self, must, f"{np.dtype(self.dtype)}"))
        if isinstance(self.origin, str) and self.origin == "first":
            return None
        try:
            given = moment(self.origin)
        except (ValueError, TypeError):
            given = NAT
        if np.isnat(given):
            must = "origin must be 'first' or a date"
            raise ParameterError(sentence(self, must, f"{self.origin!r}"[:60]))
        return np.repeat(given, data.source.n_features)

    def statistics(self, chunk: Chunk, state: Any) -> Earliest:
        """Find the earliest date of each column."""
        X = chunk.X if chunk.w is None or chunk.w.all() else chunk.X[chunk.w > 0]
        first = np.repeat(NAT, X.shape[1])
        for j in range(X.shape[1]):
            t = dates_of(self, X.column(j), X.name(j), self.unit, chunk.first_row)
            first[j] = np.fmin.reduce(t, initial=NAT)
        return Earliest(first)

    def update(self, s: Earliest, state: Any) -> Any:
        """Know the origin."""
        return s.t if state is None else state

    def account(self, state: Any, report: Report) -> None:
        """Report that nothing is approximated, and columns without a date."""
        exact(report)
        empty = np.flatnonzero(np.isnat(state))
        if len(empty):
            report.warnings.append(
                f"columns {empty[:10].tolist()} hold no date: they have no origin, and "
                "their elapsed_days are missing. Drop them."
            )

    def publish(self, fitted: Fitted) -> None:
        """Set what users read."""
        self.origin_ = fitted.state
        names = self.get_feature_names_out()
        fitted.report.facts["n_features_out"] = len(names)

    def _audit(self) -> None:
        """Refuse what no fit leaves: files can alter it."""
        origin = self.origin_
        if getattr(origin, "dtype", None) != NAT.dtype or origin.shape != (
            self.n_features_in_,
        ):
            must = f"origin_ must be {self.n_features_in_} dates"
            raise ParameterError(sentence(self, must, "others"))

    # -- use -----------------------------------------------------------------------
    def _waves(self) -> tuple[str, ...]:
        """Return the parts that are written as waves."""
        if isinstance(self.cyclic, bool | np.bool_):
            return CYCLIC if self.cyclic else ()
        return tuple(self.cyclic)

    def transform(self, X: Any) -> Matrix:
        """Return the parts of each date.

        Parameters
        ----------
        X : array, data frame, or Source of d columns

        Returns
        -------
        array of shape (n, number of columns)
        """
        table, waves = self._table(X), self._waves()
        n, d = table.shape
        width = sum(2 if part in waves else 1 for part in self.extract)
        size = float(np.dtype(self.dtype).itemsize) * n * d * width
        what = f"{n:,} rows of {d * width:,} columns"
        check_memory(self, size, what, "Transform in chunks.")
        out = np.empty((n, d * width), dtype=self.dtype)
        for j in range(d):
            t = dates_of(self, table.column(j), table.name(j), self.unit)
            own = out[:, j * width : (j + 1) * width]
            write_parts(own, t, self.extract, waves, self.origin_[j])
        return out

    def get_feature_names_out(self, input_features: Any = None) -> Vector:
        """Name the columns of `transform`.

        Parameters
        ----------
        input_features : array of str, optional
            Names of the inputs; by default those seen in `fit`, or x0, x1, ...

        Returns
        -------
        array of str
        """
        inputs = OneToOneFeatureMixin.get_feature_names_out(self, input_features)
        ends: list[str] = []
        for part in self.extract:
            ends += [f"{part}_sin", f"{part}_cos"] if part in self._waves() else [part]
        return np.array([f"{name}_{end}" for name in inputs for end in ends], object)


def write_parts(
    out: Floats, t: Vector, parts: Any, waves: tuple[str, ...], origin: Any
) -> None:
    """Write the parts of dates, one column after the other."""
    missing = np.isnat(t)
    some = bool(missing.any())
    calendar = Calendar.of(np.where(missing, np.datetime64(0, "us"), t) if some else t)
    column = 0
    for part in parts:
        if part in waves:
            turn = 2 * np.pi * calendar.phase(part)  # (4)
            out[:, column], out[:, column + 1] = np.sin(turn), np.cos(turn)
            column += 2
        elif part == "elapsed_days":
            out[:, column] = np.nan if np.isnat(origin) else calendar.since(origin)
            column += 1
        else:
            out[:, column] = calendar.part(part)
            column += 1
    if some:
        out[missing] = np.nan


@dataclass(frozen=True)
class Calendar:
    """Moments, with the days, months and years in which they lie."""

    t: Vector  # (n,) datetime64[us]
    day: Vector  # datetime64[D]
    month: Vector  # datetime64[M]
    year: Vector  # datetime64[Y]

    @classmethod
    def of(cls, t: Vector) -> Calendar:
        """Find the days, months and years."""
        return cls(t, *(t.astype(f"datetime64[{unit}]") for unit in "DMY"))

    def since(self, origin: Any) -> Floats:
        """Return the days since an origin (3)."""
        return (self.t - origin).astype(np.float64) / DAY

    def part(self, name: str) -> Vector:
        """Return a part, as the calendar counts it."""
        if name == "year":
            return whole(self.year) + 1970
        return self._from_zero(name) + int(name in FROM_ONE)

    def phase(self, name: str) -> Floats:
        """Return how much of its round a part has made, in [0, 1)."""
        return self._from_zero(name) / self._round(name)

    def _from_zero(self, name: str) -> Vector:
        if name == "quarter":
            return self._from_zero("month") // 3
        if name == "month":
            return whole(self.month) - whole(self.year.astype("datetime64[M]"))
        if name == "day":
            return whole(self.day) - whole(self.month.astype("datetime64[D]"))
        if name == "day_of_year":
            return whole(self.day) - whole(self.year.astype("datetime64[D]"))  # (2)
        if name == "weekday":
            return (whole(self.day) + 3) % 7  # (1)
        within = (self.t - self.day).astype(np.int64)
        step = {"hour": HOUR, "minute": MINUTE, "second": SECOND}[name]
        return within // int(step) % self._round(name)

    def _round(self, name: str) -> Any:
        """Return the steps after which a part comes round."""
        if name in ("day", "day_of_year"):
            each = self.month if name == "day" else self.year
            ends = (each + 1).astype("datetime64[D]") - each.astype("datetime64[D]")
            return ends.astype(np.int64)
        return ROUNDS[name]


def whole(dates: Vector) -> Vector:
    """Return dates as the whole numbers of their unit since 1970."""
    return dates.astype(np.int64)
