"""Canonical correlation analysis with kernels.

Also known as: KCCA, kernel canonical correlation, nonlinear CCA, regularised CCA.

Two views x_i and y_i of the same n objects, with centred features phi and psi, have
pairs of directions whose scores go together most:

    max  (1/n) sum_i <w, phi_i> <v, psi_i>    over                                   (1)
         (1/n) sum_i <w, phi_i>^2 + reg ||w||^2 = 1,     the same for v and psi

The answer is in the span of the data, w = sum_i a_i phi_i, v = sum_i b_i psi_i, and
needs the centred matrices alone: with K = U diag(s^2) U' of the first view, L = V
diag(t^2) V' of the second, and kappa = n reg,

    M = diag(s / sqrt(s^2 + kappa)) U'V diag(t / sqrt(t^2 + kappa)) = P diag(rho) Q' (2)
    a = sqrt(n) U diag(1 / (s sqrt(s^2 + kappa))) P,     and b likewise              (3)

The penalty is compulsory with kernels of many features: with K and L of full rank and
reg = 0 every rho is 1, whatever the data.  With linear kernels and reg = 0 it is CCA.

Notation: K, L (n, n) centred; rho = correlations, falling; a, b = coefficients.
Course: S0-33. References: Hotelling (1936); Hardoon, Szedmak and Shawe-Taylor (2004).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from corollary.core.arrays import Floats
from corollary.core.errors import DataError, ParameterError, sentence
from corollary.core.parameters import real, whole
from corollary.core.records import readable
from corollary.kernels.kernel import Kernel, as_kernel, count
from corollary.linear_algebra.decompositions import eigh, svd

__all__ = ["KernelCCA", "View", "kernel_cca"]


@dataclass(frozen=True)
class View:
    """One side of the analysis: call it for the scores of points.

    Attributes
    ----------
    kernel : Kernel
    points : points
    a : array of shape (n, q)
        Coefficients (3).
    means : array of shape (n,)
        Means of the columns of the kernel matrix before it was centred.
    """

    kernel: Kernel
    points: Any
    a: Floats
    means: Floats

    def __call__(self, X: Any) -> Floats:
        """Return the scores <w, phi(x)> of each point, (m, q).

        Parameters
        ----------
        X : points

        Returns
        -------
        array of shape (m, q)
        """
        K = self.kernel(X, self.points).astype(np.float64)
        centred = K - K.mean(axis=1, keepdims=True) - self.means + self.means.mean()
        return centred @ self.a


@readable
@dataclass(frozen=True)
class KernelCCA:
    """Pairs of directions of two views.

    Attributes
    ----------
    correlations : array of shape (q,)
        rho of (2), falling: correlations with the penalty in their denominators.
    x, y : View
        The two sides; call them for scores.
    reg : float
    """

    correlations: Floats
    x: View
    y: View
    reg: float


def kernel_cca(
    X: Any,
    Y: Any,
    kernel_x: Any,
    kernel_y: Any,
    *,
    n_components: int | None = None,
    reg: float = 0.01,
) -> KernelCCA:
    """Find the directions in which two views of the same objects go together.

    Parameters
    ----------
    X, Y : points
        As many in both.
    kernel_x, kernel_y : Kernel or function
    n_components : int, optional
        Pairs of directions; all if missing.
    reg : float, default=0.01
        The penalty of (1).

    Returns
    -------
    KernelCCA

    Examples
    --------
    >>> import numpy as np
    >>> from corollary.kernel_methods import kernel_cca
    >>> from corollary.kernels import Linear, Polynomial
    >>> t = np.linspace(-1, 1, 40)[:, None]
    >>> linear = kernel_cca(t, t**2, Linear(), Linear(), reg=1e-6)
    >>> curved = kernel_cca(t, t**2, Polynomial(2), Linear(), reg=1e-6)
    >>> linear.correlations.round(3).tolist(), curved.correlations.round(3).tolist()
    ([0.0], [1.0])
    """
    k, other = as_kernel(kernel_x), as_kernel(kernel_y)
    X, Y = k.points(X), other.points(Y)
    n = check_views(count(X), count(Y), n_components, reg)
    U, s, means_x = spectrum(k(X))
    V, t, means_y = spectrum(other(Y))
    kappa = n * float(reg)
    M = (s / np.sqrt(s**2 + kappa))[:, None] * (U.T @ V) * (t / np.sqrt(t**2 + kappa))
    P, rho, Qt = svd(M, full_matrices=False)  # (2)
    q = len(rho) if n_components is None else min(n_components, len(rho))
    P, Q = P[:, :q], Qt[:q].T
    a = np.sqrt(n) * U @ (P / (s * np.sqrt(s**2 + kappa))[:, None])  # (3)
    b = np.sqrt(n) * V @ (Q / (t * np.sqrt(t**2 + kappa))[:, None])
    return KernelCCA(rho[:q], View(k, X, a, means_x), View(other, Y, b, means_y), reg)


def check_views(n: int, m: int, n_components: Any, reg: Any) -> int:
    """Check sizes and parameters; return the number of objects."""
    who = "kernel_cca"
    if n != m or n < 2:
        must = "X and Y must have the same number of points, at least 2"
        raise DataError(sentence(who, must, f"{n} and {m}"))
    if not real(0).holds(reg):
        raise ParameterError(sentence(who, "reg must be a number >= 0", repr(reg)))
    if n_components is not None and not whole(1).holds(n_components):
        must = "n_components must be a whole number >= 1"
        raise ParameterError(sentence(who, must, repr(n_components)))
    return n


def spectrum(K: Floats) -> tuple[Floats, Floats, Floats]:
    """Return U and s of the centred matrix H K H = U diag(s^2) U', and K's means."""
    K = K.astype(np.float64)
    means = K.mean(axis=0)
    K = K - means - means[:, None] + means.mean()
    values, U = eigh((K + K.T) / 2)
    kept = values > 10 * len(K) * np.finfo(np.float64).eps * np.abs(values).max()
    if not kept.any():
        must = "the points of each view must differ in the kernel's space"
        raise DataError(sentence("kernel_cca", must, "a centred matrix of zeros"))
    return U[:, kept], np.sqrt(values[kept]), means
