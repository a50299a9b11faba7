"""Exact bounds on a probability from a count."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binom, binomtest

from corollary.core.errors import DataError, ParameterError
from corollary.theory import binomial_interval, clopper_pearson


@pytest.mark.parametrize(("n", "k"), [(1, 0), (1, 1), (20, 3), (1000, 83), (50, 50)])
@pytest.mark.parametrize("delta", [0.05, 1e-6])
def test_the_interval_is_that_of_scipy(n, k, delta):
    ends = binomtest(k, n).proportion_ci(1 - delta, method="exact")
    found = binomial_interval(n, k, delta)
    assert (found.low, found.high) == pytest.approx((ends.low, ends.high), rel=1e-9)
    assert found.kind == "exact"
    one_sided = binomtest(k, n, alternative="less").proportion_ci(1 - delta).high
    assert clopper_pearson(n=n, errors=k, delta=delta) == pytest.approx(one_sided)


def test_no_errors_have_a_closed_form():
    n = np.array([10, 100, 1000])
    found = clopper_pearson(n=n, errors=0, delta=0.05)
    np.testing.assert_allclose(found, 1 - 0.05 ** (1 / n), rtol=1e-12)
    assert clopper_pearson(n=10**9, errors=0, delta=1e-9) == pytest.approx(
        9 * np.log(10) / 1e9, rel=1e-6
    )


counted = st.integers(1, 3000).flatmap(
    lambda n: st.tuples(st.just(n), st.integers(0, n - 1))
)


@given(counted, st.floats(1e-9, 0.99))
def test_the_calculator_goes_round(nk, delta):
    n, k = nk
    risk = clopper_pearson(n=n, errors=k, delta=delta)
    assert clopper_pearson(n=n, errors=k, risk=risk) == pytest.approx(delta, rel=1e-6)
    up = min(1.0, risk * (1 + 1e-9))
    assert clopper_pearson(n=n, delta=delta, risk=up) == k
    assert clopper_pearson(errors=k, delta=delta, risk=up) <= n
    low = clopper_pearson(n=n, errors=k, delta=delta, side="lower")
    if k:
        back = clopper_pearson(n=n, errors=k, risk=low, side="lower")
        assert back == pytest.approx(delta, rel=1e-6)
    else:
        assert low == 0


@given(st.integers(0, 200), st.floats(0.002, 0.999), st.floats(1e-6, 0.9))
def test_rows_and_errors_are_the_extreme_ones(k, risk, delta):
    n = clopper_pearson(errors=k, delta=delta, risk=risk)
    assert binom.cdf(k, n, risk) <= delta * (1 + 1e-9)
    assert n == k + 1 or binom.cdf(k, n - 1, risk) > delta * (1 - 1e-9)
    most = clopper_pearson(n=n, delta=delta, risk=risk)
    assert most >= k
    if most < n - 1:
        assert binom.cdf(most + 1, n, risk) > delta * (1 - 1e-9)


@given(counted, st.floats(0.001, 0.9))
def test_the_risk_is_monotone(nk, delta):
    n, k = nk
    risk = clopper_pearson(n=n, errors=k, delta=delta)
    assert clopper_pearson(n=n + 1, errors=k, delta=delta) <= risk + 1e-15
    assert clopper_pearson(n=n, errors=k + 1, delta=delta) >= risk
    assert clopper_pearson(n=n, errors=k, delta=delta + 0.05) <= risk


@pytest.mark.parametrize("n", [5, 40, 300])
def test_it_fails_in_at_most_delta_of_the_draws_by_exact_summation(n):
    k = np.arange(n + 1)
    upper = clopper_pearson(n=n, errors=k, delta=0.1)
    lower = clopper_pearson(n=n, errors=k, delta=0.1, side="lower")
    for p in np.linspace(0.001, 0.999, 97):
        mass = binom.pmf(k, n, p)
        assert mass[upper < p].sum() <= 0.1 + 1e-12
        assert mass[lower > p].sum() <= 0.1 + 1e-12


@pytest.mark.parametrize(
    "given",
    [
        {"n": 10, "errors": 11, "delta": 0.1},
        {"n": 10, "errors": -1, "delta": 0.1},
        {"n": 10, "errors": 1.5, "delta": 0.1},
        {"n": 0, "errors": 0, "delta": 0.1},
        {"n": 10, "errors": 1, "delta": 0.0},
        {"n": 10, "errors": 1, "delta": "5 %"},
        {"n": 10, "errors": 1},
        {"n": 10, "delta": 0.1, "risk": 0.01},
        {"errors": 1, "delta": 0.1, "risk": 0.0},
        {"errors": 1, "delta": 0.1, "risk": 1e-300},
        {"n": 10, "delta": 0.1, "risk": 0.5, "side": "lower"},
    ],
)
def test_what_makes_no_sense_is_refused_in_a_sentence(given):
    with pytest.raises((DataError, ParameterError), match=r"^clopper_pearson: .*; got"):
        clopper_pearson(**given)
