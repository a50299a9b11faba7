"""Counts, priors and smoothing, shared by the discrete models."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from corollary import BernoulliNB, CategoricalNB, ComplementNB, MultinomialNB
from corollary.core.errors import DataError, ParameterError

X = np.array([[2.0, 0, 1], [1, 1, 0], [0, 3, 1], [0, 1, 2]])
Y = np.array([0, 0, 1, 1])


@pytest.mark.course("S4-41")
@pytest.mark.parametrize(
    ("m", "wanted"), [(1, 2 / 3), (10, 11 / 12), (1000, 1001 / 1002)]
)
def test_the_sun_rises_again_with_probability_m_plus_1_over_m_plus_2(m, wanted):
    days, rose = np.ones((m, 1)), np.ones(m, dtype=int)
    smooth = BernoulliNB(prior_alpha=1.0).partial_fit(days, rose, classes=[0, 1])
    assert np.exp(smooth.class_log_prior_[1]) == pytest.approx(wanted, rel=1e-14)
    assert np.exp(smooth.feature_log_prob_[1, 0]) == pytest.approx(wanted, rel=1e-14)
    plain = BernoulliNB(alpha=0).partial_fit(days, rose, classes=[0, 1])
    assert np.exp(plain.class_log_prior_[1]) == 1.0  # m/m
    assert np.exp(plain.feature_log_prob_[1, 0]) == 1.0


@pytest.mark.course("S4-41")
def test_a_value_of_k_has_probability_count_plus_1_over_m_plus_k():
    x = np.array([0, 0, 1, 3, 3, 3])[:, None]  # category 2 never came
    model = CategoricalNB().fit(x, np.zeros(6))
    phi = np.exp(model.feature_log_prob_[0][0])
    np.testing.assert_allclose(phi, [3 / 10, 2 / 10, 1 / 10, 4 / 10], rtol=1e-14)
    rough = CategoricalNB(alpha=0).fit(x, np.zeros(6))
    np.testing.assert_allclose(
        np.exp(rough.feature_log_prob_[0][0]), [2 / 6, 1 / 6, 0, 3 / 6], rtol=1e-14
    )


@pytest.mark.course("S4-41")
def test_a_word_that_no_class_had_is_0_over_0_without_smoothing_and_finite_with():
    texts = np.array([[1.0, 0, 0], [0, 1, 0], [0, 1, 0]])
    y, novel = [1, 0, 0], [[0.0, 0, 1]]
    rough = MultinomialNB(alpha=0).fit(texts, y)
    assert np.isneginf(rough.predict_joint_log_proba(novel)).all()  # 0 and 0
    np.testing.assert_allclose(rough.predict_proba(novel).sum(), 1)
    # with one pseudo-count: P(w | 0) = 1/(2 + 3), P(w | 1) = 1/(1 + 3)
    P = MultinomialNB().fit(texts, y).predict_proba(novel)[0]
    np.testing.assert_allclose(P, np.array([2 / 5, 1 / 4]) / (2 / 5 + 1 / 4))


@pytest.mark.parametrize("cls", [BernoulliNB, MultinomialNB, ComplementNB])
def test_alpha_may_differ_from_feature_to_feature(cls):
    alpha = [0.5, 1.0, 2.0]
    model = cls(alpha=alpha).fit(X, Y)
    assert np.isfinite(model.predict_proba(X)).all()
    for wrong, message in (
        ([1.0, 1.0], "alpha must be one number or one for each of the 3 features"),
        ([1.0, -1.0, 1.0], "every alpha must be a number >= 0; got -1."),
    ):
        with pytest.raises(ParameterError, match=message):
            cls(alpha=wrong).fit(X, Y)


@pytest.mark.parametrize(
    "cls", [BernoulliNB, MultinomialNB, ComplementNB, CategoricalNB]
)
def test_a_negative_alpha_is_refused_in_one_sentence(cls):
    with pytest.raises(
        ParameterError, match=r"alpha must be a number >= 0.*; got -1\."
    ):
        cls(alpha=-1.0).fit(X, Y)


@pytest.mark.parametrize("cls", [MultinomialNB, ComplementNB])
@pytest.mark.parametrize("layout", [np.asarray, sp.csr_matrix])
def test_negative_counts_are_refused_with_their_row(cls, layout):
    wrong = X.copy()
    wrong[2, 1] = -3
    message = (
        f"{cls.__name__}: X must be >= 0; got Negative values in data, -3 in row 2."
    )
    with pytest.raises(DataError) as caught:
        cls().fit(layout(wrong), Y)
    assert str(caught.value) == message
    with pytest.raises(DataError) as caught:
        cls().fit(layout(X), Y).predict(layout(wrong))
    assert str(caught.value) == message


def test_parameters_are_counted():
    def count(model):
        return model.fit(X, Y).report_.facts["n_parameters"]

    assert count(BernoulliNB()) == 2 * 3 + 1
    assert count(MultinomialNB()) == 2 * (3 - 1) + 1
    assert count(CategoricalNB()) == 2 * (2 + 3 + 2) + 1


@given(seed=st.integers(0, 2**31), alpha=st.floats(1e-3, 10))
@settings(max_examples=30, deadline=None)
def test_shares_sum_to_one(seed, alpha):
    rng = np.random.default_rng(seed)
    A, y = rng.poisson(1.0, (20, 4)).astype(float), rng.integers(3, size=20)
    L = MultinomialNB(alpha=alpha).fit(A, y).feature_log_prob_
    np.testing.assert_allclose(np.exp(L).sum(axis=1), 1)
    for table in CategoricalNB(alpha=alpha).fit(A, y).feature_log_prob_:
        np.testing.assert_allclose(np.exp(table).sum(axis=1), 1)
    model = BernoulliNB(alpha=alpha).fit(A, y)
    both = np.exp(model.feature_log_prob_) + np.exp(model.absence_log_prob_)
    np.testing.assert_allclose(both, 1)
