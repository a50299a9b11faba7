"""Nested cross-validation: honest where selection outside the loop is not."""

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.model_selection import GridSearchCV, KFold, cross_val_predict
from sklearn.pipeline import make_pipeline

from corollary import (
    DecisionTreeClassifier,
    LinearRegression,
    LogisticRegression,
    PolynomialFeatures,
    Ridge,
    RidgeCV,
    StandardScaler,
)
from corollary.core.errors import ParameterError
from corollary.selection import (
    LockedTestSet,
    choose_model,
    cross_validate,
    hold_out_split,
    nested_cross_validation,
)


class Guess(ClassifierMixin, BaseEstimator):
    def __init__(self, seed=0):
        self.seed = seed

    def fit(self, X, y):
        self.classes_ = np.array([0, 1])
        return self

    def predict(self, X):
        rng = np.random.default_rng([self.seed, 7])
        return rng.integers(2, size=1000)[X[:, 0].astype(int)]


def rows(n=60, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 8))
    return X, X[:, 0] + rng.normal(size=n)


@pytest.mark.course("S1-42")
def test_the_winners_own_estimate_is_optimistic_and_the_outer_one_is_not():
    inner, outer = [], []
    for seed in range(8):
        X = np.arange(60)[:, None]
        y = np.random.default_rng(seed).integers(2, size=60)
        models = {f"{m}": Guess(100 * seed + m) for m in range(30)}
        found = nested_cross_validation(models, X, y, splitter=4, inner=3)
        outside = choose_model(models, X, y, splitter=4).losses.min()
        assert np.isclose(found.optimism, found.mean - found.inner.mean())
        inner.append(outside)
        outer.append(found.mean)
    assert np.mean(inner) < 0.4  # selection outside the loop
    np.testing.assert_allclose(np.mean(outer), 0.5, atol=0.05)


@pytest.mark.course("S1-42")
def test_outer_rows_are_never_seen_by_the_search():
    X, y = rows()
    X = np.column_stack([np.arange(60.0), X])
    seen = []

    def search(Z, t):
        seen.append(set(Z[:, 0]))
        return choose_model({"a": Ridge(1.0), "b": Ridge(9.0)}, Z, t, splitter=3).model

    found = nested_cross_validation(search, X, y, splitter=KFold(5))
    for (train, test), ids in zip(found.outer.splits, seen, strict=True):
        assert ids == set(train.astype(float))
        assert not ids & set(test.astype(float))
    assert (found.outer.times == 1).all()  # each row tested once


@pytest.mark.course("S1-42")
def test_a_grid_search_of_scikit_learns_has_the_same_answer():
    X, y = rows()
    grid = {"alpha": [0.01, 1.0, 100.0]}
    search = GridSearchCV(Ridge(), grid, cv=KFold(4), scoring="neg_mean_squared_error")
    found = nested_cross_validation(search, X, y, splitter=KFold(5))
    theirs = cross_val_predict(search, X, y, cv=KFold(5))
    np.testing.assert_allclose(found.outer.predictions, theirs)
    np.testing.assert_allclose(found.mean, np.mean((y - theirs) ** 2))
    assert set(found.choices) <= {"alpha=0.01", "alpha=1", "alpha=100"}
    models = {f"alpha={a:g}": Ridge(alpha=a) for a in grid["alpha"]}
    ours = nested_cross_validation(models, X, y, splitter=KFold(5), inner=KFold(4))
    assert ours.choices == found.choices
    np.testing.assert_allclose(ours.mean, found.mean)
    one = found.outer.splits[0][0]
    best = choose_model(models, X[one], y[one], splitter=KFold(4)).losses.min()
    np.testing.assert_allclose(ours.inner[0], best)


def test_estimators_that_tune_themselves():
    X, y = rows()
    piped = make_pipeline(StandardScaler(), RidgeCV([0.1, 10.0]))
    found = nested_cross_validation(piped, X, y, splitter=4)
    assert set(found.choices) <= {"alpha=0.1", "alpha=10"}
    assert np.isnan(found.optimism)
    plain = nested_cross_validation(LinearRegression(), X, y, splitter=4)
    assert plain.choices == ("LinearRegression",) * 4
    np.testing.assert_allclose(
        plain.mean, cross_validate(LinearRegression(), X, y, splitter=4).mean
    )
    w = np.r_[np.zeros(10), np.ones(50)]
    some = nested_cross_validation(RidgeCV(), X, y, splitter=4, sample_weight=w)
    fewer = nested_cross_validation(RidgeCV(), X[10:], y[10:], splitter=4)
    np.testing.assert_allclose(some.mean, fewer.mean)


def test_groups_are_kept_together_inside_and_outside():
    X, y = rows()
    groups = np.repeat(np.arange(15), 4)
    models = {
        "line": LinearRegression(),
        "square": make_pipeline(PolynomialFeatures(2), LinearRegression()),
    }
    found = nested_cross_validation(models, X, y, groups=groups, splitter=3, inner=3)
    for train, test in found.outer.splits:
        assert not set(groups[train]) & set(groups[test])
        assert len(train) == 40


@pytest.mark.course("S1-42")
def test_the_nested_estimate_agrees_with_a_locked_test_set():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(700, 5))
    y = (X[:, 0] * X[:, 1] + 0.5 * rng.normal(size=700) > 0).astype(int)
    split = hold_out_split(X, y, test=400)
    models = {f"{d}": DecisionTreeClassifier(max_depth=d) for d in (1, 2, 4, 8)}
    found = nested_cross_validation(models, split.train.X, split.train.y, splitter=6)
    model = choose_model(models, split.train.X, split.train.y).model
    assert isinstance(split.test, LockedTestSet)
    judged = split.test.judge(model)
    assert judged.first
    noise = np.hypot(found.standard_error, judged.standard_error)
    assert abs(found.mean - judged.risk) < 3 * noise


def test_it_prints():
    X, y = rows()
    models = {"weak": Ridge(1.0), "strong": Ridge(1e5)}
    lines = str(nested_cross_validation(models, X, y)).splitlines()
    assert lines[0].endswith("of the search and its winner")
    assert "too small by" in lines[1]
    assert lines[2] == "  chosen 4 of 5 times: weak"


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"search": 3}, "a mapping of models, an estimator or a function; got 3"),
        ({"search": {}}, "a mapping of models"),
        ({"search": {"a": 1}}, "with fit and predict"),
        ({"search": lambda X, y: 1}, "with fit and predict"),
        ({"search": lambda X, y: LogisticRegression().fit(X, y > 0)}, "a regressor"),
        ({"search": lambda X, y: 1, "sample_weight": np.ones(20)}, "sample_weight"),
        ({"splitter": 1}, "2 to 20 folds"),
    ],
)  # fmt: skip
def test_bad_input_gets_a_sentence(change, words):
    X, y = rows(20)
    given = {"search": LinearRegression(), "X": X, "y": y}
    with pytest.raises(ParameterError, match=words):
        nested_cross_validation(**(given | change))
