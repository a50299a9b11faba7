"""Primal and dual values, and the saddle point theorem, on problems solved by hand."""

from functools import partial

import numpy as np
import pytest

from corollary.core.errors import DataError
from corollary.diagnostics import (
    check_kkt,
    check_saddle_point,
    dual_function,
    lagrangian,
    lagrangian_duality,
    primal_function,
)


@pytest.mark.course("S0-66", "S4-45")
def test_the_dual_function_has_multipliers_of_equalities():
    # min x'x, a'x = b: theta(lam) = -lam b - lam^2 a'a / 4, largest at -2 b / a'a
    a, b = np.array([1.0, -2.0, 2.0]), 3.0
    f, h = (lambda x: x @ x), (lambda x: a @ x - b)
    for lam in (-2.0, -2 * b / 9, 0.0, 1.5):
        theta = dual_function(f, [], [], equalities=[h], lam=[lam], start=np.zeros(3))
        assert theta == pytest.approx(-lam * b - lam**2 * 9 / 4, abs=1e-8)
    # with x_1 >= 2 as well: L is least at x = (mu e_1 - lam a) / 2
    g, mu, lam = (lambda x: 2 - x[0]), 1.3, -0.7
    x = (mu * np.eye(3)[0] - lam * a) / 2
    theta = dual_function(f, [g], [mu], equalities=[h], lam=[lam], start=np.zeros(3))
    assert theta == pytest.approx(lagrangian(f, x, [g], [h], [mu], [lam]))
    grid = np.append(np.random.default_rng(0).normal(size=(50, 3)), [x], axis=0)
    exact = dual_function(f, [g], [mu], equalities=[h], lam=[lam], grid=grid)
    assert exact == pytest.approx(theta)


@pytest.mark.course("S0-66", "S4-45")
def test_theta_P_is_f_inside_and_infinite_outside():
    f, g, h = (lambda x: x @ x), (lambda x: x[0] - 1), (lambda x: x.sum() - 1)
    assert primal_function(f, [0.5, 0.5], [g], [h]) == 0.5
    assert primal_function(f, [2.0, -1.0], [g], [h]) == np.inf  # g = 1
    assert primal_function(f, [0.0, 0.0], [g], [h]) == np.inf  # h = -1
    # the largest value of L over multipliers grows without end there, and not inside
    large = [lagrangian(f, [2.0, -1.0], [g], [h], [m], [0.0]) for m in (1, 10, 100)]
    assert np.diff(large).min() > 8
    inside = [
        lagrangian(f, [0.5, 0.5], [g], [h], [m], [lam])
        for m in (0, 3, 9)
        for lam in (-5, 0, 5)
    ]
    assert max(inside) == primal_function(f, [0.5, 0.5], [g], [h])


@pytest.mark.course("S0-66", "S4-45")
def test_a_convex_problem_has_no_gap():
    # min x'x, x_1 + x_2 = 1, x_1 >= 0.8: x = (0.8, 0.2), lam = -0.4, mu = 1.2
    f, g, h = (lambda x: x @ x), (lambda x: 0.8 - x[0]), (lambda x: x.sum() - 1)
    found = lagrangian_duality(f, [g], [h], start=[3.0, 3.0])
    assert found.primal == pytest.approx(0.68, abs=1e-6)
    assert found.dual == pytest.approx(0.68, abs=1e-6)
    assert found.strong(1e-5)
    np.testing.assert_allclose(found.x, [0.8, 0.2], atol=1e-5)
    np.testing.assert_allclose(found.mu, [1.2], atol=1e-3)
    np.testing.assert_allclose(found.lam, [-0.4], atol=1e-3)
    assert check_kkt(f, found.x, [g], [h], found.mu, found.lam).holds(1e-2)
    assert str(found).startswith("p* = 0.68, d* = 0.68, gap")
    free = lagrangian_duality(lambda x: (x[0] - 2) ** 2 + 1, start=[0.0])
    assert free.primal == free.dual == pytest.approx(1.0)


