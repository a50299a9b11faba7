"""Kernel rows in tiles against the formulas."""

import numpy as np
import pytest
from oracles import smo as oracle

from corollary import loops


def packed(Z):
    width = 64 // Z.itemsize
    padded = np.zeros((-(-len(Z) // width) * width, Z.shape[1]), Z.dtype)
    padded[: len(Z)] = Z
    panels = padded.reshape(-1, width, Z.shape[1]).transpose(0, 2, 1)
    return np.ascontiguousarray(panels), (padded**2).sum(axis=1)


@pytest.mark.parametrize("kind", [0, 1, 2, 3])
@pytest.mark.parametrize("shape", [(1, 1, 1), (5, 3, 7), (13, 17, 40), (6, 2, 2100)])
@pytest.mark.parametrize("threads", [1, 2])
def test_rows_are_the_kernel(kind, shape, threads, dtype, rng):
    m, d, n = shape
    X = rng.normal(size=(m, d)).astype(dtype)
    Z = rng.normal(size=(n, d)).astype(dtype)
    out = np.full((m + 3, n), np.nan, dtype)
    slots = rng.permutation(m + 3)[:m].astype(np.int64)
    panels, squares = packed(Z)
    x2 = (X**2).sum(axis=1)
    loops.kernel_rows(X, x2, panels, squares, kind, 0.3, 0.5, 3, out, slots, threads)
    expected = oracle.kernel(kind, X, Z, 0.3, 0.5, 3)
    scale = 3e-5 if dtype == np.float32 else 1e-13
    np.testing.assert_allclose(out[slots], expected, rtol=scale, atol=scale)
    others = np.setdiff1d(np.arange(m + 3), slots)
    assert np.isnan(out[others]).all()  # nobody else's rows are touched


def test_a_point_is_1_to_itself_however_far_from_the_origin(dtype, rng):
    X = (rng.normal(size=(40, 3)) * 1e3).astype(dtype)
    out = np.empty((40, 40), dtype)
    panels, squares = packed(X)
    x2 = squares[:40].copy()
    slots = np.arange(40)
    loops.kernel_rows(X, x2, panels, squares, 3, 1e-3, 0.0, 3, out, slots, 1)
    assert (out <= 1).all()
    assert np.isfinite(out).all()


@pytest.mark.parametrize("scale", [1.0, 100.0])
@pytest.mark.parametrize("threads", [1, 2])
def test_waves_are_cosines(scale, threads, dtype, rng):
    X = (rng.normal(size=(13, 6)) * scale).astype(dtype)
    Z = rng.normal(size=(37, 6)).astype(dtype)
    panels, squares = packed(Z)
    b = np.zeros_like(squares)
    b[:37] = rng.uniform(0, 2 * np.pi, 37)
    out, still = np.empty((13, 37), dtype), np.zeros(13, dtype)
    slots = np.arange(13)
    loops.kernel_rows(X, still, panels, b, 4, 0.5, 0.0, 0, out, slots, threads)
    exact = 0.5 * np.cos(X.astype(np.float64) @ Z.T.astype(np.float64) + b[:37])
    error = scale * (3e-6 if dtype == np.float32 else 1e-15)
    np.testing.assert_allclose(out, exact, rtol=0, atol=error)
    huge = np.full_like(X, 1e30)  # no digit is left, but nothing is out of range
    loops.kernel_rows(huge, still, panels, b, 4, 0.5, 0.0, 0, out, slots, threads)
    assert (np.abs(out) <= 0.5).all()


@pytest.mark.parametrize("kind", [0, 1, 2, 3])
@pytest.mark.parametrize("shape", [(1, 1, 1), (5, 3, 7), (13, 17, 40), (200, 2, 900)])
@pytest.mark.parametrize("threads", [1, 2])
def test_sums_are_those_of_the_kernel(kind, shape, threads, dtype, rng):
    m, d, n = shape
    X = rng.normal(size=(m, d)).astype(dtype)
    Z = rng.normal(size=(n, d)).astype(dtype)
    panels, squares = packed(Z)
    B = np.zeros((3, len(squares)), dtype)
    B[:, :n] = rng.normal(size=(3, n))
    x2 = (X**2).sum(axis=1)
    out = np.zeros((m, 3))
    rest = (panels, squares, kind, 0.3, 0.5, 3, B)
    loops.kernel_sums(X, x2, *rest, out, threads)
    K = oracle.kernel(kind, X, Z, 0.3, 0.5, 3).astype(np.float64)
    size = np.abs(K) @ np.abs(B[:, :n].T).astype(np.float64)
    unit = 1e-4 if dtype == np.float32 else 1e-12
    assert (np.abs(out - K @ B[:, :n].T) <= unit * (size + 1)).all()
    last = np.zeros((1, 3))  # a row alone is summed as among others
    loops.kernel_sums(X[-1:].copy(), x2[-1:].copy(), *rest, last, 1)
    np.testing.assert_array_equal(last[0], out[-1])
