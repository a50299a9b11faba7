"""Rows that stand in a table twice, or in two tables, exactly or nearly.

Also known as: duplicate detection, near duplicates, train-test contamination, record
linkage.

A row is hashed to 64 bits by what it holds, whatever the types of its columns: equal
rows have equal keys, and of n different rows two share one with probability below

    n^2 / 2^65                                                                   (1)

Rows are nearly equal if their texts agree and no number differs by more than t standard
deviations of its column.  Such rows fall, most of them, into the same cell of a grid
over a few random directions (Datar et al.),

    c_k(x) = floor((a_k' z + b_k) / w),     z = x / sd,   a_k normal,            (2)

and only neighbours in a cell are compared.  Several grids find what one cuts apart.

Few columns with few values repeat by chance.  How many rows would is counted on the
table with every column shuffled by itself,                                      (3)

and only repetitions beyond it are a fault of the table.  Equal rows with different
targets bound what any model can reach: in a group of equal rows all but those with the
most frequent target are lost.                                                   (4)

Notation: t = tolerance; w = cell width, some t sqrt(d).
References: Datar, Immorlica, Indyk and Mirrokni (2004); Barz and Denzler (2020).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from hashlib import blake2b
from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy.sparse.csgraph import connected_components

from corollary.core.arrays import Floats, Matrix, Vector
from corollary.core.errors import DataError, ParameterError, sentence
from corollary.core.parameters import real
from corollary.core.randomness import generator, row_keys
from corollary.core.table import Column, Table, joined_rows, table_of

__all__ = ["Duplicates", "find_duplicates"]

WHO = "find_duplicates"
ABSENT = 0.123456789e-250  # stands for a missing number
DIRECTIONS, GRIDS = 6, 5
WIDTH = 8.0  # of a cell, in tolerances
SEED = 64
SHUFFLED = 100_000  # rows up to which columns are shuffled for (3)


@dataclass(frozen=True)
class Duplicates:
    """Rows that are repeated.

    Attributes
    ----------
    n, others : int
        Rows of the table, and of the second one.
    groups : int array of shape (n + others,)
        Equal rows have equal numbers; rows of the second table come last.
    repeated : int array
        Rows of the first table that repeat an earlier one of it.
    across : int array
        Rows of the second table that stand in the first.
    conflicts : int array
        Rows of the first table that are equal to others but have other targets.
    lost : int
        Rows that no model of these columns can predict, because of them (4).
    by_chance : int
        Rows that would be repeated in a table of independent columns (3).
    tolerance : float
        t, 0 for equal rows only.
    """

    n: int
    others: int
    groups: Vector = field(repr=False)
    repeated: Vector = field(repr=False)
    across: Vector = field(repr=False)
    conflicts: Vector = field(repr=False)
    lost: int
    by_chance: int
    tolerance: float

    @property
    def beyond_chance(self) -> int:
        """Rows repeated within the table, beyond those that chance repeats (3)."""
        return max(0, len(self.repeated) - 2 * self.by_chance)

    @property
    def sentence(self) -> str:
        """What was found, in one sentence."""
        alike = "equal" if self.tolerance == 0 else "nearly equal"
        if not len(self.repeated) and not len(self.across):
            return f"No two rows are {alike}."
        text = (
            f"{len(self.repeated):,} of {self.n:,} rows are {alike} to an earlier one"
        )
        if self.by_chance:
            text += f" ({self.by_chance:,} would be by chance)"
        if len(self.conflicts):
            text += f"; {len(self.conflicts):,} of such rows have different targets"
        if self.others:
            text += (
                f"; {len(self.across):,} of {self.others:,} rows of the second table "
                "stand in the first"
            )
        return f"{text}."

    def __str__(self) -> str:
        return self.sentence

    def to_findings(self) -> dict[str, Any]:
        """Return plain values, as the page of a report takes them."""
        return {
            "within": len(self.repeated),
            "across": len(self.across),
            "sentence": self.sentence,
        }


def find_duplicates(
    X: Any, y: Any = None, *, other: Any = None, tolerance: float = 0.0
) -> Duplicates:
    """Find rows that are repeated in a table, or stand in a second one too.

    Parameters
    ----------
    X : array, data frame, pyarrow table or CSR matrix
        Columns of any types.
    y : array of shape (n,), optional
        Targets; equal rows with different ones are conflicts.
    other : rows with the same columns, optional
        A second table, such as the test rows.
    tolerance : float >= 0, default=0
        How much numbers of nearly equal rows may differ, in standard deviations of
        their column.

    Returns
    -------
    Duplicates

    Examples
    --------
    >>> X = [["Rome", 3.0], ["Oslo", 4.5], ["Rome", 3.0], ["Oslo", 4.5000001]]
    >>> found = find_duplicates(X, [0, 1, 1, 1])
    >>> found.repeated.tolist(), found.conflicts.tolist(), found.lost
    ([2], [0, 2], 1)
    >>> find_duplicates(X, tolerance=1e-3).repeated.tolist()
    [2, 3]
    >>> find_duplicates(X, other=[["Oslo", 3.0], ["Rome", 3.0]]).across.tolist()
    [1]
    """
    if not real(0).holds(tolerance):
        must = "tolerance must be a number >= 0"
        raise ParameterError(sentence(WHO, must, f"{tolerance!r}"))
    table, n = both_tables(X, other)
    hashed = number_matrix(table)
    groups = group_numbers(row_keys(hashed, SEED))
    if tolerance > 0 and len(groups) > 1:
        groups = near_groups(table, groups, float(tolerance))
    first, second = groups[:n], groups[n:]
    conflicts, lost = conflicting(first, y)
    repeated = repeated_rows(first)
    chance = repeated_by_chance(hashed[:n]) if len(repeated) else 0
    return Duplicates(
        n,
        len(second),
        groups,
        repeated,
        np.flatnonzero(np.isin(second, first)),
        conflicts,
        lost,
        chance,
        float(tolerance),
    )


def both_tables(X: Any, other: Any) -> tuple[Table, int]:
    """Return one table below the other, and the rows of the first."""
    table = table_of(WHO, X)
    if other is None:
        return table, table.n
    second = table_of(WHO, other)
    if second.shape[1] != table.shape[1]:
        must = f"both tables must have {table.shape[1]} columns"
        raise DataError(sentence(WHO, must, f"{second.shape[1]} in the second"))
    return joined_rows([table, second]), table.n


# -- equal rows ------------------------------------------------------------------------
def number_matrix(table: Table) -> Matrix:
    """Return rows as numbers that are equal where the values are, for a hash (1)."""
    if table.is_block and table.held.dtype.kind in "fiub":
        if table.sparse:
            return table.held.astype(np.float64)
        X = np.array(table.held, dtype=np.float64, order="C")
    else:
        X = np.empty(table.shape)
        for j, column in enumerate(table.columns):
            X[:, j] = column_marks(column)
    X += 0.0  # -0 is 0
    X[np.isnan(X)] = ABSENT
    return X


def column_marks(column: Column) -> Floats:
    """Return a number for each value of a column; texts by their hash."""
    if column.kind in ("number", "boolean"):
        return np.array(column.numbers(who=WHO, name=""), dtype=np.float64)
    values = column.array()
    if values.dtype.kind == "M":
        marks = values.astype("datetime64[us]").astype(np.int64).astype(np.float64)
        return np.where(np.isnat(values), np.nan, marks)
    if column.kind == "object":
        column = Column(np.array([repr(value) for value in values], dtype=object))
    labels, codes = column.coded(WHO)
    of_label = [text_mark(label) for label in labels.tolist()]
    return np.array(of_label, dtype=np.float64)[codes]


def text_mark(label: Any) -> float:
    """Return 52 bits of the hash of a label as a whole number, NaN where missing."""
    if label is None or label != label:
        return np.nan
    digest = blake2b(f"{label}".encode("utf-8", "surrogatepass"), digest_size=8)
    return float(int.from_bytes(digest.digest(), "little") >> 12)


def group_numbers(keys: Vector) -> Vector:
    """Return a number for each row, equal where the keys are."""
    return np.unique(keys, return_inverse=True)[1].reshape(-1)


def repeated_rows(groups: Vector) -> Vector:
    """Return the rows that repeat an earlier one."""
    first = np.unique(groups, return_index=True)[1]
    later = np.ones(len(groups), dtype=bool)
    later[first] = False
    return np.flatnonzero(later)


def repeated_by_chance(X: Matrix) -> int:
    """Count repeated rows where every column is shuffled by itself (3)."""
    if sp.issparse(X) or X.shape[1] < 2:
        return 0
    rng = generator(SEED, 3)
    if len(X) <= SHUFFLED:
        moved = [rng.permutation(x) for x in X.T]
    else:  # turning a column is faster, and as good
        moved = [np.roll(x, rng.integers(len(X))) for x in X.T]
    return len(repeated_rows(group_numbers(row_keys(np.column_stack(moved), SEED))))


# -- nearly equal rows -----------------------------------------------------------------
def near_groups(table: Table, groups: Vector, tolerance: float) -> Vector:
    """Join groups of rows that are nearly equal, through several grids (2)."""
    Z, marks = scaled_numbers(table)
    n, d = Z.shape
    if d == 0:
        return groups
    width = WIDTH * tolerance * np.sqrt(d)
    links = [(np.arange(n), first_of(groups))]
    for grid in range(GRIDS):
        rng = generator(SEED, 2, grid)
        A = rng.normal(size=(d, DIRECTIONS))
        cells = np.floor((Z @ A) / width + rng.uniform(size=DIRECTIONS))  # (2)
        keys = row_keys(np.column_stack([cells, marks]), SEED)
        order = np.argsort(keys, kind="stable")
        a, b = order[:-1], order[1:]
        same = keys[a] == keys[b]
        a, b = a[same], b[same]
        near = np.ones(len(a), dtype=bool)
        for j in range(d):
            near[near] = np.abs(Z[a[near], j] - Z[b[near], j]) <= tolerance
        links.append((a[near], b[near]))
    ends = [np.concatenate(side) for side in zip(*links, strict=True)]
    ones = np.ones(len(ends[0]), dtype=np.int8)
    graph = sp.coo_matrix((ones, (ends[0], ends[1])), shape=(n, n))
    return connected_components(graph, directed=False)[1]


def scaled_numbers(table: Table) -> tuple[Floats, Floats]:
    """Return numbers in standard deviations, and the marks of all other columns."""
    X = number_matrix(table)
    X = X.toarray() if sp.issparse(X) else X
    number = np.array([kind in ("number", "date") for kind in table.kinds], dtype=bool)
    Z = X[:, number]
    gone = Z == ABSENT
    Z[gone] = 0.0
    spread = Z.std(axis=0)
    Z /= np.where(spread > 0, spread, 1.0)
    absent = gone.any(axis=1, keepdims=True).astype(np.float64)
    return Z, np.hstack([X[:, ~number], absent])


def first_of(groups: Vector) -> Vector:
    """Return for each row the first row of its group."""
    _, first, codes = np.unique(groups, return_index=True, return_inverse=True)
    return first[codes.reshape(-1)]


# -- targets ---------------------------------------------------------------------------
def conflicting(groups: Vector, y: Any) -> tuple[Vector, int]:
    """Return equal rows with different targets, and how many are lost (4)."""
    none = np.empty(0, dtype=np.intp)
    if y is None:
        return none, 0
    y = np.asarray(y)
    if y.ndim != 1 or len(y) != len(groups):
        must = f"y must hold one target for each of the {len(groups)} rows"
        raise DataError(sentence(WHO, must, f"shape {y.shape}"))
    if not len(y):
        return none, 0
    targets = Column(y).coded(WHO)[1].astype(np.int64)
    pairs, counts = np.unique(
        groups * (int(targets.max()) + 1) + targets, return_counts=True
    )
    of_pair = pairs // (int(targets.max()) + 1)
    kinds = np.bincount(of_pair, minlength=int(groups.max()) + 1)
    sizes = np.bincount(groups)
    most = np.zeros(len(sizes), dtype=np.int64)
    np.maximum.at(most, of_pair, counts)
    mixed = kinds > 1
    return np.flatnonzero(mixed[groups]), int((sizes - most)[mixed].sum())
