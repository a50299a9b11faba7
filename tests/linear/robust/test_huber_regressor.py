import warnings

import numpy as np
import pytest
import scipy.sparse as sp
import sklearn.linear_model
from scipy.optimize import minimize

from corollary import HuberRegressor, LinearRegression, Ridge, StopReason, engine
from corollary.core.errors import ParameterError


def make(n=300, d=5, seed=0, wild=0.05):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d)) * rng.uniform(0.1, 10, d) + 3
    y = X @ rng.normal(size=d) + rng.normal(size=n) + 1
    y[: int(wild * n)] += 100
    return X, y


def objective(theta, X, y, w, epsilon, alpha, intercept=True):
    b, c, sigma = theta[:-2], theta[-2] if intercept else 0.0, theta[-1]
    r = np.abs(X @ b + c - y)
    inner = r <= epsilon * sigma
    loss = np.where(inner, r**2 / sigma, 2 * epsilon * r - sigma * epsilon**2)
    return w @ (sigma + loss) + alpha * b @ b


def point(model):
    return np.concatenate([model.coef_, [model.intercept_, model.scale_]])


@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("epsilon", [1.1, 1.35, 3.0])
@pytest.mark.parametrize("alpha", [1e-4, 1.0, 50.0])
def test_agrees_with_scikit_learn(alpha, epsilon, intercept):
    X, y = make()
    w = np.random.default_rng(1).uniform(0.2, 2, len(y))
    how = {"alpha": alpha, "epsilon": epsilon, "fit_intercept": intercept}
    ours = HuberRegressor(**how, tol=1e-8).fit(X, y, w)
    theirs = sklearn.linear_model.HuberRegressor(**how, max_iter=10**5, tol=1e-6)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        theirs.fit(X, y, w)
    data = X, y, w, epsilon, alpha, intercept
    best, other = objective(point(ours), *data), objective(point(theirs), *data)
    assert best <= other * (1 + 1e-12)
    np.testing.assert_allclose(ours.coef_, theirs.coef_, rtol=2e-3, atol=2e-3)
    assert ours.report_.objective[-1] == pytest.approx(best, rel=1e-10)
    for rows in (sp.csr_array(X), X.astype(np.float32)):
        again = HuberRegressor(**how, tol=1e-8).fit(rows, y.astype(rows.dtype), w)
        np.testing.assert_allclose(again.coef_, ours.coef_, rtol=1e-3, atol=1e-4)


@pytest.mark.course("S2-17")
def test_no_point_around_is_lower_and_the_gap_bounds_the_distance():
    X, y = make(80, 3)
    data = X, y, np.ones(80), 1.35, 0.5
    model = HuberRegressor(alpha=0.5, tol=1e-10).fit(X, y)
    best, at = objective(point(model), *data), point(model)
    rng = np.random.default_rng(0)
    for size in (1e-1, 1e-3):
        for _ in range(100):
            other = at + size * rng.normal(size=5) * np.abs(at)
            if other[-1] > 0:
                assert objective(other, *data) >= best
    found = minimize(
        objective, at * 1.01, data, "Nelder-Mead", options={"maxiter": 300}
    )
    assert best <= found.fun + 1e-9
    assert model.report_.optimality.kind == "duality gap"
    assert model.report_.optimality.value < 1e-9 * best
    for passes in (3, 6, 9, 12):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            rough = HuberRegressor(alpha=0.5, max_iter=passes).fit(X, y)
        above = objective(point(rough), *data) - best
        assert -1e-9 <= above <= rough.report_.optimality.value + 1e-9


def test_the_scale_and_the_pulls_meet_their_equations():
    X, y = make()
    model = HuberRegressor(alpha=0.0, tol=1e-9).fit(X, y)
    z = (X @ model.coef_ + model.intercept_ - y) / model.scale_
    t = np.clip(z, -1.35, 1.35)
    assert (t**2).mean() == pytest.approx(1.0, abs=1e-9)  # (3)
    np.testing.assert_allclose(np.c_[X, np.ones(len(y))].T @ t, 0.0, atol=1e-6)  # (2)
    np.testing.assert_array_equal(model.outliers_, np.abs(z) > 1.35)
    assert model.report_.facts["n_outliers"] == model.outliers_.sum() >= 15
    assert model.report_.facts["noise_scale"] == pytest.approx(model.scale_)


