"""Marks of the rows that a model was fitted to, by which it knows them again.

A mark is a hash of a row's numbers; of dense rows with hundreds of columns, of some of
them, evenly spaced, which are enough to tell rows apart.  A report keeps those of some
rows, evenly spaced, in memory alone and never in a file: enough to tell that rows which
are said to be new are not, at a cost that no fit feels.  Rows of texts leave no marks,
and neither do fits without a target, of which nothing is certified.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from corollary.core.arrays import Vector
from corollary.core.randomness import row_keys
from corollary.core.table import Table
from corollary.engine.sources.source import ArraySource

__all__ = ["marks_of", "recognised", "source_marks"]

MOST = 4096  # marks of one fit
COLUMNS = 256  # of a dense row that are hashed, at most
SEED = 20_011
TABLE = 18  # bits of a mark that are looked up first


def source_marks(source: Any) -> Vector | None:
    """Return marks of rows in memory that have a target, None where there are none."""
    if not isinstance(source, ArraySource) or not source.has_target:
        return None
    X = source.X
    if isinstance(X, Table):
        X = X.held if X.is_block else None
    if X is None or X.dtype.kind != "f" or not X.shape[0]:
        return None
    step = -(-X.shape[0] // MOST)
    return marks_of(X if step == 1 else X[::step])


def marks_of(X: Any) -> Vector:
    """Return a mark of each row of numbers, (n,)."""
    if not sp.issparse(X):
        X = np.ascontiguousarray(X[:, :: max(1, -(-X.shape[1] // COLUMNS))])
    return row_keys(X if X.dtype in (np.float32, np.float64) else X.astype(float), SEED)


def recognised(known: Vector, X: Any) -> Vector:
    """Tell which rows have a mark that is known, (n,)."""
    marks, table = marks_of(X), np.zeros(2**TABLE, dtype=bool)
    low = np.uint64(2**TABLE - 1)
    table[known & low] = True
    found = table[marks & low]  # few are left to compare
    found[found] = np.isin(marks[found], known)
    return found
