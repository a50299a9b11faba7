"""Rank codes against a sort by the book."""

import numpy as np
import pytest
from oracles import cart as oracle

from corollary import loops


def coded(X, bins, threads):
    n, d = X.shape
    codes, counts = np.empty((d, n), np.uint32), np.empty(d, np.int64)
    low, high = np.empty((d, n)), np.empty((d, n))
    most = np.full(d, bins, np.int64)
    loops.rank_codes(X, most, codes, low, high, counts, threads)
    return codes, counts, low, high


@pytest.mark.parametrize("n", [1, 2, 30, 1500, 9000])
@pytest.mark.parametrize("bins", [2, 7, 255, 10**6])
def test_codes_are_ranks(n, bins, dtype, rng):
    whole = rng.integers(-3, 4, size=(n, 2))
    X = np.column_stack([rng.normal(size=(n, 3)), whole, 1e9 + whole]).astype(dtype)
    X[rng.random(X.shape) < 0.1] = np.nan
    X[rng.random(X.shape) < 0.1] = -0.0
    runs = [coded(X, bins, threads) for threads in (1, 2)]
    codes, counts, low, high = runs[0]
    for a, b in zip(runs[0], runs[1], strict=True):
        assert a.shape == b.shape
    np.testing.assert_array_equal(codes, runs[1][0])
    for j, x in enumerate(X.T.astype(np.float64)):
        wanted, least, largest = oracle.rank_codes(x, bins)
        np.testing.assert_array_equal(codes[j], wanted)
        assert counts[j] == len(least)
        np.testing.assert_array_equal(low[j, : counts[j]], least)
        np.testing.assert_array_equal(high[j, : counts[j]], largest)


@pytest.mark.parametrize("largest", [0, 5, 255, 256, 300])
@pytest.mark.parametrize("bins", [2, 6, 10**6])
def test_small_whole_numbers_have_the_codes_that_a_sort_finds(
    largest, bins, dtype, rng
):
    X = rng.integers(0, largest + 1, size=(700, 4)).astype(dtype)
    X[0, 1], X[1, 2], X[2:4, 3] = np.nan, 0.5, (-0.0, -1.0)
    codes, counts, low, high = coded(X, bins, 1)
    for j, x in enumerate(X.T.astype(np.float64)):
        wanted, least, most = oracle.rank_codes(x, bins)
        np.testing.assert_array_equal(codes[j], wanted)
        np.testing.assert_array_equal(low[j, : counts[j]], least)
        np.testing.assert_array_equal(high[j, : counts[j]], most)


def test_values_that_share_their_first_bits_are_told_apart(rng):
    X = 1e15 + rng.permutation(5000).astype(np.float64)[:, None]
    codes, counts, _, _ = coded(X, 10**6, 1)
    assert counts[0] == 5000
    np.testing.assert_array_equal(codes[0], X[:, 0] - 1e15)
