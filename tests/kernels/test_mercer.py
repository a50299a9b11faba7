"""Mercer's condition on a sample, and Mercer's features."""

import numpy as np
import pytest

from corollary.core.errors import ParameterError
from corollary.kernels import (
    ChiSquare,
    FunctionKernel,
    Gaussian,
    HistogramIntersection,
    InverseMultiquadric,
    Polynomial,
    Precomputed,
    Sigmoid,
    mercer_check,
    mercer_features,
)

RNG = np.random.default_rng(5)
X = RNG.random((60, 3))


@pytest.mark.course("S0-28", "S1-47", "S3-68", "S4-48", "S4-14")
def test_a_sample_refutes_the_sigmoid_and_no_kernel():
    """60 points with features >= 0: tanh(5 x'z - 5) has a large negative eigenvalue."""
    found = mercer_check(Sigmoid(5.0, -5.0), X)
    assert found.refuted
    assert found.verdict == "refuted"
    K = np.tanh(5 * X @ X.T - 5)
    np.testing.assert_allclose(found.smallest, np.linalg.eigvalsh(K)[0], rtol=1e-9)
    assert found.value < -1
    np.testing.assert_allclose(found.v @ K @ found.v, found.value, rtol=1e-9)
    np.testing.assert_allclose(np.linalg.norm(found.v), 1.0)
    for kernel in (
        HistogramIntersection(),
        ChiSquare(None),
        Gaussian(),
        Polynomial(3),  # of rank 20: forty eigenvalues are rounding errors, not all > 0
        InverseMultiquadric(),
    ):
        found = mercer_check(kernel, X)
        assert not found.refuted
        assert found.verdict == "not refuted"
        assert found.v is None
        assert found.smallest > -found.noise


@pytest.mark.course("S2-32", "S3-68")
def test_a_difference_of_kernels_is_refuted():
    found = mercer_check(lambda A, B: Gaussian()(A, B) - Gaussian(0.5)(A, B), X)
    assert found.refuted
    assert "v'Kv = -" in str(found)


@pytest.mark.course("S4-48")
def test_a_sample_that_is_too_small_cannot_refute():
    """tanh(x'z + 1) passes on one point, and fails on others: no proof."""
    kernel = Sigmoid(1.0, 1.0)
    assert not mercer_check(kernel, X[:1]).refuted
    assert mercer_check(kernel, X).refuted


@pytest.mark.course("S3-68", "S4-48")
def test_asymmetry_refutes():
    found = mercer_check(FunctionKernel(lambda x, z: float(x[0] + 2 * z[0])), X)
    assert found.refuted
    apart = np.abs(X[:, 0, None] - X[:, 0])
    np.testing.assert_allclose(found.asymmetry, apart.max(), rtol=1e-12)
    only = mercer_check(
        lambda A, B: Gaussian()(A, B) + 1e-3 * np.sign(A[:, :1] - B[:, :1].T), X[:3]
    )
    assert only.refuted
    assert "differ by 0.002" in str(only)


def test_float32_noise_does_not_refute():
    found = mercer_check(Gaussian(10.0), X.astype(np.float32))
    assert not found.refuted
    assert "noise" in str(found)


# -- features --------------------------------------------------------------------------
@pytest.mark.course("S1-47")
@pytest.mark.parametrize("kernel", [Gaussian(0.5), InverseMultiquadric(0.5)], ids=repr)
def test_mercer_features_are_the_kernel_on_the_sample(kernel):
    phi = mercer_features(kernel, X)
    np.testing.assert_allclose(phi(X) @ phi(X).T, kernel(X), atol=1e-9)
    psi = phi.eigenfunctions(X)
    few = psi[:, :5]
    np.testing.assert_allclose(few.T @ few / 60, np.eye(5), atol=1e-8)  # E psi psi = 1
    assert (np.diff(phi.mu) <= 0).all()
    np.testing.assert_allclose(phi.mu.sum(), np.trace(kernel(X)) / 60, rtol=1e-9)


@pytest.mark.course("S1-47")
def test_features_of_a_finite_kernel_hold_on_new_points():
    phi = mercer_features(Polynomial(2), X)
    new = RNG.normal(size=(10, 3))
    assert phi(X).shape == (60, 10)  # C(5, 2)
    np.testing.assert_allclose(phi(new) @ phi(new).T, Polynomial(2)(new), rtol=1e-6)


@pytest.mark.course("S1-47")
def test_few_features_are_the_best_of_their_number():
    K = Gaussian(0.5)(X)
    phi = mercer_features(Gaussian(0.5), X, rank=4)
    left = np.linalg.norm(K - phi(X) @ phi(X).T, 2)
    np.testing.assert_allclose(left, np.linalg.eigvalsh(K)[-5], rtol=1e-9)
    with pytest.raises(ParameterError, match="rank must be from 1 to the 60 points"):
        mercer_features(Gaussian(), X, rank=0)


def test_a_matrix_is_checked_by_its_rows():
    K = np.array([[1.0, 2.0], [2.0, 1.0]])
    found = mercer_check(Precomputed(K), [[0], [1]])
    np.testing.assert_allclose(found.value, -1.0)
