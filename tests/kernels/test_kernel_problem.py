"""Proofs of machines: the textbook's values, closed at the optimum, else honest."""

import clarabel
import numpy as np
import pytest
import scipy.sparse as sp
import sklearn.svm as peers
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics.pairwise import rbf_kernel

import corollary
from corollary import (
    SVC,
    SVDD,
    SVR,
    KernelQuantileRegressor,
    KernelRidge,
    LinearSVC,
    LinearSVR,
    NuSVC,
    NuSVR,
    OneClassSVM,
    RepresenterClassifier,
    RepresenterRegressor,
    SquaredEpsilonSVR,
    SquaredHingeSVC,
)
from corollary.core.errors import DataError
from corollary.diagnostics import optimality_gap

rng = np.random.default_rng(0)
X = rng.normal(size=(90, 3))
y = np.where(X[:, 0] * X[:, 1] + 0.4 * rng.normal(size=90) > 0, "yes", "no")
three = np.digitize(X[:, 0] + X[:, 1] ** 2, [0.3, 1.5])
t = np.sin(2 * X[:, 0]) + 0.3 * rng.normal(size=90)
TIMES = rng.integers(0, 3, size=90)
FINE = {"tol": 1e-9}

FITS = [
    (SVC(C=3.0, **FINE), y),
    (SVC(class_weight="balanced", **FINE), three),
    (SVC(kernel="poly", coef0=1.0, **FINE), y),
    (SVC(kernel=lambda A, B: (A @ B.T + 1) ** 2, **FINE), y),
    (NuSVC(nu=0.4, **FINE), three),
    (SquaredHingeSVC(C=2.0, **FINE), y),
    (SVR(C=2.0, epsilon=0.2, **FINE), t),
    (NuSVR(nu=0.4, C=2.0, **FINE), t),
    (SquaredEpsilonSVR(C=2.0, epsilon=0.2, **FINE), t),
    (KernelQuantileRegressor(quantile=0.3, **FINE), t),
    (KernelRidge(alpha=0.5, kernel="rbf"), t),
    (KernelRidge(alpha=0.5, kernel="laplacian", fit_intercept=True), t),
    (OneClassSVM(nu=0.2, **FINE), None),
    (SVDD(nu=0.2, **FINE), None),
    (SVDD(nu=0.2, kernel="linear", **FINE), None),
    (LinearSVC(C=0.1, loss="hinge", tol=1e-8), y),
    (LinearSVC(C=0.3, class_weight="balanced", tol=1e-8), three),
    (LinearSVR(C=0.5, epsilon=0.1, tol=1e-8), t),
    (LinearSVR(C=0.5, loss="squared_epsilon_insensitive", epsilon=0.1), t),
]


LOSSES = {
    RepresenterClassifier: ["hinge", "log_loss", "squared_hinge", "modified_huber"],
    RepresenterRegressor: ["squared_error", "huber", "absolute_error", "quantile"],
}
MACHINES = [(make, loss) for make, losses in LOSSES.items() for loss in losses]


@pytest.mark.course("S2-36", "S2-35")
@pytest.mark.parametrize("weights", [None, TIMES], ids=["plain", "weighted"])
@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize(("make", "loss"), MACHINES)
def test_a_machine_of_any_convex_loss_has_a_proof(make, loss, fit_intercept, weights):
    target = three if make is RepresenterClassifier else t
    model = make(loss, 0.5, fit_intercept=fit_intercept).fit(X, target, weights)
    proof = optimality_gap(model, X, target, weights)
    assert proof.primal == pytest.approx(model.report_.objective[-1], rel=1e-8)
    assert 0 <= proof.gap <= 1e-5 * proof.primal
    assert proof.kkt_residual <= 1e-3
    model.dual_coef_ = 0.9 * model.dual_coef_
    worse = optimality_gap(model, X, target, weights)
    assert worse.primal - proof.primal <= worse.gap
    assert worse.gap > 1e-4 * proof.primal


def damage(model):
    """Move what a model has learned by a tenth."""
    if hasattr(model, "dual_coef_"):
        model.dual_coef_ = 0.9 * model.dual_coef_
    else:
        model.coef_ = 0.9 * model.coef_


