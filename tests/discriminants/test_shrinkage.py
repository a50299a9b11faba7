import numpy as np
import pytest
import sklearn.covariance

from corollary.discriminants.shrinkage import FourthMoments, ledoit_wolf, shrunk


@pytest.mark.course("S2-2")
@pytest.mark.parametrize(("n", "d"), [(200, 5), (20, 30), (3, 4)])
def test_ledoit_and_wolf_from_sums(n, d):
    X = np.random.default_rng(0).normal(size=(n, d)) @ np.diag(np.arange(1.0, d + 1))
    X -= X.mean(axis=0)
    S, scale = X.T @ X / n, X.std(axis=0)
    y = np.zeros(n, dtype=np.int32)
    parts = [
        FourthMoments.of(
            X[a : a + 7], y[a : a + 7], None, np.zeros((1, d)), scale[None]
        )
        for a in range(0, n, 7)
    ]
    q = sum(parts[1:], parts[0]).q[0]
    found, rho = ledoit_wolf(S, n, q)
    theirs, amount = sklearn.covariance.ledoit_wolf(X / scale)
    np.testing.assert_allclose(rho, amount, rtol=1e-10)
    np.testing.assert_allclose(found, theirs * np.outer(scale, scale), rtol=1e-10)
    assert np.linalg.eigvalsh(found)[0] > 0


@pytest.mark.course("S2-2")
def test_rank_of_few_rows_and_what_shrinkage_makes_of_it():
    X = np.random.default_rng(1).normal(size=(6, 10))
    S = np.cov(X.T, ddof=0)
    assert np.linalg.matrix_rank(S) == 5  # n - 1
    assert np.linalg.matrix_rank(shrunk(S, 0.1)) == 10
    np.testing.assert_allclose(np.trace(shrunk(S, 0.7)), np.trace(S))
