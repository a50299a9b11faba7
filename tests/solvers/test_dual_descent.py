"""Coordinate ascent: each step the best, never a fall, the oracle's maximum."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize

from corollary import SVC
from corollary.core.errors import DataError, ParameterError
from corollary.solvers.dual_descent import (
    LinearDual,
    box_gap,
    coordinate_ascent,
    descend,
)


def quadratic(n, seed):
    rng = np.random.default_rng(seed)
    A = rng.normal(size=(n, n))
    return A @ A.T + 0.1 * np.eye(n), rng.normal(size=n)


@pytest.mark.course("S4-50")
@settings(max_examples=30, deadline=None)
@given(st.integers(1, 8), st.integers(0, 10**6), st.floats(0.1, 5))
def test_the_maximum_in_a_box(n, seed, high):
    Q, c = quadratic(n, seed)
    found = coordinate_ascent(Q, c, -0.5, high, tol=1e-12)
    best = minimize(
        lambda x: 0.5 * x @ Q @ x - c @ x,
        np.zeros(n),
        jac=lambda x: Q @ x - c,
        bounds=[(-0.5, high)] * n,
        options={"ftol": 1e-15, "gtol": 1e-12},
    )
    assert found.converged
    assert found.value >= -best.fun - 1e-9
    assert -best.fun - found.value <= found.gap + 1e-12
    assert found.gap <= 1e-8 * (1 + abs(found.value))
    assert (np.diff(found.trace) >= -1e-12 * np.abs(found.trace).max()).all()


@pytest.mark.course("S4-50")
def test_one_round_by_hand():
    # x1 = (1 - 0)/2 = 0.5, then x2 = (1 - 0.5)/2 = 0.25
    found = coordinate_ascent([[2.0, 1.0], [1.0, 2.0]], [1.0, 1.0], max_rounds=1)
    assert found.x.tolist() == [0.5, 0.25]
    assert not found.converged
    assert found.trace.tolist() == [0.0, 0.3125]
    whole = coordinate_ascent([[2.0, 1.0], [1.0, 2.0]], [1.0, 1.0], tol=1e-13)
    np.testing.assert_allclose(whole.x, [1 / 3, 1 / 3], rtol=1e-12)


@pytest.mark.course("S4-50")
def test_greedy_takes_the_coordinate_that_gains_most():
    # gains c_i^2/(2 Q_ii): 0.405 and 1, so x2 = 1/2 first, though x1 would go farther;
    # then x1 = 0.9 - 0.5
    Q, c = [[1.0, 1.0], [1.0, 8.0]], [0.9, 4.0]
    first = coordinate_ascent(Q, c, -9.0, 9.0, choice="greedy", max_rounds=1)
    np.testing.assert_allclose(first.x, [0.4, 0.5], rtol=1e-14)
    turns = coordinate_ascent(Q, c, -9.0, 9.0, max_rounds=1)
    np.testing.assert_allclose(turns.x, [0.9, 0.3875], rtol=1e-14)
    ends = [
        coordinate_ascent(Q, c, -9.0, 9.0, choice=choice, tol=1e-13)
        for choice in ("cyclic", "greedy")
    ]
    for end in ends:
        assert end.converged
        np.testing.assert_allclose(end.x, np.linalg.solve(Q, c), rtol=1e-12)
        assert (np.diff(end.trace) >= -1e-15).all()


@pytest.mark.course("S4-50")
@settings(max_examples=20, deadline=None)
@given(st.integers(1, 8), st.integers(0, 10**6), st.floats(0.1, 5))
def test_greedy_and_cyclic_end_at_one_maximum(n, seed, high):
    Q, c = quadratic(n, seed)
    a, b = (
        coordinate_ascent(Q, c, -0.5, high, choice=choice, tol=1e-11)
        for choice in ("cyclic", "greedy")
    )
    assert b.converged
    np.testing.assert_allclose(b.x, a.x, atol=1e-8)
    assert (np.diff(b.trace) >= -1e-12 * np.abs(b.trace).max()).all()


@pytest.mark.course("S4-50")
def test_an_equality_blocks_single_coordinates_and_pairs_get_on():
    """The dual of a machine: with sum y a = 0 only two at once can move."""
    X = np.array([[0.0], [2.0], [5.0]])
    y = np.array([-1.0, 1.0, 1.0])
    Q = y[:, None] * y * (X @ X.T)
    alone = coordinate_ascent(Q, np.ones(3), 0.0, 9.0, equality=y)
    assert alone.x.tolist() == [0.0, 0.0, 0.0]
    assert alone.value == 0.0
    assert alone.blocked.all()
    pair = SVC(kernel="linear", C=9.0, tol=1e-9).fit(X, y)
    a = np.zeros(3)
    a[pair.support_] = np.abs(pair.dual_coef_[0])
    assert a @ y == 0
    assert a.sum() - 0.5 * a @ Q @ a == pytest.approx(0.5)
    assert alone.gap >= 0.5  # the bound stays a bound
    # without the equality nothing is blocked: the machine without an offset
    free = coordinate_ascent(Q, np.ones(3), 0.0, 9.0)
    assert free.converged
    assert not free.blocked.any()
    # a coordinate that the equality does not count is free to go
    some = coordinate_ascent(np.eye(3), np.ones(3), equality=[1.0, -1.0, 0.0])
    assert some.x.tolist() == [0.0, 0.0, 1.0]
    assert some.blocked.tolist() == [True, True, False]


def test_the_gap_before_the_end_bounds_the_rest():
    Q, c = quadratic(6, 1)
    best = coordinate_ascent(Q, c, 0.0, 2.0, tol=1e-13).value
    for rounds in (1, 2, 3, 5):
        found = coordinate_ascent(Q, c, 0.0, 2.0, max_rounds=rounds)
        assert best - found.value <= found.gap + 1e-12


def test_descent_on_rows_is_descent_on_their_matrix():
    rng = np.random.default_rng(0)
    X, q = rng.normal(size=(30, 4)), rng.normal(size=30)
    ones = np.ones(30)
    dual = LinearDual(X, 1.0, q, -ones, ones, 0.3 * ones, 0.1)
    found = descend(dual, lambda f, D, b: False, max_rounds=3000, seed=0)
    K = X @ X.T + 1.0
    g = K @ found.beta + 0.3 * found.beta - q
    assert box_gap(found.beta, g, -ones, ones, 0.3 * ones, 0.1) <= 1e-10
    np.testing.assert_allclose(found.w, found.beta @ X, atol=1e-12)


def test_misuse():
    with pytest.raises(DataError, match="Q must be symmetric"):
        coordinate_ascent([[1.0, 2.0], [0.0, 1.0]], [1.0, 1.0])
    with pytest.raises(DataError, match="eigenvalues >= 0"):
        coordinate_ascent([[-1.0]], [1.0])
    with pytest.raises(ParameterError, match="low must be at most high"):
        coordinate_ascent([[1.0]], [1.0], 2.0, 1.0)
    with pytest.raises(ParameterError, match="choice must be 'cyclic' or 'greedy'"):
        coordinate_ascent([[1.0]], [1.0], choice="random")
    with pytest.raises(DataError, match="equality must have one number for each of 1"):
        coordinate_ascent([[1.0]], [1.0], equality=[1.0, 2.0])
    with pytest.raises(DataError, match="straight rise without a bound"):
        coordinate_ascent([[0.0]], [1.0])
