"""The corrected t-test: SciPy's numbers, and its level."""

import numpy as np
import pytest
from scipy import stats
from sklearn.base import BaseEstimator, RegressorMixin, clone
from sklearn.model_selection import ShuffleSplit

from corollary import LinearRegression, Ridge
from corollary.core.errors import DataError, ParameterError
from corollary.selection import (
    corrected_resampled_t_test,
    cross_validate,
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
def test_the_corrected_t_is_the_plain_one_with_more_variance():
    d = np.random.default_rng(0).normal(0.3, 1.0, size=12)
    plain = stats.ttest_1samp(d, 0.0)
    found = corrected_resampled_t_test(d, 1e12, 1.0)  # nothing is shared
    np.testing.assert_allclose(found.statistic, plain.statistic)
    np.testing.assert_allclose(found.p_value, plain.pvalue)
    ends = plain.confidence_interval(0.95)
    np.testing.assert_allclose([found.low, found.high], [ends.low, ends.high])
    shared = corrected_resampled_t_test(d, 90, 10)
    np.testing.assert_allclose(
        shared.statistic, plain.statistic * np.sqrt((1 / 12) / (1 / 12 + 1 / 9))
    )
    assert shared.freedom == (11,)


@pytest.mark.course("S3-100")
def test_the_corrected_t_holds_its_level_where_the_plain_one_does_not():
    corrected = plain = 0
    for seed in range(120):
        X, y = equal(60, seed)
        splits = list(ShuffleSplit(12, test_size=0.2, random_state=seed).split(X))
        d = [
            np.mean((y[b] - clone(Line(0)).fit(X[a], y[a]).predict(X[b])) ** 2)
            - np.mean((y[b] - clone(Line(1)).fit(X[a], y[a]).predict(X[b])) ** 2)
            for a, b in splits
        ]
        corrected += corrected_resampled_t_test(d, 48, 12).p_value < 0.05
        plain += stats.ttest_1samp(d, 0.0).pvalue < 0.05
    assert corrected / 120 < 0.12
    assert plain / 120 > 0.2


def test_it_takes_the_folds_of_a_cross_validation():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(100, 2))
    y = 3 * X[:, 0] + rng.normal(size=100)
    a = cross_validate(LinearRegression(), X, y)
    b = cross_validate(Ridge(alpha=100.0), X, y, splitter=a.splits)
    d = a.fold_losses - b.fold_losses
    found = corrected_resampled_t_test(d, a.n_train, a.n_test)
    assert found.verdict == "the first model is better"
    np.testing.assert_allclose(found.difference, a.mean - b.mean)
    same = corrected_resampled_t_test(np.zeros(4), 3, 1)
    assert (same.statistic, same.p_value) == (0, 1)
    sure = corrected_resampled_t_test(np.ones(4), 3, 1)
    assert sure.p_value == 0


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda: corrected_resampled_t_test([1.0], 1, 1), DataError, "at least 2"),
        (lambda: corrected_resampled_t_test([1.0, np.nan], 1, 1), DataError, "finite"),
        (lambda: corrected_resampled_t_test([1, 2], 0, 1), ParameterError, "n_train"),
        (lambda: corrected_resampled_t_test([1, 2], 1, 1, confidence=1),
         ParameterError, "confidence must be"),
    ],
)  # fmt: skip
def test_bad_input_gets_a_sentence(call, error, words):
    with pytest.raises(error, match=words):
        call()
