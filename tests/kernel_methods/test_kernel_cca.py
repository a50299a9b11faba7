"""Canonical correlation with kernels: against CCA and explicit maps."""

import numpy as np
import pytest

from corollary.core.errors import DataError, ParameterError
from corollary.kernel_methods import kernel_cca
from corollary.kernels import Gaussian, Linear, Polynomial, PolynomialMap

RNG = np.random.default_rng(8)
T = RNG.normal(size=(60, 2))
X = T @ RNG.normal(size=(2, 3)) + 0.5 * RNG.normal(size=(60, 3))
Y = T @ RNG.normal(size=(2, 2)) + 0.5 * RNG.normal(size=(60, 2))


def correlations(A, B, kappa=0.0):
    """Return the canonical correlations of columns, with a ridge, from covariances."""
    A, B = A - A.mean(axis=0), B - B.mean(axis=0)
    left = np.linalg.cholesky(A.T @ A + kappa * np.eye(A.shape[1]))
    right = np.linalg.cholesky(B.T @ B + kappa * np.eye(B.shape[1]))
    M = np.linalg.solve(left, A.T @ B) @ np.linalg.inv(right).T
    return np.linalg.svd(M, compute_uv=False)


@pytest.mark.course("S0-33")
def test_linear_kernels_without_a_penalty_are_cca():
    found = kernel_cca(X, Y, Linear(), Linear(), reg=0.0)
    np.testing.assert_allclose(found.correlations, correlations(X, Y), rtol=1e-9)
    A, B = found.x(X), found.y(Y)
    joint = np.corrcoef(A.T, B.T)
    np.testing.assert_allclose(
        np.diagonal(joint[:2, 2:]), found.correlations, rtol=1e-9
    )
    np.testing.assert_allclose(joint[:2, :2], np.eye(2), atol=1e-9)  # uncorrelated
    np.testing.assert_allclose((A**2).mean(axis=0), 1.0, rtol=1e-9)
    from sklearn.cross_decomposition import CCA

    theirs = CCA(n_components=2, scale=False, max_iter=10_000, tol=1e-12).fit(X, Y)
    a, b = theirs.transform(X, Y)
    expected = [abs(np.corrcoef(a[:, j], b[:, j])[0, 1]) for j in range(2)]
    np.testing.assert_allclose(found.correlations, expected, rtol=1e-5)


@pytest.mark.course("S0-33")
@pytest.mark.parametrize("reg", [1e-3, 0.1, 2.0])
def test_polynomial_kernels_are_cca_of_the_monomials(reg):
    found = kernel_cca(X, Y, Polynomial(2), Polynomial(2), reg=reg, n_components=4)
    phi = PolynomialMap(2)
    kappa = 60 * reg
    A, B = phi(X)[:, :-1], phi(Y)[:, :-1]  # the constant is the same in all rows
    np.testing.assert_allclose(
        found.correlations, correlations(A, B, kappa)[:4], rtol=1e-8
    )


@pytest.mark.course("S0-33")
def test_the_penalty_is_compulsory_with_kernels_of_full_rank():
    unrelated = RNG.normal(size=(60, 2))
    free = kernel_cca(X, unrelated, Gaussian(0.1), Gaussian(0.1), reg=0.0)
    np.testing.assert_allclose(free.correlations, 1.0, atol=1e-6)  # it says nothing
    held = kernel_cca(X, unrelated, Gaussian(2.0), Gaussian(2.0), reg=0.1)
    related = kernel_cca(X, Y, Gaussian(2.0), Gaussian(2.0), reg=0.1)
    assert held.correlations[0] < 0.7 * related.correlations[0]


@pytest.mark.course("S0-33")
def test_scores_of_new_points_find_a_curved_relation():
    t = RNG.uniform(-1, 1, size=(300, 1))
    A = np.hstack([t, RNG.normal(size=(300, 1))])
    B = np.hstack([np.cos(3 * t) + 0.05 * RNG.normal(size=t.shape), t * 0])
    train, test = slice(0, 200), slice(200, 300)
    found = kernel_cca(A[train], B[train], Gaussian(), Gaussian(), reg=1e-3)
    straight = kernel_cca(A[train], B[train], Linear(), Linear(), reg=1e-3)

    def on_new(model):
        a, b = model.x(A[test])[:, 0], model.y(B[test])[:, 0]
        return np.corrcoef(a, b)[0, 1]

    assert on_new(found) > 0.95
    assert abs(on_new(straight)) < 0.5
    np.testing.assert_allclose(found.x(A[train]).mean(axis=0), 0, atol=1e-8)


def test_errors_are_sentences():
    with pytest.raises(
        DataError, match="the same number of points, at least 2; got 60"
    ):
        kernel_cca(X, Y[:5], Linear(), Linear())
    with pytest.raises(ParameterError, match="reg must be a number >= 0"):
        kernel_cca(X, Y, Linear(), Linear(), reg=-1.0)
    with pytest.raises(ParameterError, match="n_components must be a whole number"):
        kernel_cca(X, Y, Linear(), Linear(), n_components=0)
    with pytest.raises(DataError, match="must differ in the kernel's space"):
        kernel_cca(np.ones((9, 1)), Y[:9], Linear(), Linear())
