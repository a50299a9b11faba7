"""Theil-Sen: medians of all lines, scikit-learn's answers, and the breakdown point."""

from itertools import combinations

import numpy as np
import pytest
import sklearn.linear_model
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import theilslopes

import corollary
from corollary import LinearRegression, StopReason, TheilSenRegressor
from corollary.core.errors import MemoryLimitError, ParameterError
from corollary.linear.robust import theil_sen_regressor
from corollary.solvers import spatial_median as solver


def rows(n=40, d=1, seed=0, noise=0.1):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    y = X @ np.arange(1.0, d + 1) + 2 + noise * rng.normal(size=n)
    return X, y


@pytest.mark.parametrize("d", [1, 2, 3])
@pytest.mark.parametrize("intercept", [True, False])
def test_all_subsets_give_what_scikit_learn_finds(d, intercept):
    X, y = rows(n=14, d=d)
    y[:3] += 30
    options = {"fit_intercept": intercept, "max_subpopulation": 1e5}
    ours = TheilSenRegressor(tol=1e-7, **options).fit(X, y)
    theirs = sklearn.linear_model.TheilSenRegressor(
        tol=1e-9, max_iter=20_000, **options
    ).fit(X, y)
    np.testing.assert_allclose(ours.coef_, theirs.coef_, rtol=1e-4, atol=1e-6)
    np.testing.assert_allclose(ours.intercept_, theirs.intercept_, rtol=1e-4)
    assert ours.breakdown_ == pytest.approx(theirs.breakdown_)
    assert ours.n_subpopulation_ == theirs.n_subpopulation_


def test_without_an_intercept_one_feature_has_the_median_of_the_ratios():
    X, y = rows(n=31)
    model = TheilSenRegressor(fit_intercept=False).fit(X, y)
    assert model.coef_[0] == pytest.approx(np.median(y / X[:, 0]))


def test_slopes_are_near_sens():
    X, y = rows(n=60)
    y[:12] -= 40
    model = TheilSenRegressor(max_subpopulation=1e5).fit(X, y)
    assert model.coef_[0] == pytest.approx(theilslopes(y, X[:, 0]).slope, abs=0.1)


def test_no_rows_up_to_the_breakdown_carry_it_away():
    n = 100
    X, y = rows(n)
    clean = TheilSenRegressor(max_subpopulation=1e5).fit(X, y)
    assert clean.breakdown_ == pytest.approx(1 - 0.5**0.5, abs=0.01)
    wild = int(clean.breakdown_ * n) - 1
    assert wild / n >= 0.27
    for far in (1e3, 1e9):
        bad_X, bad_y = X.copy(), y.copy()
        bad_X[:wild], bad_y[:wild] = far, -far
        model = TheilSenRegressor(max_subpopulation=1e5).fit(bad_X, bad_y)
        assert abs(model.coef_[0] - clean.coef_[0]) < 1
        assert abs(LinearRegression().fit(bad_X, bad_y).coef_[0] - 1) > 1.5
    bad_X, bad_y = X.copy(), y.copy()
    bad_X[:60], bad_y[:60] = np.linspace(0, 1, 60)[:, None], np.linspace(0, -1e6, 60)
    broken = TheilSenRegressor(max_subpopulation=1e5).fit(bad_X, bad_y)
    assert abs(broken.coef_[0] - clean.coef_[0]) > 1e3


def test_fits_move_with_the_target():
    X, y = rows(n=25, d=2, seed=4)
    options = {"tol": 1e-7, "max_subpopulation": 1e5}
    first = TheilSenRegressor(**options).fit(X, y)
    a = np.array([3.0, -1.0])
    moved = TheilSenRegressor(**options).fit(X, -5 * y + X @ a + 7)
    np.testing.assert_allclose(moved.coef_, -5 * first.coef_ + a, rtol=1e-5)
    np.testing.assert_allclose(moved.intercept_, -5 * first.intercept_ + 7, rtol=1e-5)
    tiny = TheilSenRegressor(**options).fit(X, 1e-12 * y)
    np.testing.assert_allclose(tiny.coef_, 1e-12 * first.coef_, rtol=1e-5)


def test_all_rows_in_a_subset_are_least_squares():
    X, y = rows(n=20, d=3)
    model = TheilSenRegressor(n_subsamples=20).fit(X, y)
    same = LinearRegression().fit(X, y)
    np.testing.assert_allclose(model.coef_, same.coef_, rtol=1e-9)
    np.testing.assert_allclose(model.intercept_, same.intercept_, rtol=1e-9)
    assert model.breakdown_ == pytest.approx(
        sklearn.linear_model.TheilSenRegressor(n_subsamples=20).fit(X, y).breakdown_
    )


@given(w=st.lists(st.integers(0, 3), min_size=12, max_size=12))
@settings(max_examples=30, deadline=None)
def test_a_weight_is_a_repetition(w):
    w = np.array(w)
    if (w > 0).sum() < 3:
        w[:3] = 1
    X, y = rows(n=12)
    weighted = TheilSenRegressor(tol=1e-7).fit(X, y, sample_weight=w)
    repeated = TheilSenRegressor(tol=1e-7).fit(np.repeat(X, w, 0), np.repeat(y, w))
    np.testing.assert_allclose(weighted.coef_, repeated.coef_, rtol=1e-9)


