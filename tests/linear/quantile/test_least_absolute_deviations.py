"""Least absolute deviations: medians, robustness, corners, several minimisers."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from corollary import LeastAbsoluteDeviations, LinearRegression, QuantileRegressor
from corollary.core.errors import ParameterError

SOLVERS = ["highs", "interior-point"]


@pytest.mark.course("S2-17")
@given(seed=st.integers(0, 10**6))
@settings(max_examples=15, deadline=None)
def test_a_constant_model_is_the_median(seed):
    y = np.random.default_rng(seed).normal(size=15)
    for solver in SOLVERS:
        model = LeastAbsoluteDeviations(fit_intercept=False, solver=solver)
        model.fit(np.ones((15, 1)), y)
        np.testing.assert_allclose(model.coef_[0], np.median(y), rtol=1e-12)


@pytest.mark.parametrize("solver", SOLVERS)
def test_outliers_in_y_do_not_move_the_line(solver):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(100, 2))
    y = X @ [1.0, -2.0] + 0.5 + 0.1 * rng.normal(size=100)
    model = LeastAbsoluteDeviations(solver=solver).fit(X, y)
    wild = y.copy()
    above = y > model.predict(X) + 1e-6
    wild[above] += 1e6 * rng.random(above.sum())  # on the same side of the plane
    again = LeastAbsoluteDeviations(solver=solver).fit(X, wild)
    np.testing.assert_allclose(again.coef_, model.coef_, rtol=1e-8)
    assert np.abs(LinearRegression().fit(X, wild).coef_ - [1, -2]).max() > 1e4


@pytest.mark.parametrize("solver", SOLVERS)
def test_it_is_twice_the_pinball_loss_and_goes_through_rows(solver):
    rng = np.random.default_rng(1)
    X = rng.normal(size=(60, 3))
    y = X.sum(axis=1) + rng.standard_cauchy(size=60)
    model = LeastAbsoluteDeviations(solver=solver).fit(X, y)
    r = y - model.predict(X)
    np.testing.assert_allclose(
        model.report_.objective[-1], np.abs(r).mean(), rtol=1e-10
    )
    assert (np.abs(r) < 1e-9).sum() == 4
    half = QuantileRegressor(alpha=0, solver=solver).fit(X, y)
    np.testing.assert_allclose(half.coef_, model.coef_, rtol=1e-9)
    assert model.report_.facts["minimizers"] == "one"
    assert model.minimizers_.shape == (1, 4)


def test_several_minimisers_are_reported():
    X, y = np.ones((4, 1)), np.array([1.0, 2.0, 5.0, 7.0])  # the median is [2, 5]
    model = LeastAbsoluteDeviations(fit_intercept=False).fit(X, y)
    assert model.report_.facts["minimizers"] == "several"
    assert "the same loss" in model.report_.warnings[0]
    ends = np.sort(model.minimizers_[:, 1])
    losses = [np.abs(y - b).mean() for b in ends]
    np.testing.assert_allclose(losses, np.abs(y - 3).mean(), rtol=1e-6)
    np.testing.assert_allclose(ends, [2, 5], rtol=1e-6)


def test_a_perfect_fit():
    X = np.arange(12.0).reshape(6, 2) ** 2
    y = X @ [2.0, -1.0] + 3
    for solver in SOLVERS:
        model = LeastAbsoluteDeviations(solver=solver).fit(X, y)
        np.testing.assert_allclose(model.predict(X), y, rtol=1e-9)


def test_bad_parameters_get_a_sentence():
    with pytest.raises(ParameterError, match="solver must be one of"):
        LeastAbsoluteDeviations(solver="irls").fit([[0.0], [1.0]], [0.0, 1.0])
