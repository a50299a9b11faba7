"""Given categories: in the type of the column, each once, in order."""

import numpy as np
import pandas as pd
import pytest

from corollary.core.column import Column
from corollary.core.errors import DataError, ParameterError
from corollary.preparation.given_categories import given_categories, refuse_unknown


@pytest.mark.parametrize(
    ("given", "labels", "dtype"),
    [
        ([1, 2], np.array([1.5]), "float64"),
        ([1, 2.5], np.array([1]), "float64"),
        ([1, 2, np.nan], np.array([1]), "float64"),
        (["1", "2"], np.array([1]), "int64"),
        (["a", "bb"], np.array(["a"]), "object"),
        (["a", "bb"], np.array([b"a"]), "S2"),
        (["2026-01-01"], np.array(["2026-01-02"], "M8[us]"), "M8[us]"),
        (pd.Index(["a"]), np.array(["a"], dtype=object), "object"),
    ],
)
def test_they_have_the_type_of_the_values(given, labels, dtype):
    found = given_categories("test", 0, given, labels)
    assert found.dtype == np.dtype(dtype)
    assert len(found) == len(given)


def test_what_is_no_number_is_refused():
    with pytest.raises(ParameterError, match=r"categories\[2\] .* int64; got \['x'\]"):
        given_categories("test", 2, ["x"], np.array([1]))


def test_unknown_values_are_named_up_to_ten():
    column = Column(np.arange(30))
    with pytest.raises(DataError) as caught:
        refuse_unknown("test", column, np.arange(3), 4, "'n'", "fit")
    text = str(caught.value)
    assert "column 'n' must hold the categories [0, 1, 2]" in text
    assert "[3, 4, 5, 6, 7, 8, 9, 10, 11, 12] and 17 more in column 4" in text
