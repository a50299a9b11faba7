"""Adaptive sets: the bound on the misses holds on any stream, the worst ones too."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from oracles.conformal import GivenProbabilities, drawn_classes, given_regressor

from corollary import ConformalClassifier, ConformalRegressor
from corollary.core.errors import DataError, ParameterError
from corollary.theory import AdaptiveConformal


def regressor(n=99, delta=0.1, seed=0):
    y = np.random.default_rng(seed).normal(size=n)
    model = ConformalRegressor(given_regressor(), delta=delta, prefit=True)
    return model.fit(np.zeros((n, 1)), y)


def rows(T):
    return np.zeros((T, 1))


T = 600
RNG = np.random.default_rng(0)
STREAMS = {
    "as before": RNG.normal(size=T),
    "wild": 100 * RNG.normal(size=T),
    "drifting": np.linspace(1, 30, T) * RNG.normal(size=T),
    "always far": np.full(T, 1e6),
    "always on the spot": np.zeros(T),
    "far, then near": np.repeat([1e6, 0.0], T // 2),
    "to and fro": np.tile([1e6, 0.0], T // 2),
}


@pytest.mark.parametrize("window", [None, 50])
@pytest.mark.parametrize("gamma", [0.005, 0.05, 0.5])
@pytest.mark.parametrize("stream", STREAMS)
def test_misses_stay_within_the_bound_on_any_stream(stream, gamma, window):
    model = AdaptiveConformal(regressor(), gamma=gamma, window=window)
    found = model.follow(rows(T), STREAMS[stream])
    far = max(0.1, 0.9) + gamma
    for t in (1, 10, 100, T):
        assert abs(found.missed[:t].mean() - 0.1) <= far / (gamma * t) + 1e-9
    assert found.bound == pytest.approx(min(1, far / (gamma * T)))
    assert abs(found.miss_rate - 0.1) <= found.bound + 1e-9
    assert found.levels.min() >= -gamma - 1e-9
    assert found.levels.max() <= 1 + gamma + 1e-9


@pytest.mark.parametrize("worst", ["outside", "inside"])
def test_an_adversary_who_sees_every_interval_cannot_break_the_bound(worst):
    model = AdaptiveConformal(regressor(), gamma=0.05)
    misses = []
    for t in range(1, 801):
        low, high = model.predict_interval(rows(1))[0]
        room = np.isfinite(high)
        y = high + 1 if worst == "outside" and room else 0.0
        misses.append(not low <= y <= high)
        model.update([y])
        assert abs(np.mean(misses) - 0.1) <= (0.9 + 0.05) / (0.05 * t) + 1e-9
    assert model.miss_rate == np.mean(misses)
    assert abs(model.miss_rate - 0.1) <= model.bound


@given(
    y=st.lists(st.floats(-1e9, 1e9), min_size=1, max_size=80),
    gamma=st.floats(0.001, 2.0),
    delta=st.floats(0.01, 0.9),
)
@settings(deadline=None, max_examples=50)
def test_the_bound_holds_for_any_numbers(y, gamma, delta):
    found = AdaptiveConformal(regressor(200), gamma=gamma, delta=delta).follow(
        rows(len(y)), y
    )
    far = (max(delta, 1 - delta) + gamma) / (gamma * len(y))
    assert abs(found.miss_rate - delta) <= far + 1e-9


def test_fixed_sets_fail_where_adaptive_ones_hold():
    y = 5 * np.random.default_rng(1).normal(size=3000)
    model = regressor()
    low, high = model.predict_interval(rows(3000)).T
    assert np.mean((y < low) | (y > high)) > 0.5
    assert AdaptiveConformal(model, gamma=0.05).follow(rows(3000), y).miss_rate < 0.12


def test_one_row_at_a_time_is_the_whole_stream():
    y = np.random.default_rng(2).normal(size=60) * 3
    for window in (None, 20):
        whole = AdaptiveConformal(regressor(), window=window, gamma=0.1)
        found = whole.follow(rows(60), y)
        single = AdaptiveConformal(regressor(), window=window, gamma=0.1)
        for t in range(60):
            assert single.level == found.levels[t]
            low, high = single.predict_interval(rows(1))[0]
            assert (not low <= y[t] <= high) == found.missed[t]
            single.update(y[t])
        assert single.level == whole.level
        assert single.rows == whole.rows == 60


def test_the_level_follows_its_recursion():
    y = np.random.default_rng(3).normal(size=100) * 2
    found = AdaptiveConformal(regressor(), gamma=0.03).follow(rows(100), y)
    alpha = 0.1
    for t in range(100):
        assert found.levels[t] == pytest.approx(alpha)
        alpha += 0.03 * (0.1 - found.missed[t])


def test_batches_share_a_level():
    model = AdaptiveConformal(regressor(), gamma=0.05)
    misses = []
    for y in np.split(np.random.default_rng(4).normal(size=400) * 9, 40):
        low, high = model.predict_interval(rows(10)).T
        misses += ((y < low) | (y > high)).tolist()
        model.update(y)
    assert model.rows == 400
    assert model.bound == pytest.approx((0.9 + 10 * 0.05) / (0.05 * 400))
    assert abs(np.mean(misses) - 0.1) <= model.bound


@pytest.mark.parametrize("randomize", [False, True])
def test_sets_of_classes_follow_too(randomize):
    (P, y), (Z, _) = drawn_classes(200, 4, 0), drawn_classes(2000, 4, 1)
    base = GivenProbabilities().fit(P)
    model = ConformalClassifier(
        base,
        prefit=True,
        conformity_score="aps",
        randomize=randomize,
        random_state=0,
    ).fit(P, y)
    z = Z.argmin(axis=1)  # the least likely class
    found = AdaptiveConformal(model, gamma=0.05).follow(Z, z)
    assert abs(found.miss_rate - 0.1) <= found.bound
    single = AdaptiveConformal(model, gamma=0.05)
    for t in range(50):
        sets = single.predict_set(Z[t : t + 1])
        assert sets[0, z[t]] != found.missed[t]
        single.update([z[t]])


def test_bad_input_ends_in_one_sentence():
    model = regressor()
    with pytest.raises(ParameterError, match="gamma must be a number > 0"):
        AdaptiveConformal(model, gamma=0.0)
    with pytest.raises(ParameterError, match="window must be a whole number >= 1"):
        AdaptiveConformal(model, window=0)
    with pytest.raises(ParameterError, match="delta must be"):
        AdaptiveConformal(model, delta=1.0)
    with pytest.raises(DataError, match="update needs rows that a set was asked for"):
        AdaptiveConformal(model).update([1.0])
    with pytest.raises(ParameterError, match="predict_set needs a ConformalClassifier"):
        AdaptiveConformal(model).predict_set(rows(1))
    grouped = regressor().calibrate(rows(40), np.arange(40.0), groups=[0, 1] * 20)
    with pytest.raises(ParameterError, match="one calibration"):
        AdaptiveConformal(grouped)
    stream = AdaptiveConformal(model)
    stream.predict_interval(rows(2))
    with pytest.raises(ValueError, match="2"):
        stream.update([1.0])
    assert stream.update([1.0, 2.0]) == stream.level  # it is still asked
