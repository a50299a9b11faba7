"""Functions in a kernel's space: reproduction, norms, projections."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from corollary.core.errors import DataError, ParameterError
from corollary.kernels import (
    Gaussian,
    Laplacian,
    Linear,
    Polynomial,
    PolynomialMap,
    RKHSFunction,
    Spectrum,
    feature,
)

KERNELS = (Gaussian(0.8), Laplacian(), Polynomial(2), Linear())


def functions(kernel, seed, n=5, m=4):
    rng = np.random.default_rng(seed)
    f = RKHSFunction(kernel, rng.normal(size=(n, 2)), rng.normal(size=n))
    g = RKHSFunction(kernel, rng.normal(size=(m, 2)), rng.normal(size=m))
    return f, g, rng.normal(size=(6, 2))


@pytest.mark.course("S2-34")
@given(st.sampled_from(KERNELS), st.integers(0, 2**31))
@settings(max_examples=40, deadline=None)
def test_the_laws_of_an_inner_product_space(kernel, seed):
    f, g, X = functions(kernel, seed)
    close = {"rtol": 1e-8, "atol": 1e-8}
    np.testing.assert_allclose(
        [f.inner(feature(kernel, x)) for x in X], f(X), **close
    )  # reproduction
    np.testing.assert_allclose((f + g)(X), f(X) + g(X), **close)
    np.testing.assert_allclose((2.5 * f - g)(X), 2.5 * f(X) - g(X), **close)
    np.testing.assert_allclose(f.inner(g), g.inner(f), **close)
    np.testing.assert_allclose((f + g).inner(f), f.inner(f) + g.inner(f), **close)
    np.testing.assert_allclose(
        f.distance(g) ** 2, f.norm() ** 2 - 2 * f.inner(g) + g.norm() ** 2, **close
    )
    assert abs(f.inner(g)) <= f.norm() * g.norm() * (1 + 1e-9) + 1e-12
    assert (f + g).norm() <= f.norm() + g.norm() + 1e-9
    bound = f.distance(g) * np.sqrt(kernel.diagonal(X))
    assert (np.abs(f(X) - g(X)) <= bound + 1e-7).all()
    assert (np.abs(f(X)) <= f.bound(X) + 1e-7).all()


@pytest.mark.course("S2-34")
@given(st.sampled_from(KERNELS), st.integers(0, 2**31))
@settings(max_examples=40, deadline=None)
def test_a_projection_is_the_nearest_and_agrees_on_the_points(kernel, seed):
    f, g, _ = functions(kernel, seed)
    Z = g.points
    p = f.project(Z)
    np.testing.assert_allclose(p(Z), f(Z), rtol=1e-6, atol=1e-6)
    whole, part, left = f.norm() ** 2, p.norm() ** 2, f.distance(p) ** 2
    np.testing.assert_allclose(part + left, whole, rtol=1e-6, atol=1e-6)
    assert f.distance(p) <= f.distance(g) + 1e-7
    assert f.project(f.points).distance(f) <= 1e-4 * max(1.0, f.norm())


@pytest.mark.course("S2-34")
def test_the_norm_is_that_of_the_explicit_weights():
    f, _, X = functions(Polynomial(2), 1)
    w = f.coefficients @ PolynomialMap(2)(f.points)
    np.testing.assert_allclose(f.norm(), np.linalg.norm(w), rtol=1e-12)
    np.testing.assert_allclose(f(X), PolynomialMap(2)(X) @ w, rtol=1e-10)


@pytest.mark.course("S2-34")
def test_square_summable_coefficients_do_not_make_a_function():
    """All points equal and a_i = 1/i: sum a_i^2 k is bounded, the norm is not."""
    norms = []
    for n in (10, 100, 1000):
        a = 1 / np.arange(1, n + 1)
        f = RKHSFunction(Gaussian(), np.zeros((n, 1)), a)
        assert (a**2 * f.kernel.diagonal(f.points)).sum() < np.pi**2 / 6
        norms.append(f.norm())
    np.testing.assert_allclose(np.diff(norms), np.log(10), atol=0.05)


def test_texts_are_points_too():
    f = RKHSFunction(Spectrum(1), ["ab", "b"], [1.0, -1.0])  # counts of a
    assert f(["aab", "bbb"]).tolist() == [2.0, 0.0]
    assert (f + f).norm() == 2 * f.norm() == 2.0


def test_errors_are_sentences():
    f, _, _ = functions(Gaussian(), 0)
    with pytest.raises(ParameterError, match=r"must have the kernel Gaussian\(1\)"):
        f + functions(Linear(), 0)[0]
    with pytest.raises(DataError, match="coefficients must be 2 finite numbers"):
        RKHSFunction(Linear(), [[1.0], [2.0]], [1.0])
    with pytest.raises(TypeError):
        f + 1
