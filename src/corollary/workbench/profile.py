"""Profile of a table: each column in a few numbers.

Also known as: data summary, exploratory data analysis, five-number summary.

A column of numbers is sorted once, x_(1) <= ... <= x_(n); the rest is read off:

    quartiles    Q_p = x at place 1 + p (n - 1), between two by interpolation       (1)
    distinct     1 + #{i : x_(i) < x_(i+1)}                                         (2)
    histogram    counts between edges, by binary search                             (3)

with an edge between any two of a few whole numbers, else at most 20 bins of one width.
Dates are profiled as numbers and written as dates; the edges of their histogram are
years, 2026.5 the first of July.  Words and booleans are counted.

Notation: n values that are not missing.
References: Tukey (1977).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from corollary.core.arrays import Floats, Vector
from corollary.core.errors import ParameterError, sentence
from corollary.workbench.schema import ColumnSchema
from corollary.workbench.table_reading import TableData, over_columns

__all__ = ["ColumnProfile", "Profile", "profile_table"]

BINS = 20
TOP = 10
LETTERS = 100  # of a value that are shown
SHARES = (0.25, 0.5, 0.75)
LARGE = 1e150  # numbers whose squares may overflow
WHOLE = 2.0**50  # below, a half more or less makes another number
DAYS = 365.2425


@dataclass(frozen=True)
class ColumnProfile:
    """One column in a few numbers.

    Attributes
    ----------
    schema : ColumnSchema
    missing, distinct : int
        Missing values, and different values among the others.
    mean, sd : float or None
        Of numbers; the standard deviation divides by n - 1.
    minimum, maximum : float, str or None
        Of numbers and dates.
    quartiles : tuple of three, or None
        The quartiles (1).
    edges, counts : tuple or None
        The histogram (3).
    top : tuple of (value, count) or None
        The most frequent values.
    """

    schema: ColumnSchema
    missing: int
    distinct: int
    mean: float | None = None
    sd: float | None = None
    minimum: Any = None
    quartiles: tuple[Any, ...] | None = None
    maximum: Any = None
    edges: tuple[float, ...] | None = None
    counts: tuple[int, ...] | None = None
    top: tuple[tuple[Any, int], ...] | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return plain values, as a report holds them.

        Returns
        -------
        dict
        """
        schema, histogram = self.schema, None
        if self.edges is not None and self.counts is not None:
            histogram = {"edges": list(self.edges), "counts": list(self.counts)}
        names = ("name", "original", "kind", "role", "why", "how")
        return {
            **{name: getattr(schema, name) for name in names},
            "missing": self.missing,
            "distinct": self.distinct,
            "mean": self.mean,
            "sd": self.sd,
            "minimum": self.minimum,
            "quartiles": None if self.quartiles is None else list(self.quartiles),
            "maximum": self.maximum,
            "histogram": histogram,
            "top": None if self.top is None else [list(pair) for pair in self.top],
        }

    @property
    def summary(self) -> str:
        """The column in a few words."""
        if self.minimum is not None and self.quartiles is not None:
            ends = [shown(v) for v in (self.minimum, self.quartiles[1], self.maximum)]
            return f"{ends[0]} to {ends[2]}, median {ends[1]}"
        if self.top:
            some = ", ".join(f"{str(v)[:20]} ({c:,})" for v, c in self.top[:3])
            return f"{some}{', ...' if self.distinct > 3 else ''}"
        return ""

    def __str__(self) -> str:
        lost = f", {self.missing:,} missing" if self.missing else ""
        return f"{self.schema}: {self.distinct:,} values{lost}; {self.summary}"

    def plot(self, ax: Any = None) -> Any:
        """Draw the histogram, or the most frequent values; return the axes.

        Parameters
        ----------
        ax : matplotlib axes, optional

        Returns
        -------
        matplotlib axes
        """
        import matplotlib.pyplot as plt

        ax = ax if ax is not None else plt.subplots()[1]
        if self.edges is not None and self.counts is not None:
            ax.stairs(self.counts, self.edges, fill=True)
        elif self.top:
            values = [str(value)[:20] for value, _ in self.top]
            ax.barh(values[::-1], [count for _, count in self.top][::-1])
        ax.set(title=self.schema.name)
        return ax


