"""Contributions add up: any split, any order, and with all their digits."""

from dataclasses import dataclass
from fractions import Fraction
from functools import reduce
from operator import add
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from corollary import PCA, LinearRegression, engine
from corollary.engine import Moments, Statistics, Triangle, Variances
from corollary.engine.statistics import dense_blocks, fold

SEEDS = st.integers(0, 2**31)
FEW = settings(max_examples=40, deadline=None)


def table(seed, n=60, d=4):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d)) * 10.0 ** rng.integers(-3, 4, size=d)
    return X + rng.normal(size=d) * 10.0 ** rng.integers(-3, 4, size=d)


def split(rng, X, w=None):
    """Cut rows, in any order, into pieces of any size; some pieces are empty."""
    order = rng.permutation(len(X))
    cuts = np.sort(rng.integers(0, len(X) + 1, size=rng.integers(0, 7)))
    pieces = np.split(order, cuts)
    return [(X[rows], None if w is None else w[rows]) for rows in pieces]


def numpy_moments(X, w=None):
    w = np.ones(len(X)) if w is None else w
    mean = np.average(X, axis=0, weights=w)
    return w.sum(), mean, (X - mean).T @ ((X - mean) * w[:, None])


def assert_moments(s, expected, eps=2.2e-16):
    """Allow each entry a few roundings of its columns' sizes, means included."""
    n, mean, M2 = expected
    length = np.sqrt(np.diagonal(M2))
    size = length + np.abs(mean) * np.sqrt(n)
    assert s.n == pytest.approx(n, rel=1e-12)
    assert (np.abs(s.mean - mean) <= 20 * eps * size).all()
    error = np.abs(s.M2 - (M2 if s.M2.ndim == 2 else np.diagonal(M2)))
    bound = np.outer(length, size) + np.outer(size, length)
    assert (error <= 20 * eps * (bound if s.M2.ndim == 2 else np.diagonal(bound))).all()


# -- moments, mergeable -------------------------------------------------------------
@pytest.mark.course("S0-63", "S4-29")
@given(seed=SEEDS, weighted=st.booleans(), sparse=st.booleans())
@FEW
def test_moments_of_any_split_and_order_are_those_of_numpy(seed, weighted, sparse):
    rng = np.random.default_rng(seed)
    X = table(seed)
    if sparse:
        X = np.where(rng.random(X.shape) < 0.5, 0.0, X)
    w = rng.integers(0, 4, len(X)).astype(float) if weighted else None
    if weighted:
        w[0] = 1.0
    dress = sp.csr_array if sparse else np.asarray
    for kind in (Moments, Variances):
        parts = [kind.of(dress(rows), weights) for rows, weights in split(rng, X, w)]
        assert_moments(fold(parts), numpy_moments(X, w))


@pytest.mark.course("S0-63")
@given(seed=SEEDS)
@FEW
def test_merging_is_commutative_and_associative_and_nothing_is_the_unit(seed):
    rng = np.random.default_rng(seed)
    for kind in (Moments, Variances):
        a, b, c = (kind.of(table(s, n=rng.integers(1, 9))) for s in (seed, 1, 2))
        none = kind.of(np.empty((0, 4)))
        for one, other in ((a + b, b + a), ((a + b) + c, a + (b + c))):
            assert one.n == other.n
            np.testing.assert_allclose(one.mean, other.mean, rtol=1e-9, atol=1e-9)
            np.testing.assert_allclose(one.M2, other.M2, rtol=1e-9, atol=1e-9)
        for same in (a + none, none + a):
            np.testing.assert_array_equal(same.mean, a.mean)
            np.testing.assert_array_equal(same.M2, a.M2)


@pytest.mark.course("S0-63")
@given(seed=SEEDS, times=st.integers(1, 5))
@FEW
def test_scaled_evidence_is_repeated_evidence(seed, times):
    X = table(seed, n=20)
    Y = X[:, :1] ** 2
    many, many_Y = np.repeat(X, times, axis=0), np.repeat(Y, times, axis=0)
    assert_moments(Moments.of(X).scaled(times), numpy_moments(many))
    assert_moments(Variances.of(X).scaled(times), numpy_moments(many))
    ours = Triangle.of(X, None, Y, ones=True).scaled(times)
    theirs = Triangle.of(many, None, many_Y, ones=True)
    assert ours.n == theirs.n
    size = np.sqrt((theirs.R**2).sum(axis=0))
    np.testing.assert_allclose(ours.R / size, theirs.R / size, atol=1e-10)


@pytest.mark.course("S0-63")
def test_mean_1e8_variance_1_keeps_its_digits_where_the_raw_sums_lose_them():
    rng = np.random.default_rng(0)
    X = 1e8 + rng.normal(size=(10000, 2))
    exact = [Fraction(x) for x in X[:, 0]]
    mean = sum(exact) / len(exact)
    true = float(sum((x - mean) ** 2 for x in exact))
    pieces = np.array_split(X, 37)
    ours = fold(Moments.of(piece) for piece in pieces).M2[0, 0]
    diagonal = fold(Variances.of(piece) for piece in pieces).M2[0]
    naive = (X[:, 0] ** 2).sum() - X[:, 0].sum() ** 2 / len(X)
    assert abs(ours / true - 1) < 1e-7  # eps * 1e8 per row, averaged
    assert abs(diagonal / true - 1) < 1e-7
    assert abs(naive / true - 1) > 1e-3  # eps * 1e16


