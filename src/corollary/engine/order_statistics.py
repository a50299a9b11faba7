"""Exact quantiles of columns in a few passes over the rows, whatever holds them.

With C(v) the weight of the rows whose value is at most v, the value of rank r is

    x_(r) = the smallest v with C(v) > r                                         (1)

and the q-quantile lies, as NumPy's does, between two of them:

    h = q (n - 1),   (1 - h + j) x_(j) + (h - j) x_(j+1),   j = floor(h)         (2)

where n is the total weight, so that a weight counts like repetition.  Weights that sum
to less than the number of rows are shares, not counts: they are scaled up to it.

A pass counts the weight, the lowest and the highest value in each cell of a partition
of the line.  The cell that holds a rank is cut again, half by values and half by the
binary numbers that stand for them, until its lowest and highest value are equal.  Each
pass cuts by 128 at least, so the number of passes is about log n / log 128, and never
above ten: a double has 64 bits.  Cells of two chunks add up, so nothing depends on the
chunks, and no digit is lost.  Missing values (NaN) count in no cell: each column has a
total weight of its own.

Course: S0-63. Reference: Munro and Paterson (1980).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from corollary.core.arrays import Floats, Vector
from corollary.engine.sources.source import Chunk
from corollary.engine.statistics import Statistics

__all__ = ["Cells", "Ranges"]

CUTS = 128  # of a cell, by values, and as many by binary numbers
TIE = 1e-9  # share of a row by which a sum of weights may miss a rank


@dataclass(frozen=True)
class Cells(Statistics):
    """Weight and extremes of each column in each cell; cells without rows are inf."""

    n: Floats  # (d,) weight of the rows that have a value
    rows: Floats  # (d,) how many those are, weight 0 left out
    weight: Floats  # (d, m)
    low: Floats  # (d, m)
    high: Floats  # (d, m)

    @classmethod
    def of(cls, X: Floats, w: Vector | None, edges: Floats) -> Cells:
        """Count the rows in the cells that the edges (d, m - 1) leave."""
        if w is not None and not w.all():
            X, w = X[w > 0], w[w > 0]
        n, (d, m) = len(X), (edges.shape[0], edges.shape[1] + 1)
        weight = np.zeros((d, m))
        low, high = np.full((d, m), np.inf), np.full((d, m), -np.inf)
        total = float(n) if w is None else float(w.sum(dtype=np.float64))
        some = bool(n) and bool(np.isnan(X.min()))  # missing values
        if n and m == 1 and not some:
            weight[:, 0] = total
            low[:, 0], high[:, 0] = X.min(axis=0), X.max(axis=0)
        elif n:
            for j, column in enumerate(np.ascontiguousarray(X.T, dtype=np.float64)):
                kept = ~np.isnan(column) if some else slice(None)
                column, own = column[kept], w if w is None else w[kept]
                cell = np.searchsorted(edges[j], column)
                weight[j] = np.bincount(cell, weights=own, minlength=m)
                np.minimum.at(low[j], cell, column)
                np.maximum.at(high[j], cell, column)
        rows = n - np.isnan(X).sum(axis=0) if some else np.full(d, n)
        sums = weight.sum(axis=1) if some else np.full(d, total)
        return cls(sums, rows.astype(np.float64), weight, low, high)

    def __add__(self, other: Cells) -> Cells:
        return Cells(
            self.n + other.n,
            self.rows + other.rows,
            self.weight + other.weight,
            np.minimum(self.low, other.low),
            np.maximum(self.high, other.high),
        )


@dataclass(frozen=True)
class Ranges:
    """A search for the extremes and some quantiles of each column, pass by pass.

    Attributes
    ----------
    q : array of shape (t,)
        The quantiles that are asked for; none where the extremes suffice.
    edges : array of shape (d, m - 1)
        Ends of the cells to count in the next pass.
    low, high : arrays of shape (d,)
    quantiles : array of shape (t, d), or None while the search goes on
    """

    q: Floats
    edges: Floats
    dtype: Any
    low: Any = None
    high: Any = None
    quantiles: Any = None
    given: Any = None  # what a learner knows besides

    @classmethod
    def begin(cls, d: int, q: Any, dtype: Any, given: Any = None) -> Ranges:
        """Ask for the q-quantiles of d columns."""
        return cls(np.asarray(q, float), np.empty((d, 0)), dtype, given=given)

    def count(self, chunk: Chunk) -> Cells:
        """Return what one chunk contributes."""
        return Cells.of(chunk.X, chunk.w, self.edges)

    def narrowed(self, s: Cells) -> Ranges:
        """Find the ranks' cells; cut those that hold more than one value."""
        first = self.low is None
        empty = s.rows == 0  # columns without any value are 0
        low = np.where(empty, 0.0, s.low.min(axis=1)) if first else self.low
        high = np.where(empty, 0.0, s.high.max(axis=1)) if first else self.high
        found = replace(self, low=low, high=high)
        n = np.maximum(np.maximum(s.n, s.rows), 1)[:, None]  # shares become counts
        h = self.q * (n - 1)  # (d, t)
        j = np.floor(h)
        unit = s.n[:, None] / n
        ranks = np.hstack([j, np.minimum(j + 1, n - 1)]) * unit  # (d, 2 t)
        sums, beyond = np.cumsum(s.weight, axis=1), ranks + TIE * unit
        found_at = map(partial(np.searchsorted, side="right"), sums, beyond)
        at = np.minimum(np.array([*found_at]), s.weight.shape[1] - 1)
        bottom, top = (np.take_along_axis(v, at, axis=1) for v in (s.low, s.high))
        bottom[empty] = top[empty] = 0.0
        if (bottom < top).any():
            return replace(found, edges=cut(bottom, top))
        x = bottom.reshape(len(low), 2, len(self.q))  # (1)
        part = h - j
        quantiles = x[:, 0] + part * (x[:, 1] - x[:, 0])  # (2)
        return replace(found, quantiles=quantiles.T)


def cut(bottom: Floats, top: Floats) -> Floats:
    """Return the edges (d, m - 1) that cut the intervals [bottom, top] (d, t)."""
    share = np.arange(1, CUTS) / CUTS
    columns = []
    for a, b in zip(bottom, top, strict=True):
        ends = [np.nextafter(a, -np.inf), a, b]  # a value found stays in its own cell
        wide = a < b
        a, b = a[wide, None], b[wide, None]
        by_value = a * (1 - share) + b * share
        i, k = bits(a).astype(np.float64), bits(b).astype(np.float64)
        by_bits = floats((i * (1 - share) + k * share).astype(np.int64))
        inside = [np.clip(e, a, b).ravel() for e in (by_value, by_bits)]
        columns.append(np.unique(np.concatenate([*ends, *inside])))
    widest = max(len(column) for column in columns)
    edges = np.full((len(columns), widest), np.inf)
    for row, column in zip(edges, columns, strict=True):
        row[: len(column)] = column
    return edges


def bits(x: Floats) -> Vector:
    """Return whole numbers in the order of the doubles that they stand for."""
    i = x.view(np.int64)
    return np.where(i < 0, np.int64(-(2**63)) - i, i)


def floats(i: Vector) -> Floats:
    """Invert `bits`."""
    return np.where(i < 0, np.int64(-(2**63)) - i, i).view(np.float64)
