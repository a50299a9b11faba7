"""Least squares with a ridge, solved from sums over the rows.

Minimise  ||y - X b - b0||^2 + alpha ||b||^2.  With centred columns Xc, yc the intercept
drops out, b0 = mean(y) - mean(X)' b, and the normal equations are

    (Xc'Xc + alpha P) b = Xc'yc                                                  (1)

with P = I, or another weight p_j >= 0 of each b_j^2 in the penalty.

Two routes to b:

    Gram      Cholesky of (1), columns scaled to unit length: n d^2 flops, one pass,
              but it squares the condition number: about eps kappa^2 is lost.
    triangle  [1 X y] = QR.  The rows of R below the first are an R of [Xc yc], and
              R b = z  (2)  has the condition of X itself: eps kappa is lost.

Of no more rows than columns, R is as large as the rows, and R R' = U diag(s^2) U' is
small: (2) is solved by b = R'U diag(1/(s^2 + alpha)) U'z  (3)  where that keeps the
digits.

`from_moments` refuses (returns None) where (1) would lose too many digits; the caller
makes a second pass for the triangle.  A rank below d gives the shortest solution, and
the dependent columns are found by pivoting.

Notation: kappa of the report is (lambda_max + alpha)/(lambda_min + alpha), the
condition number of the matrix in (1).
Course: S1-13, S1-14, S1-15, S4-6. References: Golub and Van Loan (2013), ch. 5.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
import scipy.linalg as sla
from scipy.optimize import nnls

from corollary.core.arrays import Floats, Vector
from corollary.core.records import stored
from corollary.engine.statistics import Moments, Triangle, upright
from corollary.linear_algebra.decompositions import cho_factor, eigh, eigvalsh, qr, svd

__all__ = [
    "Solution",
    "from_moments",
    "from_triangle",
    "from_triangle_positive",
    "with_ones",
]

DIGITS = 1e-9  # error that the Gram route may cause, relative to the largest b_j |x_j|
CHEAP = 2**18  # products below which a second pass is worth three digits more
EPS = np.finfo(np.float64).eps


@stored
@dataclass(frozen=True)
class Solution:
    """Coefficients and what the decomposition says of the problem."""

    coef: Floats  # (m, d)
    intercept: Floats  # (m,)
    rank: int
    singular: Floats  # (d,) singular values of Xc, falling
    condition: float  # of (1)
    residual: Floats  # (m,) sum of squared residuals
    dependent: tuple[int, ...] = ()  # columns that the others determine
    route: str = "gram"


def from_moments(
    moments: Moments,
    d: int,
    alpha: Floats,
    *,
    intercept: bool,
    p: Floats | None = None,
    force: bool = False,
) -> Solution | None:
    """Solve (1) by Cholesky; None where that would lose too many digits.

    `force` asks for an answer all the same: no second pass is possible.
    """
    options: Any = {"intercept": intercept, "force": force}
    constant = np.diagonal(moments.M2)[:d] == 0
    if intercept and p is None and not alpha.any() and 0 < constant.sum() < d:
        return without(constant, moments, d, alpha, options)
    weights = np.ones(d) if p is None else p
    digits = DIGITS if moments.n * d * d > CHEAP else DIGITS / 1000
    S = moments.M2 if intercept else raw(moments)
    G, B, Y2 = S[:d, :d], S[:d, d:], np.diagonal(S)[d:]
    length = np.sqrt(np.diagonal(G) + alpha.min() * weights)
    mean = np.abs(moments.mean[:d]) * np.sqrt(moments.n) if intercept else np.zeros(d)
    still = length <= 64 * EPS * mean  # columns that never move
    if still.any() and not force:
        return None
    whole = G
    if still.any():
        G, B = G * np.outer(~still, ~still), B * ~still[:, None]
        length = np.where(still, 0.0, length)
    scale = np.where(length > 0, length, 1.0)
    C = G / np.outer(scale, scale)
    coef = np.empty((B.shape[1], d))
    for j, a in enumerate(np.broadcast_to(alpha, B.shape[1])):
        if j == 0 or alpha.size > 1:
            A = C + np.diag(a * weights / scale**2)
            spectrum = eigvalsh(A)
            good = EPS * spectrum[-1] < digits * spectrum[0]
            if not good and not force:
                return None
            inverse = cholesky_inverse(A) if good else sla.pinvh(A).__matmul__
        coef[j] = inverse(B[:, j] / scale) / scale
    residual = np.maximum(Y2 - 2 * (coef * B.T).sum(1) + ((coef @ G) * coef).sum(1), 0)
    eigenvalues = np.maximum(eigvalsh(whole), 0.0)[::-1]  # falling
    return Solution(
        coef,
        intercept_of(coef, moments.mean, d, intercept),
        d,
        np.sqrt(eigenvalues),
        condition(eigenvalues, alpha) if p is None else condition_of(G, alpha, p),
        residual,
    )


def without(
    constant: Vector, moments: Moments, d: int, alpha: Floats, options: Any
) -> Solution | None:
    """Solve (1) by the columns that move: the others are 0 exactly once centred."""
    kept = np.append(~constant, np.ones(len(moments.mean) - d, bool))
    part = Moments(moments.n, moments.mean[kept], moments.M2[np.ix_(kept, kept)])
    solution = from_moments(part, d - int(constant.sum()), alpha, **options)
    if solution is None:
        return None
    coef = np.zeros((len(solution.coef), d))
    coef[:, ~constant] = solution.coef
    return replace(
        solution,
        coef=coef,
        singular=np.pad(solution.singular, (0, int(constant.sum()))),
        condition=np.inf,
        dependent=tuple(int(j) for j in np.flatnonzero(constant)),
    )


def from_triangle(
    triangle: Triangle,
    d: int,
    alpha: Floats,
    *,
    intercept: bool,
    p: Floats | None = None,
) -> Solution:
    """Solve (2), with a ridge through the singular values of R.

    Unequal weights in the penalty are rows sqrt(alpha P) below R, and zeros below Z.
    """
    mean, R = centred(triangle, intercept)
    Rx, Z = R[:, :d], R[:, d:]
    short = short_axes(Rx, float(alpha.min())) if p is None else None
    coef: Floats
    if short is not None:
        U, s = short
        coef = (U @ ((U.T @ Z) / (s[:, None] ** 2 + alpha))).T @ Rx  # (3)
        rank = int((s**2 > EPS * len(s) * s[:1] ** 2).sum())
        spectrum = s, rank, () if alpha.any() else dependent_of(Rx, rank)
        return found(Rx, Z, coef, mean, alpha, p, intercept, "qr", spectrum)
    if alpha.any() and p is None:
        U, s, Vt = svd(Rx, full_matrices=False)
        spectrum = spectrum_of(Rx, s)
        shrink = s[:, None] / (s[:, None] ** 2 + alpha[None, :])  # (r, 1 or m)
        shrink = np.where(s[:, None] > 0, shrink, 0.0)
        coef = (Vt.T @ (shrink * (U.T @ Z))).T
        return found(Rx, Z, coef, mean, alpha, p, intercept, "qr", spectrum)
    spectrum = spectrum_of(Rx)
    rank = spectrum[1]
    if alpha.any() and p is not None:
        coef = stacked(Rx, Z, alpha, p, shortest_of).T
    elif rank == d:
        coef = solve_scaled(Rx, Z).T
    else:
        coef = shortest(Rx, Z, rank).T
    return found(Rx, Z, coef, mean, alpha, p, intercept, "qr", spectrum)


def from_triangle_positive(
    triangle: Triangle,
    d: int,
    alpha: Floats,
    *,
    intercept: bool,
    p: Floats | None = None,
    free: int = 0,
) -> Solution:
    """Solve (2) under b >= 0 (Lawson and Hanson's active sets).

    The first `free` coefficients may have either sign: each is a difference of two.
    """
    mean, R = centred(triangle, intercept)
    Rx, Z = R[:, :d], R[:, d:]
    weights = np.ones(d) if p is None else p
    coef = stacked(Rx, Z, alpha, weights, partial(non_negative, free=free)).T
    route, spectrum = "non-negative least squares", spectrum_of(Rx)
    return found(Rx, Z, coef, mean, alpha, p, intercept, route, spectrum)


def found(
    Rx: Floats,
    Z: Floats,
    coef: Floats,
    mean: Floats,
    alpha: Floats,
    p: Floats | None,
    intercept: bool,
    route: str,
    spectrum: tuple[Floats, int, tuple[int, ...]],
) -> Solution:
    """Return the solution with what the triangle says of the problem."""
    singular, rank, dependent = spectrum
    d = Rx.shape[1]
    squares = singular**2
    if d > len(squares):
        squares = np.pad(squares, (0, d - len(squares)))
    return Solution(
        coef,
        intercept_of(coef, mean, d, intercept),
        rank,
        singular,
        condition(squares, alpha) if p is None else condition_of(Rx.T @ Rx, alpha, p),
        ((Z - Rx @ coef.T) ** 2).sum(axis=0),
        dependent,
        route,
    )


def stacked(
    Rx: Floats,
    Z: Floats,
    alpha: Floats,
    p: Floats,
    solve: Callable[[Floats, Floats], Floats],
) -> Floats:
    """Solve target by target with the rows sqrt(alpha P) below R: (d, m)."""
    d = Rx.shape[1]
    B = np.empty((d, Z.shape[1]))
    for j, a in enumerate(np.broadcast_to(alpha, Z.shape[1])):
        A = np.vstack([Rx, np.diag(np.sqrt(a * p))])
        B[:, j] = solve(A, np.concatenate([Z[:, j], np.zeros(d)]))
    return B


def shortest_of(A: Floats, z: Floats) -> Floats:
    """Return the shortest least-squares solution of A b = z."""
    _, rank, _ = spectrum_of(A)
    R = upright(np.column_stack([A, z]))
    R, Z = R[:, :-1], R[:, -1:]
    if rank == A.shape[1]:
        return solve_scaled(R[:rank], Z[:rank])[:, 0]
    return shortest(R, Z, rank)[:, 0]


def non_negative(A: Floats, z: Floats, free: int = 0) -> Floats:
    """Return the least-squares solution of A b = z under b_j >= 0, j >= free."""
    b = np.asarray(nnls(np.hstack([A, -A[:, :free]]), z)[0])
    d = A.shape[1]
    b[:free] -= b[d:]
    return b[:d]


def with_ones(moments: Moments) -> Moments:
    """Put a column of ones before the others: its mean is 1, and it has no scatter."""
    M2 = np.pad(moments.M2, (1, 0))
    return Moments(moments.n, np.append(1.0, moments.mean), M2)


def centred(triangle: Triangle, intercept: bool) -> tuple[Floats, Floats]:
    """Project the column of ones out of [1 X y]; return the means and the rest."""
    if not intercept:
        return np.zeros(triangle.R.shape[1]), triangle.R
    ones, A = triangle.R[:, 0], triangle.R[:, 1:]
    if _triangular(triangle.R):
        mean, rest = A[0] / ones[0], A[1:]
    else:
        mean = (ones @ A) / (ones @ ones)
        rest = A - np.outer(ones, mean)
    noise = EPS * (64 + np.sqrt(triangle.n)) * lengths(A)
    still = lengths(rest) <= noise  # columns that never move
    return mean, np.where(still, 0.0, rest) if still.any() else rest


def _triangular(R: Floats) -> bool:
    return R.shape[0] > 1 and not R[1:, 0].any()


def lengths(A: Floats) -> Floats:
    """Return the length of each column."""
    return np.sqrt(np.einsum("ij,ij->j", A, A))


def spectrum_of(
    Rx: Floats, singular: Floats | None = None
) -> tuple[Floats, int, tuple[int, ...]]:
    """Return singular values, numerical rank, and the columns others determine."""
    d = Rx.shape[1]
    if singular is None:
        singular = svd(Rx, compute_uv=False) if Rx.size else np.zeros(0)
    length = lengths(Rx)
    scaled = Rx / np.where(length > 0, length, 1.0)
    diagonal, order = pivoted(scaled)
    cut = EPS * 8 * max(Rx.shape) * (diagonal[0] if len(diagonal) else 0)
    rank = int((diagonal > cut).sum())
    dependent = tuple(sorted(int(j) for j in order[rank:])) if rank < d else ()
    return singular, rank, dependent


def short_axes(A: Floats, alpha: float = 0.0) -> tuple[Floats, Floats] | None:
    """Return U and s, falling, of A = U diag(s) V' with few rows, by A A'.

    None where A has more rows than columns, or where the squares lose too many digits
    of s^2 + alpha.
    """
    if not 0 < len(A) <= A.shape[1]:
        return None
    return axes_of_pairs(A @ A.T, A.shape[1], alpha)


def axes_of_pairs(
    K: Floats, d: int, alpha: float = 0.0, size: float = 0.0
) -> tuple[Floats, Floats] | None:
    """Return U and s, falling, of K = A A' = U diag(s^2) U'.

    None where rounding of numbers of this size, or as large as K, is no small part of
    s^2 + alpha.
    """
    squares, U = eigh(K)
    digits = DIGITS if K.size * float(d) > CHEAP else DIGITS / 1000
    low, high = float(squares[0]), max(float(squares[-1]), size)
    if not EPS * (high + alpha) < digits * (low + alpha):
        return None
    return U[:, ::-1], np.sqrt(np.maximum(squares[::-1], 0.0))


def dependent_of(A: Floats, rank: int) -> tuple[int, ...]:
    """Return the columns of a wide A of full rank that some others determine.

    Twice as many columns as there are rows hold enough of the others in most cases.
    """
    some = 2 * rank
    _, few, dependent = spectrum_of(A[:, :some])
    if few < rank:
        return spectrum_of(A)[2]
    return dependent + tuple(range(some, A.shape[1]))


def pivoted(A: Floats) -> tuple[Floats, Vector]:
    """Return |diag R| and the column order of a QR with pivoting."""
    if not A.size:
        return np.zeros(0), np.arange(A.shape[1])
    R, order = qr(A, mode="r", pivoting=True, check_finite=False)
    return np.abs(np.diagonal(R)), order


def shortest(R: Floats, Z: Floats, rank: int) -> Floats:
    """Return the shortest least-squares solution of R b = Z where rank < d.

    With few dependent columns: any solution b, less its part in the null space N.  N is
    found with columns of unit length, so that a small column is not taken for noise.
    """
    d = R.shape[1]
    if rank <= d // 2:  # N would be larger than R
        U, s, Vt = svd(R, full_matrices=False)
        rank = min(rank, int((s > EPS * max(R.shape) * s[:1]).sum()))
        return Vt[:rank].T @ ((U[:, :rank].T @ Z) / s[:rank, None])
    length = np.sqrt((R**2).sum(axis=0))
    length[length == 0] = 1.0
    Q, T, order = qr(R / length, mode="economic", pivoting=True)
    lead, rest = order[:rank], order[rank:]
    b, N = np.zeros((d, Z.shape[1])), np.zeros((d, d - rank))
    b[lead] = sla.solve_triangular(T[:rank, :rank], Q[:, :rank].T @ Z)
    N[lead] = -sla.solve_triangular(T[:rank, :rank], T[:rank, rank:])
    N[rest] = np.eye(d - rank)
    N[np.abs(N) < EPS * 8 * max(R.shape)] = 0.0
    b, N = b / length[:, None], N / length[:, None]
    N = np.linalg.qr(N / np.sqrt((N**2).sum(axis=0)))[0]
    return b - N @ (N.T @ b)


def cholesky_inverse(A: Floats) -> Callable[[Floats], Floats]:
    """Return the product with the inverse of A."""
    factor = cho_factor(A, lower=True, check_finite=False)
    return partial(sla.cho_solve, factor, check_finite=False)


def solve_scaled(R: Floats, Z: Floats) -> Floats:
    """Solve R b = Z, R of full rank, with columns of R scaled to unit length."""
    d, length = R.shape[1], lengths(R)
    T = R / length
    if np.tril(R, -1).any():
        Q, T = np.linalg.qr(T)
        Z = Q.T @ Z
    b = sla.solve_triangular(T[:d], Z[:d], check_finite=False)
    return b / length[:, None]


def raw(moments: Moments) -> Floats:
    """Return the sums of products about 0 instead of about the mean."""
    return moments.M2 + moments.n * np.outer(moments.mean, moments.mean)


def condition(eigenvalues: Floats, alpha: Floats) -> float:
    """Return the condition number of (1) from the eigenvalues of Xc'Xc."""
    a = float(alpha.min())
    high, low = float(eigenvalues.max()) + a, float(eigenvalues.min()) + a
    return high / low if low > 0 else np.inf


def condition_of(G: Floats, alpha: Floats, p: Floats) -> float:
    """Return the condition number of (1) where the weights p differ."""
    return condition(eigvalsh(G + alpha.min() * np.diag(p)), np.zeros(1))


def intercept_of(coef: Floats, mean: Floats, d: int, intercept: bool) -> Floats:
    """Return mean(y) - mean(X)' b, or zeros."""
    if not intercept:
        return np.zeros(coef.shape[0])
    return mean[d:] - coef @ mean[:d]
