import numpy as np
import pytest
from oracles.moments import moments

from corollary import loops


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("n", [1, 5, 33, 700])
@pytest.mark.parametrize("d", [0, 1, 5, 6, 7, 8, 16, 17, 50, 130])
@pytest.mark.parametrize("m", [0, 2])
@pytest.mark.parametrize("weighted", [False, True])
def test_equals_the_book(dtype, n, d, m, weighted):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, d)).astype(dtype)
    Y = rng.normal(size=(n, m)).astype(dtype) if m else None
    w = rng.uniform(0, 2, n) if weighted else None
    shift = rng.normal(size=d + m).astype(dtype)
    s, G = np.full(d + m, np.nan), np.full((d + m, d + m), np.nan)
    loops.moments(X, Y, w, shift, s, G)
    by_column = np.full(d + m, np.nan), np.full((d + m, d + m), np.nan)
    loops.moments(np.asfortranarray(X), Y, w, shift, *by_column)
    np.testing.assert_array_equal(by_column[0], s)
    np.testing.assert_array_equal(by_column[1], G)
    right = moments(X, Y, w, shift.astype(np.float64))
    rtol = 1e-5 if dtype == np.float32 else 1e-12
    np.testing.assert_allclose(s, right[0], rtol=rtol, atol=rtol * n)
    np.testing.assert_allclose(G, right[1], rtol=rtol, atol=rtol * n)
    np.testing.assert_array_equal(G, G.T)


def test_constant_columns_have_no_products():
    X = np.full((100, 3), 0.1)
    s, G = np.empty(3), np.empty((3, 3))
    loops.moments(X, None, None, X[0].copy(), s, G)
    assert not s.any()
    assert not G.any()
