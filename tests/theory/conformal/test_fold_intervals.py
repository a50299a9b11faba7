"""Intervals from folds, against their definitions."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from corollary.theory.conformal import fold_intervals as module
from corollary.theory.conformal.calibration import conformal_rank
from corollary.theory.conformal.fold_intervals import fold_intervals


def drawn(n, K, m, seed):
    rng = np.random.default_rng(seed)
    F, R = rng.integers(-5, 6, size=(m, K)) * 1.0, rng.integers(0, 6, size=n) * 1.0
    return F, R, np.sort(np.arange(n) % K)


@given(
    n=st.integers(2, 25),
    K=st.integers(2, 6),
    delta=st.floats(0.05, 0.6),
    seed=st.integers(0, 1000),
)
@settings(deadline=None)
def test_every_method_is_its_definition(n, K, delta, seed):
    F, R, fold = drawn(n, min(K, n), 3, seed)
    k = conformal_rank(n, delta)
    found = {
        m: fold_intervals(m, F, R, fold, delta) for m in ("cv+", "cross", "minmax")
    }
    if k > n:
        assert all(np.isinf(ends).all() for ends in found.values())
        return
    low, high = F[:, fold] - R, F[:, fold] + R
    plus = [np.sort(low, axis=1)[:, n - k], np.sort(high, axis=1)[:, k - 1]]
    np.testing.assert_array_equal(found["cv+"].T, plus)
    q = np.sort(R)[k - 1]
    np.testing.assert_array_equal(
        found["minmax"].T, [F.min(axis=1) - q, F.max(axis=1) + q]
    )
    grid = np.arange(-12, 12.5, 0.5)
    for row in range(3):
        meet = ((low[row] <= grid[:, None]) & (grid[:, None] <= high[row])).sum(axis=1)
        most = min(n + 1 - k, meet.max())
        expected = grid[meet >= most][[0, -1]]
        np.testing.assert_array_equal(found["cross"][row], expected)


@pytest.mark.parametrize("method", ["cv+", "cross"])
def test_blocks_change_nothing(method, monkeypatch):
    F, R, fold = drawn(30, 5, 40, seed=0)
    once = fold_intervals(method, F, R, fold, 0.2)
    monkeypatch.setattr(module, "NUMBERS", 100)
    np.testing.assert_array_equal(fold_intervals(method, F, R, fold, 0.2), once)
