"""SVC against scikit-learn's, the course's numbers, and the laws of its dual."""

import numpy as np
import pytest
import scipy.sparse as sp
from common.machines import data
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.svm import SVC as Peer

from corollary import SVC, StopReason
from corollary.core.errors import DataError, ParameterError
from corollary.svm.pairs import ROLES, pair_scores


def classes(seed=0, n=200, d=4, K=2):
    rng = np.random.default_rng(seed)
    y = rng.integers(K, size=n)
    y[:K] = np.arange(K)
    X = rng.normal(size=(n, d)) + 1.2 * rng.normal(size=(K, d))[y]
    return X, y


KERNELS = [
    {"kernel": "linear"},
    {"kernel": "poly", "coef0": 0.5, "degree": 2},
    {"kernel": "rbf"},
    {"kernel": "rbf", "gamma": "auto"},
    {"kernel": "rbf", "gamma": 0.7, "C": 20.0},
    {"kernel": "rbf", "class_weight": "balanced"},
    {"kernel": "rbf", "class_weight": {1: 5.0}},
]


@pytest.mark.parametrize("K", [2, 3, 5])
@pytest.mark.parametrize("options", KERNELS, ids=str)
@pytest.mark.parametrize("sparse", [False, True], ids=["dense", "csr"])
def test_it_is_scikit_learns_with_a_finer_solution(K, options, sparse):
    X, y = classes(K=K)
    ours = SVC(tol=1e-8, **options)
    peer = Peer(tol=1e-8, **options)
    ours.fit(sp.csr_array(X) if sparse else X, y)
    peer.fit(sp.csr_matrix(X) if sparse else X, y)
    query, _ = classes(1, 60, K=K)
    for shape in ("ovr", "ovo"):
        ours.decision_function_shape = peer.decision_function_shape = shape
        scores = peer.decision_function(query)
        np.testing.assert_allclose(ours.decision_function(query), scores, atol=2e-5)
    np.testing.assert_array_equal(ours.predict(query), peer.predict(query))
    np.testing.assert_array_equal(ours.support_, peer.support_)
    np.testing.assert_array_equal(ours.n_support_, peer.n_support_)
    dual = peer.dual_coef_.toarray() if sparse else peer.dual_coef_
    found = ours.dual_coef_.toarray() if sparse else ours.dual_coef_
    np.testing.assert_allclose(found, dual, atol=1e-4)
    np.testing.assert_allclose(ours.intercept_, peer.intercept_, atol=2e-5)
    if options["kernel"] == "linear" and not sparse:
        np.testing.assert_allclose(ours.coef_, peer.coef_, atol=1e-5)


@pytest.mark.course("S0-26", "S1-48", "S2-38", "S4-49")
@pytest.mark.parametrize("kernel", ["linear", "rbf", "poly"])
@pytest.mark.parametrize("C", [0.1, 10.0])
def test_primal_is_dual(kernel, C):
    X, y = classes(3)
    model = SVC(C=C, kernel=kernel, tol=1e-9).fit(X, y)
    s = np.where(y == 1, 1.0, -1.0)
    beta = np.zeros(len(y))
    beta[model.support_] = model.dual_coef_[0]
    g = model.decision_function(X)
    norm = beta @ (g - model.intercept_[0])  # ||w||^2
    primal = norm / 2 + C * np.maximum(0, 1 - s * g).sum()
    dual = np.abs(beta).sum() - norm / 2
    assert primal == pytest.approx(dual, rel=1e-9)
    assert model.report_.objective[-1] == pytest.approx(primal, rel=1e-9)
    assert model.margin_ == pytest.approx(1 / np.sqrt(norm))
    assert beta.sum() == pytest.approx(0, abs=1e-9)


def test_support_vectors_alone_give_the_same_machine():
    X, y = classes(4)
    options = {"tol": 1e-10, "gamma": 0.3, "C": 2.0}
    whole = SVC(**options).fit(X, y)
    alone = SVC(**options).fit(X[whole.support_], y[whole.support_])
    query, _ = classes(5)
    np.testing.assert_allclose(
        alone.decision_function(query), whole.decision_function(query), atol=1e-8
    )


def test_roles_are_what_the_margins_say():
    X, y = classes(6)
    model = SVC(tol=1e-9).fit(X, y)
    m = np.where(y == 1, 1, -1) * model.decision_function(X)
    names = np.array(ROLES)[model.roles_]
    assert (m[names == "outside"] >= 1 - 1e-8).all()
    np.testing.assert_allclose(m[names == "margin"], 1, atol=1e-8)
    assert ((m[names == "inside"] >= 0) & (m[names == "inside"] <= 1 + 1e-8)).all()
    assert (m[names == "misclassified"] < 0).all()
    assert set(np.flatnonzero(names == "outside")).isdisjoint(model.support_)
    for name in ROLES:
        assert model.report_.facts["roles"][name] == (names == name).sum()


