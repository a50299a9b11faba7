import numpy as np
import pytest

from corollary import loops


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("n", [0, 1, 7, 8, 9, 81, 1000])
@pytest.mark.parametrize("d", [1, 4, 7, 8, 9, 50, 513])
def test_columns_become_rows(dtype, n, d):
    X = np.random.default_rng(0).normal(size=(n, d)).astype(dtype)
    out = np.full((n + 2, d), np.nan, dtype=dtype)
    columns = [np.ascontiguousarray(X[:, j]) for j in range(d)]
    loops.interleave(columns, out[1:-1])
    np.testing.assert_array_equal(out[1:-1], X)
    assert np.isnan(out[[0, -1]]).all()


def test_other_types_are_refused():
    with pytest.raises(TypeError):
        loops.interleave([np.zeros(3)], np.zeros((3, 1), np.float32))
