"""Kernels of the distance: numbers, limits, the Gaussian as an integral."""

import numpy as np
import pytest
from scipy.integrate import quad

from corollary.kernels import Gaussian, InverseMultiquadric, Laplacian

RNG = np.random.default_rng(3)
X = RNG.normal(size=(25, 3))


@pytest.mark.course("S1-47", "S3-66", "S4-14")
def test_numbers_by_hand():
    x, z = [[0.0, 0.0]], [[3.0, 4.0]]
    np.testing.assert_allclose(Gaussian(5.0)(x, z), [[np.exp(-0.5)]], rtol=1e-15)
    np.testing.assert_allclose(Gaussian.of_gamma(0.02)(x, z), [[np.exp(-0.5)]])
    np.testing.assert_allclose(Laplacian(0.1)(x, z), [[np.exp(-0.7)]], rtol=1e-15)
    np.testing.assert_allclose(Laplacian(0.1, p=2)(x, z), [[np.exp(-0.5)]], rtol=1e-15)
    np.testing.assert_allclose(InverseMultiquadric(12.0)(x, z), [[1 / 13]], rtol=1e-15)


@pytest.mark.course("S2-31")
def test_the_gaussian_is_an_integral_of_bumps():
    gamma, x, z = 0.7, 0.3, -0.9

    def bump(t, at):
        return np.sqrt(2) * (gamma / np.pi) ** 0.25 * np.exp(-2 * gamma * (t - at) ** 2)

    value, _ = quad(lambda t: bump(t, x) * bump(t, z), -np.inf, np.inf)
    np.testing.assert_allclose(Gaussian.of_gamma(gamma)([[x]], [[z]]), value, rtol=1e-9)


@pytest.mark.course("S0-31")
def test_the_width_spans_from_identity_to_constant():
    np.testing.assert_allclose(Gaussian(1e-3)(X), np.eye(25), atol=1e-12)
    np.testing.assert_allclose(Gaussian(1e6)(X), 1.0, rtol=1e-10)


@pytest.mark.parametrize(
    "kernel", [Gaussian(2.0), Laplacian(), Laplacian(p=2), InverseMultiquadric()]
)
def test_a_shift_of_all_points_changes_nothing(kernel):
    far = X + 1e6
    near = far - 1e6  # what float64 keeps of X
    np.testing.assert_allclose(kernel(far), kernel(near), rtol=1e-9)
    np.testing.assert_array_equal(np.diagonal(kernel(far)), kernel.diagonal(near))
