"""The rows of a chunk in the leaves of a tree that is grown elsewhere.

The rows stand in one list; those of a leaf are neighbours there.  A split moves the
rows that go left before the others, and sums of a leaf's integers are its histograms
(`summed_tree.py`).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from corollary import loops
from corollary.core.arrays import Vector
from corollary.trees.histogram_tree import BINS, CodedRows, Gradients
from corollary.trees.summed_tree import Ask, cells_of

__all__ = ["RowsInLeaves"]


class RowsInLeaves:
    """Where each row is, for one tree."""

    def __init__(self, rows: CodedRows, gradients: Gradients) -> None:
        n = rows.columns.shape[1]
        self.coded, self.gradients = rows, gradients
        self.list = np.arange(n, dtype=np.int32)
        self.others = np.empty(n, np.int32)
        self.ends = {0: (0, n)}  # of each site
        self.mask = cells_of(rows.bins)

    def part(self, ask: Ask) -> None:
        """Split a site."""
        begin, end = self.ends[ask.parent]
        codes = self.coded.columns[ask.feature]
        given = codes, ask.table, self.list
        middle = loops.part_rows(*given, begin, end, self.others)
        self.ends[ask.left], self.ends[ask.right] = (begin, middle), (middle, end)

    def of(self, site: int) -> Vector:
        """Return the rows of a site."""
        begin, end = self.ends[site]
        return self.list[begin:end]

    def cells(self, site: int) -> Any:
        """Return the histograms of a site, (cells, width)."""
        own = self.gradients
        width = 1 if own.h is None else 2
        cells = np.empty(len(self.coded.columns) * BINS * width, np.int64)
        loops.sum_histograms(
            self.coded.groups,
            self.coded.ends,
            own.g,
            own.h,
            own.constant,
            own.fields,
            self.of(site),
            cells,
        )
        return cells.reshape(-1, width)[self.mask]
