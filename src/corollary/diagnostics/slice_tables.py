"""Sums over the cells of columns, and of pairs of them, in few passes over the rows.

A pair of columns with cells i and j has the tables

    H_ij = sum of values over the rows in both cells                                 (1)

and the sums over all pairs of conditions are C_a H C_b'.  One pass over the rows counts
the cells of four columns at once, as one code; adding up over two of the four gives
the tables of six pairs.  So d columns need about d^2 / 8 passes, not d^2 / 2.

Notation: C = members of the conditions.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np

from corollary.core.arrays import Floats, Vector
from corollary.diagnostics.slice_conditions import Conditions

__all__ = ["Tables", "pair_tables", "single_table"]

MOST_CELLS = 2**15  # of one pass, so that sums stay in the cache


@dataclass(frozen=True, eq=False)
class Tables:
    """Sums over the cells of one column, or of a pair of them."""

    a: Conditions
    b: Conditions | None
    count: Floats  # (cells,) or (cells, cells)
    total: Floats  # of u

    def over(self, cells: Floats) -> Floats:
        """Return sums over conditions, (l,) or (l_a, l_b), from sums over cells."""
        sums = self.a.members @ cells
        return sums if self.b is None else sums @ self.b.members.T

    def sums(self, values: Floats | None, rows: Any = slice(None)) -> Floats:
        """Sum values of rows over the cells; count them where there are none."""
        a = self.a.codes[rows]
        if self.b is None:
            return np.bincount(a, values, self.a.cells).astype(np.float64)
        k = self.b.cells
        at = np.multiply(a, k, dtype=np.intp) + self.b.codes[rows]
        sums = np.bincount(at, values, self.a.cells * k)
        return sums.astype(np.float64).reshape(self.a.cells, k)


def single_table(column: Conditions, u: Floats) -> Tables:
    """Count the rows in each cell of a column and add their u."""
    empty = Tables(column, None, np.empty(0), np.empty(0))
    return Tables(column, None, empty.sums(None), empty.sums(u))


@dataclass(frozen=True, eq=False)
class Group:
    """One or two columns as one code."""

    columns: tuple[int, ...]
    shape: tuple[int, ...]  # cells of each
    codes: Vector  # (n,)

    @property
    def cells(self) -> int:
        """Pairs of cells."""
        return int(np.prod(self.shape))


def pair_tables(
    columns: Sequence[Conditions], u: Floats, wanted: Sequence[tuple[int, int]]
) -> Iterator[Tables]:
    """Return (1) for the wanted pairs of columns, the smaller position first."""
    open_pairs = set(wanted)
    used = sorted({i for pair in wanted for i in pair}, key=lambda i: columns[i].cells)
    groups = [group(columns, used[k : k + 2]) for k in range(0, len(used), 2)]
    for g, h in combinations(groups, 2):
        pairs = [(i, j) for i in g.columns for j in h.columns]
        asked = [p for p in pairs if tuple(sorted(p)) in open_pairs]
        few = len(asked) == 1 or g.cells * h.cells > MOST_CELLS
        for part in [[p] for p in asked] if few else [asked] if asked else []:
            one = [group(columns, [i]) for i in part[0]] if few else [g, h]
            yield from tables_of(columns, u, one, part)
    for g in groups:
        if len(g.columns) == 2 and tuple(sorted(g.columns)) in open_pairs:
            yield from tables_of(columns, u, [g], [(g.columns[0], g.columns[1])])


def group(columns: Sequence[Conditions], some: Sequence[int]) -> Group:
    """Return columns as one code."""
    shape = tuple(columns[i].cells for i in some)
    codes = columns[some[0]].codes
    if len(some) == 2:
        codes = np.multiply(codes, shape[1], dtype=np.int32) + columns[some[1]].codes
    return Group(tuple(some), shape, codes)


def tables_of(
    columns: Sequence[Conditions],
    u: Floats,
    groups: Sequence[Group],
    pairs: Sequence[tuple[int, int]],
) -> Iterator[Tables]:
    """Pass once over the rows; add up to the table of each pair."""
    axes = [i for g in groups for i in g.columns]
    shape = [k for g in groups for k in g.shape]
    at = groups[0].codes
    if len(groups) == 2:
        at = np.multiply(at, groups[1].cells, dtype=np.intp) + groups[1].codes
    size = int(np.prod(shape))
    sums = [np.bincount(at, v, size).astype(float).reshape(shape) for v in (None, u)]
    for pair in pairs:
        i, j = sorted(pair)
        rest = tuple(x for x, column in enumerate(axes) if column not in pair)
        both = [s.sum(axis=rest) for s in sums]
        if axes.index(i) > axes.index(j):
            both = [s.T for s in both]
        yield Tables(columns[i], columns[j], *both)
