"""Exponents found again, and intervals that hold the truth."""

import numpy as np
import pytest

from corollary import DataError
from corollary.diagnostics import fit_scaling_law

SIZES = np.array([250, 500, 1000, 2000])


@pytest.mark.course("S1-51")
@pytest.mark.parametrize("c", [0.5, 1.0, 2.0, 3.0])
@pytest.mark.parametrize("overhead", [0.0, 0.5])
def test_the_exponent_and_the_cost_of_more_rows_are_found(c, overhead):
    def cost(m):
        return overhead + 3.0 * (m / 1000.0) ** c

    law = fit_scaling_law(SIZES, cost(SIZES))
    assert law.exponent == pytest.approx(c, abs=0.026)
    assert law.at(20_000).value == pytest.approx(cost(20_000), rel=0.1)
    assert law.rows_for(cost(20_000)) == pytest.approx(20_000, rel=0.1)
    assert law.misfit < 0.01


@pytest.mark.course("S1-51")
def test_the_interval_holds_the_truth_under_noise():
    rng = np.random.default_rng(0)
    held = 0
    for _ in range(200):
        c = rng.uniform(0.8, 2.5)
        t = 0.02 + (SIZES / 1000.0) ** c
        low, high = fit_scaling_law(SIZES, t * rng.uniform(0.95, 1.05, 4)).at(8000)[1:]
        held += low <= 0.02 + 8.0**c <= high
    assert held > 150


def test_constant_and_zero_costs():
    law = fit_scaling_law(SIZES, np.full(4, 7.0))
    assert law.at(10**6).value == pytest.approx(7.0)
    assert fit_scaling_law(SIZES, np.zeros(4)).at(10**6).value == 0
    assert fit_scaling_law(SIZES, np.zeros(4)).rows_for(1.0) == np.inf
    assert law.rows_for(1.0) == 0
    assert "n^" in str(law)


def test_errors():
    with pytest.raises(DataError, match="two different sizes"):
        fit_scaling_law([5, 5], [1.0, 2.0])
    with pytest.raises(DataError, match="above 0"):
        fit_scaling_law([0, 5], [1.0, 2.0])
    with pytest.raises(DataError, match="numbers"):
        fit_scaling_law(["a", "b"], [1.0, 2.0])
