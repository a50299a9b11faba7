"""Intervals for the area under the ROC curve."""

import time

import numpy as np
import pytest
from scipy.stats import norm
from sklearn.metrics import roc_auc_score

from corollary.core.errors import DataError, ParameterError
from corollary.theory import auc_interval


def drawn(rng, n, shift=1.0):
    y = (rng.random(n) < 0.4).astype(int)
    return y, np.round(shift * y + rng.normal(size=n), 1)


def naive(y, s):
    """Return the area and DeLong's variance from all pairs."""
    pos, neg = s[y == 1], s[y == 0]
    psi = (pos[:, None] > neg) + 0.5 * (pos[:, None] == neg)
    V, U = psi.mean(axis=1), psi.mean(axis=0)
    return psi.mean(), V.var(ddof=1) / len(V) + U.var(ddof=1) / len(U)


def test_delong_from_all_pairs():
    y, s = drawn(np.random.default_rng(0), 300)
    A, variance = naive(y, s)
    found = auc_interval(y, s, 0.1)
    step = norm.ppf(0.95) * np.sqrt(variance) / (A * (1 - A))
    logit = np.log(A / (1 - A))
    assert found.value == pytest.approx(A)
    ends = 1 / (1 + np.exp(-(logit + np.array([-step, step]))))
    assert (found.low, found.high) == pytest.approx(tuple(ends))


def test_hanley_mcneil_knows_the_spread_of_exponential_scores():
    rng = np.random.default_rng(1)
    y, areas, widths = np.repeat([0, 1], [58, 51]), [], []
    for _ in range(1500):
        s = rng.exponential(np.where(y == 1, 4.0, 1.0))
        found = auc_interval(y, s, method="hanley-mcneil")
        A = found.value
        ends = np.log([found.low / (1 - found.low), found.high / (1 - found.high)])
        areas.append(A)
        widths.append((ends[1] - ends[0]) / (2 * 1.96) * A * (1 - A))
    assert np.mean(widths) == pytest.approx(np.std(areas), rel=0.05)


@pytest.mark.parametrize("method", ["delong", "hanley-mcneil", "exact"])
@pytest.mark.parametrize("shift", [0.0, 1.0, 2.5])
def test_coverage(method, shift):
    rng = np.random.default_rng(4)
    truth = norm.cdf(shift / np.sqrt(2))
    draws, missed = 300, 0
    for _ in range(draws):
        y = np.repeat([0, 1], [300, 200])
        s = shift * y + rng.normal(size=500)
        missed += truth not in auc_interval(y, s, method=method)
    assert missed / draws <= (0.0 if method == "exact" else 0.085)
    assert method != "delong" or missed / draws >= 0.02


def test_the_exact_interval_is_mcdiarmids():
    y, s = drawn(np.random.default_rng(5), 400)
    m, n = (y == 1).sum(), (y == 0).sum()
    found = auc_interval(y, s, 0.05, method="exact")
    reach = np.sqrt((m + n) * np.log(40) / (2 * m * n))
    assert found.kind == "exact"
    assert found.high - found.low == pytest.approx(2 * reach)


def test_weights_repeat_in_value_and_match_the_bootstrap_in_width():
    rng = np.random.default_rng(6)
    y, s = drawn(rng, 2000)
    w = rng.exponential(size=2000)
    found = auc_interval(y, s, sample_weight=w)
    assert found.value == pytest.approx(roc_auc_score(y, s, sample_weight=w))
    again = []
    for _ in range(200):
        i = rng.integers(0, 2000, 2000)
        again.append(roc_auc_score(y[i], s[i], sample_weight=w[i]))
    assert found.width == pytest.approx(2 * 1.96 * np.std(again), rel=0.2)


def test_a_million_rows_take_one_sort():
    rng = np.random.default_rng(7)
    y = (rng.random(1_000_000) < 0.5).astype(int)
    s = y + rng.normal(size=1_000_000)
    start = time.perf_counter()
    found = auc_interval(y, s)
    assert time.perf_counter() - start < 5  # some 0.3 s on an idle core
    assert found.value == pytest.approx(norm.cdf(np.sqrt(0.5)), abs=0.002)
    assert found.width < 0.003


def test_one_row_of_each_class():
    found = auc_interval([0, 1], [0.2, 0.9])
    assert (found.low, found.high, found.kind) == (0.0, 1.0, "exact")


@pytest.mark.parametrize(
    ("y", "s", "more"),
    [
        ([0, 0], [0.1, 0.2], {}),
        ([0, 1, 2], [0.1, 0.2, 0.3], {}),
        ([0, 1], [0.1], {}),
        ([0, 1], [0.1, np.inf], {}),
        ([0, 1], [0.1, 0.2], {"method": "bootstrap"}),
        ([0, 1], [0.1, 0.2], {"method": "hanley-mcneil", "sample_weight": [1, 1]}),
        ([0, 1], [0.1, 0.2], {"sample_weight": [0, 1]}),
        ([0, 1], [0.1, 0.2], {"delta": 0}),
    ],
)
def test_what_makes_no_sense_is_refused_in_a_sentence(y, s, more):
    error = (DataError, ParameterError)
    with pytest.raises(error, match=r"^auc_interval: .*; got"):
        auc_interval(y, s, **more)
