"""No free lunch: by enumeration of all functions, and on shattered points."""

from itertools import product

import numpy as np
import pytest

from corollary import DecisionStumpClassifier, GaussianNB, LogisticRegression
from corollary.core.errors import DataError, ParameterError
from corollary.theory import (
    Intervals,
    no_free_lunch,
    shattered_error,
    shattered_points_experiment,
    shatters,
)


def majority(X, y, X_new):
    return np.full(len(X_new), int(2 * y.sum() > len(y)))


def anti_majority(X, y, X_new):
    return 1 - majority(X, y, X_new)


def parity(X, y, X_new):
    return np.full(len(X_new), y.sum() % 2)


def repeats(X, y, X_new):
    """Repeat what was seen, else say 0."""
    known = {tuple(x): label for x, label in zip(X, y, strict=True)}
    return np.array([known.get(tuple(x), 0) for x in X_new])


@pytest.mark.course("S1-40")
def test_every_learner_makes_one_and_a_half_errors_of_three():
    found = no_free_lunch([majority, anti_majority, parity], 6, train=3)
    assert found.n_functions == 64
    assert found.learners == ("majority", "anti_majority", "parity")
    assert found.n_wrong.tolist() == [1.5, 1.5, 1.5]
    assert found.errors.tolist() == [0.5, 0.5, 0.5]
    assert found.all_equal
    assert (found.best == 0).all()
    assert (found.worst == 1).all()


@pytest.mark.course("S1-40")
def test_models_that_learn_are_no_better_than_a_constant():
    rng = np.random.default_rng(0)
    models = {
        "stump": DecisionStumpClassifier(),
        "logistic": LogisticRegression(),
        "bayes": GaussianNB(),
        "constant": lambda X, y, X_new: np.ones(len(X_new)),
    }
    points = rng.normal(size=(7, 2))
    found = no_free_lunch(models, points, train=[0, 2, 3, 6])
    np.testing.assert_allclose(found.errors, 0.5, rtol=1e-12)
    assert found.all_equal
    assert (found.n_train, found.n_test) == (4, 3)


@pytest.mark.course("S1-40")
def test_the_average_over_all_functions_is_that_of_a_naive_loop():
    wrong = 0
    X = np.arange(5.0)[:, None]
    for f in product((0, 1), repeat=5):
        f = np.array(f)
        wrong += (majority(X[:2], f[:2], X[2:]) != f[2:]).sum()
    found = no_free_lunch(majority, 5, train=2)
    assert found.n_wrong[0] == wrong / 32


@pytest.mark.course("S1-40")
def test_a_prior_on_functions_makes_learners_differ_and_a_prior_on_points_does_not():
    F = np.array(list(product((0, 1), repeat=6)))
    smooth = (np.abs(np.diff(F, axis=1)).sum(axis=1) <= 1) * 1.0
    found = no_free_lunch(
        {"majority": majority, "anti": anti_majority},
        6,
        train=[0, 2, 4],
        weights=smooth / smooth.sum(),
    )
    assert found.errors[0] < 0.5 < found.errors[1]
    assert found.errors.sum() == pytest.approx(1)
    assert not found.all_equal
    p = np.array([0.1, 0.1, 0.1, 0.05, 0.15, 0.5])
    uneven = no_free_lunch([majority, parity], 6, distribution=p)
    np.testing.assert_allclose(uneven.errors, 0.5, rtol=1e-12)


@pytest.mark.course("S0-56")
def test_the_least_error_on_shattered_points():
    assert shattered_error(1) == 0.25
    assert round(shattered_error(10), 4) == 0.2994
    limit = np.exp(-0.5) / 2
    assert round(limit, 4) == 0.3033
    assert shattered_error(10**9) == pytest.approx(limit, rel=1e-8)
    values = shattered_error(np.arange(1, 50))
    assert (np.diff(values) > 0).all()
    np.testing.assert_allclose(
        values, [0.5 * (1 - 1 / (2 * m)) ** m for m in range(1, 50)], rtol=1e-13
    )
    assert values.min() > 0.1 * 0.9 + 0.1  # so 0.1, 0.1 cannot be promised


@pytest.mark.course("S0-56")
@pytest.mark.parametrize("m", [1, 2, 3])
def test_a_learner_that_repeats_has_exactly_the_least_error(m):
    found = shattered_points_experiment(repeats, m, enumerate_all=True)
    assert found.exact
    assert found.n_draws == (2 * m) ** m * 2**m
    assert found.mean_error == pytest.approx(shattered_error(m), abs=1e-12)
    assert found.standard_error == 0


@pytest.mark.course("S0-56")
@pytest.mark.parametrize("learner", [majority, parity, DecisionStumpClassifier()])
def test_no_learner_is_below_the_least_error(learner):
    found = shattered_points_experiment(learner, 2, enumerate_all=True)
    assert found.mean_error >= found.lower_bound - 1e-12
    rate = (found.mean_error - 0.1) / 0.9  # or else E err <= 0.1 + rate 0.9
    assert found.failure_rate >= rate - 1e-12


@pytest.mark.course("S0-56")
def test_draws_agree_with_the_formula_on_points_that_a_class_shatters():
    points = np.arange(20.0)
    assert shatters(Intervals(None), points[::2])
    assert Intervals(None).vc_dimension == np.inf
    found = shattered_points_experiment(
        repeats, 10, points=points, n_draws=2000, random_state=0
    )
    assert abs(found.mean_error - 0.2994) < 4 * found.standard_error
    assert found.mean_error > found.allowed == pytest.approx(0.19)
    assert found.failure_rate > 0.1
    again = shattered_points_experiment(
        repeats, 10, points=points, n_draws=2000, random_state=0
    )
    assert again == found


def test_bad_input_is_told():
    with pytest.raises(ParameterError, match="points must be 2 to 16"):
        no_free_lunch(majority, 40)
    with pytest.raises(ParameterError, match="train must leave some"):
        no_free_lunch(majority, 4, train=4)
    for train in ([0, 0], [0, 9], [-1], [], [0, 1, 2, 3], ["a"], 0):
        with pytest.raises(ParameterError, match="train must leave some"):
            no_free_lunch(majority, 4, train=train)
    with pytest.raises(ParameterError, match="learners must be"):
        no_free_lunch([3])
    with pytest.raises(ParameterError, match="learners must be"):
        no_free_lunch(5)
    with pytest.raises(ParameterError, match="random_state must be"):
        shattered_points_experiment(majority, 2, random_state="x")
    with pytest.raises(DataError, match="must return 0 or 1"):
        no_free_lunch(lambda X, y, X_new: [2.0] * len(X_new))
    with pytest.raises(DataError, match="weights"):
        no_free_lunch(majority, 3, train=1, weights=[1.0])
    with pytest.raises(ParameterError, match="off training"):
        no_free_lunch(majority, 2, train=1, distribution=[1.0, 0.0])
    for m in (0, 1.5, [], "many"):
        with pytest.raises(ParameterError):
            shattered_error(m)
    with pytest.raises(ParameterError, match="at most 4"):
        shattered_points_experiment(majority, 6, enumerate_all=True)
    with pytest.raises(DataError, match="2m = 4 distinct rows"):
        shattered_points_experiment(majority, 2, points=[1.0, 2.0])
