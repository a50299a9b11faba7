"""The loop of dual descent against a few lines of NumPy, dense and sparse."""

import numpy as np
import pytest
import scipy.sparse as sp
from oracles.dual_descent import rounds

from corollary import loops


def problem(seed, dtype):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(20, 9)).astype(dtype)
    X[rng.random(X.shape) < 0.4] = 0
    q, ridge = rng.normal(size=20), rng.random(20)
    lo, hi = -rng.random(20), rng.random(20)
    return X, q, lo, hi, ridge


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("eps", [0.0, 0.2])
def test_rows(dtype, eps):
    X, q, lo, hi, ridge = problem(0, dtype)
    squares = (X.astype(float) ** 2).sum(axis=1) + 0.25
    answers = []
    for kind in ("dense", "sparse"):
        beta, w, b, order = np.zeros(20), np.zeros(9), np.zeros(1), np.arange(20)
        rest = (
            q,
            lo,
            hi,
            ridge,
            eps,
            squares,
            0.5,
            order,
            20,
            np.inf,
            400,
            1e-12,
            True,
            7,
        )
        if kind == "dense":
            loops.dual_rounds(X, *rest, beta, w, b)
        else:
            S = sp.csr_array(X)
            loops.dual_rounds_csr(S.data, S.indices, S.indptr, *rest, beta, w, b)
        assert sorted(order) == list(range(20))
        np.testing.assert_allclose(w, beta @ X.astype(float), atol=1e-10)
        np.testing.assert_allclose(b, 0.5 * beta.sum(), atol=1e-10)
        answers.append(beta)
    K = X.astype(float) @ X.T.astype(float) + 0.25
    best = rounds(K, q, lo, hi, ridge, eps, 3000)
    np.testing.assert_allclose(answers[0], best, atol=1e-6)
    np.testing.assert_allclose(answers[0], answers[1], atol=1e-6)


def test_matrix():
    X, q, lo, hi, ridge = problem(1, np.float64)
    K = X @ X.T
    beta, f = np.zeros(20), np.zeros(20)
    used, _ = loops.box_rounds(K, q, lo, hi, ridge, 0.1, 5, 0.0, beta, f)
    assert used == 5
    np.testing.assert_allclose(beta, rounds(K, q, lo, hi, ridge, 0.1, 5), atol=1e-12)
    np.testing.assert_allclose(f, K @ beta, atol=1e-12)
