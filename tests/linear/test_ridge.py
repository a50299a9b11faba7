import numpy as np
import pytest
import scipy.sparse as sp
import sklearn.linear_model

from corollary import LinearRegression, Ridge
from corollary.core.errors import DataError, ParameterError


def make(n=100, d=5, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d)) + rng.normal(size=d)
    return X, X @ rng.normal(size=d) + rng.normal(size=n)


@pytest.mark.parametrize(
    "solver", ["auto", "svd", "cholesky", "sparse_cg", "lsqr", "saga"]
)
@pytest.mark.parametrize("intercept", [True, False])
def test_every_solver_finds_the_minimum(solver, intercept):
    X, y = make()
    w = np.random.default_rng(1).uniform(0, 2, 100)
    model = Ridge(3.0, solver=solver, fit_intercept=intercept, tol=1e-12).fit(X, y, w)
    theirs = sklearn.linear_model.Ridge(3.0, solver="svd", fit_intercept=intercept)
    theirs.fit(X, y, w)
    np.testing.assert_allclose(model.coef_, theirs.coef_, rtol=1e-8)
    assert model.intercept_ == pytest.approx(theirs.intercept_, rel=1e-8)


@pytest.mark.course("S1-14")
def test_is_the_posterior_mean_under_a_gaussian_prior():
    X, y = make(30, 4)
    noise, prior = 0.7, 2.5
    model = Ridge.from_prior(noise, prior, fit_intercept=False).fit(X, y)
    precision = X.T @ X / noise + np.eye(4) / prior  # of the Gaussian posterior
    posterior_mean = np.linalg.solve(precision, X.T @ y / noise)
    np.testing.assert_allclose(model.coef_, posterior_mean, rtol=1e-10)
    assert model.alpha == pytest.approx(noise / prior)

    def log_posterior(b):
        return -((y - X @ b) ** 2).sum() / (2 * noise) - (b**2).sum() / (2 * prior)

    best = log_posterior(model.coef_)
    rng = np.random.default_rng(0)
    for _ in range(100):
        assert log_posterior(model.coef_ + 0.01 * rng.normal(size=4)) < best


@pytest.mark.course("S1-14")
def test_is_unique_with_more_columns_than_rows_and_tends_to_least_squares():
    X, y = make(6, 20)
    model = Ridge(0.5).fit(X, y)
    Xc, yc = X - X.mean(axis=0), y - y.mean()
    expected = np.linalg.solve(Xc.T @ Xc + 0.5 * np.eye(20), Xc.T @ yc)
    np.testing.assert_allclose(model.coef_, expected, rtol=1e-8)
    np.testing.assert_allclose(
        Ridge(1e-10).fit(X, y).coef_, LinearRegression().fit(X, y).coef_, rtol=1e-6
    )


@pytest.mark.course("S1-15")
@pytest.mark.parametrize("n", [1, 3, 6])
def test_the_ridge_repairs_the_conditioning(n):
    # eigenvalues 10^n and 10^-n of X'X: kappa is 10^{2n}, with alpha = 1 just 10^n
    X = np.diag([10 ** (n / 2), 10 ** (-n / 2)])
    y = np.array([1.0, 2.0])
    plain = Ridge(0.0, fit_intercept=False).fit(X, y)
    ridged = Ridge(1.0, fit_intercept=False).fit(X, y)
    assert plain.report_.condition == pytest.approx(10.0 ** (2 * n), rel=1e-6)
    assert ridged.report_.condition == pytest.approx(10.0**n, rel=1e-9)


def test_shrinks_towards_zero():
    X, y = make()
    sizes = [np.linalg.norm(Ridge(a).fit(X, y).coef_) for a in (0, 1, 10, 100, 1e4)]
    assert sizes == sorted(sizes, reverse=True)


def test_one_alpha_for_each_target():
    X, _ = make()
    Y = np.random.default_rng(0).normal(size=(100, 3))
    model = Ridge([0.1, 1.0, 10.0]).fit(X, Y)
    for j, alpha in enumerate([0.1, 1.0, 10.0]):
        one = Ridge(alpha).fit(X, Y[:, j])
        np.testing.assert_allclose(model.coef_[j], one.coef_, rtol=1e-9)
    with pytest.raises(DataError, match="one for each of the 3 targets"):
        Ridge([1.0, 2.0]).fit(X, Y)


def test_positive_and_sparse():
    X, y = make()
    ours = Ridge(2.0, positive=True).fit(X, y)
    theirs = sklearn.linear_model.Ridge(2.0, positive=True, tol=1e-12).fit(X, y)
    np.testing.assert_allclose(ours.coef_, theirs.coef_, atol=1e-6)
    S = sp.random(200, 5000, 0.01, format="csr", random_state=0)
    t = S @ np.random.default_rng(0).normal(size=5000) + 1
    sparse = Ridge(0.1, tol=1e-10).fit(S, t)
    dense = Ridge(0.1, solver="svd").fit(S.toarray(), t)
    np.testing.assert_allclose(sparse.coef_, dense.coef_, atol=1e-8)


def test_bad_parameters():
    X, y = make()
    with pytest.raises(ParameterError, match="Ridge: alpha must be a number >= 0"):
        Ridge(-1.0).fit(X, y)
    with pytest.raises(ParameterError, match="prior_variance must be above 0; got 0"):
        Ridge.from_prior(1.0, 0.0)
    with pytest.raises(ParameterError, match="solver must be one of 'auto'"):
        Ridge(solver="magic").fit(X, y)
