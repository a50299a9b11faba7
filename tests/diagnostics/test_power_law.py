"""Power laws: what is recovered, what the intervals hold, what is refused."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from corollary.core.errors import DataError, ParameterError
from corollary.diagnostics import fit_power_law

M = np.array([10.0, 20.0, 40.0, 80.0, 160.0, 320.0])


@settings(max_examples=40)
@given(st.floats(0, 2), st.floats(0.1, 30), st.sampled_from([0.25, 0.5, 1.0, 2.0]))
def test_a_law_without_noise_is_recovered(a, b, c):
    law = fit_power_law(M, a + b * M**-c, np.full(6, 1e-12))
    assert law.c == pytest.approx(c, rel=0.05)
    for m in (10.0, 100.0, 5000.0):
        value, low, high = law.at(m)
        assert value == pytest.approx(a + b * m**-c, abs=0.01 * b)
        assert low <= value + 1e-12
        assert value <= high + 1e-12
    assert law.rows_for(a + b * 50.0**-c).value == pytest.approx(50, rel=0.1)


def test_a_flat_curve_is_a_law_without_a_fall():
    law = fit_power_law(M, np.full(6, 0.3), np.full(6, 1e-6))
    assert (law.a, law.b) == (pytest.approx(0.3), pytest.approx(0, abs=1e-9))
    assert law.rows_for(0.2).value == np.inf
    assert law.rows_for(1.0) == (1.0, 1.0, 1.0)
    assert law.fall(320, 3200).low == pytest.approx(0, abs=1e-9)
    rising = fit_power_law(M, 0.3 + 0.001 * np.arange(6), np.full(6, 1e-6))
    assert rising.b == pytest.approx(0)  # more rows never hurt (1)


def test_the_ends_are_those_of_a_search_over_all_laws():
    rng = np.random.default_rng(0)
    L = rng.normal(size=(6, 6)) * 0.01
    C = L @ L.T + 0.02**2 * np.eye(6)
    v = 0.2 + 2 / M + np.linalg.cholesky(C) @ rng.normal(size=6)
    law = fit_power_law(M, v, C)
    assert law.used == 6
    laws = law.laws
    around = np.linspace(0, 2 * np.pi, 721)
    circle = np.stack([np.cos(around), np.sin(around)])  # (2, p)
    for m in (30.0, 320.0, 10_000.0):
        found = []
        for c, at, shape, slack in zip(
            laws.exponents, laws.centres, laws.shapes, laws.slack, strict=True
        ):
            root = np.linalg.inv(np.linalg.cholesky(shape).T) * np.sqrt(slack)
            for radius in np.linspace(0, 1, 41):
                a, b = at[:, None] + radius * root @ circle
                values = (a + b * (m / 320) ** -c)[(a >= 0) & (b >= 0)]
                found += [values.min(), values.max()] if len(values) else []
        _, low, high = law.at(m)
        assert low <= min(found)
        assert max(found) <= high
        assert high - low == pytest.approx(max(found) - min(found), rel=0.01)


def test_sizes_that_follow_no_law_are_left_out():
    v = 0.2 + 2 / M
    v[0] += 3.0  # as near the pole of least squares
    law = fit_power_law(M, v, np.full(6, 1e-6))
    assert law.used == 5
    assert law.at(3200).value == pytest.approx(0.2 + 2 / 3200, abs=1e-3)


@pytest.mark.parametrize("level", [0.8, 0.95])
def test_intervals_hold_the_truth_as_often_as_they_say(level):
    rng = np.random.default_rng(1)
    common, own = 0.02, 0.01  # errors that all sizes share, and those of each
    C = common**2 + own**2 * np.eye(6)
    root, truth = np.linalg.cholesky(C), 0.1 + 1.5 * M**-0.5
    held = np.zeros(3)
    for _ in range(150):
        law = fit_power_law(M, truth + root @ rng.normal(size=6), C, level=level)
        for i, m in enumerate((160.0, 1000.0, 5000.0)):
            _, low, high = law.at(m)
            held[i] += low <= 0.1 + 1.5 * m**-0.5 <= high
    assert (held / 150 >= level - 0.05).all()


def test_losses_may_be_negative_without_a_floor():
    law = fit_power_law(M, -0.5 + 3 / M, np.full(6, 1e-8), floor=-np.inf)
    assert law.at(1e6).value == pytest.approx(-0.5, abs=0.01)


def test_what_is_refused():
    v, C = 0.2 + 2 / M, np.full(6, 1e-6)
    for arguments, options, error, words in (
        ((M[:2], v[:2], C[:2]), {}, DataError, "3 or more"),
        ((M, v[:5], C), {}, DataError, "of one length"),
        ((M[::-1], v, C), {}, DataError, "rising"),
        ((M, v * np.nan, C), {}, DataError, "values must be finite"),
        ((M, v, -C), {}, DataError, "variances must be >= 0"),
        ((M, v, C), {"level": 1.0}, ParameterError, "level must be"),
        ((M, v, C), {"floor": 1.0}, ParameterError, "floor must be"),
        ((M, v, C), {"dof": 0}, ParameterError, "dof must be"),
    ):
        with pytest.raises(error, match=words):
            fit_power_law(*arguments, **options)
    law = fit_power_law(M, v, C)
    for call in (lambda: law.at(0), lambda: law.at("x"), lambda: law.fall(1, np.inf)):
        with pytest.raises(ParameterError, match="number of rows > 0"):
            call()
    with pytest.raises(ParameterError, match="loss must be a number"):
        law.rows_for(None)
