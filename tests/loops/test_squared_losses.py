"""The pass of squared losses against a few lines of NumPy, dense and sparse."""

import numpy as np
import pytest
import scipy.sparse as sp

from corollary import loops


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("eps", [-1.0, 0.0, 0.3])
@pytest.mark.parametrize("n", [1, 37, 1500])
def test_sums(dtype, eps, n):
    rng = np.random.default_rng(n)
    X = rng.normal(size=(n, 7)).astype(dtype)
    X[rng.random(X.shape) < 0.4] = 0
    q = rng.choice([-1.0, 1.0], n) if eps < 0 else rng.normal(size=n)
    C, coef, b = rng.random(n), rng.normal(size=7), 0.2
    r = q - (X @ coef.astype(dtype)).astype(float) - b
    u = np.maximum(q * r if eps < 0 else np.abs(r) - eps, 0)
    p = 2 * C * u * np.sign(r)
    expected = (
        C @ u**2,
        p @ q - max(eps, 0) * np.abs(p).sum(),
        p.sum(),
    )
    rtol = 1e-12 if dtype == np.float64 else 2e-5
    S = sp.csr_array(X)
    for loop, rows in (
        (loops.squared_losses, (X,)),
        (loops.squared_losses_csr, (S.data, S.indices, S.indptr)),
    ):
        v = np.ones(7)
        found = loop(*rows, q, C, eps, coef, b, v)
        np.testing.assert_allclose(found, expected, rtol=rtol, atol=rtol * n)
        np.testing.assert_allclose(v, 1 + p @ X, rtol=rtol, atol=rtol * n)
