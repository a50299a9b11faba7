"""Keys of given ranks, against sorting."""

import numpy as np
import pytest

from corollary.engine.ranked_keys import RankedKeys, keys_of_numbers, numbers_of_keys


def ranked(groups, ranks, parts=3):
    """Return the keys of the ranks and the passes, the rows cut into parts."""
    found, passes = RankedKeys.anywhere(ranks), 0
    while not found.found:
        total = None
        for p in range(parts):
            cut = [(k[p::parts], None if u is None else u[p::parts]) for k, u in groups]
            own = found.count(cut)
            total = own if total is None else total + own
        found, passes = found.narrowed(total), passes + 1
    return found.low, passes


@pytest.mark.parametrize("n", [1, 7, 5000])
def test_ranks_of_numbers_are_those_of_sorting(n):
    rng = np.random.default_rng(n)
    groups = [rng.normal(size=n), np.zeros(n), rng.integers(-3, 3, size=n) * 1e-300]
    groups[1][: n // 2] = -0.0
    ranks = [0, n // 2, n - 1]
    found, passes = ranked([(keys_of_numbers(x), None) for x in groups], ranks)
    expected = [np.sort(x)[r] for x, r in zip(groups, ranks, strict=True)]
    np.testing.assert_array_equal(numbers_of_keys(found), expected)
    assert passes <= 6


def test_units_count_like_repetition():
    rng = np.random.default_rng(0)
    x, units = rng.normal(size=400), rng.integers(1, 9, size=400)
    every = np.sort(np.repeat(x, units))
    ranks = [0, 55, len(every) // 3, len(every) - 1]
    keys = keys_of_numbers(x)
    found, _ = ranked([(keys, units)] * 4, ranks)
    np.testing.assert_array_equal(numbers_of_keys(found), every[ranks])
