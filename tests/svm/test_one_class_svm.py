"""Where the rows are: a plane between them and the origin."""

import numpy as np
import pytest
from common.machines import assert_a_weight_is_a_repetition, assert_scikit_learns, data
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics.pairwise import rbf_kernel

from corollary import OneClassSVM


@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize(
    "options", [{"nu": 0.2}, {"nu": 0.2, "kernel": "poly", "coef0": 1.0}], ids=str
)
def test_it_is_scikit_learns(options, sparse):
    assert_scikit_learns("OneClassSVM", options, sparse)


@given(seed=st.integers(0, 1000))
@settings(max_examples=8, deadline=None)
def test_a_weight_is_a_repetition(seed):
    assert_a_weight_is_a_repetition("OneClassSVM", seed)


@pytest.mark.course("S1-50")
def test_nu_is_a_share_of_the_rows():
    X, _, _ = data(9)
    for nu in (0.05, 0.2, 0.6):
        model = OneClassSVM(nu=nu, tol=1e-10).fit(X)
        assert (model.predict(X) < 0).mean() <= nu <= len(model.support_) / len(X)


def test_weights_of_a_given_matrix():
    X, _, _ = data(16, 60)
    w = np.arange(60) % 3
    rows = OneClassSVM(nu=0.2, gamma=0.5, tol=1e-9).fit(X, sample_weight=w)
    K = rbf_kernel(X, gamma=0.5)
    given_ = OneClassSVM(nu=0.2, kernel="precomputed", tol=1e-9)
    given_.fit(K, sample_weight=w)
    a, b = given_.decision_function(K), rows.decision_function(X)
    np.testing.assert_allclose(a, b, atol=1e-7)


def test_going_on_for_an_exact_end_costs_little():
    X = np.random.default_rng(0).normal(size=(120, 4))  # of rank 4
    model = OneClassSVM(kernel="linear", nu=0.5, tol=1e-9).fit(X)
    assert model.report_.facts["n_pairs"] < 50_000
    assert model.report_.facts["kkt_violation"] <= 1e-9
