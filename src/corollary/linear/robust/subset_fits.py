"""Least squares on many small subsets of the rows, all at once.

Robust methods fit a line to a few rows at a time and look how the fits agree.  For the
rows i_1, ..., i_k of a subset and X~ = [1 X] (or X),

    b = argmin ||X~_subset b - y_subset||^2,   of several the shortest            (1)

Subsets of one size are stacked, so that one call of a decomposition solves a block of
them.  Draws are of distinct rows, one after the other, each with a probability
proportional to its weight; the rows stand in the order of their content
(`linear/online/visits.py`), so that a draw does not depend on how they were stored, and
a weight of 2 is the row twice.
"""

from __future__ import annotations

import numpy as np

from corollary.core.arrays import Floats, Vector

__all__ = ["drawn_subsets", "subset_solutions"]

BLOCK = 2**22  # bytes of a stack of subsets
SINGULAR = 1e-6  # what a solved equation leaves, of its right side, at most
CROWDED = 3.0  # times the square of a subset over the rows, where all are permuted


def drawn_subsets(
    draw: np.random.Generator, count: int, size: int, weights: Floats
) -> Vector:
    """Draw subsets of distinct positions, (count, size).

    Parameters
    ----------
    draw : Generator
    count, size : int
    weights : array of shape (n,)
        Probabilities of the positions, up to a factor.

    Examples
    --------
    >>> draw = np.random.default_rng(0)
    >>> np.sort(drawn_subsets(draw, 2, 3, np.array([1.0, 0.0, 1.0, 1.0]))).tolist()
    [[0, 2, 3], [0, 2, 3]]
    """
    n = len(weights)
    if size * size > CROWDED * n or (weights != weights[0]).any():
        return np.array([one_subset(draw, size, weights) for _ in range(count)])
    found = draw.integers(n, size=(count, size))
    while True:
        ordered = np.sort(found, axis=1)
        twice = (ordered[:, 1:] == ordered[:, :-1]).any(axis=1)
        if not twice.any():
            return found
        found[twice] = draw.integers(n, size=(int(twice.sum()), size))


def one_subset(draw: np.random.Generator, size: int, weights: Floats) -> Vector:
    """Draw positions one after the other, without those that have been drawn."""
    u = draw.random(len(weights))
    with np.errstate(divide="ignore"):
        keys = np.log(u) / weights  # the largest are such a draw (Efraimidis, Spirakis)
    return np.argpartition(-keys, size - 1)[:size]


def subset_solutions(
    X: Floats, y: Floats, subsets: Vector, *, intercept: bool
) -> Floats:
    """Solve (1) for each subset.

    Parameters
    ----------
    X : array of shape (n, d)
    y : array of shape (n,) or (n, m)
    subsets : array of shape (s, k)
        Rows of each subset.
    intercept : bool
        Whether the first coefficient is the intercept.

    Returns
    -------
    array of shape (s, p) or (s, p, m), p = d + intercept

    Examples
    --------
    >>> X, y = np.array([[0.0], [1.0], [3.0]]), np.array([1.0, 3.0, 4.0])
    >>> subset_solutions(X, y, np.array([[0, 1], [1, 2]]), intercept=True).tolist()
    [[1.0, 2.0], [2.5, 0.5]]
    """
    k, p = subsets.shape[1], X.shape[1] + intercept
    rows = max(1, BLOCK // (8 * k * (p + 1)))
    found = []
    for a in range(0, len(subsets), rows):
        some = subsets[a : a + rows]
        A = np.ones((*some.shape, p))
        A[:, :, intercept:] = X[some]
        B = y[some] if y.ndim == 2 else y[some][:, :, None]
        found.append(solved(A, B.astype(np.float64, copy=False)))
    joined = np.concatenate(found)
    return joined if y.ndim == 2 else joined[:, :, 0]


def solved(A: Floats, B: Floats) -> Floats:
    """Solve a stack (s, k, p) of least-squares problems."""
    k, p = A.shape[1:]
    if k < p:
        return np.asarray(np.linalg.pinv(A) @ B)
    try:
        if k > p:
            Q, A = np.linalg.qr(A)
            B = np.swapaxes(Q, 1, 2) @ B
        X = np.linalg.solve(A, B)
    except np.linalg.LinAlgError:
        return np.asarray(np.linalg.pinv(A) @ B)
    left = np.abs(A @ X - B).max(axis=(1, 2))
    off = ~(left <= SINGULAR * np.abs(B).max(axis=(1, 2)))
    if off.any():
        X[off] = np.linalg.pinv(A[off]) @ B[off]
    return X
