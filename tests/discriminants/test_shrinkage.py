import numpy as np
import pytest
import sklearn.covariance

from corollary import DataError, ParameterError
from corollary.discriminants import ledoit_wolf, shrunk


@pytest.mark.course("S2-2")
@pytest.mark.parametrize(("n", "d"), [(200, 5), (20, 30), (3, 4)])
def test_ledoit_and_wolf(n, d):
    X = np.random.default_rng(0).normal(size=(n, d)) @ np.diag(np.arange(1.0, d + 1))
    scale = X.std(axis=0)
    found, rho = ledoit_wolf(X)
    theirs, amount = sklearn.covariance.ledoit_wolf(X / scale)
    np.testing.assert_allclose(rho, amount, rtol=1e-10)
    np.testing.assert_allclose(found, theirs * np.outer(scale, scale), rtol=1e-10)
    assert np.linalg.eigvalsh(found)[0] > 0
    twice = ledoit_wolf(X, 2 * np.ones(n))
    np.testing.assert_allclose(twice[1], ledoit_wolf(np.vstack([X, X]))[1], rtol=1e-9)


@pytest.mark.course("S2-2")
def test_rank_of_few_rows_and_what_shrinkage_makes_of_it():
    X = np.random.default_rng(1).normal(size=(6, 10))
    S = np.cov(X.T, ddof=0)
    assert np.linalg.matrix_rank(S) == 5  # n - 1
    assert np.linalg.matrix_rank(shrunk(S, 0.1)) == 10
    np.testing.assert_allclose(np.trace(shrunk(S, 0.7)), np.trace(S))


def test_shrinking_by_hand_and_its_misuse():
    assert shrunk([[2, 1], [1, 4]], 1).tolist() == [[3.0, 0.0], [0.0, 3.0]]
    with pytest.raises(
        DataError, match=r"shrunk: S must be square; got shape \(2, 3\)"
    ):
        shrunk(np.ones((2, 3)), 0.5)
    with pytest.raises(ParameterError, match=r"shrunk: rho must be in \[0, 1\]; got 2"):
        shrunk(np.eye(2), 2)
