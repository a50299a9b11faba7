"""Input checks: every array that enters the library passes through here.

scikit-learn's public `validate_data` and `check_array` do the conversions; this file
adds what they lack: the guilty row and column by name, and one sentence.
"""

from __future__ import annotations

import contextlib
import numbers
import os
from collections.abc import Iterator
from contextvars import ContextVar
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.utils import check_array, column_or_1d
from sklearn.utils.validation import validate_data

from corollary.core.arrays import Matrix, Vector
from corollary.core.configuration import get_config
from corollary.core.errors import DataError, SparseDataError, sentence
from corollary.core.frames import frame_to_array, is_frame
from corollary.core.magnitude import (
    check_not_tiny,
    is_finite,
    largest_size,
    size_limit,
    too_large,
)
from corollary.core.memory import check_memory, check_working_memory
from corollary.core.sparse import in_order, sound_csr
from corollary.core.table import Table
from corollary.core.wording import one_sentence

__all__ = [
    "are_names_checked",
    "check_X",
    "check_finite",
    "check_finite_values",
    "check_given",
    "check_indicators",
    "check_labels",
    "check_memory",
    "check_query",
    "check_rows",
    "check_sizes",
    "check_targets",
    "check_two_classes",
    "check_two_rows",
    "check_weights",
    "encode_labels",
    "full_weights",
    "is_float_matrix",
    "is_plain",
    "names_checked",
    "names_of",
]

FLOATS = frozenset((np.dtype(np.float64), np.dtype(np.float32)))
LARGE = 2**25  # bytes of an array that is worth some care not to copy it


def check_X(
    learner: Any, X: Any, *, reset: bool, sparse: bool, min_rows: int = 1
) -> Matrix:
    """Return X as a float32/float64 array (C-ordered, see `layout`) or CSR matrix.

    Finiteness is left to `check_finite`, which fits run chunk by chunk while the
    chunk is in the cache.  `reset` says whether the learner takes its number and
    names of features from X (fit) or is held to them (predict).
    """
    if reset:
        check_array_memory(learner, X)
    if is_float_matrix(X):
        X = np.ascontiguousarray(X) if X.nbytes <= LARGE else X
        if is_plain(learner, X, reset, min_rows):
            return X
    with one_sentence(learner):
        checked = check_array(
            readable(learner, X, sparse),
            accept_sparse="csr" if sparse else False,
            dtype=[np.float64, np.float32],
            order=layout(learner, X),
            ensure_all_finite=False,
            ensure_min_samples=min_rows,
            estimator=learner,
            input_name="X",
        )
        if not reset and _names_checked.get():
            check_width(learner, checked)
        elif isinstance(X, Table):
            check_features(learner, X, reset)
        else:
            named = hasattr(X, "columns") or hasattr(X, "__dataframe__")
            seen = X if named else checked
            validate_data(learner, seen, reset=reset, skip_check_array=True)
    return in_order(checked) if sp.issparse(checked) else checked


def is_float_matrix(X: Any) -> bool:
    """Tell whether X is a plain matrix of float32 or float64."""
    return type(X) is np.ndarray and X.ndim == 2 and X.dtype in FLOATS


def is_plain(learner: Any, X: Matrix, reset: bool, min_rows: int) -> bool:
    """Return whether a matrix is as it should be: nothing to convert or to say.

    That spares small fits and predictions a third of their time.
    """
    rows, columns = X.shape
    if not X.flags.c_contiguous or rows < min_rows or not columns:
        return False
    if reset:
        learner.n_features_in_ = columns
        vars(learner).pop("feature_names_in_", None)
        return True
    named = hasattr(learner, "feature_names_in_") and not _names_checked.get()
    return not named and getattr(learner, "n_features_in_", None) == columns


_names_checked: ContextVar[bool] = ContextVar("corollary_names", default=False)


@contextlib.contextmanager
def names_checked() -> Iterator[None]:
    """Take bare arrays for a while: the names of their columns have been checked."""
    token = _names_checked.set(True)
    try:
        yield
    finally:
        _names_checked.reset(token)


def are_names_checked() -> bool:
    """Tell whether the names of the columns have been checked by the caller."""
    return _names_checked.get()


def check_width(learner: Any, X: Matrix) -> None:
    """Refuse another number of columns than in `fit`."""
    if X.shape[1] != learner.n_features_in_:
        must = f"is expecting {learner.n_features_in_} features as input"
        raise DataError(sentence(learner, must, f"{X.shape[1]}"))


