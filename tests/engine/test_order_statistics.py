"""Exact quantiles: NumPy's, from any chunks, with weights as repetition."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from corollary.engine import Chunk
from corollary.engine.column_extremes import column_extremes
from corollary.engine.order_statistics import Ranges
from corollary.engine.quantile_rules import METHODS

Q = [0.0, 0.1, 0.25, 0.5, 0.77, 1.0]


def quantiles(X, q, w=None, pieces=1, **options):
    state, passes = Ranges.begin(X.shape[1], q, X.dtype, **options), 0
    while state.quantiles is None:
        cuts = np.array_split(np.arange(X.shape[0]), pieces)
        parts = [
            state.count(Chunk(X[i], None, None if w is None else w[i])) for i in cuts
        ]
        total = parts[0]
        for part in parts[1:]:
            total = total + part
        state = state.narrowed(total)
        passes += 1
    return state, passes


@pytest.mark.parametrize("pieces", [1, 7])
def test_quantiles_are_numpys(pieces):
    rng = np.random.default_rng(0)
    X = np.column_stack(
        [
            rng.normal(size=5000),
            np.exp(9 * rng.normal(size=5000)),  # many magnitudes
            rng.integers(3, size=5000),  # ties
            np.full(5000, 7.0),
            1e6 + rng.random(5000),
        ]
    )
    state, passes = quantiles(X, Q, pieces=pieces)
    np.testing.assert_allclose(state.quantiles, np.quantile(X, Q, axis=0), rtol=1e-15)
    assert (state.low == X.min(axis=0)).all()
    assert (state.high == X.max(axis=0)).all()
    assert passes <= 6


@given(
    x=st.lists(
        st.floats(allow_nan=False, allow_infinity=False, width=64),
        min_size=1,
        max_size=30,
    ),
    data=st.data(),
)
@settings(max_examples=60, deadline=None)
def test_any_doubles_and_weights_as_repetition(x, data):
    x = np.array(x)[:, None] / 4  # a difference does not overflow
    times = np.array(
        data.draw(st.lists(st.integers(0, 3), min_size=len(x), max_size=len(x)))
    )
    if not times.any():
        times[0] = 1
    found, passes = quantiles(x, Q, times.astype(float), pieces=2)
    repeated = np.repeat(x, times, axis=0)
    want = np.array(
        [np.sort(repeated[:, 0])[round(q * (len(repeated) - 1))] for q in (0, 1)]
    )
    assert (found.quantiles[[0, -1], 0] == want).all()
    scale = np.abs(repeated).max()
    np.testing.assert_allclose(
        found.quantiles,
        np.quantile(repeated, Q, axis=0),
        rtol=1e-12,
        atol=1e-13 * scale,
    )
    assert passes <= 12


def test_shares_as_weights_mean_the_same_as_no_weights():
    X = np.random.default_rng(1).normal(size=(101, 2))
    plain, _ = quantiles(X, Q)
    for share in (1 / 101, 1e-6, 0.3):
        shares, _ = quantiles(X, Q, np.full(101, share), pieces=3)
        np.testing.assert_allclose(shares.quantiles, plain.quantiles, rtol=1e-9)


def holes(rng, n=3000):
    X = np.column_stack(
        [rng.normal(size=n), rng.integers(9, size=n), np.exp(5 * rng.normal(size=n))]
    )
    return np.where(rng.random(X.shape) < 0.3, np.nan, X)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("n", [1, 2, 3, 10, 99, 300])
def test_every_rule_is_numpys(method, n):
    rng = np.random.default_rng(n)
    X = np.round(rng.normal(size=(n, 2)), 1)
    found, _ = quantiles(X, Q, method=method)
    want = np.quantile(X, Q, axis=0, method=method)
    np.testing.assert_allclose(found.quantiles, want, rtol=1e-12, atol=1e-15)
    times = rng.integers(0, 3, size=n)
    times[0] = 1
    found, _ = quantiles(X, Q, times.astype(float), pieces=2, method=method)
    want = np.quantile(np.repeat(X, times, axis=0), Q, axis=0, method=method)
    np.testing.assert_allclose(found.quantiles, want, rtol=1e-12, atol=1e-15)


@pytest.mark.parametrize("n_rows", [None, 3000])
@pytest.mark.parametrize("pieces", [1, 5])
def test_missing_values_count_nowhere(pieces, n_rows):
    X = holes(np.random.default_rng(2))
    X[:, 1] = np.nan
    found, passes = quantiles(X, Q, pieces=pieces, n_rows=n_rows)
    want = np.nanquantile(X[:, [0, 2]], Q, axis=0)
    np.testing.assert_allclose(found.quantiles[:, [0, 2]], want, rtol=1e-13)
    assert (found.quantiles[:, 1] == 0).all()
    assert found.rows.tolist() == (~np.isnan(X)).sum(axis=0).tolist()
    assert (passes == 1) == (n_rows is not None)


@pytest.mark.parametrize("pieces", [1, 5])
@pytest.mark.parametrize("n_rows", [None, 3000])
def test_what_sparse_rows_do_not_store_is_0(pieces, n_rows):
    rng = np.random.default_rng(3)
    X = np.where(rng.random((3000, 3)) < 0.5, 0.0, holes(rng))
    w = rng.integers(0, 3, size=3000).astype(float)
    for weights in (None, w):
        options = {"w": weights, "pieces": pieces, "n_rows": n_rows}
        found, _ = quantiles(sp.csr_array(X), Q, **options)
        dense, _ = quantiles(X, Q, **options)
        np.testing.assert_array_equal(found.quantiles, dense.quantiles)
        assert (found.low == dense.low).all()
        assert (found.n == dense.n).all()


def test_many_quantiles_of_many_rows():
    rng = np.random.default_rng(4)
    X = np.column_stack([rng.normal(size=60_000), rng.integers(99, size=60_000)])
    q = np.linspace(0, 1, 1000)
    found, passes = quantiles(X, q, pieces=3)
    np.testing.assert_allclose(found.quantiles, np.quantile(X, q, axis=0), rtol=1e-13)
    assert passes <= 5


def test_few_quantiles_of_many_rows_take_four_passes():
    X = np.random.default_rng(5).normal(size=(300_000, 1))
    found, passes = quantiles(X, [0.25, 0.5, 0.75], pieces=9)
    assert passes <= 4
    want = np.quantile(X, [0.25, 0.5, 0.75], axis=0)
    np.testing.assert_array_equal(found.quantiles, want)


def test_extremes_of_columns():
    X = holes(np.random.default_rng(6), n=1700)
    low, high = column_extremes(X)
    np.testing.assert_array_equal(low, np.nanmin(X, axis=0))
    np.testing.assert_array_equal(high, np.nanmax(X, axis=0))
    S = np.where(np.arange(1700)[:, None] % 2, 0.0, X)
    for found, want in zip(column_extremes(sp.csr_array(S)), (S, -S), strict=True):
        np.testing.assert_array_equal(np.abs(found), np.abs(np.nanmin(want, axis=0)))
