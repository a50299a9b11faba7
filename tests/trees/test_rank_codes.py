"""Codes of columns, as growers take them."""

import numpy as np
import pytest
import scipy.sparse as sp

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


@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize("max_bins", [None, 9])
def test_blocks_of_columns_are_coded_as_all_together(sparse, max_bins, monkeypatch):
    rng = np.random.default_rng(0)
    X = np.where(rng.random((400, 7)) < 0.5, 0.0, rng.normal(size=(400, 7)))
    X[:, 3] = np.arange(400)  # needs a wider code than the others
    X[:, 5] = rng.integers(0, 12, 400)
    mask = np.arange(7) == 5
    rows = sp.csr_array(X) if sparse else X
    whole = rank_codes(None, rows, max_bins, mask)
    monkeypatch.setattr("corollary.trees.rank_codes.BLOCK", 900)  # two columns
    parts = rank_codes(None, rows, max_bins, mask)
    for name in ("codes", "counts", "start", "low", "high", "category"):
        a, b = getattr(whole, name), getattr(parts, name)
        np.testing.assert_array_equal(a, b)
    assert whole.codes.dtype == parts.codes.dtype
    assert whole.words == parts.words == 1


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