@pytest.mark.course("S2-17")
def test_becomes_least_squares_as_epsilon_grows():
    X, y = make()
    plain, last = LinearRegression().fit(X, y), np.inf
    for epsilon in (1.35, 3.0, 6.0, 1e3):
        model = HuberRegressor(epsilon=epsilon, alpha=0.0, tol=1e-9).fit(X, y)
        distance = np.abs(model.predict(X) - plain.predict(X)).max()
        assert distance < last or distance < 1e-9
        last = distance
    np.testing.assert_allclose(model.coef_, plain.coef_, rtol=1e-8)
    residual = y - plain.predict(X)
    assert model.scale_ == pytest.approx(np.sqrt((residual**2).mean()))
    sigma = model.scale_
    ridged = HuberRegressor(epsilon=1e3, alpha=2.0, tol=1e-9).fit(X, y)
    ridge = Ridge(2.0 * ridged.scale_).fit(X, y)
    np.testing.assert_allclose(ridged.coef_, ridge.coef_, rtol=1e-6)
    assert ridged.scale_ >= sigma


def test_wild_rows_do_not_turn_it():
    X, y = make(wild=0.0)
    clean = HuberRegressor().fit(X, y)
    y[:15] += 1e6
    wild = HuberRegressor().fit(X, y)
    assert np.abs(wild.coef_ - clean.coef_).max() < 0.1
    assert np.abs(LinearRegression().fit(X, y).coef_ - clean.coef_).max() > 10
    assert wild.outliers_[:15].all()


def test_units_of_x_and_y_do_not_matter():
    X, y = make()
    model = HuberRegressor(alpha=0.0).fit(X, y)
    scale = 2.0 ** np.array([20, -30, 0, 7, -3])
    other = HuberRegressor(alpha=0.0).fit(X * scale, 2.0**40 * y)
    np.testing.assert_allclose(other.coef_ * scale / 2.0**40, model.coef_, rtol=1e-6)
    np.testing.assert_array_equal(other.outliers_, model.outliers_)


def test_a_warm_start_that_is_the_end_takes_no_step():
    X, y = make()
    model = HuberRegressor(warm_start=True).fit(X, y)
    assert model.n_iter_ > 0
    before = model.coef_
    assert model.fit(X, y).n_iter_ == 0
    np.testing.assert_allclose(model.coef_, before)


def test_many_columns_files_and_weights_of_zero(tmp_path):
    X, y = make(2000, 600)
    model = HuberRegressor().fit(X, y)
    assert model.report_.stop is StopReason.CONVERGED
    assert "variances" in model.report_.facts["solver"]
    assert model.report_.optimality.relative < 1e-6
    w = np.r_[np.zeros(5), np.ones(295)]
    X, y = make()
    part = HuberRegressor().fit(X, y, w)
    assert part.outliers_.shape == (300,)
    assert not part.outliers_[:5].any()
    np.testing.assert_allclose(part.coef_, HuberRegressor().fit(X[5:], y[5:]).coef_)
    chunks = engine.ChunkSource(lambda: iter([(X[:100], y[:100]), (X[100:], y[100:])]))
    streamed = HuberRegressor().fit(chunks)
    np.testing.assert_allclose(streamed.coef_, HuberRegressor().fit(X, y).coef_)
    assert not hasattr(streamed, "outliers_")


def test_an_exact_fit_has_no_noise():
    X, _ = make(wild=0.0)
    model = HuberRegressor(alpha=0.0).fit(X, X @ np.arange(1.0, 6.0) + 2)
    np.testing.assert_allclose(model.coef_, np.arange(1.0, 6.0), rtol=1e-6)
    assert model.scale_ < 1e-6
    flat = HuberRegressor().fit(X, np.full(300, 7.0))
    assert flat.intercept_ == pytest.approx(7.0)


def test_bad_parameters():
    X, y = make()
    with pytest.raises(ParameterError, match="epsilon must be a number >= 1"):
        HuberRegressor(epsilon=0.5).fit(X, y)
