"""Gram-Schmidt with kernels: factors, bounds, new points."""

import numpy as np
import pytest
import scipy.linalg

from corollary.core.errors import DataError, ParameterError
from corollary.kernels import (
    FunctionKernel,
    Gaussian,
    Linear,
    Polynomial,
    PolynomialMap,
    Spectrum,
    incomplete_cholesky,
)

RNG = np.random.default_rng(7)
X = RNG.normal(size=(80, 3))


@pytest.mark.course("S0-33")
def test_it_is_gram_schmidt_on_the_explicit_features():
    basis = incomplete_cholesky(Polynomial(2), X, tol=1e-14)
    Phi = PolynomialMap(2)(X)
    assert basis.rank == 10
    Q, R = np.linalg.qr(Phi[basis.pivots].T)  # Gram-Schmidt in the order of the pivots
    coordinates = Phi @ (Q * np.sign(np.diagonal(R)))
    np.testing.assert_allclose(basis.factor, coordinates, atol=1e-8)
    np.testing.assert_allclose(
        basis.factor @ basis.factor.T, Polynomial(2)(X), rtol=1e-8
    )


@pytest.mark.course("S0-33")
def test_it_is_lapacks_pivoted_cholesky():
    K = Gaussian(1.0)(X)
    L, order, *_ = scipy.linalg.lapack.dpstrf(K, lower=1)
    basis = incomplete_cholesky(Gaussian(1.0), X, rank=20)
    np.testing.assert_array_equal(basis.pivots, order[:20] - 1)
    np.testing.assert_allclose(basis.factor[order - 1], np.tril(L)[:, :20], atol=1e-9)


@pytest.mark.course("S0-33")
def test_the_trace_of_what_is_left_bounds_every_error():
    kernel, K, before = Gaussian(1.5), Gaussian(1.5)(X), np.inf
    for rank in (1, 3, 8, 20, 40):
        basis = incomplete_cholesky(kernel, X, rank)
        E = K - basis.factor @ basis.factor.T
        assert np.linalg.eigvalsh(E)[0] > -1e-10  # what is left is a kernel matrix
        np.testing.assert_allclose(basis.error, np.trace(E), rtol=1e-6, atol=1e-10)
        assert np.abs(E).max() <= basis.largest_error + 1e-12
        assert np.linalg.norm(E, 2) <= np.linalg.norm(E) <= basis.error + 1e-12
        assert basis.error < before
        before = basis.error


@pytest.mark.course("S0-33")
def test_new_points_have_coordinates_and_residuals():
    basis = incomplete_cholesky(Gaussian(1.0), X, rank=30)
    np.testing.assert_allclose(basis(X), basis.factor, atol=1e-7)
    np.testing.assert_allclose(basis.residual(X), basis.residuals, atol=1e-7)
    new = RNG.normal(size=(7, 3))
    c = np.linalg.solve(
        Gaussian(1.0)(X[basis.pivots]), Gaussian()(X[basis.pivots], new)
    )
    left = 1 - (c * Gaussian(1.0)(X[basis.pivots], new)).sum(axis=0)
    np.testing.assert_allclose(basis.residual(new), left, atol=1e-7)


def test_it_stops_at_its_tolerance_and_at_the_rank_of_the_data():
    doubled = np.vstack([X[:5], X[:5]])
    assert incomplete_cholesky(Gaussian(), doubled, tol=0.0).rank == 5
    assert incomplete_cholesky(Linear(), X, tol=0.0).rank == 3
    loose = incomplete_cholesky(Gaussian(), X, tol=0.1)
    assert loose.error <= 0.1 * 80
    assert incomplete_cholesky(Gaussian(), X, loose.rank - 1).error > 0.1 * 80


def test_few_columns_of_the_matrix_are_computed():
    asked = []

    def k(A, B):
        asked.append(len(B))
        return Gaussian()(A, B)

    incomplete_cholesky(FunctionKernel(k, of="sets"), X, rank=6)
    assert sum(asked) == 6 + 80  # six columns, and the diagonal


def test_texts():
    basis = incomplete_cholesky(Spectrum(2), ["abab", "baba", "abab", "xx"])
    assert sorted(basis.pivots.tolist()) == [0, 1, 3]
    assert basis.error < 1e-12


def test_errors_are_sentences():
    with pytest.raises(ParameterError, match="rank must be a whole number >= 1"):
        incomplete_cholesky(Linear(), X, 0)
    with pytest.raises(ParameterError, match=r"tol must be a number in \[0, 1\)"):
        incomplete_cholesky(Linear(), X, tol=-1.0)
    with pytest.raises(DataError, match="a kernel must have k"):
        incomplete_cholesky(lambda x, z: -1.0, X)
