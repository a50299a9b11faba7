"""Folds that learn from some of the classes."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.metrics import brier_score_loss
from sklearn.model_selection import KFold

from corollary import LogisticRegression, LogisticRegressionCV
from corollary.linear.logistic.unseen_classes import with_all_classes


@pytest.mark.parametrize("K", [2, 3, 4])
def test_a_class_that_was_not_seen_has_probability_0(K):
    y = np.repeat(np.arange(K), 10)
    X = np.random.default_rng(0).normal(size=(10 * K, 3)) + y[:, None]
    seen = np.arange(1, K)
    rows = np.isin(y, seen)
    model = LogisticRegression()
    if K > 2:
        model.fit(X[rows], y[rows])
    full = with_all_classes(model, seen, K, 3)
    P = full.predict_proba(X)
    np.testing.assert_array_equal(P[:, 0], 0)
    if K > 2:
        np.testing.assert_allclose(P[:, 1:], model.predict_proba(X), atol=1e-12)
    else:
        np.testing.assert_array_equal(P[:, 1], 1)


@pytest.mark.parametrize("K", [2, 3])
def test_folds_in_order_of_the_classes_choose_the_strongest_penalty(K):
    X, y = np.arange(2 * K)[:, None], np.repeat(["a", "b", "c"][:K], 2)
    model = LogisticRegressionCV(
        cv=KFold(K), scoring="neg_brier_score", Cs=np.logspace(-6, 6, 5)
    ).fit(X, y)
    assert model.C_ == 1e-6
    copy = LogisticRegression().fit(X, y)
    for k, (_, test) in enumerate(KFold(K).split(X)):
        theta = model.coefs_paths_[k, 0, 0]
        copy.coef_, copy.intercept_ = theta[:, :-1], theta[:, -1]
        P, labels = copy.predict_proba(X[test]), list(model.classes_)
        told = {"pos_label": "b"} if K == 2 else {}
        error = brier_score_loss(y[test], P, labels=labels, **told)
        np.testing.assert_allclose(-model.scores_[k, 0, 0], error)


def test_scores_without_labels_hear_of_none():
    X, y = np.arange(6.0)[:, None], np.repeat(["a", "b", "c"], 2)
    model = LogisticRegressionCV(cv=KFold(3), scoring="accuracy", Cs=2).fit(X, y)
    np.testing.assert_array_equal(model.scores_, 0)
    model = LogisticRegressionCV(cv=KFold(3), fit_intercept=False, Cs=2).fit(X, y)
    assert model.coefs_paths_.shape == (3, 1, 2, 3, 1)
