"""Duals of every kind and extreme, against an interior-point solver."""

from unittest import mock

import clarabel
import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from corollary.core.report import StopReason
from corollary.kernels.gram import MatrixGram
from corollary.solvers import box_dual, smo, working_sets

KINDS = ["classes", "numbers", "one class", "groups", "quantiles"]
SHAPES = ["plain", "identity", "ones", "duplicates", "rank 1", "tiny", "huge"]


def matrix(shape, n, rng):
    """A kernel matrix, from all rows alike to all rows orthogonal."""
    if shape == "identity":
        return np.eye(n)
    if shape == "ones":
        return np.ones((n, n))
    X = rng.normal(size=(n, 3))
    if shape == "duplicates":
        X = X[rng.integers(0, max(1, n // 3), size=n)]
    if shape == "rank 1":
        X = X[:, :1]
        return X @ X.T
    squares = ((X[:, None] - X) ** 2).sum(axis=2)
    size = {"tiny": 1e-9, "huge": 1e9}.get(shape, 1.0)
    return size * np.exp(-0.5 * squares)


def dual_of(kind, n, C, rng):
    """A dual of each kind of machine; some boxes have no width."""
    w = C * rng.integers(0, 3, size=n).astype(float)
    w[:2] = C
    s, zero = np.where(rng.random(n) < 0.5, 1.0, -1.0), np.zeros(n)
    s[:2] = 1, -1
    y = rng.normal(size=n)
    if kind == "classes":
        return smo.Dual(-s, np.minimum(s, 0) * w, np.maximum(s, 0) * w, zero, zero)
    if kind == "numbers":
        return smo.Dual(-y, -w, w, rng.choice([0.0, 0.1, 1.0], size=n), zero)
    if kind == "quantiles":
        return smo.Dual(-y, -0.7 * w, 0.3 * w, zero, zero)
    share = rng.uniform(0.05, 1.0)
    if kind == "one class":
        start = smo.filled(w, share * w.sum())
        return smo.Dual(-rng.choice([0.0, 0.5]) * y**2, zero, w, zero, start)
    start = smo.filled(w, share * w.sum() / 2)
    return smo.Dual(
        np.concatenate([-y, -y]),
        np.concatenate([zero, -w]),
        np.concatenate([w, zero]),
        np.zeros(2 * n),
        np.concatenate([start, -start]),
        np.repeat(np.array([0, 1], np.int8), n),
    )


def value(K, dual, b):
    copies = len(b) // len(K)
    total = b.reshape(copies, -1).sum(axis=0)
    return 0.5 * total @ K @ total + dual.q @ b + dual.eps @ np.abs(b)


def noise(K, dual, b):
    """What rounding leaves open in (1): its terms may cancel."""
    size = np.abs(b)
    total = size.reshape(len(b) // len(K), -1).sum(axis=0)
    return 1e-13 * (total @ np.abs(K) @ total + (np.abs(dual.q) + dual.eps) @ size)


def least(K, dual, size):
    """The minimum by an interior-point method, in u - v = b / size with u, v >= 0."""
    v, n = len(dual.q), len(K)
    each = np.tile(np.eye(n), v // n)  # b -> its sum over the copies of a row
    M = np.hstack([each, -each])
    P = size**2 * (M.T @ K @ M)
    q = size * np.concatenate([dual.q + dual.eps, dual.eps - dual.q])
    unit = max(float(np.abs(P).max()), float(np.abs(q).max()), 1e-300)
    group = np.zeros(v) if dual.group is None else dual.group
    S = np.array([group == g for g in np.unique(group)], dtype=float)
    A = np.vstack([np.hstack([S, -S]), -np.eye(2 * v), np.eye(2 * v)])
    top = np.concatenate([np.maximum(dual.hi, 0), np.maximum(-dual.lo, 0)]) / size
    top = np.minimum(top, 1e3)  # a smaller box: its minimum is not below the true one
    b = np.concatenate([S @ dual.start / size, np.zeros(2 * v), top])
    cones = [clarabel.ZeroConeT(len(S)), clarabel.NonnegativeConeT(4 * v)]
    options = clarabel.DefaultSettings()
    options.verbose = False
    options.tol_gap_abs = options.tol_gap_rel = options.tol_feas = 1e-12
    P = sp.csc_matrix(np.triu(P / unit))
    A = sp.csc_matrix(A)
    found = clarabel.DefaultSolver(P, q / unit, A, b, cones, options).solve()
    solved = found.status == clarabel.SolverStatus.Solved
    return unit * found.obj_val, unit * found.obj_val_dual if solved else -np.inf


@given(
    seed=st.integers(0, 10**6),
    n=st.integers(2, 25),
    kind=st.sampled_from(KINDS),
    shape=st.sampled_from(SHAPES),
    C=st.sampled_from([1e-3, 1.0, 1e3, 1e10]),
    tol=st.sampled_from([1.0, 1e-3, 1e-8]),
    steps=st.sampled_from([-1, 1, 7]),
    cache=st.sampled_from([1.0, 1e9]),
    single=st.booleans(),
)
@settings(max_examples=200, deadline=None)
def test_the_gap_covers_the_distance_and_the_stop_is_true(
    seed, n, kind, shape, C, tol, steps, cache, single
):
    rng = np.random.default_rng(seed)
    K, dual = matrix(shape, n, rng), dual_of(kind, n, C, rng)
    gram = MatrixGram(K, np.float32 if single else np.float64)
    limits = smo.Limits(tol=tol, max_iter=steps, cache_bytes=cache)
    with mock.patch.object(
        working_sets, "ENDLESS", 10**5
    ):  # a hopeless search ends sooner
        o = smo.solve(gram, dual, limits)
    for number in (o.objective, o.gap, o.violation, *o.b, *o.f, *o.rho):
        assert np.isfinite(number)
    assert (o.b >= dual.lo).all()
    assert (o.b <= dual.hi).all()
    group = np.zeros(len(o.b)) if dual.group is None else dual.group
    for g in np.unique(group):
        kept = dual.start[group == g].sum()
        mass = np.abs(o.b[group == g]).sum() + 1e-6 * C
        assert abs(o.b[group == g].sum() - kept) <= 1e-10 * mass
    here, rounding = value(K, dual, o.b), noise(K, dual, o.b)
    best, below = least(K, dual, np.abs(o.b).max(initial=1e-9))
    slip = 1e-7 * (abs(best) + abs(here))
    trusted = best - below <= slip  # else the peer has lost its way
    slip += rounding + 1e-10 * np.abs(o.f).max() * np.abs(o.b).sum()  # of the sums
    if trusted:
        assert C == 1e10 or here - best >= -slip  # nobody beats the optimum
        assert here - best <= o.gap + slip
    if o.stop is StopReason.CONVERGED:
        assert o.violation <= tol
    elif o.stop is StopReason.MAX_PASSES:
        assert o.steps >= (steps if steps > 0 else 10**5)
    else:
        assert o.stop is StopReason.STALLED
        assert o.gap <= 1e-6 * (abs(best) + abs(here)) + 1e3 * rounding
    if steps > 0:
        assert o.steps <= steps


@given(seed=st.integers(0, 10**6), kind=st.sampled_from(KINDS), n=st.integers(2, 40))
@settings(max_examples=60, deadline=None)
def test_a_matrix_that_is_no_kernel_ends_inside_its_box(seed, kind, n):
    rng = np.random.default_rng(seed)
    A = rng.normal(size=(n, n))
    dual = dual_of(kind, n, 1.0, rng)
    o = smo.solve(MatrixGram(A + A.T, np.float64), dual, smo.Limits(max_iter=20_000))
    assert np.isfinite(o.objective)
    assert np.isfinite(o.gap)
    assert (o.b >= dual.lo).all()
    assert (o.b <= dual.hi).all()
    start = value(A + A.T, dual, dual.start)
    assert o.objective <= start + 1e-9 * (1 + abs(start))  # it never rises


@pytest.mark.parametrize("kind", KINDS)
def test_two_rows_that_weigh_something_are_enough(kind):
    rng = np.random.default_rng(0)
    n = 30
    K, dual = matrix("plain", n, rng), dual_of(kind, n, 1.0, rng)
    live = np.zeros(n)
    live[[3, 17]] = 1.0
    live = np.tile(live, len(dual.q) // n)
    lo, hi = np.where(live, -1.0, 0.0), np.where(live, 1.0, 0.0)
    if kind in ("one class", "groups"):
        group = np.zeros(len(live)) if dual.group is None else dual.group
        lo, hi = np.where(group == 1, lo, 0.0), np.where(group == 0, hi, 0.0)
        start = 0.4 * (lo + hi)
    else:
        start = np.zeros(n)
    small = smo.Dual(dual.q, lo, hi, dual.eps, start, dual.group)
    o = smo.solve(MatrixGram(K, np.float64), small, smo.Limits(tol=1e-10))
    assert o.stop is StopReason.CONVERGED
    assert not o.b[live == 0].any()
    assert value(K, small, o.b) == pytest.approx(least(K, small, 1.0)[0], rel=1e-7)


def test_no_time_is_a_limit_as_well():
    rng = np.random.default_rng(1)
    K, dual = matrix("plain", 40, rng), dual_of("classes", 40, 10.0, rng)
    o = smo.solve(MatrixGram(K, np.float64), dual, smo.Limits(tol=1e-9, seconds=0.0))
    assert o.stop is StopReason.MAX_PASSES
    best, _ = least(K, dual, 1.0)
    assert o.gap >= value(K, dual, o.b) - best > 0


def test_a_group_without_free_variables_asks_nothing_of_the_exact_move():
    rng = np.random.default_rng(0)
    A, zero = rng.normal(size=(6, 6)), np.zeros(6)
    K, f, free = A @ A.T, rng.normal(size=6), np.arange(4)
    group = np.array([0, 0, 0, 0, 1, 1], dtype=np.int8)
    dual = smo.Dual(zero, zero, np.full(6, 1e6), zero, zero, group)
    b = np.array([5e5, 5e5, 5e5, 5e5, 0.0, 1e6])
    with mock.patch.object(np.linalg, "lstsq", side_effect=AssertionError):
        step = box_dual.exact_move(b, f, dual, free, K, free, free)
    assert step.sum() == pytest.approx(0, abs=1e-9)
    assert np.ptp(f[:4] + K[:4, :4] @ step) < 1e-9
