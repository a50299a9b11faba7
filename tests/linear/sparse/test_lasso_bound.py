import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize

from corollary import Lasso, LinearRegression
from corollary.core.errors import DataError
from corollary.linear.sparse.lasso_bound import alpha_of_bound, bound_of_alpha

TIGHT = {"tol": 1e-14, "max_iter": 100_000}


def make(n=40, d=5, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d)) + rng.normal(size=(n, 1))
    return X, X[:, :2] @ [2.0, -1.0] + rng.normal(size=n) + 3


@pytest.mark.course("S3-91")
@pytest.mark.parametrize("share", [0.1, 0.5, 0.9])
def test_the_constrained_minimum_is_the_penalised_one(share):
    X, y = make()
    t0 = np.abs(LinearRegression().fit(X, y).coef_).sum()
    t = share * t0  # the axis s = t / t0 of the course
    model = Lasso(alpha_of_bound(X, y, t), **TIGHT).fit(X, y)
    assert np.abs(model.coef_).sum() == pytest.approx(t, rel=1e-10)
    # b = u - v with u, v >= 0 makes the constrained form a quadratic program
    Xc, yc = X - X.mean(axis=0), y - y.mean()
    Z = np.hstack([Xc, -Xc])
    found = minimize(
        lambda u: ((yc - Z @ u) ** 2).sum() / 2,
        np.full(10, t / 20),
        jac=lambda u: -Z.T @ (yc - Z @ u),
        bounds=[(0, None)] * 10,
        constraints={
            "type": "ineq",
            "fun": lambda u: t - u.sum(),
            "jac": lambda u: -np.ones(10),
        },
        method="SLSQP",
        options={"ftol": 1e-14, "maxiter": 500},
    )
    np.testing.assert_allclose(model.coef_, found.x[:5] - found.x[5:], atol=1e-5)
    assert ((y - model.predict(X)) ** 2).sum() / 2 <= found.fun + 1e-6


@pytest.mark.course("S3-91")
@given(seed=st.integers(0, 2**31), share=st.floats(0.01, 0.99), wide=st.booleans())
@settings(max_examples=25, deadline=None)
def test_the_map_goes_both_ways(seed, share, wide):
    X, y = make(15 if wide else 40, 25 if wide else 6, seed)
    highest = alpha_of_bound(X, y, 0.0)
    alpha = share * highest
    t = bound_of_alpha(X, y, alpha)
    assert alpha_of_bound(X, y, t) == pytest.approx(alpha, rel=1e-9)
    model = Lasso(alpha, **TIGHT).fit(X, y)
    assert np.abs(model.coef_).sum() == pytest.approx(t, rel=1e-9)


@pytest.mark.course("S3-91")
def test_the_ends_of_the_map():
    X, y = make()
    w = np.random.default_rng(0).uniform(0.5, 2, 40)
    t0 = np.abs(LinearRegression().fit(X, y, w).coef_).sum()
    assert bound_of_alpha(X, y, 0.0, sample_weight=w) == pytest.approx(t0, rel=1e-9)
    assert alpha_of_bound(X, y, t0 * 1.001, sample_weight=w) == 0.0
    Xc = X - np.average(X, axis=0, weights=w)
    highest = np.abs(Xc.T @ (w * y)).max() / w.sum()
    assert alpha_of_bound(X, y, 0.0, sample_weight=w) == pytest.approx(highest)
    assert bound_of_alpha(X, y, highest * (1 + 1e-12), sample_weight=w) == 0.0
    raw = np.abs(X.T @ y).max() / 40
    assert alpha_of_bound(X, y, 0.0, fit_intercept=False) == pytest.approx(raw)


def test_bad_input():
    X, y = make()
    with pytest.raises(DataError, match="alpha_of_bound: t must be >= 0; got -1"):
        alpha_of_bound(X, y, -1.0)
    with pytest.raises(DataError, match="bound_of_alpha: alpha must be >= 0; got -2"):
        bound_of_alpha(X, y, -2.0)
