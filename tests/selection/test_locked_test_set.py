"""A test set that counts who looks at it."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from sklearn.metrics import roc_auc_score

import corollary
from corollary import (
    DecisionTreeClassifier,
    LinearRegression,
    LogisticRegression,
    PriorClassifier,
)
from corollary.core.errors import DataError, ParameterError
from corollary.selection import LockedTestSet, Loss, hold_out_split


def coins(n, seed=0, d=3):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    return X, (X[:, 0] + rng.normal(size=n) > 0).astype(int)


@pytest.mark.course("S3-98", "S4-57")
def test_different_models_are_counted_and_the_bound_pays_for_them():
    X, y = coins(300)
    split = hold_out_split(X, y, random_state=1)
    train, test = split.train, split.test
    models = [LogisticRegression(C=C).fit(train.X, train.y) for C in (1e-3, 1.0, 0.1)]
    first = test.judge(models[0])
    assert first.first
    assert first.bound.holds
    errors = int(first.losses.sum())
    assert first.risk == errors / 90
    exact = stats.beta.ppf(0.95, errors + 1, 90 - errors)  # Clopper-Pearson
    np.testing.assert_allclose(first.bound.value, exact, rtol=1e-6)
    assert test.judge(models[0]).models == 1  # the same answers tell nothing new
    second = test.judge(models[1])
    assert (second.losses != first.losses).any()
    assert second.models == 2
    assert not second.first
    assert not second.bound.holds
    k = int(second.losses.sum())
    half = stats.beta.ppf(1 - 0.05 / 2, k + 1, 90 - k)
    np.testing.assert_allclose(second.bound.value, half, rtol=1e-6)
    assert "2 different models judged here" in str(second)
    assert test.models == second.models


@pytest.mark.course("S3-98")
def test_looks_by_certify_and_by_another_object_count_together():
    X, y = coins(400, seed=5)
    model = LogisticRegression().fit(X[:200], y[:200])
    other = DecisionTreeClassifier().fit(X[:200], y[:200])
    assert LockedTestSet(X[200:], y[200:]).judge(model).models == 1
    backwards = LockedTestSet(X[:199:-1], y[:199:-1])  # the same rows
    assert backwards.judge(model).models == 1
    certificate = corollary.certify(other, X[200:], y[200:])
    assert not certificate.bound.holds
    third = PriorClassifier().fit(X[:200], y[:200])
    assert backwards.judge(third).models == 3


@pytest.mark.course("S3-98", "S4-57")
def test_a_second_opening_is_said():
    X, y = coins(60, seed=2)
    test = LockedTestSet(X, y)
    assert (test.openings, test.n, len(test)) == (0, 60, 60)
    test.open()
    with pytest.warns(UserWarning, match="not the first look at the test rows"):
        test.open()
    assert test.openings == 2
    judged = test.judge(PriorClassifier().fit(X, y))
    assert not judged.bound.holds
    assert "rows handed out 2 times" in str(judged)
    assert "open" in repr(test)


def test_several_models_that_were_fixed_before_have_proved_bounds():
    X, y = coins(200, seed=7)
    models = [LogisticRegression(C=C).fit(X[:100], y[:100]) for C in (1e-4, 1.0)]
    test = LockedTestSet(X[100:], y[100:])
    found = [test.judge(model, models_tried=2) for model in models]
    assert all(one.bound.holds for one in found)
    k = int(found[0].losses.sum())
    np.testing.assert_allclose(
        found[0].bound.value, stats.beta.ppf(0.975, k + 1, 100 - k), rtol=1e-6
    )


def test_other_losses_and_tables_of_texts():
    frame = pd.DataFrame({"a": ["x", "y"] * 20, "b": np.arange(40.0)})
    y = np.arange(40.0)

    class Echo(LinearRegression):
        def predict(self, X):
            return X["b"].to_numpy() + self.shift

    one, two = Echo(), Echo()
    one.shift, two.shift = 1.0, 2.0
    test = LockedTestSet(frame, y)
    first = test.judge(one)
    assert (first.risk, first.bound, first.models) == (1.0, None, 1)
    assert test.judge(two).models == 2
    assert test.judge(one, loss="absolute").risk == 1.0
    X, y = coins(100, seed=8)
    model = LogisticRegression().fit(X, y)
    loss = Loss("AUC", lambda c, P: roc_auc_score(c, P[:, 1]), on="probabilities")
    judged = LockedTestSet(X, y).judge(model, loss=loss)
    assert judged.losses is None
    assert np.isnan(judged.standard_error)
    np.testing.assert_allclose(
        judged.risk, roc_auc_score(y, model.predict_proba(X)[:, 1])
    )


def test_bad_input_gets_a_sentence():
    X, y = coins(20)
    test = LockedTestSet(X, y)
    model = PriorClassifier().fit(X, y)
    with pytest.raises(ParameterError, match="delta must be a number between 0 and 1"):
        test.judge(model, delta=0)
    with pytest.raises(ParameterError, match="models_tried must be a whole number"):
        test.judge(model, models_tried=0)
    with pytest.raises(ParameterError, match="with fit and predict"):
        test.judge(PriorClassifier)
    with pytest.raises(DataError, match="one target for each"):
        LockedTestSet(X, y[:3])
    with pytest.raises(DataError, match="at least 1 rows"):
        LockedTestSet(X[:0], y[:0])
