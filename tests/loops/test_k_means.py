"""K-means loops against the book, and pruned against unpruned, bit by bit."""

import numpy as np
import pytest
import scipy.sparse as sp
from oracles import k_means as oracle

from corollary import loops

SHAPES = [  # n, d, k
    (0, 3, 2),
    (1, 1, 1),
    (5, 3, 2),
    (5, 1, 7),
    (40, 17, 16),
    (101, 50, 17),
    (300, 101, 7),
    (1500, 50, 100),
    (64, 16, 128),
    (70, 8, 129),
    (50, 20, 300),
]


def tolerance(dtype):
    return 3e-5 if dtype == np.float32 else 1e-12


def empty_memory(n, dtype):
    return np.full(n, -1, np.int32), np.full(n, np.nan, dtype)


@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_nearest_is_the_nearest(shape, rows, loop, dtype, rng):
    n, d, k = shape
    X, args = rows(n, d)
    mu = rng.normal(size=(k, d)).astype(dtype)
    labels, d2 = np.empty(n, np.int32), np.empty(n, dtype)
    loop("nearest")(*args, mu, labels, d2, 1)
    D = oracle.squared_distances(X, mu)
    own = D[np.arange(n), labels]
    np.testing.assert_allclose(d2, own, rtol=tolerance(dtype), atol=tolerance(dtype))
    assert np.all(own <= D.min(axis=1, initial=np.inf) + 10 * tolerance(dtype))


@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_threads_change_nothing(shape, rows, loop, dtype, rng):
    n, d, k = shape
    n *= 50
    _, args = rows(n, d)
    mu = rng.normal(size=(k, d)).astype(dtype)
    runs = []
    for threads in [1, 2, 5]:
        labels, d2 = np.empty(n, np.int32), np.empty(n, dtype)
        loop("nearest")(*args, mu, labels, d2, threads)
        runs.append((labels.tobytes(), d2.tobytes()))
    assert runs[0] == runs[1] == runs[2]


@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_assign_adds_the_sums(shape, rows, loop, weights, dtype, rng):
    n, d, k = shape
    X, args = rows(n, d)
    w = weights(n)
    mu = rng.normal(size=(k, d)).astype(dtype)
    labels, lower = empty_memory(n, dtype)
    counts, sum_x = np.full(k, 2.0), np.full((k, d), 3.0)  # added to
    J, n_computed = loop("assign")(
        *args, w, mu, labels, lower, True, 0.0, counts, sum_x
    )
    nearest, d2 = np.empty(n, np.int32), np.empty(n, dtype)
    loop("nearest")(*args, mu, nearest, d2, 1)
    np.testing.assert_array_equal(labels, nearest)
    n_k, sum_k, J_k = oracle.sums(X, w, mu, labels)
    np.testing.assert_allclose(counts - 2, n_k, atol=1e-12)
    np.testing.assert_allclose(sum_x - 3, sum_k, atol=1e-10)
    np.testing.assert_allclose(J, J_k, rtol=tolerance(dtype), atol=tolerance(dtype))
    assert n_computed == n
    D = oracle.squared_distances(X, mu)
    D[np.arange(n), labels] = np.inf
    assert np.all(lower.astype(float) ** 2 <= D.min(axis=1, initial=np.inf))


