"""Advice on methods: the rules, the advisers they gather, and what they print."""

import json

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

import corollary
from corollary import DataError, ParameterError
from corollary.diagnostics import choose_classifier, choose_method
from corollary.diagnostics.method_rules import NEEDS, RULES, TASKS


def test_every_rule_names_an_estimator_of_its_task():
    for rule in RULES:
        cls = getattr(corollary, rule.estimator)
        kinds = {"classification": "labels", "regression": "number"}
        assert all(cls.target.startswith(kinds[task]) for task in rule.tasks), rule


@pytest.mark.parametrize(
    ("n", "d", "first"),
    [
        (500, 10_000, "LogisticRegression"),
        (5_000, 20, "HistGradientBoostingClassifier"),
        (100, 5, "LinearDiscriminantAnalysis"),
        (100, 50, "GaussianNB"),
        (10**6, 50, "HistGradientBoostingClassifier"),
    ],
)
def test_sizes_decide(n, d, first):
    advice = choose_method("classification", n_rows=n, n_features=d)
    assert advice.first == first
    # and what the table of sizes says is told beside
    assert str(choose_classifier(d, n)) in advice.notes


def test_kernel_machines_are_for_middling_sizes():
    def suggested(**sizes):
        advice = choose_method("classification", **sizes)
        return [one.estimator for one in advice.suggestions]

    assert "SVC" in suggested(n_rows=5_000, n_features=20)
    assert "SVC" not in suggested(n_rows=200_000, n_features=20)
    assert "SVC" not in suggested(n_rows=500, n_features=5_000)
    assert "KNeighborsClassifier" in suggested(n_rows=5_000, n_features=5)
    assert "KNeighborsClassifier" not in suggested(n_rows=5_000, n_features=50)
    text = str(choose_method("regression", n_rows=200_000, n_features=20))
    assert "All pairs of rows would take 320 GB" in text
    assert "plan_resources" in text


@pytest.mark.parametrize(
    ("options", "first"),
    [
        ({"need": "explanation"}, "ExplainableBoostingRegressor"),
        ({"need": "quantiles"}, "QuantileRegressor"),
        ({"need": "speed"}, "Ridge"),
        ({"counts": True}, "PoissonRegressor"),
        ({"outliers": True}, "HuberRegressor"),
        ({"in_memory": False}, "Ridge"),
    ],
)
def test_wishes_and_peculiarities_come_first(options, first):
    assert (
        choose_method("regression", n_rows=2000, n_features=8, **options).first == first
    )


def test_text_and_probabilities():
    text = choose_method("classification", n_rows=800, n_features=20_000, sparse=True)
    assert text.first == "ComplementNB"
    sure = choose_method(
        "classification", n_rows=5000, n_features=9, need="probabilities"
    )
    assert sure.first == "LogisticRegression"


def test_rows_are_measured():
    rng = np.random.default_rng(0)
    y = rng.integers(2, size=200)
    X = rng.normal(size=(200, 3)) + y[:, None]
    advice = choose_method(X=X, y=y)
    assert advice.task == "classification"
    assert (advice.n_rows, advice.n_features) == (200, 3)
    assert "Use the discriminant" in advice.measured[0]
    wide = choose_method("regression", X=rng.normal(size=(40, 1200)), y=X[:40, 0])
    assert "columns: components lose" in wide.measured[0]
    matrix = choose_method(X=sp.csr_array(X), y=y.astype(str))
    assert matrix.measured == ()


def test_tasks_without_a_target():
    assert choose_method("clustering").first == "KMeans"
    assert choose_method("compression", structure="subspace").first == "PCA"
    anomalies = choose_method("anomalies", structure="clusters")
    assert [one.estimator for one in anomalies.suggestions][1] == "OneClassSVM"
    rng = np.random.default_rng(1)
    X = 9 * rng.normal(size=(3, 4))[rng.integers(3, size=200)] + rng.normal(
        size=(200, 4)
    )
    found = choose_method("density", X=X)
    assert "like clumps" in found.measured[0]
    assert "mixture of Gaussians" in str(found)


@given(
    task=st.sampled_from(TASKS[:2]),
    n=st.integers(1, 10**7),
    d=st.integers(1, 10**6),
    need=st.sampled_from(NEEDS),
    flags=st.lists(st.booleans(), min_size=5, max_size=5),
)
@settings(max_examples=80, deadline=None)
def test_there_is_always_an_answer_that_prints_and_stores(task, n, d, need, flags):
    names = ("sparse", "counts", "outliers", "mixed", "in_memory")
    options = dict(zip(names, flags, strict=True))
    advice = choose_method(task, n_rows=n, n_features=d, need=need, **options)
    assert 1 <= len(advice.suggestions) <= 4
    assert advice.first in str(advice)
    plain = json.loads(json.dumps(advice.to_dict()))
    assert plain["suggestions"][0]["estimator"] == advice.first
    names = [one.estimator for one in advice.suggestions]
    assert len(set(names)) == len(names)


def test_errors():
    with pytest.raises(ParameterError, match="task must be one of"):
        choose_method("prophecy", n_rows=1, n_features=1)
    with pytest.raises(ParameterError, match="task must be one of"):
        choose_method()
    with pytest.raises(ParameterError, match="must be given"):
        choose_method("regression")
    with pytest.raises(ParameterError, match="need must be"):
        choose_method("regression", n_rows=1, n_features=1, need="luck")
    with pytest.raises(ParameterError, match="n_rows must be"):
        choose_method("regression", n_rows=0, n_features=1)
    with pytest.raises(DataError, match="table of rows"):
        choose_method("regression", X=[1.0, 2.0])
