"""Bounds of fitted models fail in no more draws than they say."""

import numpy as np
import pytest
from scipy.stats import binom

from corollary import SVC, AdaBoostClassifier, DecisionTreeClassifier, LinearSVC
from corollary.theory import (
    boosting_margin_bound,
    linear_pac_bayes_bound,
    support_vector_bound,
    svm_margin_bound,
    svm_norm_bound,
    tree_bound,
    vc_bound,
)

DELTA = 0.1


def gaussians(rng, n):
    y = rng.integers(0, 2, n)
    return rng.normal(size=(n, 2)) + np.outer(2 * y - 1, [4.0, 0.0]), y


def coins(rng, n):
    X = rng.integers(0, 4, size=(n, 2)).astype(float)
    return X, ((X[:, 0] > 1) ^ (rng.random(n) < 0.05)).astype(int)


def heavy(rng, n):
    X = rng.standard_t(3, size=(n, 2))
    return X, (X[:, 0] + 0.02 * rng.standard_t(3, size=n) > 0).astype(int)


LAWS = {"gaussians": gaussians, "coins": coins, "heavy tails": heavy}


def by_dimension(model, X, y, delta):
    error = float(np.mean(model.predict(X) != y))
    return vc_bound(error, m=len(y), d=3, delta=delta)


BOUNDS = {
    "VC": (LinearSVC(C=1.0), by_dimension),
    "PAC-Bayes": (LinearSVC(C=1.0), linear_pac_bayes_bound),
    "margin": (LinearSVC(C=1.0), svm_margin_bound),
    "norm": (SVC(kernel="linear", C=0.01), svm_norm_bound),
    "support vectors": (SVC(kernel="linear", C=10.0), support_vector_bound),
    "vote": (AdaBoostClassifier(n_estimators=3), boosting_margin_bound),
    "tree": (DecisionTreeClassifier(max_depth=1), tree_bound),
}


def failures(bound, law, draws, n=300):
    """Count draws in which the risk on many rows is above the bound."""
    model, prove = BOUNDS[bound]
    rng = np.random.default_rng(0)
    X, y = LAWS[law](rng, 20_000)
    options = {"n_draws": 20, "random_state": 0} if bound == "vote" else {}
    bad = some = 0
    for _ in range(draws):
        rows, labels = LAWS[law](rng, n)
        if len(np.unique(labels)) < 2:
            continue
        model.fit(rows, labels)
        found = prove(model, rows, labels, DELTA, **options)
        risk = np.mean(model.predict(X) != y)
        slack = 4 * np.sqrt(risk * (1 - risk) / len(y))  # of the rows it is counted on
        bad += found.value < risk - slack
        some += not found.vacuous
    return bad, some


@pytest.mark.parametrize("law", LAWS)
@pytest.mark.parametrize("bound", BOUNDS)
def test_a_bound_of_a_fitted_model_holds(bound, law):
    bad, _ = failures(bound, law, 6)
    assert binom.sf(bad - 1, 6, DELTA) > 1e-3


@pytest.mark.slow
@pytest.mark.parametrize("law", LAWS)
@pytest.mark.parametrize("bound", BOUNDS)
def test_a_bound_of_a_fitted_model_holds_in_ten_thousand_draws(bound, law):
    bad, some = failures(bound, law, 10_000 // len(LAWS))
    assert binom.sf(bad - 1, 10_000 // len(LAWS), DELTA) > 1e-3
    if bound in ("VC", "PAC-Bayes", "tree") and law != "heavy tails":
        assert some > 100  # it says something