@pytest.mark.course("S0-63")
def test_single_precision_rows_lose_no_more_than_single_precision():
    rng = np.random.default_rng(1)
    X = (100 + rng.normal(size=(5000, 3))).astype(np.float32)
    expected = numpy_moments(X.astype(np.float64))
    for kind in (Moments, Variances):
        s = fold(kind.of(piece) for piece in np.array_split(X, 11))
        assert s.mean.dtype == s.M2.dtype == np.float64
        assert_moments(s, expected, eps=6e-8)


def test_moments_of_columns_and_targets_stand_side_by_side():
    X, Y = table(0), table(1)[:, :2]
    both = Moments.of(X, None, Y)
    assert_moments(both, numpy_moments(np.hstack([X, Y])))
    w = np.random.default_rng(0).uniform(size=60)
    sparse = Moments.of(sp.csr_array(X), w, Y)
    assert_moments(sparse, numpy_moments(np.hstack([X, Y]), w))


def test_covariance_divides_as_asked():
    X = table(3)
    s = Moments.of(X)
    np.testing.assert_allclose(s.covariance(), np.cov(X.T, bias=True), rtol=1e-10)
    np.testing.assert_allclose(s.covariance(ddof=1), np.cov(X.T), rtol=1e-10)


def test_rows_without_weight_contribute_nothing():
    X = table(0, n=3)
    for kind in (Moments, Variances):
        silent = kind.of(X, np.zeros(3))
        assert silent.n == 0
        total = silent + kind.of(X)
        np.testing.assert_array_equal(total.mean, kind.of(X).mean)


def test_variances_of_sparse_rows_never_look_at_the_zeros():
    X = sp.random(1000, 50, 0.02, format="csr", random_state=0)
    w = np.random.default_rng(0).uniform(0, 2, 1000)
    expected = numpy_moments(X.toarray(), w)
    assert_moments(Variances.of(sp.csr_array(X), w), expected)


# -- the triangle -------------------------------------------------------------------
@pytest.mark.course("S0-63", "S4-29")
@given(seed=SEEDS, weighted=st.booleans(), ones=st.booleans())
@FEW
def test_triangle_squared_is_the_gram_matrix_of_any_split(seed, weighted, ones):
    rng = np.random.default_rng(seed)
    X = table(seed)
    w = rng.uniform(0.1, 2, len(X)) if weighted else None
    parts = [p for p in split(rng, X, w) if len(p[0])]
    s = fold(Triangle.of(rows[:, :3], v, rows[:, 3:], ones=ones) for rows, v in parts)
    A = np.column_stack([np.ones(len(X)), X]) if ones else X
    gram = A.T @ (A if w is None else A * w[:, None])
    size = np.sqrt(np.diagonal(gram))
    assert (np.abs(s.R.T @ s.R - gram) / np.outer(size, size)).max() < 1e-12
    assert s.n == pytest.approx(len(X) if w is None else w.sum())
    np.testing.assert_array_equal(np.tril(s.R, -1), 0.0)
    assert (np.diagonal(s.R) >= 0).all()


@given(seed=SEEDS)
@FEW
def test_triangles_are_unique_so_merging_commutes(seed):
    a, b = (
        Triangle.of(table(s, n=30), None, None, ones=True) for s in (seed, seed + 1)
    )
    size = np.sqrt(((a + b).R ** 2).sum(axis=0))
    np.testing.assert_allclose((a + b).R / size, (b + a).R / size, atol=1e-12)


@pytest.mark.course("S0-63")
def test_triangle_keeps_small_singular_values_that_the_moments_lose():
    rng = np.random.default_rng(0)
    U = np.linalg.qr(rng.normal(size=(500, 3)))[0]
    V = np.linalg.qr(rng.normal(size=(3, 3)))[0]
    true = np.array([1.0, 1e-5, 1e-11])
    X = U * true @ V.T
    pieces = np.array_split(X, 9)
    R = fold(Triangle.of(piece, None, None, ones=False) for piece in pieces).R
    kept = np.linalg.svd(R, compute_uv=False)
    assert (np.abs(kept / true - 1) < [1e-12, 1e-9, 1e-3]).all()
    s = fold(Moments.of(piece) for piece in pieces)
    gram = s.M2 + s.n * np.outer(s.mean, s.mean)
    lost = np.sqrt(np.abs(np.linalg.eigvalsh(gram))[0])
    assert abs(lost / 1e-11 - 1) > 1  # eps * 1 in the square: nothing is left


def test_fewer_rows_than_columns_make_a_short_triangle():
    X = table(0, n=2, d=4)
    assert Triangle.of(X, None, None, ones=True).R.shape == (2, 5)
    whole = Triangle.of(X, None, None, ones=True) + Triangle.of(
        table(1, n=30), None, None, ones=True
    )
    assert whole.R.shape == (5, 5)


