"""Optimiser or objective: two models, their scores, and one objective."""

import matplotlib
import numpy as np
import pytest
import sklearn.linear_model
from sklearn.pipeline import make_pipeline

from corollary import (
    SVC,
    DecisionTreeClassifier,
    LinearRegression,
    LinearSVC,
    LogisticRegression,
    Ridge,
    StandardScaler,
)
from corollary.core.errors import DataError, ParameterError
from corollary.diagnostics import algorithm_or_objective, penalized_objective


def classes(n=300, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 4))
    y = np.where(X @ [1, -1, 0.5, 0] + 0.3 * rng.normal(size=n) > 0, "yes", "no")
    return X, y


def after(model, steps, X, y):
    """Return a model whose coefficients are those of few steps of descent."""
    model.fit(X, y)
    s = np.where(y == model.classes_[1], 1.0, -1.0)
    w = np.array([-1.0, 1.0, 0.0, 0.0])  # a bad start
    for _ in range(steps):
        p = 1 / (1 + np.exp(s * (X @ w)))
        w = w + 0.1 * (X * (p * s)[:, None]).mean(axis=0) - 0.1 * w / len(X)
    model.coef_, model.intercept_ = w[None], np.zeros(1)
    return model


@pytest.mark.course("S4-67")
def test_a_fit_that_stopped_early_is_the_fault_of_the_optimiser():
    X, y = classes()
    rival = SVC(kernel="linear").fit(X, y)
    few = after(LogisticRegression(C=10), 3, X, y)
    found = algorithm_or_objective(few, rival, X, y)
    assert found.scores[1] > found.scores[0] + 0.2
    assert found.objectives[1] < found.objectives[0]
    assert found.verdict == "optimizer"
    assert "more iterations" in found.remedies
    assert "the optimiser failed" in found.sentence
    # and it was: with more steps the case disappears
    done = LogisticRegression(C=10).fit(X, y)
    again = algorithm_or_objective(done, rival, X, y)
    assert again.verdict != "optimizer"
    assert again.objectives[1] >= again.objectives[0]


@pytest.mark.course("S4-67")
def test_a_penalty_that_is_too_strong_is_the_fault_of_the_objective():
    X, y = classes()
    y = np.where(np.arange(300) < 190, y, "no")  # classes out of balance
    poor = LogisticRegression(C=1e-4).fit(X, y)
    rival = SVC(kernel="linear").fit(X, y)
    found = algorithm_or_objective(poor, rival, X, y)
    assert found.scores[1] > found.scores[0]
    assert found.objectives[1] > found.objectives[0]
    assert found.verdict == "objective"
    assert found.remedies[0] == "another penalty"
    assert found.gap.gap < 1e-6  # proved to be at its optimum
    # and it was: another penalty helps
    better = LogisticRegression(C=10).fit(X, y)
    assert better.score(X, y) > poor.score(X, y)


@pytest.mark.course("S4-67")
@pytest.mark.parametrize(
    ("a", "J", "maximize", "verdict"),
    [
        ((0.7, 0.8), (-5.0, -4.0), True, "optimizer"),  # J(rival) > J(model)
        ((0.7, 0.8), (-4.0, -4.0), True, "objective"),  # equal: <= says objective
        ((0.7, 0.8), (-4.0, -5.0), True, "objective"),
        ((0.7, 0.8), (5.0, 4.0), False, "optimizer"),
        ((0.7, 0.8), (4.0, 5.0), False, "objective"),
        ((0.8, 0.8), (5.0, 4.0), False, "neither"),
        ((0.9, 0.8), (5.0, 4.0), False, "neither"),
    ],
)
def test_any_two_parameters_any_objective_any_score(a, J, maximize, verdict):
    found = algorithm_or_objective(
        [0.0, 1.0],
        [1.0, 0.0],
        score=lambda w: a[int(w[0])],
        objective=lambda w: J[int(w[0])],
        maximize=maximize,
    )
    assert found.verdict == verdict
    assert (found.scores, found.objectives) == (a, J)
    assert str(found) == found.sentence


def test_the_objective_at_foreign_coefficients_is_the_models_own():
    X, y = classes()
    one, other = (
        LogisticRegression(C=2.0).fit(X, y),
        LogisticRegression(C=0.1).fit(X, y),
    )
    plain = algorithm_or_objective(one, other, X, y, rescale=False)
    s = np.where(y == "yes", 1.0, -1.0)
    w, before = other.coef_[0], other.coef_[0].copy()
    f = X @ w + other.intercept_[0]
    by_hand = np.logaddexp(0, -s * f).mean() + w @ w / (2 * 2.0 * len(X))
    assert plain.objectives[1] == pytest.approx(by_hand)
    assert plain.objectives[0] == pytest.approx(penalized_objective(one, X, y))
    np.testing.assert_array_equal(other.coef_[0], before)  # nobody was changed
    scaled = algorithm_or_objective(one, other, X, y)
    assert scaled.objectives[0] <= scaled.objectives[1] < plain.objectives[1]