@given(seed=st.integers(0, 1000), K=st.sampled_from([2, 3]))
@settings(max_examples=20, deadline=None)
def test_a_weight_is_a_repetition_and_0_a_removal(seed, K):
    X, y = classes(seed, 40, 3, K)
    times = np.random.default_rng(seed).integers(0, 4, size=40)
    times[:K] = 1
    weighted = SVC(tol=1e-6).fit(X, y, times)
    repeated = SVC(tol=1e-6).fit(np.repeat(X, times, axis=0), np.repeat(y, times))
    query, _ = classes(seed + 1, 30, 3, K)
    np.testing.assert_allclose(
        pair_scores(weighted, query), pair_scores(repeated, query), atol=2e-5
    )


def test_float32_is_computed_in_float32_and_close():
    X, y = classes(8, 1500)
    exact = SVC(tol=1e-6).fit(X, y)
    single = SVC().fit(X.astype(np.float32), y)
    assert single.dual_coef_.dtype == np.float32
    np.testing.assert_allclose(
        single.decision_function(X.astype(np.float32)),
        exact.decision_function(X),
        atol=5e-3,
    )


def test_precomputed_and_callable_kernels_are_the_same_machine():
    X, y = classes(9, K=3)
    query, _ = classes(10, 50, K=3)

    def kernel(A, B):
        return (A @ B.T + 1) ** 2

    named = SVC(kernel="poly", degree=2, gamma=1, coef0=1, tol=1e-8).fit(X, y)
    scores = named.decision_function(query)
    called = SVC(kernel=kernel, tol=1e-8).fit(X, y)
    np.testing.assert_allclose(called.decision_function(query), scores, atol=1e-6)
    given_ = SVC(kernel="precomputed", tol=1e-8).fit(kernel(X, X), y)
    np.testing.assert_allclose(
        given_.decision_function(kernel(query, X)), scores, atol=1e-6
    )


def test_it_always_ends_and_says_why():
    X, y = classes(11, 400)
    with pytest.warns(match="max_iter reached"):
        few = SVC(C=1e6, max_iter=20).fit(X, y)
    assert few.report_.stop is StopReason.MAX_PASSES
    assert few.report_.optimality.value > 0
    with pytest.warns(match="max_iter reached"):
        SVC(C=1e8, max_seconds=1e-6).fit(X, y)


def test_bad_input_gets_one_sentence():
    X, y = classes()
    with pytest.raises(DataError, match=r"SVC: .*at least 2 classes.*one class, 0"):
        SVC().fit(X, np.zeros(len(y)))
    with pytest.raises(ParameterError, match="C must be a number > 0"):
        SVC(C=0).fit(X, y)
    with pytest.raises(ParameterError, match="gamma must be"):
        SVC(gamma="wide").fit(X, y)
    with pytest.raises(ParameterError, match="gamma must be"):
        SVC(gamma=-1.0).fit(X, y)
    with pytest.raises(DataError, match="NaN"):
        SVC().fit(np.where(X > 2, np.nan, X), y)
    with pytest.raises(DataError, match="square matrix"):
        SVC(kernel="precomputed").fit(X, y)
    with pytest.raises(ParameterError, match="break_ties"):
        SVC(break_ties=True, decision_function_shape="ovo").fit(X, y).predict(X)
    model = SVC(kernel=lambda A, B: A @ B.T).fit(X, y)
    model.kernel = lambda A, B: A
    with pytest.raises(DataError, match="kernel must return"):
        model.predict(X)


def test_a_matrix_that_is_not_a_kernel_works_with_a_warning():
    X, y = classes(12)
    K = -X @ X.T
    with pytest.warns(match="not positive semi-definite"):
        model = SVC(kernel="precomputed").fit(K, y)
    assert any("semi-definite" in text for text in model.report_.warnings)
    assert model.predict(K).shape == y.shape


def test_features_of_very_different_scale_are_warned_of_once():
    X, y = classes(13)
    with pytest.warns(match="Scale them first") as told:
        SVC().fit(X * [1, 1, 1, 1e4], y)
    assert len([w for w in told if "Scale them" in str(w.message)]) == 1


@pytest.mark.course("S1-48", "S0-26")
def test_the_hard_margin_example():
    X = np.array([[1.0, 6], [1, 10], [4, 11], [5, 2], [7, 6], [10, 4]])
    y = np.array([1, 1, 1, -1, -1, -1])
    for C in (1e3, np.inf):
        model = SVC(C=C, kernel="linear", tol=1e-9).fit(X, y)
        alpha = np.zeros(6)
        alpha[model.support_] = np.abs(model.dual_coef_[0])
        exact = [8 / 225, 0, 0.04, 0, 17 / 225, 0]
        np.testing.assert_allclose(alpha, exact, atol=1e-12)
        np.testing.assert_allclose(model.coef_, [[-1 / 3, 1 / 5]], atol=1e-12)
        assert model.intercept_[0] == pytest.approx(2 / 15)
        assert 2 * model.margin_ == pytest.approx(5.144957554275265)
        assert alpha @ y == pytest.approx(0, abs=1e-14)
        assert model.support_.tolist() == [4, 0, 2]


