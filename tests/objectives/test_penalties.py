import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import minimize_scalar

from corollary.core.errors import ParameterError
from corollary.objectives import Penalty
from corollary.objectives.conditions import Conditions
from corollary.objectives.penalties import penalty_named

PENALTIES = [Penalty(0.3, 0.0), Penalty(0.3, 1.0), Penalty(0.3, 0.4), Penalty(0.0)]


def test_linear_models_call_them_by_names():
    named = [("l2", 0.15), ("l1", 0.15), ("elasticnet", 0.4), (None, 0.15)]
    assert [penalty_named(name, 0.3, share) for name, share in named] == PENALTIES


@pytest.mark.course("S2-17")
@pytest.mark.parametrize("penalty", PENALTIES, ids=repr)
@given(v=st.floats(-5, 5), step=st.floats(0.01, 10))
def test_proximal_map_solves_its_problem(penalty, v, step):
    w = float(penalty.prox(v, step))

    def goal(u):
        return 0.5 * (u - v) ** 2 + step * penalty.value([u])

    best = minimize_scalar(goal, bounds=(-6, 6), method="bounded").fun
    assert goal(w) <= min(best, goal(0.0), goal(v)) + 1e-12


@pytest.mark.parametrize("penalty", PENALTIES, ids=repr)
def test_gradient_is_that_of_the_value(penalty):
    w, h = np.array([1.5, -0.4, 2.0]), 1e-6
    steps = np.eye(3) * h
    slope = [(penalty.value(w + e) - penalty.value(w - e)) / (2 * h) for e in steps]
    np.testing.assert_allclose(penalty.gradient(w), slope, rtol=1e-7, atol=1e-9)


def test_small_entries_become_exactly_zero_under_l1_only():
    v = np.array([0.2, -0.29, 1.0])
    assert Penalty(0.3, 1.0).prox(v, 1.0).tolist() == [0.0, 0.0, 0.7]
    np.testing.assert_allclose(Penalty(0.3, 0.0).prox(v, 1.0), v / 1.3)
    assert Penalty(0.0).prox(v, 1.0).tolist() == v.tolist()


def test_bad_penalties_are_told_in_one_sentence():
    for make, text in (
        (lambda: Penalty(-1.0), "Penalty: strength must be a finite number >= 0; "),
        (lambda: Penalty(1.0, 2.0), "Penalty: l1_ratio must be in [0, 1]; got 2.0."),
        (lambda: penalty_named("l3", 1.0), "penalty_named: name must be 'l2', 'l1', "),
    ):
        with pytest.raises(ParameterError) as caught:
            make()
        assert str(caught.value).startswith(text)


@pytest.mark.course("S2-36")
def test_each_violation_is_of_one_condition():
    w, g = np.array([2.0, 0.0, -3.0, 0.0]), np.array([0.5, 1.75, -1.0, 0.5])
    assert Penalty(1.0, 1.0).conditions(w, g) == Conditions(2.0, 0.0, 0.75, 0.0)
    assert Penalty(1.0, 0.0).conditions(w, g) == Conditions(1.75)  # nothing is bound
    bound = Penalty(1.0, 1.0, positive=True)
    assert bound.conditions(w, -g) == Conditions(0.0, 3.0, 0.75, 0.5)
    assert bound.conditions(w[:2], np.array([-4.0, 0.0])) == Conditions(3.0)
    for penalty in (bound, *PENALTIES):
        assert penalty.violation(w, g) == penalty.conditions(w, g).residual
