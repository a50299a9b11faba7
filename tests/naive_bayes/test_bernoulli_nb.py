import numpy as np
import pytest
import scipy.sparse as sp
import sklearn.naive_bayes
from scipy.stats import bernoulli

from corollary import BernoulliNB, CategoricalNB
from corollary.core.errors import DataError


def make(seed=0):
    rng = np.random.default_rng(seed)
    y = rng.integers(3, size=300)
    return (rng.random((300, 8)) < rng.random((3, 8))[y]).astype(float), y


@pytest.mark.course("S4-42")
def test_posterior_is_bayes_rule_on_coins():
    X, y = make()
    model = BernoulliNB(alpha=1.5).fit(X, y)
    joint = np.empty((300, 3))
    for c in range(3):
        p = (X[y == c].sum(axis=0) + 1.5) / ((y == c).sum() + 3)
        joint[:, c] = (y == c).mean() * bernoulli.pmf(X, p).prod(axis=1)
    posterior = joint / joint.sum(axis=1, keepdims=True)
    np.testing.assert_allclose(model.predict_proba(X), posterior, rtol=1e-9)


@pytest.mark.course("S3-28")
def test_two_categories_are_a_coin():
    X, y = make()
    np.testing.assert_allclose(
        BernoulliNB(alpha=0.3).fit(X, y).predict_proba(X),
        CategoricalNB(alpha=0.3).fit(X, y).predict_proba(X),
        rtol=1e-10,
    )


@pytest.mark.parametrize("binarize", [0.0, 0.4, None])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("layout", [np.asarray, sp.csr_matrix])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_equals_scikit_learn(binarize, weighted, layout, dtype):
    X, y = make()
    if binarize is not None:
        X = X * np.random.default_rng(3).random(X.shape)
    X, w = layout(X.astype(dtype)), np.random.default_rng(1).random(300)
    w = w if weighted else None
    ours = BernoulliNB(binarize=binarize).fit(X, y, w)
    theirs = sklearn.naive_bayes.BernoulliNB(binarize=binarize).fit(X, y, w)
    for name in ("feature_count_", "feature_log_prob_", "class_log_prior_"):
        np.testing.assert_allclose(
            getattr(ours, name), getattr(theirs, name), rtol=1e-10
        )
    P, Q = ours.predict_proba(X), theirs.predict_proba(X)
    np.testing.assert_allclose(P, Q, rtol=1e-8 if dtype == np.float64 else 1e-4)


def test_values_that_are_no_answers_are_refused():
    X, y = make()
    X[7, 2] = 3.0
    with pytest.raises(DataError) as caught:
        BernoulliNB(binarize=None).fit(X, y)
    assert str(caught.value) == (
        "BernoulliNB: X must be in [0, 1]; got larger values, 3 in row 7."
    )
    model = BernoulliNB(binarize=None).fit(X > 0, y)
    with pytest.raises(DataError, match="larger values, 3 in row 7"):
        model.predict(sp.csr_matrix(X))
