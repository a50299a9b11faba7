"""scikit-learn's voting and stacking take Corollary's estimators, and are saved."""

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_diabetes
from sklearn.ensemble import (
    StackingClassifier,
    StackingRegressor,
    VotingClassifier,
    VotingRegressor,
)

import corollary
from corollary import (
    AdaBoostClassifier,
    AdaBoostRegressor,
    BaggingClassifier,
    BaggingRegressor,
    GaussianNB,
    GradientBoostingClassifier,
    GradientBoostingRegressor,
    LogisticRegression,
    Ridge,
)

X, Y = load_diabetes(return_X_y=True)
XB, YB = load_breast_cancer(return_X_y=True)
XB = (XB - XB.mean(axis=0)) / XB.std(axis=0)
CLASSIFIERS = [
    ("ada", AdaBoostClassifier(n_estimators=5)),
    ("bag", BaggingClassifier(n_estimators=3, random_state=0)),
    ("boost", GradientBoostingClassifier(n_estimators=5)),
    ("bayes", GaussianNB()),
]
REGRESSORS = [
    ("ada", AdaBoostRegressor(n_estimators=5, random_state=0)),
    ("bag", BaggingRegressor(n_estimators=3, random_state=0)),
    ("boost", GradientBoostingRegressor(n_estimators=5)),
    ("ridge", Ridge()),
]


@pytest.mark.parametrize("voting", ["hard", "soft"])
def test_votes(voting, tmp_path):
    model = VotingClassifier(CLASSIFIERS, voting=voting).fit(XB, YB)
    each = [one.fit(XB, YB) for _, one in CLASSIFIERS]
    if voting == "soft":
        P = np.mean([one.predict_proba(XB) for one in each], axis=0)
        np.testing.assert_allclose(model.predict_proba(XB), P)
    else:
        votes = np.sum([one.predict(XB) for one in each], axis=0)
        np.testing.assert_array_equal(model.predict(XB), votes > 2)
    assert_saved(model, XB, tmp_path)


def test_means(tmp_path):
    model = VotingRegressor(REGRESSORS).fit(X, Y)
    P = np.mean([one.fit(X, Y).predict(X) for _, one in REGRESSORS], axis=0)
    np.testing.assert_allclose(model.predict(X), P)
    assert_saved(model, X, tmp_path)


def test_stacks(tmp_path):
    model = StackingClassifier(CLASSIFIERS, LogisticRegression(), cv=3).fit(XB, YB)
    columns = [one.predict_proba(XB)[:, 1] for one in model.estimators_]
    P = model.final_estimator_.predict_proba(np.column_stack(columns))
    np.testing.assert_allclose(model.predict_proba(XB), P)
    assert_saved(model, XB, tmp_path)
    model = StackingRegressor(REGRESSORS, Ridge(), cv=3).fit(X, Y)
    columns = [one.predict(X) for one in model.estimators_]
    P = model.final_estimator_.predict(np.column_stack(columns))
    np.testing.assert_allclose(model.predict(X), P)
    assert_saved(model, X, tmp_path)


def assert_saved(model, A, tmp_path):
    path = tmp_path / type(model).__name__
    corollary.save(model, path)
    np.testing.assert_array_equal(corollary.load(path).predict(A), model.predict(A))
