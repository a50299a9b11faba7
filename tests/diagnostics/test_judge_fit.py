"""Bias and variance as parts of an excess loss: half of the gap is what rows cost."""

import numpy as np
import pytest
from threadpoolctl import threadpool_limits

from corollary import KNeighborsRegressor, LinearRegression, Ridge
from corollary.diagnostics.judged_loss import judged_loss
from corollary.diagnostics.out_of_fold import folds_of, out_of_fold
from corollary.diagnostics.references import best_reference
from corollary.diagnostics.variants import longer, looser, scaled, stiffer


@pytest.fixture(autouse=True)
def one_thread():
    """Small matrices are faster without threads, above all on a busy machine."""
    with threadpool_limits(1, "blas"):
        yield


@pytest.mark.course("S4-64")
@pytest.mark.parametrize("way", ["least squares", "nearest neighbour"])
def test_half_of_the_gap_is_the_variance(way):
    """Least squares loses s d/n more than s; the nearest neighbour loses 2 s."""
    rng = np.random.default_rng(0)
    n, d = (200, 20) if way == "least squares" else (2_000, 1)
    model = LinearRegression() if way == "least squares" else KNeighborsRegressor(1)
    gaps, costs = [], []
    for _ in range(10):
        X = rng.normal(size=(n, d))
        y = X[:, 0] * (way == "least squares") + rng.normal(size=n)
        folds = folds_of(False, y)
        found = out_of_fold(model, X, y, folds, judged_loss(None, model, y))
        gaps.append((found.mean - found.training) / 2)
        costs.append(found.mean - np.mean(y**2) * (way != "least squares"))
    if way == "least squares":
        costs = np.array(costs) - 1.0  # the noise has variance 1
    assert np.mean(gaps) == pytest.approx(np.mean(costs), rel=0.25)


def test_the_best_of_many_references_does_not_flatter():
    """Losses of pure noise: the least mean of 20 is below 1, the honest one is not."""
    rng = np.random.default_rng(1)
    folds = [(np.empty(0), part) for part in np.array_split(np.arange(200), 5)]
    honest, least = [], []
    for _ in range(200):
        losses = {str(k): rng.exponential(size=200) for k in range(20)}
        chosen, _ = best_reference(losses, folds)
        honest.append(chosen.mean())
        least.append(min(one.mean() for one in losses.values()))
    assert np.mean(least) < 0.9
    assert np.mean(honest) == pytest.approx(1.0, abs=0.02)


def test_knobs_turn_the_way_that_they_say():
    rng = np.random.default_rng(2)
    X, y = rng.normal(size=(60, 3)), rng.normal(size=60)

    def training(model):
        return np.mean((model.fit(X, y).predict(X) - y) ** 2)

    own = training(Ridge(alpha=10.0))
    assert all(training(v.model) > own for v in stiffer(Ridge(alpha=10.0)))
    assert all(training(v.model) < own for v in looser(Ridge(alpha=10.0)))
    assert {v.words for v in stiffer(LinearRegression())} == {
        "Ridge(alpha=1)",
        "Ridge(alpha=30)",
    }
    assert looser(LinearRegression()) == []
    assert longer(LinearRegression()) == []
    assert scaled(scaled(Ridge())[0].model) == []
