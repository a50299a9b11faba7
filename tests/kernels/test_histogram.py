"""Kernels of histograms: numbers, validity, and the identities behind them."""

import numpy as np
import pytest

from corollary.kernels import ChiSquare, HistogramIntersection

RNG = np.random.default_rng(4)
X = RNG.random((60, 8))


@pytest.mark.course("S4-14")
def test_numbers_by_hand():
    x, z = [[2.0, 0.0, 1.0]], [[6.0, 0.0, 3.0]]
    np.testing.assert_allclose(ChiSquare(None)(x, z), [[3.0 + 1.5]])
    np.testing.assert_allclose(ChiSquare(0.5)(x, z), [[np.exp(-0.5 * (2 + 1))]])
    np.testing.assert_allclose(HistogramIntersection()(x, z), [[3.0]])


@pytest.mark.course("S4-14")
def test_they_are_kernels():
    """60 points with features >= 0: no eigenvalue is below 0."""
    assert np.linalg.eigvalsh(HistogramIntersection()(X))[0] > 1e-3
    assert np.linalg.eigvalsh(ChiSquare(None)(X))[0] > -1e-13
    assert np.linalg.eigvalsh(ChiSquare()(X))[0] > -1e-13


def test_the_exponential_one_is_the_additive_one_exponentiated():
    gamma = 0.4
    made = (
        (2 * gamma * ChiSquare(None))
        .exp()
        .conformal(lambda X: np.exp(-gamma * X.sum(axis=1)))
    )
    np.testing.assert_allclose(made(X), ChiSquare(gamma)(X), rtol=1e-12)


def test_intersection_is_an_inner_product_of_unary_codes():
    counts = RNG.integers(0, 6, size=(20, 4))
    unary = (np.arange(6) < counts[..., None]).reshape(20, -1).astype(float)
    np.testing.assert_array_equal(
        HistogramIntersection()(counts.astype(float)), unary @ unary.T
    )
