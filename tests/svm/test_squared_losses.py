"""Squared losses with kernels: the gap, the slacks, kernel ridge as a limit."""

import numpy as np
import pytest

from corollary.core.errors import DataError, ParameterError
from corollary.solvers.quadratic_programming import solve_qp
from corollary.svm.squared_losses import squared_epsilon_svr, squared_hinge_svm


def matrix(n=25, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 2))
    return X, np.exp(-((X[:, None] - X[None]) ** 2).sum(axis=-1)), rng


@pytest.mark.course("S2-44")
@pytest.mark.parametrize("lam", [0.05, 1.0])
def test_squared_hinge(lam):
    X, K, rng = matrix()
    y = np.where(X[:, 0] + 0.5 * rng.normal(size=25) > 0, 1.0, -1.0)
    found = squared_hinge_svm(K, y, lam, tol=1e-13)
    alpha = y * found.beta
    assert found.gap <= 1e-11
    np.testing.assert_allclose(alpha, found.slack, atol=1e-6)  # alpha = xi
    assert (alpha[y * found.fitted > 1 + 1e-6] == 0).all()
    assert (np.diff(found.trace) >= -1e-12).all()
    Q = np.outer(y, y) * K
    whole = solve_qp((Q + lam * np.eye(25)) / lam, -np.ones(25), None, None,
                     -np.eye(25), np.zeros(25))  # fmt: skip
    assert -whole.value == pytest.approx(found.dual, rel=1e-7)
    np.testing.assert_allclose(alpha, whole.x, atol=1e-5)
    np.testing.assert_allclose(found.decision(K), found.fitted)


@pytest.mark.course("S2-43")
def test_squared_epsilon():
    X, K, rng = matrix()
    y = np.sin(X[:, 0]) + 0.2 * rng.normal(size=25)
    found = squared_epsilon_svr(K, y, 0.3, 0.1, tol=1e-13)
    assert found.gap <= 1e-11
    np.testing.assert_allclose(np.abs(found.beta), found.slack, atol=1e-6)
    # the programme of two blocks, Q = I + K/lam and P = I - K/lam
    n, one = 25, np.ones(25)
    Q, P = np.eye(n) + K / 0.3, np.eye(n) - K / 0.3
    whole = solve_qp(
        np.block([[Q, P], [P, Q]]),
        np.concatenate([0.1 * one - y, 0.1 * one + y]),
        None, None, -np.eye(2 * n), np.zeros(2 * n),
    )  # fmt: skip
    assert -whole.value == pytest.approx(found.dual, rel=1e-6)
    np.testing.assert_allclose(whole.x[:n] - whole.x[n:], found.beta, atol=1e-4)
    ridge = squared_epsilon_svr(K, y, 0.3, 0.0, tol=1e-14)
    gamma = np.linalg.solve(K + 0.3 * np.eye(n), y)
    np.testing.assert_allclose(ridge.beta / 0.3, gamma, atol=1e-6)
    assert ridge.primal == pytest.approx(ridge.dual)


def test_misuse():
    with pytest.raises(DataError, match="labels -1 and"):
        squared_hinge_svm([[1.0]], [2.0])
    with pytest.raises(DataError, match="K must be symmetric"):
        squared_hinge_svm([[1.0, 2.0]], [1.0])
    with pytest.raises(ParameterError, match="lam must be"):
        squared_hinge_svm([[1.0]], [1.0], 0.0)
    with pytest.raises(ParameterError, match="epsilon must be"):
        squared_epsilon_svr([[1.0]], [1.0], 1.0, -1.0)
