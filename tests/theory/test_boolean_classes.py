"""Conjunctions as a class: their number, witnesses and dimension."""

from itertools import product

import numpy as np
import pytest

from corollary.core.errors import DataError
from corollary.theory import Conjunctions, dichotomies, shatters, vc_dimension


def cube(n):
    return np.array(list(product((0, 1), repeat=n)))


def every_conjunction(n, monotone):
    """The labels of the cube by all AND of literals; the false one where allowed."""
    P, found = cube(n), set()
    for signs in product((0, 1) if monotone else (0, 1, -1), repeat=n):
        labels = np.ones(len(P), dtype=bool)
        for j, sign in enumerate(signs):
            if sign:
                labels &= P[:, j] == (sign > 0)
        found.add(tuple(labels.astype(int).tolist()))
    return found | (set() if monotone else {(0,) * len(P)})


@pytest.mark.course("S0-52", "S3-104")
@pytest.mark.parametrize("n", [1, 2, 3])
@pytest.mark.parametrize("monotone", [False, True])
def test_there_are_3_to_the_n_conjunctions_and_2_to_the_n_monotone_ones(n, monotone):
    cls = Conjunctions(n, monotone)
    found = set(dichotomies(cls, cube(n)))
    assert found == every_conjunction(n, monotone)
    assert cls.size == len(found) - (not monotone)  # 3^n omits the false one
    assert cls.size == (2 if monotone else 3) ** n


@pytest.mark.course("S3-105")
@pytest.mark.parametrize("n", [1, 2, 3, 4])
@pytest.mark.parametrize("monotone", [False, True])
def test_all_sets_of_the_cube_tried_give_dimension_n(n, monotone):
    table = np.array(sorted(every_conjunction(n, monotone)))
    found = vc_dimension(table)
    assert found.exact
    expected = 2 if n == 1 and not monotone else n
    assert found.dimension == expected == Conjunctions(n, monotone).vc_dimension
    cls = Conjunctions(n, monotone)
    assert shatters(cls, cls.shattered_points(n))


@pytest.mark.parametrize("monotone", [False, True])
def test_a_witness_labels_as_asked_and_a_refutation_is_right(monotone):
    rng = np.random.default_rng(0)
    possible = every_conjunction(3, monotone)
    cls, P = Conjunctions(3, monotone), cube(3)
    for _ in range(100):
        rows = rng.choice(8, 4, replace=False)
        y = rng.integers(2, size=4)
        rule = cls.witness(P[rows], y)
        fits = any((np.array(labels)[rows] == y).all() for labels in possible)
        assert (rule is not None) == fits
        if rule is not None:
            assert (cls.predict(rule, P[rows]) == y).all()
        else:
            assert y[cls.refutation(P[rows], y).rows[0]] == 0


def test_points_must_be_yes_or_no():
    with pytest.raises(DataError, match="rows of 0 and 1"):
        Conjunctions(2).witness([[0.5, 1.0]], [1])
