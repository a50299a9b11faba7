"""Hoeffding's inequality and the union bound."""

import numpy as np
import pytest
from scipy.stats import binom

from corollary.core.errors import ParameterError
from corollary.theory import hoeffding, union_bound

LAWS = {
    "coin": lambda rng, shape: rng.random(shape) < 0.5,
    "rare": lambda rng, shape: rng.random(shape) < 0.03,
    "flat": lambda rng, shape: rng.random(shape),
    "ends": lambda rng, shape: rng.beta(0.1, 0.1, shape),
}
MEANS = {"coin": 0.5, "rare": 0.03, "flat": 0.5, "ends": 0.5}


@pytest.mark.course("S0-53", "S4-53")
def test_numbers_of_the_notes():
    for m in (10, 100, 1000):
        interval = np.sqrt(np.log(2 / 0.05) / (2 * m))
        assert hoeffding(m=m, delta=0.05) == pytest.approx(interval, rel=1e-14)
    assert hoeffding(m=100, epsilon=0.1) == pytest.approx(2 * np.exp(-2), rel=1e-14)
    one = hoeffding(m=100, epsilon=0.1, sides=1)
    assert one == pytest.approx(np.exp(-2), rel=1e-14)
    k = hoeffding(m=1000, epsilon=0.1, hypotheses=7)
    assert k == pytest.approx(14 * np.exp(-20), rel=1e-12)


@pytest.mark.course("S0-53")
def test_the_general_form_has_an_interval_for_each_row():
    ranges = np.array([(-1.0, 1.0), (0.0, 3.0), (2.0, 2.0), (0.0, 0.5)] * 5)
    widths = ranges[:, 1] - ranges[:, 0]
    expected = 2 * np.exp(-2 * 0.9**2 * len(ranges) ** 2 / np.sum(widths**2))
    assert hoeffding(ranges=ranges, epsilon=0.9) == pytest.approx(expected, rel=1e-12)
    epsilon = hoeffding(ranges=ranges, delta=0.05, hypotheses=3)
    back = hoeffding(ranges=ranges, epsilon=epsilon, hypotheses=3)
    assert back == pytest.approx(0.05)
    same = hoeffding(ranges=[(2, 7)] * 40, delta=0.1)
    assert same == pytest.approx(hoeffding(m=40, delta=0.1, low=2, high=7))
    rng = np.random.default_rng(0)
    Z = ranges[:, 0] + widths * (rng.random((4000, len(ranges))) < 0.5)
    error = np.abs(Z.mean(axis=1) - ranges.mean(axis=1).mean())
    assert np.mean(error >= hoeffding(ranges=ranges, delta=0.2)) <= 0.2


@pytest.mark.parametrize("p", [0.01, 0.3, 0.5, 0.9])
@pytest.mark.parametrize("m", [1, 7, 50, 400])
def test_no_exact_binomial_tail_exceeds_it(p, m):
    epsilon = np.linspace(0.01, 0.98, 60)
    upper = binom.sf(np.ceil(m * (p + epsilon) - 1e-9) - 1, m, p)
    assert (upper <= hoeffding(m=m, epsilon=epsilon, sides=1) + 1e-15).all()
    lower = binom.cdf(np.floor(m * (p - epsilon) + 1e-9), m, p)
    assert (upper + lower <= hoeffding(m=m, epsilon=epsilon) + 1e-15).all()


def check_coverage(draws):
    rng = np.random.default_rng(3)
    for name, draw in LAWS.items():
        for m, delta in ((10, 0.1), (60, 0.3)):
            Z = draw(rng, (draws, m)).mean(axis=1)
            strays = np.abs(Z - MEANS[name]) >= hoeffding(m=m, delta=delta)
            assert strays.mean() <= delta, name
    k, m, delta = 25, 30, 0.2  # many means at once
    Z = LAWS["coin"](rng, (draws, m, k)).mean(axis=1)
    farthest = np.abs(Z - 0.5).max(axis=1)
    assert np.mean(farthest >= hoeffding(m=m, delta=delta, hypotheses=k)) <= delta
    assert np.mean(farthest >= hoeffding(m=m, delta=delta)) > 3 * delta  # of one alone


@pytest.mark.course("S0-53", "S4-53")
def test_the_mean_strays_no_more_often_than_delta():
    check_coverage(1500)


@pytest.mark.slow
def test_the_mean_strays_no_more_often_than_delta_in_many_draws():
    check_coverage(10_000)


@pytest.mark.course("S4-53")
def test_union_bound():
    rng = np.random.default_rng(0)
    events = rng.random((20_000, 3)) < [0.1, 0.2, 0.05]
    events[:, 2] |= events[:, 0]  # dependence does not matter
    p = events.mean(axis=0)
    assert union_bound(p) == pytest.approx(p.sum())
    assert np.mean(events.any(axis=1)) <= union_bound(p)
    assert union_bound([0.7, 0.7]) == 1.0
    disjoint = union_bound([0.25, 0.5])
    assert disjoint == 0.75  # attained where events exclude each other
    assert union_bound(1e-4, hypotheses=500) == pytest.approx(0.05)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: union_bound([0.5, 1.5]), "probabilities must be in [0, 1]; got 1.5."),
        (lambda: union_bound([-0.5]), "probabilities must be in [0, 1]; got -0.5."),
        (lambda: union_bound([]), "probabilities must be in [0, 1]; got none."),
        (lambda: union_bound("x"), "probabilities must hold numbers"),
        (lambda: hoeffding(m=3, delta=0.1, low=1, high=1), "high must be above low"),
        (lambda: hoeffding(m=3, delta=0.1, sides=3), "sides must be 1 or 2; got 3."),
        (lambda: hoeffding(m=3, delta=0.1, ranges=[(0, 1)]), "in place of m"),
        (lambda: hoeffding(delta=0.1, ranges=[(1, 0)]), "a <= b in every pair"),
        (lambda: hoeffding(delta=0.1, ranges=[(1, 1)]), "a < b in some"),
        (lambda: hoeffding(delta=0.1, ranges=[1, 2]), "ranges must be pairs"),
    ],
)
def test_bad_input(call, words):
    with pytest.raises(ParameterError) as error:
        call()
    assert words in str(error.value)
