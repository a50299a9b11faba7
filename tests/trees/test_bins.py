"""Bins: exact where values are few, by rank where many, the same everywhere."""

import numpy as np
import pandas as pd
import pytest

import corollary
from corollary import HistGradientBoostingRegressor
from corollary.trees.bins import edges_of


@pytest.fixture
def rng():
    return np.random.default_rng(0)


def bins_of(X, **options):
    model = HistGradientBoostingRegressor(max_iter=1, random_state=0, **options)
    return model.fit(X, np.arange(len(X))).trees_.bins


def test_few_values_have_a_bin_each_and_edges_half_way():
    X = np.array([[3.0], [1.0], [np.nan], [7.0], [3.0]])
    bins = bins_of(X)
    assert bins.counts.tolist() == [3]
    assert bins.edges[0, :2].tolist() == [2.0, 5.0]
    codes = bins.codes(np.array([[0.0], [2.0], [2.1], [5.0], [9.0], [np.nan]]))
    assert codes[0].tolist() == [0, 0, 1, 1, 2, 3]


def test_codes_count_the_edges_below(rng):
    X = rng.normal(size=(5000, 3)) ** 3
    bins = bins_of(X)
    for x, edges, k, codes in zip(
        X.T, bins.edges, bins.counts, bins.codes(X), strict=True
    ):
        assert k == 255
        np.testing.assert_array_equal(codes, np.searchsorted(edges[: k - 1], x, "left"))


def test_many_values_share_bins_of_equal_weight(rng):
    x = rng.exponential(size=25_500)
    counts = np.diff(np.searchsorted(np.sort(x), edges_of(x, None, 255)))
    assert np.abs(counts - 100).max() <= 1


def test_neighbours_that_differ_in_the_last_bit_are_told_apart():
    low = 1.7e9
    high = np.nextafter(low, np.inf)
    bins = bins_of(np.array([[low], [high], [low]]))
    assert bins.codes(np.array([[low], [high]]))[0].tolist() == [0, 1]


def test_the_sample_does_not_depend_on_the_chunks(rng, monkeypatch):
    monkeypatch.setattr("corollary.trees.bins.SAMPLE", 500)
    X = rng.normal(size=(3000, 2))
    frame = pd.DataFrame(X, columns=["a", "b"])
    whole = bins_of(X)
    with corollary.config_context(threads=1):
        again = bins_of(X)
    cut = [frame[:100], frame[100:1700], frame[1700:]]
    y = np.arange(3000.0)
    source = [(part.to_numpy(), y[: len(part)]) for part in cut]
    model = HistGradientBoostingRegressor(max_iter=1, random_state=0)
    from_chunks = model.fit(lambda: iter(source)).trees_.bins
    for other in (again, from_chunks):
        np.testing.assert_array_equal(other.edges, whole.edges)


def test_a_weight_moves_no_edge(rng):
    X, w = rng.normal(size=(400, 1)), rng.uniform(0.1, 5, size=400)
    model = HistGradientBoostingRegressor(max_iter=1, random_state=0)
    found = model.fit(X, X[:, 0], sample_weight=w).trees_.bins.edges
    np.testing.assert_array_equal(found, bins_of(X).edges)


def test_too_many_categories_are_refused():
    X = np.arange(300.0)[:, None]
    with pytest.raises(ValueError, match="at most max_bins = 255 values; got 300"):
        bins_of(X, categorical_features=[0])
