"""Blocks of rows: what prediction does to all rows, block by block in the cache.

Each block is small enough to stay in the cache while a function works on it, and the
team of threads shares the blocks; BLAS runs on one thread inside each.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from corollary.core.arrays import Floats, Matrix
from corollary.engine.executors.executor import side_by_side, single_threaded_blas

__all__ = ["fill_rows", "row_products"]

BLOCK_BYTES = 2**19


def fill_rows(function: Callable[[Matrix], Floats], X: Matrix, columns: int) -> Floats:
    """Return the (n, columns) array whose rows `function` computes from those of X.

    >>> import numpy as np
    >>> fill_rows(lambda rows: rows @ np.ones((3, 2)), np.eye(3), 2).tolist()
    [[1.0, 1.0], [1.0, 1.0], [1.0, 1.0]]
    """
    n, width = X.shape[0], max(1, X.shape[1], columns)
    rows = max(256, BLOCK_BYTES // (X.dtype.itemsize * width))
    if n <= rows:
        return np.asarray(function(X), dtype=X.dtype)
    out = np.empty((n, columns), dtype=X.dtype)

    def fill(start: int) -> None:
        out[start : start + rows] = function(X[start : start + rows])

    with single_threaded_blas():
        side_by_side(fill, range(0, n, rows))
    return out


def row_products(K: Floats, B: Floats) -> Floats:
    """Return K B, the same to the bit for any number of threads, of BLAS too.

    >>> row_products(np.eye(2), np.array([[1.0], [2.0]])).tolist()
    [[1.0], [2.0]]
    """
    with single_threaded_blas():
        return K @ B
