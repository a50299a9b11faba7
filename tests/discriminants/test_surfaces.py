import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from corollary.core.errors import DataError
from corollary.discriminants.surfaces import Surface, intersections

FLAT = np.zeros((2, 2))


@pytest.mark.course("S3-19")
@pytest.mark.parametrize(
    ("A", "b", "c", "kind"),
    [
        ([[0, 0], [0, 0]], [1, 2], 3, "line"),
        ([[0, 0], [0, 0]], [0, 0], 3, "nowhere"),
        ([[1, 0], [0, 2]], [0, 0], -1, "ellipse"),
        ([[-1, 0], [0, -2]], [0, 0], 1, "ellipse"),
        ([[1, 0], [0, 2]], [0, 0], 1, "nowhere"),
        ([[1, 0], [0, 2]], [0, 0], 0, "one point"),
        ([[1, 0], [0, -1]], [0, 0], -1, "hyperbola"),
        ([[1, 0], [0, -1]], [0, 0], 0, "crossing lines"),
        ([[1, 0], [0, 0]], [0, 1], 0, "parabola"),
        ([[1, 0], [0, 0]], [0, 0], -1, "parallel lines"),
        ([[0, 1], [1, 0]], [0, 0], -3, "hyperbola"),
    ],
)
def test_conics_are_named(A, b, c, kind):
    surface = Surface(np.array(A, float), np.array(b, float), c)
    assert surface.kind == kind
    turn = np.array([[np.cos(0.7), -np.sin(0.7)], [np.sin(0.7), np.cos(0.7)]])
    turned = Surface(turn @ surface.A @ turn.T, turn @ surface.b, c)
    assert turned.kind == kind


def test_dimensions():
    assert Surface(np.zeros((3, 3)), np.ones(3), 0.0).kind == "plane"
    assert Surface(np.zeros((4, 4)), np.ones(4), 0.0).kind == "hyperplane"
    assert Surface(np.eye(3), np.ones(3), 0.0).kind == "quadric"
    assert Surface(np.zeros((1, 1)), np.ones(1), -2.0).roots().tolist() == [2.0]
    assert Surface(np.eye(1), np.zeros(1), 1.0).kind == "no point"
    with pytest.raises(DataError, match="number of features must be 1; got 2"):
        Surface(FLAT, np.ones(2), 0.0).roots()


@pytest.mark.course("S3-19")
def test_intervals_on_a_line():
    inside = Surface(-np.eye(1), np.zeros(1), 4.0)
    np.testing.assert_allclose(inside.intervals(), [(-2.0, 2.0)])
    outside = Surface(np.eye(1), np.zeros(1), -4.0)
    np.testing.assert_allclose(outside.intervals(), [(-np.inf, -2.0), (2.0, np.inf)])
    assert Surface(np.zeros((1, 1)), np.zeros(1), 1.0).intervals() == [
        (-np.inf, np.inf)
    ]


@pytest.mark.course("S3-19")
def test_circles_meet_in_two_points():
    one = Surface(np.eye(2), np.zeros(2), -25.0)
    other = Surface(np.eye(2), np.array([-16.0, 0.0]), 39.0)  # about (8, 0), radius 5
    points = intersections(one, other)
    np.testing.assert_allclose(np.sort(points[:, 1]), [-3, 3], atol=1e-6)
    np.testing.assert_allclose(points[:, 0], 4, atol=1e-6)
    parallel = Surface(FLAT, np.array([1.0, 0.0]), -1.0)
    beside = Surface(FLAT, np.array([2.0, 0.0]), -6.0)
    assert intersections(parallel, beside).shape == (0, 2)


numbers = st.floats(-3, 3).map(lambda x: round(x, 2))


@given(st.lists(numbers, min_size=8, max_size=8))
def test_intersections_lie_on_both(values):
    a, b, c, d, e, f, g, h = values
    one = Surface(np.array([[a, b], [b, c]]), np.array([d, e]), f)
    two = Surface(FLAT, np.array([g, h]), 1.0)
    for point in intersections(one, two):
        size = 1 + np.abs(point).max() ** 2
        assert abs(one(point[None])[0]) < 1e-3 * size
        assert abs(two(point[None])[0]) < 1e-3 * size


def test_equations_are_written_out():
    surface = Surface(np.array([[1.0, 0.5], [0.5, -2.0]]), np.array([0.0, 3.0]), -1.5)
    text = "1 length^2 - 2 width^2 + 1 length width + 3 width - 1.5 = 0"
    assert surface.equation(["length", "width"]) == text
