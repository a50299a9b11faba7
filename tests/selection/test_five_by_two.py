"""The 5 x 2 tests: a naive version, and their level."""

import numpy as np
import pytest
from scipy import stats
from sklearn.base import BaseEstimator, RegressorMixin

from corollary import LogisticRegression, PriorClassifier
from corollary.core.errors import DataError, ParameterError
from corollary.selection import (
    cross_validate,
    five_by_two_cv_test,
)


class Line(RegressorMixin, BaseEstimator):
    """y = b x_j, by least squares."""

    def __init__(self, column=0):
        self.column = column

    def fit(self, X, y):
        x = X[:, self.column]
        self.slope_ = x @ y / (x @ x)
        return self

    def predict(self, X):
        return self.slope_ * X[:, self.column]


def equal(n, seed):
    """Return rows whose first two columns say as much of y."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 2))
    return X, X[:, 0] + X[:, 1] + rng.normal(size=n)


@pytest.mark.course("S3-100")
def test_five_by_two_is_what_a_naive_version_says():
    X, y = equal(50, 3)
    a = cross_validate(Line(0), X, y, splitter=2, repeats=5)
    p = []
    for train, test in a.splits:
        errors = [
            np.mean((y[test] - Line(j).fit(X[train], y[train]).predict(X[test])) ** 2)
            for j in (0, 1)
        ]
        p.append(errors[0] - errors[1])
    p = np.reshape(p, (5, 2))
    s2 = ((p - p.mean(axis=1, keepdims=True)) ** 2).sum(axis=1)
    t = p[0, 0] / np.sqrt(s2.sum() / 5)
    F = (p**2).sum() / (2 * s2.sum())
    found = five_by_two_cv_test(Line(0), Line(1), X, y)
    np.testing.assert_allclose(found.statistic, F)
    np.testing.assert_allclose(found.p_value, stats.f.sf(F, 10, 5))
    found = five_by_two_cv_test(Line(0), Line(1), X, y, method="t")
    np.testing.assert_allclose(found.statistic, t)
    np.testing.assert_allclose(found.p_value, 2 * stats.t.sf(abs(t), 5))
    assert found.freedom == (5,)
    for i in range(5):
        assert (np.sort(a.splits[2 * i][0]) == a.splits[2 * i + 1][1]).all()


@pytest.mark.course("S3-100")
def test_five_by_two_holds_its_level_and_has_power():
    rejected = {"F": 0, "t": 0}
    for seed in range(60):
        X, y = equal(40, seed)
        for method in rejected:
            test = five_by_two_cv_test(Line(0), Line(1), X, y, method=method)
            rejected[method] += test.p_value < 0.05
    assert rejected["F"] / 60 <= 0.1
    assert rejected["t"] / 60 <= 0.12
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 2))
    y = 2 * X[:, 0] + 0.5 * rng.normal(size=200)
    assert five_by_two_cv_test(Line(1), Line(0), X, y).p_value < 0.01
    same = five_by_two_cv_test(Line(0), Line(0), X, y)
    assert (same.p_value, same.difference) == (1, 0)
    z = (y > 0).astype(int)
    won = five_by_two_cv_test(LogisticRegression(), PriorClassifier(), X, z)
    assert won.verdict == "the first model is better"


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda: five_by_two_cv_test(Line(), Line(), np.ones((4, 1)), np.ones(4),
                                     method="z"), ParameterError, "'F' or 't'"),
        (lambda: five_by_two_cv_test(Line(), PriorClassifier(), np.ones((4, 1)),
                                     np.ones(4)), ParameterError, "one of each"),
        (lambda: five_by_two_cv_test(Line(), Line(), np.ones((3, 1)), np.ones(3)),
         DataError, "at least 4 rows"),
    ],
)  # fmt: skip
def test_bad_input_gets_a_sentence(call, error, words):
    with pytest.raises(error, match=words):
        call()
