"""VC bounds where hypotheses err."""

import numpy as np
import pytest

from corollary.core.errors import ParameterError
from corollary.theory import devroye, hoeffding, vc_bound, vc_gap


@pytest.mark.course("S1-44", "S3-106", "S4-55")
def test_the_gap_of_the_notes_and_its_inverse():
    for n, gap in ((100, 0.447), (1000, 0.164), (10_000, 0.0581)):
        found = vc_gap(m=n, d=3, delta=0.05)
        assert found == pytest.approx(gap, abs=6e-4 if gap > 0.1 else 6e-5)
        formula = np.sqrt((3 * (np.log(2 * n / 3) + 1) + np.log(4 / 0.05)) / n)
        assert found == pytest.approx(formula, rel=1e-14)
        assert vc_gap(d=3, epsilon=found, delta=0.05) == n
        assert vc_gap(m=n, epsilon=found, delta=0.05) == 3
        back = vc_gap(m=n, d=3, epsilon=found)
        assert back == pytest.approx(0.05, rel=1e-9)


@pytest.mark.course("S3-106")
def test_the_table_of_polynomials():
    gaps = vc_gap(m=50, d=[3, 6, 15, 45], delta=0.05)
    np.testing.assert_allclose(gaps, [0.5984, 0.7384, 0.9781, 1.3063], atol=5e-5)


@pytest.mark.course("S1-44", "S3-106")
def test_a_bound_on_the_risk_says_what_it_rests_on():
    bound = vc_bound(0.06, m=1000, d=3, delta=0.05)
    gap = vc_gap(m=1000, d=3, delta=0.05)
    assert bound.value == pytest.approx(0.06 + gap + 1 / 1000)
    assert not bound.vacuous
    assert any("0 or 1" in words for words in bound.assumptions)
    assert vc_bound(0.5, m=50, d=15).vacuous
    with pytest.warns(UserWarning, match="rows are no more than the VC dimension 10"):
        assert vc_bound(0.0, m=10, d=10).vacuous
    with pytest.warns(UserWarning, match="m = 3 rows"):
        assert vc_bound(0.0, m=3, d=1000).vacuous
    for wrong in (-0.1, 1.1, float("nan"), "x"):
        with pytest.raises(ParameterError, match="empirical_risk must be a number in"):
            vc_bound(wrong, m=10, d=3)
    with pytest.raises(ParameterError, match="single numbers"):
        vc_bound(0.1, m=[10, 20], d=3)


@pytest.mark.course("S1-44")
def test_more_dimensions_than_rows_never_help():
    gaps = vc_gap(m=20, d=[1, 5, 10, 20, 40, 41, 1000, 10**9], delta=0.05)
    assert (np.diff(gaps) >= 0).all()
    assert (gaps[3:] > 1).all()


def by_scan(d, epsilon, delta, tail):
    """Return one more than the last m at which (2) is above delta."""
    m = np.arange(1.0, 40_000)
    growth = np.where(m**2 >= d, d * np.log(np.e * m**2 / d), m**2)
    exponent = np.log(4) + 4 * epsilon + 4 * epsilon**2 + growth
    exponent -= 2 * m * epsilon**2 if tail == "e" else m * epsilon**2 / 2 * np.log(2)
    return int(m[exponent > np.log(delta)].max()) + 1


@pytest.mark.course("S0-61")
def test_devroyes_bound_and_the_weaker_tail_of_the_notes():
    assert devroye(d=2, epsilon=0.1, delta=0.05) == 1768
    two = {"tail": "powers_of_two"}
    assert devroye(d=2, epsilon=0.1, delta=0.05, **two) == 12_452
    for d, epsilon, delta in ((1, 0.3, 0.1), (2, 0.1, 0.05), (7, 0.2, 0.01)):
        given = {"d": d, "epsilon": epsilon, "delta": delta}
        assert devroye(**given) == by_scan(d, epsilon, delta, "e")
        assert devroye(**given, **two) == by_scan(d, epsilon, delta, "2")
    m, epsilon = 5000, 0.08
    expected = 4 * np.exp(4 * epsilon + 4 * epsilon**2 - 2 * m * epsilon**2)
    expected *= (np.e * m**2 / 2) ** 2
    assert devroye(m=m, d=2, epsilon=epsilon) == pytest.approx(expected, rel=1e-9)
    assert devroye(m=2, d=2, delta=0.1) == np.inf  # too few rows exclude nothing
    with pytest.raises(ParameterError, match="tail must be one of exponential, powers"):
        devroye(m=10, d=2, delta=0.1, tail="e")


@pytest.mark.course("S0-61", "S3-106")
def test_a_class_pays_for_its_size():
    for m in (500, 5000):
        one = hoeffding(m=m, delta=0.05)
        assert one < devroye(m=m, d=1, delta=0.05) < devroye(m=m, d=5, delta=0.05)
        assert one < vc_gap(m=m, d=1, delta=0.05)


def check_coverage(draws):
    """Steps x >= t (d = 1) on noisy labels: the largest deviation over all of them."""
    rng = np.random.default_rng(0)
    noise, target = 0.3, 0.4
    for m, delta in ((40, 0.2), (300, 0.5)):
        x = np.sort(rng.random((draws, m)), axis=1)
        y = (x >= target) ^ (rng.random((draws, m)) < noise)
        # errors of x >= t for t below all, between neighbours, above all
        wrong = np.cumsum(y, axis=1) - np.cumsum(~y, axis=1) + (~y).sum(1)[:, None]
        found = np.column_stack([(~y).sum(axis=1), wrong]) / m
        left = np.column_stack([np.zeros(draws), x])
        right = np.column_stack([x, np.ones(draws)])

        def true(t):
            return noise + (1 - 2 * noise) * np.abs(t - target)

        ends = np.maximum(true(left) - found, true(right) - found)
        above = ends.max(axis=1)  # risk beyond empirical risk
        inside = (left <= target) & (target <= right)
        least = np.where(inside, noise, np.minimum(true(left), true(right)))
        below = (found - least).max(axis=1)
        assert np.mean(above > vc_gap(m=m, d=1, delta=delta)) <= delta
        both = np.maximum(above, below)
        assert np.mean(both > devroye(m=m, d=1, delta=delta)) <= delta
        assert np.mean(both > hoeffding(m=m, delta=delta)) > 0.1 * delta


@pytest.mark.course("S0-61", "S1-44")
def test_no_hypothesis_strays_more_often_than_delta():
    check_coverage(1000)


@pytest.mark.slow
def test_no_hypothesis_strays_more_often_than_delta_in_many_draws():
    check_coverage(10_000)
