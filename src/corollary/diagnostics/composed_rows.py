"""Rows made of the columns of others, in the container they came in.

What a column does to an answer is told by rows that never were: a column permuted, set
to one value, or taken from another row.  Such rows are composed by position only,

    column j of the new rows = column j of the old rows at positions r_j            (1)

so that every value keeps its type, a category its dictionary and a missing value its
kind, and any model or pipeline takes them: arrays, sparse matrices, frames of pandas
and polars, pyarrow tables.

Notation: r_j = positions; None stands for the rows as they are.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from typing import Any

import numpy as np
import scipy.sparse as sp

from corollary.core.arrays import Vector
from corollary.core.errors import DataError, sentence
from corollary.core.frames import is_frame
from corollary.core.table import Table

__all__ = ["composed", "held_rows", "joined", "library", "replaced", "taken"]


def library(X: Any) -> str:
    """Return the name of the library that a container is of."""
    return "array" if isinstance(X, np.ndarray) else type(X).__module__.split(".")[0]


def held_rows(who: str, X: Any) -> Any:
    """Return rows in a container that `composed` knows; lists become arrays."""
    if isinstance(X, np.ndarray) or is_frame(X):
        found = X
    elif sp.issparse(X):
        found = X.tocsr()
    elif isinstance(X, Table):
        found = X.frame()
    else:
        found = np.asarray(X)
        if found.dtype.kind in "US":
            found = np.asarray(X, dtype=object)
    if library(found) == "pyarrow":
        found = found.combine_chunks() if hasattr(found, "combine_chunks") else found
    if getattr(found, "ndim", 2) != 2 or not all(found.shape):
        must = "X must be a table with rows and columns"
        raise DataError(sentence(who, must, f"shape {np.shape(found)}"))
    return found


def taken(X: Any, rows: Vector) -> Any:
    """Return rows by their positions."""
    kind = library(X)
    if kind == "pandas":
        return X.iloc[rows]
    if kind == "pyarrow":
        return X.take(rows)
    return X[rows]


def joined(a: Any, b: Any) -> Any:
    """Return two containers of one kind as one, a above b."""
    kind = library(a)
    if sp.issparse(a):
        return sp.vstack([a, b], format="csr")
    if kind == "array":
        return np.concatenate([a, b])
    if kind == "pandas":
        import pandas as pd

        return pd.concat([a, b], ignore_index=True)
    if kind == "polars":
        return a.vstack(b)
    import pyarrow as pa

    return pa.concat_tables([a, b]).combine_chunks()


def replaced(X: Any, columns: Sequence[int], rows: Vector) -> Any:
    """Return X with some columns taken from other rows, the others as they are."""
    places: list[Vector | None] = [None] * X.shape[1]
    for j in columns:
        places[j] = rows
    return composed(X, places)


def composed(X: Any, places: Sequence[Vector | None]) -> Any:
    """Return (1)."""
    kind = library(X)
    if kind == "array":
        return composed_array(X, places)
    if sp.issparse(X):
        return composed_sparse(X, places)
    if kind == "pandas":
        return composed_pandas(X, places)
    if kind == "polars":
        pairs = zip(X.get_columns(), places, strict=True)
        return type(X)([c if p is None else c.gather(p) for c, p in pairs])
    import pyarrow as pa

    pairs = zip(X.columns, places, strict=True)
    columns = [c if p is None else c.take(pa.array(p)) for c, p in pairs]
    return pa.Table.from_arrays(columns, schema=X.schema)


def composed_array(X: Any, places: Sequence[Vector | None]) -> Any:
    """Return (1) of an array."""
    n = next((len(p) for p in places if p is not None), len(X))
    out = np.empty((n, X.shape[1]), dtype=X.dtype)
    for j, rows in enumerate(places):
        out[:, j] = X[:, j] if rows is None else X[rows, j]
    return out


def composed_sparse(X: Any, places: Sequence[Vector | None]) -> Any:
    """Return (1) of a sparse matrix."""
    by_column = X.tocsc()
    parts = []
    for _, run in groupby(enumerate(places), key=lambda each: id(each[1])):
        (first, rows), *others = run  # columns that come from the same rows
        block = by_column[:, first : first + 1 + len(others)]
        parts.append(block if rows is None else block.tocsr()[rows])
    return sp.hstack(parts, format="csr")


def composed_pandas(X: Any, places: Sequence[Vector | None]) -> Any:
    """Return (1) of a pandas frame, by position, so that names may repeat."""
    values = (X.iloc[:, j].array for j in range(X.shape[1]))
    pairs = enumerate(zip(values, places, strict=True))
    columns = {j: v if rows is None else v.take(rows) for j, (v, rows) in pairs}
    frame = type(X)(columns)
    frame.columns = X.columns
    return frame
