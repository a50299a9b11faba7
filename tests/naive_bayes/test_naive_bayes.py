"""What the family shares: Bayes' rule with vetoes, priors, streams."""

import numpy as np
import pytest
import sklearn.naive_bayes
from hypothesis import given, settings
from hypothesis import strategies as st

import corollary
from corollary import (
    BernoulliNB,
    CategoricalNB,
    ComplementNB,
    GaussianNB,
    MixedNB,
    MultinomialNB,
)
from corollary.core.errors import DataError, ParameterError

FAMILY = [GaussianNB, BernoulliNB, MultinomialNB, ComplementNB, CategoricalNB, MixedNB]
COUNTING = [BernoulliNB, MultinomialNB, ComplementNB, CategoricalNB]


def make(n=200, d=6, k=3, seed=0):
    rng = np.random.default_rng(seed)
    y = rng.integers(k, size=n)
    return rng.poisson(0.4 + rng.random((k, d))[y]).astype(float), y


def prior_name(cls):
    return "priors" if cls in (GaussianNB, MixedNB) else "class_prior"


@pytest.mark.parametrize("cls", FAMILY)
def test_priors_are_checked_in_one_sentence(cls):
    X, y = make()
    for priors, message in (
        ([0.5, 0.5], "Number of priors must match number of classes = 3; got 2."),
        ([0.5, 0.5, 0.5], "The sum of the priors should be 1; got 1.5."),
        ([-0.5, 0.5, 1.0], "Priors must be non-negative; got -0.5."),
        (["a", "b", "c"], "priors must hold numbers; got ['a', 'b', 'c']."),
    ):
        with pytest.raises(ParameterError) as caught:
            cls(**{prior_name(cls): priors}).fit(X, y)
        assert str(caught.value) == f"{cls.__name__}: {message}"


@pytest.mark.parametrize("cls", FAMILY)
def test_a_stream_tells_its_classes_first_and_keeps_them(cls):
    X, y = make()
    with pytest.raises(DataError, match="classes must be passed on the first call"):
        cls().partial_fit(X, y)
    model = cls().partial_fit(X[:50], y[:50], classes=[0, 1, 2])
    with pytest.raises(DataError, match="must be those of the first call"):
        model.partial_fit(X, y, classes=[0, 1])
    model.partial_fit(X[50:], y[50:])
    whole = cls().fit(X, y)
    np.testing.assert_allclose(model.predict_proba(X), whole.predict_proba(X))


@pytest.mark.parametrize("cls", [c for c in FAMILY if c is not ComplementNB])
def test_a_class_that_has_not_come_yet_is_never_predicted(cls):
    X, y = make()
    seen = y < 2
    for more in ({}, {"alpha": 0.0}) if cls is not GaussianNB else ({},):
        model = cls(**more).partial_fit(X[seen], y[seen], classes=[0, 1, 2])
        P = model.predict_proba(X)
        assert np.isfinite(P).all()
        assert (P[:, 2] == 0).all()
        assert not (model.predict(X) == 2).any()


@pytest.mark.parametrize("cls", FAMILY)
def test_a_class_with_one_row_is_learned(cls):
    X, y = make()
    y[:] = np.minimum(y, 1)
    y[0] = 2
    model = cls().fit(X, y)
    assert model.class_count_[2] == 1
    P = model.predict_proba(X)
    assert np.isfinite(P).all()
    np.testing.assert_allclose(P.sum(axis=1), 1)


@pytest.mark.parametrize("cls", FAMILY)
def test_one_row_in_all_is_learned(cls):
    P = cls().fit([[1.0, 2.0]], ["only"]).predict_proba([[1.0, 2.0], [3.0, 0.0]])
    np.testing.assert_array_equal(P, [[1.0], [1.0]])


