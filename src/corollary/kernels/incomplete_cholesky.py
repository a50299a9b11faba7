"""Gram-Schmidt in a kernel's space: the incomplete Cholesky factor of its matrix.

Also known as: kernel Gram-Schmidt, kernel QR factorisation, pivoted Cholesky, partial
Gram-Schmidt, greedy basis selection.

Gram-Schmidt on the features phi(x_1), ..., phi(x_n) needs inner products only.  OfMap r
steps there are orthonormal q_1, ..., q_r in the span of r features, the pivots, and

    L_ij = <phi(x_i), q_j>, d_i = k(x_i, x_i) - sum_j L_ij^2 = ||residual of x_i||^2 (1)

The next pivot is the point with the largest residual, p = argmax d_i; then

    q = (phi(x_p) - sum_j L_pj q_j) / sqrt(d_p)                                      (2)
    L_i,r+1 = (k(x_i, x_p) - sum_j L_ij L_pj) / sqrt(d_p)                            (3)

This is the Cholesky factor of K with pivoting, stopped early: K = L L' + E with a
positive semi-definite E, whose trace is known at every step and bounds all errors,

    |E_ij| <= sqrt(d_i d_j) <= max_i d_i,     ||E||_2 <= ||E||_F <= tr E = sum_i d_i (4)

r columns of K are computed, never all: O(n r) kernel values, O(n r^2) steps.  A new
point has the coordinates L(x) = T^-1 k(pivots, x), T the pivots' own rows of L, and the
residual (1).

Notation: L (n, r) = factor; pivots (r,); T (r, r) lower triangular; d = residuals.
Course: S0-33. References: Fine and Scheinberg (2001); Bach and Jordan (2002);
Shawe-Taylor and Cristianini (2004), ch. 5.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.linalg

from corollary.core.arrays import Floats, Vector
from corollary.core.errors import DataError, ParameterError, sentence
from corollary.core.parameters import real, whole
from corollary.core.records import readable
from corollary.kernels.kernel import Kernel, as_kernel, count

__all__ = ["KernelGramSchmidt", "incomplete_cholesky"]


@readable
@dataclass(frozen=True)
class KernelGramSchmidt:
    """Orthonormal features of a kernel, from some points: call it for coordinates.

    Attributes
    ----------
    kernel : Kernel
    basis : points
        The pivots' points, in the order of their choice.
    T : array of shape (r, r)
        Their coordinates, lower triangular.
    factor : array of shape (n, r)
        L, the coordinates of all the points.
    pivots : array of shape (r,)
        Row numbers of the pivots.
    residuals : array of shape (n,)
        d of (1).
    """

    kernel: Kernel
    basis: Any
    T: Floats
    factor: Floats
    pivots: Vector
    residuals: Floats

    @property
    def rank(self) -> int:
        """Number of orthonormal features."""
        return len(self.pivots)

    @property
    def error(self) -> float:
        """The trace of K - L L', which bounds all its norms, (4)."""
        return float(self.residuals.sum())

    @property
    def largest_error(self) -> float:
        """The largest entry of K - L L' in size, (4)."""
        return float(self.residuals.max(initial=0.0))

    def __call__(self, X: Any) -> Floats:
        """Return the coordinates of each point, (m, r).

        Parameters
        ----------
        X : points

        Returns
        -------
        array of shape (m, r)
        """
        K = self.kernel(X, self.basis)
        return scipy.linalg.solve_triangular(self.T, K.T, lower=True).T

    def residual(self, X: Any) -> Floats:
        """Return the squared distance of each feature to the span, (1).

        Parameters
        ----------
        X : points

        Returns
        -------
        array of shape (m,)
        """
        left = self.kernel.diagonal(X) - (self(X) ** 2).sum(axis=1)
        return np.maximum(left, 0.0)


def incomplete_cholesky(
    kernel: Any, X: Any, rank: int | None = None, tol: float = 1e-10
) -> KernelGramSchmidt:
    """Orthogonalise the features of some points, the farthest first, (2) and (3).

    Parameters
    ----------
    kernel : Kernel or function
    X : points
    rank : int, optional
        Features at most; all that are needed if missing.
    tol : float, default=1e-10
        Stop where the trace of what is left is at most this share of the whole.

    Returns
    -------
    KernelGramSchmidt

    Examples
    --------
    >>> import numpy as np
    >>> from corollary.kernels import Polynomial, incomplete_cholesky
    >>> X = np.linspace(-1, 1, 50)[:, None]
    >>> basis = incomplete_cholesky(Polynomial(3), X)  # 1, x, x^2, x^3
    >>> basis.rank, basis.error < 1e-9
    (4, True)
    """
    who, k = "incomplete_cholesky", as_kernel(kernel)
    points = k.points(X)
    n = count(points)
    if rank is not None and not whole(1).holds(rank):
        must = "rank must be a whole number >= 1"
        raise ParameterError(sentence(who, must, repr(rank)))
    if not real(0, 1, ends="[)").holds(tol):
        must = "tol must be a number in [0, 1)"
        raise ParameterError(sentence(who, must, repr(tol)))
    d = np.array(k.square_norms(points), dtype=np.float64)
    if (d < 0).any():
        must = "a kernel must have k(x, x) >= 0"
        raise DataError(sentence(who, must, f"{d.min():.4g}", "See mercer_check."))
    whole_trace, scale = float(d.sum()), float(d.max(initial=0.0))
    floor = 10 * n * np.finfo(np.float64).eps * scale
    L = np.zeros((n, min(n, rank or n)), order="F")
    pivots: list[int] = []
    while len(pivots) < L.shape[1]:
        p, r = int(d.argmax()), len(pivots)
        if d.sum() <= tol * whole_trace or d[p] <= floor:
            break
        column = k.block(points, points[p : p + 1])[:, 0]
        L[:, r] = (column - L[:, :r] @ L[p, :r]) / np.sqrt(d[p])  # (3)
        pivots.append(p)
        L[p, r] = np.sqrt(d[p])
        L[pivots[:-1], r] = 0.0
        d = np.maximum(d - L[:, r] ** 2, 0.0)  # (1)
        d[pivots] = 0.0
    chosen, L = (
        np.array(pivots, dtype=np.int64),
        np.ascontiguousarray(L[:, : len(pivots)]),
    )
    basis = points[chosen] if hasattr(points, "shape") else [points[i] for i in chosen]
    return KernelGramSchmidt(k, basis, L[chosen], L, chosen, d)
