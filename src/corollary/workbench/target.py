"""The target: which column it is, and whether it is a class or a number.

    words, booleans                                          classification
    two different numbers                                    classification
    whole numbers, at most 20 different ones, and at most
    5% of the rows or at least 5 rows for each of up to 10   classification
    other numbers                                            regression

Rows whose target is missing teach nothing and are left out; a note says how many.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from corollary.core.arrays import Vector
from corollary.core.errors import DataError, sentence
from corollary.workbench.stored_tables import array_of

__all__ = ["guess_task", "target_labels"]

WHO = "guess_task"
MOST_CLASSES = 20
SHARE = 0.05
EXACT = 2.0**53  # whole numbers below are integers without loss
SURE = (10, 5)  # so many classes with at least so many rows each, in small tables


def guess_task(y: Any) -> str:
    """Tell whether a target asks for classes or for numbers.

    Parameters
    ----------
    y : array, list, series or pyarrow array of shape (n,)
        The target; missing values do not count.

    Returns
    -------
    str
        "classification" or "regression".

    Examples
    --------
    >>> from corollary.workbench import guess_task
    >>> guess_task(["yes", "no", "yes"]), guess_task([0, 1, 1, 0])
    ('classification', 'classification')
    >>> guess_task([1.5, 2.25, 3.0, 8.0])
    'regression'
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    if isinstance(y, str | bytes) or not hasattr(y, "__len__"):
        must = "y must be a column of values"
        raise DataError(sentence(WHO, must, type(y).__name__))
    if getattr(y, "ndim", 1) != 1:
        raise DataError(sentence(WHO, "y must be one column", f"shape {y.shape}"))
    column = array_of(y)
    if pa.types.is_dictionary(column.type):
        column = pc.cast(column, column.type.value_type)
    column = column.drop_null()
    if not len(column):
        raise DataError(sentence(WHO, "y must hold at least one value", "none"))
    kind = column.type
    if not (pa.types.is_integer(kind) or pa.types.is_floating(kind) or
            pa.types.is_decimal(kind)):  # fmt: skip
        dates = pa.types.is_temporal(kind)
        return "regression" if dates else "classification"
    values = np.asarray(column.cast(pa.float64()).to_numpy(zero_copy_only=False))
    return numbers_task(values[~np.isnan(values)])


def numbers_task(values: Vector) -> str:
    """Tell the task of a target of numbers without missing ones."""
    distinct = np.unique(values)
    n, k = len(values), len(distinct)
    if k == 2:
        return "classification"
    whole = bool(np.all(np.floor(distinct) == distinct))
    few = k <= MOST_CLASSES and k <= SHARE * n
    sure = k <= SURE[0] and n >= SURE[1] * k
    return "classification" if whole and (few or sure) else "regression"


def target_labels(column: Any, task: str) -> Vector:
    """Return a target without missing values as NumPy array: floats, or labels.

    Labels are strings, booleans, or integers where all numbers are whole.
    """
    import pyarrow as pa

    values = column.combine_chunks() if hasattr(column, "chunks") else column
    values = np.asarray(values.to_numpy(zero_copy_only=False))
    if task == "regression":
        return values.astype(np.float64)
    if pa.types.is_string(column.type):
        return values.astype(str)
    if values.dtype.kind == "f" and np.all(np.floor(values) == values):
        return values.astype(np.int64) if np.abs(values).max() < EXACT else values
    return values


def check_target(who: str, name: str, column: Any, kind: str) -> str:
    """Refuse a target that nothing can be learned of; return its task."""
    import pyarrow.compute as pc

    distinct = pc.count_distinct(column).as_py()
    n = len(column)
    if kind == "date":
        must = f"target {name!r} must hold numbers or classes"
        remedy = "Turn it into a number, such as days since a fixed date."
        raise DataError(sentence(who, must, "dates", remedy))
    if distinct < 2:
        only = str(column[0].as_py())[:40] if n else ""
        came = f"the value {only!r} in all {n:,} rows" if n else "no value at all"
        must = f"target {name!r} must hold at least two different values"
        raise DataError(sentence(who, must, came))
    if kind in ("category", "text") and distinct > max(20, 0.5 * n):
        must = f"target {name!r} must hold classes that repeat, or numbers"
        came = f"{distinct:,} different words in {n:,} rows"
        raise DataError(sentence(who, must, came))
    return guess_task(column)
