"""The duality gap in the report of a stochastic fit."""

import warnings

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.exceptions import ConvergenceWarning
from sklearn.svm import SVC, SVR

from corollary import SGDClassifier, SGDRegressor, engine
from corollary.objectives.losses import (
    EpsilonInsensitive,
    Hinge,
    Huber,
    Logistic,
    Squared,
    SquaredEpsilonInsensitive,
    SquaredHinge,
)
from corollary.objectives.penalties import Penalty
from corollary.solvers.minimize import minimize
from corollary.solvers.problem import linear_problem

SMOOTH = {
    "log_loss": Logistic(),
    "squared_hinge": SquaredHinge(),
    "huber": Huber(0.3),
    "squared_error": Squared(),
    "squared_epsilon_insensitive": SquaredEpsilonInsensitive(0.3),
}


def rows(n=80, d=3, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    return X, X @ rng.normal(size=d) + 0.5 * rng.normal(size=n)


def fitted(name, X, y, **options):
    margin = name in ("hinge", "log_loss", "squared_hinge")
    kind = SGDClassifier if margin else SGDRegressor
    settings = {"alpha": 0.1, "random_state": 0, "max_iter": 30, "epsilon": 0.3}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return kind(name, **settings | options).fit(X, np.sign(y) if margin else y)


@pytest.mark.course("S4-26")
@pytest.mark.parametrize("name", SMOOTH)
@pytest.mark.parametrize("intercept", [False, True])
def test_the_gap_is_at_least_the_distance_from_the_optimum(name, intercept):
    X, y = rows()
    loss = SMOOTH[name]
    target = np.sign(y) if loss.margin else y
    problem = linear_problem(X, target, loss, Penalty(0.1), fit_intercept=intercept)
    best = minimize(problem, "accelerated", tol=1e-10, max_iter=5000).objective
    gaps = []
    for epochs in (1, 5, 200):
        model = fitted(
            name, X, y, max_iter=epochs, tol=None, fit_intercept=intercept, eta0=0.05
        )
        x = np.r_[np.ravel(model.coef_), model.intercept_ if intercept else []]
        left = problem.objective(x) - best
        gap = model.report_.optimality
        assert gap.kind == "duality gap"
        assert gap.value >= left - 1e-12
        assert model.report_.facts["objective"] == pytest.approx(problem.objective(x))
        gaps.append(gap.value)
    assert gaps[-1] < 0.1 * problem.objective(np.zeros(len(x)))


@pytest.mark.course("S4-26")
@pytest.mark.parametrize("name", ["hinge", "epsilon_insensitive"])
def test_support_vector_losses_have_a_sound_and_useful_gap(name):
    X, y = rows()
    C, penalty = 1 / (80 * 0.1), Penalty(0.1)
    if name == "hinge":
        loss, target = Hinge(), np.sign(y)
        exact = SVC(kernel="linear", C=C, tol=1e-10).fit(X, target)
    else:
        loss, target = EpsilonInsensitive(0.3), y
        exact = SVR(kernel="linear", C=C, tol=1e-10, epsilon=0.3).fit(X, target)
    problem = linear_problem(X, target, loss, penalty, fit_intercept=True)
    best = problem.objective(np.r_[exact.coef_[0], exact.intercept_])
    for epochs in (1, 10, 300):
        model = fitted(name, X, y, max_iter=epochs, tol=None, learning_rate="optimal")
        x = np.r_[np.ravel(model.coef_), model.intercept_]
        value = model.report_.optimality.value
        assert value >= problem.objective(x) - best - 1e-9
    assert value < 0.15 * problem.objective(np.zeros(4))


@given(seed=st.integers(0, 10**6), epochs=st.integers(1, 4), intercept=st.booleans())
@settings(max_examples=15, deadline=None)
def test_no_data_make_it_too_small(seed, epochs, intercept):
    X, y = rows(n=12, d=2, seed=seed)
    y = np.where(np.arange(12) == 0, -np.sign(y), np.sign(y))
    if len(set(y)) < 2:
        return
    options = {"max_iter": epochs, "tol": None, "fit_intercept": intercept}
    model = fitted("log_loss", X, y, **options)
    problem = linear_problem(X, y, Logistic(), Penalty(0.1), fit_intercept=intercept)
    best = minimize(problem, "newton", tol=1e-10).objective
    x = np.r_[np.ravel(model.coef_), model.intercept_ if intercept else []]
    assert model.report_.optimality.value >= problem.objective(x) - best - 1e-12


def test_several_classes_weights_storage_and_sources():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(90, 3))
    y = (X @ rng.normal(size=(3, 3))).argmax(axis=1)
    options = {"loss": "log_loss", "alpha": 0.1, "random_state": 0, "max_iter": 50}
    plain = SGDClassifier(**options).fit(X, y)
    worst = 0.0
    for k in range(3):
        t = np.where(y == k, 1.0, -1.0)
        problem = linear_problem(X, t, Logistic(), Penalty(0.1), fit_intercept=True)
        worst = max(worst, problem.gap(np.r_[plain.coef_[k], plain.intercept_[k]]))
    assert plain.report_.optimality.value == pytest.approx(worst, rel=1e-9)
    stored = SGDClassifier(**options).fit(sp.csr_array(X), y)
    value = plain.report_.optimality.value
    assert stored.report_.optimality.value == pytest.approx(value, rel=1e-9)
    twice = SGDClassifier(**options).fit(np.r_[X, X], np.r_[y, y])
    weighed = SGDClassifier(**options).fit(X, y, sample_weight=np.full(90, 2.0))
    assert weighed.report_.optimality.value == pytest.approx(
        twice.report_.optimality.value, rel=1e-9
    )
    chunks = engine.ArraySource(X, y)
    model = SGDClassifier(**options).fit(chunks)
    assert model.report_.optimality.kind == "duality gap"


def test_no_gap_without_theory_for_it():
    X, y = rows()
    fall = "fall of the cost in the last epoch"
    assert fitted("log_loss", X, y, penalty=None).report_.optimality.kind == fall
    model = SGDClassifier("sigmoid", random_state=0).fit(X, np.sign(y))
    assert model.report_.optimality.kind == fall
    stream = SGDClassifier(random_state=0)
    stream.partial_fit(X, np.sign(y), classes=[-1, 1])
    assert stream.report_.optimality.kind != "duality gap"
