"""The shapes lie where they should, and the seed decides them."""

import numpy as np
import pytest

from corollary.datasets import (
    blobs,
    rings,
    spirals,
    stretched_blobs,
    swiss_roll,
    two_moons,
    xor_cloud,
)

MAKERS = [
    blobs,
    rings,
    spirals,
    stretched_blobs,
    swiss_roll,
    two_moons,
    xor_cloud,
]


@pytest.mark.parametrize("make", MAKERS, ids=lambda f: f.__name__)
def test_seed_decides_the_data(make):
    first, again, other = make(), make(random_state=0), make(random_state=1)
    generator = make(random_state=np.random.default_rng(0))
    np.testing.assert_array_equal(first[0], again[0])
    np.testing.assert_array_equal(first[0], generator[0])
    assert not np.array_equal(first[0], other[0])
    assert len(make(17)[0]) == len(make(17)[1]) == 17


def test_two_moons_are_half_circles_with_noise():
    X, y = two_moons(20_000, noise=0.1)
    upper, lower = X[y == 0], X[y == 1]
    np.testing.assert_allclose(upper.mean(axis=0), [0, 2 / np.pi], atol=0.03)
    np.testing.assert_allclose(lower.mean(axis=0), [1, 0.5 - 2 / np.pi], atol=0.03)
    away = np.hypot(*upper.T) - 1
    assert away.std() == pytest.approx(0.1, abs=0.005)


def test_rings_have_their_radii():
    X, y = rings(9_000, radii=(0.5, 2), noise=0.05)
    assert np.bincount(y).tolist() == [4500, 4500]
    for k, radius in enumerate((0.5, 2)):
        assert np.hypot(*X[y == k].T).mean() == pytest.approx(radius, abs=0.01)


def test_spiral_arms_are_one_arm_turned():
    X, y = spirals(600, arms=2, turns=1.5, noise=0)
    r, angle = np.hypot(*X.T), np.arctan2(X[:, 1], X[:, 0])
    expected = 2 * np.pi * (1.5 * r + y / 2)
    assert np.abs(np.exp(1j * angle) - np.exp(1j * expected)).max() < 1e-12
    assert r.min() >= 0.1
    assert r.max() <= 1
    assert np.median(r**2) == pytest.approx(0.505, abs=0.05)  # even along the arm


def test_swiss_roll_unrolls():
    roll = swiss_roll(2_000)
    np.testing.assert_allclose(np.hypot(roll.X[:, 0], roll.X[:, 2]), roll.t)
    np.testing.assert_array_equal(roll.X[:, 1], roll.h)
    assert roll.t.min() > 1.5 * np.pi
    assert roll.t.max() < 4.5 * np.pi
    assert roll.h.mean() == pytest.approx(10, abs=0.5)


def test_blobs_have_their_centers_and_spread():
    X, y, centers = blobs(60_000, 4, 3, std=0.5)
    for k in range(3):
        np.testing.assert_allclose(X[y == k].mean(axis=0), centers[k], atol=0.02)
        np.testing.assert_allclose(X[y == k].std(axis=0), 0.5, atol=0.02)
    np.testing.assert_allclose(np.bincount(y) / len(y), 1 / 3, atol=0.01)


def test_stretched_blobs_are_long_along_the_diagonal():
    X, y, centers = stretched_blobs(30_000, ratio=8)
    Z = X - centers[y]
    along, across = Z @ [1, 1] / np.sqrt(2), Z @ [-1, 1] / np.sqrt(2)
    assert along.std() == pytest.approx(8, rel=0.02)
    assert across.std() == pytest.approx(1, rel=0.02)
    assert abs(np.corrcoef(along, across)[0, 1]) < 0.02
    np.testing.assert_allclose(centers @ [1, 1], 0, atol=1e-12)


def test_no_line_separates_the_xor_cloud():
    X, y = xor_cloud(40_000, noise=0.25)
    assert np.mean((X[:, 0] * X[:, 1] < 0) == y) > 0.999
    A = np.column_stack([np.ones(len(X)), X])
    w = np.linalg.lstsq(A, y, rcond=None)[0]
    np.testing.assert_allclose(w, [0.5, 0, 0], atol=0.01)
