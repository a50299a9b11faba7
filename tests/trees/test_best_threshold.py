"""Thresholds on one feature against the tables of the fish and a naive search."""

import numpy as np
import pytest

from corollary import DataError
from corollary.trees import best_threshold, best_threshold_of_counts

LENGTH = [2, 4, 8, 10, 12, 14], [[0, 1, 3, 8, 10, 5], [2, 5, 10, 5, 1, 0]]
LIGHT = [1, 2, 3, 4, 5], [[0, 1, 2, 10, 12], [6, 10, 6, 1, 0]]
FISH = "bass", "salmon"


@pytest.mark.course("S3-3")
def test_length_of_fish():
    best = best_threshold_of_counts(*LENGTH, FISH)
    assert best.errors_at(5) == 17  # 1 bass and 16 salmon of 50
    assert (best.errors, best.error) == (10, 0.2)
    assert best.threshold == 9
    assert (best.below, best.above) == ("salmon", "bass")
    (interval,) = best.intervals
    assert (interval.low, interval.high) == (8, 10)


@pytest.mark.course("S3-3")
def test_lightness_of_fish():
    best = best_threshold_of_counts(*LIGHT, FISH)
    assert best.threshold == 3.5
    assert best.errors == 4
    assert best.error == pytest.approx(4 / 48)
    assert best.predict([1, 5]).tolist() == ["salmon", "bass"]


@pytest.mark.course("S3-3")
def test_rows_and_counts_agree():
    values, counts = LENGTH
    x = np.concatenate([np.repeat(values, row) for row in counts])
    y = np.repeat(FISH, np.sum(counts, axis=1))
    rows = best_threshold(x, y)
    table = best_threshold_of_counts(values, counts, FISH)
    assert rows.intervals == table.intervals
    assert (rows.errors, rows.threshold) == (table.errors, table.threshold)
    pairs = np.tile(values, 2), np.repeat(FISH, len(values)), np.ravel(counts)
    assert best_threshold(*pairs).intervals == table.intervals


@pytest.mark.course("S3-3")
@pytest.mark.parametrize("seed", range(20))
def test_every_threshold_of_least_error_and_no_other(seed):
    rng = np.random.default_rng(seed)
    x, y = rng.integers(0, 6, 12).astype(float), rng.integers(0, 2, 12)
    y[:2] = 0, 1
    w = rng.integers(1, 4, 12).astype(float)
    best = best_threshold(x, y, w)
    tried = {
        (t, above): w[np.where(x > t, above, 1 - above) != y].sum()
        for t in np.arange(-0.75, 6.5, 0.25)
        for above in (0, 1)
    }
    assert best.errors == min(tried.values())
    assert best.errors == w[best.predict(x) != y].sum()
    for (t, above), errors in tried.items():
        inside = any(i.low <= t < i.high and i.above == above for i in best.intervals)
        assert inside == (errors == best.errors)
        assert best.errors_at(t, above) == errors


def test_constant_where_no_threshold_helps():
    best = best_threshold([1.0, 1.0, 1.0], [0, 0, 1])
    assert best.errors == 1
    assert best.predict([0.5, 1.0, 2.0])[1] == 0
    assert {i.above for i in best.intervals} == {0, 1}  # all below or all above


def test_prints_as_a_sentence():
    text = str(best_threshold_of_counts(*LENGTH, FISH))
    assert text.splitlines() == [
        "x > 9: bass, else salmon; error 10 of 50 (20.0%)",
        "  [8, 10)  above: bass",
    ]


@pytest.mark.parametrize(
    ("arguments", "part"),
    [
        (([2, 1], [[1, 1], [1, 1]]), "must rise"),
        (([1, 2], [[1, -1], [1, 1]]), ">= 0"),
        (([1, 2], [[0, 0], [0, 0]]), "not all be 0"),
        (([1, np.nan], [[0, 1], [1, 0]]), "finite"),
        (([1, 2], [[1, 1]]), "two named classes"),
        (([], [[], []]), "two named classes"),
    ],
)
def test_refuses(arguments, part):
    with pytest.raises(DataError, match=part):
        best_threshold_of_counts(*arguments)


def test_refuses_rows():
    with pytest.raises(DataError, match="two classes"):
        best_threshold([1, 2], [1, 1])
    with pytest.raises(DataError, match="one length"):
        best_threshold([1, 2], [1])
    with pytest.raises(DataError, match="sample_weight"):
        best_threshold([1, 2], [0, 1], [1])
    with pytest.raises(DataError, match="above must be"):
        best_threshold([1, 2], [0, 1]).errors_at(1, above="x")
