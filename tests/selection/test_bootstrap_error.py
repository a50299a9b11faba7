"""The bootstrap: known limits, Efron's numbers, a naive version beside it."""

import numpy as np
import pytest
from sklearn.neighbors import KNeighborsClassifier

from corollary import (
    DecisionTreeClassifier,
    LinearDiscriminantAnalysis,
    LinearRegression,
    LogisticRegression,
    PriorClassifier,
)
from corollary.core.errors import ParameterError
from corollary.selection import Loss, bootstrap_error


def noise(n, seed=0):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(n, 5)), np.repeat([0, 1], n // 2)


@pytest.mark.course("S3-101", "S4-56")
def test_one_neighbour_on_labels_without_information():
    found = bootstrap_error(
        KNeighborsClassifier(1), *noise(100), n_resamples=80, random_state=1
    )
    assert found.training == 0
    assert found.no_information == 0.5  # p (1 - q) + q (1 - p)
    np.testing.assert_allclose(found.out_of_bag, 0.5, atol=0.06)
    np.testing.assert_allclose(found.plain, 0.368 * found.out_of_bag, atol=0.02)
    np.testing.assert_allclose(found.error_632, 0.632 * found.out_of_bag, rtol=1e-3)
    np.testing.assert_allclose(found.error_632_plus, 0.5, atol=0.08)
    assert found.error == found.error_632_plus
    np.testing.assert_allclose(
        found.overfitting, min(1, found.out_of_bag / 0.5), rtol=1e-9
    )


@pytest.mark.course("S3-101")
@pytest.mark.parametrize("method", ["plain", "out-of-bag", "632", "632+"])
def test_the_estimates_are_those_of_a_naive_version(method):
    rng = np.random.default_rng(3)
    X = rng.normal(size=(30, 2))
    y = (X[:, 0] + rng.normal(size=30) > 0).astype(int)
    seen = []

    class Watched(LinearDiscriminantAnalysis):
        def fit(self, X, y):
            seen.append(X.copy())
            return super().fit(X, y)

    found = bootstrap_error(Watched(), X, y, n_resamples=25, method=method)
    draws = [[int(np.argmax((X == row).all(axis=1))) for row in Z] for Z in seen[:25]]
    losses, outside = np.zeros((25, 30)), np.zeros((25, 30), bool)
    for b, rows in enumerate(draws):
        f = LinearDiscriminantAnalysis().fit(X[rows], y[rows]).predict(X)
        losses[b], outside[b] = f != y, ~np.isin(np.arange(30), rows)
    all_rows = LinearDiscriminantAnalysis().fit(X, y).predict(X)
    err = np.mean(all_rows != y)
    err1 = np.mean([losses[outside[:, i], i].mean() for i in range(30)])
    p, q = y.mean(), all_rows.mean()
    gamma = p * (1 - q) + (1 - p) * q
    R = max(0, (min(err1, gamma) - err) / (gamma - err))
    w = 0.632120559 / (1 - 0.367879441 * R)
    expected = {
        "plain": losses.mean(),
        "out-of-bag": err1,
        "632": 0.367879441 * err + 0.632120559 * err1,
        "632+": (1 - w) * err + w * min(err1, gamma),
    }
    np.testing.assert_allclose(found.error, expected[method], rtol=1e-7)
    np.testing.assert_allclose(found.no_information, gamma, rtol=1e-9)
    np.testing.assert_allclose(found.losses.mean(), err1)
    assert found.plain < found.out_of_bag
    assert found.error_632 <= found.error_632_plus <= found.out_of_bag + 1e-12


@pytest.mark.course("S3-101")
def test_the_no_information_rate_of_squared_errors():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 2))
    y = 3 + X[:, 0] + rng.normal(size=60)
    found = bootstrap_error(LinearRegression(), X, y, n_resamples=20)
    f = LinearRegression().fit(X, y).predict(X)
    expected = y.var() + f.var() + (y.mean() - f.mean()) ** 2
    np.testing.assert_allclose(found.no_information, expected)
    assert found.training < found.error_632_plus < found.out_of_bag


@pytest.mark.course("S3-101")
def test_the_estimates_surround_the_error_as_theory_says():
    errors, plain, bag, plus = [], [], [], []
    for seed in range(25):
        rng = np.random.default_rng(seed)
        X = rng.normal(size=(30, 4))
        y = (X[:, 0] + 0.5 * rng.normal(size=30) > 0).astype(int)
        found = bootstrap_error(LinearDiscriminantAnalysis(), X, y, n_resamples=20)
        Z = rng.normal(size=(4000, 4))
        t = (Z[:, 0] + 0.5 * rng.normal(size=4000) > 0).astype(int)
        model = LinearDiscriminantAnalysis().fit(X, y)
        errors.append(np.mean(model.predict(Z) != t))
        plain.append(found.plain)
        bag.append(found.out_of_bag)
        plus.append(found.error)
    risk = np.mean(errors)
    assert np.mean(plain) < risk < np.mean(bag) + 0.01
    assert abs(np.mean(plus) - risk) < min(abs(np.mean(plain) - risk), 0.03)


def test_few_rows_and_classes_that_a_draw_may_miss():
    X, y = np.arange(8.0)[:, None], np.array([0] * 7 + [1])
    found = bootstrap_error(LogisticRegression(), X, y, n_resamples=30)
    assert 0 <= found.error <= 1
    sure = bootstrap_error(
        DecisionTreeClassifier(), np.arange(9.0)[:, None], list("aaabbbccc"), loss="log"
    )
    assert np.isfinite(sure.error)
    one = bootstrap_error(PriorClassifier(), X, np.zeros(8))
    assert (one.error, one.overfitting) == (0, 0)
    many = bootstrap_error(
        LinearRegression(), np.arange(900.0)[:, None], np.arange(900.0), n_resamples=2
    )
    np.testing.assert_allclose(
        many.no_information, 2 * np.var(np.arange(900)), rtol=0.01
    )


def test_it_prints():
    found = bootstrap_error(KNeighborsClassifier(1), *noise(40), n_resamples=10)
    lines = str(found).splitlines()
    assert lines[0].startswith("KNeighborsClassifier: error loss 0.")
    assert lines[1] == "  training        0"
    assert lines[-1].endswith("10 draws")


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"method": "jackknife"}, "method must be one of 'plain'"),
        ({"n_resamples": 1}, "n_resamples must be a whole number >= 2"),
        ({"loss": Loss("all", lambda y, f: 0.5)}, "one number for all"),
        ({"loss": "squared"}, "for a classifier; got 'squared'"),
    ],
)
def test_bad_input_gets_a_sentence(change, words):
    X, y = noise(10)
    with pytest.raises(ParameterError, match=words):
        bootstrap_error(LogisticRegression(), X, y, **change)
