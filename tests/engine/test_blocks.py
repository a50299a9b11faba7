import numpy as np
import pytest

from corollary import engine
from corollary.engine.blocks import fill_rows


@pytest.mark.parametrize("threads", [1, 2, 3])
@pytest.mark.parametrize("n", [0, 1, 255, 256, 257, 5000])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_rows_come_back_in_their_places(threads, n, dtype):
    X = np.random.default_rng(0).normal(size=(n, 300)).astype(dtype)
    with engine.use(threads=threads):
        out = fill_rows(lambda rows: rows[:, :2] * 3, X, 2)
    np.testing.assert_array_equal(out, X[:, :2] * 3)
    assert out.dtype == dtype


def test_an_error_in_a_block_reaches_the_caller():
    def bad(rows):
        raise ValueError("no")

    with pytest.raises(ValueError, match="no"), engine.use(threads=2):
        fill_rows(bad, np.zeros((10_000, 100)), 1)