def check_features(learner: Any, table: Table, reset: bool) -> None:
    """Take the number and the names of features from a table, or hold it to them."""
    if reset:
        learner.n_features_in_ = table.shape[1]
        vars(learner).pop("feature_names_in_", None)
        if table.names is not None:
            learner.feature_names_in_ = np.asarray(table.names, dtype=object)
        return
    check_width(learner, table)
    names = getattr(learner, "feature_names_in_", None)
    if names is not None and table.names not in (None, tuple(names)):
        must = f"the columns must be those of fit, {list(names)[:10]}"
        raise DataError(sentence(learner, must, f"{list(table.names or ())[:10]}"))


def check_given(learner: Any, X: Any) -> None:
    """Say what X may be, and what a source needs, where it is neither of them."""
    must = "X must be rows: an array, a data frame or a source"
    if isinstance(X, str | bytes | os.PathLike):
        came = repr(os.fspath(X))
        remedy = "Use engine.ParquetSource(path) or engine.CSVSource(path) for files."
        raise DataError(sentence(learner, must, came, remedy))
    known = ("__array__", "__len__", "__array_interface__", "__dataframe__", "shape")
    if not isinstance(X, numbers.Number) and not any(hasattr(X, k) for k in known):
        came = f"an object of type {type(X).__name__}"
        remedy = "A source extends engine.Source: parts(), has_target, labels, encoded."
        raise DataError(sentence(learner, must, came, remedy))


def readable(learner: Any, X: Any, sparse: bool) -> Any:
    """Return what scikit-learn can be trusted with: no frame, no wild indices."""
    check_given(learner, X)
    if isinstance(X, Table):
        return X.matrix(who=learner)
    if is_frame(X):
        return frame_to_array(learner, X)
    return sound_csr(learner, X) if sparse and sp.issparse(X) else X


def check_array_memory(learner: Any, X: Any) -> None:
    """Refuse an array whose fit would exceed the memory limit: its copy, its work."""
    shape: Any = getattr(X, "shape", ())
    if len(shape) != 2 or not all(isinstance(size, int) for size in shape):
        return
    copied = 0.0
    if not sp.issparse(X):
        plain = isinstance(X, np.ndarray) and X.dtype in (np.float64, np.float32)
        order = layout(learner, X)
        if not plain or not X.flags["F_CONTIGUOUS" if order == "F" else "C_CONTIGUOUS"]:
            copied = 8.0 * shape[0] * shape[1]
    elif X.format != "csr":
        copied = 24.0 * X.nnz
    kept = getattr(learner, "row_bytes", 0.0) * shape[0]
    check_working_memory(learner, shape[0], shape[1], held=copied + kept)


def layout(learner: Any, X: Any) -> str | None:
    """Return the order that X must have; some learners take it in columns as well.

    A small array is put in C order all the same: the copy costs nothing, and the
    answer is then the same to the bit.
    """
    columns = isinstance(X, np.ndarray) and X.flags.f_contiguous and X.nbytes > LARGE
    return "F" if columns and getattr(learner, "any_layout", False) else "C"


def check_query(learner: Any, X: Any, *, sparse: bool = False) -> Matrix:
    """Check X for a method of a fitted model: same features, finite."""
    X = check_X(learner, X, reset=False, sparse=sparse)
    check_finite(
        learner,
        X,
        names=names_of(learner),
        threads=get_config().threads,
        missing=getattr(learner, "takes_missing", bool)(),
        double=getattr(learner, "double_squares", False),
    )
    return X


