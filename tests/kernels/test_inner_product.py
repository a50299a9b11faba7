"""Kernels of the inner product: numbers, ranks, universality."""

import numpy as np
import pytest
from scipy.special import comb

from corollary.kernels import Exponential, Gaussian, Polynomial

RNG = np.random.default_rng(2)


@pytest.mark.course("S0-29", "S3-66", "S4-14", "S4-47")
def test_polynomial_kernels_by_hand():
    x, z = [[1.0, 2.0]], [[3.0, -1.0]]  # x'z = 1
    assert Polynomial(2, constant=0.0)(x, z).tolist() == [[1.0]]
    assert Polynomial(3, constant=1.0)(x, z).tolist() == [[8.0]]
    assert Polynomial(2, constant=4.0, gamma=2.0)(x, z).tolist() == [[36.0]]
    points = np.array([[1.0, 1], [1, -1], [-1, 1], [-1, -1]])  # exclusive or
    K = Polynomial(2)(points)
    assert K.tolist() == [[9, 1, 1, 1], [1, 9, 1, 1], [1, 1, 9, 1], [1, 1, 1, 9]]


@pytest.mark.course("S2-31")
@pytest.mark.parametrize(("d", "p"), [(1, 3), (2, 2), (3, 2)])
def test_exponential_and_gaussian_are_universal_and_polynomials_are_not(d, p):
    X = RNG.normal(size=(30, d))
    rank = np.linalg.matrix_rank(Polynomial(p)(X))
    assert rank == comb(d + p, p, exact=True)  # not more, however many points
    few = RNG.uniform(-2, 2, size=(9, d))
    y = RNG.normal(size=9)
    for kernel in (Exponential(0.5), Gaussian(0.2)):
        alpha = np.linalg.solve(kernel(few), y)  # any values are reached
        np.testing.assert_allclose(kernel(few) @ alpha, y, atol=1e-6)
    if comb(d + p, p) < 9:
        alpha, *_ = np.linalg.lstsq(Polynomial(p)(few), y, rcond=None)
        assert np.abs(Polynomial(p)(few) @ alpha - y).max() > 0.01
