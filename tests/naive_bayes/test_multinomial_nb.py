import numpy as np
import pytest
import scipy.sparse as sp
import sklearn.naive_bayes
from scipy.stats import multinomial

from corollary import BernoulliNB, MultinomialNB

TEXTS = np.array([[2, 1, 0, 0], [0, 1, 1, 0], [0, 0, 2, 2]])  # words in three texts
Y = np.array(["+", "+", "-"])


@pytest.mark.course("S4-42")
def test_event_models_count_words_or_texts():
    # multinomial: (times of the word + 1)/(words of the class + |V|)
    words = MultinomialNB().fit(TEXTS, Y)
    np.testing.assert_allclose(
        np.exp(words.feature_log_prob_),
        [[3 / 9, 3 / 9, 2 / 9, 1 / 9], [1 / 8, 1 / 8, 3 / 8, 3 / 8]],
        rtol=1e-14,
    )
    # Bernoulli: (texts with the word + 1)/(texts of the class + 2)
    presence = BernoulliNB().fit(TEXTS, Y)
    np.testing.assert_allclose(
        np.exp(presence.feature_log_prob_),
        [[2 / 4, 3 / 4, 2 / 4, 1 / 4], [1 / 3, 1 / 3, 2 / 3, 2 / 3]],
        rtol=1e-14,
    )


@pytest.mark.course("S4-42")
def test_event_models_hear_different_things():
    often = np.array([[5, 0, 0, 0]])
    once = np.array([[1, 0, 0, 0]])
    words, presence = MultinomialNB().fit(TEXTS, Y), BernoulliNB().fit(TEXTS, Y)
    # how often a word comes matters to one model only
    assert words.predict_proba(often)[0, 0] > words.predict_proba(once)[0, 0]
    np.testing.assert_array_equal(
        presence.predict_proba(often), presence.predict_proba(once)
    )
    # a text without words: the prior for one, the absence of every word for the other
    nothing = np.zeros((1, 4))
    np.testing.assert_allclose(words.predict_proba(nothing), [[2 / 3, 1 / 3]])
    absent = np.array([2 / 3 * 1 / 2 * 1 / 4 * 1 / 2 * 3 / 4, 1 / 3 * (2 / 3) ** 2 / 9])
    np.testing.assert_allclose(
        presence.predict_proba(nothing)[0], absent / absent.sum(), rtol=1e-12
    )


@pytest.mark.course("S4-42", "S3-30")
def test_posterior_is_bayes_rule_on_multinomials():
    rng = np.random.default_rng(0)
    y = rng.integers(3, size=90)
    X = np.array([rng.multinomial(15, rng.dirichlet(np.ones(5))) for _ in y])
    model = MultinomialNB(alpha=0.7).fit(X, y)
    joint = np.empty((90, 3))
    for c in range(3):
        p = (X[y == c].sum(axis=0) + 0.7) / (X[y == c].sum() + 5 * 0.7)
        joint[:, c] = (y == c).mean() * multinomial.pmf(X, 15, p)
    posterior = joint / joint.sum(axis=1, keepdims=True)
    np.testing.assert_allclose(model.predict_proba(X), posterior, rtol=1e-9)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("layout", [np.asarray, sp.csr_matrix, sp.csc_matrix])
def test_equals_scikit_learn_on_tables_and_sparse_rows(layout, weighted):
    rng = np.random.default_rng(2)
    X = layout(rng.poisson(0.3, (400, 60)) * rng.random((400, 60)))
    y, w = rng.choice(list("abcd"), 400), rng.random(400) if weighted else None
    ours = MultinomialNB(alpha=0.01).fit(X, y, w)
    theirs = sklearn.naive_bayes.MultinomialNB(alpha=0.01).fit(X, y, w)
    for name in ("feature_count_", "feature_log_prob_", "class_log_prior_"):
        np.testing.assert_allclose(
            getattr(ours, name), getattr(theirs, name), rtol=1e-10
        )
    np.testing.assert_allclose(
        ours.predict_proba(X), theirs.predict_proba(X), rtol=1e-8
    )


@pytest.mark.course("S3-30")
def test_a_long_text_does_not_underflow():
    X = np.array([[9.0, 1], [1, 9]])
    model = MultinomialNB().fit(X, [0, 1])
    P = model.predict_proba([[50_000.0, 49_990.0]])
    odds = 10 * np.log(10 / 2)
    np.testing.assert_allclose(P[0, 1], 1 / (1 + np.exp(odds)), rtol=1e-9)
