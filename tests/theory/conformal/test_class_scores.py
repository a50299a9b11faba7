"""Scores of classes, against a loop over them."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from oracles.conformal import naive_score

from corollary.theory.conformal.class_scores import FEW, ClassScore, falling, network


@pytest.mark.parametrize("n", [1, 200])
@pytest.mark.parametrize("K", [1, 2, 3, 5, 8, 10, FEW, FEW + 1, 60])
def test_columns_come_sorted_and_the_rows_stay_as_they_are(K, n):
    P = np.random.default_rng(K).integers(0, 9, size=(n, K)).astype(float)
    before = P.copy()
    np.testing.assert_array_equal(np.column_stack(falling(P)), -np.sort(-P, axis=1))
    np.testing.assert_array_equal(P, before)


@pytest.mark.parametrize("K", range(1, 12))
def test_the_network_sorts_every_row_of_0_and_1(K):  # then it sorts every row
    rows = (np.arange(2**K)[:, None] >> np.arange(K)) & 1
    for i, j in network(K):
        high = np.maximum(rows[:, i], rows[:, j])
        rows[:, j] = np.minimum(rows[:, i], rows[:, j])
        rows[:, i] = high
    assert (np.diff(rows, axis=1) <= 0).all()


@given(
    counts=st.lists(st.integers(0, 5), min_size=2, max_size=8).filter(any),
    u=st.floats(0, 1),
    kind=st.sampled_from(["lac", "aps", "raps"]),
    free=st.integers(0, 3),
    q=st.floats(-0.1, 1.5),
)
@settings(deadline=None)
def test_scores_and_sets_are_the_naive_ones_with_equal_probabilities_too(
    counts, u, kind, free, q
):
    p = np.array(counts) / sum(counts)
    K = len(p)
    score = ClassScore(kind, 0.05, free)
    P, drawn = np.tile(p, (K, 1)), np.full(K, u)
    naive = np.array([naive_score(kind, p, y, u, 0.05, free) for y in range(K)])
    own = score.of_labels(P, np.arange(K), drawn)
    np.testing.assert_allclose(own, naive, atol=1e-12)
    np.testing.assert_array_equal(score.of_all(P, drawn)[0], own)
    np.testing.assert_array_equal(score.sets(P, q, drawn)[0], own <= q)
    for y in range(K):  # a threshold that is a score itself
        np.testing.assert_array_equal(score.sets(P, own[y], drawn)[0], own <= own[y])
