"""How a bound moves as the class grows."""

import matplotlib
import numpy as np
import pytest

from corollary.core.errors import DataError, ParameterError
from corollary.theory import class_growth

matplotlib.use("Agg")


@pytest.mark.course("S4-96")
def test_bias_falls_variance_rises_and_the_bound_is_lowest_between():
    rng = np.random.default_rng(0)
    true = 0.1 + 0.4 / np.sqrt(1 + np.arange(4096))  # later ones are better, slowly
    m = 2000
    risks = rng.binomial(m, true) / m
    found = class_growth(risks, m=m, delta=0.05, true_risks=true)
    assert found.sizes.tolist() == [2**j for j in range(13)]
    by_hand = [risks[:k].min() for k in found.sizes]
    np.testing.assert_allclose(found.best, by_hand)
    deviation = np.sqrt(np.log(2 * found.sizes / (0.05 / 13)) / (2 * m))
    np.testing.assert_allclose(found.deviation, deviation)
    assert (np.diff(found.best) <= 0).all()
    assert (np.diff(found.deviation) > 0).all()
    assert found.chosen == found.sizes[np.argmin(by_hand + deviation)]
    small = class_growth(risks, m=40)
    assert small.chosen <= found.chosen  # fewer rows bear fewer hypotheses
    assert found.bound.value == pytest.approx(found.bounds.min())
    assert (true[:2048].min() <= found.bounds[found.sizes == 2048]).all()
    assert "<- chosen" in str(found)


def check_coverage(draws):
    rng = np.random.default_rng(1)
    true = rng.uniform(0.2, 0.5, 64)
    m, delta, broken = 50, 0.2, 0
    for _ in range(draws):
        risks = rng.binomial(m, true) / m
        found = class_growth(risks, m=m, delta=delta)
        best = int(np.argmin(risks[: found.chosen]))
        broken += true[best] > found.bound.value
    assert broken / draws <= delta


@pytest.mark.course("S4-96")
def test_the_chosen_class_may_be_chosen():
    check_coverage(500)


@pytest.mark.slow
def test_the_chosen_class_may_be_chosen_in_many_draws():
    check_coverage(10_000)


@pytest.mark.course("S4-96")
def test_the_picture_shows_both_terms():
    found = class_growth([0.5, 0.3, 0.2, 0.2], m=100, true_risks=[0.5, 0.3, 0.2, 0.1])
    ax = found.plot()
    lines = {line.get_label(): line.get_ydata() for line in ax.get_lines()}
    np.testing.assert_allclose(lines["least empirical risk"], found.best)
    np.testing.assert_allclose(lines["deviation"], found.deviation)
    np.testing.assert_allclose(lines["bound"], found.bounds)
    np.testing.assert_allclose(lines["least risk"], [0.5, 0.3, 0.1])
    assert class_growth([0.5], m=10).plot(ax) is ax


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"risks": []}, "risks must be a vector of numbers in [0, 1]"),
        ({"risks": [1.5]}, "risks must be a vector of numbers in [0, 1]"),
        ({"risks": [[0.5]]}, "risks must be a vector"),
        ({"risks": ["x"]}, "risks must hold numbers"),
        ({"m": 0}, "m must be a whole number >= 1; got 0."),
        ({"m": [10, 20]}, "broadcast"),
        ({"delta": 0}, "delta must be > 0 and < 1"),
        ({"sizes": [2, 1]}, "sizes must rise and be at most 3"),
        ({"sizes": [4]}, "sizes must rise and be at most 3; got [4]."),
        ({"true_risks": [0.1]}, "true_risks must be 3 numbers"),
    ],
)
def test_bad_input(given, words):
    with pytest.raises((DataError, ParameterError)) as error:
        class_growth(**{"risks": [0.5, 0.4, 0.3], "m": 10, **given})
    assert words in str(error.value)
