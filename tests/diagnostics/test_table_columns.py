"""Columns are left out and exchanged in tables of every kind."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse as sp

from corollary.diagnostics.coded_matrix import coded_matrix
from corollary.diagnostics.table_columns import exchanged_columns, without_columns

VALUES = {"a": [1.0, 2.0, 3.0], "b": [4.0, 5.0, 6.0], "c": [7.0, 8.0, 9.0]}
ARRAY = np.column_stack(list(VALUES.values()))
TABLES = [
    ARRAY,
    sp.csr_matrix(ARRAY),
    pd.DataFrame(VALUES),
    pl.DataFrame(VALUES),
    pa.table(VALUES),
]


@pytest.mark.parametrize("X", TABLES, ids=lambda X: type(X).__module__.split(".")[0])
def test_every_kind_of_table(X):
    left = coded_matrix("test", without_columns(X, [1])).Z
    np.testing.assert_array_equal(left, ARRAY[:, [0, 2]])
    order = [2, 0, 1]
    moved = coded_matrix("test", exchanged_columns(X, [0, 2], order)).Z
    expected = ARRAY.copy()
    expected[:, [0, 2]] = ARRAY[order][:, [0, 2]]
    np.testing.assert_array_equal(moved, expected)
    np.testing.assert_array_equal(coded_matrix("test", X).Z, ARRAY)  # as it was


def test_mixed_columns_become_numbers_without_a_look_at_the_target():
    frame = pd.DataFrame(
        {
            "town": ["Rome", "Oslo", None, "Rome"],
            "day": pd.to_datetime(["1970-01-02", None, "1970-01-11", "1970-01-02"]),
            "yes": [True, False, True, True],
            "age": [3, 4, 5, 6],
        }
    )
    coded = coded_matrix("test", frame)
    assert coded.categorical.tolist() == [True, False, False, False]
    np.testing.assert_array_equal(coded.Z[:, 0], [0, 1, np.nan, 0])
    np.testing.assert_array_equal(coded.Z[:, 1], [1, np.nan, 10, 1])
    np.testing.assert_array_equal(coded.Z[:, 2], [1, 0, 1, 1])
    design = coded.design()
    assert np.isfinite(design).all()
    np.testing.assert_allclose(design.mean(axis=0), 0, atol=1e-12)
    np.testing.assert_allclose(design.std(axis=0), 1)
    wide = sp.random(50, 400, density=0.1, random_state=0, format="csr")
    assert coded_matrix("test", wide).shape == (50, 200)
