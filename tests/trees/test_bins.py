"""Bins: exact where values are few, by rank where many, the same everywhere."""

import numpy as np
import pandas as pd
import pytest

import corollary
from corollary import HistGradientBoostingRegressor
from corollary.trees.bins import WIDTH, Bins, edges_of


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


EDGES = {
    "even": lambda rng: np.arange(254.0),
    "normal": lambda rng: rng.normal(size=254),
    "heavy tails": lambda rng: rng.standard_cauchy(size=254) ** 3,
    "one": lambda rng: [0.5],
    "two": lambda rng: [-1.0, 0.1],
    "neighbours": lambda rng: 1 + np.arange(9) * np.finfo(float).eps,
    "a crowd and an outlier": lambda rng: [*rng.random(200), 1e9],
    "subnormal": lambda rng: np.arange(200) * 5e-324,
    "huge": lambda rng: [-1.7e308, 0.0, 1.7e308],
    "large": lambda rng: np.linspace(-8e307, 8e307, 254),
    "none": lambda rng: [],
}


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("kind", EDGES)
def test_codes_of_many_rows_are_the_codes_of_few(kind, dtype, rng):
    inner = np.unique(EDGES[kind](rng))
    edges = np.full((1, WIDTH), np.inf)
    edges[0, : len(inner)] = inner
    bins = Bins(edges, np.array([len(inner) + 1], np.int32), np.zeros(1, bool))
    near = [inner, np.nextafter(inner, np.inf), np.nextafter(inner, -np.inf)]
    low, high = (inner[0], inner[-1]) if len(inner) else (0.0, 1.0)
    between = (low / 2 + rng.random(9000) * (high / 2 - low / 2)) * 2
    x = np.concatenate([*near, between, [np.inf, -np.inf, 0.0, -0.0, 1e308]])
    with np.errstate(over="ignore"):
        x = rng.permutation(x).astype(dtype)
    expected = np.searchsorted(inner, x.astype(np.float64), "left")
    np.testing.assert_array_equal(bins.codes(x[:, None])[0], expected)
    few = [bins.codes(part[:, None])[0] for part in np.array_split(x, 7)]
    np.testing.assert_array_equal(np.concatenate(few), expected)
    x[::3] = np.nan
    codes = bins.codes(x[:, None], 2)[0]
    assert (codes[::3] == len(inner) + 1).all()
    np.testing.assert_array_equal(codes[1::3], expected[1::3])


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
