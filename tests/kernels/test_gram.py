"""Kernel matrices by rows: tiles, blocks and given matrices are the same."""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.metrics.pairwise import pairwise_kernels

from corollary.kernels.gram import (
    BlockGram,
    MatrixGram,
    Ridged,
    TiledGram,
    TileKernel,
)

SKLEARN = {"linear": "linear", "poly": "poly", "sigmoid": "sigmoid", "rbf": "rbf"}


@pytest.mark.parametrize("kind", SKLEARN)
@pytest.mark.parametrize("shift", [0.0, 50.0])
def test_the_kernel_is_scikit_learns(kind, shift):
    rng = np.random.default_rng(0)
    X, Z = rng.normal(size=(20, 4)) + shift, rng.normal(size=(30, 4)) + shift
    kernel = TileKernel(kind, 0.01, 0.3, 3)
    options = {"gamma": 0.01, "coef0": 0.3, "degree": 3}
    expected = pairwise_kernels(X, Z, metric=kind, filter_params=True, **options)
    np.testing.assert_allclose(kernel(X, Z), expected, rtol=1e-9)
    np.testing.assert_allclose(
        kernel(sp.csr_array(X), sp.csr_array(Z)), expected, rtol=1e-9
    )
    np.testing.assert_allclose(kernel.diagonal(X), np.diagonal(kernel(X, X)), 1e-12)
    rows = np.array([3, 17, 4])
    for dtype, tol in ((np.float32, 1e-4), (np.float64, 1e-11)):
        for gram in (
            TiledGram(X, kernel, dtype),
            BlockGram(X, kernel, dtype),
            MatrixGram(kernel(X, X), dtype),
            TiledGram(X, kernel, np.float64).to(dtype),
        ):
            out = np.zeros((5, 20), dtype)
            gram.fill(rows, out, np.array([4, 0, 2]))
            exact = kernel(X, X)[rows]
            np.testing.assert_allclose(out[[4, 0, 2]], exact, rtol=tol, atol=tol)
            part = gram.take(np.array([1, 19]))
            out = np.zeros((3, 2), dtype)
            part.fill(rows, out, np.arange(3))
            np.testing.assert_allclose(out, exact[:, [1, 19]], rtol=tol, atol=tol)


@pytest.mark.parametrize("kind", SKLEARN)
@pytest.mark.parametrize("n", [1, 47, 131])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_the_whole_matrix_is_that_of_its_rows(kind, n, dtype):
    X = np.random.default_rng(2).normal(size=(n, 5)).astype(dtype)
    for threads in (1, 2):
        gram = TiledGram(X, TileKernel(kind, 0.1, 0.3, 3), dtype, threads)
        rows = np.empty((n, n), dtype)
        gram.fill(np.arange(n), rows, np.arange(n))
        np.testing.assert_array_equal(gram.matrix(), rows)
        np.testing.assert_array_equal(rows, rows.T)


def test_some_rows_of_a_matrix_in_memory():
    K = np.random.default_rng(3).normal(size=(9, 9))
    some, out = np.array([1, 4, 8, 5]), np.zeros((2, 2))
    gram = MatrixGram(K, np.float64, some)
    gram.take(np.array([0, 3])).fill(np.array([2, 1]), out, np.array([1, 0]))
    np.testing.assert_array_equal(out, K[np.ix_([4, 8], [1, 5])])
    assert gram.largest == np.abs(np.diagonal(K)[some]).max()
    held = gram.held
    assert held is not None
    assert held[0] is K
    assert gram.to(np.float32).held is None


def test_a_ridge_is_added_to_the_diagonal_whatever_is_taken():
    rng = np.random.default_rng(1)
    X, kernel = rng.normal(size=(20, 3)), TileKernel("rbf", 0.5)
    ridge = rng.random(20)
    exact = kernel(X, X) + np.diag(ridge)
    gram = Ridged(TiledGram(X, kernel, np.float32), ridge).to(np.float64)
    rows, slots = np.array([3, 17, 4]), np.array([4, 0, 2])
    for columns in (np.arange(20), np.array([0, 4, 19]), np.array([3, 17])):
        part, out = gram.take(columns), np.zeros((5, len(columns)))
        part.fill(rows, out, slots)
        expected = exact[np.ix_(rows, columns)]
        np.testing.assert_allclose(out[slots], expected, atol=1e-12)
