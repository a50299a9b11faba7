"""Positions: what a loop over Python's values finds, in every type."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from corollary.core.column import Column
from corollary.core.errors import DataError
from corollary.preparation.positions import positions

TYPES = ["int8", "int64", "uint8", "uint64", "float16", "float32", "float64", "bool"]


@st.composite
def numbers(draw, most):
    """Return a strategy of arrays of numbers of a drawn type, some missing."""
    dtype = np.dtype(draw(st.sampled_from(TYPES)))
    low = 0 if dtype.kind in "ub" else -8
    values = st.integers(low, 8).map(float)
    if dtype.kind == "f":
        values |= st.sampled_from([np.nan, 0.5, 2.5, 60_000.0])
    return np.array(draw(st.lists(values, min_size=1, max_size=most))).astype(dtype)


def naive(values, categories):
    found = []
    for value in values.tolist():
        same = [
            k
            for k, other in enumerate(categories.tolist())
            if other == value or (other != other and value != value)
        ]
        found.append(same[0] if same else -1)
    return found


@given(values=numbers(20), some=numbers(12))
@settings(max_examples=300, deadline=None)
def test_numbers_of_any_type_are_found_among_numbers_of_any_type(values, some):
    categories = np.unique(some)
    found = positions(Column(values), categories, "test")
    assert found.of_label.tolist() == naive(values, categories)
    objects = positions(Column(values.astype(object)), categories, "test")
    assert objects.of_label.tolist() == naive(values, categories)


@pytest.mark.parametrize("gap", [1, 2**20, 2**50])
def test_numbers_far_apart_need_no_table(gap):
    categories = np.array([-3 * gap, 0, gap, 9 * gap])
    values = np.array([gap, gap + 1, -3 * gap, 2**62, -(2**62)])
    found = positions(Column(values), categories, "test").of_label
    assert found.tolist() == [2, -1, 0, -1, -1]


def test_coded_columns_are_looked_up_by_label():
    labels = np.array(["b", "z", "a"], dtype=object)
    column = Column(labels, np.array([2, -1, 0, 2]), None)
    found = positions(column, np.array(["a", "b", None], dtype=object), "test")
    assert len(found.of_label) == 4
    assert found.look_up(np.array([10, 20, 30, -1])).tolist() == [10, 30, 20, 10]
    assert found.unknown() is None  # no row has the label z
    there = positions(column[[0, 2]], np.array(["a"], dtype=object), "test")
    assert there.unknown().tolist() == [False, True]


def test_missing_values_are_found_by_their_kind():
    values = np.array([None, np.nan, pd.NaT, pd.NA, "a"], dtype=object)
    both = np.array(["a", None, np.nan], dtype=object)
    found = positions(Column(values), both, "test").of_label
    assert found.tolist() == [1, 2, -1, -1, 0]
    only = np.array(["a", np.nan], dtype=object)
    assert positions(Column(values), only, "test").of_label.tolist() == [1, 1, 1, 1, 0]
    given = positions(Column(values), only, "test", learned=False).of_label
    assert given.tolist() == [-1, 1, -1, -1, 0]


def test_dates_are_found_in_every_unit_and_as_objects():
    days = np.array(["2026-01-01", "2026-03-01", "NaT"], dtype="datetime64[D]")
    for unit in ("s", "us", "ns"):
        values = days[::-1].astype(f"datetime64[{unit}]")
        assert positions(Column(values), days, "test").of_label.tolist() == [2, 1, 0]
    moments = days.astype("datetime64[ns]")
    objects = np.array([pd.Timestamp("2026-03-01"), None, "x"], dtype=object)
    assert positions(Column(objects), moments, "test").of_label.tolist() == [1, 2, -1]
    known = objects[:2]
    assert positions(Column(moments), known, "test").of_label.tolist() == [-1, 0, 1]


def test_what_cannot_be_compared_is_refused():
    values = np.empty(1, dtype=object)
    values[0] = {}
    with pytest.raises(DataError, match=r"can be compared; got \['dict'\]"):
        positions(Column(values), np.array(["a"], dtype=object), "test")
