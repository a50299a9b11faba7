"""The loops of sequential minimal optimisation against their definitions."""

import numpy as np
import pytest
from oracles import smo as oracle

from corollary import loops


def problem(rng, n, groups=1, eps=0.0):
    A = rng.normal(size=(n, 3))
    K = np.exp(-0.3 * ((A[:, None] - A[None]) ** 2).sum(axis=-1))
    s = np.where(rng.random(n) < 0.5, 1.0, -1.0)
    if eps:
        lo, hi, q = np.full(n, -1.0), np.ones(n), -rng.normal(size=n)
    else:
        lo, hi, q = np.where(s > 0, 0, -1.0), np.where(s > 0, 1.0, 0), -s
    group = None if groups == 1 else (s > 0).astype(np.int8)
    return K, q, lo, hi, np.full(n, eps), group


@pytest.mark.parametrize("groups", [1, 2])
@pytest.mark.parametrize("eps", [0.0, 0.3])
def test_a_working_set_holds_the_worst(groups, eps, rng):
    n = 200
    K, q, lo, hi, slope, group = problem(rng, n, groups, eps)
    b = np.clip(rng.normal(size=n) * (rng.random(n) < 0.5), lo, hi)
    f = K @ b + q
    taken, chosen = np.zeros(n, np.uint8), np.empty(20, np.int64)
    taken[:30] = 1
    count, worst = loops.working_set(f, b, lo, hi, slope, group, 20, taken, chosen)
    assert worst == pytest.approx(oracle.violation(f, b, lo, hi, slope, group), abs=0)
    assert count == len(set(chosen[:count].tolist())) <= 20
    assert (chosen[:count] >= 30).all()
    assert taken.sum() == 30 + count
    up, _low = oracle.slopes(f, b, lo, hi, slope)
    if groups == 1:
        open_ = np.arange(n) >= 30
        half = np.argsort(np.where(open_, up, np.inf))[:10]
        assert set(half.tolist()) <= set(chosen[:count].tolist())


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("groups", [1, 2])
@pytest.mark.parametrize("eps", [0.0, 0.3])
@pytest.mark.parametrize("q", [1, 2, 17, 60])
def test_a_set_is_solved_and_its_sums_kept(dtype, groups, eps, q, rng):
    n = 80
    K, linear, lo, hi, slope, group = problem(rng, n, groups, eps)
    chosen = rng.permutation(n)[:q].astype(np.int64)
    part = K[np.ix_(chosen, chosen)]
    start = np.clip(rng.normal(size=q) * 0.3, lo[chosen], hi[chosen])
    f = part @ start + linear[chosen]
    b = start.copy()
    cache = np.ascontiguousarray(K[chosen], dtype=dtype)
    some = None if group is None else group[chosen]
    args = (f, lo[chosen], hi[chosen], slope[chosen], some, groups)
    steps, left = loops.smo(cache, np.arange(q), chosen, *args, 1e-3, 10000, b)
    assert steps < 10000
    assert left < 1e-3
    assert (b >= lo[chosen]).all()
    assert (b <= hi[chosen]).all()
    for g in range(groups):
        of = slice(None) if some is None else some == g
        assert b[of].sum() == pytest.approx(start[of].sum(), abs=1e-9)
    after = part @ b + linear[chosen]
    np.testing.assert_allclose(f, after, atol=1e-5 if dtype == np.float32 else 1e-12)
    if q > 2:
        held = oracle.violation(after, b, *args[1:5])
        assert held < 1.1e-3
    before = oracle.objective(part, linear[chosen], slope[chosen], start)
    assert oracle.objective(part, linear[chosen], slope[chosen], b) <= before + 1e-9


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("count", [0, 1, 8, 21])
def test_sums_of_rows(threads, count, dtype, rng):
    K = rng.normal(size=(30, 2500)).astype(dtype)
    slots = rng.permutation(30)[:count].astype(np.int64)
    change, f = rng.normal(size=count), rng.normal(size=2500)
    expected = f + change @ K[slots].astype(np.float64)
    loops.add_kernel_rows(K, slots, change, f, threads)
    scale = 1e-5 if dtype == np.float32 else 1e-13
    np.testing.assert_allclose(f, expected, rtol=scale, atol=scale)


def test_sums_of_some_columns(dtype, rng):
    K = rng.normal(size=(30, 25)).astype(dtype)
    slots, columns = np.array([3, 3, 29]), np.array([7, 0, 24, 7])
    change, f = rng.normal(size=3), rng.normal(size=4)
    expected = f + change @ K[np.ix_(slots, columns)].astype(np.float64)
    loops.add_kernel_rows(K, slots, change, f, 1, columns)
    np.testing.assert_allclose(f, expected, rtol=1e-12)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("threads", [1, 2])
def test_rows_are_cut_in_place(dtype, threads):
    rng = np.random.default_rng(3)
    K = rng.normal(size=(50, 37)).astype(dtype)
    rows = np.flatnonzero(rng.random(50) < 0.8)
    keep = np.flatnonzero(rng.random(37) < 0.6)
    buffer = K.ravel().copy()
    loops.cut_rows(buffer, 37, rows, keep, threads)
    cut = buffer[: len(rows) * len(keep)].reshape(len(rows), len(keep))
    np.testing.assert_array_equal(cut, K[rows][:, keep])


@pytest.mark.parametrize("eps", [0.0, 0.3])
def test_the_least_gap_is_that_of_a_fine_grid(eps):
    rng = np.random.default_rng(4)
    f, lo, hi = rng.normal(size=30), -rng.random(30), rng.random(30)
    b, kink = np.clip(rng.normal(size=30), lo, hi), np.full(30, eps)

    def gap(rho):
        ends = np.stack([lo, hi, np.zeros(30)])
        gains = (f - rho) * (b - ends) + eps * (np.abs(b) - np.abs(ends))
        return np.maximum(gains + 0.01 * np.abs(b - ends), 0).max(axis=0).sum()

    grid = np.linspace(-4, 4, 80_001)
    best = min(gap(rho) for rho in grid)
    least, rho = loops.least_gap(f, b, lo, hi, kink, 0.01, -4.0, 4.0, 3.0, 0.0, 0.0)
    assert best * (1 - 1e-4) <= least <= best * (1 + 1e-12)
    assert gap(rho) == pytest.approx(least, rel=1e-12)


@pytest.mark.parametrize("n", [3, 5, 9])
@pytest.mark.parametrize("size", [1e29, 1e31, 1e37])
def test_only_variables_are_chosen_however_large_the_slopes(n, size, dtype):
    # the set is padded to whole vectors; every variable but the first is at its lower
    # end, so that none can fall and there is no pair, whatever the slopes
    K, lo, hi = np.eye(n, dtype=dtype), np.zeros(n), np.ones(n)
    f, b, some = -size * np.arange(1.0, n + 1), np.zeros(n), np.arange(n)
    steps, left = loops.smo(K, some, some, f, lo, hi, np.zeros(n), None, 1, 1e-3, 50, b)
    assert (steps, left) == (0, 0.0)
    assert not b.any()
