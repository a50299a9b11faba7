"""Kernels from kernels: the laws of the algebra."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from corollary.core.errors import ParameterError
from corollary.kernels import (
    Bilinear,
    Exponential,
    Gaussian,
    Laplacian,
    Linear,
    Polynomial,
    Precomputed,
    Spectrum,
    Subsequence,
    mercer_check,
)

RNG = np.random.default_rng(1)
X, Z = RNG.normal(size=(30, 2)), RNG.normal(size=(20, 2))


def lengths(X):
    return np.exp(-np.sum(X**2, axis=1) / 2)


@pytest.mark.course("S0-28", "S2-32", "S3-67")
def test_each_combination_is_its_formula():
    k, m = Gaussian(0.8), Polynomial(2)
    K, M = k(X, Z), m(X, Z)
    f = lengths
    for made, expected in (
        (k + m, K + M),
        (3.0 * k, 3 * K),
        (2 * k + 0.5 * m, 2 * K + 0.5 * M),
        (k / 4, K / 4),
        (k * m, K * M),
        (k + 2, K + 2),
        (m**3, M**3),
        (m.polynomial([1, 0, 2]), 1 + 2 * M**2),
        (k.exp(), np.exp(K)),
        (k.conformal(f), f(X)[:, None] * K * f(Z)),
        (k.after(lambda X: X @ [[1.0], [2.0]]), k(X @ [[1.0], [2]], Z @ [[1.0], [2]])),
        (m.normalized(), M / np.sqrt(np.outer(m.diagonal(X), m.diagonal(Z)))),
    ):
        np.testing.assert_allclose(made(X, Z), expected, rtol=1e-12)
        diagonal = np.diagonal(made(X, X))
        np.testing.assert_allclose(made.diagonal(X), diagonal, rtol=1e-12)


@pytest.mark.course("S2-32", "S3-67")
@pytest.mark.parametrize(
    ("combine", "matrix"),
    [
        (lambda k, m: k - m, lambda K, M: K - M),
        (lambda k, m: -k, lambda K, M: -K),
        (lambda k, m: k * -0.5, lambda K, M: -0.5 * K),
        (lambda k, m: k + -1.0, lambda K, M: K - 1.0),
        (lambda k, m: m**0.5, lambda K, M: np.sign(M) * np.abs(M) ** 0.5),
        (lambda k, m: m.polynomial([0.0, 1.0, -1.0]), lambda K, M: M - M**2),
    ],
)
def test_what_the_algebra_refuses_is_no_kernel(combine, matrix):
    """A point set refutes each: the refusal is a theorem, not a matter of taste."""
    k, m = Gaussian(0.8), Linear()
    for kernel in (k, m):  # what it is made of is one
        assert mercer_check(kernel, X).verdict == "not refuted"
    values = matrix(k(X), m(X))
    found = mercer_check(Precomputed(values), np.arange(len(X)))
    assert found.refuted
    assert found.v @ values @ found.v < -1e-6
    with pytest.raises(ParameterError):
        combine(k, m)


@pytest.mark.course("S3-67")
def test_each_closure_has_the_features_that_prove_it():
    def phi(X):  # of the polynomial of degree 2 without a constant
        return np.stack([X[:, 0] ** 2, X[:, 1] ** 2, 2**0.5 * X[:, 0] * X[:, 1]], 1)

    k, m, c = Linear(), Polynomial(2, constant=0.0), 3.0
    A, B = X, phi(X)
    pairs = np.einsum("ni,nj->nij", A, B).reshape(len(X), -1)
    for made, features in (
        (c * k, np.sqrt(c) * A),
        (k + m, np.hstack([A, B])),
        (k * m, pairs),
        (k + c, np.hstack([A, np.full((len(A), 1), np.sqrt(c))])),
        (k**2, B),
        (
            k.polynomial([c, 1.0, 2.0]),
            np.hstack([np.full((len(A), 1), np.sqrt(c)), A, np.sqrt(2.0) * B]),
        ),
        (k.conformal(lengths), lengths(X)[:, None] * A),
        (k.after(np.tanh), np.tanh(A)),
        (k.normalized(), A / np.linalg.norm(A, axis=1, keepdims=True)),
    ):
        np.testing.assert_allclose(
            made(X), features @ features.T, rtol=1e-12, atol=1e-12
        )


def random_kernel(draw, depth):
    """Draw a kernel of the algebra."""
    leaves = (Linear(), Gaussian(0.9), Laplacian(0.7), Polynomial(2))
    if depth == 0:
        return draw(st.sampled_from(leaves))
    k, m = random_kernel(draw, depth - 1), random_kernel(draw, depth - 1)
    c = draw(st.floats(0, 3))
    makers = (
        lambda: k + m,
        lambda: c * k,
        lambda: k * m,
        lambda: k.normalized(),
        lambda: k.polynomial([c, 1.0, 0.5]),
        lambda: (0.1 * k.normalized()).exp(),
        lambda: k.conformal(lengths),
        lambda: k.after(np.tanh),
    )
    return draw(st.sampled_from(makers))()


@pytest.mark.course("S2-32", "S3-67")
@given(st.data(), st.integers(0, 2**31))
@settings(max_examples=60, deadline=None)
def test_the_algebra_never_leaves_the_kernels(data, seed):
    points = np.random.default_rng(seed).normal(size=(12, 2))
    kernel = random_kernel(data.draw, data.draw(st.integers(0, 3)))
    K = kernel(points)
    np.testing.assert_allclose(K, K.T, rtol=1e-9, atol=1e-9 * np.abs(K).max())
    assert np.linalg.eigvalsh(K)[0] >= -1e-9 * max(np.trace(K), 1e-300)


@pytest.mark.course("S0-28", "S2-32")
def test_sum_and_product_join_the_features():
    def phi(X):  # of the homogeneous polynomial of degree 2
        return np.stack([X[:, 0] ** 2, X[:, 1] ** 2, 2**0.5 * X[:, 0] * X[:, 1]], 1)

    k, m = Linear(), Polynomial(2, constant=0.0)
    both = np.hstack([X, phi(X)])
    products = np.einsum("ni,nj->nij", X, phi(X)).reshape(len(X), -1)
    np.testing.assert_allclose((k + m)(X), both @ both.T, rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(
        (k * m)(X), products @ products.T, rtol=1e-12, atol=1e-12
    )


@pytest.mark.course("S2-32")
def test_a_pointwise_limit_of_kernels_is_a_kernel():
    """exp is the limit of polynomials with coefficients 1/i!, each of them a kernel."""
    small = X / 3
    coefficients = [1.0]
    exact = Linear().exp()(small)
    errors = []
    for i in range(1, 19):
        coefficients.append(coefficients[-1] / i)
        K = Linear().polynomial(coefficients)(small)
        assert np.linalg.eigvalsh(K)[0] > -1e-12 * np.trace(K)
        errors.append(np.abs(K - exact).max())
    assert errors[-1] < 1e-10
    assert (np.diff(errors[:12]) < 0).all()
    np.testing.assert_allclose(Exponential()(small), exact, rtol=1e-14)


@pytest.mark.course("S0-31", "S2-31")
def test_the_gaussian_is_the_exponential_brought_to_length_1():
    for sigma in (0.5, 1.0, 3.0):
        made = Exponential(sigma).normalized()
        np.testing.assert_allclose(made(X, Z), Gaussian(sigma)(X, Z), rtol=1e-10)


def test_a_bilinear_kernel_is_linear_after_a_root_of_its_matrix():
    L = np.array([[1.0, 0.0], [0.7, 0.4]])
    made = Linear().after(lambda X: X @ L)
    np.testing.assert_allclose(Bilinear(L @ L.T)(X, Z), made(X, Z), rtol=1e-11)


def test_texts_are_combined_like_rows():
    k = 0.5 * Spectrum(2).normalized() + Subsequence(2) * Spectrum(1)
    texts = ["cat", "car", "scar"]
    expected = 0.5 * Spectrum(2).normalized()(texts)
    expected += Subsequence(2)(texts) * Spectrum(1)(texts)
    np.testing.assert_allclose(k(texts), expected, rtol=1e-14)


def test_a_point_without_features_is_orthogonal_to_all():
    K = Linear().normalized()(np.array([[0.0, 0.0], [1.0, 2.0]]))
    np.testing.assert_allclose(K, [[0, 0], [0, 1]])
