"""The loops of decision stumps against every cut, tried one by one."""

import numpy as np
import pytest
from oracles import stump as oracle

from corollary import loops

SHAPES = [(1, 1), (2, 3), (40, 9), (300, 17)]


def drawn(rng, n, d, dtype):
    """Draw columns of which some have many equal values, and both zeros."""
    X = rng.normal(size=(n, d)) * 10.0 ** rng.integers(-30, 30, d)
    X[:, ::2] = rng.integers(-2, 3, (n, len(range(0, d, 2))))
    X = X.astype(dtype)
    X[rng.random((n, d)) < 0.1] = -0.0
    return X


def sorted_columns(X, threads=1):
    order = np.empty(X.shape[::-1], np.int32)
    loops.sorted_columns(X, order, threads)
    return order


@pytest.mark.parametrize("shape", [(0, 2), *SHAPES], ids=str)
@pytest.mark.parametrize("threads", [1, 2])
def test_columns_are_sorted_and_stable(shape, threads, dtype, rng):
    X = drawn(rng, *shape, dtype)
    X[X == 0] = 0  # NumPy takes both zeros as equal, and so keeps the order of rows
    np.testing.assert_array_equal(sorted_columns(X, threads), oracle.order(X))


@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_no_cut_between_the_two_zeros(shape, dtype, rng):
    X = drawn(rng, *shape, dtype)
    order = sorted_columns(X)
    for j, row in enumerate(order):
        x = X[np.where(row < 0, ~row, row), j]
        assert (np.diff(x) >= 0).all()
        np.testing.assert_array_equal(row[:-1] >= 0, x[1:] > x[:-1])


@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_sums_at_the_best_cuts(shape, rng):
    n, d = shape
    X = drawn(rng, n, d, np.float64)
    s = rng.normal(size=n)
    low, high, at_low, at_high = np.empty(d), np.empty(d), *np.empty((2, d), np.int64)
    order = sorted_columns(X)
    runs = []
    for threads in [1, 2]:
        loops.sign_cuts(order, s, 0.0, low, at_low, high, at_high, threads)
        runs.append((low.copy(), high.copy(), at_low.copy(), at_high.copy()))
    for one, two in zip(*runs, strict=True):
        np.testing.assert_array_equal(one, two)
    wanted = oracle.sign_sums(X, s)
    np.testing.assert_allclose((low, high), wanted, rtol=1e-12, atol=1e-12)
    for j, at in enumerate(at_low):
        row = order[j, : at + 1]
        assert at < 0 or row[-1] >= 0
        part = s[np.where(row < 0, ~row, row)].sum()
        np.testing.assert_allclose(part, low[j], rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("k", [1, 2, 5])
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_majorities_at_the_best_cuts(shape, k, rng):
    n, d = shape
    X = drawn(rng, n, d, np.float64)
    z, w = rng.integers(0, k, n).astype(np.int32), rng.random(n)
    best, at = np.empty(d), np.empty(d, np.int64)
    loops.class_cuts(sorted_columns(X), z, w, k, 0.0, best, at, 2)
    wanted = oracle.majorities(X, z, w, k)
    np.testing.assert_allclose(best, wanted, rtol=1e-12)


def test_slack_keeps_the_first_of_equal_cuts():
    X = np.arange(4.0)[:, None]
    s = np.array([-1.0, 0.5, -0.5 - 1e-15, 1.0])
    out = np.empty(1), np.empty(1, np.int64), np.empty(1), np.empty(1, np.int64)
    for slack, place in [(0.0, 2), (1e-9, 0)]:
        loops.sign_cuts(sorted_columns(X), s, slack, *out, 1)
        assert out[1][0] == place
