"""A class of the user's own: two methods, and the rest follows."""

import numpy as np
import pytest

from corollary.core.errors import DataError
from corollary.theory import HypothesisClass, Intervals, dichotomies, shatters
from corollary.theory.hypothesis_class import MOST_PATTERNS, check_number


class Rays(HypothesisClass):
    """x >= t."""

    n_features = 1

    def construct(self, P, y):
        t = P[y == 1, 0].min(initial=np.inf)
        return None if (P[y == 0, 0] >= t).any() else float(t)

    def classify(self, parameters, P):
        return P[:, 0] >= parameters


@pytest.mark.course("S0-54")
def test_a_class_of_ones_own_is_shattered_listed_and_refuted():
    rays = Rays()
    assert rays.vc_dimension is None
    assert rays.shattered_points(1) is None
    assert set(dichotomies(rays, [1.0, 2.0, 3.0])) == {
        (0, 0, 0),
        (0, 0, 1),
        (0, 1, 1),
        (1, 1, 1),
    }
    assert shatters(rays, [5.0])
    failed = shatters(rays, [2.0, 1.0])
    assert failed.refutation.labels == (0, 1)
    assert rays.witness([2.0, 1.0], [1, 0]) == 2.0
    assert rays.refutation([2.0, 1.0], [1, 0]) is None


def test_a_point_that_stands_twice_is_told():
    found = Intervals().refutation([1.0, 2.0, 1.0], [1, 0, 0])
    assert found.rows == (0, 2)
    assert str(found) == "+-- is impossible: points 0 and 2 are the same"
    failed = shatters(Intervals(None), [1.0, 1.0])
    assert failed.refutation.labels == (0, 1)


def test_too_many_labellings_are_refused():
    with pytest.raises(DataError, match="at most 262144 labellings"):
        check_number("x", MOST_PATTERNS + 1)
