"""Squared residuals beyond a tube: programmes, ridge regression, and the machine
without an intercept."""

import clarabel
import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics.pairwise import polynomial_kernel, rbf_kernel
from sklearn.svm import LinearSVR

from corollary import SquaredEpsilonSVR, StopReason
from corollary.core.errors import DataError, ParameterError
from corollary.svm.machine import dense_coefficients
from corollary.svm.squared_losses import squared_epsilon_svr


def wave(seed=0, n=60, d=2):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    return X, np.sin(2 * X[:, 0]) + 0.5 + 0.3 * rng.normal(size=n)


def kernel_matrix(model, X):
    if model.kernel == "linear":
        return X @ X.T
    if model.kernel == "poly":
        return polynomial_kernel(X, degree=2, gamma=model.gamma_, coef0=1.0)
    return rbf_kernel(X, gamma=model.gamma_)


def expanded(model, n):
    b = np.zeros(n)
    b[model.support_] = np.ravel(dense_coefficients(model))
    return b


@pytest.mark.course("S2-43")
@pytest.mark.parametrize(
    "options",
    [
        {"kernel": "linear"},
        {"kernel": "poly", "degree": 2, "coef0": 1.0},
        {"kernel": "rbf", "epsilon": 0.3},
        {"kernel": "rbf", "epsilon": 0.0, "C": 20.0},
    ],
    ids=str,
)
@pytest.mark.parametrize("sparse", [False, True])
def test_the_programme_of_two_variables_a_row(options, sparse):
    X, y = wave()
    n = len(y)
    model = SquaredEpsilonSVR(tol=1e-10, **options)
    model.fit(sp.csr_array(X) if sparse else X, y)
    K = kernel_matrix(model, X) + np.eye(n) / (2 * model.C)
    wanted = clarabel.DefaultSettings()
    wanted.verbose = False
    wanted.tol_gap_abs = wanted.tol_gap_rel = wanted.tol_feas = 1e-12
    P = sp.csc_matrix(np.triu(np.block([[K, -K], [-K, K]])))
    q = np.concatenate([model.epsilon - y, model.epsilon + y])
    A = sp.csc_matrix(np.vstack([np.r_[np.ones(n), -np.ones(n)], -np.eye(2 * n)]))
    cones = [clarabel.ZeroConeT(1), clarabel.NonnegativeConeT(2 * n)]
    solver = clarabel.DefaultSolver(P, q, A, np.zeros(2 * n + 1), cones, wanted)
    best = solver.solve()
    b = np.array(best.x[:n]) - np.array(best.x[n:])
    np.testing.assert_allclose(expanded(model, n), b, atol=1e-5 * np.abs(b).max())
    assert model.report_.objective[-1] == pytest.approx(-best.obj_val, rel=1e-8)
    assert model.report_.optimality.value < 1e-8
    assert model.report_.stop is StopReason.CONVERGED


@pytest.mark.course("S2-43")
def test_multipliers_are_slacks_and_roles_are_true():
    X, y = wave(1)
    model = SquaredEpsilonSVR(C=3.0, epsilon=0.2, tol=1e-10).fit(X, y)
    g = model.predict(X)
    excess = np.maximum(0, np.abs(y - g) - 0.2)
    b = expanded(model, len(y))
    np.testing.assert_allclose(b, 2 * 3.0 * excess * np.sign(y - g), atol=1e-8)
    np.testing.assert_array_equal(model.roles_ == 2, b != 0)
    assert b.sum() == pytest.approx(0, abs=1e-9)
    K = kernel_matrix(model, X)
    primal = b @ K @ b / 2 + 3 * (excess**2).sum()
    dual = y @ b - 0.2 * np.abs(b).sum() - b @ K @ b / 2 - b @ b / 12
    assert primal == pytest.approx(dual, rel=1e-9)


@pytest.mark.course("S2-43")
@pytest.mark.parametrize("epsilon", [0.0, 0.2])
def test_given_its_intercept_it_is_the_machine_without_one(epsilon):
    X, y = wave(2)
    C = 2.0
    model = SquaredEpsilonSVR(C=C, epsilon=epsilon, tol=1e-10).fit(X, y)
    K = kernel_matrix(model, X)
    rest = y - model.intercept_[0]
    plain = squared_epsilon_svr(K, rest, 1 / (2 * C), epsilon, tol=1e-14)
    fitted = model.predict(X) - model.intercept_[0]
    np.testing.assert_allclose(fitted, plain.fitted, atol=1e-6)
    assert 2 * C * plain.primal == pytest.approx(model.report_.objective[-1], rel=1e-8)


