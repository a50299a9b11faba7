import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.optimize import minimize

from corollary.core.errors import DataError, ParameterError
from corollary.information import relative_entropy
from corollary.projections import (
    project_ball,
    project_box,
    project_box_and_hyperplane,
    project_half_space,
    project_hyperplane,
    project_range,
    project_simplex,
    scale_to_simplex,
)

X = arrays(float, 6, elements=st.floats(-5, 5, width=32))
A = arrays(float, 6, elements=st.floats(0.25, 3, width=32))
SIGNS = arrays(float, 6, elements=st.sampled_from([-1.0, 1.0]))


@pytest.mark.course("S2-37")
@given(X, st.floats(0.1, 5))
def test_ball(x, r):
    found = project_ball(x, r)
    p, mu = found.point, found.multiplier
    assert np.linalg.norm(p) <= r * (1 + 1e-12)
    assert mu >= 0
    np.testing.assert_allclose((1 + mu) * p, x, atol=1e-12)  # stationary
    assert mu * abs(np.linalg.norm(p) - r) < 1e-12  # complementary
    if np.linalg.norm(x) > r:
        np.testing.assert_allclose(mu, np.linalg.norm(x) / r - 1)


@pytest.mark.course("S2-37")
def test_ball_elsewhere_and_inside():
    np.testing.assert_allclose(project_ball([5, 1], 2, [1, 1]).point, [3, 1])
    inside = project_ball([0.1, 0.2])
    assert inside.point.tolist() == [0.1, 0.2]
    assert inside.multiplier == 0


@pytest.mark.course("S0-12", "S2-37")
def test_hyperplane_leaves_the_orthant_where_the_simplex_does_not():
    f = [5.0, 1.0, 0.0]
    np.testing.assert_allclose(
        project_hyperplane(f, [1, 1, 1], 1).point, [10 / 3, -2 / 3, -5 / 3]
    )
    np.testing.assert_allclose(project_simplex(f).point, [1, 0, 0])
    np.testing.assert_allclose(scale_to_simplex(f).point, [5 / 6, 1 / 6, 0])


@pytest.mark.course("S2-37")
@given(X, A, SIGNS, st.floats(-5, 5))
def test_hyperplane_and_half_space(x, a, signs, b):
    a = a * signs
    on = project_hyperplane(x, a, b)
    np.testing.assert_allclose(a @ on.point, b, atol=1e-9)
    np.testing.assert_allclose(x - on.point, on.multiplier * a, atol=1e-9)
    half = project_half_space(x, a, b)
    assert a @ half.point <= b + 1e-9
    assert half.multiplier >= 0
    assert half.multiplier * abs(a @ half.point - b) < 1e-8


@pytest.mark.course("S2-37")
@pytest.mark.parametrize("rank", [1, 2, 3])
def test_range_of_any_rank(rank):
    rng = np.random.default_rng(rank)
    M = rng.normal(size=(7, rank)) @ rng.normal(size=(rank, 3))
    x = rng.normal(size=7)
    found = project_range(x, M)
    np.testing.assert_allclose(M.T @ found.multiplier, 0, atol=1e-12)
    np.testing.assert_allclose(found.point + found.multiplier, x, atol=1e-12)
    best = np.linalg.lstsq(M, x, rcond=None)[0]
    np.testing.assert_allclose(found.point, M @ best, atol=1e-12)
    again = project_range(found.point, M).point
    np.testing.assert_allclose(again, found.point, atol=1e-12)  # idempotent


@pytest.mark.course("S0-12")
@given(X, st.floats(0.1, 5))
def test_simplex(x, total):
    found = project_simplex(x, total)
    p, mu = found.point, found.multiplier
    assert (p >= 0).all()
    np.testing.assert_allclose(p.sum(), total, rtol=1e-9)
    slack = p - x + mu  # the multipliers of p >= 0
    assert (slack >= -1e-9).all()
    np.testing.assert_allclose(slack * p, 0, atol=1e-8)