# -- the sum of many ----------------------------------------------------------------
@given(st.lists(st.integers()))
def test_fold_is_the_sum(numbers):
    assert fold(numbers) == (sum(numbers) if numbers else None)


@given(st.integers(1, 200))
def test_fold_keeps_the_order_and_halves_the_depth(n):
    @dataclass(frozen=True)
    class Node:
        items: tuple
        depth: int

        def __add__(self, other):
            depth = 1 + max(self.depth, other.depth)
            return Node(self.items + other.items, depth)

    total = fold(Node((i,), 0) for i in range(n))
    assert total.items == tuple(range(n))
    assert total.depth <= int(np.ceil(np.log2(n)))


def test_fold_reads_its_parts_once_and_holds_only_a_few():
    alive = most = 0

    class Part:
        def __init__(self):
            nonlocal alive, most
            alive += 1
            most = max(most, alive)

        def __add__(self, other):
            return Part()

        def __del__(self):
            nonlocal alive
            alive -= 1

    fold(Part() for _ in range(1000))
    assert most <= 14  # log2(1000) waiting, and the two that merge


def test_fold_rounds_far_less_than_a_running_sum():
    x = np.random.default_rng(0).uniform(size=2**16).astype(np.float32)
    exact = float(sum(Fraction(float(v)) for v in x))
    running = float(reduce(add, x))
    pairs = float(fold(x))
    assert abs(pairs - exact) < abs(running - exact) / 50


@pytest.mark.course("S4-29")
@pytest.mark.parametrize("threads", [2, 3, 5])
def test_the_tree_is_the_same_for_any_number_of_workers(threads):
    X = 1e6 + np.random.default_rng(0).normal(size=(3000, 3))
    y = X @ [1.0, 2.0, 3.0]
    with engine.use(executor="serial", chunk_rows=70):
        serial = PCA().fit(X), LinearRegression().fit(X, y)
    with engine.use(executor="threads", threads=threads, chunk_rows=70):
        team = PCA().fit(X), LinearRegression().fit(X, y)
    np.testing.assert_array_equal(serial[0].components_, team[0].components_)
    np.testing.assert_array_equal(serial[1].coef_, team[1].coef_)


# -- records ------------------------------------------------------------------------
@dataclass(frozen=True)
class Inner(Statistics):
    n: float


@dataclass(frozen=True)
class Outer(Statistics):
    inner: Inner
    moments: Moments
    vector: Any
    sparse: Any
    nothing: Any = None


def outer(seed):
    rng = np.random.default_rng(seed)
    S = sp.random(4, 5, 0.4, format="csr", random_state=seed)
    return Outer(Inner(float(seed)), Moments.of(table(seed)), rng.normal(size=3), S)


def test_nested_none_and_sparse_fields_add_up_field_by_field():
    a, b = outer(1), outer(2)
    total = a + b
    assert total.inner == Inner(3.0)
    assert total.nothing is None
    np.testing.assert_array_equal(total.vector, a.vector + b.vector)
    np.testing.assert_array_equal(
        total.sparse.toarray(), a.sparse.toarray() + b.sparse.toarray()
    )
    np.testing.assert_array_equal(total.moments.mean, (a.moments + b.moments).mean)


def test_scaling_reaches_into_records_and_respects_their_means():
    a = outer(1)
    twice = a.scaled(2.0)
    assert twice.inner.n == 2.0
    assert twice.nothing is None
    np.testing.assert_array_equal(twice.vector, 2 * a.vector)
    np.testing.assert_array_equal(twice.sparse.toarray(), 2 * a.sparse.toarray())
    np.testing.assert_array_equal(twice.moments.mean, a.moments.mean)
    np.testing.assert_array_equal(twice.moments.M2, 2 * a.moments.M2)


@pytest.mark.parametrize("sparse", [False, True])
def test_blocks_cover_every_row_once_and_stay_small(sparse):
    X = table(0, n=1000)
    w, Y = np.arange(1000.0), X[:, :1]
    rows = sp.csr_array(X) if sparse else X
    blocks = list(dense_blocks(rows, w, Y, most_bytes=64 * 8 * 4))
    assert max(len(block) for block, _, _ in blocks) == 64
    np.testing.assert_array_equal(np.vstack([block for block, _, _ in blocks]), X)
    np.testing.assert_array_equal(np.concatenate([v for _, v, _ in blocks]), w)
    np.testing.assert_array_equal(np.vstack([y for _, _, y in blocks]), Y)


def test_empty_chunks_do_not_matter_to_a_fit():
    X = table(0, n=50)
    y = X @ np.arange(4.0) + 1
    none = X[:0], y[:0]
    pieces = [none, (X[:20], y[:20]), none, (X[20:], y[20:]), none]
    bare = engine.ChunkSource([rows for rows, _ in pieces])
    spread = PCA().fit(bare).explained_variance_
    np.testing.assert_allclose(spread, PCA().fit(X).explained_variance_, rtol=1e-9)
    model = LinearRegression().fit(engine.ChunkSource(pieces))
    np.testing.assert_allclose(model.coef_, np.arange(4.0), atol=1e-9)
