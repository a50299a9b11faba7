"""Out-of-fold losses are those of cross-validation, by folds that suit the data."""

import numpy as np
import pytest
from sklearn.model_selection import KFold, cross_val_predict

from corollary import DecisionTreeClassifier, LogisticRegression, Ridge
from corollary.diagnostics.judged_loss import judged_loss, mean_and_error
from corollary.diagnostics.out_of_fold import folds_of, out_of_fold, time_folds


def rows(n=200, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3))
    return X, X[:, 0] + rng.normal(size=n), rng


def test_losses_are_those_of_cross_val_predict():
    X, y, _ = rows()
    folds = list(KFold(5, shuffle=True, random_state=0).split(X))
    found = out_of_fold(Ridge(), X, y, folds, judged_loss("squared", Ridge(), y))
    oracle = cross_val_predict(Ridge(), X, y, cv=folds)
    np.testing.assert_allclose(found.losses, (y - oracle) ** 2)
    np.testing.assert_allclose(found.predicted, oracle)
    model = LogisticRegression()
    c = np.where(y > 0, "yes", "no")
    found = out_of_fold(model, X, c, folds, judged_loss(None, model, c))
    P = cross_val_predict(model, X, c, cv=folds, method="predict_proba")
    np.testing.assert_allclose(found.probabilities, P)
    np.testing.assert_allclose(found.losses, (P[:, 1] - (c == "yes")) ** 2)
    log = out_of_fold(model, X, c, folds, judged_loss("log_loss", model, c))
    np.testing.assert_allclose(log.losses, -np.log(P[np.arange(200), (c == "yes") * 1]))


def test_a_class_that_a_fold_has_not_met_has_probability_0():
    y = np.array([0, 1] * 10 + [2])
    X = np.arange(21.0)[:, None]
    folds = [(np.arange(20), np.array([20])), (np.arange(1, 21), np.array([0]))]
    model = DecisionTreeClassifier()
    found = out_of_fold(model, X, y, folds, judged_loss("brier", model, y))
    assert found.probabilities[20, 2] == 0
    assert np.isnan(found.losses[5])  # in no test fold
    assert np.isfinite(found.mean)


def test_the_balanced_error_counts_every_class_the_same():
    y = np.repeat(["rare", "usual"], [5, 95])
    model = DecisionTreeClassifier()
    loss = judged_loss("balanced_error", model, y)
    always = np.full(100, "usual")
    assert loss(y, always, None).mean() == pytest.approx(0.5)


def test_folds_keep_groups_whole_and_times_in_order():
    _, y, rng = rows()
    groups = rng.integers(12, size=200)
    for train, test in folds_of(False, y, groups=groups):
        assert not set(groups[train]) & set(groups[test])
    time = rng.permutation(200)
    blocks = time_folds(time)
    for train, test in blocks:
        assert time[train].max() < time[test].min()
    assert sum(len(test) for _, test in blocks) == 100
    assert min(len(train) for train, _ in blocks) == 100


def test_the_standard_error_is_that_of_a_mean_and_wider_for_groups():
    rng = np.random.default_rng(1)
    x = rng.normal(size=500)
    mean, error = mean_and_error(x)
    assert mean == pytest.approx(x.mean())
    assert error == pytest.approx(x.std(ddof=1) / np.sqrt(500))
    level = rng.normal(size=25)
    groups = np.repeat(np.arange(25), 20)
    means = [
        mean_and_error(rng.normal(size=25)[groups] + 0.1 * x, None, groups)
        for _ in range(200)
    ]
    spread = np.std([m for m, _ in means])
    assert np.mean([e for _, e in means]) == pytest.approx(spread, rel=0.15)
    assert mean_and_error(level[groups])[1] < 0.5 * spread  # rows are not independent


def test_time_that_is_up_is_told_between_folds():
    X, y, _ = rows()
    folds = folds_of(False, y)
    with pytest.raises(TimeoutError):
        out_of_fold(Ridge(), X, y, folds, judged_loss(None, Ridge(), y), deadline=0.0)
