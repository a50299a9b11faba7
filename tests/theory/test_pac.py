"""Bounds for finitely many hypotheses."""

from itertools import product

import numpy as np
import pytest

from corollary.core.errors import ParameterError
from corollary.theory import (
    agnostic_bound,
    conjunction_count,
    realizable_bound,
    uniform_deviation,
)


@pytest.mark.course("S0-52")
def test_conjunctions_of_ten_variables():
    given = {"epsilon": 0.1, "delta": 0.05, "hypotheses": conjunction_count(10)}
    assert realizable_bound(**given) == 140  # 139.8
    assert agnostic_bound(**given) == 2936  # 2935.0
    assert uniform_deviation(**given) == 734
    k = given["hypotheses"]
    assert realizable_bound(m=140, epsilon=0.1, hypotheses=k) == pytest.approx(
        k * np.exp(-14), rel=1e-12
    )
    assert agnostic_bound(m=2936, delta=0.05, hypotheses=k) == pytest.approx(
        2 * np.sqrt(np.log(2 * k / 0.05) / (2 * 2936)), rel=1e-12
    )


@pytest.mark.course("S4-54", "S3-103")
def test_every_direction_of_the_finite_class_bound():
    given = {"epsilon": 0.05, "delta": 0.05, "hypotheses": 10**4}
    assert uniform_deviation(**given) == 2580
    back = uniform_deviation(m=2580, delta=0.05, hypotheses=10**4)
    assert back == pytest.approx(0.0500, abs=5e-5)
    assert uniform_deviation(m=2580, epsilon=0.05, hypotheses=10**4) <= 0.05
    k = uniform_deviation(m=2580, epsilon=0.05, delta=0.05)
    assert k == int(0.05 / 2 * np.exp(2 * 0.05**2 * 2580)) >= 10**4
    found = uniform_deviation(m=100, delta=0.05, hypotheses=10)
    assert found == pytest.approx(0.1731, abs=5e-5)
    same = np.sqrt((np.log(10) + np.log(2 / 0.05)) / 200)
    assert found == pytest.approx(same, rel=1e-14)


def check_realizable(draws):
    """Independent hypotheses that all err epsilon: the bound is nearly attained."""
    rng = np.random.default_rng(0)
    k, epsilon, delta = 20, 0.1, 0.2
    m = realizable_bound(epsilon=epsilon, delta=delta, hypotheses=k)
    errors = rng.binomial(m, epsilon, (draws, k))
    looks_perfect = (errors == 0).any(axis=1).mean()
    assert delta / 3 < looks_perfect <= delta


def check_uniform(draws):
    rng = np.random.default_rng(1)
    risks = np.linspace(0.1, 0.6, 30)
    delta = 0.1
    for m in (20, 200):
        found = rng.binomial(m, risks, (draws, len(risks))) / m
        gap = uniform_deviation(m=m, delta=delta, hypotheses=len(risks))
        assert np.mean(np.abs(found - risks).max(axis=1) > gap) <= delta
        best = risks[found.argmin(axis=1)]  # ERM
        regret = agnostic_bound(m=m, delta=delta, hypotheses=len(risks))
        assert regret == pytest.approx(2 * gap)
        assert np.mean(best > risks.min() + regret) <= delta


@pytest.mark.course("S0-52", "S3-103", "S4-54")
def test_the_bounds_fail_no_more_often_than_delta():
    check_realizable(1500)
    check_uniform(1500)


@pytest.mark.slow
def test_the_bounds_fail_no_more_often_than_delta_in_many_draws():
    check_realizable(10_000)
    check_uniform(10_000)


def functions(n):
    """Return the distinct Boolean functions that conjunctions of n variables are."""
    points = np.array(list(product((0, 1), repeat=n)))
    found = set()
    for choice in product((None, 0, 1), repeat=n):  # absent, negated, plain
        rows = [points[:, i] == c for i, c in enumerate(choice) if c is not None]
        found.add(tuple(np.all(rows, axis=0)) if rows else (True,) * len(points))
    return found


@pytest.mark.course("S0-52")
@pytest.mark.parametrize("n", [1, 2, 4])
def test_there_are_three_to_the_n_and_the_one_that_is_never_true(n):
    assert conjunction_count(n) == len(functions(n)) == 3**n
    never = (False,) * 2**n
    assert conjunction_count(n, always_false=True) == len(functions(n) | {never})


def test_bad_input():
    for n in (-1, 2.5, "x", 10**9):
        with pytest.raises(ParameterError, match="n must be"):
            conjunction_count(n)
