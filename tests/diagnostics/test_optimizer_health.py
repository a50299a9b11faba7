"""The health of an optimiser, and the habits that help it."""

import matplotlib
import numpy as np
import pandas as pd
import pytest
import sklearn.linear_model
from sklearn.pipeline import make_pipeline

from corollary import (
    SVC,
    DecisionTreeRegressor,
    GradientDescentRegressor,
    LinearRegression,
    LogisticRegression,
    Perceptron,
    SGDClassifier,
    SGDRegressor,
    StandardScaler,
)
from corollary.core.errors import DataError, ParameterError
from corollary.core.warn import gathered_warnings
from corollary.diagnostics import learning_rate_pilot, optimizer_health
from corollary.objectives.losses import Squared
from corollary.solvers import Stochastic, linear_problem, minimize


def quiet(model, X, y):
    with gathered_warnings():
        return model.fit(X, y)


def line(n, scales, seed=0, noise=0.1):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, len(scales))) * scales
    return X, X @ (1 / np.asarray(scales, float)) + noise * rng.normal(size=n)


# -- the habits ------------------------------------------------------------------------
@pytest.mark.course("S1-55")
def test_shuffle_each_epoch_and_say_so_where_it_is_missing():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(600, 5))
    y = (X @ [1, -1, 1, 0, 0] + 0.5 * rng.normal(size=600) > 0).astype(int)
    order = np.argsort(y, kind="stable")  # all of one class first
    options = {"loss": "log_loss", "max_iter": 3, "tol": None, "eta0": 0.3}
    options |= {"learning_rate": "constant", "random_state": 0}
    costs = {}
    for shuffle in (False, True):
        model = SGDClassifier(shuffle=shuffle, **options)
        quiet(model, X[order], y[order])
        costs[shuffle] = model.report_.facts["objective"]
        found = optimizer_health(model, X[order], y[order])
        assert ("order" in found) == (not shuffle)
        if not shuffle:
            assert not found["order"].healthy
            assert "Shuffle" in found["order"].remedy
            mixed = optimizer_health(model, X, y)
            assert mixed["order"].healthy
    assert costs[True] < 0.8 * costs[False]


@pytest.mark.course("S1-55")
def test_rates_are_tried_on_a_sample_and_the_choice_serves_all_rows():
    X, y = line(20_000, [1.0, 2.0, 3.0], noise=1.0)
    problem = linear_problem(X, y, Squared(), fit_intercept=True)
    least = np.mean((y - LinearRegression().fit(X, y).predict(X)) ** 2) / 2

    def excess(rate):
        solver = Stochastic("sgd", rate=rate, schedule="inverse", decay=1e-3)
        with np.errstate(over="ignore", invalid="ignore"):
            cost = next(
                problem.objective(one.x)
                for k, one in enumerate(solver.steps(problem, np.zeros(4)))
                if k == 1
            )
        return cost - least

    pilot = learning_rate_pilot(X, y, n_rows=300)
    assert pilot.n_rows == 300
    assert pilot.recommended in pilot.rates
    assert 0 < pilot.costs.argmin() < len(pilot.rates) - 1  # both ends are worse
    assert not np.isfinite(pilot.costs[-1]) or pilot.costs[-1] > 1.1 * pilot.costs.min()
    assert excess(pilot.recommended) < 0.05 * least  # after one epoch of all rows
    assert not excess(30 * pilot.recommended) < 10 * excess(pilot.recommended)
    assert excess(pilot.recommended / 300) > 10 * excess(pilot.recommended)


@pytest.mark.course("S1-55")
def test_iterations_grow_with_kappa_and_standardised_columns_need_few():
    passes, kappas = [], []
    for scale in (1.0, 3.0, 10.0):
        X, y = line(300, [1.0, scale], noise=0.0)
        model = quiet(GradientDescentRegressor(max_iter=100_000, tol=1e-6), X, y)
        passes.append(model.report_.passes)
        kappas.append(model.report_.condition)
    assert passes[0] < passes[1] < passes[2]
    grown, times = passes[2] / passes[1], kappas[2] / kappas[1]
    assert times / 3 < grown < times * 3
    X, y = line(300, [1.0, 100.0])
    bad = quiet(GradientDescentRegressor(max_iter=200), X, y)
    found = optimizer_health(bad, X, y)
    assert not found.healthy
    assert not found["stop"].healthy
    assert "about 1" in found["conditions"].words  # 10,000 passes or so
    assert "more cores do not help" in found["conditions"].remedy
    said = float(found["scale"].remedy.split(" to ")[1].split(";")[0])
    good = make_pipeline(StandardScaler(), GradientDescentRegressor())
    quiet(good, X, y)
    assert good[-1].report_.condition == pytest.approx(said, rel=0.2)
    assert optimizer_health(good, X, y).healthy
    assert good[-1].report_.passes < 50