def test_machines_regressions_and_scikit_learn():
    X, y = classes()
    machine = LinearSVC(C=0.5).fit(X, y)
    found = algorithm_or_objective(machine, LogisticRegression().fit(X, y), X, y)
    assert found.objectives[0] <= found.objectives[1]
    target = X @ [1.0, 2.0, 0, 0]
    strong, line = Ridge(1e4).fit(X, target), LinearRegression().fit(X, target)
    found = algorithm_or_objective(strong, line, X, target)
    assert found.verdict == "objective"
    assert found.scores[1] == pytest.approx(0, abs=1e-20)
    theirs = sklearn.linear_model.LogisticRegression(C=1e-4).fit(X, y)
    assert algorithm_or_objective(theirs, machine, X, y).verdict in {
        "objective", "neither",
    }  # fmt: skip


def test_pipelines_tests_weights_and_functions_of_models():
    X, y = classes(400)
    first = make_pipeline(StandardScaler(), LogisticRegression(C=1e-5)).fit(X, y)
    second = make_pipeline(StandardScaler(), LinearSVC()).fit(X, y)
    new = classes(200, seed=1)
    found = algorithm_or_objective(first, second, X, y, test=new)
    assert found.gap is not None
    assert found.scores[1] == pytest.approx((second.predict(new[0]) == new[1]).mean())
    weights = np.where(y == "yes", 3.0, 1.0)
    heavy = algorithm_or_objective(
        LogisticRegression().fit(X, y, weights), LinearSVC().fit(X, y), X, y,
        sample_weight=weights,
    )  # fmt: skip
    right = heavy.scores[0]
    assert right == pytest.approx(
        np.average(
            LogisticRegression().fit(X, y, weights).predict(X) == y, weights=weights
        )
    )
    tree = DecisionTreeClassifier().fit(X, y)
    own = algorithm_or_objective(
        first, tree, X, y,
        objective=lambda m, X, y: np.mean(m.predict(X) != y),
        score=lambda m, X, y: np.mean(m.predict(X) == y),
    )  # fmt: skip
    assert own.verdict == "optimizer"  # the score itself is the objective here


def test_the_picture():
    matplotlib.use("Agg")
    X, y = classes()
    one, other = LogisticRegression(C=1e-4).fit(X, y), SVC(kernel="linear").fit(X, y)
    found = algorithm_or_objective(one, other, X, y)
    ax = found.plot()
    assert len(ax.lines) == 2
    assert ax.lines[0].get_ydata()[-1] == pytest.approx(found.objectives[0])
    assert "Optimality of the model" in str(found)
    matplotlib.pyplot.close("all")


def test_what_is_refused():
    X, y = classes(60)
    line, tree = LogisticRegression().fit(X, y), DecisionTreeClassifier().fit(X, y)
    bare = LogisticRegression(fit_intercept=False).fit(X, y)
    narrow = LogisticRegression().fit(X[:, :2], y)
    judge = algorithm_or_objective
    twice = make_pipeline(StandardScaler(), LogisticRegression()).fit(X, y)

    def number(*_):
        return 1.0

    for call, error, words in (
        (lambda: judge([1.0], [2.0]), ParameterError, "must be functions where"),
        (lambda: judge([1.0], ["a"], objective=number, score=number), DataError,
         "must hold numbers"),
        (lambda: judge([1.0], [2.0], objective=lambda w: "x", score=number), DataError,
         "must return a number"),
        (lambda: judge([1.0], [2.0], objective=3, score=number), ParameterError,
         "must be functions"),
        (lambda: judge(line, tree, X, y), DataError, "without coef_"),
        (lambda: judge(bare, line, X, y), DataError, "no intercept"),
        (lambda: judge(line, narrow, X, y, score=number), DataError, "one shape"),
        (lambda: judge(line, twice, X, y), DataError, "prepare the rows alike"),
        (lambda: judge(line, bare, X, y[:9]), DataError, "one target for each"),
        (lambda: judge(line, bare, X, y, test=X), ParameterError, "a pair"),
    ):  # fmt: skip
        with pytest.raises(error, match=words):
            call()
