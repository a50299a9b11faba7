"""Rademacher complexity: how well a class of functions follows pure noise."""

import itertools

import numpy as np
import pytest

from corollary import DecisionStumpClassifier
from corollary.core.errors import DataError, ParameterError
from corollary.kernels import Gaussian
from corollary.theory import (
    finite_complexity,
    kernel_complexity,
    linear_complexity,
    massart,
    oracle_complexity,
    rademacher_bound,
    stump_complexity,
)


def all_signs(n):
    return np.array(list(itertools.product([-1.0, 1.0], repeat=n)))


def all_stumps(X):
    """Return what every stump says of the rows, one row for each stump."""
    said = [np.ones(len(X))]
    for x in X.T:
        said += [np.where(x > t, 1.0, -1.0) for t in np.unique(x)]
    return np.concatenate([said, np.negative(said)])


def naive(F):
    """Return (1) of a list of functions from all sign vectors."""
    return (all_signs(F.shape[1]) @ F.T).max(axis=1).mean() / F.shape[1]


@pytest.mark.course("S2-24")
@pytest.mark.parametrize("seed", range(4))
def test_stumps_by_sweep_are_the_sup_over_every_stump(seed):
    rng = np.random.default_rng(seed)
    X = np.round(rng.normal(size=(9, 3)), seed % 2)  # with ties
    found = stump_complexity(X)
    assert found.draws == 0
    assert found.value == pytest.approx(naive(all_stumps(X)))
    F = all_stumps(X)
    assert finite_complexity(F).value == pytest.approx(found.value)
    oracle = oracle_complexity(DecisionStumpClassifier(), X[:6], exact=True)
    assert oracle.value == pytest.approx(stump_complexity(X[:6]).value)


@pytest.mark.course("S2-24")
def test_the_kernel_ball_lies_between_khintchine_and_jensen():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(12, 2))
    kernel = Gaussian(sigma=1.0)
    K = np.asarray(kernel(X, X))
    found = kernel_complexity(X, 3.0, kernel=kernel)
    signs = all_signs(12)
    expected = 3 / 12 * np.mean([np.sqrt(max(s @ K @ s, 0)) for s in signs])
    assert found.value == pytest.approx(expected)
    assert found.upper == pytest.approx(3 * np.sqrt(np.trace(K)) / 12)
    assert found.lower == pytest.approx(found.upper / np.sqrt(2))
    assert found.lower <= found.value <= found.upper
    assert kernel_complexity(K, 3.0).value == pytest.approx(found.value)


@pytest.mark.parametrize("norm", ["l2", "l1"])
def test_linear_balls(norm):
    rng = np.random.default_rng(2)
    X = rng.normal(size=(10, 3))
    S = np.abs(all_signs(10) @ X)
    sup = S.max(axis=1) if norm == "l1" else np.sqrt((S**2).sum(axis=1))
    found = linear_complexity(X, 2.0, norm=norm)
    assert found.value == pytest.approx(2 / 10 * sup.mean())
    assert found.lower <= found.value <= found.upper
    if norm == "l2":
        assert kernel_complexity(X @ X.T, 2.0).value == pytest.approx(found.value)


def test_draws_come_near_the_exact_number_and_their_slack_covers_it(monkeypatch):
    X = np.random.default_rng(3).normal(size=(14, 2))
    exact = stump_complexity(X).value
    K = X @ X.T
    exact_ball = kernel_complexity(K).value
    monkeypatch.setattr("corollary.theory.rademacher.ALL_SIGNS", 2)
    missed = wide = 0
    for seed in range(100):
        found = stump_complexity(X, n_draws=20, random_state=seed)
        missed += found.above(0.1) < exact
        ball = kernel_complexity(K, n_draws=20, random_state=seed)
        wide += ball.value + ball.slack(0.1) < exact_ball
    assert max(missed, wide) <= 10 + 7
    assert found.value == pytest.approx(exact, abs=0.1)
    assert found.slack(0.1) == pytest.approx(np.sqrt(2 * np.log(10) / (14 * 20)))


def test_draws_repeat_with_their_seed():
    X = np.random.default_rng(4).normal(size=(50, 2))
    one, two = (stump_complexity(X, n_draws=9, random_state=5) for _ in range(2))
    assert one == two
    assert one != stump_complexity(X, n_draws=9, random_state=6)