def check_finite(
    who: Any,
    X: Matrix,
    *,
    names: list[str] | None = None,
    first_row: int = 0,
    threads: int = 1,
    missing: bool = False,
    double: bool = False,
) -> float:
    """Raise for NaN, inf or an entry too large to be squared, naming row and column.

    Where values may be missing NaN is passed over; `double` tells that squares are
    made in float64.  Returns the size of the largest entry.
    """
    size = largest_size(X, threads)
    if missing and np.isnan(size):
        values = X.data if sp.issparse(X) else X
        least = np.fmin.reduce(values, axis=None, initial=0.0)
        size = float(max(np.fmax.reduce(values, axis=None, initial=0.0), -least))
    if size <= size_limit("X", X.dtype, double):
        return size
    values = X.data if sp.issparse(X) else X
    what = "NaN" if np.isnan(size) else "infinity" if np.isinf(size) else ""
    guilty = np.isnan(values) if np.isnan(size) else np.abs(values) >= size
    if sp.issparse(X):
        at = int(np.flatnonzero(guilty)[0])
        row = int(np.searchsorted(X.indptr, at, side="right")) - 1
        column = int(X.indices[at])
    else:
        row, column = (int(i) for i in np.argwhere(guilty)[0])
    name = f" ({names[column]!r})" if names is not None else ""
    where = f"row {first_row + row}, column {column}{name}"
    if not what:
        raise too_large(who, "X", X.dtype, size, where, double)
    remedy = "Impute, correct or drop the missing and infinite values."
    must, came = "Input X must be finite", f"{what} in {where}"
    raise DataError(sentence(who, must, came, remedy))


def check_rows(learner: Any, X: Matrix) -> None:
    """Check all rows of a fit that reads them at once."""
    threads = get_config().threads
    size = check_finite(learner, X, names=names_of(learner), threads=threads)
    check_not_tiny(learner, size, "X", X.dtype)


def check_finite_values(
    who: Any, values: Vector, name: str, first_row: int = 0
) -> None:
    """Raise for NaN or inf in a target or in weights, naming the first guilty row."""
    if is_finite(values):
        return
    row = int(np.argwhere(~np.isfinite(values))[0][0])
    what = "NaN" if np.isnan(values[row]).any() else "infinity"
    came = f"{what} in row {first_row + row}"
    remedy = "Correct or drop these rows."
    raise DataError(sentence(who, f"Input {name} must be finite", came, remedy))


def check_sizes(who: Any, values: Vector, name: str, first_row: int = 0) -> float:
    """Refuse targets or weights that are not finite, or too large; return the size."""
    plain = values.dtype in FLOATS and values.flags.c_contiguous
    size = largest_size(values) if plain else float(np.abs(values).max(initial=0.0))
    if size <= size_limit(name, values.dtype):
        return size
    check_finite_values(who, values, name, first_row)
    at = np.unravel_index(int(np.abs(values).argmax()), values.shape)
    raise too_large(who, name, values.dtype, size, f"row {first_row + int(at[0])}")


def names_of(learner: Any) -> list[str] | None:
    """Return the feature names seen in fit, if the data had any."""
    names = getattr(learner, "feature_names_in_", None)
    return None if names is None else [str(name) for name in names]


def check_two_rows(learner: Any, rows: int) -> None:
    """Refuse a single row where rows are compared."""
    if rows < 2:
        must = "needs at least 2 rows"
        raise DataError(sentence(learner, must, f"n_samples = {rows}"))


def check_two_classes(learner: Any) -> None:
    """Refuse data of one class."""
    if len(learner.classes_) < 2:
        must = "needs samples of at least 2 classes in the data"
        came = f"one class, {learner.classes_.tolist()[0]!r}"
        raise DataError(sentence(learner, must, came))


def check_weights(learner: Any, weights: Any, rows: int) -> Vector | None:
    """Return weights as a vector of float64 >= 0, or None."""
    if weights is None:
        return None
    if isinstance(weights, numbers.Number):
        weights = np.full(rows, weights, dtype=np.float64)
    with one_sentence(learner, "sample_weight"):
        w = check_array(
            weights,
            ensure_2d=False,
            dtype=np.float64,
            order="C",
            ensure_all_finite=False,
        )
    size = check_sizes(learner, w, "sample_weight")
    check_not_tiny(learner, size, "sample_weight", w.dtype)
    if w.shape != (rows,):
        must = f"sample_weight must have one value for each of the {rows} rows"
        raise DataError(sentence(learner, must, f"shape {w.shape}"))
    if w.min() < 0:
        must = "sample_weight must be >= 0"
        raise DataError(sentence(learner, must, f"{w.min():g} in row {w.argmin()}"))
    if not w.any():
        must = "at least one sample_weight must be above 0"
        raise DataError(sentence(learner, must, "zero for every row"))
    return w


def full_weights(who: Any, weights: Any, rows: int) -> Vector:
    """Return weights as `check_weights` does, 1 for each row where none were given."""
    checked = check_weights(who, weights, rows)
    return np.ones(rows) if checked is None else checked


