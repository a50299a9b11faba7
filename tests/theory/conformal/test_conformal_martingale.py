"""The conformal martingale: a fair bet on exchangeable streams, on no others."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from corollary.core.errors import DataError, ParameterError
from corollary.theory import conformal_martingale, conformal_p_values
from corollary.theory.conformal.conformal_martingale import earlier

METHODS = ["plug-in", "mixture", "power"]


@given(s=st.lists(st.integers(0, 6), min_size=1, max_size=70))
@settings(deadline=None)
def test_earlier_scores_are_counted(s):
    below, equal = earlier(np.array(s, dtype=float))
    assert below.tolist() == [sum(a < b for a in s[:t]) for t, b in enumerate(s)]
    assert equal.tolist() == [sum(a == b for a in s[:t]) for t, b in enumerate(s)]


@pytest.mark.parametrize("ties", [False, True])
def test_p_values_are_the_definition_and_uniform(ties):
    rng = np.random.default_rng(0)
    s = rng.integers(0, 4, size=3000) if ties else rng.normal(size=3000)
    p = conformal_p_values(s, random_state=0)
    assert stats.kstest(p, "uniform").pvalue > 0.01
    assert abs(np.corrcoef(p[1:], p[:-1])[0, 1]) < 0.06
    t = np.arange(1, 3001)
    low = np.array([np.sum(s[:i] > s[i]) for i in range(3000)]) / t
    high = np.array([1 + np.sum(s[:i] >= s[i]) for i in range(3000)]) / t
    assert ((low <= p + 1e-12) & (p <= high + 1e-12)).all()


@pytest.mark.parametrize("method", METHODS)
def test_the_path_is_a_naive_bet(method):
    rng = np.random.default_rng(1)
    found = conformal_martingale(rng.normal(size=60), method=method, random_state=0)
    p, M = found.p_values, []
    if method == "plug-in":
        counts, value = np.ones(10), 1.0
        for one in p:
            b = min(int(one * 10), 9)
            value *= counts[b] / counts.sum() * 10
            counts[b] += 1
            M.append(value)
    else:
        every = (np.arange(50) + 0.5) / 50 if method == "mixture" else np.array([0.5])
        values = np.ones(len(every))
        for one in p:
            values = values * every * one ** (every - 1)
            M.append(values.mean())
    np.testing.assert_allclose(np.exp(found.log_martingale), M, rtol=1e-9)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("draws", [300, pytest.param(10_000, marks=pytest.mark.slow)])
def test_exchangeable_streams_are_refuted_no_more_often_than_delta(method, draws):
    rng = np.random.default_rng(2)
    p = [
        conformal_martingale(
            rng.integers(0, 20, size=200), method=method, delta=0.1, random_state=i
        ).verdict.p_value
        for i in range(draws)
    ]
    for delta in (0.05, 0.1, 0.3):
        share = np.mean(np.array(p) <= delta)
        assert share <= delta + 3 * np.sqrt(delta * (1 - delta) / draws)


@pytest.mark.parametrize("method", METHODS)
def test_a_change_is_found_soon_after_it(method):
    rng = np.random.default_rng(3)
    s = rng.normal(size=1000) + 2 * (np.arange(1000) >= 400)
    found = conformal_martingale(s, method=method, delta=0.01, random_state=0).verdict
    assert found.verdict == "refuted"
    assert 400 <= found.where < 600
    assert found.p_value <= 0.01
    assert f"refuted at row {found.where}" in str(found)
    before = conformal_martingale(s[:400], method=method, random_state=0).verdict
    assert (before.verdict, before.where) == ("not refuted", None)


def test_scores_that_shrink_are_seen_by_the_histogram():
    rng = np.random.default_rng(4)
    s = rng.normal(size=2000) * np.repeat([1.0, 0.05], 1000)
    assert conformal_martingale(np.abs(s), random_state=0).verdict.refuted
    assert not conformal_martingale(
        np.abs(s), method="power", random_state=0
    ).verdict.refuted


def test_it_draws_itself():
    pytest.importorskip("matplotlib").use("agg")
    ax = conformal_martingale(np.arange(50.0), random_state=0).plot()
    assert len(ax.lines) == 2
    import matplotlib.pyplot as plt

    plt.close(ax.figure)


def test_bad_input_ends_in_one_sentence():
    with pytest.raises(DataError, match="got NaN in row 1"):
        conformal_martingale([1.0, np.nan])
    for option, value in (
        ("method", "bold"),
        ("epsilon", 1.0),
        ("bins", 1),
        ("delta", 2),
    ):
        with pytest.raises(ParameterError, match=f"{option} must be"):
            conformal_martingale([1.0, 2.0], **{option: value})
