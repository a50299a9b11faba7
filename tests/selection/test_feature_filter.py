"""Filters inside the folds: the right way, and what the wrong one shows."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from sklearn.base import clone
from sklearn.feature_selection import SelectKBest, f_regression
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import parametrize_with_checks

from corollary import LinearRegression, LogisticRegression
from corollary.core.errors import ParameterError
from corollary.selection import (
    FeatureFilter,
    choose_n_features,
    cross_validate,
    rank_features,
)


def rows(n=80, d=30, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    return X, 3 * X[:, 4] - 2 * X[:, 7] + rng.normal(size=n)


@parametrize_with_checks([FeatureFilter()])
def test_it_is_an_estimator(estimator, check):
    if check.func.__name__ != "check_array_api_input":
        check(estimator)


@pytest.mark.course("S4-59")
def test_filtering_before_the_folds_leaks_and_inside_them_does_not():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(50, 1000)), np.repeat([0, 1], 25)  # nothing to learn
    one = KNeighborsClassifier(1)
    best = rank_features(X, y, by="correlation").top(20)
    wrong = cross_validate(one, X[:, list(best)], y, splitter=5).mean
    right = cross_validate(
        make_pipeline(FeatureFilter(20, by="correlation"), one), X, y, splitter=5
    ).mean
    assert wrong < 0.2
    assert right > 0.35


@pytest.mark.course("S4-59")
def test_the_number_of_features_is_chosen_by_cross_validation():
    X, y = rows()
    found = choose_n_features(LinearRegression(), X, y, by="correlation")
    assert found.features == (4, 7)
    assert found.sizes == (1, 2, 4, 8, 16, 30)
    assert found.n_features == 2
    for k, loss in zip(found.sizes, found.choice.losses, strict=True):
        same = make_pipeline(SelectKBest(f_regression, k=k), LinearRegression())
        theirs = cross_validate(same, X, y, random_state=0)
        np.testing.assert_allclose(loss, theirs.mean)
    np.testing.assert_allclose(
        found.model.predict(X),
        LinearRegression().fit(X[:, [4, 7]], y).predict(X[:, [4, 7]]),
    )
    assert str(found).startswith("2 features by correlation: 4, 7\n")


@pytest.mark.course("S4-59")
def test_classes_by_mutual_information():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 12))
    y = np.where(np.abs(X[:, 5]) > 0.7, "far", "near")  # no line sees it
    found = choose_n_features(
        KNeighborsClassifier(5), X, y, sizes=[1, 4, 12], splitter=5
    )
    assert found.features == (5,)
    line = rank_features(X, y, by="correlation")
    assert line.top(1) != (5,) or line.scores[5] < 0.2


@pytest.mark.parametrize("kind", ["array", "pandas", "polars", "arrow"])
def test_columns_of_every_kind_of_table(kind):
    X, y = rows(40, 10)
    names = list("abcdefghij")
    made = {
        "array": lambda: X,
        "pandas": lambda: pd.DataFrame(X, columns=names),
        "polars": lambda: pl.DataFrame(X, schema=names),
        "arrow": lambda: pa.table(dict(zip(names, X.T, strict=True))),
    }[kind]()
    filtered = FeatureFilter(2, by="correlation").fit(made, y)
    kept = filtered.transform(made)
    assert type(kept) is type(made)
    np.testing.assert_array_equal(np.asarray(kept), X[:, [4, 7]])
    expected = ["x4", "x7"] if kind == "array" else ["e", "h"]
    assert filtered.get_feature_names_out().tolist() == expected
    model = make_pipeline(clone(filtered), LinearRegression())
    np.testing.assert_allclose(
        cross_validate(model, made, y, splitter=4).predictions,
        cross_validate(model, X, y, splitter=4).predictions,
        atol=1e-9,
    )


def test_few_features_are_all_kept():
    X, y = rows(40, 10)
    assert len(FeatureFilter(99).fit(X, y).kept_) == 10
    many = np.arange(40) % 25  # more than 20 classes, told to be classes
    kept = FeatureFilter(3, classification=True).fit(X, many)
    assert kept.ranking_.scores.max() > 0


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda X, y: FeatureFilter(0).fit(X, y), "n_features must be a whole"),
        (lambda X, y: FeatureFilter(by="x").fit(X, y), "by must be one of"),
        (lambda X, y: FeatureFilter(bins=1).fit(X, y), "bins must be a whole"),
        (lambda X, y: choose_n_features(LinearRegression(), X, y, sizes=[0]), "1 to"),
        (lambda X, y: choose_n_features(LinearRegression(), X, y, sizes=[]), "1 to 10"),
        (lambda X, y: choose_n_features(LogisticRegression, X, y), "fit and predict"),
        (lambda X, y: FeatureFilter().fit(X, y).get_feature_names_out(["a"]),
         "input_features"),
    ],
)  # fmt: skip
def test_bad_input_gets_a_sentence(call, words):
    with pytest.raises(ParameterError, match=words):
        call(*rows(40, 10))
