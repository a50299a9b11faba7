"""The distance from optimal that a fit reports is never below the truth, and near it.

The truth is the objective at what the model publishes, from plain NumPy, less a value
that an interior-point method attains (`oracles/convex_objectives.py`).
"""

import copy
import warnings

import numpy as np
import pytest
from common.test_model_file_fuzz import CASES as EVERY_ESTIMATOR
from common.test_model_file_fuzz import DATA
from laws.gap_cases import CASES
from laws.machine_cases import Draw
from oracles import convex_objectives as oracle
from sklearn.exceptions import ConvergenceWarning

import corollary
from corollary.core.errors import DataError, ParameterError
from corollary.diagnostics import optimality_gap
from corollary.solvers import working_sets

ROUNDING = 1e-12  # of the terms of an objective
SEEN = 1e-10  # share of the objective above which a gap is no rounding, in float64
NEAR = 10.0  # times the truth that a converged fit may report


def size_of(model, value, least):
    """Return the size of an objective's terms, of which rounding is a share."""
    size = abs(value) + abs(least)
    if hasattr(model, "offset_"):
        size += abs(float(model.offset_[0])) * model.shape_fit_[0]
    return size


def names_a_bound(optimality):
    """Tell whether a report names a number that the truth must not exceed."""
    words = ("gap", "bound", "at most")
    named = any(word in optimality.kind for word in words)
    return named and optimality.value is not None


def reported(name, seed, early):
    """Return what a random fit reports and the truth, None where there is no fit."""
    draw = Draw(np.random.default_rng(seed), early)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        try:
            model, (value, least) = CASES[name](draw)
        except (DataError, ParameterError):
            if name != "NuSVC":  # for which nu may be too large or too small
                raise
            return None
    optimality = model.report_.optimality
    if optimality.value is None:
        return None
    assert names_a_bound(optimality) or not early
    return model, optimality.value, value - least, size_of(model, value, least)


def assert_honest(name, seeds):
    """Hold early stops to a gap that is never below the truth."""
    for seed in seeds:
        if (found := reported(name, seed, early=True)) is None:
            continue
        _, gap, truth, size = found
        assert gap >= truth - ROUNDING * size, (name, seed, gap, truth)


@pytest.mark.filterwarnings("ignore")
def test_every_estimator_that_reports_a_gap_is_held_to_it():
    for case in EVERY_ESTIMATOR:
        model = case.fitted(DATA)
        optimality = model.report_.optimality
        inner = getattr(model, "estimator_", model)  # whose gap a model may hand on
        names = {case.name, type(inner).__name__}
        if optimality is not None and names_a_bound(optimality):
            assert names & set(CASES), f"{case}: {optimality}"


STATED = [case for case in EVERY_ESTIMATOR if hasattr(case.make(), "convex_problem")]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("case", STATED, ids=str)
def test_no_proof_of_a_stated_problem_is_above_a_value_that_is_attained(case):
    """D <= min P <= P at two points, so that each gap covers the other's fall."""
    X, y = case.rows(DATA.X), DATA.y(case.target)
    model = case.fitted(DATA)
    proof = optimality_gap(model, X, y)
    far = case.name.startswith(("SGD", "Gradient"))  # which stop after some steps
    far |= "Perceptron" in case.name  # whose minimum is 0
    assert 0 <= proof.gap <= (1.0 if far else 0.2) * abs(proof.primal)
    rng, rounding = np.random.default_rng(0), 1e-12 * abs(proof.primal)
    for size in (1e-6, 1e-3, 0.1):
        moved = copy.deepcopy(model)
        for name in ("coef_", "intercept_"):
            if name in vars(moved):
                at = getattr(moved, name)
                setattr(moved, name, at + size * rng.normal(size=np.shape(at)))
        worse = optimality_gap(moved, X, y)
        assert worse.dual <= proof.primal + rounding
        assert proof.dual <= worse.primal + rounding
        assert worse.gap >= worse.primal - proof.primal - rounding


@pytest.mark.parametrize("name", CASES)
def test_the_gap_of_an_early_stop_is_not_below_the_truth(name):
    assert_honest(name, range(6))


