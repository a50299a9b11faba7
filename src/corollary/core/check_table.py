"""Checks of tables: what an estimator that takes columns of any type is given.

Arrays and lists pass scikit-learn's `check_array` without a conversion, as they do in
its encoders; data frames keep the types of their columns.  Infinite numbers are
refused, and missing values where an estimator does not take them, by row and name.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.utils import check_array
from sklearn.utils.validation import validate_data

from corollary.core.checks import (
    are_names_checked,
    check_features,
    check_given,
    check_width,
    is_float_matrix,
    is_plain,
)
from corollary.core.column import Column
from corollary.core.errors import DataError, sentence
from corollary.core.frames import is_frame
from corollary.core.memory import check_working_memory
from corollary.core.sparse import sound_csr
from corollary.core.table import Table, table_of
from corollary.core.wording import one_sentence

__all__ = ["check_table", "check_table_values"]


def check_table(learner: Any, X: Any, *, reset: bool, sparse: bool) -> Table:
    """Return rows of any kind in memory as a table with the features of a learner.

    `reset` says whether the learner takes its number and names of features from X
    (fit) or is held to them (transform).
    """
    with one_sentence(learner):
        if is_float_matrix(X) and is_plain(learner, X, reset, 1):
            table = table_of(learner, X)
        else:
            table = _checked(learner, X, reset, sparse)
    if reset:
        check_working_memory(learner, *table.shape)
    return table


def _checked(learner: Any, X: Any, reset: bool, sparse: bool) -> Table:
    """Return rows that may have to be converted, with their features checked."""
    if isinstance(X, Table) or is_frame(X):
        table = table_of(learner, X)
        if 0 in table.shape:  # scikit-learn's words
            check_array(np.zeros(table.shape), ensure_all_finite=False)
    else:
        table = table_of(learner, plain(learner, X, sparse))
    if not reset and are_names_checked():
        check_width(learner, table)
    elif isinstance(X, Table):
        check_features(learner, X, reset)
    else:
        seen = X if hasattr(X, "columns") else table.held_like()
        validate_data(learner, seen, reset=reset, skip_check_array=True)
    return table


def plain(learner: Any, X: Any, sparse: bool) -> Any:
    """Return an array of any type as scikit-learn's encoders take it."""
    check_given(learner, X)
    if sparse and sp.issparse(X):
        X = sound_csr(learner, X)
    options: dict[str, Any] = {
        "accept_sparse": "csr" if sparse else False,
        "ensure_all_finite": False,
        "estimator": learner,
        "input_name": "X",
    }
    array = check_array(X, dtype=None, **options)
    if not hasattr(X, "dtype") and array.dtype.kind in "US":
        array = check_array(X, dtype=object, **options)
    return array


def check_table_values(
    who: Any,
    table: Table,
    *,
    names: list[str] | None = None,
    first_row: int = 0,
    missing: bool = False,
) -> None:
    """Refuse infinity, and where nothing may be missing a missing value, by name."""
    if table.is_block:
        values = table.held.data if table.sparse else table.held
        if values.dtype.kind not in "fc" or np.isfinite(values).all():
            return
    for j, column in enumerate(table.columns):
        found = strange(column, missing)
        if found is None:
            continue
        row, what = found
        named = names if names is not None else table.names
        name = "" if named is None else f" ({named[j]!r})"
        came = f"{what} in row {first_row + row}, column {j}{name}"
        remedy = "Impute, correct or drop the missing and infinite values."
        raise DataError(sentence(who, "Input X must be finite", came, remedy))


def strange(column: Column, missing: bool) -> tuple[int, str] | None:
    """Return the first row of a value that may not stand there, and what it is."""
    values = column.values
    if not missing:
        absent = column.is_missing()
        if absent.any():
            row = int(np.argmax(absent))
            value = column[[row]].array()[0]
            return row, "NaN" if isinstance(value, float) else str(value)
    if column.codes is None and values.dtype.kind == "f":
        infinite = np.isinf(values)
        if infinite.any():
            return int(np.argmax(infinite)), "infinity"
    return None
