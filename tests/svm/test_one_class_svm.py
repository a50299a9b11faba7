"""Where the rows are: a plane between them and the origin."""

import numpy as np
import pytest
import scipy.sparse as sp
from common.machines import assert_a_weight_is_a_repetition, assert_scikit_learns, data
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics.pairwise import rbf_kernel

import corollary
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


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("size", [1e-90, 1e-5, 1e30, 1e90])
@pytest.mark.parametrize("name", ["OneClassSVM", "SVDD", "NuSVC"])
def test_weights_of_any_size_give_the_same_machine(name, size):
    """Small ones "converged" without a step, large ones stalled."""
    X, y, _ = data(3, 150)
    w = np.random.default_rng(0).uniform(0.5, 2.0, 150)
    usual = getattr(corollary, name)(nu=0.2, tol=1e-8).fit(X, y, sample_weight=w)
    model = getattr(corollary, name)(nu=0.2, tol=1e-8).fit(X, y, sample_weight=size * w)
    assert model.report_.stop.word == "converged"
    grows = size if name == "OneClassSVM" else 1.0
    gap, before = model.report_.optimality.value, usual.report_.optimality.value
    assert gap <= 10 * before * grows**2
    g, h = usual.decision_function(X), model.decision_function(X) / grows
    np.testing.assert_allclose(h, g, atol=1e-5 * np.abs(g).max())
    if name == "NuSVC":
        assert model.C_ * size == pytest.approx(usual.C_, rel=1e-5)


@pytest.mark.parametrize("kernel", ["linear", "poly"])
def test_of_several_solutions_sparse_rows_have_that_of_dense_ones(kernel):
    X = np.array([[-2.0, -1], [-1, -1], [-1, -2], [1, 1], [1, 2], [2, 1]])
    dense = OneClassSVM(kernel=kernel, gamma=1).fit(X)
    rows = OneClassSVM(kernel=kernel, gamma=1).fit(sp.csr_array(X))
    assert np.array_equal(dense.support_, rows.support_)
    assert np.array_equal(dense.dual_coef_, rows.dual_coef_.toarray())
