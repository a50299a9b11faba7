"""Exact quantiles: NumPy's, from any chunks, with weights as repetition."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from corollary.engine import Chunk
from corollary.engine.order_statistics import Ranges

Q = [0.0, 0.1, 0.25, 0.5, 0.77, 1.0]


def quantiles(X, q, w=None, pieces=1):
    state, passes = Ranges.begin(X.shape[1], q, X.dtype), 0
    while state.quantiles is None:
        cuts = np.array_split(np.arange(len(X)), pieces)
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
