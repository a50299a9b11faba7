"""Loops of discrete naive Bayes against the book."""

import numpy as np
import pytest
from oracles import class_counts as oracle

from corollary import loops

SHAPES = [(n, d, k) for n in [0, 1, 5, 600] for d in [1, 3, 40] for k in [1, 2, 7]]
CLASSES = [1, 2, 3, 4, 5, 8, 11, 20, 23, 32, 45, 64]  # every mixture of vectors


@pytest.fixture(params=[None, 0.0, 0.5], ids=["sums", "above 0", "above .5"])
def threshold(request):
    return request.param


@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_class_counts(shape, rows, weights, loop, threshold, rng):
    n, d, k = shape
    X, arguments = rows(n, d)
    z, w = rng.integers(0, k, n).astype(np.int32), weights(n)
    out = np.zeros(k), np.zeros((k, d))
    low, high = loop("class_counts")(*arguments, z, w, threshold, *out)
    for got, wanted in zip(
        out, oracle.class_counts(X, z, w, threshold, k), strict=True
    ):
        np.testing.assert_allclose(got, wanted, rtol=1e-12, atol=1e-12)
    stored = arguments[0].ravel()
    assert low == stored.min(initial=np.inf)
    assert high == stored.max(initial=-np.inf)


def test_counts_are_added_to_what_is_there(rng):
    X, z = rng.random((20, 3)), np.zeros(20, np.int32)
    n, N = np.full(1, 5.0), np.full((1, 3), 7.0)
    loops.class_counts(X, z, None, None, n, N)
    assert n[0] == 25
    np.testing.assert_allclose(N[0], 7 + X.sum(axis=0))


@pytest.mark.parametrize("layout", ["csr32", "csr64"], indirect=True)
@pytest.mark.parametrize("k", CLASSES)
def test_row_scores(k, rows, threshold, dtype, rng):
    X, arguments = rows(300, 30)
    W, constant = rng.normal(size=(30, k)), rng.normal(size=k)
    runs = []
    for threads in [1, 2]:
        out = np.full((300, k), np.nan, dtype)
        loops.row_scores_csr(*arguments, threshold, W, constant, out, threads)
        runs.append(out)
    np.testing.assert_array_equal(*runs)
    wanted = oracle.row_scores(X, threshold, W, constant)
    rtol = 1e-5 if dtype == np.float32 else 1e-12
    np.testing.assert_allclose(runs[0], wanted, rtol=rtol, atol=rtol)


@pytest.mark.parametrize("k", CLASSES)
@pytest.mark.parametrize("n", [0, 1, 700])
def test_codes_are_indicators(n, k, weights, dtype, rng):
    d, p = 25, 14
    codes = rng.integers(0, d, (n, p)).astype(np.int32)
    X = oracle.indicators(codes, d)
    z, w = rng.integers(0, k, n).astype(np.int32), weights(n)
    counts = np.zeros(k), np.zeros((k, d))
    loops.code_counts(codes, z, w, *counts)
    for got, wanted in zip(counts, oracle.class_counts(X, z, w, None, k), strict=True):
        np.testing.assert_allclose(got, wanted, rtol=1e-12, atol=1e-12)
    W, constant = rng.normal(size=(d, k)), rng.normal(size=k)
    out = np.empty((n, k), dtype)
    loops.code_scores(codes, W, constant, out, 2)
    rtol = 1e-5 if dtype == np.float32 else 1e-12
    wanted = oracle.row_scores(X, None, W, constant)
    np.testing.assert_allclose(out, wanted, rtol=rtol, atol=rtol)
