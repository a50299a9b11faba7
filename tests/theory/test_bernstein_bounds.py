"""Bernstein, Bennett, and their empirical relative."""

import numpy as np
import pytest
from scipy.optimize import brentq
from scipy.stats import binom

from corollary.core.errors import ParameterError
from corollary.theory import bennett, bernstein, empirical_bernstein, hoeffding


def h(u):
    return (1 + u) * np.log1p(u) - u


@pytest.mark.course("S0-53")
def test_formulas():
    v, b, m, e = 0.03, 0.8, 200, 0.05
    found = bernstein(variance=v, bound=b, m=m, epsilon=e)
    expected = 2 * np.exp(-m * e**2 / (2 * (v + b * e / 3)))
    assert found == pytest.approx(expected, rel=1e-12)
    found = bennett(variance=v, bound=b, m=m, epsilon=e, sides=1)
    assert found == pytest.approx(np.exp(-m * v / b**2 * h(b * e / v)), rel=1e-12)
    root = brentq(lambda e: m * v / b**2 * h(b * e / v) - np.log(2 / 0.01), 1e-9, 10)
    found = bennett(variance=v, bound=b, m=m, delta=0.01)
    assert found == pytest.approx(root, rel=1e-9)
    L = np.log(2 / 0.01)
    expected = np.sqrt(2 * v * L / m) + 7 * L / (3 * (m - 1))  # Maurer and Pontil
    found = empirical_bernstein(variance=v, m=m, delta=0.01)
    assert found == pytest.approx(expected, rel=1e-12)
    L = np.log(2 * 2 * 5 / 0.01)  # two sides, five hypotheses, width 3
    expected = np.sqrt(2 * v * L / m) + 7 * 3 * L / (3 * (m - 1))
    found = empirical_bernstein(
        variance=v, m=m, delta=0.01, sides=2, hypotheses=5, width=3.0
    )
    assert found == pytest.approx(expected, rel=1e-12)


@pytest.mark.course("S0-53")
@pytest.mark.parametrize("p", [0.01, 0.1, 0.5])
def test_binomial_tails_obey_bennett_and_bennett_beats_bernstein(p):
    m, epsilon = 100, np.linspace(0.01, min(0.49, 1 - p - 0.01), 40)
    exact = binom.sf(np.ceil(m * (p + epsilon) - 1e-9) - 1, m, p)
    settings = {"variance": p * (1 - p), "bound": 1 - p, "m": m, "sides": 1}
    sharp = bennett(**settings, epsilon=epsilon)
    plain = bernstein(**settings, epsilon=epsilon)
    assert (exact <= sharp).all()
    assert (sharp <= plain).all()


def test_a_small_variance_pays():
    given = {"epsilon": 0.02, "delta": 0.05}
    assert bernstein(variance=0.01, **given) < hoeffding(**given) / 10
    rows = np.array([10**3, 10**5, 10**7])
    gaps = empirical_bernstein(variance=0.0, m=rows, delta=0.05)
    np.testing.assert_allclose(gaps * (rows - 1), gaps[0] * 999)  # order 1/m


def test_bennett_is_exact_for_tiny_deviations():
    found = bennett(variance=0.25, m=10**14, delta=0.05)
    plain = np.sqrt(2 * 0.25 * np.log(40) / 10**14)
    assert found == pytest.approx(plain, rel=1e-6)


def check_coverage(draws):
    rng = np.random.default_rng(1)
    laws = (
        (lambda size: rng.random(size) < 0.02, 0.02, 0.02 * 0.98),
        (lambda size: rng.random(size), 0.5, 1 / 12),
        (lambda size: rng.beta(1, 20, size), 1 / 21, 20 / (21**2 * 22)),
    )
    for draw, mean, variance in laws:
        for m, delta in ((30, 0.1), (200, 0.3)):
            X = np.asarray(draw((draws, m)), dtype=float)
            Z = X.mean(axis=1)
            for bound in (bernstein, bennett):
                gap = bound(variance=variance, m=m, delta=delta)
                assert np.mean(np.abs(Z - mean) >= gap) <= delta
            gap = empirical_bernstein(variance=X.var(axis=1, ddof=1), m=m, delta=delta)
            assert np.mean(mean > Z + gap) <= delta


def test_means_stray_no_more_often_than_delta():
    check_coverage(1000)


@pytest.mark.slow
def test_means_stray_no_more_often_than_delta_in_many_draws():
    check_coverage(10_000)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: bernstein(variance=0, m=9, delta=0.1), "variance must be > 0; got 0."),
        (lambda: bennett(variance=2, m=9, delta=0.1), "at most bound^2"),
        (lambda: bennett(variance=0.1, bound=-1, m=9, delta=0.1), "bound must be > 0"),
        (lambda: bernstein(variance="x", m=9, delta=0.1), "variance must be a number"),
        (
            lambda: empirical_bernstein(variance=-0.1, m=9, delta=0.1),
            "variance must be >= 0; got -0.1.",
        ),
        (
            lambda: empirical_bernstein(variance=0.1, m=1, delta=0.1),
            "m must be a whole number >= 2; got 1.",
        ),
        (
            lambda: empirical_bernstein(variance=0.1, m=9, delta=0.1, sides=0),
            "sides must be 1 or 2",
        ),
    ],
)
def test_bad_input(call, words):
    with pytest.raises(ParameterError) as error:
        call()
    assert words in str(error.value)