@pytest.mark.course("S3-28")
@pytest.mark.parametrize("cls", COUNTING)
@given(seed=st.integers(0, 2**31), classes=st.integers(1, 4), rows=st.integers(1, 30))
@settings(max_examples=40, deadline=None)
def test_without_smoothing_probabilities_are_never_nan(cls, seed, classes, rows):
    X, y = make(rows, 4, classes, seed)
    model = cls(alpha=0.0).fit(X, y)
    query = np.vstack([X, np.eye(4) * 7, np.zeros((1, 4)), make(20, 4, 1, seed + 1)[0]])
    for P in (model.predict_proba(query), np.exp(model.predict_log_proba(query))):
        assert np.isfinite(P).all()
        np.testing.assert_allclose(P.sum(axis=1), 1)
    best = np.searchsorted(model.classes_, model.predict(query))
    P = model.predict_proba(query)
    np.testing.assert_allclose(P[np.arange(len(P)), best], P.max(axis=1))


@pytest.mark.course("S3-28")
@pytest.mark.parametrize("cls", [BernoulliNB, MultinomialNB, CategoricalNB])
def test_vetoes_end_where_vanishing_smoothing_ends(cls):
    X, y = make(12, 5, 3, seed=4)
    query = make(60, 5, 1, seed=5)[0]
    P = cls(alpha=0.0).fit(X, y).predict_proba(query)
    # alpha = 1e-200: its logarithm, 460, outweighs all else, and nothing underflows
    model = cls(alpha=1e-200).fit(X, y)
    near = model.predict_proba(query)
    np.testing.assert_allclose(P, near, atol=1e-9)
    assert (cls(alpha=0.0).fit(X, y).predict(query) == model.predict(query)).all()
    joint = cls(alpha=0.0).fit(X, y).predict_joint_log_proba(query)
    assert np.isneginf(joint).any()
    assert not np.isnan(joint).any()


@pytest.mark.parametrize("cls", COUNTING)
def test_vetoes_are_reported(cls):
    X, y = make(12, 5, 3, seed=4)
    X[:, 0] = y == 0  # which came with one class alone
    assert not cls().fit(X, y).report_.warnings
    (warning,) = cls(alpha=0.0).fit(X, y).report_.warnings
    assert "counts are zero, first" in warning
    assert "use alpha > 0" in warning
    with pytest.warns(UserWarning, match="alpha was raised to 1e-10"):
        low = cls(alpha=0.0, force_alpha=False).fit(X, y)
    assert low.report_.warnings == [
        "alpha was raised to 1e-10; force_alpha=True keeps it."
    ]
    assert np.isfinite(low.predict_joint_log_proba(X)).all()


@pytest.mark.parametrize("cls", COUNTING)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("fit_prior", [False, True])
def test_equals_scikit_learn(cls, dtype, weighted, fit_prior):
    X, y = make()
    X = X.astype(dtype)
    w = np.random.default_rng(1).uniform(0.1, 2, len(y)) if weighted else None
    ours = cls(alpha=0.3, fit_prior=fit_prior).fit(X, y, w)
    peer = getattr(sklearn.naive_bayes, cls.__name__)
    theirs = peer(alpha=0.3, fit_prior=fit_prior).fit(X, y, w)
    rtol = 1e-5 if dtype == np.float32 else 1e-10
    for name in ("class_log_prior_", "class_count_"):
        np.testing.assert_allclose(getattr(ours, name), getattr(theirs, name))
    for name in ("predict_proba", "predict_log_proba", "predict_joint_log_proba"):
        P, Q = getattr(ours, name)(X), getattr(theirs, name)(X)
        assert P.dtype == dtype
        np.testing.assert_allclose(P, Q, rtol=rtol, atol=rtol)
    np.testing.assert_array_equal(ours.predict(X), theirs.predict(X))


@pytest.mark.parametrize("name", ["report_", "class_count_"])
def test_an_unseen_class_survives_saving(name, tmp_path):
    X, y = make()
    model = MultinomialNB(alpha=0).partial_fit(X[y < 2], y[y < 2], classes=[0, 1, 2])
    assert np.isneginf(model.class_log_prior_[2])
    corollary.save(model, tmp_path / "model")
    again = corollary.load(tmp_path / "model")
    assert str(getattr(again, name)) == str(getattr(model, name))
    np.testing.assert_array_equal(again.predict_proba(X), model.predict_proba(X))
