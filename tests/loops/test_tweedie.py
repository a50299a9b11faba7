"""A pass of Tweedie regression against the family's own formulas in NumPy."""

import numpy as np
import pytest

from corollary import loops
from corollary.objectives.families import Tweedie
from corollary.objectives.links import Log

POWERS = [-1.0, 0.0, 1.0, 1.5, 2.0, 3.0, 4.5]


def drawn(rng, power, n):
    """Return y in the family's range, 0 among them where it can be."""
    if power <= 0:
        return rng.normal(size=n)
    y = rng.gamma(2.0, size=n)
    return np.where(rng.random(n) < 0.2, 0.0, y) if power < 2 else y


@pytest.mark.parametrize("power", POWERS)
@pytest.mark.parametrize("n", [1, 37, 1500])
def test_sums(power, n, rows, loop, rng, dtype, weights):
    X, args = rows(n, 7)
    y, w, coef = drawn(rng, power, n), weights(n), 0.3 * rng.normal(size=7)
    eta = (X @ coef.astype(dtype)).astype(float) + 0.2
    at = Tweedie(power).terms(y, eta, Log())
    ones = np.ones(n) if w is None else w
    grad, h = np.ones(7), np.empty(n, dtype)
    found = loop("tweedie")(*args, y, w, power, coef, 0.2, grad, h)
    expected = ones @ at.loss, ones @ at.slope, ones @ at.pearson
    rtol = 1e-12 if dtype == np.float64 else 5e-5
    scale = max(1.0, float(np.abs(ones @ np.abs(at.slope))))
    np.testing.assert_allclose(found, expected, rtol=rtol, atol=rtol * scale)
    np.testing.assert_allclose(h, ones * at.weight, rtol=rtol)
    slopes = 1 + X.astype(float).T @ (ones * at.slope)
    np.testing.assert_allclose(grad, slopes, rtol=rtol, atol=rtol * scale)
    again = np.ones(7)
    assert loop("tweedie")(*args, y, w, power, coef, 0.2, again, None) == found
    np.testing.assert_array_equal(again, grad)


@pytest.mark.parametrize("power", [1.0, 2.0, 2.5])
def test_a_score_without_a_mean_has_an_infinite_loss_and_no_weight(power):
    X, y, grad, h = np.array([[np.nan]]), np.ones(1), np.zeros(1), np.empty(1)
    loss, _, _ = loops.tweedie(X, y, None, power, np.ones(1), 0.0, grad, h)
    assert loss == np.inf
    assert h[0] == 0.0


@pytest.mark.parametrize("score", [-800.0, 800.0])
def test_means_stay_normal_numbers(score):
    X, y, grad = np.ones((1, 1)), np.ones(1), np.zeros(1)
    loss, _, _ = loops.tweedie(X, y, None, 1.0, np.array([score]), 0.0, grad, None)
    eta = np.clip(score, -700, 700)
    assert loss == pytest.approx(np.exp(eta) - 1 - eta, rel=1e-14)
