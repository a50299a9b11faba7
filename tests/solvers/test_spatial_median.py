"""The spatial median: minimal, held to a gap, hard to carry away."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.optimize import minimize

from corollary.solvers.spatial_median import spatial_median, weighted_median


def sum_of_distances(W, o, m):
    return float(o @ np.linalg.norm(W - m, axis=1))


@given(
    W=arrays(float, (9, 2), elements=st.integers(-5, 5).map(float)),
    o=arrays(float, 9, elements=st.integers(1, 4).map(float)),
)
@settings(max_examples=150, deadline=None)
def test_the_gap_bounds_the_distance_to_the_minimum(W, o):
    found = spatial_median(W, o, tol=1e-10)
    assert found.objective == pytest.approx(sum_of_distances(W, o, found.point))
    starts = [W.mean(axis=0), found.point, *W]
    tries = [
        minimize(lambda m: sum_of_distances(W, o, m), m, method="Nelder-Mead").fun
        for m in starts[:2]
    ]
    best = min([*tries, *(sum_of_distances(W, o, w) for w in W)])
    assert found.objective <= best * (1 + 1e-9) + 1e-9
    early = spatial_median(W, o, tol=0.3)
    assert early.objective - early.gap <= best * (1 + 1e-9) + 1e-9


def test_a_point_that_outweighs_the_others_is_the_median():
    W = np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0], [5.0, 5.0]])
    found = spatial_median(W, np.array([3.0, 1.0, 1.0, 0.5]))
    np.testing.assert_allclose(found.point, 0.0, atol=1e-12)
    assert found.gap <= 1e-6 * found.objective


def test_half_of_the_points_may_run_away():
    rng = np.random.default_rng(0)
    W = rng.normal(size=(101, 3))
    for far in (1e2, 1e6, 1e12):
        W[:49] = far
        assert np.linalg.norm(spatial_median(W, tol=1e-9).point) < 10
    assert np.linalg.norm(W.mean(axis=0)) > 1e10


def test_it_turns_and_moves_with_the_points():
    rng = np.random.default_rng(1)
    W = rng.normal(size=(30, 3))
    Q, _ = np.linalg.qr(rng.normal(size=(3, 3)))
    first = spatial_median(W, tol=1e-12).point
    moved = spatial_median(7 * W @ Q + 3, tol=1e-12).point
    np.testing.assert_allclose(moved, 7 * first @ Q + 3, rtol=1e-6)


def test_points_on_a_line_have_their_median():
    t = np.array([-3.0, 0.0, 1.0, 7.0, 50.0])
    W = t[:, None] * np.array([1.0, 2.0]) + np.array([3.0, 4.0])
    np.testing.assert_allclose(spatial_median(W, tol=1e-9).point, [4.0, 6.0])


@given(
    x=st.lists(st.integers(-9, 9), min_size=1, max_size=9),
    w=st.lists(st.integers(1, 4), min_size=9, max_size=9),
)
def test_weighted_medians_are_those_of_repeated_numbers(x, w):
    x, w = np.array(x, dtype=float), np.array(w[: len(x)], dtype=float)
    assert weighted_median(x, w) == np.median(np.repeat(x, w.astype(int)))
