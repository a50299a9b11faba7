"""The search for slices of high loss: every one that chance does not explain, exactly.

Rows of loss e_i and weight w_i have the centred losses u_i = w_i (e_i - e), of sum 0,
with e the weighted mean.  Where membership in a slice of m of the n rows says nothing
of the loss, its sum U of the u is that of m rows drawn without replacement:

    z = U / sqrt(S^2 m (1 - m/n)),    S^2 = sum u^2 / (n - 1)                        (1)

is about standard normal.  Its tail is too light for few rows of skewed losses, so that
a second test must agree: Fisher's exact one where a loss has two values, Welch's t of
the slice against the rest otherwise; p is the larger of the two p-values.

There are M_1 slices of one condition and M_2 of two.  Each kind has half of delta, and
by Holm's rule the k-th smallest p-value of its kind is multiplied by

    M - k + 1,   never less than M / 2                                               (2)

so that the chance of any false alarm is at most delta, and no slice with a normal tail
of (1) above 2 delta / M need be looked at (3).

A pair of conditions a, b is a subset of both.  With v = u - min u >= 0, sums V over a
condition and largest values T, a slice of m of their rows has V <= min(V_a, V_b) and
V <= m min(T_a, T_b).  The bound on (1) that follows rises with m until both are equal
and falls after that, so it is largest at

    m* = V / T,  kept between the rows that the pair must have and min(n_a, n_b)     (4)

(it must have the least rows of a slice, and n_a + n_b - n), and pairs whose bound is
below (3) are passed over.  None is lost: the answer is that of a search of all pairs.
Sums over all pairs come from `slice_tables`.

Notation: u, v = centred losses; m = rows of a slice.
References: Sagadeeva and Boehm (2021); Chung et al. (2019); Holm (1979).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import ndtr, ndtri, stdtr
from scipy.stats import hypergeom

from corollary.core.arrays import Floats, Vector
from corollary.diagnostics.slice_conditions import Conditions
from corollary.diagnostics.slice_tables import Tables, pair_tables, single_table

__all__ = ["Candidates", "Found", "Rows", "bar", "searched"]

ROUNDING = 1e-6  # of a z


@dataclass(frozen=True, eq=False)
class Rows:
    """Centred losses of the rows, and what (1) and (4) need of them."""

    u: Floats  # (n,) of sum 0
    variance: float  # S^2
    squares: float  # sum of u^2
    low: float  # min u
    ones: tuple[float, float] | None  # low and high of u, where it has two values
    least: int  # rows of a slice

    @property
    def n(self) -> int:
        """Number of rows."""
        return len(self.u)

    def z(self, U: Any, m: Any) -> Any:
        """Return (1)."""
        return U / np.sqrt(self.variance * m * np.maximum(1 - m / self.n, 1e-300))

    @classmethod
    def of(cls, losses: Floats, w: Floats, least: int) -> Rows:
        """Centre the losses."""
        u = w * (losses - float(w @ losses) / float(w.sum()))
        low, high = float(u.min()), float(u.max())
        two = bool(((u == low) | (u == high)).all()) and high > low
        squares = float(u @ u)
        variance = squares / max(len(u) - 1, 1)
        return cls(u, variance, squares, low, (low, high) if two else None, least)


@dataclass(frozen=True, eq=False)
class Candidates:
    """Slices of one kind, as columns."""

    table: Vector  # (k,) position among the tables
    at: Vector  # (k, 2) of its conditions; 0 for a second one that is not there
    m: Floats  # (k,) rows
    p: Floats  # (k,) p-values

    def __len__(self) -> int:
        return len(self.table)

    def __getitem__(self, some: Any) -> Candidates:
        return Candidates(self.table[some], self.at[some], self.m[some], self.p[some])

    @classmethod
    def joined(cls, parts: Sequence[Candidates]) -> Candidates:
        """Return several as one."""
        none = cls(
            np.empty(0, np.intp), np.empty((0, 2), np.intp), np.empty(0), np.empty(0)
        )
        every = [none, *parts]
        return cls(
            np.concatenate([c.table for c in every]),
            np.concatenate([c.at for c in every]),
            np.concatenate([c.m for c in every]),
            np.concatenate([c.p for c in every]),
        )


@dataclass(frozen=True)
class Found:
    """What a search has found and looked at."""

    tables: list[Tables]
    slices: Candidates  # with p-values of all tests together
    tests: dict[int, int]  # M_1, M_2
    pruned: int  # pairs of columns that were passed over
    pairs: int  # pairs of columns


# -- the search ------------------------------------------------------------------------
def searched(
    columns: Sequence[Conditions],
    rows: Rows,
    levels: dict[int, float],
    most_pairs: int,
    prune: bool = True,
) -> Found:
    """Return every slice that passes the level of its kind."""
    columns = [c for c in columns if len(c)]
    tables = [single_table(c, rows.u) for c in columns]
    tests = numbers_of_tests(columns, levels)
    bars = {k: bar(levels[k], tests[k]) for k in levels}
    found = {1: [passing(t, each, rows, bars[1]) for t, each in enumerate(tables)]}
    pruned, pairs = 0, []
    if tests.get(2):
        found[2] = []
        limits = [Limits.of(table, rows) for table in tables]
        pairs = pairs_of(tables, rows, most_pairs)
        wanted = [
            (i, j)
            for i, j in pairs
            if not prune or limits[i].best_pair(limits[j], rows) >= bars[2] - ROUNDING
        ]
        pruned = len(pairs) - len(wanted)
        for table in pair_tables(columns, rows.u, wanted):
            some = passing(len(tables), table, rows, bars[2])
            if len(some):
                tables.append(table)
                found[2].append(some)
    joined = {k: Candidates.joined(parts) for k, parts in found.items()}
    kept = [
        proved(c, tests[k], levels[k], sum(levels.values())) for k, c in joined.items()
    ]
    return Found(tables, Candidates.joined(kept), tests, pruned, len(pairs))


def numbers_of_tests(
    columns: Sequence[Conditions], levels: dict[int, float]
) -> dict[int, int]:
    """Return M_1 and M_2."""
    sizes = np.array([len(c) for c in columns], dtype=float)
    tests = {1: int(sizes.sum())}
    if 2 in levels:
        tests[2] = int((sizes.sum() ** 2 - (sizes**2).sum()) / 2)
    return tests


def bar(level: float, tests: int) -> float:
    """Return the z of (3)."""
    return float(-ndtri(min(2 * level / max(tests, 1), 0.5)))


def pairs_of(tables: list[Tables], rows: Rows, most: int) -> list[tuple[int, int]]:
    """Return pairs of columns, of those with the largest z where there are too many."""
    d = len(tables)
    chosen = np.arange(d)
    if d * (d - 1) // 2 > most:
        few = int((1 + np.sqrt(1 + 8 * most)) / 2)
        top = [
            np.abs(rows.z(t.over(t.total), np.maximum(t.over(t.count), 1))).max()
            for t in tables
        ]
        chosen = np.sort(np.argsort(-np.array(top), kind="stable")[:few])
    return [(int(i), int(j)) for x, i in enumerate(chosen) for j in chosen[x + 1 :]]


def passing(t: int, table: Tables, rows: Rows, bar: float) -> Candidates:
    """Return the conditions of a table, or pairs of them, that pass (3)."""
    m, U = table.over(table.count), table.over(table.total)
    fits = (m >= rows.least) & (m <= rows.n - rows.least)
    z = np.where(fits, rows.z(U, np.clip(m, 1, rows.n - 1)), -np.inf)
    at = np.argwhere(z >= bar)
    if not len(at):
        return Candidates.joined([])
    place = tuple(at.T)
    Q = table.over(table.sums(rows.u**2))[place]
    p = p_values(rows, m[place], U[place], Q)
    both = np.column_stack([at, np.zeros_like(at)])[:, :2]
    return Candidates(np.full(len(at), t), both, m[place], p)


@dataclass(frozen=True, eq=False)
class Limits:
    """What (4) needs of the conditions on a column."""

    m: Floats  # (l,) rows
    V: Floats  # (l,) sums of v
    T: Floats  # (l,) largest v

    @classmethod
    def of(cls, table: Tables, rows: Rows) -> Limits:
        """Sum and compare the v of each condition."""
        m = table.over(table.count)
        top = np.full(table.a.cells, -np.inf)
        order = np.argsort(table.a.codes, kind="stable")
        cell = table.a.codes[order]
        first = np.flatnonzero(np.concatenate([[True], cell[1:] != cell[:-1]]))
        top[cell[first]] = np.maximum.reduceat(rows.u[order], first)
        inside = np.where(table.a.members > 0, top, -np.inf)
        return cls(
            m, table.over(table.total) - m * rows.low, inside.max(axis=1) - rows.low
        )

    def best_pair(self, other: Limits, rows: Rows) -> float:
        """Return the largest z that any pair of conditions can have."""
        V = np.minimum.outer(self.V, other.V)
        T = np.minimum.outer(self.T, other.T)
        top = np.minimum.outer(self.m, other.m)
        least = np.maximum(np.add.outer(self.m, other.m) - rows.n, rows.least)
        m = np.clip(V / np.maximum(T, 1e-300), least, np.maximum(top, least))
        z = rows.z(np.minimum(V, m * T) + m * rows.low, m)  # (4)
        return float(np.where(top >= rows.least, z, -np.inf).max())


# -- tests -----------------------------------------------------------------------------
def p_values(rows: Rows, m: Floats, U: Floats, Q: Floats) -> Floats:
    """Return the larger p-value of (1) and of the second test."""
    normal = ndtr(-rows.z(U, m))
    if rows.ones is not None:
        low, high = rows.ones
        errors = np.rint((U - m * low) / (high - low))
        all_errors = np.rint(-rows.n * low / (high - low))
        exact = hypergeom.sf(errors - 1, rows.n, all_errors, m)
        return np.maximum(normal, exact)
    rest = rows.n - m
    spread = np.maximum(Q - U**2 / m, 0) / (m - 1) / m
    other = np.maximum(rows.squares - Q - U**2 / rest, 0) / (rest - 1) / rest
    both = np.maximum(spread + other, 1e-300)
    t = (U / m + U / rest) / np.sqrt(both)
    free = both**2 / np.maximum(spread**2 / (m - 1) + other**2 / (rest - 1), 1e-300)
    return np.maximum(normal, stdtr(np.clip(free, 1, 1e9), -t))


def adjusted(p: Floats, tests: int) -> Floats:
    """Return p-values by Holm's rule (2); those left out are larger."""
    order = np.argsort(p, kind="stable")
    factor = np.maximum(tests - np.arange(len(p)), tests / 2)
    held = np.minimum(np.maximum.accumulate(p[order] * factor), 1.0)
    out = np.empty(len(p))
    out[order] = held
    return out


def proved(c: Candidates, tests: int, level: float, total: float) -> Candidates:
    """Return the slices of one kind that pass its level, p-values for both kinds."""
    held = adjusted(c.p, tests)
    kept = c[held <= level]
    p = np.minimum(held[held <= level] * (total / level), 1.0)
    return Candidates(kept.table, kept.at, kept.m, p)
