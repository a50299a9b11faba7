"""Dichotomies, shattering and VC dimension by brute force."""

from itertools import combinations, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from corollary.core.errors import DataError, ParameterError
from corollary.theory import (
    Boxes,
    Halfspaces,
    Intervals,
    Stumps,
    dichotomies,
    find_shattered_set,
    shatters,
    vc_dimension,
)

TABLE = [[1, 1, 1], [0, 1, 1], [1, 0, 0], [0, 0, 0]]


def naive_dimension(table):
    """Try every set of columns."""
    table, best = np.array(table), 0
    for m in range(1, table.shape[1] + 1):
        for columns in combinations(range(table.shape[1]), m):
            if len({tuple(row) for row in table[:, columns]}) == 2**m:
                best = m
    return best


@pytest.mark.course("S0-54")
def test_the_table_of_the_course():
    found = dichotomies(TABLE, [0, 2])
    assert set(found) == set(product((0, 1), repeat=2))
    assert found.subsets == {
        frozenset(),
        frozenset({0}),
        frozenset({1}),
        frozenset({0, 1}),
    }
    assert shatters(TABLE, [0])
    assert shatters(TABLE, [0, 2])
    assert shatters(TABLE, [0, 1])
    failed = shatters(TABLE, [1, 2])
    assert not failed
    assert failed.refutation.labels == (0, 1)
    assert set(dichotomies(TABLE, [1, 2])) == {(0, 0), (1, 1)}
    dimension = vc_dimension(TABLE)
    assert dimension.dimension == 2 == np.log2(len(TABLE)) == dimension.size_bound
    assert dimension.exact
    proof = shatters(TABLE, [0, 2])
    for labels, rule in zip(proof.labels, proof.witnesses, strict=True):
        assert np.array(TABLE)[rule, [0, 2]].tolist() == list(labels)


@pytest.mark.course("S0-54")
@given(st.integers(0, 2**32 - 1), st.integers(1, 40), st.integers(1, 7))
def test_the_dimension_is_that_of_all_sets_and_at_most_log2_of_the_rules(seed, k, n):
    table = np.random.default_rng(seed).integers(2, size=(k, n))
    found = vc_dimension(table)
    assert found.dimension == naive_dimension(table) == len(found.points)
    assert found.dimension <= np.log2(len(np.unique(table, axis=0)))
    assert found.n_rules == len(np.unique(table, axis=0))
    if found.dimension:
        assert shatters(table, found.points)


def test_one_rule_has_dimension_zero():
    found = vc_dimension([[0, 1, 1]])
    assert (found.dimension, found.points) == (0, ())
    assert "points none are shattered" in str(found)


@pytest.mark.course("S4-55", "S1-46")
def test_a_set_that_is_not_shattered_proves_nothing_of_others():
    line = [[0.0, 0.0], [1.0, 1.0], [2.0, 2.0]]
    assert not shatters(Halfspaces(2), line)
    found = find_shattered_set(Halfspaces(2), 3, random_state=0)
    assert found
    assert "VC >= 3" in str(found)
    none = find_shattered_set(Halfspaces(2), 4, n_sets=20, random_state=0)
    assert not none
    assert "proves nothing of other sets" in str(none)


@pytest.mark.parametrize(
    ("cls", "N", "n", "d"),
    [(Intervals(), 6, 1, 2), (Intervals(2), 6, 1, 4), (Stumps(1), 6, 1, 2)],
)
def test_brute_force_finds_the_dimension_of_classes_on_the_line(cls, N, n, d):
    P = np.random.default_rng(0).normal(size=(N, n))
    found = vc_dimension(cls, P)
    assert found.dimension == d == cls.vc_dimension
    assert shatters(cls, P[list(found.points)])


def test_brute_force_on_a_few_points_is_a_lower_bound():
    found = vc_dimension(Boxes(2), [[0.0, 0.0], [1.0, 1.0], [2.0, 2.0]])
    assert found.dimension == 2
    assert not found.exact
    assert "or more" in str(found)
    plane = np.random.default_rng(0).normal(size=(6, 2))
    assert vc_dimension(Halfspaces(2), plane).exact  # a theorem meets it


@settings(max_examples=40)
@given(
    st.lists(
        st.tuples(st.integers(-3, 3), st.integers(-3, 3)),
        min_size=1,
        max_size=5,
        unique=True,
    )
)
def test_shattered_means_all_labellings_and_not_shattered_a_real_gap(points):
    P = np.array(points, dtype=float)
    for cls in (Boxes(2), Stumps(2), Halfspaces(2)):
        found, listed = shatters(cls, P), set(dichotomies(cls, P))
        assert found.shattered == (len(listed) == 2 ** len(P))
        if found:
            assert set(found.labels) == listed
        else:
            assert found.refutation.labels not in listed


def test_bad_input_is_told():
    with pytest.raises(ParameterError, match="points must be given"):
        vc_dimension(Boxes(2))
    with pytest.raises(DataError, match="at most 16"):
        shatters(Intervals(None), np.arange(21.0))
    for size, n_sets in ((0, 5), (2, 0), ("2", 5)):
        with pytest.raises(ParameterError, match="must be a whole number >= 1"):
            find_shattered_set(Boxes(2), size, n_sets=n_sets)
    with pytest.raises(ParameterError, match="sampler must be given"):
        find_shattered_set([lambda P: P[:, 0] > 0], 1)


def test_records_print():
    assert str(dichotomies(TABLE, [0, 1])) == "4 of 4 labellings of 2 points: shattered"
    assert str(shatters(TABLE, [0])) == (
        "shattered: all 2 labellings of 1 points, so VC >= 1"
    )
    words = str(shatters(TABLE, [1, 2]))
    assert words == (
        "not shattered: -+ is impossible: none of the 4 rules has these labels"
    )
