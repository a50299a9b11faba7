"""The values at which the effect of a column is looked at.

Only values that occur are used, each by a row that has it: a grid is a list of row
positions, so that a value keeps its type and no row is asked of which no model has
seen the like.  Numbers and dates have quantiles, categories their frequent values.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from corollary.core.arrays import Floats, Vector
from corollary.core.column import Column
from corollary.core.errors import MixedTypesError
from corollary.diagnostics.slice_conditions import ordered_numbers
from corollary.diagnostics.table_text import cell_texts

__all__ = ["Grid", "grid_of"]

FEW = 20  # categories at most


@dataclass(frozen=True, eq=False)
class Grid:
    """Values of a column, by rows that have them."""

    kind: str  # number, date or category
    rows: Vector  # (g,) positions of rows with the values, numbers in their order
    values: list[Any]  # (g,) numbers or texts
    cell: Vector  # (n,) of each row: the first value not below its own; -1 for none
    counts: Floats  # (g,) rows of each cell
    ordered: bool  # numbers and dates


def grid_of(column: Column, most: int, w: Floats) -> Grid | None:
    """Return a grid of at most so many values, None where a column has fewer than 2."""
    gone = column.is_missing()
    numbers = ordered_numbers(column)
    if numbers is None:
        return categories(column, w)
    x = np.where(gone, np.nan, numbers)
    given = np.flatnonzero(~gone)
    if not len(given):
        return None
    order = given[np.argsort(x[given], kind="stable")]
    places = np.rint(np.linspace(0, len(order) - 1, most)).astype(np.intp)
    rows = order[places]
    keep = np.concatenate([[True], np.diff(x[rows]) > 0])
    rows = rows[keep]
    if len(rows) < 2:
        return None
    cell = np.searchsorted(x[rows], x, side="left")
    cell[gone] = -1
    counts = np.bincount(cell[~gone], w[~gone], minlength=len(rows))
    dates = column.kind == "date"
    values = cell_texts(column[rows]) if dates else x[rows].tolist()
    kind = "date" if dates else "number"
    return Grid(kind, rows, values, cell, counts.astype(np.float64), True)


def categories(column: Column, w: Floats) -> Grid | None:
    """Return the frequent values, the most frequent first."""
    try:
        labels, codes = column.coded()
    except MixedTypesError:
        labels, codes = np.unique(np.array(cell_texts(column)), return_inverse=True)
    weight = np.bincount(codes, w, minlength=len(labels))
    top = np.argsort(-weight, kind="stable")[:FEW]
    if len(top) < 2:
        return None
    place = np.full(len(labels), -1)
    place[top] = np.arange(len(top))
    first = np.full(len(labels), -1)
    first[codes[::-1]] = np.arange(len(codes))[::-1]  # a row of each value
    rows = first[top]
    texts = cell_texts(column[rows])
    return Grid("category", rows, texts, place[codes], weight[top].astype(float), False)
