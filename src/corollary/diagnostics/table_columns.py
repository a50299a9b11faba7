"""Columns of tables of any kind: left out, or with their rows exchanged."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import scipy.sparse as sp

from corollary.core.arrays import Vector

__all__ = ["exchanged_columns", "without_columns"]


def without_columns(X: Any, positions: Sequence[int]) -> Any:
    """Return a table without some of its columns, of the same kind.

    >>> without_columns(np.arange(6).reshape(2, 3), [1]).tolist()
    [[0, 2], [3, 5]]
    """
    width = X.shape[1]
    keep = [j for j in range(width) if j not in set(positions)]
    library = type(X).__module__.partition(".")[0]
    if library == "pandas":
        return X.iloc[:, keep]
    if library in ("pyarrow", "polars"):
        names = X.column_names if library == "pyarrow" else X.columns
        return X.select([names[j] for j in keep])
    return X[:, keep] if sp.issparse(X) else np.asarray(X)[:, keep]


def exchanged_columns(X: Any, positions: Sequence[int], order: Vector) -> Any:
    """Return a table with the rows of some columns in another order.

    >>> exchanged_columns(np.arange(6).reshape(3, 2), [1], [2, 0, 1]).tolist()
    [[0, 5], [2, 1], [4, 3]]
    """
    order = np.asarray(order)
    library = type(X).__module__.partition(".")[0]
    if library == "pandas":
        X = X.copy()
        for j in positions:
            X.isetitem(j, X.iloc[:, j].array.take(order))
        return X
    if library == "pyarrow":
        for j in positions:
            X = X.set_column(j, X.column_names[j], X.column(j).take(order))
        return X
    if library == "polars":
        names = [X.columns[j] for j in positions]
        return X.with_columns([X[name][order] for name in names])
    if sp.issparse(X):
        X = X.tolil(copy=True)
        X[:, list(positions)] = X[order][:, list(positions)]
        return X.tocsr()
    X = np.array(X)
    for j in positions:
        X[:, j] = X[order, j]
    return X
