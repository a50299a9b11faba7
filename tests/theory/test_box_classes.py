"""Boxes and cuts: the cross, the point inside, and Sperner's count for stumps."""

from itertools import product
from math import comb

import numpy as np
import pytest

from corollary.core.errors import ParameterError
from corollary.theory import (
    Boxes,
    Stumps,
    dichotomies,
    find_shattered_set,
    shatters,
    vc_dimension,
)


def naive_boxes(P):
    """All labellings by boxes whose faces pass through points, and the empty one."""
    found = {(0,) * len(P)}
    sides = [[(a, b) for a in c for b in c if a <= b] for c in P.T]
    for box in product(*sides):
        low, high = np.array(box).T
        found.add(tuple(int(x) for x in ((P >= low) & (P <= high)).all(axis=1)))
    return found


def naive_stumps(P):
    found = {(0,) * len(P), (1,) * len(P)}
    for column in P.T:
        for t in column:
            above = (column > t).astype(int)
            found |= {tuple(above.tolist()), tuple((1 - above).tolist())}
    return found


@pytest.mark.course("S0-55", "S3-105")
def test_rectangles_shatter_the_cross_and_no_five_points():
    cls = Boxes(2)
    cross = np.array([[1.0, 0.0], [-1.0, 0.0], [0.0, 1.0], [0.0, -1.0]])
    proof = shatters(cls, cross)
    assert proof
    assert len(proof.witnesses) == 16
    for labels, box in zip(proof.labels, proof.witnesses, strict=True):
        assert tuple(cls.predict(box, cross)) == labels
    rng = np.random.default_rng(0)
    for _ in range(50):
        P = rng.normal(size=(5, 2))
        failed = shatters(cls, P)
        assert not failed
        assert failed.refutation.labels not in naive_boxes(P)
        inside, *faces = failed.refutation.rows
        low, high = P[faces].min(axis=0), P[faces].max(axis=0)
        assert ((low <= P[inside]) & (P[inside] <= high)).all()
        assert failed.refutation.labels[inside] == 0
        assert all(failed.refutation.labels[i] == 1 for i in faces)


@pytest.mark.course("S0-55")
@pytest.mark.parametrize("n", [1, 2, 3])
def test_boxes_have_dimension_2n(n):
    cls = Boxes(n)
    assert shatters(cls, cls.shattered_points(2 * n))
    assert not find_shattered_set(cls, 2 * n + 1, n_sets=30, random_state=0)
    assert cls.vc_dimension == 2 * n


@pytest.mark.parametrize(("m", "n"), [(3, 1), (4, 2), (5, 2), (6, 2), (4, 3)])
def test_labellings_of_boxes_are_those_of_the_naive_enumeration(m, n):
    P = np.random.default_rng(m).integers(0, 5, size=(m, n)).astype(float)
    P = np.unique(P, axis=0)
    assert set(dichotomies(Boxes(n), P)) == naive_boxes(P)


def test_the_empty_box_holds_nothing():
    box = Boxes(2).witness([[1.0, 2.0]], [0])
    assert Boxes(2).predict(box, [[1.0, 2.0], [0.0, 0.0]]).tolist() == [0, 0]


@pytest.mark.course("S3-105")
@pytest.mark.parametrize(("n", "d"), [(1, 2), (2, 3), (3, 4)])
def test_stumps_shatter_as_many_points_as_sperners_count_allows(n, d):
    cls = Stumps(n)
    assert cls.vc_dimension == d
    assert comb(d, d // 2) <= 2 * n < comb(d + 1, (d + 1) // 2)
    proof = shatters(cls, cls.shattered_points(d))
    assert proof
    for labels, cut in zip(proof.labels, proof.witnesses, strict=True):
        assert tuple(cls.predict(cut, proof.points)) == labels
    assert not find_shattered_set(cls, d + 1, n_sets=100, random_state=0)


def test_all_orders_of_four_points_on_two_features_are_not_shattered():
    from itertools import permutations

    first = np.arange(4.0)
    for order in permutations(range(4)):  # the order on one feature is 0 1 2 3
        P = np.column_stack([first, np.array(order, dtype=float)])
        assert vc_dimension(Stumps(2), P).dimension <= 3


@pytest.mark.parametrize(("m", "n"), [(4, 1), (5, 2), (6, 3)])
def test_labellings_of_stumps_are_those_of_the_naive_enumeration(m, n):
    P = np.unique(np.random.default_rng(m).integers(0, 4, size=(m, n)), axis=0) * 1.0
    assert set(dichotomies(Stumps(n), P)) == naive_stumps(P)


def test_a_cut_between_neighbouring_numbers_is_right():
    x = np.array([[1.0], [np.nextafter(1.0, 2.0)]])
    for y in ([0, 1], [1, 0]):
        assert Stumps(1).predict(Stumps(1).witness(x, y), x).tolist() == y


def test_a_refutation_of_stumps_names_all_points():
    found = Stumps(1).refutation([1.0, 2.0, 3.0], [1, 0, 1])
    assert found.labels == (1, 0, 1)
    assert "on no axis" in str(found)


@pytest.mark.parametrize("cls", [Boxes, Stumps])
@pytest.mark.parametrize("n", [0, 2.5, None])
def test_a_bad_number_of_features_is_told(cls, n):
    with pytest.raises(ParameterError, match="n_features must be a whole number"):
        cls(n)
