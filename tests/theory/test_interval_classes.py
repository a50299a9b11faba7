"""Unions of intervals: witnesses, the pattern + - +, and their number."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from corollary.core.errors import ParameterError
from corollary.theory import Intervals, dichotomies, shatters


def naive(x, k):
    """All labellings by unions of at most k intervals with ends among the points."""
    ends = [(a, b) for a in x for b in x if a <= b]
    none = tuple(0 for _ in x)
    found = {none}
    for _ in range(k):
        found |= {
            tuple(int(old or a <= p <= b) for p, old in zip(x, labels, strict=True))
            for labels in found
            for a, b in ends
        }
    return found


@pytest.mark.course("S0-55", "S3-105")
def test_two_points_are_shattered_and_the_middle_one_of_three_cannot_be_left_out():
    proof = shatters(Intervals(), [3.1, 5.7])
    assert proof.shattered
    for labels, parameters in zip(proof.labels, proof.witnesses, strict=True):
        assert tuple(Intervals().predict(parameters, [3.1, 5.7])) == labels
    failed = shatters(Intervals(), [9.0, 3.1, 5.7])
    assert not failed
    assert failed.refutation.labels == (1, 1, 0)  # 5.7 is the middle one
    assert failed.refutation.rows == (1, 2, 0)  # + - + from left to right


@pytest.mark.course("S0-55")
@pytest.mark.parametrize("k", [1, 2, 3])
def test_k_intervals_shatter_2k_points_and_never_one_more(k):
    cls = Intervals(k)
    assert cls.vc_dimension == 2 * k
    assert shatters(cls, cls.shattered_points(2 * k))
    x = np.random.default_rng(k).normal(size=2 * k + 1)
    failed = shatters(cls, x)
    assert not failed
    assert failed.refutation.labels not in naive(x, k)
    signs = np.array(failed.refutation.labels)[list(failed.refutation.rows)]
    assert signs.tolist() == [1, 0] * k + [1]
    assert (np.diff(x[list(failed.refutation.rows)]) > 0).all()


@pytest.mark.course("S0-55")
def test_finite_unions_shatter_every_set():
    cls = Intervals(None)
    assert cls.vc_dimension == np.inf
    assert shatters(cls, np.random.default_rng(0).normal(size=9))


@pytest.mark.parametrize(("m", "k"), [(1, 1), (4, 1), (6, 1), (5, 2), (6, 2), (5, 3)])
def test_labellings_are_those_of_the_naive_enumeration(m, k):
    x = np.random.default_rng(m).permutation(m).astype(float)
    found = dichotomies(Intervals(k), x)
    assert set(found) == naive(x, k)
    assert len(found) == len(set(found))


@pytest.mark.course("S3-104")
def test_one_interval_makes_one_and_m_m_plus_1_half_labellings():
    for m in range(1, 12):
        found = dichotomies(Intervals(), np.arange(float(m)))
        assert len(found) == 1 + m * (m + 1) // 2


@given(
    st.lists(st.integers(-5, 5), min_size=1, max_size=8),
    st.integers(1, 3),
    st.randoms(use_true_random=False),
)
def test_there_is_a_witness_or_a_refutation_never_both(x, k, random):
    y = [random.randint(0, 1) for _ in x]
    cls = Intervals(k)
    parameters, refutation = cls.witness(x, y), cls.refutation(x, y)
    assert (parameters is None) == (refutation is not None)
    if parameters is not None:
        assert len(parameters) <= k
        assert cls.predict(parameters, x).tolist() == y
    else:
        assert refutation.labels == tuple(y)


def test_labels_of_either_spelling():
    for y in ([0, 1, 1], [-1, 1, 1], [False, True, True]):
        assert Intervals().witness([1.0, 2.0, 3.0], y) == ((2.0, 3.0),)
    assert Intervals().witness([1.0], [0]) == ()


@pytest.mark.parametrize("k", [0, -1, 1.5, "two", True])
def test_a_bad_number_of_intervals_is_told(k):
    with pytest.raises(ParameterError, match="Intervals: n_intervals must be"):
        Intervals(k)


@pytest.mark.parametrize(
    ("points", "labels", "words"),
    [
        ([1.0, np.nan], [0, 1], "points must be finite"),
        ([1.0, 2.0], [0, 2], "labels must be 0 and 1"),
        ([1.0, 2.0], [0], "labels must hold 0 or 1 for each of 2"),
        ([[1.0, 2.0]], [0], "rows of 1 columns"),
        ([], [], "points"),
        (["a"], [1], "must hold numbers"),
        ([1.0, 2.0, 3.0], [-1, 0, 1], "labels must be 0 and 1"),
    ],
)
def test_bad_points_and_labels_are_told_in_a_sentence(points, labels, words):
    with pytest.raises(ValueError, match=words):
        Intervals().witness(points, labels)


def test_all_labellings_of_small_sets_agree_with_their_runs():
    x = np.arange(5.0)
    for y in product((0, 1), repeat=5):
        runs = sum(b > a for a, b in zip((0, *y), y, strict=False))
        assert (Intervals(2).witness(x, y) is not None) == (runs <= 2)
