"""KKT conditions, the Lagrangian and its dual, on problems solved by hand."""

import numpy as np
import pytest

from corollary.core.errors import DataError
from corollary.diagnostics.kkt import check_kkt, dual_function, lagrangian
from corollary.projections import project_ball
from corollary.svm.hard_margin import hard_margin


@pytest.mark.course("S0-65", "S4-45")
def test_projection_on_a_ball_and_its_multiplier():
    x, r = np.array([3.0, -1.0, 2.0]), 1.5
    p = project_ball(x, r)
    assert p.multiplier == pytest.approx(np.linalg.norm(x) / r - 1)
    found = check_kkt(
        lambda z: ((z - x) ** 2).sum() / 2,
        p.point,
        [lambda z: (z @ z - r * r) / 2],
        mu=[p.multiplier],
    )
    assert found.holds(1e-8)
    assert found.lagrangian == pytest.approx(found.value)
    wrong = check_kkt(
        lambda z: ((z - x) ** 2).sum() / 2,
        p.point,
        [lambda z: (z @ z - r * r) / 2],
        mu=[-1.0],
    )
    assert wrong.sign == 1.0
    assert wrong.stationarity > 0.1
    assert "slackness" in str(wrong)


@pytest.mark.course("S0-65", "S4-45")
def test_equalities_gradients_and_each_condition():
    # min x^2 + y^2, x + y = 1: x = y = 1/2, lam = -1
    f, h = (lambda x: x @ x), (lambda x: x.sum() - 1)
    exact = [lambda x: 2 * x, lambda x: np.ones(2)]
    good = check_kkt(f, [0.5, 0.5], (), [h], (), [-1.0], gradients=exact)
    assert good.residual == 0
    assert check_kkt(f, [0.4, 0.5], (), [h], (), [-1.0]).equality == pytest.approx(0.1)
    # active and inactive: at least one of mu and g is 0
    loose = check_kkt(f, [0.0, 0.0], [lambda x: -1.0], mu=[0.5])
    assert loose.slackness == 0.5
    # the origin with x^2 <= 0: gradient of the only constraint vanishes
    bad = check_kkt(lambda x: x[0], [0.0], [lambda x: x[0] ** 2], mu=[1.0])
    assert not bad.regular
    assert bad.stationarity == pytest.approx(1, abs=1e-6)


@pytest.mark.course("S4-45", "S0-65")
def test_the_margin_programme_by_its_conditions():
    X, y = np.array([[0.0, 0.0], [2.0, 0.0], [3.0, 1.0]]), np.array([0, 1, 1])
    found = hard_margin(X, y)
    s = 2 * y - 1

    def row(i):
        return lambda v: 1 - s[i] * (X[i] @ v[:2] + v[2])

    at = np.append(found.coef, found.intercept)
    kkt = check_kkt(
        lambda v: v[:2] @ v[:2] / 2, at, [row(i) for i in range(3)], mu=found.alpha
    )
    assert kkt.holds(1e-6)


@pytest.mark.course("S0-66", "S4-45")
def test_weak_duality_always_and_strong_for_convex():
    f, g = (lambda x: x[0] ** 2), (lambda x: 1 - x[0])
    mus = np.linspace(0, 5, 26)
    theta = [dual_function(f, [g], [m], start=[0.0]) for m in mus]
    np.testing.assert_allclose(theta, mus - mus**2 / 4, atol=1e-8)
    assert max(theta) == pytest.approx(1.0)  # p* = 1 at x = 1
    grid = np.linspace(0, 2, 201)[:, None]
    theta = [
        dual_function(lambda x: -(x[0] ** 2), [lambda x: x[0] - 1], [m], grid=grid)
        for m in np.linspace(0, 6, 61)
    ]
    assert max(theta) == pytest.approx(-2.0)  # below p* = -1: a gap of 1
    assert lagrangian(f, [3.0], [g], mu=[2.0]) == 5.0


@pytest.mark.course("S0-66", "S4-45")
def test_a_saddle_point_closes_the_gap_and_a_corner_may_too():
    """L(x*, mu) <= L(x*, mu*) <= L(x, mu*) at x* = 1, mu* = 2 of min x^2, x >= 1."""
    f, g = (lambda x: x[0] ** 2), (lambda x: 1 - x[0])
    middle = lagrangian(f, [1.0], [g], mu=[2.0])
    assert middle == 1.0
    for mu in np.linspace(0, 9, 19):
        assert lagrangian(f, [1.0], [g], mu=[mu]) <= middle
    for x in np.linspace(-3, 5, 33):
        assert lagrangian(f, [x], [g], mu=[2.0]) >= middle
    # at another multiplier the left or the right half fails
    assert lagrangian(f, [0.5], [g], mu=[1.0]) < lagrangian(f, [1.0], [g], mu=[1.0])
    # not convex, and yet no gap: min -x^2 on [0, 2] with x <= 2
    grid = np.linspace(0, 2, 201)[:, None]
    theta = [
        dual_function(lambda x: -(x[0] ** 2), [lambda x: x[0] - 2], [m], grid=grid)
        for m in np.linspace(0, 6, 61)
    ]
    assert max(theta) == pytest.approx(-4.0)


@pytest.mark.course("S0-65")
def test_the_conditions_are_necessary_only():
    """A maximum is stationary as well."""
    top = check_kkt(lambda x: -(x @ x), [0.0, 0.0])
    assert top.holds(1e-8)
    assert top.value > -1.0
    infeasible = check_kkt(lambda x: x @ x, [0.0], [lambda x: 1 - x[0]], mu=[0.0])
    assert infeasible.inequality == 1.0
    assert not infeasible.holds()


def test_misuse():
    f = lambda x: x[0]  # noqa: E731
    with pytest.raises(DataError, match="one number for each of 1 constraints"):
        check_kkt(f, [0.0], [f], mu=[1.0, 2.0])
    with pytest.raises(DataError, match="mu must be >= 0"):
        dual_function(f, [f], [-1.0], start=[0.0])
    with pytest.raises(DataError, match="either grid or start"):
        dual_function(f, [f], [1.0])
    with pytest.raises(DataError, match="gradients must be 2"):
        check_kkt(f, [0.0], [f], mu=[1.0], gradients=[f])