@pytest.mark.course("S2-36")
@pytest.mark.parametrize("weights", [None, TIMES], ids=["plain", "weighted"])
@pytest.mark.parametrize(("model", "target"), FITS, ids=lambda v: str(v)[:30])
def test_every_machine_is_proved_by_its_data_alone(model, target, weights):
    model.fit(X, target, sample_weight=weights)
    proof = optimality_gap(model, X, target, weights)
    scale = abs(proof.primal)
    assert 0 <= proof.gap <= 1e-9 * scale
    assert proof.kkt_residual <= 1e-7
    assert proof.dual <= proof.primal + 1e-13 * scale
    if model.report_.objective:
        assert proof.primal == pytest.approx(model.report_.objective[-1], rel=1e-9)
    damage(model)
    worse = optimality_gap(model, X, target, weights)
    assert worse.gap > 1e-3 * scale
    assert worse.kkt_residual > 1e-3
    assert worse.dual <= proof.primal + 1e-9 * scale  # a bound wherever it is taken
    assert worse.primal >= proof.dual - 1e-9 * scale


@pytest.mark.course("S2-36", "S0-26", "S4-49")
def test_the_values_are_the_textbooks():
    """P and D written out, with scikit-learn's kernel, at a rough solution."""
    model = SVC(C=2.0, max_iter=40, gamma=0.5)
    with pytest.warns(match="max_iter"):
        model.fit(X, y)
    K, s, a = rbf_kernel(X, gamma=0.5), np.where(y == "yes", 1, -1), np.zeros(90)
    a[model.support_] = np.abs(model.dual_coef_[0])
    g = K @ (a * s) + model.intercept_[0]
    norm = (a * s) @ K @ (a * s)
    proof = optimality_gap(model, X, y)
    assert proof.primal == pytest.approx(norm / 2 + 2 * np.maximum(0, 1 - s * g).sum())
    assert proof.dual == pytest.approx(a.sum() - norm / 2)
    assert proof.gap == pytest.approx(proof.primal - proof.dual)
    short = np.where(a < 2, 1 - s * g, -np.inf)
    over = np.where(a > 0, s * g - 1, -np.inf)
    assert proof.kkt_residual == pytest.approx(max(short.max(), over.max()))
    assert proof.kkt_residual > 0.1


@pytest.mark.course("S2-36")
def test_a_width_that_is_found_has_its_own_values():
    """P and D of the machine with a share nu, for any point and any width."""
    model = NuSVR(nu=0.4, C=2.0, gamma=0.5, **FINE).fit(X, t)
    best = optimality_gap(model, X, t).primal
    K, b = rbf_kernel(X, gamma=0.5), np.zeros(90)
    exact = model.dual_coef_
    for factor, width in [(1.0, 1.0), (0.8, 1.0), (1.0, 1.5), (1.3, 0.5)]:
        model.dual_coef_ = factor * exact
        b[model.support_] = model.dual_coef_[0]
        epsilon = model.epsilon_ = width * model.report_.facts["epsilon"]
        r = t - K @ b - model.intercept_[0]
        outside = np.maximum(0, np.abs(r) - epsilon).sum()
        primal = b @ K @ b / 2 + 2.0 * (0.4 * 90 * epsilon + outside)
        proof = optimality_gap(model, X, t)
        assert proof.primal == pytest.approx(primal, rel=1e-10)
        assert proof.dual <= best * (1 + 1e-10)
        assert proof.primal >= best * (1 - 1e-10)
        if factor <= 1:
            assert proof.dual == pytest.approx(t @ b - b @ K @ b / 2, rel=1e-9)


@pytest.mark.course("S2-36")
@pytest.mark.parametrize("name", ["SVC", "SVR", "OneClassSVM", "NuSVR", "NuSVC"])
def test_the_gap_goes_to_nothing_with_the_tolerance(name, monkeypatch):
    monkeypatch.setattr("corollary.solvers.smo.MOST_FREE", 0)  # no exact last step
    target = {"SVR": t, "NuSVR": t, "OneClassSVM": None}.get(name, y)
    gaps, worst = [], []
    for tol in (1e-1, 1e-3, 1e-5, 1e-7):
        model = getattr(corollary, name)(tol=tol, gamma=0.3).fit(X, target)
        proof = optimality_gap(model, X, target)
        gaps.append(proof.gap / abs(proof.primal))
        worst.append(proof.kkt_residual)
        assert proof.kkt_residual <= tol * (1 + 1e-6)
    assert gaps[0] > 1e-6 > 1e-8 > gaps[-1]
    assert worst[0] > 1e-3 > 1e-7 >= worst[-1]


