"""Data frames: pandas, polars and pyarrow tables as matrices or as columns.

`frame_to_array`: columns of floats, integers and booleans become one C-ordered matrix;
a missing value becomes NaN, which the checks after this one report with its row and
column.  A column that holds anything else is named.

`frame_columns`: every column as the type that it has; see `column.py`.
"""

from __future__ import annotations

import numbers
from typing import Any

import numpy as np

from corollary.core.arrays import Floats, Vector
from corollary.core.arrow import arrow_column
from corollary.core.column import Column
from corollary.core.errors import DataError, sentence

__all__ = ["frame_columns", "frame_to_array", "is_frame"]

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

    table = _collected(who, frame)
    kinds = table.schema
    if nw.Unknown in kinds.values() or not len(kinds):
        return frame
    for column, (name, kind) in zip(table.iter_columns(), kinds.items(), strict=True):
        numeric = kind.is_numeric() or kind in (nw.Boolean, nw.Object)
        if not numeric and not _number_categories(column):
            refuse(who, name, f"type {kind}")
    small = all(kind == nw.Float32 for kind in kinds.values())
    dtype = np.dtype(np.float32 if small else np.float64)
    dtypes = set(getattr(frame, "dtypes", ()))
    if table.implementation.is_pandas() and dtypes == {dtype}:
        return frame.to_numpy()
    return stacked([_values(who, c, dtype) for c in table.iter_columns()], dtype)


def _collected(who: object, frame: Any) -> Any:
    """Return a frame as narwhals sees it; refuse one whose rows are not there yet."""
    import narwhals as nw

    table = nw.from_native(frame)
    if isinstance(table, nw.LazyFrame):
        must, remedy = "X must be a data frame with its rows", "Use X.collect()."
        raise DataError(sentence(who, must, "a lazy one", remedy))
    return table


def _number_categories(column: Any) -> bool:
    """Tell whether a column has categories that are numbers, as only pandas allows."""
    kind = getattr(column.to_native(), "dtype", None)
    labels = getattr(getattr(kind, "categories", None), "dtype", None)
    return isinstance(labels, np.dtype) and labels.kind in "biuf"


def _values(who: object, column: Any, dtype: Any) -> Vector:
    """Return one column as numbers, with NaN for what is missing."""
    import narwhals as nw

    if column.dtype in (nw.Categorical, nw.Enum):
        return column.to_native().to_numpy(dtype=dtype, na_value=np.nan)
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


# -- as columns ------------------------------------------------------------------------
def frame_columns(who: object, frame: Any) -> tuple[list[Column], list[Any]]:
    """Return the columns of a frame as they are, and their names.

    A pandas frame is read by position, so that two columns may have one name.
    """
    if type(frame).__module__.partition(".")[0] == "pandas":
        columns = [pandas_column(series) for _, series in frame.items()]
        return columns, list(frame.columns)
    table = frame
    if type(frame).__module__.partition(".")[0] != "pyarrow":
        table = _collected(who, frame).to_arrow()
    return [arrow_column(array) for array in table.columns], list(table.column_names)


def pandas_column(series: Any) -> Column:
    """Return a pandas series as a column; NaN stands for what is missing."""
    import pandas as pd

    kind, nan = series.dtype, float("nan")
    if isinstance(kind, np.dtype):
        return Column(series.to_numpy())
    if isinstance(kind, pd.CategoricalDtype):
        texts = kind.categories.dtype == object or kind.categories.dtype == "str"
        labels = np.asarray(kind.categories, dtype=object) if texts else None
        if labels is None:
            labels = pandas_column(kind.categories.to_series()).array()
        codes = series.array.codes.astype(np.int32)
        return Column(labels, codes, nan, "category")
    if isinstance(kind, pd.StringDtype | pd.ArrowDtype):
        return _stored_by_arrow(series, nan)
    if isinstance(kind, pd.DatetimeTZDtype):
        return Column(series.dt.tz_convert("UTC").dt.tz_localize(None).to_numpy())
    if isinstance(kind, pd.BooleanDtype) and series.isna().any():
        return Column(series.to_numpy(dtype=object, na_value=nan), stated="boolean")
    if pd.api.types.is_numeric_dtype(kind) and series.isna().any():
        return Column(series.to_numpy(dtype=np.float64, na_value=nan))
    return Column(np.asarray(series))


def _stored_by_arrow(series: Any, nan: float) -> Column:
    """Return texts, or what Arrow holds for pandas, through Arrow where it can."""
    import pyarrow as pa

    try:
        return arrow_column(pa.Array.from_pandas(series), nan)
    except UnicodeEncodeError:  # half a character, which only Python can hold
        texts = series.to_numpy(dtype=object, na_value=nan)
        return Column(texts, stated="text")
