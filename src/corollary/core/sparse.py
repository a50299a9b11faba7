"""Sparse matrices as they enter: their indices are checked before anything trusts them.

SciPy and the compiled loops follow indices and pointers wherever these lead.  So every
matrix that a user hands over is looked at here first, in one pass at the memory's pace:

    CSR, CSC    pointers from 0, rising, up to the number of entries; indices in range
    COO, DOK    coordinates in range
    others      turned into one of these by their own arrays, then looked at

What SciPy remembers of a matrix (`has_canonical_format`) is not believed, and the
user's own arrays are never changed.
"""

from __future__ import annotations

from typing import Any, NoReturn

import numpy as np
import scipy.sparse as sp

from corollary import loops
from corollary.core.arrays import Vector
from corollary.core.configuration import get_config
from corollary.core.errors import DataError, sentence

__all__ = ["canonical", "in_order", "sound_csr"]

MOST_COLUMNS = 2**31  # the loops count columns in 32 bits


def canonical(who: Any, X: Any) -> Any:
    """Return a CSR array with sorted, unique, 32-bit indices where they suffice."""
    return in_order(sound_csr(who, X))


def sound_csr(who: Any, X: Any) -> Any:
    """Return a sparse matrix as a CSR array whose indices can be trusted.

    >>> X = sp.csr_array(np.eye(2))
    >>> X.indices[1] = 7
    >>> sound_csr("Ridge", X)
    Traceback (most recent call last):
    corollary.core.errors.DataError: Ridge: the column indices of the sparse matrix \
must lie in [0, 2); got 7. Build it again, or use its toarray().
    """
    if len(X.shape) != 2:
        refuse(who, "be a table of rows and columns", f"{len(X.shape)} dimensions")
    if X.shape[1] >= MOST_COLUMNS and not getattr(who, "any_width", False):
        refuse(who, f"have fewer than {MOST_COLUMNS} columns", f"{X.shape[1]}")
    if X.format == "csr":
        return checked_rows(who, X.data, X.indices, X.indptr, X.shape)
    if X.format == "csc":
        parts = X.data, X.indices, X.indptr
        return checked_rows(who, *parts, X.shape[::-1], "row").T.tocsr()
    X = as_csr(who, X)
    return checked_rows(who, X.data, X.indices, X.indptr, X.shape)


def checked_rows(
    who: Any,
    data: Any,
    indices: Any,
    indptr: Any,
    shape: tuple[int, int],
    axis: str = "column",
) -> Any:
    """Return CSR rows of these parts; refuse pointers and indices out of range."""
    indices, indptr = whole(who, indices), whole(who, indptr)
    if indices.dtype != indptr.dtype:
        indices, indptr = indices.astype(np.int64), indptr.astype(np.int64)
    data = np.ascontiguousarray(data)
    if data.ndim != 1 or len(data) != len(indices):
        came = f"{data.size} values and {len(indices)} indices"
        refuse(who, "have one index for each value", came)
    end = check_pointers(who, indptr, len(indices), shape[0])
    indices, data = indices[:end], data[:end]
    check_range(who, indices, shape[1], axis)
    rows = sp.csr_array((data, indices, indptr), shape=shape)
    threads = get_config().threads
    rising = loops.indices_rise(rows.indices, rows.indptr, threads)
    rows.has_canonical_format = rising
    return rows


def as_csr(who: Any, X: Any) -> Any:
    """Convert another format, once what SciPy's conversion follows is in range."""
    try:
        if X.format == "lil":
            lengths = [len(row) for row in X.rows], [len(row) for row in X.data]
            if len(X.rows) != X.shape[0] or lengths[0] != lengths[1]:
                raise ValueError("lists of different lengths")
            return X.tocsr()
        if X.format == "bsr":
            check_pointers(
                who, whole(who, X.indptr), len(X.indices), X.shape[0] // X.blocksize[0]
            )
        if X.format == "dia":
            offsets = whole(who, X.offsets)
            if len(np.unique(offsets)) != len(X.data) or len(X.data) != len(offsets):
                raise ValueError("diagonals without an offset of their own")
        return from_coordinates(who, X.tocoo())
    except DataError:
        raise
    except (ValueError, IndexError, TypeError, OverflowError) as error:
        refuse(who, "be consistent", f"{X.format} arrays that are not ({error})")


def from_coordinates(who: Any, X: Any) -> Any:
    """Turn COO into CSR, once the coordinates are in range."""
    rows, columns = (whole(who, coordinate) for coordinate in (X.row, X.col))
    if not len(rows) == len(columns) == len(X.data):
        came = f"{len(rows)}, {len(columns)} and {len(X.data)}"
        refuse(who, "have as many rows and columns as values", came)
    check_range(who, rows, X.shape[0], "row")
    check_range(who, columns, X.shape[1], "column")
    return sp.coo_array((X.data, (rows, columns)), shape=X.shape).tocsr()


def check_pointers(who: Any, indptr: Vector, entries: int, rows: int) -> int:
    """Refuse pointers that lead out of the entries; return where they end."""
    if len(indptr) != rows + 1:
        refuse(who, f"have {rows + 1} pointers for its {rows} rows", f"{len(indptr)}")
    if not loops.pointers_rise(indptr, entries):
        must = f"have pointers (indptr) that rise from 0 to at most {entries}"
        falls = " that fall in between" if (np.diff(indptr) < 0).any() else ""
        refuse(who, must, f"pointers from {indptr[0]} to {indptr[-1]}{falls}")
    return int(indptr[-1])


def whole(who: Any, indices: Any) -> Vector:
    """Return indices or pointers as a vector of 32 or 64 bits."""
    indices = np.asarray(indices)
    if indices.dtype.kind not in "iu" or indices.ndim != 1:
        came = f"{indices.ndim} dimensions of {indices.dtype}"
        refuse(who, "have vectors of whole numbers as indices", came)
    if indices.dtype not in (np.int32, np.int64):
        indices = indices.astype(np.int64)
    return np.ascontiguousarray(indices)


def check_range(who: Any, indices: Vector, size: int, axis: str) -> None:
    """Refuse indices outside [0, size)."""
    if loops.indices_within(indices, size, get_config().threads):
        return
    wrong = indices[(indices < 0) | (indices >= size)][0]
    must = f"the {axis} indices of the sparse matrix must lie in [0, {size})"
    raise DataError(sentence(who, must, f"{wrong}", REMEDY))


def in_order(X: Any) -> Any:
    """Sort the indices and add up those that come twice, in a copy."""
    if not X.has_canonical_format:
        X = X.copy()
        X.sum_duplicates()
    if X.indices.dtype != np.int32 and max(X.nnz, *X.shape) < 2**31:
        X.indices = X.indices.astype(np.int32)
        X.indptr = X.indptr.astype(np.int32)
    return X


REMEDY = "Build it again, or use its toarray()."


def refuse(who: Any, must: str, came: str) -> NoReturn:
    """Say what is wrong with a sparse matrix."""
    raise DataError(sentence(who, f"the sparse matrix must {must}", came, REMEDY))