@pytest.mark.slow
@pytest.mark.parametrize("name", CASES)
def test_the_gap_of_two_thousand_early_stops_is_not_below_the_truth(name):
    assert_honest(name, range(1000, 1000 + -(-2000 // len(CASES))))


@pytest.mark.parametrize("name", ["QuantileRegressor", "LeastAbsoluteDeviations"])
def test_the_gap_counts_what_single_precision_loses_far_from_the_origin(name):
    rng = np.random.default_rng(0)
    X = (1000 + rng.normal(size=(60, 2))).astype(np.float32)
    y = X[:, 0] - 1000 + rng.normal(size=60)
    for solver in ("highs", "interior-point"):
        model = getattr(corollary, name)(solver=solver).fit(X, y)
        alpha, times = getattr(model, "alpha", 0.0), 2.0 if name[0] == "L" else 1.0
        value, least = oracle.quantile(model, X, y, np.ones(60), 0.5, alpha, times)
        gap = model.report_.optimality.value
        assert value - least - 1e-12 <= gap <= 1e-3 * value


def in_double(model):
    """Tell whether a model's numbers are of double precision."""
    part = model.estimators_[0] if hasattr(model, "estimators_") else model
    names = ("dual_coef_", "coef_", "cluster_centers_")
    return next(getattr(part, n) for n in names if hasattr(part, n)).dtype == float


def nearness(names, seeds):
    """Return gap over truth of converged fits whose truth is no rounding."""
    ratios = []
    for name in names:
        for seed in seeds:
            found = reported(name, seed, early=False)
            if found is None or found[0].report_.stop.word != "converged":
                continue
            model, gap, truth, size = found
            seen = SEEN if in_double(model) else 1e-5
            assert gap >= truth - ROUNDING * size, (name, seed, gap, truth)
            if truth > seen * size:
                ratios.append(gap / truth)
    return np.array(ratios)


def test_the_gap_of_a_converged_fit_is_near_the_truth():
    ratios = nearness(["LogisticRegression", "CrammerSingerClassifier"], range(12))
    assert len(ratios) >= 10
    assert np.mean(ratios <= NEAR) >= 0.95


@pytest.mark.slow
def test_the_gaps_of_all_converged_fits_are_near_the_truth():
    own = {"SGDClassifier", "SGDRegressor", "KMeans"}  # no gap decides when they stop
    # The dual point of these is their residual, scaled: its value is off by the first
    # order of what is left, the objective by the second.
    scaled = {"MultiTaskLasso", "MultiTaskElasticNet"}
    names = [name for name in CASES if name not in own | scaled]
    ratios = nearness(names, range(2000, 2040))
    assert len(ratios) >= 50
    assert np.mean(ratios <= NEAR) >= 0.95


@pytest.mark.parametrize("name", ["SVC", "SVR", "NuSVR", "OneClassSVM", "SVDD"])
def test_the_gap_of_an_interrupted_fit_is_not_below_the_truth(name, monkeypatch):
    rng, work, calls = np.random.default_rng(0), working_sets.loops.smo, []
    X = rng.normal(size=(80, 3))
    y = np.where(X[:, 0] + 0.5 * rng.normal(size=80) > 0, 1, -1)
    goal = {"SVC": y, "SVR": X[:, 0] ** 2, "NuSVR": X[:, 0] ** 2}.get(name)

    def pressed(*given):
        calls.append(1)
        if len(calls) > 2:
            raise KeyboardInterrupt
        return work(*given)

    monkeypatch.setattr(working_sets, "FEW", 16)  # so that there are several
    monkeypatch.setattr(working_sets, "SET", 16)
    monkeypatch.setattr(working_sets.loops, "smo", pressed)
    model, one = getattr(corollary, name)(), np.ones(80)
    with pytest.raises(KeyboardInterrupt):
        model.fit(X, goal)
    values = {
        "SVC": lambda: oracle.kernel_classifier(model, X, y, one),
        "SVR": lambda: oracle.kernel_regressor(model, X, goal, one),
        "OneClassSVM": lambda: oracle.one_class(model, X, one),
        "NuSVR": lambda: oracle.nu_regressor(model, X, goal, one),
        "SVDD": lambda: oracle.ball(model, X, one),
    }
    value, least = values[name]()
    assert model.report_.stop.word == "interrupted"
    assert model.report_.optimality.value >= value - least > 0


def test_logistic_regression_converges_in_every_unit():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 3))
    y = X @ [1.0, -1.0, 0.5] + rng.normal(size=200) > 0
    usual = corollary.LogisticRegression(C=np.inf).fit(X, y)
    for solver in ("lbfgs", "newton-cholesky", "coordinate-descent"):
        for unit in (1e-8, 1e-3, 1e6):
            model = corollary.LogisticRegression(C=np.inf, solver=solver)
            model.fit(X * unit, y)
            np.testing.assert_allclose(model.coef_ * unit, usual.coef_, rtol=1e-2)
            assert model.report_.optimality.value < 1e-6


def test_a_newton_step_bounds_what_a_weak_penalty_leaves():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(500, 4))
    y = X[:, 0] + rng.normal(size=500) > 0
    model = corollary.LogisticRegression(C=1e4).fit(X, y)
    fine = corollary.LogisticRegression(C=1e4, tol=1e-12).fit(X, y)
    truth = model.report_.objective[-1] - fine.report_.objective[-1]
    assert model.report_.optimality.kind == "gap by a Newton step"
    assert truth <= model.report_.optimality.value <= 2 * truth + 1e-12
