"""Cells of columns: what a pass counts, and how intervals are cut into them.

A cell is an interval of a column's values, open below and closed above.  A pass counts
the weight, the rows, the lowest and the highest value in each cell; cells of two chunks
add up.  Intervals are cut by values and by the binary numbers that stand for them,
which are in the order of the values:

    whole     one cell of the whole line, for its extremes
    grid      cells of equal width over the range, found without a search
    cut       half of the edges by values, half by bits
    single    an interval of few rows, whose values are collected

Missing values (NaN) are in no cell; what a sparse row does not store is 0, or in none
either.  `order_statistics.py` chooses the intervals.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from corollary.core.arrays import Floats, Matrix, Vector
from corollary.engine.column_extremes import column_extremes
from corollary.engine.statistics import Statistics

__all__ = ["Cells", "Search", "bits", "columns_of", "floats"]

CELLS = 4096  # of a column, shared by its intervals
GRID = 1024  # cells of a column in the second pass
MOST, LEAST = 256, 16  # cells of an interval
COLLECTED = 256  # rows of an interval whose values are collected
SINGLED = 8  # intervals that are looked at one by one
LARGEST = float(np.finfo(np.float64).max)


@dataclass(frozen=True)
class Cells(Statistics):
    """Weight, rows and extremes in each cell, and the values that are collected."""

    n: Floats  # (d,) weight of the rows that have a value
    rows: Floats  # (d,) how many those are, weight 0 left out
    weight: Floats  # (m,) of each cell, column after column
    count: Floats  # (m,) rows in it
    low: Floats  # (m,) inf where there is no row
    high: Floats  # (m,) -inf where there is no row
    cell: Vector  # (v,) of each collected value, rising
    value: Floats  # (v,) rising in each cell
    mass: Floats  # (v,) weight of the rows that have it

    def __add__(self, other: Cells) -> Cells:
        return Cells(
            self.n + other.n,
            self.rows + other.rows,
            self.weight + other.weight,
            self.count + other.count,
            np.minimum(self.low, other.low),
            np.maximum(self.high, other.high),
            *collected(
                np.concatenate([self.cell, other.cell]),
                np.concatenate([self.value, other.value]),
                np.concatenate([self.mass, other.mass]),
            ),
        )


def collected(
    cell: Vector, value: Floats, mass: Floats
) -> tuple[Vector, Floats, Floats]:
    """Sort values by cell and size, and join equal ones."""
    if not len(cell):
        return cell, value, mass
    order = np.lexsort((value, cell))
    return joined(cell[order], value[order], mass[order])


def joined(cell: Vector, value: Floats, mass: Floats) -> tuple[Vector, Floats, Floats]:
    """Join equal neighbours in a cell."""
    new = np.append(True, (cell[1:] != cell[:-1]) | (value[1:] != value[:-1]))
    first = np.flatnonzero(new)
    return cell[first], value[first], np.add.reduceat(mass, first)


@dataclass(frozen=True)
class Column:
    """The cells of one column: right-closed, between neighbouring edges."""

    edges: Floats  # rising
    inside: Vector  # whether what is between an edge and the next is a cell
    collects: Vector  # whether the values of a cell are collected
    spans: Floats  # (k, 2) the ends of its intervals, the lower not in it

    @classmethod
    def whole(cls, collects: bool) -> Column:
        """Take the whole line as one cell."""
        line = np.array([-np.inf, np.inf])
        return cls(line, np.array([True]), np.array([collects]), line[None])

    @classmethod
    def cut(cls, bottom: Floats, top: Floats, collects: Vector, cuts: int) -> Column:
        """Cut the intervals [bottom, top] (k,), but for those that are collected."""
        share = np.arange(1, cuts) / cuts
        a, b = bottom[:, None], top[:, None]
        by_value = a * (1 - share) + b * share
        i, k = bits(a).astype(np.float64), bits(b).astype(np.float64)
        by_bits = floats((i * (1 - share) + k * share).astype(np.int64))
        inner = np.sort(np.clip(np.hstack([by_value, by_bits]), a, b), axis=1)
        inner[collects] = top[collects, None]  # all in the first cell
        under = np.nextafter(a, -np.inf)
        edges = np.hstack([under, inner, b])
        inside = np.ones(edges.shape, dtype=bool)
        inside[:, -1] = False
        taken = np.zeros((len(edges), edges.shape[1] - 1), dtype=bool)
        taken[:, 0] = collects
        spans = np.hstack([under, b])
        return cls(edges.ravel(), inside.ravel()[:-1], taken.ravel(), spans)

    def near(self, x: Floats) -> Vector | None:
        """Tell which values lie in the intervals, where these are few."""
        if len(self.spans) > SINGLED or np.isinf(self.spans[0, 0]):
            return None
        found = np.zeros(len(x), dtype=bool)
        for under, top in self.spans:
            found |= (x > under) & (x <= top)
        return found

    def count(self, x: Floats, own: Floats | None) -> tuple[Any, ...]:
        """Return weight, rows, extremes of the cells; place, value, mass collected."""
        near = self.near(x)
        if near is not None:
            x, own = x[near], None if own is None else own[:, near]
        order = None if own is None else np.argsort(x)
        x = np.sort(x) if order is None else x[order]
        at = np.searchsorted(x, self.edges, side="right")
        a, b = at[:-1][self.inside], at[1:][self.inside]
        low, high, some = np.full(len(a), np.inf), np.full(len(a), -np.inf), a < b
        low[some], high[some] = x[a[some]], x[b[some] - 1]
        mass, weight, count = np.ones(0), (b - a).astype(float), b - a
        if own is not None:
            sums = np.cumsum(np.pad(own[:, order], ((0, 0), (1, 0))), axis=1)
            weight, count = sums[:, b] - sums[:, a]
        taken = np.flatnonzero(self.collects & some)
        size = (b - a)[taken]
        within = np.arange(size.sum()) - np.repeat(np.cumsum(size) - size, size)
        places = np.repeat(a[taken], size) + within
        mass = np.ones(len(places)) if own is None else own[0, order][places]
        return weight, count, low, high, np.repeat(taken, size), x[places], mass


@dataclass(frozen=True)
class Grid:
    """Cells of equal width over the range of one column, found without a search."""

    low: float
    high: float

    @property
    def collects(self) -> Vector:
        """Which values are collected: none."""
        return np.zeros(GRID, dtype=bool)

    def count(self, x: Floats, own: Floats | None) -> tuple[Any, ...]:
        """Return weight, rows, extremes of the cells.

        Each step of the arithmetic keeps the order of the values, so that cells are
        intervals, whatever is rounded.
        """
        place = (x - self.low) * (GRID / (self.high - self.low))
        z = np.minimum(place.astype(np.intp), GRID - 1)
        weight = np.bincount(z, None if own is None else own[0], minlength=GRID)
        count = np.bincount(z, None if own is None else own[1], minlength=GRID)
        low, high = np.full(GRID, np.inf), np.full(GRID, -np.inf)
        np.minimum.at(low, z, x)
        np.maximum.at(high, z, x)
        none = np.zeros(0)
        return weight, count, low, high, np.zeros(0, np.int64), none, none


@dataclass(frozen=True)
class Search:
    """The cells to count in a pass."""

    columns: list[Column | Grid | None]  # None where all is found
    start: Vector  # (d + 1,) the first cell of each column
    first: Vector  # (m,) the first cell of the interval of each
    below: Floats  # (m,) weight of what is below that interval
    extremes: bool = False  # whether each column is one cell, and nothing is collected
    every: bool = False  # whether it is one cell, and every value is collected

    @classmethod
    def everywhere(cls, d: int, *, collects: bool) -> Search:
        """Begin with whole columns."""
        whole = Column.whole(collects)
        start = np.arange(d + 1)
        columns: list[Column | Grid | None] = [whole] * d
        below = np.zeros(d)
        return cls(columns, start, start[:-1], below, not collects, collects)

    @classmethod
    def inside(cls, intervals: list[Any]) -> Search:
        """Go on with intervals of each column: bottom, top, below, rows."""
        most = max(len(each[0]) for each in intervals)
        columns: list[Column | Grid | None] = []
        start, first, below = [0], [np.zeros(0, np.int64)], [np.zeros(0)]
        few = all((rows <= COLLECTED).all() for *_, rows in intervals)
        cuts = 1 if few else max(LEAST, min(MOST, CELLS // most)) // 2
        cells = 2 * cuts - 1
        for bottom, top, under, rows in intervals:
            k = len(bottom)
            column = Column.cut(bottom, top, rows <= COLLECTED, cuts) if k else None
            columns.append(column)
            first.append(np.repeat(start[-1] + cells * np.arange(k), cells))
            below.append(np.repeat(under, cells))
            start.append(start[-1] + k * cells)
        return cls(
            columns, np.array(start), np.concatenate(first), np.concatenate(below)
        )

    @classmethod
    def grids(cls, low: Floats, high: Floats) -> Search | None:
        """Go on with a grid over each column; None where one is too narrow for it."""
        wide = low < high
        if (GRID / LARGEST >= (high - low)[wide]).any():
            return None
        ends = zip(low, high, strict=True)
        columns: list[Column | Grid | None] = [
            Grid(a, b) if a < b else None for a, b in ends
        ]
        start = np.append(0, np.cumsum(GRID * wide))
        first = np.repeat(start[:-1][wide], GRID)
        return cls(columns, start, first, np.zeros(start[-1]))

    def count(self, X: Matrix, w: Vector | None, zeros: bool = True) -> Cells:
        """Count the rows of a chunk, with the zeros that sparse ones do not store."""
        if w is not None and not w.all():
            X, w = X[w > 0], w[w > 0]
        if self.extremes:
            return count_columns(X, w, zeros)
        if self.every and w is None and not sp.issparse(X) and not np.isnan(X).any():
            return every_value(X)
        m = len(self.below)
        (n, rows), (weight, count) = np.zeros((2, X.shape[1])), np.zeros((2, m))
        low, high = np.full(m, np.inf), np.full(m, -np.inf)
        found = [(np.zeros(0, np.int64), np.zeros(0), np.zeros(0))]
        for j, x, own in columns_of(X, w, zeros):
            n[j] = len(x) if own is None else own[0].sum()
            rows[j] = len(x) if own is None else own[1].sum()
            column, cells = self.columns[j], slice(*self.start[j : j + 2])
            if column is not None:
                *sums, cell, value, mass = column.count(x, own)
                weight[cells], count[cells], low[cells], high[cells] = sums
                found.append((cell + self.start[j], value, mass))
        values = map(np.concatenate, zip(*found, strict=True))
        return Cells(n, rows, weight, count, low, high, *collected(*values))

    def total(self, s: Cells) -> Floats:
        """Return the weight of all that is no higher than each cell."""
        sums = np.cumsum(s.weight)
        return self.below + sums - (sums - s.weight)[self.first]


def every_value(X: Floats) -> Cells:
    """Collect all values of dense columns that miss none."""
    d, n = X.shape[1], np.full(X.shape[1], float(X.shape[0]))
    value = np.sort(X.T.astype(np.float64, order="C"), axis=1)  # (d, n)
    cell, mass = np.repeat(np.arange(d), X.shape[0]), np.ones(value.size)
    found = joined(cell, value.ravel(), mass)
    return Cells(n, n, n, n, value[:, 0], value[:, -1], *found)


def count_columns(X: Matrix, w: Vector | None, zeros: bool = True) -> Cells:
    """Count whole columns: what the first pass looks for."""
    low, high = (ends.astype(np.float64) for ends in column_extremes(X, zeros))
    own = np.vstack([np.ones(X.shape[0]) if w is None else w, np.ones(X.shape[0])])
    sums = np.repeat(own.sum(axis=1)[:, None], X.shape[1], axis=1)
    if sp.issparse(X) and not zeros:
        stored = (np.ones(len(X.data)), X.indices, X.indptr)
        sums = own @ sp.csr_array(stored, shape=X.shape)
    values = X.data if sp.issparse(X) else X
    if values.size and np.isnan(values.min()):
        parts = (np.isnan(X.data), X.indices, X.indptr) if sp.issparse(X) else ()
        gone = sp.csr_array(parts, shape=X.shape) if parts else np.isnan(X)
        sums = sums - own @ gone
    (n, rows), none = sums, np.zeros(0)
    return Cells(n, rows, n, rows, low, high, np.zeros(0, np.int64), none, none)


# -- columns ---------------------------------------------------------------------------
def columns_of(
    X: Matrix, w: Vector | None, zeros: bool = True
) -> Iterator[tuple[int, Floats, Floats | None]]:
    """Yield the values of each column that are there, with their weights and rows.

    Weights and rows (2, n) are None where each value is one row of weight 1; `zeros`
    tells whether what sparse rows do not store is there.
    """
    n = X.shape[0]
    if sp.issparse(X):
        yield from sparse_columns(X.tocsc(), np.ones(n) if w is None else w, zeros)
        return
    own = None if w is None else np.vstack([w, np.ones(n)])
    for j, x in enumerate(np.ascontiguousarray(X.T, dtype=np.float64)):
        if n and np.isnan(x.min()):
            there = ~np.isnan(x)
            yield j, x[there], None if own is None else own[:, there]
        else:
            yield j, x, own


def sparse_columns(
    X: Any, w: Vector, implicit: bool = True
) -> Iterator[tuple[int, Floats, Floats]]:
    """Yield the same of columns that store what is not 0; the zeros come last."""
    n, total = X.shape[0], float(w.sum(dtype=np.float64))
    for j in range(X.shape[1]):
        entries = slice(*X.indptr[j : j + 2])
        x, own = X.data[entries].astype(np.float64), w[X.indices[entries]]
        zeros = n - len(x) if implicit else 0
        left = max(total - float(own.sum(dtype=np.float64)), 0.0) if zeros else 0.0
        there = ~np.isnan(x)
        x, own = x[there], np.vstack([own[there], np.ones(int(there.sum()))])
        if zeros:
            x, own = np.append(x, 0.0), np.hstack([own, [[left], [zeros]]])
        yield j, x, own


def bits(x: Floats) -> Vector:
    """Return whole numbers in the order of the doubles that they stand for."""
    i = x.view(np.int64)
    return np.where(i < 0, np.int64(-(2**63)) - i, i)


def floats(i: Vector) -> Floats:
    """Invert `bits`."""
    return np.where(i < 0, np.int64(-(2**63)) - i, i).view(np.float64)
