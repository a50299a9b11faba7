"""Symmetric systems (K + D) A = Y, K positive semi-definite and D a positive diagonal.

Also known as: regularised kernel system, mixed-precision iterative refinement, pivoted
incomplete Cholesky, Nystrom preconditioner.

Cholesky.  K + D is factorised in float32, at twice the speed and half the memory of
float64, and the factor serves conjugate gradients with float64 products, which end at

    ||Y - (K + D) A||  <=  4 u (||K + D||_F ||A|| + ||Y||)                           (1)

u the rounding unit of float64: what a stable factorisation in float64 gives.  A matrix
too ill-conditioned for it is factorised in float64, and a singular one is inverted on
its range.

Conjugate gradients.  Where K does not fit in memory only products K p are formed, from
blocks of rows computed anew.  With D = S^-2 the unknown is B = S^-1 A and the system

    (S K S + I) B = S Y                                                              (2)

m steps of Cholesky with diagonal pivoting leave K = G G' + R, G (n, m), tr R as small
as a greedy choice of rows makes it.  S G = U diag(s) V' gives the preconditioner

    M = S G G'S + I,     M^-1/2 = I + U (diag(1 + s^2)^-1/2 - I) U'                  (3)

and M^-1/2 (S K S + I) M^-1/2 has all but a few eigenvalues near 1.

Notation: K (n, n); D = diag(shift); Y, A (n, t).
References: Higham (2002), ch. 12, refinement; Fine and Scheinberg (2001), pivots;
Rudi, Carratino and Rosasco (2017), preconditioning.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.linalg import LinAlgError, cho_solve

from corollary.core.arrays import Floats
from corollary.core.memory import block_bytes
from corollary.core.report import StopReason
from corollary.linear_algebra.decompositions import by_columns, cho_factor, eigh, svd
from corollary.solvers import conjugate_gradient
from corollary.solvers.smo import Gram

__all__ = ["Solved", "cholesky", "conjugate_gradients", "pivoted", "products"]

SMALL = 1500  # rows below which float64 costs little
MOST_REFINEMENTS = 30
BLOCK = 512  # rows of K at a time
BLOCK_BYTES = 2**26  # that they may have, but for a few of them


@dataclass(frozen=True)
class Solved:
    """The solution, ||Y - (K + D) A|| / ||Y||, and how it was found."""

    A: Floats  # (n, t)
    residual: float
    steps: int
    stop: StopReason
    method: str
    rank: int | None = None  # of K + D, where it is singular
    pivots: int | None = None  # rows of the preconditioner


def cholesky(K: Floats, shift: Floats, Y: Floats) -> Solved:
    """Solve the system; K (C-ordered, symmetric) is overwritten.

    Parameters
    ----------
    K : array of shape (n, n)
    shift : array of shape (n,)
        At least 0.
    Y : array of shape (n, t)

    Returns
    -------
    Solved

    Examples
    --------
    >>> import numpy as np
    >>> K = np.array([[2.0, 1.0], [1.0, 2.0]])
    >>> cholesky(K, np.ones(2), np.array([[4.0], [4.0]])).A.round(12).tolist()
    [[1.0], [1.0]]
    """
    n = len(K)
    K.flat[:: n + 1] += shift.astype(K.dtype)
    size = float(np.linalg.norm(K))
    if n > SMALL or K.dtype == np.float32:
        refined = _refined(K, Y, size)
        if refined is not None:
            return refined
        K = K.astype(np.float64, copy=False)
    diagonal = K.diagonal().copy()
    try:
        factor = cho_factor(K.T, lower=True, overwrite_a=True, check_finite=False)
        tiny = n * np.finfo(np.float64).eps * float(np.abs(diagonal).max())
        if float(np.abs(factor[0].diagonal()).min()) ** 2 <= tiny:
            raise LinAlgError
    except LinAlgError:  # the other triangle, and the diagonal, are as they were
        lower = np.tril(K, -1)
        K = lower + lower.T
        K.flat[:: n + 1] = diagonal
        return _on_its_range(K, Y)
    A = cho_solve(factor, Y, check_finite=False)
    return Solved(A, 0.0, 1, StopReason.CLOSED_FORM, "Cholesky, float64")


def _refined(K: Floats, Y: Floats, size: float) -> Solved | None:
    """Return the solution from a float32 factor, None where it does not reach (1)."""
    try:
        single = by_columns(K.T, np.float32)
        factor = cho_factor(single, lower=True, overwrite_a=True, check_finite=False)
    except LinAlgError:
        return None

    def smoothed(R: Floats) -> Floats:
        scale = np.abs(R).max(axis=0)
        scale[scale == 0] = 1.0
        Z = cho_solve(factor, (R / scale).astype(np.float32), check_finite=False)
        return Z.astype(np.float64) * scale

    unit = float(np.finfo(K.dtype).eps)
    A, R = np.zeros(Y.shape), Y.astype(np.float64)
    Z = P = smoothed(R)
    rz, goal = (R * Z).sum(axis=0), np.linalg.norm(Y, axis=0)
    for steps in range(1, MOST_REFINEMENTS + 1):
        KP = (K @ P.astype(K.dtype, copy=False)).astype(np.float64)
        curvature = (P * KP).sum(axis=0)
        t = np.divide(rz, curvature, out=np.zeros_like(rz), where=curvature > 0)
        A, R = A + t * P, R - t * KP
        far = np.linalg.norm(R, axis=0)
        if (far <= 4 * unit * (size * np.linalg.norm(A, axis=0) + goal)).all():  # (1)
            R = Y - K @ A.astype(K.dtype, copy=False)
            far = np.linalg.norm(R, axis=0)
            residual = float((far / np.where(goal > 0, goal, 1)).max(initial=0))
            method = "Cholesky in float32, refined"
            return Solved(A, residual, steps, StopReason.CLOSED_FORM, method)
        Z = smoothed(R)
        fresh = (R * Z).sum(axis=0)
        P = Z + np.divide(fresh, rz, out=np.zeros_like(rz), where=rz > 0) * P
        rz = fresh
    return None


def _on_its_range(A: Floats, Y: Floats) -> Solved:
    """Return the shortest solution of a singular system."""
    values, U = eigh(A)
    kept = values > len(A) * np.finfo(np.float64).eps * max(float(values[-1]), 0.0)
    U = U[:, kept]
    X = U @ ((U.T @ Y) / values[kept, None])
    rank, method = int(kept.sum()), "inverted on its range"
    return Solved(X, 0.0, 1, StopReason.CLOSED_FORM, method, rank=rank)


def products(gram: Gram, P: Floats) -> Floats:
    """Return K P, some rows of K at a time."""
    n, out = gram.n, np.empty(P.shape)
    most = block_bytes(BLOCK_BYTES) // (np.dtype(gram.dtype).itemsize * n)
    size = min(n, BLOCK, max(8, most))
    block = np.empty((size, n), gram.dtype)
    P = P.astype(gram.dtype)
    for first in range(0, n, size):
        rows = np.arange(first, min(first + size, n))
        gram.fill(rows, block, np.arange(len(rows)))
        out[rows] = block[: len(rows)] @ P
    return out


def pivoted(gram: Gram, diagonal: Floats, rank: int) -> Floats:
    """Return G (n, m), m <= rank, of Cholesky with the largest pivot first.

    Examples
    --------
    >>> import numpy as np
    >>> from corollary.kernels.gram import MatrixGram
    >>> K = np.array([[4.0, 2.0], [2.0, 1.0]])  # of rank 1
    >>> pivoted(MatrixGram(K, np.float64), K.diagonal(), 2).tolist()
    [[2.0], [1.0]]
    """
    left = diagonal.astype(np.float64)
    G = np.zeros((rank, gram.n))
    row, first = np.empty((1, gram.n), gram.dtype), np.zeros(1, dtype=np.int64)
    tiny = 1e-12 * float(left.max(initial=0.0))
    for m in range(rank):
        i = int(left.argmax())
        if left[i] <= tiny:
            return np.ascontiguousarray(G[:m].T)
        gram.fill(np.array([i]), row, first)
        G[m] = (row[0] - G[:m, i] @ G[:m]) / np.sqrt(left[i])
        left = np.maximum(left - G[m] ** 2, 0.0)
        left[i] = 0.0
    return np.ascontiguousarray(G.T)


def conjugate_gradients(
    gram: Gram,
    diagonal: Floats,
    shift: Floats,
    Y: Floats,
    *,
    rank: int,
    tol: float,
    max_iter: int,
    watch: Callable[[int, float], None] = lambda step, residual: None,
) -> Solved:
    """Solve the system by products alone, (2) with (3).

    Parameters
    ----------
    gram : Gram
        K by rows.
    diagonal : array of shape (n,)
        Of K.
    shift : array of shape (n,)
        Above 0.
    Y : array of shape (n, t)
    rank : int
        m of (3).
    tol : float
        Of the preconditioned residual, relative.
    max_iter : int
    watch : function, optional
        Told of every step and its residual.
    """
    S = 1 / np.sqrt(shift)[:, None]
    U, s, _ = svd(S * pivoted(gram, diagonal, rank), full_matrices=False)
    less = (1 / np.sqrt(1 + s**2) - 1)[:, None]

    def halfway(Z: Floats) -> Floats:
        return Z + U @ (less * (U.T @ Z))  # (3)

    cg = conjugate_gradient.begin(halfway(S * Y), np.ones(gram.n))
    stop, steps = StopReason.MAX_PASSES, 0
    try:
        while steps < max_iter and cg.residual() > tol:
            P = halfway(cg.p)
            cg = conjugate_gradient.step(cg, halfway(S * products(gram, S * P) + P))
            steps += 1
            watch(steps, cg.residual())
    except KeyboardInterrupt:
        if not steps:
            raise
        stop = StopReason.INTERRUPTED
    if cg.residual() <= tol:
        stop = StopReason.CONVERGED
    A, method = S * halfway(cg.b), "preconditioned conjugate gradients"
    return Solved(A, cg.residual(), steps, stop, method, pivots=len(s))
