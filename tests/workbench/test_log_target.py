"""Logarithms of targets: what multiplies adds up, and means stay means."""

import numpy as np
import pytest
from workbench.test_trials import folded

import corollary
from corollary import DecisionTreeRegressor, LinearRegression, RidgeCV
from corollary.core.errors import DataError, ModelFileError
from corollary.workbench.ladder import amounts, base
from corollary.workbench.log_target import LogTarget
from corollary.workbench.trials import attempt


def prices(rng, n=4_000, sigma=0.6):
    """Prices that areas and rooms multiply, with errors in proportion."""
    X = rng.normal(size=(n, 2))
    mean = np.exp(5 + 0.5 * X[:, 0] - 0.3 * X[:, 1])
    return X, mean * np.exp(sigma * rng.normal(size=n) - sigma**2 / 2), mean


@pytest.mark.course("S3-112")
def test_effects_that_multiply_are_found_and_the_mean_is_not_too_low(rng):
    X, y, mean = prices(rng)
    model = LogTarget(LinearRegression()).fit(X, y)
    slopes = model.regressor_.coef_ * model.scale_
    np.testing.assert_allclose(slopes, [0.5, -0.3], atol=0.05)
    ratio = model.predict(X) / mean  # without (2) it would be exp(-0.18) = 0.84
    assert ratio.mean() == pytest.approx(1.0, abs=0.05)


def test_amounts_of_the_training_rows_add_up(rng):
    X, y, _ = prices(rng, 300)
    y[:40] = 0.0
    model = LogTarget(DecisionTreeRegressor(max_leaf_nodes=5)).fit(X, y)
    assert model.shift_ == y[y > 0].min()
    assert model.predict(X).sum() == pytest.approx(y.sum())


def test_far_rows_are_not_thrown_beyond_measure(rng):
    X, y, _ = prices(rng, 300)
    model = LogTarget(LinearRegression()).fit(X, y)
    far = model.predict([[1e3, 0.0], [-1e3, 0.0]])
    t = np.log(y)
    ends = model.factor_ * np.exp([t.max() + t.std(), t.min() - t.std()])
    np.testing.assert_allclose(far, ends)


def test_prices_are_foretold_better_by_their_logarithm(rng):
    X, y, _ = prices(rng, 500, 0.2)
    rows, metric = folded({"a": X[:, 0], "b": X[:, 1], "price": y}, "price")
    rungs = {one.name: one for one in (*base("regression"), *amounts(y))}
    plain, logged = (
        attempt(rungs[name], rows, metric).loss
        for name in ("ridge regression", "ridge regression of the logarithm")
    )
    assert logged < 0.7 * plain


@pytest.mark.parametrize("y", [[1.0, -1.0, 2.0], [0.0, 0.0, 0.0]])
def test_targets_without_a_logarithm_are_refused(y):
    with pytest.raises(DataError, match="0 or more"):
        LogTarget(LinearRegression()).fit(np.ones((3, 1)), y)


@pytest.mark.parametrize("forged", [np.nan, 1e400, "x"])
def test_a_file_gives_the_same_answers_and_a_forged_one_is_refused(
    forged, tmp_path, rng
):
    X, y, _ = prices(rng, 100)
    model = LogTarget(RidgeCV()).fit(X, y)
    corollary.save(model, tmp_path / "good")
    again = corollary.load(tmp_path / "good")
    np.testing.assert_array_equal(again.predict(X), model.predict(X))
    model.factor_ = forged
    corollary.save(model, tmp_path / "forged")
    with pytest.raises(ModelFileError):
        corollary.load(tmp_path / "forged")
