"""Imputation of texts and categories: the most frequent value, or a constant.

For columns of which some hold no numbers, all columns are objects.  A missing value is
None, NaN or pandas' NA where `missing_values` is one of these, else what is equal to
it.  The most frequent value of a column is

    mode_j = argmax_v  sum_i w_i [x_ij = v]      (ties: the first v in order)    (1)

and a chunk's tallies (`tallies.py`) add up to it.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from corollary.core.arrays import Vector
from corollary.core.column import Column
from corollary.core.distinct import is_missing
from corollary.core.table import Table
from corollary.preparation.column_statistics import weighing
from corollary.preparation.missing_values import Gaps, is_nan
from corollary.preparation.tallies import (
    Tallies,
    Tally,
    Weights,
    check_size,
    weights_of,
)

__all__ = [
    "FILLING",
    "filled_objects",
    "gaps_of_table",
    "gone",
    "gone_in_table",
    "has_texts",
    "modes",
    "tallies_of",
]

FILLING = "missing_value"  # the constant that scikit-learn fills in


def has_texts(kinds: list[str]) -> bool:
    """Tell whether some columns hold no numbers.

    >>> has_texts(["number", "boolean"]), has_texts(["number", "text"])
    (False, True)
    """
    return not set(kinds) <= {"number", "boolean"}


def gone(values: Vector, placeholder: Any) -> Vector:
    """Tell which values are missing, (n,) booleans.

    >>> gone(np.array(["a", None, "?"], dtype=object), "?").tolist()
    [False, False, True]
    """
    if placeholder is None or is_nan(placeholder):
        return is_missing(values)
    same = (value == placeholder for value in values.tolist())
    return np.fromiter((one is True for one in same), dtype=bool, count=len(values))


def gone_in_table(X: Table, placeholder: Any) -> Vector:
    """Tell which values of a table are missing, (n, d) booleans."""
    mask = np.zeros(X.shape, dtype=bool)
    for j, column in enumerate(X.columns):
        mask[:, j] = gone(column.array(), placeholder)
    return mask


def gaps_of_table(X: Table, w: Vector | None, placeholder: Any) -> Gaps:
    """Count the missing values of a chunk; rows of weight 0 do not count."""
    rows, _ = weighing(X, w)
    return Gaps(len(rows), gone_in_table(rows, placeholder).sum(axis=0))


def tallies_of(who: Any, X: Table, w: Vector | None, placeholder: Any) -> Tallies:
    """Tally the values of each column that are there."""
    X, w = weighing(X, w)
    name, columns = type(who).__name__, []
    for j, column in enumerate(X.columns):
        there = ~gone(column.array(), placeholder)
        some = column[there]
        labels, weight = weights_of(some, None if w is None else w[there], name)
        check_size(name, X.name(j), labels)
        columns.append(Tally(name, X.name(j), labels, Weights(weight.astype(float))))
    return Tallies(tuple(columns), Weights(np.zeros(1)))


def modes(s: Tallies) -> Vector:
    """Return the most frequent value of each column (1), 0 where there is none."""
    found = np.zeros(len(s.columns), dtype=object)
    for j, tally in enumerate(s.columns):
        if len(tally.labels):
            found[j] = tally.labels.tolist()[int(np.argmax(tally.sums.weight))]
    return found


def filled_objects(
    X: Table, statistics: Vector, kept: Vector, placeholder: Any
) -> tuple[Vector, Vector]:
    """Return the columns that are kept, filled, as objects; and what was missing."""
    out = np.empty((len(X), int(kept.sum())), dtype=object)
    mask = np.zeros(X.shape, dtype=bool)
    for j, column in enumerate(X.columns):
        values = as_objects(column)
        mask[:, j] = gone(values, placeholder)
        if kept[j]:
            values[mask[:, j]] = statistics[j]
            out[:, int(kept[:j].sum())] = values
    return out, mask


def as_objects(column: Column) -> Vector:
    """Return a column's values as objects of Python, in an array of its own."""
    values = column.array()
    out = np.empty(len(values), dtype=object)
    out[:] = values.tolist() if values.dtype.kind not in "mM" else values
    return out
