"""Data frames: pandas, polars and pyarrow tables as matrices, through narwhals.

Columns of floats, integers and booleans become one C-ordered matrix; a missing value
becomes NaN, which the checks after this one report with its row and column.  A column
that holds anything else is named.
"""

from __future__ import annotations

import numbers
from typing import Any

import numpy as np

from corollary.core.arrays import Floats, Vector
from corollary.core.errors import DataError, sentence

__all__ = ["frame_to_array", "is_frame"]

LIBRARIES = ("pandas", "polars", "pyarrow", "modin", "cudf")
BLOCK_ROWS = 4096  # copied at a time, so that they stay in the cache


def is_frame(X: Any) -> bool:
    """Tell whether X is a table of a known library, without importing any."""
    library = type(X).__module__.partition(".")[0]
    return library in LIBRARIES and hasattr(type(X), "columns")


def frame_to_array(who: object, frame: Any) -> Any:
    """Return the frame's values as a float32 or float64 matrix.

    All columns float32 give float32.  A pandas frame that is one block of floats is
    not copied.  Columns of a kind that narwhals does not know (sparse, complex) leave
    the frame as it is, for scikit-learn to judge.
    """
    import narwhals as nw

    table = nw.from_native(frame)
    if isinstance(table, nw.LazyFrame):
        must, remedy = "X must be a data frame with its rows", "Use X.collect()."
        raise DataError(sentence(who, must, "a lazy one", remedy))
    kinds = table.schema
    if nw.Unknown in kinds.values() or not len(kinds):
        return frame
    for name, kind in kinds.items():
        if not (kind.is_numeric() or kind in (nw.Boolean, nw.Object)):
            refuse(who, name, f"type {kind}")
    small = all(kind == nw.Float32 for kind in kinds.values())
    dtype = np.dtype(np.float32 if small else np.float64)
    dtypes = set(getattr(frame, "dtypes", ()))
    if table.implementation.is_pandas() and dtypes == {dtype}:
        return frame.to_numpy()
    return stacked([_values(who, c, dtype) for c in table.iter_columns()], dtype)


def _values(who: object, column: Any, dtype: Any) -> Vector:
    """Return one column as numbers, with NaN for what is missing."""
    import narwhals as nw

    if column.dtype == nw.Object:
        values = column.to_numpy()
        for value in values:
            if not (isinstance(value, numbers.Number) or value is None):
                came = f"{value!r} of type {type(value).__name__}"
                refuse(who, column.name, came)
        return np.array(values, dtype=dtype)
    if column.dtype == nw.Boolean or column.null_count():
        column = column.cast(nw.Float32 if dtype == np.float32 else nw.Float64)
    return np.asarray(column.to_numpy())


def refuse(who: object, name: object, came: str) -> None:
    """Name the column that cannot be learned from."""
    must = f"column {name!r} of X must hold numbers"
    raise DataError(sentence(who, must, came, "Encode it as numbers, or drop it."))


def stacked(columns: list[Vector], dtype: Any) -> Floats:
    """Copy columns side by side into a C-ordered matrix."""
    X = np.empty((len(columns[0]), len(columns)), dtype=dtype)
    for a in range(0, X.shape[0], BLOCK_ROWS):
        rows = slice(a, a + BLOCK_ROWS)
        for j, column in enumerate(columns):
            X[rows, j] = column[rows]
    return X
