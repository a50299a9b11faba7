"""Losses of stagewise fits: slopes, best constants, and the best value of a cell."""

import numpy as np
import pytest
from scipy.optimize import minimize_scalar

from corollary.objectives.deviance_loss import DevianceLoss
from corollary.objectives.families import Tweedie
from corollary.objectives.links import Log
from corollary.objectives.residual_losses import Quantile
from corollary.objectives.stagewise_losses import (
    Cells,
    DevianceStages,
    ExponentialStages,
    HuberStages,
    LogisticStages,
    MultinomialStages,
    QuantileStages,
    SquaredStages,
    absolute_stages,
)

RNG = np.random.default_rng(0)
N = 60
W = RNG.integers(1, 4, size=N).astype(float)
NUMBERS, SIGNS = RNG.normal(size=N) + 3, np.where(RNG.random(N) < 0.3, 1.0, -1.0)
CODES = RNG.integers(3, size=N)
ONE = [
    (SquaredStages(), NUMBERS),
    (absolute_stages(), NUMBERS),
    (QuantileStages(Quantile(0.2), 0.2), NUMBERS),
    (LogisticStages(), SIGNS),
    (ExponentialStages(), SIGNS),
    (DevianceStages(DevianceLoss(Tweedie(1.0), Log())), NUMBERS**2),
    (DevianceStages(DevianceLoss(Tweedie(2.0), Log())), NUMBERS**2),
]
EVERY = [*ONE, (MultinomialStages(3), CODES)]


def name(value):
    return type(value).__name__ if hasattr(value, "K") else ""


@pytest.mark.course("S2-26")
@pytest.mark.parametrize(("loss", "y"), EVERY, ids=name)
def test_residuals_are_slopes(loss, y):
    F = RNG.normal(size=(N, loss.K))
    R = loss.residuals(y, F)
    for k in range(loss.K):
        step = np.zeros_like(F)
        step[:, k] = 1e-6
        rise = loss.values(y, F + step) - loss.values(y, F - step)
        np.testing.assert_allclose(R[:, k], -rise / 2e-6, atol=1e-5)


@pytest.mark.course("S2-26")
@pytest.mark.parametrize(("loss", "y"), EVERY, ids=name)
def test_no_constant_is_better_than_the_start(loss, y):
    start = np.tile(loss.start(y, W), (N, 1))
    least = loss.mean(y, start, W)
    for _ in range(20):
        other = start + 0.1 * RNG.normal(size=loss.K)
        assert loss.mean(y, other, W) >= least - 1e-12
    assert start.shape == (N, loss.K)


@pytest.mark.parametrize(("loss", "y"), ONE, ids=name)
def test_cells_take_the_best_value_or_a_step_towards_it(loss, y):
    F = np.tile(loss.start(y, W), (N, 1)) + 0.1 * RNG.normal(size=(N, 1))
    cell = np.arange(N) % 4
    v = loss.cell_values(Cells(cell, 5, W), y, F, loss.residuals(y, F), 0)
    assert v.shape == (5,)
    for j in range(4):
        some = cell == j

        def at(move, some=some):
            return loss.mean(y[some], F[some] + move, W[some])

        best = minimize_scalar(at, bounds=(-6, 6), options={"xatol": 1e-10})
        exact = not isinstance(loss, LogisticStages | ExponentialStages)
        if exact:
            assert at(v[j]) <= best.fun + 1e-9
        else:
            assert at(v[j]) < at(0.0) or abs(v[j]) < 1e-9
            assert np.sign(v[j]) == np.sign(best.x)


def test_quantiles_of_cells_are_those_of_each():
    values, cell = RNG.normal(size=N), RNG.integers(5, size=N)
    for q in (0.1, 0.5, 0.9):
        found = Cells(cell, 6, W).quantiles(values, q)
        for j in range(5):
            own = np.sort(np.repeat(values[cell == j], W[cell == j].astype(int)))
            assert found[j] == pytest.approx(
                np.quantile(own, q, method="averaged_inverted_cdf")
            )
        assert found[5] == 0.0


def test_the_bend_of_huber_is_a_quantile_of_the_residuals():
    F = np.full((N, 1), 3.0)
    loss = HuberStages(q=0.8).prepared(NUMBERS, F, W)
    off = np.repeat(np.abs(NUMBERS - 3), W.astype(int))
    delta = np.quantile(off, 0.8, method="averaged_inverted_cdf")
    assert loss.loss.delta == pytest.approx(delta)
    middle = np.median(np.repeat(NUMBERS, W.astype(int)))
    assert loss.start(NUMBERS, W)[0] == pytest.approx(middle)
    exact = np.where(
        np.abs(NUMBERS - 3) <= delta,
        0.5 * (NUMBERS - 3) ** 2,
        delta * (np.abs(NUMBERS - 3) - delta / 2),
    )
    np.testing.assert_allclose(loss.values(NUMBERS, F), exact)


@pytest.mark.parametrize(
    "loss", [LogisticStages(), ExponentialStages(), MultinomialStages(3)], ids=name
)
def test_scores_and_probabilities_turn_into_each_other(loss):
    P = RNG.dirichlet(np.ones(max(loss.K, 2)), size=20)
    np.testing.assert_allclose(loss.answers_of(loss.scores_of(P)), P, rtol=1e-9)
