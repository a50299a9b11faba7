"""The permutation test of exchangeability: exact, and not blind."""

from itertools import combinations

import numpy as np
import pytest
from scipy import stats

from corollary.core.errors import DataError, ParameterError
from corollary.theory import exchangeability_test

STATISTICS = ["rank-sum", "kolmogorov-smirnov"]


def naive(statistic, new, old):
    if statistic == "kolmogorov-smirnov":
        return stats.ks_2samp(new, old).statistic
    ranks = stats.rankdata(np.concatenate([new, old]))
    return abs(ranks[: len(new)].sum() - len(new) * (len(ranks) + 1) / 2)


@pytest.mark.parametrize("statistic", STATISTICS)
def test_the_p_value_is_that_of_all_permutations(statistic):
    rng = np.random.default_rng(0)
    for shift in (0, 1, 2):
        old, new = rng.integers(0, 9, size=6), rng.integers(0, 9, size=4) + shift
        every, T = np.concatenate([new, old]), naive(statistic, new, old)
        count = [
            naive(statistic, every[list(rows)], np.delete(every, list(rows)))
            >= T - 1e-9
            for rows in combinations(range(10), 4)
        ]
        found = exchangeability_test(
            old, new, statistic=statistic, permutations=20_000, random_state=0
        )
        assert found.statistic == pytest.approx(T)
        assert found.p_value == pytest.approx(np.mean(count), abs=0.015)


@pytest.mark.parametrize("statistic", STATISTICS)
@pytest.mark.parametrize("ties", [False, True])
@pytest.mark.parametrize("draws", [600, pytest.param(10_000, marks=pytest.mark.slow)])
def test_what_is_true_is_refuted_no_more_often_than_delta(statistic, ties, draws):
    rng = np.random.default_rng(1)
    p = np.empty(draws)
    for i in range(draws):
        s = rng.integers(0, 3, size=30) if ties else rng.exponential(size=30)
        p[i] = exchangeability_test(
            s[:20], s[20:], statistic=statistic, permutations=39, random_state=i
        ).p_value
    for delta in (0.05, 0.1, 0.5):
        most = delta + 3 * np.sqrt(delta * (1 - delta) / draws)
        assert np.mean(p <= delta) <= most
    if not ties and statistic == "rank-sum":
        assert np.mean(p <= 0.5) > 0.4


def test_changes_are_seen():
    rng = np.random.default_rng(2)
    old = rng.normal(size=300)
    moved = exchangeability_test(old, rng.normal(0.5, size=200), random_state=0)
    assert (moved.verdict, moved.refuted, moved.where) == ("refuted", True, None)
    assert moved.p_value == 1 / 1000
    wider = {
        name: exchangeability_test(
            old, 3 * rng.normal(size=200), statistic=name, random_state=0
        ).refuted
        for name in STATISTICS
    }
    assert wider == {"rank-sum": False, "kolmogorov-smirnov": True}
    assert "not refuted" in str(exchangeability_test(old, old + 0, random_state=0))


def test_many_permutations_in_blocks_are_the_same_test():
    rng = np.random.default_rng(3)
    found = exchangeability_test(
        rng.normal(size=60_000),
        rng.normal(size=40_000),
        permutations=50,
        random_state=0,
    )
    assert found.rows == 100_000
    assert 1 / 51 <= found.p_value <= 1


def test_bad_input_ends_in_one_sentence():
    for bad, words in (
        ({"scores": [], "new_scores": [1.0]}, "scores must be one number"),
        ({"scores": [1.0], "new_scores": [np.nan]}, "new_scores must be numbers"),
        ({"scores": [1.0], "new_scores": "ab"}, "new_scores must be numbers"),
    ):
        with pytest.raises(DataError, match=words):
            exchangeability_test(**bad)
    for option, value in (("statistic", "t"), ("permutations", 0), ("delta", 0)):
        with pytest.raises(ParameterError, match=f"{option} must be"):
            exchangeability_test([1.0], [2.0], **{option: value})