def test_more_functions_follow_noise_better_and_massart_bounds_them():
    rng = np.random.default_rng(5)
    F = np.sign(rng.normal(size=(64, 12)))
    values = [finite_complexity(F[:M]).value for M in (1, 4, 16, 64)]
    assert values[0] == pytest.approx(0)
    assert np.all(np.diff(values) > 0)
    for M, value in zip((1, 4, 16, 64), values, strict=True):
        assert value <= massart(12, M) + 1e-12
        assert finite_complexity(F[:M]).upper == pytest.approx(massart(12, M))
    # n + 1 cuts of one feature, two polarities: 2 n behaviours
    X = np.arange(14.0)[:, None]
    assert stump_complexity(X).value <= massart(14, 28)


@pytest.mark.course("S2-24")
def test_complexity_falls_as_the_root_of_the_rows():
    rng = np.random.default_rng(6)
    small = stump_complexity(rng.normal(size=(200, 3)), n_draws=100, random_state=0)
    large = stump_complexity(rng.normal(size=(3200, 3)), n_draws=100, random_state=0)
    assert small.value / large.value == pytest.approx(4, rel=0.15)


def worst(rng, n, noise):
    """Fit the best stump and return its training error, risk, and the rows."""
    x = rng.random(n)
    y = np.where((x > 0.5) ^ (rng.random(n) < noise), 1, -1)
    model = DecisionStumpClassifier().fit(x[:, None], y)
    t, a = model.threshold_, model.polarity_
    t = min(max(t, 0.0), 1.0)
    clean = abs(t - 0.5) if a == 1 else 1 - abs(t - 0.5)
    return model.error_, noise + (1 - 2 * noise) * clean, x[:, None]


@pytest.mark.parametrize("noise", [0.0, 0.3, 0.5])
def test_the_bound_holds_for_the_stump_that_was_fitted(noise):
    rng, missed = np.random.default_rng(7), 0
    for seed in range(40):
        error, risk, X = worst(rng, 60, noise)
        R = stump_complexity(X, n_draws=30, random_state=seed)
        missed += rademacher_bound(error, R, 60, 0.1).value < risk
    assert missed <= 4 + 4


@pytest.mark.slow
@pytest.mark.parametrize("noise", [0.0, 0.3, 0.5])
def test_the_bound_with_a_known_complexity_holds_over_many_draws(noise):
    rng, missed, draws = np.random.default_rng(8), 0, 10_000
    for _ in range(draws):
        error, risk, _ = worst(rng, 40, noise)
        bound = rademacher_bound(error, massart(40, 80), 40, 0.1, expected=True)
        missed += bound.value < risk
    assert missed <= 0.1 * draws


def test_formulas_of_the_bounds():
    expected = 0.1 + 2 * 0.05 + np.sqrt(np.log(20) / 2000)
    found = rademacher_bound(0.1, 0.05, 1000, 0.05, lipschitz=1.0, expected=True)
    assert found.value == pytest.approx(expected)
    found = rademacher_bound(0.1, 0.05, 1000, 0.05)
    assert found.value == pytest.approx(0.1 + 0.05 + 3 * np.sqrt(np.log(40) / 2000))
    assert found.holds
    wide = rademacher_bound(0.1, 0.05, 1000, 0.05, largest=5)
    assert wide.value == pytest.approx(0.15 + 15 * np.sqrt(np.log(40) / 2000))
    R = oracle_complexity(DecisionStumpClassifier(), [[1.0], [2.0]])
    assert not rademacher_bound(0.1, R, 2).holds


@pytest.mark.parametrize(
    "call",
    [
        lambda: stump_complexity([[np.nan]]),
        lambda: stump_complexity([["a"]]),
        lambda: stump_complexity(np.zeros((0, 2))),
        lambda: stump_complexity([[1.0]], n_draws=0),
        lambda: stump_complexity([[1.0]], random_state="seed"),
        lambda: kernel_complexity(np.ones((3, 2))),
        lambda: kernel_complexity([[1.0, 2.0], [0.0, 1.0]]),
        lambda: kernel_complexity(np.eye(2), radius=-1),
        lambda: linear_complexity([[1.0]], norm="l3"),
        lambda: oracle_complexity(DecisionStumpClassifier, [[1.0]]),
        lambda: massart(0, 10),
        lambda: rademacher_bound(1.2, 0.1, 10),
        lambda: rademacher_bound(0.2, -0.1, 10),
        lambda: rademacher_bound(0.2, 0.1, 10, 2.0),
        lambda: rademacher_bound(0.2, stump_complexity([[1.0]]), 10),
        lambda: rademacher_bound(0.2, stump_complexity([[1.0]]), 1, expected=True),
    ],
)
def test_what_makes_no_sense_is_refused_in_a_sentence(call):
    with pytest.raises((DataError, ParameterError), match=r"^[\w ]+: .*; got"):
        call()
