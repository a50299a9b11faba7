"""Rows and models for tests of conformal sets, and naive versions of these."""

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin


def normal_rows(n, seed):
    """Draw two features, and a target that one of them explains in part."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 2))
    return X, X[:, 0] + rng.normal(size=n)


class GivenRegressor(RegressorMixin, BaseEstimator):
    """Predicts one number, whatever the row."""

    def __init__(self, value=0.0):
        self.value = value

    def fit(self, X, y=None):
        self.n_features_in_ = np.shape(X)[1]
        return self

    def predict(self, X):
        return np.full(len(X), self.value)


def given_regressor(value=0.0):
    return GivenRegressor(value).fit(np.zeros((1, 1)))


class GivenProbabilities(ClassifierMixin, BaseEstimator):
    """Takes the features for the probabilities of the classes."""

    def fit(self, X, y=None):
        self.n_features_in_ = np.shape(X)[1]
        self.classes_ = np.arange(self.n_features_in_)
        return self

    def predict_proba(self, X):
        return np.asarray(X)

    def predict(self, X):
        return np.argmax(X, axis=1)


def drawn_classes(n, K, seed, sharpness=2.0):
    """Draw rows of probabilities, and classes by them."""
    rng = np.random.default_rng(seed)
    P = np.exp(sharpness * rng.normal(size=(n, K)))
    P /= P.sum(axis=1, keepdims=True)
    y = (P.cumsum(axis=1) > rng.random((n, 1))).argmax(axis=1)
    return P, y


def naive_score(kind, p, y, u=0.0, penalty=0.0, free=0):
    """Score class y by the probabilities of one row."""
    if kind == "lac":
        return 1 - p[y]
    order = sorted(range(len(p)), key=lambda c: -p[c])
    total, rank = 0.0, 0
    for c in order:
        if p[c] >= p[y]:
            total, rank = total + p[c], rank + 1
    extra = penalty * max(0, rank - free) if kind == "raps" else 0.0
    return total - p[y] + u * p[y] + extra
