"""Facts of reports: every one under a name of the table, of its kind, on every fit."""

import functools
import warnings

import numpy as np
import pytest
from sklearn.utils.validation import has_fit_parameter

import corollary
from common.learners import LEARNERS, ROWS_AT_ONCE, all_others, make_data
from corollary import (
    AdaBoostClassifier,
    CostSensitiveClassifier,
    HardMarginSVC,
    JoinTheDots,
    KernelRidge,
    LinearRegression,
    LinearSVC,
    LogisticRegression,
    Perceptron,
    PoissonRegressor,
    PowerTransformer,
    RepresenterRegressor,
    Ridge,
)
from corollary.applications import TextClassifier
from corollary.core.facts import FACTS, check_facts
from corollary.datasets import messages

DATA = make_data(n=200, d=4)
X, CASES = DATA.X, [*LEARNERS, *ROWS_AT_ONCE, *all_others()]

#: Facts that a fit states only in a case of its own, and the case.
SPECIAL = {
    "n_words": lambda: TextClassifier().fit(messages().texts, messages().spam),
    "reject_cost": lambda: CostSensitiveClassifier(reject_cost=1).fit(X, DATA.label),
    "priors_changed": lambda: CostSensitiveClassifier(priors=[0.2, 0.2, 0.6]).fit(
        X, DATA.label
    ),
    "error_rate_bound": lambda: AdaBoostClassifier(n_estimators=3).fit(X, DATA.two),
    "edge_bound": lambda: AdaBoostClassifier(n_estimators=3).fit(X, DATA.two),
    "n_rounds": lambda: LinearSVC().fit(np.tile(X[:20], 200), DATA.two[:20]),
    "separability": lambda: LogisticRegression(C=np.inf).fit(X, DATA.apart),
    "smallest_margin": lambda: LogisticRegression(C=np.inf).fit(X, DATA.apart),
    "dependent_columns": lambda: LinearRegression().fit(X[:, [0, 0, 1]], DATA.number),
    "n_ties": lambda: JoinTheDots().fit(np.round(X[:, :1]), DATA.number),
    "n_joint_pairs": lambda: HardMarginSVC(kernel="linear").fit(X, DATA.label),
    "soft_C": lambda: HardMarginSVC(kernel="linear").fit(X, DATA.label),
    "kernel_rank": lambda: KernelRidge(alpha=0.0, kernel="linear").fit(X, DATA.number),
    "n_pivots": lambda: KernelRidge(solver="cg").fit(X, DATA.number),
    "log_columns": lambda: PowerTransformer(method="box-cox").fit(np.exp(X)),
    "last_width": lambda: RepresenterRegressor(
        loss="absolute_error", fit_intercept=False, tol=1e-2
    ).fit(X, DATA.number),
}

#: Other cases in which a fact could be of another kind.
FURTHER = {
    "several targets": lambda: Ridge().fit(X, X[:, :2]),
    "a name": lambda: PoissonRegressor(alpha=0).fit(
        frame(X[:, [0, 0, 1]]), DATA.y("count")
    ),
    "two classes": lambda: Perceptron().fit(X, DATA.two),
    "an alpha for each target": lambda: KernelRidge(alpha=[1, 2]).fit(X, X[:, :2]),
    "a share of 1": lambda: corollary.OneClassSVM(nu=1).fit(X),
}


def frame(X):
    import pandas as pd

    return pd.DataFrame(X, columns=[f"x{j}" for j in range(X.shape[1])])


@functools.cache
def fitted(number, dtype):
    case = CASES[number]
    rows, y = case.rows(X.astype(dtype)), DATA.y(case.target)
    weights = {}
    if dtype == "float32" and has_fit_parameter(case.make(), "sample_weight"):
        weights = {"sample_weight": 1 + (np.arange(len(X)) % 3) / 2}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return case.make().fit(rows, y, **weights)


@functools.cache
def special(name):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return {**SPECIAL, **FURTHER}[name]()


def assert_facts(model, tmp_path):
    """Check a model's facts, and that a file gives them back as they are."""
    facts = model.report_.facts
    check_facts(facts)
    corollary.save(model, tmp_path / "model")
    again = corollary.load(tmp_path / "model").report_.facts
    check_facts(again)
    assert again == facts
    assert str(again) == str(facts)


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("number", range(len(CASES)), ids=lambda i: str(CASES[i]))
def test_every_fact_is_in_the_table_and_of_its_kind(number, dtype, tmp_path):
    assert_facts(fitted(number, dtype), tmp_path)


@pytest.mark.parametrize("name", SPECIAL)
def test_facts_of_a_special_case(name, tmp_path):
    model = special(name)
    assert name in model.report_.facts
    if isinstance(model, TextClassifier):
        check_facts(model.report_.facts)
    else:
        assert_facts(model, tmp_path)


@pytest.mark.parametrize("name", FURTHER)
def test_facts_of_further_cases(name, tmp_path):
    assert_facts(special(name), tmp_path)


def test_some_fit_states_every_fact_of_the_table():
    stated = {
        name for i in range(len(CASES)) for name in fitted(i, "float64").report_.facts
    }
    assert set(FACTS) == stated | set(SPECIAL)
    assert stated & set(SPECIAL) == set()  # those are special no more


def test_unknown_facts_and_other_kinds_are_refused():
    with pytest.raises(ValueError, match="no fact is called colour"):
        check_facts({"colour": 3})
    for bad in ({"rank": 3.0}, {"rank": True}, {"solver": 1}, {"n_steps": [1.0]}):
        with pytest.raises(ValueError, match="must be"):
            check_facts(bad)
