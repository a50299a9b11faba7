"""The least and the largest value of each column, of dense rows and of sparse ones."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from corollary.core.arrays import Floats, Matrix

__all__ = ["column_extremes"]

ROW = 512  # entries of a row that NumPy goes through without stumbling


def column_extremes(X: Matrix, zeros: bool = True) -> tuple[Floats, Floats]:
    """Return the least and the largest value of each column, missing ones aside.

    `zeros` tells whether what sparse rows do not store is 0 or missing.

    >>> low, high = column_extremes(np.array([[1.0, np.nan], [3.0, np.nan]]))
    >>> low.tolist(), high.tolist()
    ([1.0, inf], [3.0, -inf])
    """
    if sp.issparse(X):
        return sparse_extremes(X, zeros)
    n, d = X.shape
    low, high = np.full(d, np.inf, X.dtype), np.full(d, -np.inf, X.dtype)
    beside = min(max(1, ROW // d), max(1, n))  # rows looked at as one
    even = n // beside * beside
    wide = X[:even].reshape(-1, beside * d)
    for rows in (wide, X[even:]):
        for found, pick in ((low, np.fmin), (high, np.fmax)):
            if len(rows):
                ends = pick.reduce(rows, axis=0).reshape(-1, d)
                pick(found, pick.reduce(ends, axis=0), out=found)
    return low, high


def sparse_extremes(X: Any, implicit: bool = True) -> tuple[Floats, Floats]:
    """Return the same of sparse rows."""
    n, d = X.shape
    low, high = np.full(d, np.inf, X.dtype), np.full(d, -np.inf, X.dtype)
    np.fmin.at(low, X.indices, X.data)
    np.fmax.at(high, X.indices, X.data)
    zeros = (np.bincount(X.indices, minlength=d) < n) & implicit
    low = np.where(zeros, np.minimum(low, 0), low)
    return low, np.where(zeros, np.maximum(high, 0), high)
