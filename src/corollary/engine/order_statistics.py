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
chunks, and no digit is lost.

Course: S0-63. Reference: Munro and Paterson (1980).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
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

    n: float  # total weight
    rows: float  # rows whose weight is above 0
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
        if n and m == 1:
            weight[:, 0] = total
            low[:, 0], high[:, 0] = X.min(axis=0), X.max(axis=0)
        elif n:
            for j, column in enumerate(np.ascontiguousarray(X.T, dtype=np.float64)):
                cell = np.searchsorted(edges[j], column)
                weight[j] = np.bincount(cell, weights=w, minlength=m)
                np.minimum.at(low[j], cell, column)
                np.maximum.at(high[j], cell, column)
        return cls(total, float(n), weight, low, high)

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
        low = s.low.min(axis=1) if first else self.low
        high = s.high.max(axis=1) if first else self.high
        found = replace(self, low=low, high=high)
        n = max(s.n, s.rows)  # shares of rows are scaled to counts
        h = self.q * (n - 1)
        j = np.floor(h)
        ranks = np.stack([j, np.minimum(j + 1, n - 1)]) * (s.n / n)  # (2, t)
        sums = np.cumsum(s.weight, axis=1)
        beyond = ranks.ravel() + TIE * s.n / n
        at = np.array([np.searchsorted(c, beyond, side="right") for c in sums])
        at = np.minimum(at, s.weight.shape[1] - 1)  # (d, 2 t)
        bottom, top = (np.take_along_axis(v, at, axis=1) for v in (s.low, s.high))
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