def least(K, s, price):
    """The dual's optimum by an interior-point method."""
    n, options = len(s), clarabel.DefaultSettings()
    options.verbose = False
    options.tol_gap_abs = options.tol_gap_rel = options.tol_feas = 1e-11
    Q = sp.csc_matrix(np.triu(s[:, None] * s * K))
    A = sp.csc_matrix(np.vstack([s[None], -np.eye(n), np.eye(n)]))
    b = np.concatenate([[0.0], np.zeros(n), price])
    cones = [clarabel.ZeroConeT(1), clarabel.NonnegativeConeT(2 * n)]
    return -clarabel.DefaultSolver(Q, -np.ones(n), A, b, cones, options).solve().obj_val


@pytest.mark.course("S2-36")
@settings(max_examples=40, deadline=None)
@given(
    seed=st.integers(0, 10**6),
    C=st.sampled_from([0.05, 1.0, 50.0]),
    steps=st.sampled_from([1, 4, 20, 200]),
    gamma=st.sampled_from([0.01, 0.5, 5.0]),
)
@pytest.mark.filterwarnings("ignore:.*max_iter")
def test_the_gap_covers_both_distances(seed, C, steps, gamma):
    draw = np.random.default_rng(seed)
    Z, w = draw.normal(size=(30, 2)), draw.integers(1, 4, size=30)
    s = np.where(draw.random(30) < 0.5, 1, -1)
    s[:2] = 1, -1
    model = SVC(C=C, gamma=gamma, max_iter=steps).fit(Z, s, w)
    proof = optimality_gap(model, Z, s, w)
    best = least(rbf_kernel(Z, gamma=gamma), s, 1.0 * C * w)
    slip = 1e-7 * abs(best)
    assert proof.dual <= best + slip
    assert proof.primal >= best - slip
    assert proof.gap >= max(best - proof.dual, proof.primal - best) - slip


@pytest.mark.course("S2-36", "S1-48")
def test_machines_of_others_are_audited_too():
    """Their tol is a violation between two rows: one row's is half of it or more."""
    for model, target in [
        (peers.SVC(tol=1e-4), three),
        (peers.SVR(tol=1e-4), t),
        (peers.OneClassSVM(nu=0.1, tol=1e-4), None),
    ]:
        proof = optimality_gap(model.fit(X, target), X, target)
        assert 0 < proof.gap < 1e-3 * abs(proof.primal)
        assert 1e-8 < proof.kkt_residual <= 1e-4
    hinge = peers.LinearSVC(C=0.1, loss="hinge", tol=1e-7, max_iter=10**6).fit(X, y)
    assert optimality_gap(hinge, X, y).gap < 1e-4


def test_sparse_rows_matrices_and_single_precision():
    dense = optimality_gap(SVC(**FINE).fit(X, y), X, y)
    rows = sp.csr_array(X)
    sparse = optimality_gap(SVC(**FINE).fit(rows, y), rows, y)
    assert sparse.primal == pytest.approx(dense.primal, rel=1e-10)
    K = rbf_kernel(X, gamma=1 / (3 * X.var()))
    given_ = optimality_gap(SVC(kernel="precomputed", **FINE).fit(K, y), K, y)
    assert given_.primal == pytest.approx(dense.primal, rel=1e-9)
    small = X.astype(np.float32)
    single = optimality_gap(SVC().fit(small, y), small, y)
    assert 0 <= single.gap < 1e-4 * single.primal


def test_misuse():
    model = SVC().fit(X, y)
    with pytest.raises(DataError, match="y must have as many rows as X = 90"):
        optimality_gap(model, X, y[:5])
    with pytest.raises(DataError, match="one value for each of the 90 rows"):
        optimality_gap(model, X, y, [1.0])