@pytest.mark.course("S0-66", "S4-45")
def test_values_and_gap_of_problems_that_are_not_convex():
    grid = np.linspace(0, 2, 201)[:, None]
    f = lambda x: -(x[0] ** 2)  # noqa: E731
    found = lagrangian_duality(f, [lambda x: x[0] - 1], grid=grid)
    assert (found.primal, found.dual, found.gap) == pytest.approx((-1.0, -2.0, 1.0))
    np.testing.assert_allclose(found.mu, [2.0])
    assert not found.strong()
    # the largest theta over a fine sweep is the value of the linear programme
    sweep = [
        dual_function(f, [lambda x: x[0] - 1], [m], grid=grid)
        for m in np.linspace(0, 6, 61)
    ]
    assert max(sweep) == pytest.approx(found.dual)
    # an equality through the middle: p* = -1 at x = 1, mixtures of 0 and 2 reach -2
    middle = lagrangian_duality(f, (), [lambda x: x[0] - 1], grid=grid)
    assert (middle.primal, middle.dual) == pytest.approx((-1.0, -2.0))
    # not convex, and yet no gap, where the constraint is at the corner
    assert lagrangian_duality(f, [lambda x: x[0] - 2], grid=grid).strong()
    # no point is feasible: both infinite, or only p*
    none = lagrangian_duality(f, [lambda x: 1.0], grid=grid)
    assert (none.primal, none.dual, none.gap, none.x) == (np.inf, np.inf, 0.0, None)
    ends = lagrangian_duality(f, (), [lambda x: x[0] - 1], grid=[[0.0], [2.0]])
    assert (ends.primal, ends.gap) == (np.inf, np.inf)
    assert ends.dual == pytest.approx(-2.0)


def entry(table, j, x):
    return table[int(x[0]), j]


@pytest.mark.course("S0-66", "S4-45")
def test_weak_duality_on_random_problems():
    rng = np.random.default_rng(3)
    for _ in range(20):
        table = rng.normal(size=(30, 4))
        f, g1, g2, h = (partial(entry, table, j) for j in range(4))
        grid = np.arange(30.0)[:, None]
        found = lagrangian_duality(f, [g1, g2], grid=grid)
        assert found.primal - found.dual >= -1e-9
        mu, lam = rng.exponential(size=2), rng.normal(size=1)
        theta = dual_function(f, [g1, g2], mu, grid=grid)
        assert theta <= found.dual + 1e-9
        both = lagrangian_duality(f, [g1, g2], [h], grid=grid)
        theta = dual_function(f, [g1, g2], mu, equalities=[h], lam=lam, grid=grid)
        assert theta <= both.dual + 1e-9
        assert both.dual >= found.dual - 1e-9


@pytest.mark.course("S0-66", "S4-45")
def test_a_saddle_point_is_where_both_are_optimal_and_no_gap_is_left():
    f, g, h = (lambda x: x @ x), (lambda x: 0.8 - x[0]), (lambda x: x.sum() - 1)
    x, mu, lam = [0.8, 0.2], [1.2], [-0.4]
    point = check_saddle_point(f, x, [g], [h], mu, lam)
    assert point.holds()
    assert point.theta_P == pytest.approx(point.theta) == pytest.approx(0.68)
    # both halves by trial, with the point moved on either side
    rng = np.random.default_rng(0)
    for _ in range(50):
        other = rng.exponential(size=1), rng.normal(size=1)
        assert lagrangian(f, x, [g], [h], *other) <= point.lagrangian + 1e-12
        z = rng.normal(size=2)
        assert lagrangian(f, z, [g], [h], mu, lam) >= point.lagrangian - 1e-12
    # x feasible and not optimal: slackness fails on the left, L is not least
    loose = check_saddle_point(f, [0.9, 0.1], [g], [h], mu, lam)
    assert loose.left == pytest.approx(0.12)
    assert loose.right > 0.01
    assert not loose.holds()
    assert loose.gap == pytest.approx(0.82 - 0.68, abs=1e-6)  # theta_P(x) - theta
    # x not feasible: the left half fails without bound
    assert check_saddle_point(f, [0.0, 1.0], [g], [h], mu, lam).left == np.inf
    # other multipliers: only the right half fails
    wrong = check_saddle_point(f, x, [g], [h], [1.0], lam)
    assert wrong.left == pytest.approx(0.0)
    assert wrong.right > 1e-3
    # with a gap no multipliers make a saddle point
    grid = np.linspace(0, 2, 201)[:, None]
    bent, bound = (lambda x: -(x[0] ** 2)), (lambda x: x[0] - 1)
    for m in np.linspace(0, 6, 31):
        trial = check_saddle_point(bent, [1.0], [bound], mu=[m], grid=grid)
        assert trial.gap >= 1 - 1e-9
        assert "above min by" in str(trial)


def test_misuse():
    f = lambda x: x[0]  # noqa: E731
    with pytest.raises(DataError, match="either grid or start"):
        lagrangian_duality(f)
    with pytest.raises(DataError, match=r"shape \(k, d\)"):
        lagrangian_duality(f, grid=[1.0])
    with pytest.raises(DataError, match="mu must be >= 0"):
        check_saddle_point(f, [0.0], [f], mu=[-1.0])
    with pytest.raises(DataError, match="one number for each of 1"):
        check_saddle_point(f, [0.0], [f])
