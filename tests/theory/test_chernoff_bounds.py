"""Chernoff's bounds against exact binomial tails."""

import numpy as np
import pytest
from scipy.special import rel_entr
from scipy.stats import binom

from corollary.core.errors import ParameterError
from corollary.theory import chernoff, chernoff_additive, hoeffding


def kl(q, p):
    return rel_entr(q, p) + rel_entr(1 - q, 1 - p)


@pytest.mark.course("S0-53")
@pytest.mark.parametrize("p", [0.01, 0.2, 0.6])
@pytest.mark.parametrize("m", [20, 300])
def test_relative_deviations_of_binomials(p, m):
    epsilon = np.linspace(0.05, 0.95, 40)
    below = binom.cdf(np.floor(m * p * (1 - epsilon) + 1e-9), m, p)
    bound = chernoff(mean=p, m=m, epsilon=epsilon, tail="lower")
    np.testing.assert_allclose(bound, np.exp(-m * p * epsilon**2 / 2), rtol=1e-12)
    assert (below <= bound).all()
    wide = np.linspace(0.05, 4.0, 40)
    above = binom.sf(np.ceil(m * p * (1 + wide) - 1e-9) - 1, m, p)
    bound = chernoff(mean=p, m=m, epsilon=wide, tail="upper")
    np.testing.assert_allclose(bound, np.exp(-m * p * wide**2 / (2 + wide)), rtol=1e-12)
    assert (above <= bound).all()
    both = chernoff(mean=p, m=m, epsilon=epsilon)
    upper = binom.sf(np.ceil(m * p * (1 + epsilon) - 1e-9) - 1, m, p)
    assert (below + upper <= both).all()


@pytest.mark.course("S0-53")
def test_half_of_the_expected_events_is_missed_with_probability_one_half_at_most():
    """The step of double sampling: m p >= 8 ln 2."""
    p = 0.1
    m = int(np.ceil(8 * np.log(2) / p))
    assert chernoff(mean=p, m=m, epsilon=0.5, tail="lower") <= 0.5
    assert chernoff(mean=p, m=m - 1, epsilon=0.5, tail="lower") > 0.5
    assert binom.cdf(np.floor(m * p / 2), m, p) <= 0.5


@pytest.mark.course("S0-53")
@pytest.mark.parametrize("p", [0.02, 0.5, 0.8])
def test_absolute_deviations_of_binomials(p):
    m = 80
    for tail, room in (("upper", 1 - p), ("lower", p)):
        epsilon = room * np.linspace(0.02, 0.98, 50)
        if tail == "upper":
            exact = binom.sf(np.ceil(m * (p + epsilon) - 1e-9) - 1, m, p)
            rate = kl(p + epsilon, p)
        else:
            exact = binom.cdf(np.floor(m * (p - epsilon) + 1e-9), m, p)
            rate = kl(p - epsilon, p)
        bound = chernoff_additive(mean=p, m=m, epsilon=epsilon, tail=tail)
        np.testing.assert_allclose(bound, np.exp(-m * rate), rtol=1e-9)
        assert (exact <= bound).all()
        assert (bound <= hoeffding(m=m, epsilon=epsilon, sides=1)).all()


def test_relative_entropy_is_the_true_rate():
    p, epsilon = 0.1, 0.1
    for m in (10_000, 100_000):
        exact = binom.logpmf(round(m * 0.2), m, p)  # a lower bound of the tail
        rows = chernoff_additive(mean=p, epsilon=epsilon, delta=0.01, tail="upper")
        rate = np.log(100) / rows
        assert exact / m == pytest.approx(-rate, abs=2 * np.log(m) / m + rate / rows)


def test_both_tails_are_the_worse_one_twice():
    one = chernoff_additive(mean=0.1, m=90, epsilon=0.05, tail="upper")
    other = chernoff_additive(mean=0.1, m=90, epsilon=0.05, tail="lower")
    both = chernoff_additive(mean=0.1, m=90, epsilon=0.05)
    assert both == pytest.approx(2 * max(one, other))
    # beyond p only the upper tail exists
    far = chernoff_additive(mean=0.1, m=9, epsilon=0.5)
    assert far == pytest.approx(2 * np.exp(-9 * kl(0.6, 0.1)))
    # with few rows epsilon ends where means end
    assert chernoff_additive(mean=0.1, m=1, delta=1e-9) == pytest.approx(0.9)


def check_coverage(draws):
    rng = np.random.default_rng(5)
    for p, m in ((0.02, 400), (0.3, 50)):
        Z = rng.binomial(m, p, draws) / m
        for delta in (0.05, 0.3):
            low = p * (1 - chernoff(mean=p, m=m, delta=delta, tail="lower"))
            assert np.mean(low >= Z) <= delta
            high = p * (1 + chernoff(mean=p, m=m, delta=delta, tail="upper"))
            assert np.mean(high <= Z) <= delta
            near = chernoff_additive(mean=p, m=m, delta=delta)
            assert np.mean(np.abs(Z - p) >= near + 1e-12) <= delta
    U = rng.beta(0.2, 0.8, (draws, 40)).mean(axis=1)  # not only coins
    far = chernoff_additive(mean=0.2, m=40, delta=0.2)
    assert np.mean(np.abs(U - 0.2) >= far) <= 0.2


def test_rates_stray_no_more_often_than_delta():
    check_coverage(2000)


@pytest.mark.slow
def test_rates_stray_no_more_often_than_delta_in_many_draws():
    check_coverage(10_000)


@pytest.mark.parametrize("calculator", [chernoff, chernoff_additive])
def test_bad_input(calculator):
    for mean in (0.0, 1.0, -1, float("nan"), "x"):
        with pytest.raises(ParameterError, match="mean must be"):
            calculator(mean=mean, m=10, delta=0.1)
    with pytest.raises(ParameterError, match="tail must be 'lower', 'upper' or 'both'"):
        calculator(mean=0.5, m=10, delta=0.1, tail="middle")
    with pytest.raises(ParameterError, match="epsilon must be > 0 and < "):
        calculator(mean=0.5, m=10, epsilon=1.0, tail="lower")
