"""Kernel machines on data at the edge: a finite answer, or one clear sentence."""

import warnings

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

import corollary
from corollary import SVC, SVDD, SVR, OneClassSVM
from corollary.core.errors import DataError
from corollary.diagnostics import optimality_gap

rng = np.random.default_rng(0)
A = rng.normal(size=(12, 2))
yes = A[:, 0] > 0

ROWS = {
    "constant features": np.ones((12, 3)),
    "equal rows": np.tile([[1.0, 2.0]], (12, 1)),
    "one column": A[:, :1],
    "float32": A.astype(np.float32),
    "integers": (10 * A).astype(int),
    "bytes": (10 * np.abs(A)).astype(np.uint8),
    "huge": 1e140 * A,
    "beyond squares": 1e160 * A,
    "large": 1e70 * A,
    "tiny": 1e-140 * A,
    "below squares": 1e-160 * A,
    "far off": A + 1e8,
    "two rows": np.array([[0.0, 0.0], [1.0, 1.0]]),
}
MACHINES = [
    "SVC",
    "NuSVC",
    "SquaredHingeSVC",
    "SVR",
    "NuSVR",
    "KernelQuantileRegressor",
    "KernelRidge",
    "OneClassSVM",
    "SVDD",
]


@pytest.mark.parametrize("kernel", ["rbf", "linear", "poly"])
@pytest.mark.parametrize("rows", ROWS)
@pytest.mark.parametrize("name", MACHINES)
def test_it_ends_with_finite_numbers_or_a_sentence(name, rows, kernel):
    X = ROWS[rows]
    y = np.array([False, True]) if len(X) == 2 else yes
    options = {} if name == "KernelRidge" else {"max_iter": 20_000}
    model = getattr(corollary, name)(kernel=kernel, **options)
    said = ""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.simplefilter("ignore", ConvergenceWarning)
        try:
            model.fit(X, y if "SVC" in name else y.astype(float))
        except DataError as error:
            said = str(error)
        else:
            ask = getattr(model, "decision_function", model.predict)
            assert np.isfinite(ask(X)).all()
            assert len(model.predict(X)) == len(X)
            assert np.isfinite(model.report_.optimality.value)
    if rows == "beyond squares":
        assert said.startswith(f"{name}: Input X must be at most 3e+144 in size")
    elif rows == "below squares":
        assert said.startswith(f"{name}: Input X must reach 3e-145 in size")
    elif said:
        hulls_meet = said.startswith(
            "NuSVC: nu must be so large that the reduced hulls"
        )
        too_large = said.startswith(f"{name}: X must be so ")
        assert hulls_meet or (too_large and rows in ("huge", "large", "tiny"))


@pytest.mark.parametrize("kernel", ["rbf", "linear"])
def test_equal_rows_of_two_classes_go_to_the_larger(kernel):
    X, y = np.tile([[1.0, 2.0]], (9, 1)), np.array([0] * 6 + [1] * 3)
    model = SVC(kernel=kernel, C=2.0).fit(X, y)
    np.testing.assert_allclose(model.decision_function(X), -1.0, atol=1e-12)
    assert (model.predict(X) == 0).all()
    proof = optimality_gap(model, X, y)
    assert proof.primal == pytest.approx(2.0 * 2 * 3)  # w = 0, slack 2 of three rows
    assert proof.gap <= 1e-12
    np.testing.assert_array_equal(model.roles_[6:], 3)
    middle = SVR(kernel=kernel, epsilon=0.0).fit(X, [0.0] * 5 + [1.0] * 4)
    np.testing.assert_allclose(middle.predict(X), 0.0, atol=1e-9)  # the median


def test_one_row_a_class_has_the_hyperplane_between():
    X = np.array([[0.0, 0.0], [2.0, 0.0]])
    model = SVC(kernel="linear", C=10.0, tol=1e-9).fit(X, ["left", "right"])
    np.testing.assert_allclose(model.coef_, [[1.0, 0.0]], atol=1e-12)
    assert model.intercept_[0] == pytest.approx(-1.0)
    assert model.margin_ == pytest.approx(1.0)
    ball = SVDD(kernel="linear", nu=0.5, tol=1e-10).fit(X)
    np.testing.assert_allclose(ball.center_, [1.0, 0.0], atol=1e-8)
    assert ball.radius2_ == pytest.approx(1.0)


def test_kernels_at_their_ends_have_answers_by_hand():
    """K = I where gamma is large, and K = 11' where it is small."""
    s = np.where(yes, 1.0, -1.0)
    up, down, n = yes.sum(), (~yes).sum(), len(s)
    alone = SVC(gamma=1e6, C=100.0, tol=1e-10).fit(A, yes)
    b = (up - down) / n  # of alpha_i = 1 - s_i b, sum s alpha = 0
    np.testing.assert_allclose(alone.intercept_, b, atol=1e-10)
    beta = np.zeros(n)
    beta[alone.support_] = alone.dual_coef_[0]
    np.testing.assert_allclose(beta, s - b, atol=1e-9)
    same = SVC(gamma=1e-300, C=1.0, tol=1e-10).fit(A, yes)
    fewer = min(up, down)
    assert optimality_gap(same, A, yes).primal == pytest.approx(2.0 * fewer)
    plane = OneClassSVM(gamma=1e6, nu=0.5, tol=1e-10).fit(A)
    np.testing.assert_allclose(plane.dual_coef_, 0.5, atol=1e-9)


@pytest.mark.parametrize("name", ["SVC", "NuSVC", "SquaredHingeSVC"])
def test_labels_of_any_kind_come_back(name):
    make = getattr(corollary, name)
    scores = make(tol=1e-8).fit(A, yes.astype(int)).decision_function(A)
    words = np.where(yes, "yes", "no")
    for labels in (yes, words, words.astype(object), np.where(yes, 7.0, -2.0)):
        model = make(tol=1e-8).fit(A, labels)
        np.testing.assert_allclose(model.decision_function(A), scores)
        assert model.predict(A).dtype == labels.dtype
        assert (model.predict(A) == labels).mean() > 0.5
        assert set(model.classes_) == set(labels)


@pytest.mark.parametrize("name", MACHINES)
def test_whole_numbers_are_the_same_numbers(name):
    X, y = (10 * A).astype(np.int16), yes.astype(float)
    make = getattr(corollary, name)
    a, b = make().fit(X, y), make().fit(X.astype(float), y)
    np.testing.assert_array_equal(a.predict(X), b.predict(X.astype(float)))
    c = make().fit(X.astype(np.float32), y)
    ask = "decision_function" if hasattr(a, "decision_function") else "predict"
    np.testing.assert_allclose(
        getattr(c, ask)(X.astype(np.float32)), getattr(a, ask)(X), atol=2e-3
    )
