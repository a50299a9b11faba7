"""Explicit maps: the kernel trick, both ways."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import comb

from corollary import SVC, Ridge, config_context
from corollary.core.errors import MemoryLimitError, ParameterError
from corollary.kernels import (
    Gaussian,
    GaussianMap,
    Polynomial,
    PolynomialMap,
    lifted,
    products,
)

RNG = np.random.default_rng(6)
X, Z = RNG.normal(size=(30, 3)), RNG.normal(size=(12, 3))


@pytest.mark.course("S0-29", "S2-33", "S4-47")
@given(
    st.integers(1, 4),
    st.integers(1, 5),
    st.sampled_from([0.0, 1.0, 0.3, 4.0]),
    st.sampled_from([1.0, 0.5]),
)
@settings(max_examples=40, deadline=None)
def test_the_monomials_are_the_kernel(d, p, c, gamma):
    X, Z = np.random.default_rng(d).normal(size=(2, 6, d))
    phi = PolynomialMap(p, c, gamma)
    K = phi.kernel(X, Z)
    np.testing.assert_allclose(
        phi(X) @ phi(Z).T, K, rtol=1e-9, atol=1e-9 * np.abs(K).max()
    )
    expected = comb(d + p, p, exact=True) if c else comb(d + p - 1, p, exact=True)
    assert phi(X).shape[1] == phi.dimension(d) == expected == len(phi.powers(d))


@pytest.mark.course("S0-29", "S2-33", "S4-47")
def test_the_quadratic_map_of_the_plane():
    x = np.array([[3.0, 5.0]])
    homogeneous, full = PolynomialMap(2, 0.0), PolynomialMap(2, 4.0)
    root = np.sqrt(2)
    np.testing.assert_allclose(homogeneous(x), [[9, 15 * root, 25]])
    assert homogeneous.powers(2).tolist() == [[2, 0], [1, 1], [0, 2]]
    # c = 4: sqrt(2 c) x_1, sqrt(2 c) x_2 and c itself, not its root
    expected = [[9, 15 * root, 25, 3 * np.sqrt(8), 5 * np.sqrt(8), 4]]
    np.testing.assert_allclose(full(x), expected)
    assert full.dimension(2) == 6
    np.testing.assert_allclose(full(x) @ full(x).T, [[(34 + 4) ** 2]])


@pytest.mark.course("S4-47")
def test_all_products_are_the_square():
    np.testing.assert_allclose(
        products(X) @ products(Z).T, (X @ Z.T) ** 2, rtol=1e-10, atol=1e-12
    )
    np.testing.assert_allclose(
        products(X, 3) @ products(Z, 3).T, (X @ Z.T) ** 3, rtol=1e-10, atol=1e-12
    )
    assert products(X).shape == (30, 9)


@pytest.mark.course("S3-65", "S4-47", "S0-29")
def test_a_kernel_machine_is_a_linear_one_on_the_map():
    y = (X[:, 0] ** 2 + X[:, 1] * X[:, 2] > 0.5).astype(int)
    phi = PolynomialMap(2)
    trick = SVC(kernel=Polynomial(2), C=3.0, tol=1e-9).fit(X, y)
    plain = SVC(kernel="linear", C=3.0, tol=1e-9).fit(phi(X), y)
    np.testing.assert_allclose(
        trick.decision_function(Z), plain.decision_function(phi(Z)), atol=1e-5
    )


@pytest.mark.course("S4-47")
def test_ridge_on_the_map_is_ridge_with_the_kernel():
    y = np.sin(X[:, 0]) + X[:, 1]
    phi = PolynomialMap(3)
    plain = Ridge(alpha=0.5, fit_intercept=False).fit(phi(X), y)
    alpha = np.linalg.solve(Polynomial(3)(X) + 0.5 * np.eye(30), y)
    np.testing.assert_allclose(
        plain.predict(phi(Z)), Polynomial(3)(Z, X) @ alpha, rtol=1e-7, atol=1e-7
    )


@pytest.mark.course("S3-65")
def test_lifting_makes_a_line_separable():
    x = np.array([[-3.0], [-2.0], [-0.5], [0.3], [1.0], [2.5], [4.0]])
    y = (np.abs(x[:, 0]) > 1.5).astype(int)  # inside against outside: no threshold
    flat = SVC(kernel="linear", C=1e6).fit(x, y)
    high = SVC(kernel="linear", C=1e6).fit(lifted(x), y)
    assert flat.score(x, y) < 1
    assert high.score(lifted(x), y) == 1
    np.testing.assert_array_equal(lifted(x, 3), np.hstack([x, x**2, x**3]))


# -- the Gaussian ----------------------------------------------------------------------
@pytest.mark.course("S0-31", "S2-33")
@pytest.mark.parametrize("sigma", [0.7, 1.0, 2.0])
def test_the_series_comes_to_the_gaussian_within_its_bound(sigma):
    ball = X / np.linalg.norm(X, axis=1).max()
    exact = Gaussian(sigma)(ball)
    errors = []
    for p in range(0, 13, 2):
        phi = GaussianMap(sigma, p)
        features = phi(ball)
        assert features.shape[1] == phi.dimension(3) == comb(3 + p, p, exact=True)
        error = np.abs(features @ features.T - exact).max()
        assert error <= phi.error_bound(1.0) + 1e-14
        errors.append(error)
    assert errors[-1] < 1e-4
    assert (np.diff(errors) < 1e-15).all()


@pytest.mark.course("S0-31")
def test_each_feature_is_the_textbooks():
    """exp(-||x||^2 / 2 s^2) prod x_i^n_i / (s^j sqrt(prod n_i!)), also for j = 0."""
    s, phi = 1.5, GaussianMap(1.5, 3)
    x = np.array([0.4, -1.1])
    value = dict(zip(map(tuple, phi.powers(2).tolist()), phi(x[None])[0], strict=True))
    head = np.exp(-(x @ x) / (2 * s**2))
    np.testing.assert_allclose(value[(0, 0)], head)
    np.testing.assert_allclose(value[(1, 0)], head * 0.4 / s)
    np.testing.assert_allclose(value[(2, 1)], head * 0.16 * -1.1 / (s**3 * np.sqrt(2)))
    np.testing.assert_allclose(value[(0, 3)], head * -1.331 / (s**3 * np.sqrt(6)))


@pytest.mark.course("S0-31")
def test_the_bound_is_attained():
    x = np.array([[0.6, -0.8]])
    phi = GaussianMap(0.8, 3)
    lost = 1 - (phi(x) @ phi(x).T)[0, 0]
    np.testing.assert_allclose(lost, phi.error_bound(1.0), rtol=1e-12)


def test_the_shortest_map_within_an_error():
    phi = GaussianMap.within(1e-3, radius=1.0, sigma=1.0)
    assert (
        phi.error_bound(1.0) <= 1e-3 < GaussianMap(1.0, phi.degree - 1).error_bound(1)
    )
    with pytest.raises(ParameterError, match="error must be a number > 0"):
        GaussianMap.within(0.0, 1.0)


def test_sparse_rows_and_float32():
    S = sp.csr_array(np.where(X > 0, X, 0.0))
    for phi in (PolynomialMap(2), GaussianMap(1.0, 3)):
        np.testing.assert_allclose(phi(S), phi(S.toarray()))
        assert phi(X.astype(np.float32)).dtype == np.float32


def test_errors_are_sentences():
    with pytest.raises(ParameterError, match="PolynomialMap: degree must be a whole"):
        PolynomialMap(0)
    with pytest.raises(ParameterError, match="GaussianMap: sigma must be a number"):
        GaussianMap(-1.0)
    with config_context(memory_limit=10_000):
        with pytest.raises(MemoryLimitError, match="30 x 53130 features"):
            PolynomialMap(5)(RNG.normal(size=(30, 20)))
