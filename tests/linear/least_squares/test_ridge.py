import numpy as np
import pytest
import scipy.sparse as sp
import sklearn.linear_model

from corollary import GradientDescentRegressor, LinearRegression, Ridge
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


@pytest.mark.course("S1-14")
@pytest.mark.parametrize("solver", ["svd", "cholesky", "sparse_cg"])
def test_is_the_posterior_mode_with_a_prior_for_each_coefficient(solver):
    X, y = make(40, 5)
    noise, prior = 0.7, np.array([0.1, 1.0, 5.0, 0.01, 100.0])
    model = Ridge.from_prior(
        noise, prior, fit_intercept=False, solver=solver, tol=1e-13
    ).fit(X, y)
    precision = X.T @ X / noise + np.diag(1 / prior)
    np.testing.assert_allclose(
        model.coef_, np.linalg.solve(precision, X.T @ y / noise), rtol=1e-8
    )
    again = Ridge(noise, penalty_weights=1 / prior, solver=solver, tol=1e-13)
    again.fit(X, y)
    Xc, yc = X - X.mean(axis=0), y - y.mean()
    expected = np.linalg.solve(Xc.T @ Xc + noise * np.diag(1 / prior), Xc.T @ yc)
    np.testing.assert_allclose(again.coef_, expected, rtol=1e-8)


@pytest.mark.parametrize("solver", ["svd", "cholesky"])
def test_a_penalty_weight_of_zero_leaves_a_coefficient_free(solver):
    X, y = make(40, 3)
    model = Ridge(1e9, penalty_weights=[1.0, 0.0, 1.0], solver=solver).fit(X, y)
    alone = LinearRegression().fit(X[:, [1]], y)
    np.testing.assert_allclose(model.coef_, [0.0, alone.coef_[0], 0.0], atol=1e-6)


def test_the_table_of_a_weighted_penalty_is_that_of_rescaled_columns():
    X, y = make(60, 3)
    p = np.array([0.5, 2.0, 8.0])
    ours = Ridge(1.5, penalty_weights=p).fit(X, y).summary()
    scaled = Ridge(1.5).fit(X / np.sqrt(p), y).summary()
    assert ours.parameters == pytest.approx(scaled.parameters, rel=1e-10)
    np.testing.assert_allclose(
        ours.standard_errors[1:], scaled.standard_errors[1:] / np.sqrt(p), rtol=1e-9
    )
    with pytest.raises(ParameterError, match="no penalty on b0; got penal"):
        Ridge(penalize_intercept=True).fit(X, y).summary()


@pytest.mark.course("S3-94")
@pytest.mark.parametrize("solver", ["svd", "cholesky", "sparse_cg"])
@pytest.mark.parametrize("sparse", [False, True])
def test_the_intercept_can_be_penalised_too(solver, sparse):
    X, y = make(50, 4)
    X, y = np.round(X), y + 7
    w = np.random.default_rng(3).uniform(0.5, 2, 50)
    A = np.column_stack([np.ones(50), X])
    expected = np.linalg.solve(A.T * w @ A + 10 * np.eye(5), A.T * w @ y)
    model = Ridge(10.0, penalize_intercept=True, solver=solver, tol=1e-13)
    model.fit(sp.csr_matrix(X) if sparse else X, y, w)
    np.testing.assert_allclose(
        np.append(model.intercept_, model.coef_), expected, rtol=1e-9
    )
    if solver != "sparse_cg":
        J = (w * (y - A @ expected) ** 2).sum() + 10 * (expected**2).sum()
        assert model.report_.objective[-1] == pytest.approx(J, rel=1e-9)


@pytest.mark.course("S3-94")
def test_what_the_penalty_on_the_intercept_does_to_a_line():
    # three points, penalties 1 and 10, with and without the intercept: the four plots
    # of the exercise.  Free, the line passes through the mean whatever the penalty is;
    # penalised, it is drawn to 0.
    X, y = np.array([[-1.0], [0.0], [1.0]]), np.array([1.0, 2.0, 3.0])
    free = [Ridge(a).fit(X, y) for a in (1, 10)]
    held = [Ridge(a, penalize_intercept=True).fit(X, y) for a in (1, 10)]
    assert [m.intercept_ for m in free] == pytest.approx([2.0, 2.0])
    assert [m.intercept_ for m in held] == pytest.approx([6 / 4, 6 / 13])
    slopes = [m.coef_[0] for m in (*free, *held)]
    assert slopes == pytest.approx([2 / 3, 2 / 12, 2 / 3, 2 / 12])
    # a shift of y shifts the free line and nothing else
    moved = Ridge(10).fit(X, y + 100)
    assert moved.coef_ == pytest.approx(free[1].coef_)
    assert moved.intercept_ == pytest.approx(102)
    moved = Ridge(10, penalize_intercept=True).fit(X, y + 100)
    assert moved.intercept_ == pytest.approx(306 / 13)


def test_a_penalised_intercept_may_be_negative_where_coefficients_may_not():
    X, y = np.array([[-1.0], [0.0], [1.0]]), np.array([-1.0, -2.0, -3.0])
    model = Ridge(1.0, penalize_intercept=True, positive=True).fit(X, y)
    assert model.coef_[0] == 0
    assert model.intercept_ == pytest.approx(-6 / 4)


@pytest.mark.course("S4-61")
@pytest.mark.parametrize("n", [5, 50])
def test_closed_form_with_the_intercept_spared_and_descent_agree(n):
    X, y = make(n, 6)  # also with fewer rows than columns: the matrix is regular
    lam = 3.0
    A = np.column_stack([np.ones(n), X])
    spared = np.diag([0.0] + 6 * [1.0])  # I*
    theta = np.linalg.solve(A.T @ A + lam * spared, A.T @ y)
    ridge = Ridge(lam).fit(X, y)
    np.testing.assert_allclose(
        np.append(ridge.intercept_, ridge.coef_), theta, rtol=1e-8
    )
    descent = GradientDescentRegressor(alpha=lam, tol=1e-11, max_iter=50000).fit(X, y)
    np.testing.assert_allclose(
        np.append(descent.intercept_, descent.coef_), theta, rtol=1e-6, atol=1e-8
    )
    J = (((y - A @ theta) ** 2).sum() + lam * (theta[1:] ** 2).sum()) / (2 * n)
    assert descent.report_.objective[-1] == pytest.approx(J, rel=1e-9)


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


@pytest.mark.parametrize("solver", ["svd", "cholesky", "lsqr", "saga"])
def test_a_solver_that_cannot_bound_coefficients_says_so(solver):
    X, y = make()
    with pytest.raises(ParameterError, match=f"'{solver}' does not support positive"):
        Ridge(positive=True, solver=solver).fit(X, y)
    assert (Ridge(positive=True, solver="lbfgs").fit(X, y).coef_ >= 0).all()


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
    with pytest.raises(ParameterError, match="prior_variance must be above 0; got -1"):
        Ridge.from_prior(1.0, [1.0, -1.0])
    with pytest.raises(DataError, match="one number for each of the 5 columns; got"):
        Ridge(penalty_weights=[1.0, 2.0]).fit(X, y)
    with pytest.raises(ParameterError, match="penalty_weights must be >= 0; got -2"):
        Ridge(penalty_weights=[1.0, -2.0]).fit(X, y)
    with pytest.raises(ParameterError, match="solver must be one of 'auto'"):
        Ridge(solver="magic").fit(X, y)
