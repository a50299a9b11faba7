"""Standardisation: digits, constant columns, counts."""

from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from corollary import PCA, StandardScaler, config_context, engine
from corollary.preparation.column_statistics import Spread

RNG = np.random.default_rng(1)


def exact_moments(x):
    """Return mean and variance in exact arithmetic."""
    values = [Fraction(float(v)) for v in x]
    mean = sum(values) / len(values)
    return float(mean), float(sum((v - mean) ** 2 for v in values) / len(values))


@pytest.mark.course("S4-5")
@pytest.mark.parametrize("chunk_rows", [7, 100, 10**6])
@pytest.mark.parametrize("offset", [0.0, 1e8, -1e12])
def test_a_small_spread_beside_a_large_mean_keeps_its_digits(offset, chunk_rows):
    x = offset + RNG.normal(size=1000)
    with config_context(chunk_rows=chunk_rows):
        model = StandardScaler().fit(x[:, None])
    mean, variance = exact_moments(x)
    assert model.mean_[0] == pytest.approx(mean, rel=1e-15)
    assert model.var_[0] == pytest.approx(variance, rel=1e-12)


def test_sparse_columns_keep_their_digits():
    import scipy.sparse as sp

    x = 1e8 + RNG.normal(size=1000)
    model = StandardScaler(with_mean=False).fit(sp.csr_array(x[:, None]))
    assert model.var_[0] == pytest.approx(exact_moments(x)[1], rel=1e-10)


@pytest.mark.course("S4-5")
@pytest.mark.parametrize("value", [0.0, 0.1, 1e-30, 1e9 / 3, -1e140])
@pytest.mark.parametrize("n", [1, 10, 100_003])
def test_a_constant_column_has_scale_1(value, n):
    X = np.full((n, 1), value)
    with config_context(chunk_rows=1000):
        model = StandardScaler().fit(X)
    assert model.scale_.tolist() == [1.0]
    assert np.abs(model.transform(X)).max() <= 1e-15 * abs(value)


def test_counts_are_whole_without_weights():
    X = RNG.normal(size=(9, 2))
    assert type(StandardScaler().fit(X).n_samples_seen_) is np.int64
    X[0, 0] = np.nan
    model = StandardScaler().fit(X)
    assert model.n_samples_seen_.tolist() == [8, 9]
    assert model.n_samples_seen_.dtype.kind == "i"
    weighted = StandardScaler().fit(X, sample_weight=np.full(9, 0.5))
    assert weighted.n_samples_seen_.tolist() == [4.0, 4.5]
    assert weighted.n_samples_seen_.dtype.kind == "f"


@given(cuts=st.lists(st.integers(0, 60), max_size=5), seed=st.integers(0, 99))
def test_statistics_merge_whatever_the_cuts(cuts, seed):
    rng = np.random.default_rng(seed)
    X = 1e6 + rng.normal(size=(60, 3))
    X[rng.random(X.shape) < 0.3] = np.nan
    w = rng.integers(0, 3, size=60).astype(float)
    ends = [0, *sorted(cuts), 60]
    parts = [Spread.of(X[a:b], w[a:b]) for a, b in pairwise(ends)]
    total, whole = parts[0], Spread.of(X, w)
    for part in parts[1:]:
        total = total + part
    np.testing.assert_allclose(total.n, whole.n)
    np.testing.assert_allclose(total.mean, whole.mean, rtol=1e-14)
    np.testing.assert_allclose(total.M2, whole.M2, rtol=1e-8, atol=1e-9)


def test_a_stream_can_forget():
    first, second = RNG.normal(size=(50, 2)), 5 + RNG.normal(size=(50, 2))
    model = StandardScaler()
    with engine.use(schedule=engine.PerChunk(decay=0.1)):
        model.partial_fit(first).partial_fit(second)
    w = np.repeat([0.1, 1.0], 50)
    oracle = StandardScaler().fit(np.vstack([first, second]), sample_weight=w)
    np.testing.assert_allclose(model.mean_, oracle.mean_, rtol=1e-13)
    np.testing.assert_allclose(model.var_, oracle.var_, rtol=1e-13)


@pytest.mark.course("S4-81")
def test_components_of_standardised_rows_do_not_depend_on_the_units():
    X = RNG.normal(size=(200, 3)) @ RNG.normal(size=(3, 3))
    units = np.array([1e-6, 1.0, 1e6])
    a = PCA(2).fit(StandardScaler().fit_transform(X))
    b = PCA(2).fit(StandardScaler().fit_transform(X * units))
    np.testing.assert_allclose(a.components_, b.components_, atol=1e-10)
    raw = PCA(1).fit(X * units)
    assert np.abs(raw.components_[0]).argmax() == 2  # the largest unit alone
