import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import corollary
from corollary import LinearRegression, LocallyWeightedRegression
from corollary.core.errors import DataError, ParameterError


def make(n=40, d=2, m=None, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.uniform(-2, 2, size=(n, d))
    noise = 0.1 * rng.normal(size=(n,) if m is None else (n, m))
    y = np.sin(2 * X).sum(axis=1)
    return X, (y if m is None else np.outer(y, np.arange(1, m + 1))) + noise


@pytest.mark.course("S4-8")
def test_is_the_weighted_normal_equation_at_every_query():
    X, y = make()
    model = LocallyWeightedRegression(tau=0.6).fit(X, y)
    new = make(9, seed=1)[0]
    A = np.column_stack([np.ones(40), X])
    for x, found in zip(new, model.predict(new), strict=True):
        w = np.exp(-((X - x) ** 2).sum(axis=1) / (2 * 0.6**2))
        theta = np.linalg.solve(A.T * w @ A, A.T * w @ y)
        assert found == pytest.approx(theta @ np.append(1.0, x), rel=1e-9)


@pytest.mark.course("S4-8")
@pytest.mark.parametrize("weights", ["gaussian", "tricube", "epanechnikov", "uniform"])
def test_a_wide_bandwidth_is_least_squares(weights):
    X, y = make()
    model = LocallyWeightedRegression(tau=1e6, weights=weights).fit(X, y)
    line = LinearRegression().fit(X, y)
    np.testing.assert_allclose(model.predict(X), line.predict(X), rtol=1e-8)
    assert model.df_ == pytest.approx(3)  # the columns of [1 X]
    mean = LocallyWeightedRegression(tau=1e6, degree=0, weights=weights).fit(X, y)
    np.testing.assert_allclose(mean.predict(X), y.mean())
    assert mean.df_ == pytest.approx(1)
    parabola = LocallyWeightedRegression(tau=1e4, degree=2, weights=weights).fit(X, y)
    products = np.column_stack([X, X**2, X[:, 0] * X[:, 1]])
    line = LinearRegression().fit(products, y)
    np.testing.assert_allclose(parabola.predict(X), line.predict(products), atol=1e-6)
    assert parabola.df_ == pytest.approx(6)


@pytest.mark.parametrize("degree", [0, 1, 2])
def test_reproduces_polynomials_of_its_degree(degree):
    X = make(50)[0]
    y = 3.0 + (degree > 0) * (X @ [1.0, -2.0]) + (degree > 1) * X[:, 0] * X[:, 1]
    model = LocallyWeightedRegression(tau=0.8, degree=degree).fit(X, y)
    np.testing.assert_allclose(model.predict(X), y, rtol=1e-7)
    np.testing.assert_allclose(model.smoother(X).sum(axis=1), 1.0)


@pytest.mark.course("S4-8")
@pytest.mark.parametrize("degree", [0, 1])
@pytest.mark.parametrize("weights", ["gaussian", "tricube"])
def test_leave_one_out_is_exact_and_df_is_the_trace(degree, weights):
    X, y = make(25)
    w = np.random.default_rng(2).uniform(0.5, 2, 25)
    options = {"tau": 3.0, "degree": degree, "weights": weights}
    model = LocallyWeightedRegression(**options).fit(X, y, w)
    errors = []
    for i in range(25):
        rest = np.arange(25) != i
        one = LocallyWeightedRegression(**options).fit(X[rest], y[rest], w[rest])
        errors.append(y[i] - one.predict(X[[i]])[0])
    assert model.loo_ == pytest.approx(np.average(np.square(errors), weights=w))
    L = model.smoother(X)
    assert model.df_ == pytest.approx(np.trace(L))
    np.testing.assert_allclose(L @ y, model.predict(X), rtol=1e-10)


@pytest.mark.course("S4-8")
def test_chooses_the_bandwidth_by_leave_one_out():
    X, y = make(150, 1)
    model = LocallyWeightedRegression(tau="loo").fit(X, y)
    assert model.tau_ == model.taus_[np.argmin(model.loo_path_)]
    assert model.loo_ == model.loo_path_.min()
    assert model.taus_[0] < model.tau_ < model.taus_[-1]
    new, truth = make(500, 1, seed=5)[0], None
    truth = np.sin(2 * new[:, 0])
    assert np.abs(model.predict(new) - truth).mean() < 0.05
    line = LinearRegression().fit(X, y)
    assert np.abs(line.predict(new) - truth).mean() > 0.3
    tried = LocallyWeightedRegression(tau="loo", taus=[5.0, 0.2]).fit(X, y)
    assert tried.tau_ == 0.2


def test_weights_are_repetition_and_targets_are_independent():
    X, Y = make(30, 2, m=2)
    times = np.random.default_rng(3).integers(0, 3, 30)
    a = LocallyWeightedRegression(0.9).fit(X, Y, times)
    b = LocallyWeightedRegression(0.9).fit(
        np.repeat(X, times, axis=0), np.repeat(Y, times, axis=0)
    )
    np.testing.assert_allclose(a.predict(X), b.predict(X), rtol=1e-8)
    single = LocallyWeightedRegression(0.9).fit(X, Y[:, 1], times)
    np.testing.assert_allclose(single.predict(X), a.predict(X)[:, 1], rtol=1e-10)


@pytest.mark.parametrize("weights", ["gaussian", "tricube", "epanechnikov", "uniform"])
@pytest.mark.parametrize("degree", [0, 1, 2])
def test_far_queries_and_narrow_bandwidths_stay_finite(weights, degree):
    X, y = make(20)
    model = LocallyWeightedRegression(1e-3, degree=degree, weights=weights).fit(X, y)
    np.testing.assert_allclose(model.predict(X), y, atol=1e-6)  # only itself in reach
    assert model.loo_ == np.inf
    far = model.predict(np.array([[1e3, 1e3], [-1e5, 0.0]]))
    assert np.isfinite(far).all()
    assert (np.abs(far) < 10).all()


@given(seed=st.integers(0, 2**31), n=st.integers(1, 12), tau=st.floats(1e-4, 1e4))
@settings(max_examples=40, deadline=None)
def test_few_rows_and_any_bandwidth_give_finite_predictions(seed, n, tau):
    X, y = make(n, 2, seed=seed)
    X[n // 2 :] = X[0]  # repeated rows
    model = LocallyWeightedRegression(tau).fit(X, y)
    assert np.isfinite(model.predict(X)).all()
    assert np.isfinite(model.predict(X + 50)).all()


def test_blocks_change_nothing(monkeypatch):
    X, y = make(30)
    model = LocallyWeightedRegression(0.5).fit(X, y)
    whole = model.predict(X)
    monkeypatch.setattr(
        "corollary.linear.least_squares.locally_weighted_regression.BLOCK", 200
    )
    np.testing.assert_allclose(model.predict(X), whole, rtol=1e-13)


def test_saved_and_loaded(tmp_path):
    X, y = make(30)
    model = LocallyWeightedRegression("loo").fit(X, y)
    corollary.save(model, tmp_path / "model")
    again = corollary.load(tmp_path / "model")
    np.testing.assert_array_equal(again.predict(X), model.predict(X))
    assert "rows kept" in str(again.report_)


def test_bad_input():
    X, y = make()
    with pytest.raises(ParameterError, match="tau must be a number > 0 or 'loo'; got"):
        LocallyWeightedRegression(0.0).fit(X, y)
    with pytest.raises(ParameterError, match="degree must be a whole number in"):
        LocallyWeightedRegression(degree=3).fit(X, y)
    with pytest.raises(ParameterError, match="taus must be > 0; got -1"):
        LocallyWeightedRegression("loo", taus=[1.0, -1.0]).fit(X, y)
    with pytest.raises(ParameterError, match="taus must hold at least one bandwidth"):
        LocallyWeightedRegression("loo", taus=[]).fit(X, y)
    with pytest.raises(DataError, match="at least one sample_weight must be above 0"):
        LocallyWeightedRegression().fit(X, y, np.zeros(40))
