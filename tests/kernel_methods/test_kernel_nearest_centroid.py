"""Nearest centroids in feature space, against the centroids of an explicit map."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics.pairwise import polynomial_kernel, rbf_kernel

from corollary import KernelNearestCentroid, NearestCentroid, load, save
from corollary.core.errors import DataError, ParameterError


def classes(seed=0, n=90, d=2, K=3):
    rng = np.random.default_rng(seed)
    y = rng.integers(K, size=n)
    y[:K] = np.arange(K)
    return rng.normal(size=(n, d)) + 1.5 * rng.normal(size=(K, d))[y], y


def phi(X):
    """Map rows so that (x'z + 1)^2 is an inner product."""
    a, b = X.T
    r = np.sqrt(2)
    return np.stack([a**2, b**2, r * a * b, r * a, r * b, np.ones(len(X))], axis=1)


@pytest.mark.course("S2-7", "S4-47")
@pytest.mark.parametrize("K", [2, 3])
@pytest.mark.parametrize("sparse", [False, True], ids=["dense", "csr"])
def test_it_is_nearest_centroid_on_the_explicit_map(K, sparse):
    X, y = classes(K=K)
    query, _ = classes(1, K=K)
    w = np.random.default_rng(2).uniform(0.2, 3, len(y))
    pairs = [
        (KernelNearestCentroid("linear"), lambda Z: Z),
        (KernelNearestCentroid("poly", degree=2, gamma=1), phi),
    ]
    for kernel, map_ in pairs:
        linear = NearestCentroid().fit(map_(X), y, w)
        kernel.fit(sp.csr_array(X) if sparse else X, y, w)
        asked = sp.csr_array(query) if sparse else query
        away = map_(query)[:, None] - linear.centroids_
        far = np.linalg.norm(away, axis=2)
        np.testing.assert_allclose(kernel.distances(asked), far, atol=1e-7)
        norms = (linear.centroids_**2).sum(axis=1)
        np.testing.assert_allclose(kernel.square_norms_, norms, rtol=1e-10)
        expected = linear.predict(map_(query))
        np.testing.assert_array_equal(kernel.predict(asked), expected)


@pytest.mark.course("S2-7")
def test_the_courses_formula_with_the_division_it_lacks():
    X, y = classes(3)
    x = classes(4)[0][:5]
    model = KernelNearestCentroid(gamma=0.7).fit(X, y)
    for c in range(3):
        own = X[y == c]
        n = len(own)
        square = (
            1.0
            - 2 / n * rbf_kernel(x, own, gamma=0.7).sum(axis=1)
            + rbf_kernel(own, gamma=0.7).sum() / n**2
        )
        np.testing.assert_allclose(model.distances(x)[:, c] ** 2, square, rtol=1e-10)


def test_it_tells_rings_apart_that_have_one_centre():
    angle = np.linspace(0, 2 * np.pi, 60, endpoint=False)
    circle = np.stack([np.cos(angle), np.sin(angle)], axis=1)
    X, y = np.vstack([circle, 3 * circle]), np.repeat([0, 1], 60)
    assert KernelNearestCentroid(gamma=0.3).fit(X, y).score(X, y) == 1.0
    assert NearestCentroid().fit(X, y).score(X, y) < 0.7


@given(seed=st.integers(0, 1000))
@settings(max_examples=15, deadline=None)
def test_a_weight_is_a_repetition_and_0_a_removal(seed):
    X, y = classes(seed, 40)
    times = np.random.default_rng(seed).integers(0, 4, 40)
    times[:3] = 1
    weighted = KernelNearestCentroid(gamma=0.5).fit(X, y, times)
    repeated = KernelNearestCentroid(gamma=0.5)
    repeated.fit(np.repeat(X, times, axis=0), np.repeat(y, times))
    expected = repeated.decision_function(X)
    np.testing.assert_allclose(weighted.decision_function(X), expected, atol=1e-12)
    K = rbf_kernel(X, gamma=0.5)
    matrix = KernelNearestCentroid("precomputed").fit(K, y, times)
    np.testing.assert_allclose(matrix.decision_function(K), expected, atol=1e-12)


def test_functions_and_float32():
    X, y = classes(5)
    expected = KernelNearestCentroid("poly", degree=2, gamma=1).fit(X, y)
    model = KernelNearestCentroid(lambda A, B: polynomial_kernel(A, B, 2, 1, 1))
    distances = model.fit(X, y).distances(X)
    np.testing.assert_allclose(distances, expected.distances(X), atol=1e-7)
    single = KernelNearestCentroid().fit(X.astype(np.float32), y)
    assert single.decision_function(X.astype(np.float32)).dtype == np.float32


def test_a_saved_model_predicts_the_same(tmp_path):
    X, y = classes(6)
    model = KernelNearestCentroid().fit(X, np.array(["a", "b", "c"])[y])
    save(model, tmp_path / "model")
    again = load(tmp_path / "model")
    np.testing.assert_array_equal(again.distances(X), model.distances(X))
    np.testing.assert_array_equal(again.predict(X), model.predict(X))


def test_bad_input_is_one_sentence():
    X, y = classes(7)
    with pytest.raises(DataError, match="classes has to be greater than one"):
        KernelNearestCentroid().fit(X, np.zeros(len(X), int))
    with pytest.raises(ParameterError, match="kernel must be one of"):
        KernelNearestCentroid("gauss").fit(X, y)
    K = rbf_kernel(X)
    model = KernelNearestCentroid("precomputed").fit(K, y)
    with pytest.raises(DataError, match="distances needs k"):
        model.distances(K)