@pytest.mark.course("S0-32", "S0-26")
def test_exclusive_or_has_equal_multipliers():
    X = np.array([[-1.0, -1], [-1, 1], [1, -1], [1, 1]])
    y = [-1, 1, 1, -1]
    model = SVC(C=10, kernel="poly", degree=2, gamma=1, coef0=1, tol=1e-10).fit(X, y)
    np.testing.assert_allclose(np.abs(model.dual_coef_), 1 / 8)
    np.testing.assert_allclose(model.decision_function(X), y)


@pytest.mark.course("S0-25", "S1-48", "S4-49", "S3-64")
@pytest.mark.parametrize("C", [0.05, 1.0, 20.0])
def test_conditions_of_optimality_and_slack(C):
    X, y, _ = data(1)
    model = SVC(C=C, tol=1e-9).fit(X, y)
    alpha = np.zeros(len(y))
    alpha[model.support_] = np.abs(model.dual_coef_[0])
    m = y * model.decision_function(X)
    assert (m[alpha == 0] >= 1 - 1e-7).all()
    assert (m[alpha == C] <= 1 + 1e-7).all()
    np.testing.assert_allclose(m[(alpha > 0) & (alpha < C)], 1, atol=1e-7)
    np.testing.assert_allclose(model.slack_, np.maximum(0, 1 - m), atol=1e-7)
    wrong = np.flatnonzero(model.roles_ == 3)
    np.testing.assert_array_equal(wrong, np.flatnonzero(model.slack_ > 1))
    assert (model.slack_[model.roles_ <= 1] <= 1e-7).all()
    K = rbf_kernel(X, gamma=model.gamma_)
    beta = alpha * y
    dual = alpha.sum() - 0.5 * beta @ K @ beta
    primal = 0.5 * beta @ K @ beta + C * model.slack_.sum()
    assert primal == pytest.approx(dual, rel=1e-7)


@pytest.mark.course("S2-38")
def test_without_a_free_row_every_offset_of_an_interval_is_optimal():
    X = np.array([[-3.0], [-1.0], [1.0], [3.0]])
    y = np.array([-1, -1, 1, 1])
    model = SVC(C=0.02, kernel="linear", tol=1e-10).fit(X, y)
    assert (np.abs(model.dual_coef_) == 0.02).all()
    w = model.coef_[0, 0]
    assert w == pytest.approx(0.16)
    low, high = model.intercept_interval_[0]
    assert [low, high] == pytest.approx([-0.52, 0.52])
    assert model.intercept_[0] == pytest.approx(0, abs=1e-12)

    def risk(b):
        return np.maximum(0, 1 - y * (X[:, 0] * w + b)).sum()

    inside = [risk(b) for b in np.linspace(low, high, 5)]
    np.testing.assert_allclose(inside, inside[0])
    assert risk(low - 0.01) > inside[0] + 1e-4
    assert risk(high + 0.01) > inside[0] + 1e-4
    assert "every b in" in str(model.report_)
    free, y2, _ = data(3)
    ends = SVC().fit(free, y2).intercept_interval_[0]
    assert ends[0] == ends[1]


def test_prediction_needs_support_vectors_alone_and_any_batch():
    X, y, _ = data(13)
    model = SVC().fit(X, y)
    K = rbf_kernel(X, model.support_vectors_, gamma=model.gamma_)
    whole = model.decision_function(X)
    np.testing.assert_allclose(whole, K @ model.dual_coef_[0] + model.intercept_)
    one_by_one = np.concatenate([model.decision_function(x[None]) for x in X])
    np.testing.assert_array_equal(one_by_one, whole)


@pytest.mark.parametrize("options", [{}, {"kernel": "linear", "C": 0.3}], ids=str)
def test_ten_classes(options):
    X, y = classes(14, 300, 5, 10)
    names = np.array([f"c{k}" for k in range(10)])[y]
    query, _ = classes(15, 80, 5, 10)
    ours, peer = SVC(tol=1e-8, **options), Peer(tol=1e-8, **options)
    ours.fit(X, names)
    peer.fit(X, names)
    assert ours.intercept_.shape == (45,)
    np.testing.assert_array_equal(ours.n_support_, peer.n_support_)
    for shape in ("ovr", "ovo"):
        ours.decision_function_shape = peer.decision_function_shape = shape
        scores = peer.decision_function(query)
        np.testing.assert_allclose(ours.decision_function(query), scores, atol=2e-5)
    np.testing.assert_array_equal(ours.predict(query), peer.predict(query))
    assert ours.dual_coef_.shape == (9, len(ours.support_))
    np.testing.assert_allclose(ours.dual_coef_, peer.dual_coef_, atol=1e-4)
    ours.break_ties = peer.break_ties = True
    ours.decision_function_shape = peer.decision_function_shape = "ovr"
    np.testing.assert_array_equal(ours.predict(query), peer.predict(query))
