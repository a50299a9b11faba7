import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from scipy.integrate import dblquad

from corollary import BayesianLinearRegression, Ridge, engine
from corollary.core.errors import DataError, ParameterError


def make(n=40, d=4, seed=0, noise=1.0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d)) + rng.normal(size=d)
    return X, X @ rng.normal(size=d) + noise * rng.normal(size=n) + 3


@pytest.mark.course("S4-60")
@pytest.mark.parametrize("n", [40, 3])
def test_the_posterior_is_the_conjugate_one_and_its_mode_is_ridge(n):
    X, y = make(n)
    sigma2, tau2 = 0.7, 2.0
    model = BayesianLinearRegression(sigma2, tau2, fit_intercept=False).fit(X, y)
    precision = X.T @ X / sigma2 + np.eye(4) / tau2
    covariance = np.linalg.inv(precision)
    np.testing.assert_allclose(model.covariance_, covariance, rtol=1e-8)
    np.testing.assert_allclose(model.coef_, covariance @ X.T @ y / sigma2, rtol=1e-8)
    ridge = Ridge.from_prior(sigma2, tau2, fit_intercept=False).fit(X, y)
    np.testing.assert_allclose(model.coef_, ridge.coef_, rtol=1e-8)
    both = BayesianLinearRegression(sigma2, tau2).fit(X, y)
    ridge = Ridge(sigma2 / tau2).fit(X, y)
    np.testing.assert_allclose(both.coef_, ridge.coef_, rtol=1e-8)
    assert both.intercept_ == pytest.approx(ridge.intercept_)


@pytest.mark.course("S4-60")
def test_the_predictive_law_is_the_integral_over_the_posterior():
    X, y = make(12, 1)
    sigma2, tau2, x = 0.5, 2.0, np.array([[1.7]])
    model = BayesianLinearRegression(sigma2, tau2).fit(X, y)
    mean, std = model.predict(x, return_std=True)

    def weight(b, b0):
        fit = -((y - X[:, 0] * b - b0) ** 2).sum() / (2 * sigma2)
        return np.exp(fit - b**2 / (2 * tau2) + 0.5 * shift)

    best = model.coef_[0], model.intercept_
    shift = ((y - X[:, 0] * best[0] - best[1]) ** 2).sum() / sigma2
    limits = (best[1] - 5, best[1] + 5, best[0] - 5, best[0] + 5)
    total = dblquad(weight, *limits)[0]
    for target in (mean[0] - 1, mean[0], mean[0] + 0.7):
        law = stats.norm(target, np.sqrt(sigma2))
        value = dblquad(
            lambda b, b0, law=law: weight(b, b0) * law.pdf(x[0, 0] * b + b0), *limits
        )
        expected = stats.norm(mean[0], std[0]).pdf(target)
        assert value[0] / total == pytest.approx(expected, rel=1e-5)
    assert std[0] > np.sqrt(sigma2)  # never as sure as the noise alone


@pytest.mark.course("S4-60")
def test_the_evidence_is_the_density_of_the_targets():
    X, y = make(15, 3)
    sigma2, tau2 = 0.8, 1.7
    model = BayesianLinearRegression(sigma2, tau2, fit_intercept=False).fit(X, y)
    law = stats.multivariate_normal(cov=sigma2 * np.eye(15) + tau2 * X @ X.T)
    assert model.log_evidence_ == pytest.approx(law.logpdf(y))
    # a flat prior of b0 is the limit of a wide one, whose own density is divided out
    wide = 1e8
    law = stats.multivariate_normal(
        cov=sigma2 * np.eye(15) + tau2 * X @ X.T + wide * np.ones((15, 15))
    )
    flat = law.logpdf(y) + 0.5 * np.log(2 * np.pi * wide)
    model = BayesianLinearRegression(sigma2, tau2).fit(X, y)
    assert model.log_evidence_ == pytest.approx(flat, abs=1e-4)


@pytest.mark.course("S4-60")
@pytest.mark.parametrize("given_", [{}, {"noise_variance": 0.5}, {"prior_variance": 2}])
@pytest.mark.parametrize("intercept", [True, False])
def test_open_variances_maximise_the_evidence(given_, intercept):
    X, y = make(50, 4)
    model = BayesianLinearRegression(**given_, fit_intercept=intercept).fit(X, y)
    found = {
        "noise_variance": model.noise_variance_,
        "prior_variance": model.prior_variance_,
    }
    assert all(found[name] == value for name, value in given_.items())
    for factor in (0.9, 0.999, 1.001, 1.1):
        for name in set(found) - set(given_):
            near = found | {name: found[name] * factor}
            other = BayesianLinearRegression(**near, fit_intercept=intercept).fit(X, y)
            assert other.log_evidence_ < model.log_evidence_


def test_recovers_the_noise():
    X, y = make(5000, 10, noise=0.5)
    model = BayesianLinearRegression().fit(X, y)
    assert model.noise_variance_ == pytest.approx(0.25, rel=0.1)
    inside = model.predict_interval(X, 0.9)
    share = ((inside[:, 0] <= y) & (y <= inside[:, 1])).mean()
    assert share == pytest.approx(0.9, abs=0.02)