def check_targets(learner: Any, y: Any, rows: int, dtype: Any, *, many: bool) -> Vector:
    """Return numeric targets: (n,), or (n, m) where the learner takes `many`."""
    y = present(learner, y)
    with one_sentence(learner, "y"), np.errstate(over="ignore"):
        matrix = many and type(y) is np.ndarray and y.ndim == 2 and y.size > 0
        if (matrix or is_vector(y)) and y.dtype.kind in "fiub":  # nothing to convert
            y = np.ascontiguousarray(y, dtype=dtype)
        else:
            y = check_array(
                y, ensure_2d=False, dtype=dtype, order="C", ensure_all_finite=False
            )
            if not many or y.ndim == 1:
                y = column(learner, y)
    check_not_tiny(learner, check_sizes(learner, y, "y"), "y", y.dtype)
    return matching(learner, y, rows)


def encode_labels(learner: Any, y: Any, rows: int) -> tuple[Vector, Vector]:
    """Return (classes, codes): y = classes[codes], codes int32."""
    y = present(learner, y)
    with one_sentence(learner, "y"):
        y = matching(learner, column(learner, y), rows)
    if y.dtype.kind == "f":
        check_finite_values(learner, y, "y")
    check_labels(learner, y)
    return coded(learner, y)


def check_indicators(learner: Any, y: Any, rows: int) -> Vector:
    """Return the labels of rows that may have several: 0 and 1, of shape (n, K)."""
    table = sound_csr(learner, y).toarray() if sp.issparse(y) else np.asarray(y)
    if table.ndim != 2 or table.shape[0] != rows or not np.isin(table, (0, 1)).all():
        must = f"y of several labels must be 0 or 1, of shape ({rows}, K)"
        raise DataError(sentence(learner, must, f"shape {table.shape}"))
    return table.astype(np.int64)


def check_labels(learner: Any, y: Vector) -> None:
    """Refuse labels that are measurements rather than names of classes."""
    if y.dtype.kind != "f":
        return
    if not np.isfinite(y).all():
        raise DataError(sentence(learner, "Input y must be finite", "NaN or infinity"))
    if (y != np.floor(y)).any():
        must = "y must hold class labels"
        came = "Unknown label type: continuous numbers"
        raise DataError(sentence(learner, must, came, "Use a regressor for them."))


def coded(learner: Any, y: Vector) -> tuple[Vector, Vector]:
    """Find the classes of y; small ranges of integers need no sort."""
    if y.dtype.kind in "iu" and len(y):
        low, high = int(y.min()), int(y.max())
        if high - low < 2**16:
            wide = y if y.dtype.kind == "u" else y.astype(np.int64, copy=False)
            steps = (wide - wide.dtype.type(low)).astype(np.int64, copy=False)
            present_ = np.bincount(steps, minlength=high - low + 1) > 0
            table = np.cumsum(present_, dtype=np.int32) - np.int32(1)
            found = np.flatnonzero(present_).astype(wide.dtype) + wide.dtype.type(low)
            return found.astype(y.dtype, copy=False), table[steps]
    try:
        classes, codes = np.unique(y, return_inverse=True)
    except TypeError:
        must = "y must hold labels of one kind that can be ordered"
        raise DataError(sentence(learner, must, "mixed types")) from None
    return classes, codes.reshape(-1).astype(np.int32)


def present(learner: Any, y: Any) -> Any:
    """Refuse a missing target."""
    if y is None:
        must = "requires y to be passed, but the target y is None"
        raise DataError(sentence(learner, must, "X alone", "Use fit(X, y)."))
    return y


def column(learner: Any, y: Any) -> Vector:
    """Return y as one column; warn where it came as an (n, 1) matrix."""
    if is_vector(y):
        return y
    if sp.issparse(y):
        must = "y must be a dense array"
        raise SparseDataError(sentence(learner, must, "a sparse one"))
    return column_or_1d(y, warn=True)


def is_vector(y: Any) -> bool:
    """Tell whether y is an array of one dimension, with rows."""
    return type(y) is np.ndarray and y.ndim == 1 and bool(len(y))


def matching(learner: Any, y: Vector, rows: int) -> Vector:
    """Refuse a target of another length than X."""
    if y.shape[0] != rows:
        must = f"y must have as many rows as X = {rows}"
        came = f"{y.shape[0]} (inconsistent numbers of samples)"
        raise DataError(sentence(learner, must, came))
    return y
