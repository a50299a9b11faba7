"""Keys depend on a row's values alone, and are well mixed."""

import numpy as np
import pytest
import scipy.sparse as sp
from oracles import row_keys as oracle

from corollary import loops


def keys(X, seed=0):
    out = np.empty(X.shape[0], np.uint64)
    if sp.issparse(X):
        loops.row_keys_csr(X.data, X.indices, X.indptr, seed, out)
    else:
        loops.row_keys(X, seed, out)
    return out


@pytest.mark.parametrize("d", [0, 1, 3, 17, 50, 64, 65, 101, 130])
@pytest.mark.parametrize("seed", [0, 1, 2**64 - 1])
def test_keys_are_those_of_the_definition(d, seed, rows, loop, rng):
    X, args = rows(5, d)
    out = np.empty(5, np.uint64)
    loop("row_keys")(*args, seed, out)
    assert out.tolist() == [oracle.row_key(x, seed) for x in X]


def test_no_rows(dtype):
    assert keys(np.zeros((0, 4), dtype)).shape == (0,)


def test_the_storage_of_a_row_does_not_matter(rng):
    X = rng.normal(size=(200, 30)).astype(np.float32)
    X[rng.random(X.shape) < 0.5] = 0
    wanted = keys(X)
    np.testing.assert_array_equal(keys(X.astype(np.float64)), wanted)
    np.testing.assert_array_equal(keys(np.where(X == 0, np.float32(-0.0), X)), wanted)
    S = sp.csr_array(X)
    np.testing.assert_array_equal(keys(S), wanted)
    S.data[::3] = 0  # stored zeros
    np.testing.assert_array_equal(keys(S), keys(S.toarray()))
    np.testing.assert_array_equal(keys(X[50:60]), wanted[50:60])


def test_keys_differ_where_rows_or_seeds_differ():
    grid = np.stack(np.meshgrid(*[np.arange(6.0)] * 6), -1).reshape(-1, 6)  # 46,656
    binary = np.array([[(i >> b) & 1 for b in range(16)] for i in range(2**16)], float)
    for X in [grid, binary, np.arange(1e5)[:, None]]:
        assert len(np.unique(keys(X))) == len(X)
        assert not np.any(keys(X, 1) == keys(X, 2))


def test_keys_look_uniform():
    k = keys(np.arange(2.0**16)[:, None])
    for shift in [0, 20, 40, 56]:
        counts = np.bincount(((k >> np.uint64(shift)) & np.uint64(255)).astype(int))
        chi2 = ((counts - 256) ** 2 / 256).sum()
        assert 150 < chi2 < 380  # 255 degrees of freedom
