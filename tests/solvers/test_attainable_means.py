import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from corollary.solvers.attainable_means import distance_to_means, possible_outcomes

SQUARE = np.array([[0.0, 0], [0, 1], [1, 0], [1, 1]])
NONE = np.zeros(4, dtype=bool)


@pytest.mark.parametrize(
    ("target", "possible"),
    [
        ((0.5, 0.5), [1, 1, 1, 1]),
        ((0.999999, 0.5), [1, 1, 1, 1]),
        ((0.0, 0.3), [1, 1, 0, 0]),
        ((1.0, 1.0), [0, 0, 0, 1]),
        ((1.0, 0.25), [0, 0, 1, 1]),
    ],
)
def test_faces_of_a_square(target, possible):
    found, centre = possible_outcomes(SQUARE - np.array(target), NONE)
    assert found.tolist() == [bool(v) for v in possible]
    np.testing.assert_allclose(centre, 0, atol=1e-9)


def test_outside_there_is_nothing():
    assert possible_outcomes(SQUARE - [1.5, 0.5], NONE) is None
    np.testing.assert_allclose(distance_to_means(SQUARE - [1.5, 0.5]), 0.5)
    assert possible_outcomes(np.array([[1.0], [2.0]]), NONE[:2]) is None
    np.testing.assert_allclose(distance_to_means(np.array([[1.0], [2.0]])), 1.0)


def test_a_diagonal_keeps_its_ends():
    # the sum is 1 with certainty: only (0, 1) and (1, 0) have it, or (0, 0) with (1, 1)
    F = np.column_stack([SQUARE.sum(axis=1) - 1, SQUARE[:, 0] * SQUARE[:, 1]])
    found, _ = possible_outcomes(F, NONE)
    assert found.tolist() == [False, True, True, False]


@given(seed=st.integers(0, 10**6))
@settings(max_examples=40, deadline=None)
def test_what_comes_is_possible_and_distances_vanish_inside(seed):
    rng = np.random.default_rng(seed)
    n, k = int(rng.integers(2, 12)), int(rng.integers(1, 4))
    F = rng.normal(size=(n, k))
    p = rng.dirichlet(np.ones(n)) * (rng.random(n) < 0.5)
    p = p / p.sum() if p.sum() else np.full(n, 1 / n)
    centred = F - p @ F
    found, centre = possible_outcomes(centred, np.zeros(n, dtype=bool))
    assert found[p > 1e-6].all()
    assert distance_to_means(centred) < 1e-7
    np.testing.assert_allclose(centre, 0, atol=1e-7)
    told, _ = possible_outcomes(centred, p > 0)
    assert told[p > 0].all()
