"""Kernel quantile regression: gaps, oracles, and what a quantile is."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize
from sklearn.linear_model import QuantileRegressor
from sklearn.metrics.pairwise import polynomial_kernel, rbf_kernel
from sklearn.svm import SVR

from corollary import KernelQuantileRegressor, load, save
from corollary.core.errors import DataError, ParameterError


def draw(seed=0, n=60, d=2):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    return X, X @ np.arange(1, d + 1) + rng.standard_t(3, size=n)


def pinball(r, q):
    return np.maximum(q * r, (q - 1) * r)


@pytest.mark.course("S2-41")
@pytest.mark.parametrize("kernel", ["linear", "rbf"])
def test_the_median_is_support_vector_regression_without_a_tube(kernel):
    X, y = draw()
    C = 3.0  # |r| = 2 rho_1/2
    model = KernelQuantileRegressor(C=2 * C, kernel=kernel, tol=1e-9).fit(X, y)
    peer = SVR(C=C, epsilon=0.0, kernel=kernel, tol=1e-9).fit(X, y)
    query, _ = draw(1)
    np.testing.assert_allclose(model.predict(query), peer.predict(query), atol=1e-5)


@pytest.mark.course("S2-41")
@pytest.mark.parametrize("q", [0.2, 0.5, 0.85])
def test_primal_is_dual(q):
    X, y = draw(2)
    w = np.random.default_rng(3).uniform(0.5, 2, len(y))
    model = KernelQuantileRegressor(quantile=q, C=5.0, gamma=0.4, tol=1e-9)
    model.fit(X, y, w)
    a = np.zeros(len(y))
    a[model.support_] = model.dual_coef_
    K = rbf_kernel(X, gamma=0.4)
    r = y - model.predict(X)
    np.testing.assert_allclose(y - r, K @ a + model.intercept_, atol=1e-9)
    primal = a @ K @ a / 2 + 5 * w @ pinball(r, q)
    dual = y @ a - a @ K @ a / 2
    assert a.sum() == pytest.approx(0, abs=1e-9)
    assert (a <= 5 * w * q + 1e-9).all()
    assert (a >= 5 * w * (q - 1) - 1e-9).all()
    assert primal == pytest.approx(dual, rel=1e-8)
    assert model.report_.objective[-1] == pytest.approx(primal, rel=1e-9)
    assert 0 <= model.report_.optimality.value <= 1e-6 * primal
    assert w[r > 1e-7].sum() <= (1 - q) * w.sum() + 1e-9  # (3) of the theory
    assert w[r < -1e-7].sum() <= q * w.sum() + 1e-9


@pytest.mark.course("S2-41")
@pytest.mark.parametrize("q", [0.3, 0.5])
def test_the_linear_kernel_is_linear_quantile_regression_with_a_ridge(q):
    X, y = draw(4, n=12)
    C, n = 1.5, 12

    def objective(v):
        w, up, down = v[:2], v[3 : 3 + n], v[3 + n :]
        return w @ w / 2 + C * (q * up.sum() + (1 - q) * down.sum())

    def slope(v):
        parts = [v[:2], [0.0], np.full(n, C * q), np.full(n, C * (1 - q))]
        return np.concatenate(parts)

    A = np.hstack([X, np.ones((n, 1)), np.eye(n), -np.eye(n)])
    start = np.concatenate([np.zeros(3), np.maximum(y, 0), np.maximum(-y, 0)])
    found = minimize(
        objective,
        start,
        jac=slope,
        method="SLSQP",
        bounds=[(None, None)] * 3 + [(0, None)] * (2 * n),
        constraints={"type": "eq", "fun": lambda v: A @ v - y, "jac": lambda v: A},
        options={"ftol": 1e-14, "maxiter": 500},
    )
    model = KernelQuantileRegressor(quantile=q, C=C, kernel="linear", tol=1e-10)
    model.fit(X, y)
    np.testing.assert_allclose(model.dual_coef_ @ model.X_fit_, found.x[:2], atol=1e-6)
    assert model.report_.objective[-1] == pytest.approx(found.fun, rel=1e-8)


def test_without_a_price_on_weights_it_is_scikit_learns_linear_program():
    X, y = draw(5)
    model = KernelQuantileRegressor(quantile=0.7, C=1e5, kernel="linear", tol=1e-7)
    model.fit(X, y)
    peer = QuantileRegressor(quantile=0.7, alpha=0).fit(X, y)
    np.testing.assert_allclose(model.dual_coef_ @ model.X_fit_, peer.coef_, atol=1e-3)


@pytest.mark.course("S2-41")
@given(seed=st.integers(0, 1000), q=st.sampled_from([0.25, 0.5, 0.9]))
@settings(max_examples=15, deadline=None)
def test_a_constant_model_is_the_samples_quantile(seed, q):
    n = 15
    y = np.random.default_rng(seed).normal(size=n)
    model = KernelQuantileRegressor(quantile=q, kernel="precomputed", tol=1e-9)
    model.fit(np.zeros((n, n)), y)  # h = 0 whatever the coefficients
    b = model.predict(np.zeros((1, n)))[0]
    best = min(pinball(y - c, q).sum() for c in y)
    assert pinball(y - b, q).sum() == pytest.approx(best, rel=1e-9)
    assert b == pytest.approx(np.sort(y)[int(np.ceil(q * n)) - 1], abs=1e-9)


def test_the_courses_identity_of_the_absolute_value():
    x = np.random.default_rng(6).normal(size=50)
    np.testing.assert_array_equal(np.abs(x), (1 - 2 * (x < 0)) * x)
    np.testing.assert_allclose(2 * pinball(x, 0.5), np.abs(x), rtol=1e-15)


@pytest.mark.course("S4-47")
def test_it_is_the_linear_one_on_the_explicit_map():
    X, y = draw(7)
    a, b = X.T
    r = np.sqrt(2)
    phi = np.stack([a**2, b**2, r * a * b, r * a, r * b, np.ones(60)], axis=1)
    np.testing.assert_allclose(phi @ phi.T, polynomial_kernel(X, X, 2, 1, 1), 1e-9)
    options = {"quantile": 0.3, "C": 2.0, "tol": 1e-9}
    kernel = KernelQuantileRegressor(
        kernel="poly", degree=2, gamma=1, coef0=1, **options
    )
    linear = KernelQuantileRegressor(kernel="linear", **options)
    expected = linear.fit(phi, y).predict(phi)
    np.testing.assert_allclose(kernel.fit(X, y).predict(X), expected, atol=1e-6)


@given(seed=st.integers(0, 1000))
@settings(max_examples=15, deadline=None)
def test_a_weight_is_a_repetition_and_0_a_removal(seed):
    X, y = draw(seed, n=30)
    times = np.random.default_rng(seed).integers(0, 4, 30)
    times[0] = 1
    Z, z = np.repeat(X, times, axis=0), np.repeat(y, times)
    options = {"quantile": 0.4, "tol": 1e-8, "gamma": 0.5}
    weighted = KernelQuantileRegressor(**options).fit(X, y, times)
    repeated = KernelQuantileRegressor(**options).fit(Z, z)
    goal = repeated.report_.objective[-1]
    assert weighted.report_.objective[-1] == pytest.approx(goal, rel=1e-6)
    h = [m.predict(X) - m.intercept_ for m in (weighted, repeated)]
    np.testing.assert_allclose(*h, atol=1e-4)  # b may be any of an interval
    matrix = KernelQuantileRegressor(kernel="precomputed", **options)
    matrix.fit(rbf_kernel(X, gamma=0.5), y, times)
    again = matrix.predict(rbf_kernel(X, gamma=0.5)) - matrix.intercept_
    np.testing.assert_allclose(again, h[0], atol=1e-4)


def test_a_saved_model_predicts_the_same(tmp_path):
    X, y = draw(8)
    model = KernelQuantileRegressor(quantile=0.8).fit(X, y)
    save(model, tmp_path / "model")
    again = load(tmp_path / "model")
    np.testing.assert_array_equal(again.predict(X), model.predict(X))
    assert str(again.report_) == str(model.report_)


def test_it_says_when_it_stopped_early():
    X, y = draw(9, n=300)
    with pytest.warns(match="max_iter reached"):
        model = KernelQuantileRegressor(C=1e5, max_iter=10).fit(X, y)
    assert model.report_.optimality.value > 0


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"quantile": 1.0}, "quantile must be a number in (0, 1)"),
        ({"C": 0}, "C must be a number > 0"),
        ({"tol": 0}, "tol must be"),
        ({"max_seconds": -1}, "max_seconds must be"),
        ({"kernel": "precomputed"}, "square matrix"),
    ],
)
def test_bad_input_is_one_sentence(options, words):
    X, y = draw(10)
    with pytest.raises((ParameterError, DataError)) as caught:
        KernelQuantileRegressor(**options).fit(X, y)
    assert words in str(caught.value)
    assert "\n" not in str(caught.value)
