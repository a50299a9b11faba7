"""McDiarmid's and Azuma's inequalities."""

import numpy as np
import pytest

from corollary.core.errors import ParameterError
from corollary.theory import azuma, hoeffding, mcdiarmid


@pytest.mark.course("S0-53")
def test_formulas():
    c = np.array([0.1, 0.3, 0.0, 0.2])
    found = mcdiarmid(changes=c, epsilon=0.5, sides=1)
    assert found == pytest.approx(np.exp(-2 * 0.25 / np.sum(c**2)), rel=1e-12)
    found = azuma(steps=c, epsilon=0.5)
    assert found == pytest.approx(2 * np.exp(-0.25 / (2 * np.sum(c**2))), rel=1e-12)
    assert azuma(m=50, epsilon=0.4, step=2.0, sides=1) == pytest.approx(
        np.exp(-50 * 0.16 / 8), rel=1e-12
    )
    for epsilon in (0.05, 0.2):
        same = mcdiarmid(m=70, epsilon=epsilon, hypotheses=3)
        assert same == pytest.approx(hoeffding(m=70, epsilon=epsilon, hypotheses=3))


def check_coverage(draws):
    rng = np.random.default_rng(2)
    m, delta = 60, 0.2
    # the largest deviation of a class: one row moves it by 1 / m at most
    x = rng.random((draws, m))
    grid = np.arange(m) / m
    ordered = np.sort(x, axis=1)
    sup = np.maximum(ordered - grid, grid + 1 / m - ordered).max(axis=1)
    assert np.mean(sup - sup.mean() >= mcdiarmid(m=m, delta=delta, sides=1)) <= delta
    # a martingale whose steps depend on the past
    S = np.zeros(draws)
    for _ in range(m):
        size = np.where(S > 0, 1.0, 0.4)
        S += size * rng.choice([-1.0, 1.0], draws)
    assert np.mean(np.abs(S) / m >= azuma(m=m, delta=delta)) <= delta
    assert np.mean(np.abs(S) >= azuma(steps=[1.0] * m, delta=delta)) <= delta


def test_functions_stray_no_more_often_than_delta():
    check_coverage(2000)


@pytest.mark.slow
def test_functions_stray_no_more_often_than_delta_in_many_draws():
    check_coverage(10_000)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: mcdiarmid(changes=[0.0], delta=0.1), "some number > 0"),
        (lambda: mcdiarmid(changes=[-1.0], delta=0.1), "changes must be >= 0; got -1."),
        (lambda: azuma(steps=[1.0], m=2, delta=0.1), "in place of m"),
        (lambda: azuma(step=0.0, m=2, delta=0.1), "step must be > 0; got 0."),
        (lambda: azuma(steps=[[1.0]], delta=0.1), "steps must be a vector"),
    ],
)
def test_bad_input(call, words):
    with pytest.raises(ParameterError) as error:
        call()
    assert words in str(error.value)