@pytest.mark.course("S2-43")
def test_without_a_tube_it_is_ridge_regression_with_a_free_intercept():
    X, y = wave(3)
    n, C = len(y), 1.7
    model = SquaredEpsilonSVR(C=C, epsilon=0.0, tol=1e-10).fit(X, y)
    K = kernel_matrix(model, X) + np.eye(n) / (2 * C)
    one = np.ones((n, 1))
    A = np.block([[K, one], [one.T, np.zeros((1, 1))]])
    x = np.linalg.solve(A, np.append(y, 0.0))
    np.testing.assert_allclose(expanded(model, n), x[:n], atol=1e-8)
    assert model.intercept_[0] == pytest.approx(x[n])


def test_a_linear_machine_is_scikit_learns_where_its_intercept_is_hardly_priced():
    X, y = wave(4)
    model = SquaredEpsilonSVR(kernel="linear", epsilon=0.1, C=0.5, tol=1e-10).fit(X, y)
    loss = "squared_epsilon_insensitive"
    peer = LinearSVR(loss=loss, epsilon=0.1, C=0.5, tol=1e-10, max_iter=10**5,
                     intercept_scaling=1e3, dual=False)  # fmt: skip
    peer.fit(X, y)
    np.testing.assert_allclose(model.coef_[0], peer.coef_, rtol=1e-4, atol=1e-5)


@given(seed=st.integers(0, 1000))
@settings(max_examples=15, deadline=None)
def test_a_weight_is_a_repetition(seed):
    X, y = wave(seed, 40)
    times = np.random.default_rng(seed).integers(0, 4, size=40)
    weighted = SquaredEpsilonSVR(tol=1e-9).fit(X, y, times)
    repeated = SquaredEpsilonSVR(tol=1e-9).fit(X.repeat(times, 0), y.repeat(times))
    np.testing.assert_allclose(weighted.predict(X), repeated.predict(X), atol=1e-7)


def test_given_matrices_functions_and_float32():
    X, y = wave(5)
    named = SquaredEpsilonSVR(gamma=0.5, tol=1e-9).fit(X, y)
    K = rbf_kernel(X, gamma=0.5)
    given_ = SquaredEpsilonSVR(kernel="precomputed", tol=1e-9).fit(K, y)
    np.testing.assert_allclose(given_.predict(K), named.predict(X), atol=1e-7)
    called = SquaredEpsilonSVR(kernel=lambda A, B: rbf_kernel(A, B, gamma=0.5))
    np.testing.assert_allclose(called.fit(X, y).predict(X), named.predict(X), atol=1e-3)
    single = SquaredEpsilonSVR(gamma=0.5).fit(X.astype(np.float32), y)
    assert single.dual_coef_.dtype == np.float32
    g = single.predict(X.astype(np.float32))
    np.testing.assert_allclose(g, named.predict(X), atol=3e-3)


def test_a_constant_and_what_it_costs():
    X, _ = wave(6)
    model = SquaredEpsilonSVR().fit(X, np.full(len(X), 3.0))
    assert np.abs(model.predict(X) - 3).max() <= 0.1 + 1e-9
    assert model.report_.objective[-1] == pytest.approx(0, abs=1e-12)


def test_bad_input_gets_one_sentence():
    X, y = wave()
    with pytest.raises(ParameterError, match=r"SquaredEpsilonSVR: C must be"):
        SquaredEpsilonSVR(C=0).fit(X, y)
    with pytest.raises(ParameterError, match="epsilon must be a number >= 0"):
        SquaredEpsilonSVR(epsilon=-1).fit(X, y)
    with pytest.raises(DataError, match="NaN"):
        SquaredEpsilonSVR().fit(X, np.where(y > 1, np.nan, y))
    with pytest.warns(match="max_iter reached"):
        SquaredEpsilonSVR(max_iter=3, tol=1e-8).fit(X, y)