@dataclass(frozen=True)
class Profile:
    """A table, column by column.

    Attributes
    ----------
    columns : tuple of ColumnProfile
    rows, used_rows : int
        Rows of the files, and rows that were looked at.
    notes : tuple of str
    """

    columns: tuple[ColumnProfile, ...]
    rows: int
    used_rows: int
    notes: tuple[str, ...] = ()

    def to_dict(self) -> list[dict[str, Any]]:
        """Return plain values of each column, as a report holds them.

        Returns
        -------
        list of dict
        """
        return [column.to_dict() for column in self.columns]

    def __str__(self) -> str:
        some = f" of {self.rows:,}" if self.used_rows != self.rows else ""
        head = f"{self.used_rows:,}{some} rows, {len(self.columns):,} columns"
        cells = [("column", "kind", "role", "missing", "values", "summary")]
        cells += [
            (
                one.schema.name[:30],
                one.schema.kind,
                one.schema.role,
                f"{one.missing:,}",
                f"{one.distinct:,}",
                one.summary,
            )
            for one in self.columns
        ]
        wide = [max(len(row[j]) for row in cells) for j in range(5)]
        lines = [
            "  ".join(
                [
                    *(row[j].ljust(wide[j]) for j in range(3)),
                    *(row[j].rjust(wide[j]) for j in (3, 4)),
                    row[5],
                ]
            ).rstrip()
            for row in cells
        ]
        return "\n".join([head, *lines, *self.notes])


def profile_table(data: TableData) -> Profile:
    """Describe each column of a table in a few numbers.

    Parameters
    ----------
    data : TableData
        As `read_table` returns it.

    Returns
    -------
    Profile

    Examples
    --------
    >>> from corollary.workbench import profile_table, read_table
    >>> data = read_table({"area": [45.5, 60, 38, 52], "town": ["a", "b", "a", None]})
    >>> print(profile_table(data))
    4 rows, 2 columns
    column  kind      role     missing  values  summary
    area    number    feature        0       4  38 to 60, median 48.75
    town    category  feature        1       2  a (2), b (1)
    """
    if not isinstance(data, TableData):
        must, remedy = "data must be a TableData", "Use read_table(...) first."
        came = f"a {type(data).__name__}"
        raise ParameterError(sentence("profile_table", must, came, remedy))

    def profiled(schema: ColumnSchema) -> ColumnProfile:
        return column_profile(schema, data.table.column(schema.name))

    columns = over_columns(profiled, data.columns, data.table.num_rows)
    return Profile(tuple(columns), data.rows, data.used_rows, data.notes)


def column_profile(schema: ColumnSchema, column: Any) -> ColumnProfile:
    """Describe one column."""
    if schema.kind not in ("number", "date"):
        return counted_profile(schema, column)
    missing = int(column.null_count)
    values = np.asarray((column.drop_null() if missing else column).to_numpy())
    if not len(values):
        return ColumnProfile(schema, missing, 0)
    if schema.kind == "date":
        return date_profile(schema, np.sort(values), missing)
    return number_profile(schema, np.sort(values), missing)


def number_profile(schema: ColumnSchema, values: Vector, missing: int) -> ColumnProfile:
    """Describe sorted numbers."""
    starts = np.flatnonzero(values[1:] != values[:-1]) + 1
    distinct = len(starts) + 1  # (2)
    mean, sd = moments(values)
    edges = bin_edges(values, starts)
    top = None
    if distinct <= BINS:
        places = np.concatenate([[0], starts, [len(values)]])
        counts = np.diff(places)
        order = np.argsort(-counts, kind="stable")[:TOP]
        top = tuple((plain(values[places[i]]), int(counts[i])) for i in order)
    return ColumnProfile(
        schema,
        missing,
        distinct,
        mean,
        sd,
        plain(values[0]),
        tuple(map(plain, quartiles(values.astype(np.float64, copy=False)))),
        plain(values[-1]),
        tuple(map(float, edges)),
        histogram_counts(values, edges),
        top,
    )


def moments(values: Vector) -> tuple[float | None, float | None]:
    """Return mean and standard deviation, also of numbers close to the largest."""
    largest = float(max(abs(float(values[0])), abs(float(values[-1]))))
    scale = largest if largest > LARGE else 1.0
    scaled = values / scale if scale != 1.0 else values
    mean = float(np.mean(scaled, dtype=np.float64))
    sd = float(np.std(scaled, ddof=1, dtype=np.float64)) if len(values) > 1 else 0.0
    return plain(scale * mean), plain(scale * sd)