def test_ties_go_to_the_lowest_index(rows, loop, dtype, rng):
    for k in [2, 7, 16, 17, 100, 300]:
        _, args = rows(60, 5)
        mu = np.tile(rng.normal(size=(1, 5)), (k, 1)).astype(dtype)
        labels, d2 = np.empty(60, np.int32), np.empty(60, dtype)
        loop("nearest")(*args, mu, labels, d2, 1)
        assert not labels.any()
        mu[: k // 2] += 100
        loop("nearest")(*args, mu, labels, d2, 1)
        assert np.all(labels == k // 2)


def test_scores_that_overflow_leave_a_valid_label(dtype, rng):
    X = rng.normal(size=(50, 9)).astype(dtype) * np.sqrt(np.finfo(dtype).max)
    labels, lower = empty_memory(50, dtype)
    mu = X[:20].copy()
    for fresh in [True, False]:
        loops.assign(
            X, None, mu, labels, lower, fresh, 0.0, np.zeros(20), np.zeros((20, 9))
        )
        assert np.all((labels >= 0) & (labels < 20))


def lloyd(X, mu, passes, keep, w=None, chunks=1):
    """Run Lloyd's algorithm, and return all that each pass gives, as bytes."""
    n, (k, d), dtype = X.shape[0], mu.shape, mu.dtype
    sparse = sp.issparse(X)
    labels, lower = empty_memory(n, dtype)
    trace, computed, drift = [], [], 0.0
    for it in range(passes):
        counts, sum_x, J, m = np.zeros(k), np.zeros((k, d)), 0.0, 0
        for part in np.array_split(np.arange(n), chunks):
            rows = slice(part[0], part[-1] + 1)
            state = (labels[rows], lower[rows], it == 0 or not keep, drift)
            if sparse:
                indptr = X.indptr[part[0] : part[-1] + 2]
                got = loops.assign_csr(
                    X.data, X.indices, indptr, w, mu, *state, counts, sum_x
                )
            else:
                got = loops.assign(X[rows], w, mu, *state, counts, sum_x)
            J, m = J + got[0], m + got[1]
        trace.append((labels.tobytes(), counts.tobytes(), sum_x.tobytes(), J))
        computed.append(m)
        new = np.where(
            counts[:, None] > 0, sum_x / np.maximum(counts, 1)[:, None], mu
        ).astype(dtype)
        moved = np.sqrt(((new.astype(float) - mu.astype(float)) ** 2).sum(axis=1))
        mu, drift = new, float(moved.max()) * (1 + 1e-12)
    return trace, computed


def blobs(rng, n, d, k, std):
    mu = rng.uniform(-4, 4, size=(k, d))
    return mu[rng.integers(0, k, n)] + std * rng.normal(size=(n, d))


def lattice(rng, n, d):
    """Integer points: distances tie all the time."""
    return rng.integers(-2, 3, size=(n, d)).astype(float)


def midpoints(rng, n, d, k):
    """Points halfway between two of the first k, a few ulps off."""
    X = rng.normal(size=(n, d))
    i, j = rng.integers(0, k, size=(2, n - k))
    noise = 1 + 1e-7 * rng.normal(size=(n - k, d))
    X[k:] = (X[i] + X[j]) / 2 * noise
    return X


HARD = {
    "blobs": lambda rng: (blobs(rng, 3000, 20, 30, 0.5), 30),
    "noise": lambda rng: (rng.random((2000, 10)), 17),
    "lattice": lambda rng: (lattice(rng, 2000, 3), 16),
    "one dimension": lambda rng: (lattice(rng, 500, 1), 5),
    "midpoints": lambda rng: (midpoints(rng, 1500, 8, 12), 12),
    "large offset": lambda rng: (blobs(rng, 2000, 7, 20, 0.1) + 3000, 20),
    "huge offset": lambda rng: (blobs(rng, 1000, 7, 20, 0.1) + 1e7, 20),
    "one far column": lambda rng: (blobs(rng, 1000, 4, 9, 0.3) + 1e5 * np.eye(4)[1], 9),
    "duplicated rows": lambda rng: (np.repeat(blobs(rng, 30, 5, 30, 1), 40, 0), 100),
    "tiny": lambda rng: (blobs(rng, 1000, 6, 10, 0.5) * 1e-21, 10),
    "subnormal": lambda rng: (blobs(rng, 1000, 6, 10, 0.5) * 1e-40, 10),
    "huge": lambda rng: (blobs(rng, 1000, 6, 10, 0.5) * 1e18, 10),
    "one centre": lambda rng: (blobs(rng, 300, 6, 10, 0.5), 1),
}


@pytest.mark.parametrize("sparse", [False, True], ids=["dense", "csr"])
@pytest.mark.parametrize("name", HARD)
def test_dropping_the_memory_changes_no_bit(name, sparse, dtype, rng):
    X, k = HARD[name](rng)
    X = X.astype(dtype)
    mu = X[:k].copy()
    if sparse:
        X[rng.random(X.shape) < 0.4] = 0
        X = sp.csr_array(X)
    with_memory, _ = lloyd(X, mu, 25, keep=True)
    without, _ = lloyd(X, mu, 25, keep=False)
    assert with_memory == without


def test_duplicated_centres_prune_nothing_wrong(dtype, rng):
    X = blobs(rng, 1000, 6, 8, 0.2).astype(dtype)
    mu = np.repeat(X[:8], 3, axis=0)
    w = rng.random(1000)
    assert lloyd(X, mu, 10, True, w)[0] == lloyd(X, mu, 10, False, w)[0]


def test_chunks_change_no_label(dtype, rng):
    X = blobs(rng, 1111, 13, 9, 1.0).astype(dtype)
    whole, _ = lloyd(X, X[:9].copy(), 1, keep=True)
    parts, _ = lloyd(X, X[:9].copy(), 1, keep=True, chunks=7)
    assert whole[0][0] == parts[0][0]


@pytest.mark.parametrize("sparse", [False, True], ids=["dense", "csr"])
def test_separate_clusters_are_pruned(sparse, dtype, rng):
    X = blobs(rng, 3000, 20, 10, 0.1).astype(dtype)
    _, computed = lloyd(sp.csr_array(X) if sparse else X, X[:10].copy(), 12, keep=True)
    assert computed[0] == 3000
    assert computed[-1] < 600  # two centres may share a blob
