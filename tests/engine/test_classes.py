from itertools import pairwise

import numpy as np
import pytest
import scipy.sparse as sp

from corollary.engine.classes import ClassMoments, ClassScatters, WithinScatter


def make(n=200, d=4, k=3, seed=0, far=0.0):
    rng = np.random.default_rng(seed)
    y = rng.integers(k, size=n).astype(np.int32)
    X = rng.normal(size=(n, d)) @ rng.normal(size=(d, d)) + far * y[:, None]
    return X, y, rng.uniform(0.1, 2.0, n)


def scatters(X, y, w, k):
    out = []
    for c in range(k):
        own, v = X[y == c], w[y == c]
        Z = own - np.average(own, axis=0, weights=v)
        out.append((Z * v[:, None]).T @ Z)
    return np.array(out)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("far", [0.0, 1e6])
def test_scatters_are_those_of_the_book_and_merge(weighted, far):
    X, y, w = make(far=far)
    v = w if weighted else None
    right = scatters(X, y, w if weighted else np.ones(len(y)), 3)
    for cuts in ([], [70], [1, 2, 150]):
        edges = [0, *cuts, len(y)]
        parts = [slice(a, b) for a, b in pairwise(edges)]
        for kind, expected in (
            (ClassScatters, right),
            (WithinScatter, right.sum(axis=0)),
        ):
            each = [kind.of(X[p], y[p], None if v is None else v[p], 3) for p in parts]
            total = sum(each[1:], each[0])
            np.testing.assert_allclose(
                total.S, expected, rtol=1e-9, atol=1e-9 * np.abs(right).max()
            )


@pytest.mark.course("S3-51", "S0-38")
def test_total_scatter_is_within_plus_between():
    X, y, _ = make()
    Z = X - X.mean(axis=0)
    for kind in (WithinScatter, ClassScatters):
        s = kind.of(X, y, None, 3)
        np.testing.assert_allclose(s.total(), Z.T @ Z, rtol=1e-10, atol=1e-10)
        between = s.total() - s.within()
        assert np.linalg.matrix_rank(between, tol=1e-8) == 2  # at most k - 1


def test_half_the_weight_is_half_the_scatter():
    X, y, _ = make()
    for kind in (WithinScatter, ClassScatters, ClassMoments):
        whole = kind.of(X, y, None, 3)
        half = whole.scaled(0.5)
        np.testing.assert_array_equal(half.mean, whole.mean)
        np.testing.assert_array_equal(half.n, whole.n / 2)


@pytest.mark.parametrize("weighted", [False, True])
def test_sparse_rows_have_the_moments_of_dense_ones(weighted):
    X, y, w = make()
    X[np.abs(X) < 1] = 0
    v = w if weighted else None
    dense, sparse = (ClassMoments.of(rows, y, v, 4) for rows in (X, sp.csr_array(X)))
    np.testing.assert_allclose(sparse.n, dense.n)
    np.testing.assert_allclose(sparse.mean, dense.mean, atol=1e-12)
    np.testing.assert_allclose(sparse.M2, dense.M2, atol=1e-9)
    Z = X - np.average(X, axis=0, weights=v)
    np.testing.assert_allclose(dense.variances(), np.average(Z**2, axis=0, weights=v))


def test_digits_survive_classes_far_apart():
    X, y, _ = make(far=1e8)
    near = make(far=0.0)[0]
    S = WithinScatter.of(X, y, None, 3).S
    np.testing.assert_allclose(S, WithinScatter.of(near, y, None, 3).S, rtol=1e-6)
