"""Wrong labels: their share is estimated, and overlap of the classes is not blamed."""

import numpy as np
import pytest
from scipy.stats import chi2
from threadpoolctl import threadpool_limits

from corollary.diagnostics.label_lapses import label_lapses


@pytest.fixture(autouse=True)
def one_thread():
    """Small matrices are faster without threads, above all on a busy machine."""
    with threadpool_limits(1, "blas"):
        yield


def draw(n, k, share, seed, slope=4.0):
    rng = np.random.default_rng(seed)
    s = slope * rng.normal(size=(n, k))
    p = np.exp(s) / np.exp(s).sum(axis=1, keepdims=True)
    y = (rng.uniform(size=(n, 1)) > p.cumsum(axis=1)).sum(axis=1)
    wrong = rng.uniform(size=n) < share
    given = np.where(wrong, (y + rng.integers(1, k, size=n)) % k, y)
    return p, given, wrong


@pytest.mark.parametrize("k", [2, 3, 5])
def test_the_share_of_wrong_labels_is_found(k):
    p, given, wrong = draw(4_000, k, 0.15, k)
    found = label_lapses(p, given)
    assert found.share == pytest.approx(0.15, abs=0.02)
    assert found.evidence > 100
    told = found.wrong > 0.5
    assert wrong[told].mean() == pytest.approx(found.wrong[told].mean(), abs=0.05)
    assert wrong[told].mean() > 0.8
    assert found.wrong.mean() == pytest.approx(wrong.mean(), abs=0.02)


def test_scores_that_are_too_bold_or_too_shy_are_corrected():
    p, given, _ = draw(4_000, 2, 0.1, 3)
    for power in (0.3, 1.5):
        q = p**power / (p**power).sum(axis=1, keepdims=True)
        assert label_lapses(q, given).share == pytest.approx(0.1, abs=0.02)


def test_overlap_alone_is_not_taken_for_wrong_labels():
    """The share must not be below 0, so that most statistics are 0, few are large."""
    found = np.array(
        [label_lapses(*draw(300, 2, 0.0, s, slope=1.0)[:2]).evidence for s in range(50)]
    )
    assert np.mean(found < 1e-3) > 0.4
    assert np.mean(found > chi2.ppf(0.9, 1)) <= 0.1 + 2 * np.sqrt(0.1 * 0.9 / 50)
    assert np.mean(found > 7.5) <= 0.04
