"""Attributes of a tree: the columns of a table as small whole numbers.

A nominal attribute has categories v_0, v_1, ...; a missing value is a category of its
own.  A continuous one has edges e_0 < e_1 < ... and the code

    code(x) = number of edges below x                                            (1)

so that for a threshold t between edges  x <= t  means  code(x) <= cut(t), with

    cut(t) = number of edges at most t, less 1                                   (2)

In training the edges are the largest values of bins, in prediction the thresholds of
the tree: either way a tree reads whole numbers alone.  One pass tallies the values of
each column, on any source; a continuous column of more than `max_bins` values is cut
into bins of about equal weight.

Notation: codes (n, d) int32, -1 for a value that training did not have.
Course: S3-76. Reference: Quinlan (1993), 2.4.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from corollary.core.arrays import Floats, Vector
from corollary.core.column import Column
from corollary.core.errors import ParameterError, sentence
from corollary.core.parameters import shown
from corollary.core.table import Table, column_positions
from corollary.preparation.positions import positions
from corollary.preparation.tallies import (
    Tallies,
    Tally,
    Weights,
    check_size,
    weights_of,
)

__all__ = ["Attributes", "Bins", "attributes_of", "cuts_of", "tally"]

FEW = 20  # distinct whole numbers of a column that are categories


@dataclass(frozen=True)
class Attributes:
    """How each column becomes codes."""

    categories: tuple[Vector | None, ...]  # of nominal attributes
    edges: tuple[Floats | None, ...]  # of continuous ones

    @property
    def continuous(self) -> Vector:
        """Tell which attributes are continuous."""
        return np.array([each is None for each in self.categories])

    @property
    def widths(self) -> Vector:
        """Return how many codes each attribute has, missing values included."""
        pairs = zip(self.categories, self.edges, strict=True)
        found = [len(e) + 2 if e is not None else len(c) for c, e in pairs]  # type: ignore[arg-type]
        return np.array(found, dtype=np.int64)

    def codes(self, table: Table, who: object) -> Vector:
        """Return the codes of a table's rows, (n, d)."""
        out = np.empty(table.shape, dtype=np.int32)
        for j, (known, edges) in enumerate(
            zip(self.categories, self.edges, strict=True)
        ):
            column = table.column(j)
            if known is not None:
                numbers = np.append(np.arange(len(known), dtype=np.int32), -1)
                numbers = numbers.astype(np.int32)
                out[:, j] = positions(column, known, who).look_up(numbers)
            elif edges is not None:
                x = column.numbers(who=who, name=table.name(j))
                code = np.searchsorted(edges, x)  # (1)
                out[:, j] = np.where(np.isnan(x), len(edges) + 1, code)
        return out


@dataclass(frozen=True)
class Bins:
    """Bins of a continuous column: its least and largest value in each."""

    low: Floats  # (B,)
    high: Floats  # (B,)


def cuts_of(edges: Floats, thresholds: Floats) -> Vector:
    """Return the cut (2) of thresholds among edges.

    >>> cuts_of(np.array([1.0, 2.0]), np.array([1.5, 2.0, np.inf])).tolist()
    [0, 1, 1]
    """
    return np.searchsorted(edges, thresholds, side="right") - 1


# -- what one pass learns of the columns -----------------------------------------------
def tally(table: Table, y: Vector, w: Vector | None, k: int, who: str) -> Tallies:
    """Tally the values of each column with their weights, and the classes."""
    if w is not None and not w.all():
        table, y, w = table[w > 0], y[w > 0], w[w > 0]
    columns = (column_tally(table, j, w, who) for j in range(table.shape[1]))
    classes = np.bincount(y, w, minlength=k).astype(np.float64)
    return Tallies(tuple(columns), Weights(classes))


def column_tally(table: Table, j: int, w: Vector | None, who: str) -> Tally:
    """Tally the values of one column with their weights."""
    labels, weight = weights_of(table.column(j), w, who)
    check_size(who, table.name(j), labels)
    return Tally(who, table.name(j), labels, Weights(weight.astype(np.float64)))


def attributes_of(
    who: Any, found: Tallies, kinds: list[str], names: Any, max_bins: int
) -> tuple[Attributes, tuple[Bins | None, ...]]:
    """Tell nominal from continuous columns; bin the latter."""
    numeric = continuous_columns(who, who.continuous, found, kinds, names)
    categories: list[Vector | None] = []
    edges: list[Floats | None] = []
    bins: list[Bins | None] = []
    for j, column in enumerate(found.columns):
        if numeric[j]:
            made = binned(column, max_bins, who)
            categories.append(None)
            edges.append(made.high[:-1])
            bins.append(made)
        else:
            categories.append(column.labels)
            edges.append(None)
            bins.append(None)
    return Attributes(tuple(categories), tuple(edges)), tuple(bins)


def continuous_columns(
    who: object, asked: Any, found: Tallies, kinds: list[str], names: Any
) -> Vector:
    """Return which columns are continuous.

    By default those of numbers that are not all whole, or of more than 20 values.
    """
    d = len(found.columns)
    is_number = np.array([kind == "number" for kind in kinds])
    if asked is None:
        return np.zeros(d, dtype=bool)
    if isinstance(asked, str):
        many = [is_number[j] and many_numbers(found.columns[j], who) for j in range(d)]
        return np.array(many, dtype=bool)
    try:
        chosen = column_positions(who, asked, names, d)
    except (TypeError, ValueError) as error:
        must = "continuous must name columns, or number them"
        raise ParameterError(sentence(who, must, f"{shown(asked)}, {error}")) from None
    wrong = [j for j in chosen if not is_number[j]]
    if wrong:
        must = "continuous columns must hold numbers"
        came = f"a column of kind {kinds[wrong[0]]!r}, {found.columns[wrong[0]].name}"
        raise ParameterError(sentence(who, must, came))
    mask = np.zeros(d, dtype=bool)
    mask[chosen] = True
    return mask


def many_numbers(column: Tally, who: object) -> bool:
    """Tell whether a column's numbers are a scale rather than categories."""
    x = numbers_of(column, who)
    return bool(len(x) > FEW or (x != np.floor(x)).any())


def numbers_of(column: Tally, who: object) -> Floats:
    """Return the values of a column as numbers, without missing ones."""
    x = Column(column.labels).numbers(who=who, name=column.name)
    return x[~np.isnan(x)]


def binned(column: Tally, max_bins: int, who: object) -> Bins:
    """Cut the values of a column into bins of about equal weight."""
    x = numbers_of(column, who)
    if not len(x):
        return Bins(np.zeros(1), np.zeros(1))
    if len(x) <= max_bins:
        return Bins(x, x)
    weight = column.sums.weight[: len(x)]  # missing values come last
    rank = (np.cumsum(weight) - weight) / weight.sum()
    place = np.floor(rank * max_bins + 1e-9)
    first = np.flatnonzero(np.append(True, place[1:] > place[:-1]))
    return Bins(x[first], np.append(x[first[1:] - 1], x[-1]))