def plain(value: Any) -> float | None:
    """Return a number that JSON can hold."""
    number = float(value)
    return number if np.isfinite(number) else None


def quartiles(values: Floats) -> list[Any]:
    """Return the quartiles (1) of sorted numbers."""
    places = [share * (len(values) - 1) for share in SHARES]
    found = []
    for place in places:
        low = int(place)
        high, part = min(low + 1, len(values) - 1), place - low
        found.append(values[low] * (1 - part) + values[high] * part)
    return found


def bin_edges(values: Vector, starts: Vector) -> Floats:
    """Return the edges of bins: one bin for each of a few whole numbers, else 20."""
    low, high = float(values[0]), float(values[-1])
    small = max(abs(low), abs(high)) < WHOLE
    if high - low < BINS and small:
        few = values[np.concatenate([[0], starts[: BINS + 1]])]
        if len(starts) <= BINS and np.all(few == np.floor(few)):
            return np.arange(low, high + 2) - 0.5
    if low == high:
        width = 0.5 if small else 1e-3 * abs(low)
        largest = np.finfo(np.float64).max
        return np.clip([low - width, low + width], -largest, largest)
    shares = np.linspace(0.0, 1.0, BINS + 1)
    edges = low * (1 - shares) + high * shares  # no overflow between the two ends
    edges[0], edges[-1] = low, high
    return np.unique(edges)


def histogram_counts(values: Vector, edges: Floats) -> tuple[int, ...]:
    """Count sorted numbers between edges (3); the last bin holds its right end."""
    places = np.searchsorted(values, edges[1:-1].astype(np.float64), side="left")
    return tuple(map(int, np.diff([0, *places, len(values)])))


def date_profile(schema: ColumnSchema, values: Vector, missing: int) -> ColumnProfile:
    """Describe sorted dates."""
    micros = values.astype("datetime64[us]").astype(np.int64)
    middle = [micros[0] + int(q) for q in quartiles((micros - micros[0]).astype(float))]
    distinct = int(np.count_nonzero(micros[1:] != micros[:-1])) + 1
    shares = np.linspace(0.0, 1.0, BINS + 1)
    steps = micros[0] + (shares * (micros[-1] - micros[0])).astype(np.int64)
    steps = np.unique(steps)
    counts = None
    if len(steps) > 1:
        places = np.searchsorted(micros, steps[1:-1], side="left")
        counts = tuple(map(int, np.diff([0, *places, len(micros)])))
    years = 1970 + steps / (DAYS * 86_400e6)
    return ColumnProfile(
        schema,
        missing,
        distinct,
        minimum=written(micros[0]),
        quartiles=tuple(map(written, middle)),
        maximum=written(micros[-1]),
        edges=tuple(map(float, years)) if counts else None,
        counts=counts,
    )


def written(micros: Any) -> str:
    """Return a moment as text, a day without its time.

    >>> written(0), written(90_000_000)
    ('1970-01-01', '1970-01-01 00:01:30')
    """
    moment = np.datetime64(int(micros), "us")
    day = moment.astype("datetime64[D]")
    text = np.datetime_as_string(day if moment == day else moment, unit="auto")
    return str(text).replace("T", " ")


def counted_profile(schema: ColumnSchema, column: Any) -> ColumnProfile:
    """Describe words and booleans by how often they appear."""
    import pyarrow.compute as pc

    found = pc.value_counts(column.drop_null())
    values, counts = found.field("values"), found.field("counts")
    distinct, top = len(found), None
    if distinct and schema.kind != "text":
        frequent = np.asarray(counts)
        order = np.argsort(-frequent, kind="stable")[:TOP]
        words = values.take(order).to_pylist()
        top = tuple(
            (word(w), int(frequent[i])) for w, i in zip(words, order, strict=True)
        )
    return ColumnProfile(schema, int(column.null_count), distinct, top=top)


def word(value: Any) -> str:
    """Return a value as a short text; booleans as JSON writes them."""
    text = str(value).lower() if isinstance(value, bool) else str(value)
    return text if len(text) <= LETTERS else f"{text[: LETTERS - 3]}..."


def shown(value: Any) -> str:
    """Write a number or a date in a few letters."""
    return value if isinstance(value, str) else f"{value:.6g}"
