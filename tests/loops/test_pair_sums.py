"""Sums over pairs of rows in tiles against the formulas."""

import numpy as np
import pytest
from oracles import pair_sums as oracle

from corollary import loops
from corollary.kernels.gram import panels_of


@pytest.mark.parametrize("term", [0, 1, 2, 3])
@pytest.mark.parametrize("shape", [(1, 1, 1), (5, 3, 7), (13, 17, 40), (6, 2, 2100)])
@pytest.mark.parametrize("threads", [1, 2])
def test_sums_are_the_formula(term, shape, threads, dtype, rng):
    m, d, n = shape
    X = rng.random((m, d)).astype(dtype)
    Z = rng.random((n, d)).astype(dtype)
    X[rng.random((m, d)) < 0.3] = 0
    Z[rng.random((n, d)) < 0.3] = 0  # 0 / 0 is 0
    if term == 0:
        X -= dtype(0.5)
    out = np.full((m, n), np.nan, dtype)
    loops.pair_sums(X, panels_of(Z), term, out, threads)
    scale = 1e-5 if dtype == np.float32 else 1e-13
    np.testing.assert_allclose(out, oracle.pair_sums(term, X, Z), scale, scale)
