"""Naive Bayes loops against the book."""

import numpy as np
import pytest
from oracles import naive_bayes as oracle

from corollary import loops

SHAPES = [
    (n, d, k)
    for n in [0, 1, 5, 700]
    for d in [1, 3, 17, 50, 101]
    for k in [1, 2, 7, 17]
]


@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_class_moments(shape, weights, dtype, rng):
    n, d, k = shape
    X = (5 + rng.normal(size=(n, d))).astype(dtype)
    z = rng.integers(0, k, n).astype(np.int32)
    w = weights(n)
    out = np.full(k, np.nan), np.full((k, d), np.nan), np.full((k, d), np.nan)
    loops.class_moments(X, z, w, *out)
    for got, wanted in zip(out, oracle.class_moments(X, z, w, k), strict=True):
        np.testing.assert_allclose(got, wanted, rtol=1e-12, atol=1e-12)


def test_moments_keep_their_digits_far_from_zero(rng):
    X = 1e9 + rng.normal(size=(20_000, 3))
    z = np.sort(rng.integers(0, 3, len(X))).astype(np.int32)
    out = np.empty(3), np.empty((3, 3)), np.empty((3, 3))
    loops.class_moments(X, z, None, *out)
    np.testing.assert_allclose(
        out[2], oracle.class_moments(X - 1e9, z, None, 3)[2], rtol=1e-7
    )


def test_a_class_whose_weights_are_zero_is_absent(rng):
    X = rng.normal(size=(30, 4))
    z = (np.arange(30) % 3).astype(np.int32)
    w = np.where(z == 1, 0.0, 1.0)
    n, mean, M2 = np.empty(3), np.empty((3, 4)), np.empty((3, 4))
    loops.class_moments(X, z, w, n, mean, M2)
    assert n[1] == 0
    assert not mean[1].any()
    assert not M2[1].any()


@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_joint_log_likelihood(shape, dtype, rng):
    n, d, k = shape
    X = rng.normal(size=(n, d)).astype(dtype)
    theta, precision = rng.normal(size=(k, d)), rng.random((k, d)) + 0.1
    constant = rng.normal(size=k)
    runs = []
    for threads in [1, 2]:
        out = np.full((n, k), np.nan, dtype)
        loops.joint_log_likelihood(X, theta, precision, constant, out, threads)
        runs.append(out)
    np.testing.assert_array_equal(*runs)
    wanted = oracle.joint_log_likelihood(X, theta, precision, constant)
    rtol = 1e-5 if dtype == np.float32 else 1e-12
    np.testing.assert_allclose(runs[0], wanted, rtol=rtol, atol=rtol)
