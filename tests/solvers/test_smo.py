"""Problem (1) of the solver, over kinds of machines, limits and precisions."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import LinearConstraint, minimize

from corollary.core.report import StopReason
from corollary.kernels.gram import BlockGram, MatrixGram, TiledGram, TileKernel
from corollary.solvers import smo, working_sets


def draw(seed, n, kind, C=1.0):
    """A dual of each kind of machine, with its matrix."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3))
    s = np.where(X[:, 0] + 0.7 * rng.normal(size=n) > 0, 1.0, -1.0)
    s[:2] = 1, -1
    zero = np.zeros(n)
    kernel = TileKernel("rbf", 0.4)
    if kind == "classes":
        dual = smo.Dual(-s, np.where(s > 0, 0, -C), np.where(s > 0, C, 0.0), zero, zero)
    elif kind == "numbers":
        y = np.sin(X[:, 0]) + 0.1 * rng.normal(size=n)
        dual = smo.Dual(-y, np.full(n, -C), np.full(n, C), np.full(n, 0.1), zero)
    elif kind == "one class":
        start = np.zeros(n)
        start[: n // 2] = C
        dual = smo.Dual(zero, zero, np.full(n, C), zero, start)
    else:  # two groups, and two variables for every row
        y = np.sin(X[:, 0]) + 0.3 * rng.normal(size=n)
        q = np.concatenate([-y, -y])
        ends = np.concatenate([np.full(n, C), zero])
        start = np.concatenate([np.full(n, C / 3), np.full(n, -C / 3)])
        group = np.repeat(np.array([0, 1], np.int8), n)
        dual = smo.Dual(
            q,
            np.concatenate([zero, np.full(n, -C)]),
            ends,
            np.zeros(2 * n),
            start,
            group,
        )
    return X, kernel, dual


def matrix(X, kernel, dual):
    copies = len(dual.q) // len(X)
    return np.tile(kernel(X, X), (copies, copies))


def value(K, dual, b):
    return 0.5 * b @ K @ b + dual.q @ b + dual.eps @ np.abs(b)


KINDS = ["classes", "numbers", "one class", "groups"]


@pytest.mark.parametrize("kind", KINDS)
def test_the_minimum_is_that_of_a_general_solver(kind):
    n = 14
    X, kernel, dual = draw(3, n, kind)
    K = matrix(X, kernel, dual)
    optimum = smo.solve(TiledGram(X, kernel, np.float64), dual, smo.Limits(tol=1e-9))
    group = np.zeros(len(dual.q)) if dual.group is None else dual.group
    A = np.array([group == g for g in np.unique(group)], dtype=float)
    # b = u - v, so that |b| is smooth
    lo, hi = dual.lo, dual.hi

    def f(z):
        u, v = np.split(z, 2)
        b = u - v
        return 0.5 * b @ K @ b + dual.q @ b + dual.eps @ (u + v)

    def g(z):
        u, v = np.split(z, 2)
        slope = K @ (u - v) + dual.q
        return np.concatenate([slope + dual.eps, dual.eps - slope])

    bounds = list(zip(np.zeros_like(lo), np.maximum(hi, 0), strict=True))
    bounds += list(zip(np.zeros_like(lo), np.maximum(-lo, 0), strict=True))
    start = np.concatenate([np.maximum(dual.start, 0), np.maximum(-dual.start, 0)])
    sums = LinearConstraint(np.hstack([A, -A]), *[A @ dual.start] * 2)
    best = minimize(
        f,
        start,
        jac=g,
        bounds=bounds,
        constraints=sums,
        method="SLSQP",
        options={"ftol": 1e-14, "maxiter": 500},
    )
    assert optimum.objective == pytest.approx(best.fun, rel=1e-6, abs=1e-8)
    assert value(K, dual, optimum.b) == pytest.approx(optimum.objective, rel=1e-10)
    np.testing.assert_allclose(optimum.f, K @ optimum.b + dual.q, atol=1e-10)


@given(
    seed=st.integers(0, 10**6),
    kind=st.sampled_from(KINDS),
    C=st.sampled_from([0.01, 1.0, 30.0]),
    tol=st.sampled_from([0.3, 1e-2, 1e-4]),
    steps=st.sampled_from([-1, 5, 60]),
)
@settings(max_examples=60, deadline=None)
def test_the_gap_is_never_below_the_truth(seed, kind, C, tol, steps):
    X, kernel, dual = draw(seed, 40, kind, C)
    gram = TiledGram(X, kernel, np.float64)
    best = smo.solve(gram, dual, smo.Limits(tol=1e-12)).objective
    some = smo.solve(gram, dual, smo.Limits(tol=tol, max_iter=steps))
    assert some.gap >= some.objective - best - 1e-12 * abs(best)
    assert (some.b >= dual.lo).all()
    assert (some.b <= dual.hi).all()
    if some.stop is StopReason.CONVERGED:
        assert some.violation <= tol


@pytest.mark.parametrize("kind", KINDS)
def test_cache_sets_shrinking_and_precision_change_nothing(kind, monkeypatch):
    X, kernel, dual = draw(1, 900, kind)
    monkeypatch.setattr(working_sets, "SET", 40)
    monkeypatch.setattr(working_sets, "FIRST_LOOK", 3)
    found = []
    for dtype, cache, shrinking, threads in itertools.product(
        [np.float32, np.float64], [4e5, 1e9], [True, False], [1, 2]
    ):
        limits = smo.Limits(1e-5, -1, None, cache, shrinking, threads)
        found.append(smo.solve(TiledGram(X, kernel, dtype), dual, limits))
    best = min(o.objective for o in found)
    for o in found:
        assert o.stop is StopReason.CONVERGED
        assert o.objective - best <= o.gap + 1e-14 * abs(best)
        assert o.objective == pytest.approx(best, rel=1e-6)


def test_all_kinds_of_matrices_agree():
    X, kernel, dual = draw(5, 150, "classes")
    tiled = smo.solve(TiledGram(X, kernel, np.float64), dual, smo.Limits(1e-8))
    for gram in (
        BlockGram(X, kernel, np.float64),
        MatrixGram(kernel(X, X), np.float64),
    ):
        other = smo.solve(gram, dual, smo.Limits(1e-8))
        np.testing.assert_allclose(other.b, tiled.b, atol=1e-7)


def test_the_limits_end_the_search():
    X, kernel, dual = draw(7, 400, "classes", 1e6)
    gram = TiledGram(X, kernel, np.float64)
    few = smo.solve(gram, dual, smo.Limits(max_iter=10))
    assert few.steps == 10
    assert few.stop is StopReason.MAX_PASSES
    hasty = smo.solve(gram, dual, smo.Limits(tol=1e-14, seconds=0.0))
    assert hasty.stop is StopReason.MAX_PASSES


def test_a_matrix_that_is_not_positive_still_ends():
    rng = np.random.default_rng(0)
    A = rng.normal(size=(120, 120))
    _, _, dual = draw(0, 120, "classes")
    gram = MatrixGram(A + A.T, np.float64)
    optimum = smo.solve(gram, dual, smo.Limits(max_iter=100_000))
    assert np.isfinite(optimum.objective)
    assert (optimum.b >= dual.lo).all()
    assert (optimum.b <= dual.hi).all()


def test_starting_at_the_end_takes_no_step():
    X, kernel, dual = draw(2, 100, "classes")
    gram = TiledGram(X, kernel, np.float64)
    first = smo.solve(gram, dual, smo.Limits())
    again = smo.Dual(dual.q, dual.lo, dual.hi, dual.eps, first.b)
    assert smo.solve(gram, again, smo.Limits()).steps == 0


def test_polished_duals_are_exact():
    """Three points on a line: by hand, alpha = 1/2 for the two that touch."""
    X = np.array([[0.0], [2.0], [5.0]])
    s = np.array([-1.0, 1.0, 1.0])
    dual = smo.Dual(
        -s, np.where(s > 0, 0, -9.0), np.where(s > 0, 9.0, 0), np.zeros(3), np.zeros(3)
    )
    gram = TiledGram(X, TileKernel("linear"), np.float64)
    optimum = smo.solve(gram, dual, smo.Limits())
    np.testing.assert_allclose(optimum.b, [-0.5, 0.5, 0.0], atol=1e-15)
    assert optimum.rho[0] == pytest.approx(1.0)


@pytest.mark.parametrize(("nu", "n"), [(0.7, 120), (0.1, 30), (0.3, 1000)])
def test_a_total_of_whole_prices_fills_whole_prices(nu, n):
    start = smo.filled(np.ones(n), nu * n)
    assert set(start) == {0.0, 1.0}
    assert start.sum() == round(nu * n)
