"""Missing values: what stands for them, where they are, how many there are.

NaN stands for a missing value, or a number that `missing_values` names, which is turned
into NaN as rows are read.  What a sparse row does not store is 0 and never missing.
"""

from __future__ import annotations

import numbers
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from corollary.core.arrays import Matrix, Vector
from corollary.core.errors import ParameterError, sentence
from corollary.core.parameters import Rule, real
from corollary.engine import Chunk, Statistics
from corollary.preparation.column_statistics import weighing

__all__ = [
    "Gaps",
    "absent",
    "check_placeholder",
    "is_nan",
    "placeholder",
    "with_nan",
]


def is_nan(value: Any) -> bool:
    """Tell whether a placeholder is NaN or pandas' NA.

    >>> is_nan(float("nan")), is_nan(-1)
    (True, False)
    """
    if isinstance(value, numbers.Real):
        return bool(value != value)
    return type(value).__name__ == "NAType"  # pandas may be absent


def _no_number(value: Any) -> bool:
    return value is None or isinstance(value, str) or is_nan(value)


placeholder = real() | Rule("NaN, None, a text or pandas.NA", _no_number)


def check_placeholder(who: Any, sparse: bool) -> None:
    """Refuse a placeholder that numbers cannot hold, or that sparse rows do not."""
    value = who.missing_values
    if not is_nan(value) and not isinstance(value, numbers.Real):
        must = "missing_values must be a number or NaN for columns of numbers"
        raise ParameterError(sentence(who, must, f"{value!r}"))
    if sparse and value == 0:
        must = "missing_values must not be 0 for sparse rows, which do not store zeros"
        raise ParameterError(sentence(who, must, "0", "Use toarray()."))


def absent(X: Matrix, value: Any) -> Matrix:
    """Return where values are missing: booleans, sparse where X is."""
    values = X.data if sp.issparse(X) else X
    found = np.isnan(values) if is_nan(value) else values == value
    if not sp.issparse(X):
        return found
    ends = np.append(0, np.cumsum(found))[X.indptr]
    parts = (found[found], X.indices[found], ends)
    return sp.csr_array(parts, shape=X.shape)


def with_nan(X: Matrix, value: Any) -> Matrix:
    """Return rows in which NaN stands for what is missing."""
    if is_nan(value):
        return X
    if sp.issparse(X):
        out = X.copy()
        out.data[out.data == value] = np.nan
        return out
    return np.where(X == value, X.dtype.type(np.nan), X)


@dataclass(frozen=True)
class Gaps(Statistics):
    """How many rows there are, and how many have no value in each column."""

    rows: int
    missing: Vector  # (d,)

    @classmethod
    def of(cls, chunk: Chunk, value: Any) -> Gaps:
        """Count a chunk's missing values; rows of weight 0 do not count."""
        X, _ = weighing(chunk.X, chunk.w)
        return cls(X.shape[0], count_columns(absent(X, value)))

    @property
    def empty(self) -> Vector:
        """Which columns have no value at all."""
        return self.missing == self.rows


def count_columns(mask: Any) -> Vector:
    """Count what is true in each column, dense or sparse."""
    if sp.issparse(mask):
        return np.bincount(mask.indices, minlength=mask.shape[1])
    if not mask.any():
        return np.zeros(mask.shape[1], dtype=np.int64)
    return np.count_nonzero(mask, axis=0)
