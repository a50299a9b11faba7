import numpy as np
import pytest
import scipy.sparse as sp
import sklearn.naive_bayes

from corollary import ComplementNB, MultinomialNB


def unequal(seed=0):
    rng = np.random.default_rng(seed)
    y = rng.choice(3, 300, p=[0.8, 0.15, 0.05])
    return rng.poisson(0.2 + rng.random((3, 20))[y]).astype(float), y


def test_weights_are_those_of_the_other_classes():
    X, y = unequal()
    model = ComplementNB(alpha=0.5).fit(X, y)
    for c in range(3):
        rest = X[y != c].sum(axis=0) + 0.5
        np.testing.assert_allclose(
            model.feature_log_prob_[c], -np.log(rest / rest.sum()), rtol=1e-12
        )
    np.testing.assert_allclose(model.feature_all_, X.sum(axis=0))


@pytest.mark.parametrize("norm", [False, True])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("layout", [np.asarray, sp.csr_matrix])
def test_equals_scikit_learn(norm, weighted, layout):
    X, y = unequal()
    X, w = layout(X), np.random.default_rng(1).random(300) if weighted else None
    ours = ComplementNB(norm=norm).fit(X, y, w)
    theirs = sklearn.naive_bayes.ComplementNB(norm=norm).fit(X, y, w)
    for name in ("feature_all_", "feature_log_prob_"):
        np.testing.assert_allclose(
            getattr(ours, name), getattr(theirs, name), rtol=1e-10
        )
    np.testing.assert_allclose(
        ours.predict_proba(X), theirs.predict_proba(X), rtol=1e-8
    )


def test_with_two_classes_it_weighs_words_like_the_multinomial_model():
    X, y = unequal()
    X, y = X[y < 2], y[y < 2]
    own = MultinomialNB().fit(X, y).feature_log_prob_
    np.testing.assert_allclose(ComplementNB().fit(X, y).feature_log_prob_, -own[::-1])


@pytest.mark.parametrize("norm", [False, True])
def test_words_of_one_class_alone_decide_without_smoothing(norm):
    X = np.array([[3.0, 1, 0], [2, 0, 0], [0, 2, 0], [0, 1, 1]])
    model = ComplementNB(alpha=0, norm=norm).fit(X, [0, 0, 1, 1])
    P = model.predict_proba([[1, 0, 0], [0, 0, 1], [1, 9, 1], [0, 0, 0]])
    assert np.isfinite(P).all()
    assert P[0].argmax() == 0
    assert P[1].argmax() == 1
    np.testing.assert_allclose(P[3], 0.5)
