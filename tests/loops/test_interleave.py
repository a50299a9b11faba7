import numpy as np
import pytest

from corollary import loops


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("shape", [(0, 3), (1, 1), (5, 7), (1000, 50), (3000, 513)])
def test_columns_become_rows(dtype, shape):
    X = np.random.default_rng(0).normal(size=shape).astype(dtype)
    out = np.full((shape[0] + 2, shape[1]), np.nan, dtype=dtype)
    columns = [np.ascontiguousarray(X[:, j]) for j in range(shape[1])]
    loops.interleave(columns, out[1:-1])
    np.testing.assert_array_equal(out[1:-1], X)
    assert np.isnan(out[[0, -1]]).all()


def test_other_types_are_refused():
    with pytest.raises(TypeError):
        loops.interleave([np.zeros(3)], np.zeros((3, 1), np.float32))
