"""Logistic loops against the book."""

import numpy as np
import pytest
from oracles import logistic as oracle

from corollary import loops

SHAPES = [(n, d) for n in [0, 1, 5, 333] for d in [1, 3, 17, 50, 101]]
FEWER = [(0, 3), (1, 1), (5, 17), (333, 50), (97, 101)]
CLASSES = [1, 2, 3, 4, 5, 7, 10, 16, 17, 100]


def close(dtype):
    tol = 3e-5 if dtype == np.float32 else 1e-11
    return lambda got, wanted: np.testing.assert_allclose(
        got, wanted, rtol=tol, atol=tol * (10 if dtype == np.float32 else 1)
    )


@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_binary(shape, rows, loop, weights, dtype, rng):
    n, d = shape
    X, args = rows(n, d)
    y, w, coef = rng.random(n), weights(n), rng.normal(size=d)
    y[::2] = np.round(y[::2])
    grad, curvature = np.full(d, 2.0), np.full(n, np.nan, dtype)
    loss, grad_b = loop("binary")(*args, y, w, coef, 0.3, grad, curvature)
    wanted = oracle.binary(X, y, w, coef, 0.3)
    check = close(dtype)
    check(loss, wanted[0])
    check(grad - 2, wanted[1])  # added to
    check(grad_b, wanted[2])
    check(curvature, wanted[3])
    again = np.full(d, 2.0)
    assert loop("binary")(*args, y, w, coef, 0.3, again, None) == (loss, grad_b)
    np.testing.assert_array_equal(again, grad)


@pytest.mark.parametrize("K", CLASSES)
@pytest.mark.parametrize("shape", FEWER, ids=str)
def test_multinomial(shape, K, rows, loop, weights, dtype, rng):
    n, d = shape
    X, args = rows(n, d)
    z, w = rng.integers(0, K, n).astype(np.int32), weights(n)
    W, b = rng.normal(size=(K, d)), rng.normal(size=K)
    grad, grad_b = np.full((K, d), 2.0), np.full(K, 3.0)
    P = np.full((n, K), np.nan, dtype)
    loss = loop("multinomial")(*args, z, w, W, b, grad, grad_b, P)
    wanted = oracle.multinomial(X, z, w, W, b)
    check = close(dtype)
    check(loss, wanted[0])
    check(grad - 2, wanted[1])  # added to
    check(grad_b - 3, wanted[2])
    check(P, wanted[3])
    again, again_b = np.full((K, d), 2.0), np.full(K, 3.0)
    assert loop("multinomial")(*args, z, w, W, b, again, again_b, None) == loss
    np.testing.assert_array_equal(again, grad)


def row_by_row(f, y):
    """Return loss, residual and curvature of every score f on its own."""
    one, out = np.ones(1), []
    for value in f:
        grad, curvature = np.zeros(1), np.empty(1)
        loss, _ = loops.binary(
            np.array([[value]]), np.array([y]), None, one, 0.0, grad, curvature
        )
        out.append((loss, grad[0] / value, curvature[0]))
    return np.array(out).T


@pytest.mark.parametrize("y", [0.0, 1.0])
def test_exp_and_log1p_are_good_to_the_last_digits(y):
    f = np.outer([1, -1], np.logspace(-12, 2.84, 800)).ravel()
    loss, residual, curvature = row_by_row(f, y)
    sign = 1 - 2 * y  # y = 1 mirrors y = 0
    np.testing.assert_allclose(loss, softplus(sign * f), rtol=2e-15)
    e = np.exp(-np.abs(f))
    sigma = np.where(sign * f > 0, 1, e) / (1 + e)
    np.testing.assert_allclose(residual, sign * sigma, rtol=2e-15)
    np.testing.assert_allclose(curvature, e / (1 + e) ** 2, rtol=2e-15)


def softplus(f):
    return np.maximum(f, 0) + np.log1p(np.exp(-np.abs(f)))


def test_far_scores_stay_finite():
    f = np.array([-1e300, -1e4, -750.0, 750.0, 1e4, 1e300])
    loss, residual, curvature = row_by_row(f, 0.0)
    np.testing.assert_allclose(loss, np.maximum(f, 0), atol=1e-300)
    np.testing.assert_allclose(residual, f > 0, atol=1e-300)
    np.testing.assert_allclose(curvature, 0, atol=1e-300)


def test_nan_is_not_hidden():
    X = np.array([[1.0], [np.nan], [2.0]])
    loss, _ = loops.binary(X, np.zeros(3), None, np.ones(1), 0.0, np.zeros(1), None)
    assert np.isnan(loss)


def test_softmax_of_far_scores(dtype):
    X = np.array([[1.0], [-1.0]], dtype)
    W = np.array([[1000.0], [0.0], [-1000.0]])
    P = np.empty((2, 3), dtype)
    z = np.array([0, 0], np.int32)
    grad, grad_b = np.zeros((3, 1)), np.zeros(3)
    loss = loops.multinomial(X, z, None, W, np.zeros(3), grad, grad_b, P)
    np.testing.assert_array_equal(P, [[1, 0, 0], [0, 0, 1]])
    assert loss == 2000
    np.testing.assert_array_equal(grad_b, [-1, 0, 1])
