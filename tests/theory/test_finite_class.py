"""Finite classes: tables, functions and fitted models."""

import numpy as np
import pytest

from corollary import DecisionStumpClassifier
from corollary.core.errors import DataError, ParameterError
from corollary.theory import FiniteClass, dichotomies, shatters, vc_dimension


@pytest.mark.course("S0-54")
def test_functions_and_fitted_models_are_rules():
    X = np.array([[0.0], [1.0], [2.0]])
    first = DecisionStumpClassifier().fit(X, ["no", "no", "yes"])
    rules = [first, lambda P: P[:, 0] > 0.5, lambda P: np.where(P[:, 0] < 9, -1, 1)]
    cls = FiniteClass(rule for rule in rules)  # any iterable
    assert cls.size == 3
    assert set(dichotomies(cls, X)) == {(0, 0, 1), (0, 1, 1), (0, 0, 0)}
    assert cls.witness(X, [0, 1, 1]) == 1
    assert cls.predict(0, X).tolist() == [0, 0, 1]
    assert cls.refutation(X, [1, 1, 1]).labels == (1, 1, 1)
    assert not shatters(cls, X[1:])
    assert vc_dimension(cls, X).dimension == 1


def test_rules_may_be_thresholds_on_a_grid():
    rules = [lambda P, t=t: P[:, 0] >= t for t in np.linspace(-3, 3, 61)]
    assert vc_dimension(rules, np.linspace(-2, 2, 9)).dimension == 1
    either = rules + [lambda P, t=t: P[:, 0] < t for t in np.linspace(-3, 3, 61)]
    assert vc_dimension(either, np.linspace(-2, 2, 9)).dimension == 2


@pytest.mark.parametrize(
    ("rules", "words"),
    [
        ([[0, 2]], "a table of 0 and 1"),
        ([0, 1], "a table of 0 and 1"),
        ([], "a table of 0 and 1"),
        ([len, 3], "must all be functions"),
        ("text", "must hold numbers"),
        ([[0, np.nan]], "must be finite"),
    ],
)
def test_bad_rules_are_told(rules, words):
    with pytest.raises(ParameterError, match=words):
        FiniteClass(rules)


def test_an_endless_list_of_rules_ends():
    def endless():
        while True:
            yield abs

    with pytest.raises(ParameterError, match="rules must be 1 to 1048576"):
        FiniteClass(endless())


def test_bad_points_and_answers_are_told():
    table = FiniteClass([[0, 1]])
    for points in ([2], [-1], [0.5], [[0]], []):
        with pytest.raises(DataError, match="columns of the table, 0 to 1"):
            table.witness(points, [1] * len(points))
    with pytest.raises(DataError, match="one label for each of 2 points"):
        dichotomies([lambda P: [1]], [1.0, 2.0])
    with pytest.raises(DataError, match="must return numbers"):
        dichotomies([lambda P: ["a"] * len(P)], [1.0, 2.0])