@pytest.mark.course("S1-55")
def test_a_rate_for_each_weight_helps_where_columns_cannot_be_scaled():
    X, y = line(400, [1.0, 100.0], noise=0.1)
    problem = linear_problem(X, y, Squared())
    least = minimize(problem, "newton").objective
    left = {}
    for rule in ("sgd", "adagrad"):
        rate = learning_rate_pilot(X, y, rule=rule, epochs=5).recommended
        solver = Stochastic(rule, rate=rate, schedule="constant")
        with gathered_warnings():
            left[rule] = minimize(problem, solver, tol=0, max_iter=5).objective - least
    assert left["adagrad"] < 0.1 * left["sgd"]
    model = quiet(SGDRegressor(eta0=1e-5, random_state=0), X, y)
    assert "its own rate" in optimizer_health(model, X, y)["scale"].remedy


# -- what the report says --------------------------------------------------------------
def test_a_healthy_fit_and_its_picture():
    matplotlib.use("Agg")
    X, y = line(200, [1.0, 1.0])
    model = LogisticRegression().fit(X, y > 0)
    found = optimizer_health(model, X, y)
    assert found.healthy
    assert found.remedies == ()
    assert found["stop"].words.startswith("converged")
    assert found["objective"].healthy
    assert found["optimality"].healthy
    assert "is healthy" in str(found)
    assert found.plot().get_title() == "healthy"
    matplotlib.pyplot.close("all")
    assert optimizer_health(LinearRegression().fit(X, y)).healthy
    with pytest.raises(KeyError, match="order"):
        found["order"]


def test_too_few_passes_too_large_and_too_small_steps():
    X, y = line(200, [1.0, 5.0])
    few = optimizer_health(quiet(LogisticRegression(max_iter=2), X, y > 0))
    assert not few["stop"].healthy
    assert "Raise max_iter" in few.remedies[0]
    assert not few["optimality"].healthy
    assert not few["objective"].healthy
    large = optimizer_health(quiet(GradientDescentRegressor(learning_rate=3.0), X, y))
    assert not large["step"].healthy
    assert not large["objective"].healthy
    assert "rose in pass" in large["objective"].words
    small = quiet(GradientDescentRegressor(learning_rate=1e-6, max_iter=9), X, y)
    assert "larger learning rate" in optimizer_health(small)["step"].remedy
    wild = optimizer_health(quiet(SGDRegressor(eta0=10.0, random_state=0), X * 100, y))
    assert not wild["objective"].healthy
    assert any("sample" in one for one in wild.remedies)


def test_frames_offsets_dependent_columns_and_other_libraries():
    X, y = line(100, [1.0, 1.0])
    frame = pd.DataFrame(X + np.array([0.0, 500.0]), columns=["a", "b"])
    away = optimizer_health(LinearRegression().fit(frame, y), frame, y)
    assert "standard deviations from 0" in away["scale"].words
    twice = np.column_stack([X, X[:, 0] + 1e-7 * X[:, 1]])
    near = quiet(LinearRegression(), twice, y)
    found = optimizer_health(near, twice, y)
    assert "about 0 digits" in found["conditions"].words
    assert "Drop columns" in found["conditions"].remedy
    theirs = sklearn.linear_model.LogisticRegression(max_iter=50).fit(X, y > 0)
    assert optimizer_health(theirs).healthy
    theirs.n_iter_ = np.array([50])
    assert not optimizer_health(theirs).healthy
    machine = quiet(SVC(), X * [1.0, 1000.0], y > 0)
    assert any("Scale" in one.words for one in optimizer_health(machine).findings)
    sorted_y = np.sort(y)
    model = quiet(SGDRegressor(shuffle=False, random_state=0), X, sorted_y)
    assert not optimizer_health(model, X, sorted_y)["order"].healthy
    tired = quiet(Perceptron(tol=None, max_iter=30), X, y > 0.2)
    assert optimizer_health(tired)["objective"].words


def test_what_is_refused():
    X, y = line(50, [1.0])
    with pytest.raises(DataError, match="must keep a report_"):
        optimizer_health(sklearn.linear_model.LinearRegression().fit(X, y))
    with pytest.raises(DataError, match="a row for each y"):
        optimizer_health(LinearRegression().fit(X, y), X, y[:3])
    assert optimizer_health(DecisionTreeRegressor().fit(X, y)).learner
    for options, error, words in (
        ({"rule": "fast"}, ParameterError, "rule must be one of"),
        ({"rates": [0.0]}, ParameterError, "finite numbers > 0"),
        ({"n_rows": 1}, ParameterError, "n_rows must be"),
        ({"epochs": 0}, ParameterError, "epochs must be"),
    ):
        with pytest.raises(error, match=words):
            learning_rate_pilot(X, y, **options)
    with pytest.raises(DataError, match="one target for each row"):
        learning_rate_pilot(X, y[:3])
    with pytest.raises(DataError, match="numbers or two labels"):
        learning_rate_pilot(X, np.repeat(["a", "b", "c", "d", "e"], 10))


def test_the_pilot_of_labels_its_text_and_its_picture():
    matplotlib.use("Agg")
    X, y = line(300, [1.0, 1.0])
    found = learning_rate_pilot(X, np.where(y > 0, "up", "down"), n_rows=100)
    assert found.costs.min() < found.start == pytest.approx(np.log(2))
    assert "<- take this" in str(found)
    assert found.plot().get_xscale() == "log"
    matplotlib.pyplot.close("all")
