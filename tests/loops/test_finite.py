"""The size of the largest entry."""

import numpy as np
import pytest

from corollary import loops


@pytest.mark.parametrize("n", [0, 1, 5, 100_000])
@pytest.mark.parametrize("threads", [1, 2])
def test_largest_size(n, threads, dtype):
    x = np.linspace(-1, 1, n, dtype=dtype)
    x[: n // 2] *= np.finfo(dtype).max  # the extremes are finite
    x[n // 2 :] *= np.finfo(dtype).smallest_subnormal
    assert loops.largest_size(x, threads) == np.abs(x).max(initial=0.0)
    for bad in [np.nan, np.inf, -np.inf]:
        for place in {0, n // 2, n - 1} if n else ():
            y = x.copy()
            y[place] = bad
            found = loops.largest_size(y, threads)
            np.testing.assert_equal(found, np.abs(bad))
