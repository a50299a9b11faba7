"""Repeated rows: of any type, exactly or nearly, in one table or two."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from corollary.core.errors import DataError, ParameterError
from corollary.diagnostics import find_duplicates

MIXED = {
    "town": ["Rome", "Oslo", None, "Rome", None, "Oslo"],
    "age": [3.0, None, 5.0, 3.0, 5.0, 4.0],
    "day": np.array(["2020-01-01"] * 6, dtype="datetime64[D]"),
}


@pytest.mark.parametrize("made", [pd.DataFrame, pl.DataFrame, pa.table])
def test_any_table_with_missing_values(made):
    found = find_duplicates(made(MIXED), [1, 2, 3, 1, 4, 5])
    assert found.repeated.tolist() == [3, 4]
    assert found.conflicts.tolist() == [2, 4]
    assert found.lost == 1


@given(st.lists(st.tuples(st.integers(0, 3), st.sampled_from("ab")), max_size=30))
def test_groups_are_those_of_python(rows):
    if not rows:
        return
    X = np.array([[a, b] for a, b in rows], dtype=object)
    seen, later = set(), []
    for i, row in enumerate(rows):
        if row in seen:
            later.append(i)
        seen.add(row)
    assert find_duplicates(X).repeated.tolist() == later


def test_across_two_tables_also_where_their_categories_are_coded_otherwise():
    first = pd.DataFrame({"c": pd.Categorical(["a", "b", "c"]), "x": [1, 2, 3]})
    second = pd.DataFrame({"c": pd.Categorical(["c", "d", "b"]), "x": [3, 1, 9]})
    found = find_duplicates(first, other=second)
    assert found.across.tolist() == [0]
    assert "1 of 3 rows of the second table stand in the first" in str(found)
    assert found.to_findings() == {"within": 0, "across": 1, "sentence": str(found)}


def test_near_duplicates_are_found_and_others_are_not():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(2_000, 8)) * 10 ** rng.uniform(-3, 3, size=8)
    copies = X[:200] + 1e-4 * X.std(axis=0) * rng.uniform(-1, 1, size=(200, 8))
    both = np.vstack([X, copies])
    assert len(find_duplicates(both).repeated) == 0
    near = find_duplicates(both, tolerance=2e-4)
    assert set(near.repeated.tolist()) <= set(range(2_000, 2_200))
    assert len(near.repeated) >= 195
    pairs = near.groups[2_000:] == near.groups[:200]
    assert pairs.mean() >= 0.97


def test_what_chance_repeats_is_no_fault():
    rng = np.random.default_rng(1)
    coarse = rng.integers(3, size=(500, 3))
    found = find_duplicates(coarse)
    assert len(found.repeated) == 500 - 27
    assert found.by_chance > 400
    assert found.beyond_chance == 0
    fine = rng.normal(size=(500, 3))
    copied = find_duplicates(np.vstack([fine, fine[:50]]))
    assert copied.by_chance == 0
    assert copied.beyond_chance == 50


def test_signs_of_zero_nan_and_sparse_rows():
    X = np.array([[0.0, np.nan], [-0.0, np.nan], [0.0, 1.0]])
    assert find_duplicates(X).repeated.tolist() == [1]
    S = sp.csr_matrix([[0, 1.0], [0, 1.0], [2.0, 0]])
    assert find_duplicates(S).repeated.tolist() == [1]


def test_one_row_no_rows_and_bad_input():
    assert len(find_duplicates([[1.0, 2.0]]).repeated) == 0
    assert str(find_duplicates(np.empty((0, 2)))) == "No two rows are equal."
    with pytest.raises(ParameterError, match="tolerance"):
        find_duplicates([[1.0]], tolerance=-1)
    with pytest.raises(DataError, match="2 columns"):
        find_duplicates([[1.0, 2.0]], other=[[1.0]])
    with pytest.raises(DataError, match="one target for each"):
        find_duplicates([[1.0, 2.0]], [1, 2])


def test_mixtures_of_types_are_compared_by_what_they_look_like():
    X = np.array([[1, "a"], ["1", "a"], [1, "a"]], dtype=object)
    assert find_duplicates(X).repeated.tolist() == [2]