@pytest.mark.course("S0-12")
def test_simplex_stands_large_numbers_and_equals_a_general_solver():
    p = project_simplex([1e9 + 0.25, 1e9]).point
    np.testing.assert_allclose(p, [0.625, 0.375], atol=1e-6)
    x = np.random.default_rng(0).normal(size=5)
    solved = minimize(
        lambda p: ((p - x) ** 2).sum(),
        np.full(5, 0.2),
        jac=lambda p: 2 * (p - x),
        bounds=[(0, None)] * 5,
        constraints={"type": "eq", "fun": lambda p: p.sum() - 1},
        method="SLSQP",
        options={"ftol": 1e-15},
    )
    np.testing.assert_allclose(project_simplex(x).point, solved.x, atol=1e-6)


@pytest.mark.course("S2-37")
@given(X, A, SIGNS, st.floats(0, 1))
def test_box_and_hyperplane(x, a, signs, share):
    a = a * signs
    low, high = -1.0, 2.0
    least = np.where(a > 0, a * low, a * high).sum()
    most = np.where(a > 0, a * high, a * low).sum()
    b = least + share * (most - least)
    found = project_box_and_hyperplane(x, a, b, low, high)
    p = found.point
    assert ((p >= low) & (p <= high)).all()
    np.testing.assert_allclose(a @ p, b, atol=1e-8)
    residual = x - found.multiplier * a - p  # what the bounds must account for
    assert (residual[p < high] <= 1e-8).all()
    assert (residual[p > low] >= -1e-8).all()


@pytest.mark.course("S2-37")
def test_box_and_hyperplane_is_the_simplex_with_unit_weights():
    x = np.random.default_rng(3).normal(size=8)
    both = project_box_and_hyperplane(x, np.ones(8), 1.0)
    np.testing.assert_allclose(both.point, project_simplex(x).point, atol=1e-12)
    np.testing.assert_allclose(both.multiplier, project_simplex(x).multiplier)
    np.testing.assert_allclose(project_box([3.0, -1.0], [0, 0], [2, 2]).point, [2, 0])
    still = project_box_and_hyperplane([4.0, 4.0], [1.0, 0.0], 0.5)
    np.testing.assert_allclose(still.point, [0.5, 1.0])  # a coordinate a ignores


@pytest.mark.course("S0-12")
@given(arrays(float, 4, elements=st.floats(0.1, 9)), st.integers(0, 10**6))
def test_scaling_is_the_nearest_point_in_relative_entropy_either_way(f, seed):
    found = scale_to_simplex(f)
    p = found.point
    np.testing.assert_allclose(np.log(p / f) + found.multiplier, 0, atol=1e-12)
    for q in np.random.default_rng(seed).dirichlet(np.ones(4), 20):
        assert relative_entropy(q, f) >= relative_entropy(p, f) - 1e-9
        assert relative_entropy(f, q) >= relative_entropy(f, p) - 1e-9


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: project_ball([1.0], 0.0), ParameterError, "radius must be > 0"),
        (lambda: project_ball([1.0], 1.0, [1, 2]), DataError, "center must be a num"),
        (lambda: project_hyperplane([1.0], [0.0], 1), ParameterError, "not be 0"),
        (lambda: project_range([1.0], [[1.0], [2.0]]), DataError, "A must have 1 row"),
        (lambda: project_box([1.0], 2, 1), ParameterError, "low must be at most high"),
        (lambda: project_simplex([]), DataError, "vector of one number or more"),
        (lambda: project_simplex([[1.0]]), DataError, "x must be a vector"),
        (lambda: project_simplex([np.inf]), DataError, "x must be finite"),
        (lambda: scale_to_simplex([0.0, 0.0]), DataError, "zeros only"),
        (lambda: scale_to_simplex([-1.0, 2.0]), DataError, "f must be >= 0"),
        (
            lambda: project_box_and_hyperplane([1.0, 1.0], [1, 1], 3),
            ParameterError,
            r"b must be in \[0, 2\]",
        ),
    ],
)
def test_bad_input_gets_one_sentence(call, error, message):
    with pytest.raises(error, match=message) as caught:
        call()
    assert "\n" not in str(caught.value)
