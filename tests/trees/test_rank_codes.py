"""Codes of columns, as growers take them."""

import numpy as np
import pytest

from corollary import DecisionTreeRegressor
from corollary.core.errors import DataError, ParameterError
from corollary.trees.rank_codes import categorical_columns, rank_codes


def test_codes_are_as_narrow_as_they_can_be():
    for n, dtype in ((200, np.uint8), (2000, np.uint16), (70_000, np.uint32)):
        X = np.arange(float(n))[:, None]
        coded = rank_codes(None, X)
        assert coded.codes.dtype == dtype
        np.testing.assert_array_equal(coded.codes[0], np.arange(n))
        assert rank_codes(None, X, 255).codes.dtype == np.uint8


def test_bins_hold_about_as_many_rows():
    X = np.exp(np.random.default_rng(0).normal(size=(10_000, 1)))
    coded = rank_codes(None, X, 50)
    sizes = np.bincount(coded.codes[0])
    assert len(sizes) == 50
    assert sizes.min() == sizes.max() == 200
    assert (coded.low <= coded.high).all()
    assert (coded.high[:-1] < coded.low[1:]).all()


@pytest.mark.parametrize("asked", [[1], [False, True], ["b"], np.array([1])])
def test_columns_of_categories_are_named_in_any_way(asked):
    model = DecisionTreeRegressor(categorical_features=asked)
    model.feature_names_in_ = np.array(["a", "b"], object)
    np.testing.assert_array_equal(categorical_columns(model, 2), [False, True])


@pytest.mark.parametrize("asked", [[2], [-1], [True], ["z"], [1.5]])
def test_columns_that_are_not_there_are_refused(asked):
    model = DecisionTreeRegressor(categorical_features=asked)
    with pytest.raises(ParameterError, match="must name columns"):
        categorical_columns(model, 2)


@pytest.mark.parametrize("value", [-1.0, 0.5, 2.0**16])
def test_what_is_no_category_is_refused(value):
    mask = np.array([True])
    with pytest.raises(DataError, match="categories must be"):
        rank_codes(DecisionTreeRegressor(), np.array([[0.0], [value]]), None, mask)