@pytest.mark.course("S4-60")
@given(seed=st.integers(0, 2**31), cut=st.integers(1, 29))
@settings(max_examples=25, deadline=None)
def test_the_posterior_of_some_rows_is_the_prior_of_the_next(seed, cut):
    X, y = make(30, 3, seed=seed)
    whole = BayesianLinearRegression(0.6, 1.5, fit_intercept=False).fit(X, y)
    first = BayesianLinearRegression(0.6, 1.5, fit_intercept=False)
    first.fit(X[:cut], y[:cut])
    second = BayesianLinearRegression(
        0.6, first.covariance_, prior_mean=first.coef_, fit_intercept=False
    ).fit(X[cut:], y[cut:])
    np.testing.assert_allclose(second.coef_, whole.coef_, rtol=1e-6, atol=1e-8)
    np.testing.assert_allclose(
        second.covariance_, whole.covariance_, rtol=1e-6, atol=1e-9
    )
    stream = BayesianLinearRegression(0.6, 1.5, fit_intercept=False)
    stream.partial_fit(X[:cut], y[:cut]).partial_fit(X[cut:], y[cut:])
    np.testing.assert_allclose(stream.coef_, whole.coef_, rtol=1e-7, atol=1e-9)
    # the evidence of all rows is that of the first times that of the rest given them
    assert first.log_evidence_ + second.log_evidence_ == pytest.approx(
        whole.log_evidence_, rel=1e-7
    )


def test_a_variance_and_a_mean_for_each_coefficient():
    X, y = make(20, 3)
    tau2, m = np.array([0.1, 1.0, 10.0]), np.array([1.0, 0.0, -1.0])
    model = BayesianLinearRegression(0.5, tau2, prior_mean=m).fit(X, y)
    Xc, yc = X - X.mean(axis=0), y - y.mean()
    precision = Xc.T @ Xc / 0.5 + np.diag(1 / tau2)
    expected = np.linalg.solve(precision, Xc.T @ yc / 0.5 + m / tau2)
    np.testing.assert_allclose(model.coef_, expected, rtol=1e-8)
    np.testing.assert_allclose(model.covariance_, np.linalg.inv(precision), rtol=1e-8)
    assert model.intercept_ == pytest.approx(y.mean() - X.mean(axis=0) @ expected)


def test_more_columns_than_rows_keep_the_prior_where_nothing_is_known():
    X, y = make(3, 6)
    with engine.use(chunk_rows=1):
        model = BayesianLinearRegression(1.0, 2.0, fit_intercept=False).fit(X, y)
    precision = X.T @ X + np.eye(6) / 2
    np.testing.assert_allclose(model.covariance_, np.linalg.inv(precision), rtol=1e-8)
    null = np.linalg.svd(X)[2][-1]
    assert null @ model.covariance_ @ null == pytest.approx(2.0)


@pytest.mark.parametrize("unit", [1e-100, 1e100])
def test_the_unit_of_the_columns_does_not_matter(unit):
    X, y = make(40, 2)
    plain, other = (BayesianLinearRegression().fit(A, y) for A in (X, X * unit))
    np.testing.assert_allclose(other.predict(X * unit), plain.predict(X), rtol=1e-6)


def test_columns_and_targets_that_never_move():
    model = BayesianLinearRegression().fit(np.ones((6, 2)), np.arange(6.0))
    np.testing.assert_allclose(model.predict(np.ones((1, 2))), 2.5)
    X = make(40, 2)[0]
    np.testing.assert_allclose(
        BayesianLinearRegression().fit(X, np.full(40, 2.0)).predict(X), 2.0
    )


def test_sparse_rows():
    X, y = make(40, 3)
    X = np.where(np.abs(X) < 0.6, 0.0, X)
    dense = BayesianLinearRegression().fit(X, y)
    sparse = BayesianLinearRegression().fit(sp.csr_matrix(X), y)
    for a, b in zip(
        dense.predict(X, return_std=True),
        sparse.predict(sp.csr_matrix(X), return_std=True),
        strict=True,
    ):
        np.testing.assert_allclose(a, b, rtol=1e-6)


def test_bad_input():
    X, y = make(20, 3)
    with pytest.raises(DataError, match="prior_mean must be one number or one for"):
        BayesianLinearRegression(prior_mean=[1.0]).fit(X, y)
    with pytest.raises(DataError, match="prior_variance must be one number, 3, or"):
        BayesianLinearRegression(1.0, [1.0, 2.0]).fit(X, y)
    with pytest.raises(ParameterError, match="must be positive definite; got a least"):
        BayesianLinearRegression(1.0, [1.0, 2.0, -1.0]).fit(X, y)
    with pytest.raises(ParameterError, match="confidence must be a number in"):
        BayesianLinearRegression().fit(X, y).predict_interval(X, 1.0)
