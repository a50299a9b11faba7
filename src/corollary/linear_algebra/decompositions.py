"""Decompositions of matrices that Ctrl-C need not wait for.

A call of LAPACK cannot be interrupted inside.  One on a large matrix runs apart, so
that the thread that waits for it hears the signal.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.linalg as sla
from scipy.linalg.lapack import dpocon, dpotrf, dpstrf

from corollary.core.arrays import Floats, Matrix
from corollary.core.interrupt import apart

__all__ = [
    "by_columns",
    "cho_factor",
    "eigh",
    "eigh_of_rank",
    "eigvalsh",
    "graded_eigh",
    "lu_range",
    "product",
    "qr",
    "svd",
]

EPS = float(np.finfo(np.float64).eps)
FEW = 4  # a rank that many times below the size is worth knowing
UNEVEN = 1e-10  # a least variance, relative to the largest, that sums of squares lose
SOUND = 1e-8  # 1 / condition of correlations that keep the digits of every variance
LARGE = 3e8  # products of numbers that take a noticeable time
BLOCK = 2**22  # numbers that are copied without a look at signals


def _called(
    function: Callable[..., Any], work: float, *arrays: Any, **options: Any
) -> Any:
    if work < LARGE:
        return function(*arrays, **options)
    return apart(function, *arrays, **options)


def _work(A: Matrix) -> float:
    """Return m n min(m, n) of a matrix, or of all in a stack."""
    return float(A.size) * min(A.shape[-2:])


def eigh(A: Floats) -> tuple[Floats, Floats]:
    """Return eigenvalues and eigenvectors of a symmetric matrix.

    >>> eigh(np.diag([2.0, 1.0]))[0].tolist()
    [1.0, 2.0]
    """
    values, vectors = _called(np.linalg.eigh, 4 * _work(A), A)
    return values, vectors


def lu_range(A: Floats) -> Floats:
    """Return vectors that span the columns of A: L of A = L U, its rows in order.

    >>> lu_range(np.array([[1.0], [2.0]])).tolist()
    [[0.5], [1.0]]
    """
    return _called(sla.lu, _work(A), A, permute_l=True)[0]


def eigh_of_rank(A: Floats, rank: float) -> tuple[Floats, Floats]:
    """Return what `eigh` does, falling, of A = A' >= 0 with at most this rank.

    A small rank makes it cheap: a pivoted Cholesky decomposition gives A = L L' with
    that many columns, the singular value decomposition of L the axes of A, and any
    orthogonal complement the others, whose eigenvalue is 0.

    >>> values, _ = eigh_of_rank(np.ones((9, 9)), 1)
    >>> values.round(12).tolist()
    [9.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0]
    """
    d = len(A)
    if rank > d / FEW:
        values, vectors = eigh(A)
        return values[::-1], vectors[:, ::-1]
    return _called(_eigh_by_root, float(A.size) * max(rank, 1.0), A)


def _eigh_by_root(A: Floats) -> tuple[Floats, Floats]:
    d = len(A)
    L, pivots, r, _ = dpstrf(A, tol=d * EPS * float(np.diagonal(A).max()), lower=1)
    root = np.empty((d, r))
    root[pivots - 1] = np.tril(L[:, :r])
    U, s, _ = np.linalg.svd(root, full_matrices=False)
    Q, _ = sla.qr(U)
    Q[:, :r] = U
    return np.append(s**2, np.zeros(d - r)), Q


def graded_eigh(A: Floats) -> tuple[Floats, Floats] | None:
    """Return what `eigh` does, falling, of A = A' > 0 with columns on other scales.

    With C the correlations, A = D C D and C = L L', the eigenvalues of A are squares of
    the singular values of L'D: small ones keep their digits where C is well
    conditioned, whatever the scales (Demmel and Veselic, 1992).  None where C is not,
    or where the scales are much the same.

    >>> A = np.array([[1e12, 1e3], [1e3, 2e-6]])
    >>> graded_eigh(A)[0].tolist()
    [1000000000000.0, 1e-06]
    """
    size = np.diagonal(A)
    if not 0 < size.min(initial=np.inf) < UNEVEN * size.max(initial=0.0):
        return None
    return _called(_eigh_by_correlations, 4 * _work(A), A)


def _eigh_by_correlations(A: Floats) -> tuple[Floats, Floats] | None:
    D = np.sqrt(np.diagonal(A))
    C = A / np.outer(D, D)
    L, failed = dpotrf(C)  # C = L'L, L above the diagonal
    if failed or dpocon(L, np.abs(C).sum(axis=0).max())[0] < SOUND:
        return None
    _, s, Vt = np.linalg.svd(L * D)
    return s**2, Vt.T


def eigvalsh(A: Floats) -> Floats:
    """Return the eigenvalues of a symmetric matrix, rising."""
    return _called(np.linalg.eigvalsh, _work(A), A)


def svd(A: Floats, **options: Any) -> Any:
    """Return what `numpy.linalg.svd` does."""
    return _called(np.linalg.svd, 4 * _work(A), A, **options)


def qr(A: Floats, **options: Any) -> Any:
    """Return what `scipy.linalg.qr` does."""
    return _called(sla.qr, _work(A), A, **options)


def cho_factor(A: Floats, **options: Any) -> Any:
    """Return what `scipy.linalg.cho_factor` does."""
    return _called(sla.cho_factor, _work(A) / 3, A, **options)


def by_columns(A: Floats, dtype: Any) -> Floats:
    """Return a Fortran-ordered copy of a matrix, made of some columns at a time.

    >>> by_columns(np.eye(2), np.float32).flags.f_contiguous
    True
    """
    copy = np.empty(A.shape, dtype, order="F")
    step = max(1, BLOCK // max(1, A.shape[0]))
    for first in range(0, A.shape[1], step):
        some = slice(first, first + step)
        copy[:, some] = A[:, some]
    return copy


def product(A: Floats, B: Floats) -> Floats:
    """Return A B."""
    return _called(np.matmul, float(A.size) * B.shape[-1], A, B)