def test_a_subset_counts_as_often_as_its_rows_can_be_picked():
    X, y = rows(n=31)
    w = np.random.default_rng(0).integers(1, 5, size=31)
    model = TheilSenRegressor(fit_intercept=False).fit(X, y, sample_weight=w)
    assert model.coef_[0] == pytest.approx(np.median(np.repeat(y / X[:, 0], w)))
    heavy = np.ones(31)
    heavy[[3, 8]] = 1e6
    line = TheilSenRegressor(tol=1e-7).fit(X, y, sample_weight=heavy)
    slope = (y[8] - y[3]) / (X[8, 0] - X[3, 0])
    assert line.coef_[0] == pytest.approx(slope)


def test_the_report_holds_the_gap_of_the_median():
    X, y = rows(n=15, d=2)
    model = TheilSenRegressor(tol=1e-4).fit(X, y)
    report = model.report_
    assert report.stop is StopReason.CONVERGED
    assert report.facts["breakdown"] == model.breakdown_
    assert report.facts["n_subsets"] == 455
    A = np.column_stack([np.ones(15), X])
    fits = [
        np.linalg.lstsq(A[list(s)], y[list(s)], rcond=None)[0]
        for s in combinations(range(15), 3)
    ]

    def mean_distance(b):
        return np.linalg.norm(np.array(fits) - b, axis=1).mean()

    b = np.r_[model.intercept_, model.coef_]
    assert report.objective[-1] == pytest.approx(mean_distance(b))
    best = np.r_[
        (exact := TheilSenRegressor(tol=1e-9).fit(X, y)).intercept_, exact.coef_
    ]
    gap = mean_distance(b) - mean_distance(best)
    assert gap <= report.optimality.value * (1 + 1e-6) + 1e-12
    assert report.optimality.value <= 1e-8 * report.objective[-1] * (1 + 1e-6)


def test_too_few_steps_are_told():
    X, y = rows(n=15, d=3)
    y[:4] += 100
    with pytest.warns(sklearn.exceptions.ConvergenceWarning, match="duality gap"):
        model = TheilSenRegressor(max_iter=1, tol=1e-9).fit(X, y)
    assert model.report_.stop is StopReason.MAX_PASSES


def test_ctrl_c_keeps_the_point_so_far(monkeypatch):
    X, y = rows(n=15, d=3)
    y[:4] += 100
    calls, newton = 0, solver.newton

    def pressed(m, here):
        nonlocal calls
        calls += 1
        if calls == 3:
            raise KeyboardInterrupt
        return newton(m, here)

    monkeypatch.setattr(solver, "newton", pressed)
    model = TheilSenRegressor(tol=1e-9)
    with pytest.raises(KeyboardInterrupt):
        model.fit(X, y)
    assert model.report_.stop is StopReason.INTERRUPTED
    assert model.n_iter_ == 2
    monkeypatch.setattr(solver, "newton", newton)
    with pytest.warns(sklearn.exceptions.ConvergenceWarning):
        same = TheilSenRegressor(max_iter=2, tol=1e-9).fit(X, y)
    np.testing.assert_array_equal(model.coef_, same.coef_)


def test_rows_of_one_x_do_no_harm():
    X, y = rows(n=20)
    X[:5] = X[0]
    model = TheilSenRegressor().fit(X, y)
    theirs = sklearn.linear_model.TheilSenRegressor(tol=1e-9, max_iter=9999).fit(X, y)
    np.testing.assert_allclose(model.coef_, theirs.coef_, atol=1e-3)


def test_drawn_subsets_are_near_all_of_them():
    X, y = rows(n=120, d=2, noise=0.3)
    every = TheilSenRegressor(max_subpopulation=1e6).fit(X, y)
    some = TheilSenRegressor(max_subpopulation=5000, random_state=0).fit(X, y)
    assert every.n_subpopulation_ == 280_840
    assert some.n_subpopulation_ == 5000
    np.testing.assert_allclose(some.coef_, every.coef_, atol=0.03)
    again = TheilSenRegressor(max_subpopulation=5000, random_state=0).fit(X, y)
    np.testing.assert_array_equal(again.coef_, some.coef_)


def test_what_cannot_be_is_told():
    X, y = rows(n=10, d=2)
    with pytest.raises(ParameterError, match="at least the number of coefficients = 3"):
        TheilSenRegressor(n_subsamples=2).fit(X, y)
    with pytest.raises(ParameterError, match="at most the number of rows = 10; got 11"):
        TheilSenRegressor(n_subsamples=11).fit(X, y)
    X, y = rows(n=1000, d=3)
    with pytest.raises(MemoryLimitError), corollary.config_context(memory_limit=2**24):
        TheilSenRegressor(max_subpopulation=1e9).fit(X, y)


def test_a_model_survives_its_file(tmp_path):
    X, y = rows(n=20, d=2)
    model = TheilSenRegressor(random_state=0).fit(X, y)
    corollary.save(model, tmp_path / "model")
    again = corollary.load(tmp_path / "model")
    np.testing.assert_array_equal(again.predict(X), model.predict(X))
    assert theil_sen_regressor.breakdown(20, 3) == again.breakdown_
