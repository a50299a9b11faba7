"""The classifier of largest margin: the programme, the verdict and its proof."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.svm import SVC as Peer

from corollary import SVC, HardMarginSVC, StopReason
from corollary.core.errors import DataError, ParameterError
from corollary.linear.separability import separability
from corollary.solvers.quadratic_programming import solve_qp
from corollary.svm.hard_margin import hard_margin

XOR = np.array([[-1.0, -1], [-1, 1], [1, -1], [1, 1]])


def clouds(seed, n=40, apart=6.0, K=2):
    rng = np.random.default_rng(seed)
    y = np.arange(n) % K
    centres = apart * np.array([[0.0, 0], [1, 1], [0, 2], [2, 0]])
    return rng.normal(size=(n, 2)) + centres[y], y


@pytest.mark.course("S0-24", "S2-30", "S3-63", "S4-46")
def test_the_numbers_of_the_course():
    X = np.array([[1.0, 6], [1, 10], [4, 11], [5, 2], [7, 6], [10, 4]])
    y = np.array([1, 1, 1, -1, -1, -1])
    model = HardMarginSVC(kernel="linear", tol=1e-9).fit(X, y)
    np.testing.assert_allclose(model.coef_, [[-1 / 3, 1 / 5]], rtol=1e-10)
    np.testing.assert_allclose(model.intercept_, [2 / 15], rtol=1e-10)
    exact = np.array([8 / 225, 0.04, 17 / 225])
    order = np.argsort(model.support_)
    np.testing.assert_allclose(np.abs(model.dual_coef_[0])[order], exact, rtol=1e-9)
    assert model.separable_ is True
    assert 2 * model.margin_ == pytest.approx(5.144957554275265)
    assert model.distance_[0] == pytest.approx(5.144957554275265)
    # exclusive or with (x'z + 1)^2: alpha = 1/8, margin sqrt 2
    xor = HardMarginSVC(kernel="poly", degree=2, gamma=1, coef0=1, tol=1e-10)
    xor.fit(XOR, [0, 1, 1, 0])
    np.testing.assert_allclose(np.abs(xor.dual_coef_), 1 / 8, rtol=1e-9)
    assert xor.margin_ == pytest.approx(np.sqrt(2))


@pytest.mark.course("S0-24", "S2-30", "S4-46")
@pytest.mark.parametrize("seed", range(4))
def test_it_solves_the_programme(seed):
    X, y = clouds(seed)
    model = HardMarginSVC(kernel="linear", tol=1e-9).fit(X, y)
    rows = (2 * y - 1)[:, None] * np.column_stack([X, np.ones(len(X))])
    whole = solve_qp(np.diag([1.0, 1.0, 0.0]), np.zeros(3), None, None, -rows,
                     -np.ones(len(X)))  # fmt: skip
    found = np.append(model.coef_[0], model.intercept_)
    np.testing.assert_allclose(found, whole.x, rtol=1e-6)
    assert model.report_.objective[-1] == pytest.approx(whole.value, rel=1e-8)
    assert model.report_.optimality.value < 1e-8
    assert ((2 * y - 1) * model.decision_function(X) >= 1 - 1e-9).all()
    assert (model.roles_[model.support_] == 1).all()
    assert model.slack_.max() < 1e-8


@pytest.mark.course("S3-63", "S2-30")
@pytest.mark.parametrize(
    "options",
    [{"kernel": "linear"}, {"kernel": "poly", "coef0": 1.0}, {"gamma": 0.3}],
    ids=str,
)
@pytest.mark.parametrize("K", [2, 4])
@pytest.mark.parametrize("sparse", [False, True])
def test_it_is_the_limit_of_soft_margins(options, K, sparse):
    X, y = clouds(3, 80, 8.0, K)
    rows = sp.csr_array(X) if sparse else X
    hard = HardMarginSVC(tol=1e-8, **options).fit(rows, y)
    peer = Peer(C=1e8, tol=1e-8, **options).fit(X, y)
    query, _ = clouds(4, 80, 8.0, K)
    a, b = hard.decision_function(query), peer.decision_function(query)
    np.testing.assert_allclose(a, b, atol=1e-5 * np.abs(b).max())
    np.testing.assert_array_equal(hard.predict(query), peer.predict(query))


@pytest.mark.course("S0-24", "S2-30")
@settings(max_examples=30, deadline=None)
@given(st.integers(0, 10**6), st.floats(0.0, 6.0))
@pytest.mark.filterwarnings("ignore:HardMarginSVC. no hyperplane")
def test_the_verdict_is_that_of_the_linear_programme_and_has_a_proof(seed, apart):
    X, y = clouds(seed, 14, apart)
    model = HardMarginSVC(kernel="linear").fit(X, y)
    assert model.separable_ == separability(X, y).separable
    b = model.witness_[0]
    assert ((2 * y - 1) * b >= 0).all()
    assert [b[y == 1].sum(), b[y == 0].sum()] == pytest.approx([1, -1])
    assert np.linalg.norm(b @ X) == pytest.approx(model.distance_[0], abs=1e-7)
    if model.separable_:  # weak duality: no margin is larger than half the distance
        assert model.margin_ <= np.linalg.norm(b @ X) / 2 * (1 + 1e-9)
        assert model.margin_ == pytest.approx(np.linalg.norm(b @ X) / 2, rel=2e-3)
    else:
        assert model.margin_ == 0
        assert np.linalg.norm(b @ X) < 1e-5


@pytest.mark.course("S0-24")
@pytest.mark.parametrize("kernel", ["linear", "rbf"])
def test_the_proof_is_one_line_for_any_kernel(kernel):
    X, y = clouds(1, 40, 0.5)
    X[:4] = 0.0  # the same row in both classes: no kernel can separate them
    words = r"HardMarginSVC: no hyperplane separates the classes 0 and 1: .*Use SVC"
    with pytest.warns(ConvergenceWarning, match=words):
        model = HardMarginSVC(kernel=kernel).fit(X, y)
    K = X @ X.T if kernel == "linear" else rbf_kernel(X, gamma=model.gamma_)
    assert np.abs(model.witness_ @ K @ model.witness_.T).max() < 1e-11
    assert model.separable_ is False
    assert "not separable" in str(model.report_)
    assert model.report_.stop is StopReason.CONVERGED
    # what is kept is a machine with slack, and its price is reported
    C = model.report_.facts["soft_C"]
    soft = SVC(C=C, kernel=kernel).fit(X, y)
    a, b = model.decision_function(X), soft.decision_function(X)
    np.testing.assert_allclose(a, b, atol=5e-3)


def test_every_pair_has_its_verdict():
    X, y = clouds(2, 60, 8.0, 3)
    X[y == 2] = X[y == 1] + 0.01
    with pytest.warns(ConvergenceWarning, match="the classes 1 and 2"):
        model = HardMarginSVC(kernel="linear").fit(X, y)
    assert model.separable_ is False
    assert (model.distance_ > 1).tolist() == [True, True, False]
    means = model.witness_ @ X
    np.testing.assert_allclose(
        np.linalg.norm(means, axis=1), model.distance_, atol=1e-7
    )
    assert (model.predict(X)[y == 0] == 0).all()


def test_the_function_and_the_estimator_agree():
    X, y = clouds(5)
    model = HardMarginSVC(gamma=0.5, tol=1e-9).fit(X, y)
    found = hard_margin(X, y, "rbf", gamma=0.5)
    g = found.decision_function(X)
    np.testing.assert_allclose(model.decision_function(X), g, atol=1e-7)
    assert model.margin_ == pytest.approx(found.margin, rel=1e-8)
    given_ = HardMarginSVC(kernel="precomputed", tol=1e-9)
    K = rbf_kernel(X, gamma=0.5)
    np.testing.assert_allclose(given_.fit(K, y).decision_function(K), g, atol=1e-7)


def test_weights_matter_only_where_they_are_0():
    X, y = clouds(6)
    w = np.random.default_rng(0).integers(0, 4, size=len(y))
    weighted = HardMarginSVC(kernel="linear", tol=1e-9).fit(X, y, w)
    plain = HardMarginSVC(kernel="linear", tol=1e-9).fit(X[w > 0], y[w > 0])
    np.testing.assert_allclose(weighted.coef_, plain.coef_, rtol=1e-9)


def test_thousands_of_rows_in_a_small_cache():
    rng = np.random.default_rng(7)
    X = rng.normal(size=(6000, 3))
    X = X[np.abs(X @ [1.0, -1.0, 0.5]) > 0.1]
    y = (X @ [1.0, -1.0, 0.5] > 0).astype(int)
    small = HardMarginSVC(kernel="linear", cache_size=1.0).fit(X, y)  # n x n is 200 MB
    assert small.separable_
    assert small.margin_ == pytest.approx(0.1 / 1.5, rel=0.05)
    assert small.score(X, y) == 1
    assert small.report_.optimality.relative < 1e-3


def test_an_early_end_says_that_nothing_is_proved():
    rng = np.random.default_rng(8)
    X, y = rng.normal(size=(300, 2)), np.arange(300) % 2
    with pytest.warns(ConvergenceWarning, match="max_iter reached"):
        model = HardMarginSVC(max_iter=50).fit(X, y)
    assert model.separable_ is None
    assert model.report_.facts["verdict"] == "undecided"
    assert model.predict(X).shape == (300,)


def test_float32_rows_are_kept_so_unless_coefficients_are_too_large():
    X, y = clouds(9, 100, 4.5)
    single = HardMarginSVC(gamma=0.2).fit(X.astype(np.float32), y)
    exact = HardMarginSVC(gamma=0.2).fit(X, y)
    g = single.decision_function(X.astype(np.float32))
    np.testing.assert_allclose(g, exact.decision_function(X), atol=5e-3)
    assert single.dual_coef_.dtype == np.float32
    X, y = clouds(9, 60, 0.7)
    narrow = HardMarginSVC(gamma=0.3).fit(X.astype(np.float32), y)
    assert narrow.dual_coef_.dtype == np.float64
    assert narrow.separable_
    assert narrow.margin_ < 2e-3
    assert narrow.score(X.astype(np.float32), y) == 1


def test_probabilities():
    X, y = clouds(9, 100, 3.5)
    model = HardMarginSVC(gamma=0.2, probability=True, random_state=0).fit(X, y)
    P = model.predict_proba(X)
    assert (P.argmax(axis=1) == y).mean() > 0.95


def test_bad_input_gets_one_sentence():
    X, y = clouds(0)
    with pytest.raises(DataError, match=r"HardMarginSVC: .*at least 2 classes"):
        HardMarginSVC().fit(X, np.zeros(len(y)))
    with pytest.raises(DataError, match="NaN"):
        HardMarginSVC().fit(np.where(X > 6, np.nan, X), y)
    with pytest.raises(ParameterError, match="gamma must be"):
        HardMarginSVC(gamma="wide").fit(X, y)
    with pytest.raises(ParameterError, match="tol must be a number > 0"):
        HardMarginSVC(tol=0).fit(X, y)
