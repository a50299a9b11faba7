"""The conic of a machine of degree 2 is the set where it decides."""

import numpy as np
import pytest
import scipy.sparse as sp

import corollary
from corollary import SVC
from corollary.core.errors import DataError, ParameterError
from corollary.svm.conic_boundary import conic_boundary


def plane():
    X = np.random.default_rng(0).normal(size=(60, 2))
    return X, (X[:, 0] ** 2 + 2 * X[:, 1] ** 2 < 1).astype(int)


@pytest.mark.course("S0-30")
def test_the_conic_is_the_boundary():
    X, y = plane()
    for theta in (1.0, 3.0):
        model = SVC(kernel="poly", degree=2, gamma=0.7, coef0=theta, C=50, tol=1e-8)
        model.fit(X, y)
        conic = conic_boundary(model)
        np.testing.assert_allclose(conic(X), model.decision_function(X), atol=1e-8)
        assert conic.kind == "ellipse"
    saddle = (X[:, 0] * X[:, 1] > 0).astype(int)
    model = SVC(kernel="poly", degree=2, gamma=1.0, coef0=1.0, C=10).fit(X, saddle)
    assert conic_boundary(model).kind == "hyperbola"
    # the constant is theta^2 sum b + intercept, not theta sum b
    with pytest.raises(DataError, match="'poly' of degree 2"):
        conic_boundary(SVC().fit(X, y))


@pytest.mark.course("S0-30")
@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize("name", ["SVC", "NuSVC", "SquaredHingeSVC", "HardMarginSVC"])
def test_every_kernel_classifier_has_it(name, sparse):
    X, y = plane()
    X = X[np.abs((X**2) @ [1, 2] - 1) > 0.2]
    y = (X[:, 0] ** 2 + 2 * X[:, 1] ** 2 < 1).astype(int)
    rows = sp.csr_array(X) if sparse else X
    model = getattr(corollary, name)(kernel="poly", degree=2, gamma=1.0, coef0=1.0)
    if name == "NuSVC":
        model.nu = 0.1
    conic = model.fit(rows, y).boundary()
    np.testing.assert_allclose(conic(X), model.decision_function(rows), atol=1e-8)
    assert conic.kind == "ellipse"
    assert "x1^2" in conic.equation()


def test_a_pair_of_several_classes():
    X, _ = plane()
    y = np.digitize((X**2).sum(axis=1), [0.6, 2.0])
    model = SVC(kernel="poly", degree=2, coef0=1.0, decision_function_shape="ovo")
    scores = model.fit(X, y).decision_function(X)  # > 0 speaks for the first of a pair
    for p, pair in enumerate([(0, 1), (0, 2), (1, 2)]):
        np.testing.assert_allclose(model.boundary(pair)(X), -scores[:, p], atol=1e-8)
        there = model.boundary(pair[::-1])
        np.testing.assert_allclose(there(X), scores[:, p], atol=1e-8)
    with pytest.raises(ParameterError, match=r"classes must be two of \[0, 1, 2\]"):
        model.boundary()
    with pytest.raises(ParameterError, match="classes must be two of"):
        model.boundary([0, 7])


def test_a_linear_machine_has_a_hyperplane():
    X = np.random.default_rng(1).normal(size=(50, 3))
    model = SVC(kernel="linear").fit(X, X @ [1.0, 2.0, 3.0] > 0.5)
    plane = model.boundary()
    assert plane.kind == "plane"
    np.testing.assert_allclose(plane.b, model.coef_[0])
    np.testing.assert_allclose(plane(X), model.decision_function(X))
