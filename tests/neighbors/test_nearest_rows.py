"""The search against all distances, on data that makes fast distances wrong."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.distance import cdist

from corollary import config_context
from corollary.neighbors import nearest_rows as search
from corollary.neighbors.metrics import Metric, metric_of
from corollary.neighbors.nearest_rows import kth_least, nearest_rows

METRICS = [
    Metric("euclidean"),
    Metric("manhattan"),
    Metric("chebyshev"),
    Metric("minkowski", 3.0),
    Metric("minkowski", 0.5),
    Metric("minkowski", 100.0),
    Metric("cosine"),
]


def oracle(metric, X, Q, k, own=False):
    """Return the first k rows in the order of distance and number."""
    X, Q = np.asarray(X, np.float64), np.asarray(Q, np.float64)
    if metric.kind == "cosine":
        U, V = (
            A
            / np.where(np.linalg.norm(A, axis=1) > 0, np.linalg.norm(A, axis=1), 1.0)[
                :, None
            ]
            for A in (Q, X)
        )
        D = np.array([[((u - v) ** 2).sum() / 2 for v in V] for u in U])
        D[~U.any(axis=1)] = 1.0
        D[:, ~V.any(axis=1)] = 1.0
    else:
        kind = {"euclidean": 2, "manhattan": 1, "chebyshev": np.inf}
        p = kind.get(metric.kind, metric.p)
        size = np.abs(Q[:, None] - X)  # (q, n, d)
        top = size.max(axis=2, keepdims=True)
        if np.isinf(p):
            D = top[:, :, 0]
        else:
            parts = (size / np.where(top > 0, top, 1)) ** p
            D = top[:, :, 0] * parts.sum(axis=2) ** (1 / p)
    if own:
        np.fill_diagonal(D, np.inf)
    order = np.argsort(D, axis=1, kind="stable")[:, :k]
    return np.take_along_axis(D, order, axis=1), order


def assert_nearest(metric, X, Q, k, own=False):
    """Compare the distances, and those of the rows that were found."""
    found = nearest_rows(metric, X, Q, k, own=own)
    X, Q = (A.toarray() if sp.issparse(A) else A for A in (X, Q))
    D, order = oracle(metric, X, Q, len(X), own)
    every = np.empty_like(D)
    np.put_along_axis(every, order, D, axis=1)
    mine = np.take_along_axis(every, found.rows, axis=1)
    tiny = 1e-15 * np.max(D[np.isfinite(D)], initial=1e-300)
    for distances in (found.distances, mine):
        np.testing.assert_allclose(distances, D[:, :k], rtol=1e-9, atol=tiny)
    assert all(len(set(rows)) == k for rows in found.rows.tolist())


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("metric", METRICS, ids=str)
def test_equals_all_distances(metric, dtype):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(700, 6)).astype(dtype)
    Q = rng.normal(size=(90, 6)).astype(dtype)
    assert_nearest(metric, X, Q, 7)
    assert_nearest(metric, X[:200], X[:200], 3, own=True)


@pytest.mark.parametrize("metric", METRICS, ids=str)
def test_sparse_rows_and_queries(metric):
    rng = np.random.default_rng(1)
    X = rng.normal(size=(150, 30)) * (rng.random((150, 30)) < 0.1)
    Q = rng.normal(size=(40, 30)) * (rng.random((40, 30)) < 0.1)
    for rows in (X, sp.csr_array(X)):
        for queries in (Q, sp.csr_array(Q)):
            assert_nearest(metric, rows, queries, 4)


@pytest.mark.parametrize("metric", METRICS, ids=str)
def test_tiles_do_not_matter(metric, monkeypatch):
    rng = np.random.default_rng(2)
    X, Q = rng.integers(4, size=(300, 3)).astype(float), rng.normal(size=(50, 3))
    whole = nearest_rows(metric, X, Q, 40)
    monkeypatch.setattr(search, "TILE", 37)
    monkeypatch.setattr(search, "BLOCK", 7)
    parts = nearest_rows(metric, X, Q, 40)
    assert (whole.rows == parts.rows).all()
    np.testing.assert_array_equal(whole.distances, parts.distances)


def test_threads_do_not_matter():
    rng = np.random.default_rng(3)
    X, Q = rng.normal(size=(4000, 5)), rng.normal(size=(3000, 5))
    with config_context(threads=1):
        one = nearest_rows(Metric("euclidean"), X, Q, 5)
    two = nearest_rows(Metric("euclidean"), X, Q, 5)
    assert (one.rows == two.rows).all()
    np.testing.assert_array_equal(one.distances, two.distances)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_cancellation_does_not_matter(dtype):
    # far from 0 and close to each other: ||x||^2 - 2x'z + ||z||^2 has no digit left
    rng = np.random.default_rng(4)
    step = np.finfo(dtype).eps * 2.0**20
    X = (2.0**20 + step * rng.integers(50, size=(400, 3))).astype(dtype)
    Q = (2.0**20 + step * rng.integers(50, size=(60, 3))).astype(dtype)
    assert_nearest(Metric("euclidean"), X, Q, 5)


def test_one_far_row_does_not_blur_the_others():
    rng = np.random.default_rng(5)
    X = rng.normal(size=(500, 4))
    X[17] = 1e12
    assert_nearest(Metric("euclidean"), X, rng.normal(size=(40, 4)), 5)
    assert_nearest(Metric("euclidean"), X.astype(np.float32), X[:20], 5)


def test_two_clusters_a_world_apart():
    rng = np.random.default_rng(6)
    X = np.vstack([rng.normal(size=(200, 3)), 1e9 + rng.normal(size=(200, 3))])
    assert_nearest(Metric("euclidean"), X, X[::10], 5)


@pytest.mark.parametrize("scale", [1e-140, 1e140])
@pytest.mark.parametrize("metric", METRICS, ids=str)
def test_extreme_scales(metric, scale):
    rng = np.random.default_rng(7)
    X = rng.normal(size=(100, 3)) * scale
    assert_nearest(metric, X, X[:20], 4)


def test_of_equal_distances_the_first_rows_come_first():
    X = np.zeros((5000, 2))
    found = nearest_rows(Metric("euclidean"), X, np.ones((3, 2)), 4)
    assert found.rows.tolist() == [[0, 1, 2, 3]] * 3
    own = nearest_rows(Metric("euclidean"), X[:50], X[:50], 2, own=True)
    assert own.rows[0].tolist() == [1, 2]
    assert own.rows[7].tolist() == [0, 1]


@given(
    n=st.integers(1, 60),
    d=st.integers(1, 5),
    k=st.integers(1, 60),
    values=st.sampled_from(["grid", "normal", "copies"]),
    metric=st.sampled_from(METRICS),
    seed=st.integers(0, 10**6),
)
@settings(max_examples=60, deadline=None)
def test_any_small_data(n, d, k, values, metric, seed):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    if values == "grid":
        X = rng.integers(3, size=(n, d)).astype(float)
    if values == "copies":
        X = X[rng.integers(n, size=n)]
    Q = np.vstack([X[: n // 2], rng.normal(size=(3, d))])
    assert_nearest(metric, X, Q, min(k, n))


def test_the_bound_has_at_least_k_scores_below_it():
    rng = np.random.default_rng(8)
    for m in (5, 33, 1000):
        S = rng.normal(size=(20, m))
        for k in (1, 5, 31):
            bound = kth_least(S, k)
            count = (bound[:, None] >= S).sum(axis=1)
            assert (count >= min(k, m)).all()
            assert np.isinf(bound).all() == (k > m)


def test_special_powers_have_their_own_names():
    assert metric_of("minkowski", 1) == Metric("manhattan")
    assert metric_of("minkowski", np.inf) == Metric("chebyshev")
    assert metric_of("p", 3) == Metric("minkowski", 3.0)
    rng = np.random.default_rng(9)
    X, Q = rng.normal(size=(50, 4)), rng.normal(size=(6, 4))
    found = nearest_rows(Metric("minkowski", 3.0), X, Q, 50)
    D = np.sort(cdist(Q, X, "minkowski", p=3), axis=1)
    np.testing.assert_allclose(found.distances, D, rtol=1e-12)
