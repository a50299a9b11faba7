"""The norm of a machine and of its rows, as its bounds read them."""

import numpy as np
import pytest
import scipy.sparse as sp

from corollary import SVC, SVR, LinearSVC
from corollary.svm import function_norm
from corollary.theory import svm_margin_bound
from corollary.theory.machine_norm import machine_norm


def rows(seed=0, n=80):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3))
    return X, X[:, 0] + 0.5 * rng.normal(size=n) > 0.3


@pytest.mark.parametrize(
    "model",
    [SVC(kernel="linear"), SVC(gamma=0.7), SVC(kernel="poly", gamma=0.5, coef0=1.0)],
    ids=["linear", "rbf", "poly"],
)
def test_the_intercept_is_a_weight_of_a_constant(model):
    X, y = rows()
    model.fit(X, y)
    found = machine_norm("test", model, X, 2.0)
    b = model.intercept_[0]
    assert found.norm == pytest.approx(np.hypot(function_norm(model), b / 2), rel=1e-6)
    K = {"linear": X @ X.T, "poly": (0.5 * X @ X.T + 1) ** 3, "rbf": np.ones((80, 80))}
    diagonal = np.diagonal(K[model.kernel]) + 4
    np.testing.assert_allclose(found.squares, diagonal)
    assert found.complexity == pytest.approx(np.sqrt(diagonal.sum()) / 80)
    assert found.known_radius == (model.kernel == "rbf")
    assert found.fixed


def test_without_an_intercept_there_is_no_constant():
    X, y = rows()
    model = LinearSVC(fit_intercept=False).fit(X, y)
    found = machine_norm("test", model, X, 1.0)
    np.testing.assert_allclose(found.squares, (X**2).sum(axis=1))
    assert found.norm == pytest.approx(np.linalg.norm(model.coef_))


def test_sparse_rows_are_rows():
    X, y = rows()
    thin = sp.csr_array(X)
    for model in (LinearSVC(), SVC(kernel="linear"), SVC(gamma=0.5)):
        plain = svm_margin_bound(model.fit(X, y), X, y).value
        assert svm_margin_bound(model.fit(thin, y), thin, y).value == pytest.approx(
            plain, abs=1e-3
        )


@pytest.mark.filterwarnings("ignore:SVR. the kernel is not positive:UserWarning")
def test_indefinite_kernels_and_those_of_the_rows_are_not_fixed():
    X, y = rows()
    for kernel, gamma, fixed in (
        ("rbf", "scale", False),
        ("rbf", "auto", True),
        ("sigmoid", 0.1, False),
        ("linear", "scale", True),
        ("rbf", 0.1, True),
    ):
        model = SVR(kernel=kernel, gamma=gamma).fit(X, y * 1.0)
        assert machine_norm("test", model, X, 1.0).fixed is fixed
