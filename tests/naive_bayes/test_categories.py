import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from corollary.core.errors import DataError
from corollary.engine import Chunk
from corollary.naive_bayes.categories import (
    CategoryCounts,
    as_codes,
    count_categories,
    split,
)


def counts(X, y, k=3):
    codes = as_codes("test", X, np.arange(X.shape[1]))
    least = np.ones(X.shape[1], dtype=np.int64)
    return count_categories(codes, Chunk(X, y), k, least)


@given(seed=st.integers(0, 2**31))
@settings(max_examples=25, deadline=None)
def test_tables_of_different_width_add_up(seed):
    rng = np.random.default_rng(seed)
    parts = [
        (rng.integers(0, rng.integers(1, 9), (n, 3)).astype(float), n)
        for n in (0, 5, 20)
    ]
    y = rng.integers(3, size=25).astype(np.int32)
    a, b, c = (
        counts(X, y[start : start + n])
        for (X, n), start in zip(parts, (0, 0, 5), strict=True)
    )
    whole = counts(np.vstack([X for X, _ in parts]), y)
    for total in ((a + b) + c, c + (a + b), a + (c + b)):
        np.testing.assert_array_equal(total.J, whole.J)
        np.testing.assert_array_equal(total.N, whole.N)
        np.testing.assert_array_equal(total.n, whole.n)


def test_scaled_counts_keep_their_categories():
    s = counts(np.array([[0.0, 2], [1, 0]]), np.array([0, 1], np.int32)).scaled(0.5)
    assert isinstance(s, CategoryCounts)
    assert s.J.tolist() == [2, 3]
    assert [t.shape for t in split(s.N, s.J)] == [(3, 2), (3, 3)]
    assert s.N.sum() == 2.0


def test_fractions_are_refused_where_columns_were_told():
    X = np.array([[0.0, 1.0], [0.5, 1.0]])
    with pytest.raises(DataError, match=r"got 0\.5 in row 11, column 0"):
        as_codes("test", X, np.array([0]), first_row=10)
    assert as_codes("test", X, np.array([0]), strict=False).cut == 1


def test_more_categories_than_the_loop_can_count_are_refused():
    X = np.zeros((2, 129))
    X[0] = 2**24 - 1  # 2^24 categories in each of 129 columns: 2^31 and more
    with pytest.raises(DataError, match=r"fewer than 2\^31 categories in all; got 2"):
        counts(X, np.array([0, 1], np.int32), 2)
