"""From scores to probabilities, against scikit-learn's fits of the same scores."""

import numpy as np
import pytest
from scipy.optimize import minimize
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.calibration import CalibratedClassifierCV
from sklearn.frozen import FrozenEstimator
from sklearn.isotonic import IsotonicRegression
from sklearn.svm import SVC as Peer

from corollary import SVC
from corollary.core.errors import DataError
from corollary.svm import couple, isotonic, platt


@pytest.mark.parametrize("method", ["platt", "isotonic"])
@pytest.mark.parametrize("K", [2, 3])
def test_probabilities_are_calibrated_and_reproducible(method, K):
    rng = np.random.default_rng(14)
    X = rng.normal(size=(600, 2))
    p = 1 / (1 + np.exp(-2 * X[:, 0]))
    y = (rng.random(600) < p).astype(int)
    if K == 3:
        y[X[:, 1] > 0.8] = 2
    options = {"kernel": "linear", "probability": method, "random_state": 0}
    model = SVC(**options).fit(X[:400], y[:400])
    P = model.predict_proba(X[400:])
    np.testing.assert_allclose(P.sum(axis=1), 1)
    assert (P > 0).all()
    np.testing.assert_allclose(np.exp(model.predict_log_proba(X[400:])), P)
    if K == 2:
        assert np.abs(P[:, 1] - p[400:]).mean() < 0.08
    again = SVC(**options).fit(X[:400], y[:400]).predict_proba(X[400:])
    np.testing.assert_array_equal(again, P)
    assert (P.argmax(axis=1) == model.predict(X[400:])).mean() > 0.9
    assert not hasattr(SVC(), "predict_proba")


def scores(seed, n=500):
    """Return scores, classes that a sigmoid of them draws, and weights."""
    rng = np.random.default_rng(seed)
    g = 2 * rng.normal(size=n)
    t = rng.random(n) < 1 / (1 + np.exp(-1.3 * g + 0.4))
    return g, t, rng.integers(1, 4, size=n).astype(float)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("seed", range(4))
def test_platt_minimises_its_likelihood(seed, weighted):
    g, t, w = scores(seed)
    w = w if weighted else np.ones(len(g))
    A, B = platt(g, t, w)
    n_pos, n_neg = w[t].sum(), w[~t].sum()
    goal = np.where(t, (n_pos + 1) / (n_pos + 2), 1 / (n_neg + 2))

    def loss(theta):
        u = theta[0] * g + theta[1]
        return w @ (np.logaddexp(0, u) - (1 - goal) * u)

    best = minimize(loss, [0.0, 0.0], method="BFGS", options={"gtol": 1e-9})
    np.testing.assert_allclose([A, B], best.x, atol=1e-6)


class Score(ClassifierMixin, BaseEstimator):
    """Says that the score of a row is its only feature."""

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        return self

    def decision_function(self, X):
        return X[:, 0]

    def predict(self, X):
        return self.classes_[(X[:, 0] > 0).astype(int)]


@pytest.mark.filterwarnings("ignore:Since FrozenEstimator")
@pytest.mark.parametrize("method", ["sigmoid", "isotonic"])
@pytest.mark.parametrize("weighted", [False, True])
def test_it_is_scikit_learns_calibration_of_the_same_scores(method, weighted):
    g, t, w = scores(7)
    w = w if weighted else np.ones(len(g))
    base = FrozenEstimator(Score().fit(g[:, None], t))
    peer = CalibratedClassifierCV(base, method=method)
    peer.fit(g[:, None], t, sample_weight=w)
    query = np.linspace(-8, 8, 201)
    theirs = peer.predict_proba(query[:, None])[:, 1]
    if method == "sigmoid":
        probability = platt(g, t, w)
        part = peer.calibrated_classifiers_[0].calibrators[0]
        np.testing.assert_allclose(probability, [part.a_, part.b_], atol=1e-5)
        np.testing.assert_allclose(probability(query), theirs, atol=1e-6)
    else:
        ours = isotonic(g, t, w)(query)
        np.testing.assert_allclose(ours, theirs, atol=1e-12)


@pytest.mark.parametrize("seed", range(3))
def test_isotonic_steps_are_scikit_learns(seed):
    g, t, w = scores(seed)
    g = np.round(g, 1)  # with ties
    peer = IsotonicRegression(out_of_bounds="clip").fit(g, t, w)
    query = np.linspace(-7, 7, 301)
    ours = isotonic(g, t, w)(query)
    np.testing.assert_allclose(ours, peer.predict(query), atol=1e-12)


@pytest.mark.filterwarnings("ignore:The `probability` parameter")
@pytest.mark.parametrize("K", [2, 3])
def test_probabilities_are_close_to_libsvms(K):
    rng = np.random.default_rng(3)
    X = rng.normal(size=(900, 2))
    edges = [0.0] if K == 2 else [-0.7, 0.7]
    y = np.digitize(X[:, 0] + 0.5 * rng.normal(size=900), edges)
    train, test = slice(0, 600), slice(600, None)
    ours = SVC(probability=True, random_state=0).fit(X[train], y[train])
    theirs = Peer(probability=True, random_state=0).fit(X[train], y[train])
    P, Q = ours.predict_proba(X[test]), theirs.predict_proba(X[test])
    assert np.abs(P - Q).max() < 0.08  # their folds are other folds
    assert np.abs(P - Q).mean() < 0.015

    def log_loss(R):
        return -np.log(R[np.arange(300), y[test]]).mean()

    assert log_loss(P) < log_loss(Q) + 0.01


@pytest.mark.parametrize("K", [3, 5])
def test_coupling_is_the_constrained_least_squares(K):
    rng = np.random.default_rng(K)
    R = rng.uniform(0.05, 0.95, size=(20, K, K))
    R = np.triu(R, 1) + np.tril(1 - R.transpose(0, 2, 1), -1)
    P = couple(R)
    for r, p in zip(R, P, strict=True):

        def cost(q, r=r):
            D = r.T * q[:, None] - r * q
            return (D**2).sum() - (np.diagonal(D) ** 2).sum()

        total = {"type": "eq", "fun": lambda q: q.sum() - 1}
        best = minimize(cost, np.full(K, 1 / K), constraints=total, method="SLSQP",
                        options={"ftol": 1e-15})  # fmt: skip
        np.testing.assert_allclose(p, best.x, atol=1e-5)


@pytest.mark.parametrize("function", [platt, isotonic])
def test_labels_are_any_two_and_weights_are_repetitions(function):
    g, t, w = scores(1)
    names = np.where(t, "yes", "no").tolist()
    query = np.linspace(-3, 3, 13)
    found = function(g.tolist(), names, w)(query)
    again = function(np.repeat(g, w.astype(int)), np.repeat(t, w.astype(int)))(query)
    np.testing.assert_allclose(found, again, atol=1e-6)
    more = np.append(w, 0.0), [*g, 99.0], [*names, "yes"]
    removed = function(more[1], more[2], more[0])(query)
    np.testing.assert_allclose(removed, found, atol=1e-12)
    with pytest.raises(DataError, match="y must have two labels; got 1"):
        function([1.0, 2.0], [0, 0])
    with pytest.raises(DataError, match="vectors of the same length"):
        function([1.0, 2.0], [0, 1, 1])


def test_pairs_to_couple_are_square():
    with pytest.raises(DataError, match=r"shape \(n, K, K\); got \(2, 3\)"):
        couple(np.ones((2, 3)))
