"""Sums that do not depend on the order, against Python's exact ones."""

import math

import numpy as np
import pytest

from corollary.engine.exact_sum import ExactMean, ExactSum


@pytest.mark.parametrize("spread", [1, 100, 300])
def test_a_sum_is_rounded_once(spread):
    rng = np.random.default_rng(spread)
    x = rng.normal(size=5000) * 10.0 ** rng.uniform(-spread, spread, size=5000)
    assert float(ExactSum.of(x)) == math.fsum(x)


def test_the_order_and_the_chunks_do_not_matter():
    rng = np.random.default_rng(0)
    x = rng.normal(size=3000) * 10.0 ** rng.integers(-20, 20, size=3000)
    whole = ExactSum.of(x)
    mixed = rng.permutation(x)
    total = ExactSum()
    for a, b in ((0, 1), (1, 1700), (1700, 3000)):
        total = total + ExactSum.of(mixed[a:b])
    assert total == whole


def test_the_smallest_and_the_largest_numbers_are_kept():
    tiny = float(np.finfo(np.float64).smallest_subnormal)
    x = np.array([1e308, tiny, -1e308, tiny, -0.0])
    assert float(ExactSum.of(x)) == 2 * tiny
    assert float(ExactSum.of(np.array([1.7e308, 1.7e308]))) == np.inf
    assert float(ExactSum()) == 0.0


@pytest.mark.parametrize("value", [np.inf, -np.inf, np.nan])
def test_what_is_not_finite_stays_so(value):
    found = ExactSum.of(np.array([1.0, value])) + ExactSum.of(np.ones(2))
    np.testing.assert_equal(float(found), value)


def test_a_mean_is_a_ratio_of_exact_sums():
    rng = np.random.default_rng(1)
    x, w = rng.normal(size=500), rng.uniform(size=500)
    assert float(ExactMean.of(x)) == pytest.approx(x.mean(), rel=1e-14)
    both = ExactMean.of(x[:200], w[:200]) + ExactMean.of(x[200:], w[200:])
    assert float(both) == float(ExactMean.of(x, w))
    assert float(both) == pytest.approx(np.average(x, weights=w), rel=1e-13)
