"""The central path of pinball losses: derivatives, bounds, corners."""

import numpy as np
import pytest
from scipy.optimize import linprog

from corollary.solvers.pinball import (
    Feasible,
    Nearest,
    Path,
    QuantileRows,
    corner_of,
    newton_step,
    other_minimizer,
    solve_rows,
)


def problem(seed=0, n=40, p=3):
    rng = np.random.default_rng(seed)
    Z, w = rng.normal(size=(n, p)), rng.uniform(0.5, 2, size=n)
    return QuantileRows(Z, rng.normal(size=n), w, rng.uniform(0.2, 0.8, size=n))


def test_gradient_and_hessian_are_finite_differences():
    rows, b, mu, h = problem(), np.array([0.3, -0.2, 0.1]), 0.05, 1e-6
    at = Path.of(rows, b, mu)
    for j, e in enumerate(np.eye(3)):
        up, down = Path.of(rows, b + h * e, mu), Path.of(rows, b - h * e, mu)
        np.testing.assert_allclose((up.F - down.F) / (2 * h), at.g[j], rtol=1e-6)
        np.testing.assert_allclose((up.g - down.g) / (2 * h), at.H[j], rtol=1e-5)


@pytest.mark.parametrize("seed", range(5))
def test_every_dual_point_bounds_the_optimum_and_the_corner_attains_it(seed):
    rows = problem(seed)
    found = solve_rows(rows, "highs", None)
    best, word = found.b, found.word
    assert word == ""
    least = rows.loss(rows.residuals(best))
    for mu in (1.0, 0.1, 1e-3):
        b = np.zeros(3)
        s = Path.of(rows, b, mu)
        for _ in range(60):  # to the path itself
            s = Path.of(rows, b, mu)
            step, share = newton_step(s.g, s.H), 1.0
            while Path.of(rows, b + share * step, mu).F > s.F and share > 1e-9:
                share /= 2
            b = b + share * step
        s = Path.of(rows, b, mu)
        D = Feasible.of(rows, b, mu, newton_step(s.g, s.H)).bound
        assert D <= least + 1e-10
        assert least <= s.P + 1e-10
        assert s.P - D <= 2 * mu * s.n * (1 + 1e-6)
    near = Nearest.of(rows, b, 12)
    corner = near.corner()
    np.testing.assert_allclose(corner, best, rtol=1e-9)
    gap, unique = corner_of(rows, corner).certified(near.at_zero(corner))
    assert gap <= 1e-12 * least
    assert unique


def test_a_corner_that_is_not_optimal_is_not_certified():
    rows = problem(1)
    wrong = np.linalg.solve(rows.Z[:3], rows.y[:3])
    near = Nearest.of(rows, wrong, 12)
    gap, unique = corner_of(rows, wrong).certified(near.at_zero(wrong))
    assert gap == np.inf
    assert not unique


def reach(rows, P):
    """Return how far the minimisers of loss P extend along each axis, by a program."""
    n, p = rows.Z.shape
    cost = np.concatenate([np.zeros(p), rows.w * rows.t, rows.w * (1 - rows.t)])
    equal = np.hstack([rows.Z, np.eye(n), -np.eye(n)])
    ends = []
    for c in np.vstack([np.eye(p), -np.eye(p)]):
        found = linprog(
            np.append(c, np.zeros(2 * n)),
            A_ub=cost[None],
            b_ub=[P * (1 + 1e-9)],
            A_eq=equal,
            b_eq=rows.y,
            bounds=[(None, None)] * p + [(0, None)] * (2 * n),
        )
        ends.append(found.fun)
    return -np.array(ends[:p]) - ends[p:]


@pytest.mark.parametrize("seed", range(12))
def test_another_minimizer_is_found_where_there_is_one(seed):
    rng = np.random.default_rng(seed)
    n, c = 16 + seed % 3, 2.0
    Z = np.column_stack([rng.integers(-2, 3, n), np.ones(n)]).astype(float)
    y = rng.integers(0, 3, n).astype(float)
    if seed % 2:  # a penalty on the first entry, as a row of its own
        Z, y = np.vstack([Z, [c, 0.0]]), np.append(y, 0.0)
    rows = QuantileRows(Z, y, np.ones(len(y)), np.full(len(y), 0.5))
    solved = solve_rows(rows, "highs", None)
    b = Nearest.of(rows, solved.b, 8).corner()
    P = rows.loss(rows.residuals(solved.b))
    b = solved.b if rows.loss(rows.residuals(b)) > P * (1 + 1e-9) else b
    other = other_minimizer(rows, b, solved.a)
    assert (other is None) == (reach(rows, P).max() < 1e-5)


def test_a_corner_has_true_zeros():
    Z = np.array([[0.3, 1.0], [0.7, 1.0], [1.9, 0.0]])
    rows = QuantileRows(Z, np.array([1.1, 1.1, 0.0]), np.ones(3), np.full(3, 0.5))
    assert Nearest.of(rows, np.array([1e-16, 1.1]), 8).corner()[0] == 0.0
