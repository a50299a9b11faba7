"""Exact quantiles of columns in a few passes over the rows, whatever holds them.

Also known as: order statistics, selection, percentiles.

With C(v) the weight of the rows whose value is at most v, the value of rank r is

    x_(r) = the smallest v with C(v) > r                                         (1)

and the q-quantile lies, as NumPy's does, between two of them:

    h = q (n - 1),   (1 - h + j) x_(j) + (h - j) x_(j+1),   j = floor(h)         (2)

where n is the total weight, so that a weight counts like repetition.  Weights that sum
to less than the number of rows are shares, not counts: they are scaled up to it.  The
other eight rules of Hyndman and Fan replace h and the weight of x_(j+1), see
`quantile_rules.py`.

A pass counts the weight, the rows, the lowest and the highest value in each cell of
some intervals, at first of the whole line.  The cells that hold a rank are the
intervals of the next pass: cut again, at first by values, then half by values and half
by the binary numbers that stand for them, until the lowest and the highest value of a
cell are equal; or, once they hold few rows, with their values collected.  What lies
below an interval is known from the pass before, so that few rows are looked at twice.
Few quantiles take four passes over a million rows and one over a few thousand; no data
takes more than thirty, since a double has 64 bits.  Cells of two chunks add up, so
nothing depends on the chunks, and no digit is lost.  Missing values (NaN) count in no
cell: each column has a total weight of its own.  What a sparse row does not store is 0,
or counts nowhere either (`implicit_zeros`).  `column_cells.py` cuts and counts.

Course: S0-63. References: Munro and Paterson (1980); Hyndman and Fan (1996).
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import Any

import numpy as np

from corollary.core.arrays import Floats
from corollary.core.records import changed
from corollary.engine.column_cells import Cells, Search
from corollary.engine.quantile_rules import METHODS, TIE
from corollary.engine.sources.source import Chunk

__all__ = ["MOST_PASSES", "Ranges"]

FEW_ROWS = 4096  # of all data, whose values are collected at once
MOST_PASSES = 30


@dataclass(frozen=True)
class Ranges:
    """A search for the extremes and some quantiles of each column, pass by pass.

    Attributes
    ----------
    q : array of shape (t,)
        The quantiles that are asked for; none where the extremes suffice.
    low, high : arrays of shape (d,)
        0 in a column without any value, as its quantiles are.
    n, rows : arrays of shape (d,)
        Weight and number of the rows that have a value.
    quantiles : array of shape (t, d), or None while the search goes on
    """

    q: Floats
    search: Search
    dtype: Any
    method: str = "linear"
    given: Any = None  # what a learner knows besides
    implicit_zeros: bool = True  # whether what sparse rows do not store is 0
    low: Any = None
    high: Any = None
    n: Any = None
    rows: Any = None
    x: Any = None  # (d, 2 t) values of the ranks j and j + 1, NaN while not found
    quantiles: Any = None

    @classmethod
    def begin(
        cls,
        d: int,
        q: Any,
        dtype: Any,
        given: Any = None,
        *,
        method: str = "linear",
        n_rows: int | None = None,
        implicit_zeros: bool = True,
    ) -> Ranges:
        """Ask for the q-quantiles of d columns; of few rows all values are kept."""
        q = np.asarray(q, float)
        few = n_rows is not None and n_rows <= FEW_ROWS and len(q) > 0
        search = Search.everywhere(d, collects=few)
        return cls(q, search, dtype, method, given, implicit_zeros)

    def count(self, chunk: Chunk) -> Cells:
        """Return what one chunk contributes."""
        return self.search.count(chunk.X, chunk.w, self.implicit_zeros)

    def narrowed(self, s: Cells) -> Ranges:
        """Find the ranks' cells; go on with those that hold more than one value."""
        state = self if self.low is not None else self._begun(s)
        ranks, part = state._ranks()
        total, x = self.search.total(s), state.x.copy()
        under = total - s.weight
        masses, begun = np.cumsum(s.mass), np.searchsorted(s.cell, s.cell)
        sums = under[s.cell] + masses - (masses - s.mass)[begun]
        ends = np.searchsorted(s.cell, self.search.start)
        if self.search.every:
            for j, (a, b) in enumerate(itertools.pairwise(ends)):
                if a < b:
                    v = np.searchsorted(sums[a:b], ranks[j], side="right")
                    x[j] = s.value[a + np.minimum(v, b - a - 1)]
            return changed(state, x=x, quantiles=between(x, part))
        intervals: list[Any] = []
        for j, column in enumerate(self.search.columns):
            wanted = np.flatnonzero(np.isnan(x[j]))
            a, b = self.search.start[j : j + 2]
            if column is None or not len(wanted) or not s.weight[a:b].any():
                intervals.append((np.zeros(0),) * 4)
                continue
            at = a + np.searchsorted(total[a:b], ranks[j, wanted], side="right")
            at = np.minimum(at, a + np.flatnonzero(s.weight[a:b])[-1])
            own = slice(*ends[j : j + 2])
            v = np.searchsorted(sums[own], ranks[j, wanted], side="right")
            v = ends[j] + np.minimum(v, max(0, ends[j + 1] - ends[j] - 1))
            taken = column.collects[at - a]
            same = s.low[at] == s.high[at]
            x[j, wanted] = np.where(same, s.low[at], np.nan)
            if taken.any():
                x[j, wanted[taken]] = s.value[v[taken]]
            left = np.unique(at[~taken & ~same])
            intervals.append((s.low[left], s.high[left], under[left], s.count[left]))
        if any(len(each[0]) for each in intervals):
            first = self.search.extremes
            grids = Search.grids(state.low, state.high) if first else None
            return changed(state, x=x, search=grids or Search.inside(intervals))
        return changed(state, x=x, quantiles=between(x, part))

    def _begun(self, s: Cells) -> Ranges:
        """Learn the extremes and the totals from the first pass."""
        empty = s.rows == 0
        low, high = np.where(empty, 0.0, s.low), np.where(empty, 0.0, s.high)
        x = np.full((len(low), 2 * len(self.q)), np.nan)
        x[empty] = 0.0
        return changed(self, low=low, high=high, n=s.n, rows=s.rows, x=x)

    def _ranks(self) -> tuple[Floats, Floats]:
        """Return the weights below the values of (2), (d, 2 t), and parts (d, t)."""
        n = np.maximum(np.maximum(self.n, self.rows), 1)[:, None]  # shares are counts
        j, part = METHODS[self.method](self.q[None], n)
        unit = self.n[:, None] / n
        ranks = np.clip(np.hstack([j, j + 1]), 0, n - 1) * unit
        return ranks + TIE * unit, np.broadcast_to(part, j.shape)


def between(x: Floats, part: Floats) -> Floats:
    """Return the quantiles (t, d) that lie between the values of two ranks."""
    lower, upper = np.split(x, 2, axis=1)  # (1)
    gap = upper - lower
    return np.where(  # (2), and exact at both ends
        part < 0.5, lower + part * gap, upper - (1 - part) * gap
    ).T
