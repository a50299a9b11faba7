"""Whether an array is finite."""

import numpy as np
import pytest

from corollary import loops


@pytest.mark.parametrize("n", [0, 1, 5, 100_000])
@pytest.mark.parametrize("threads", [1, 2])
def test_all_finite(n, threads, dtype):
    x = np.linspace(-1, 1, n, dtype=dtype)
    x[: n // 2] *= np.finfo(dtype).max  # the extremes are finite
    x[n // 2 :] *= np.finfo(dtype).smallest_subnormal
    assert loops.all_finite(x, threads)
    for bad in [np.nan, np.inf, -np.inf]:
        for place in {0, n // 2, n - 1} if n else ():
            y = x.copy()
            y[place] = bad
            assert not loops.all_finite(y, threads)
