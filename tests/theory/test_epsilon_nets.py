"""Point sets that hit every region that matters."""

from itertools import combinations

import numpy as np
import pytest
from scipy.stats import norm

from corollary.core.errors import DataError, ParameterError
from corollary.theory import (
    check_interval_net,
    check_net,
    interval_net,
    random_net_size,
    realizable_bound,
    vc_realizable,
)


@pytest.mark.course("S0-60")
def test_intervals_against_a_fine_grid_of_intervals():
    rng = np.random.default_rng(0)
    ends = np.linspace(0, 1, 401)
    for _ in range(30):
        points = rng.random(rng.integers(1, 12))
        found = check_interval_net(points, 0.2)
        free = [0.0, *np.sort(points), 1.0]
        assert found.heaviest == pytest.approx(np.diff(free).max())
        a, b = np.triu_indices(len(ends), 1)
        empty = ~((points >= ends[a][:, None]) & (points <= ends[b][:, None])).any(1)
        heaviest = (ends[b] - ends[a])[empty].max()
        assert heaviest <= found.heaviest <= heaviest + 2 / 400 + 1e-12
        assert found.holds == (found.heaviest <= 0.2) == bool(found)
        low, high = found.region
        assert high - low == pytest.approx(found.heaviest)


@pytest.mark.course("S0-60")
@pytest.mark.parametrize("epsilon", [0.5, 0.3, 0.1, 0.013])
def test_the_grid_is_a_net_and_no_smaller_set_is(epsilon):
    net = interval_net(epsilon)
    assert check_interval_net(net, epsilon).holds
    assert len(net) == np.ceil(1 / epsilon - 1e-9) - 1
    for i in range(len(net)):
        assert not check_interval_net(np.delete(net, i), epsilon).holds
    rng = np.random.default_rng(0)
    for _ in range(20):
        assert not check_interval_net(rng.random(len(net) - 1), epsilon).holds
    normal = interval_net(epsilon, quantile=norm.ppf)
    line = {"low": -np.inf, "high": np.inf, "cdf": norm.cdf}
    assert check_interval_net(normal, epsilon, **line).holds
    assert not check_interval_net(normal, epsilon / 2, **line).holds
    moved = interval_net(epsilon, low=-3.0, high=5.0)
    assert check_interval_net(moved, epsilon, low=-3.0, high=5.0).holds


@pytest.mark.course("S0-60")
def test_a_hypothesis_that_agrees_on_a_net_errs_less_than_epsilon():
    """Where two intervals differ is two intervals: a net of epsilon / 2 is needed."""
    rng = np.random.default_rng(1)
    epsilon = 0.2
    net = interval_net(epsilon / 2)
    worst = 0.0
    for _ in range(20_000):
        target, h = np.sort(rng.random(2)), np.sort(rng.random(2))
        inside = (net >= target[0]) & (net <= target[1])
        if (inside == ((net >= h[0]) & (net <= h[1]))).all():
            shared = max(0.0, min(target[1], h[1]) - max(target[0], h[0]))
            error = np.diff(target)[0] + np.diff(h)[0] - 2 * shared
            worst = max(worst, error)
    assert epsilon / 2 < worst <= epsilon  # a net of epsilon alone would not do


@pytest.mark.course("S0-60")
def test_finite_regions_one_by_one():
    rng = np.random.default_rng(2)
    for _ in range(50):
        regions = rng.integers(0, 2, (12, 7))
        weights = rng.dirichlet(np.ones(7))
        chosen = np.flatnonzero(rng.random(7) < 0.3)
        found = check_net(chosen, regions, 0.4, weights=weights)
        missed = [
            float(sum(weights[i] for i in np.flatnonzero(region)))
            for region in regions
            if not set(np.flatnonzero(region)) & set(chosen)
        ]
        assert found.heaviest == pytest.approx(max(missed, default=0.0))
        assert found.holds == (max(missed, default=0.0) < 0.4)
    pairs = np.zeros((6, 4), dtype=int)  # all pairs of four points
    for row, pair in zip(pairs, combinations(range(4), 2), strict=True):
        row[list(pair)] = 1
    assert check_net([0, 1, 2], pairs, 0.5).holds
    assert not check_net([0, 1], pairs, 0.5).holds
    assert check_net([0, 1], pairs, 0.51).holds  # light regions need no point
    assert "no epsilon-net" in str(check_net([], pairs, 0.5))


def check_random(draws):
    rng = np.random.default_rng(3)
    epsilon, delta = 0.15, 0.2
    m = random_net_size(epsilon=epsilon, delta=delta, d=2)
    assert m == vc_realizable(d=2, epsilon=epsilon, delta=delta, growth="sauer")
    for rows in (m, m // 4):
        x = np.sort(rng.random((draws, rows)), axis=1)
        gaps = np.diff(x, axis=1, prepend=0.0, append=1.0).max(axis=1)
        assert np.mean(gaps > epsilon) <= delta
    k = 10  # disjoint regions of one weight: nearly attained
    m = random_net_size(epsilon=0.1, delta=delta, regions=k)
    assert m == realizable_bound(epsilon=0.1, delta=delta, hypotheses=k)
    cells = rng.integers(0, 10, (draws, m))
    missed = np.mean([len(np.unique(row)) < 10 for row in cells])
    assert delta / 3 < missed <= delta


@pytest.mark.course("S0-60")
def test_random_rows_are_a_net():
    check_random(1000)


@pytest.mark.slow
def test_random_rows_are_a_net_in_many_draws():
    check_random(10_000)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: check_interval_net([0.5], 0.0), "epsilon must be > 0 and < 1"),
        (lambda: check_interval_net([0.5], [0.1, 0.2]), "epsilon must be one number"),
        (lambda: check_interval_net(["x"], 0.1), "points must hold numbers"),
        (lambda: check_interval_net([0.5], 0.1, low=2.0), "low must be below high"),
        (lambda: check_interval_net([0.5], 0.1, high=np.inf), "both finite unless"),
        (
            lambda: check_interval_net([0.4, 0.5], 0.1, cdf=lambda x: -x),
            "cdf must rise from 0 to 1",
        ),
        (lambda: interval_net(1e-12), "at most 100000000 points"),
        (lambda: interval_net(0.1, low=1.0, high=0.0), "low must be below high"),
        (lambda: check_net([0], [[0, 2]], 0.1), "a table of 0 and 1"),
        (lambda: check_net([5], [[0, 1]], 0.1), "numbers below 2; got 5."),
        (lambda: check_net([0.5], [[0, 1]], 0.1), "chosen must be a vector"),
        (lambda: check_net([0], [[0, 1]], 0.1, weights=[1.0]), "for each of 2"),
        (lambda: random_net_size(epsilon=0.1, delta=0.1), "got neither"),
        (
            lambda: random_net_size(epsilon=0.1, delta=0.1, d=1, regions=2),
            "got both",
        ),
    ],
)
def test_bad_input(call, words):
    with pytest.raises((DataError, ParameterError)) as error:
        call()
    assert words in str(error.value)
