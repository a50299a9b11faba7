"""Is a function a kernel?  A test on a sample, and the features that a kernel implies.

Also known as: Mercer's condition, positive semi-definiteness test, PSD check, empirical
kernel map, Nystrom extension of eigenfunctions.

k is a Mercer kernel if and only if the matrix K_ij = k(x_i, x_j) is symmetric with

    v'K v >= 0   for every v                                                         (1)

on every finite sample.  One sample can refute it, by a pair with k(x, z) != k(z, x) or
by a v with v'K v < 0 (the eigenvector of the least eigenvalue is the worst); it can
never prove it.  Eigenvalues come with rounding errors of n eps ||K||, the noise: a
negative value within it refutes nothing.

Mercer's theorem writes a continuous kernel as a series over the eigenfunctions of f ->
E_z k(., z) f(z),

    k(x, z) = sum_i mu_i psi_i(x) psi_i(z),     E psi_i psi_j = 1{i = j}             (2)

and on a sample, with K = U diag(lambda) U', mu_i and psi_i are estimated by

    mu_i = lambda_i / n,     psi_i(x) = (sqrt n / lambda_i) sum_j U_ji k(x, x_j)     (3)
    phi_i(x) = sqrt(mu_i) psi_i(x),     phi(x)'phi(z) = k(x, z) on the sample        (4)

Notation: lambda, U = eigenvalues and eigenvectors of K (n, n); phi the Mercer features.
Course: S0-28, S1-47, S2-32, S3-68, S4-48. References: Mercer (1909); Williams and
Seeger (2000).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from corollary.core.arrays import Floats, Vector
from corollary.core.errors import ParameterError, sentence
from corollary.core.records import readable
from corollary.kernels.kernel import Kernel, as_kernel, count
from corollary.linear_algebra.decompositions import eigh

__all__ = ["MercerCheck", "MercerFeatures", "mercer_check", "mercer_features"]


@dataclass(frozen=True)
class MercerCheck:
    """What a sample says of a kernel.

    Attributes
    ----------
    refuted : bool
        Whether the sample proves that it is no Mercer kernel.
    smallest : float
        Least eigenvalue of the symmetric part of K.
    noise : float
        Size of the rounding errors in it.
    asymmetry : float
        Largest difference of k(x, z) and k(z, x).
    v : array of shape (n,) or None
        A vector with v'K v < 0, where there is one; ||v|| = 1.
    value : float or None
        v'K v.
    n : int
        Points of the sample.
    """

    refuted: bool
    smallest: float
    noise: float
    asymmetry: float
    v: Vector | None
    value: float | None
    n: int

    @property
    def verdict(self) -> str:
        """'refuted' or 'not refuted'; no sample proves a kernel."""
        return "refuted" if self.refuted else "not refuted"

    def __str__(self) -> str:
        if self.value is not None:
            why = f"v'Kv = {self.value:.4g} < 0 for a unit vector v"
        elif self.refuted:
            why = f"k(x, z) and k(z, x) differ by {self.asymmetry:.4g}"
        else:
            why = f"smallest eigenvalue {self.smallest:.4g}, noise {self.noise:.2g}"
        return f"{self.verdict} on {self.n} points: {why}"


def mercer_check(kernel: Any, X: Any) -> MercerCheck:
    """Test on a sample whether a function is a Mercer kernel, (1).

    Parameters
    ----------
    kernel : Kernel or function
        Of two points, or of two sets of points.
    X : points
        The sample.

    Returns
    -------
    MercerCheck

    Examples
    --------
    >>> import numpy as np
    >>> from corollary.kernels import Gaussian, mercer_check
    >>> X = np.linspace(0, 1, 5)[:, None]
    >>> mercer_check(Gaussian(), X).verdict
    'not refuted'
    >>> print(mercer_check(lambda x, z: -abs(x[0] - z[0]), X))
    refuted on 5 points: v'Kv = -2.072 < 0 for a unit vector v
    """
    K = np.asarray(as_kernel(kernel)(X, X))
    n, eps = len(K), float(np.finfo(K.dtype).eps)
    K = K.astype(np.float64)
    values, vectors = eigh((K + K.T) / 2)
    noise = 10 * n * eps * float(np.abs(values).max())
    asymmetry = float(np.abs(K - K.T).max())
    smallest, v = float(values[0]), None
    if smallest < -noise:
        v = vectors[:, 0]
    value = None if v is None else float(v @ K @ v)
    refuted = v is not None or asymmetry > noise
    return MercerCheck(refuted, smallest, noise, asymmetry, v, value, n)


@readable
@dataclass(frozen=True)
class MercerFeatures:
    """The Mercer features (4) of a kernel, from a sample: call it for phi(x).

    Attributes
    ----------
    kernel : Kernel
    sample : points
    mu : array of shape (r,)
        Eigenvalues (3), falling.
    U : array of shape (n, r)
        Eigenvectors of K.
    """

    kernel: Kernel
    sample: Any
    mu: Floats
    U: Floats

    def __call__(self, X: Any) -> Floats:
        """Return phi(x) of each point, (m, r).

        Parameters
        ----------
        X : points

        Returns
        -------
        array of shape (m, r)
        """
        return self.eigenfunctions(X) * np.sqrt(self.mu)

    def eigenfunctions(self, X: Any) -> Floats:
        """Return psi_i(x) of each point, (m, r).

        Parameters
        ----------
        X : points

        Returns
        -------
        array of shape (m, r)
        """
        n = len(self.U)
        return self.kernel(X, self.sample) @ self.U / (np.sqrt(n) * self.mu)  # (3)


def mercer_features(kernel: Any, X: Any, rank: int | None = None) -> MercerFeatures:
    """Estimate the Mercer features of a kernel from a sample, (3).

    Parameters
    ----------
    kernel : Kernel or function
    X : points
        The sample.
    rank : int, optional
        Features to keep; by default all whose eigenvalue is above the noise.

    Returns
    -------
    MercerFeatures

    Examples
    --------
    >>> import numpy as np
    >>> from corollary.kernels import Polynomial, mercer_features
    >>> X = np.array([[0.0], [1.0], [2.0], [3.0], [4.0]])
    >>> phi = mercer_features(Polynomial(2), X)
    >>> phi(X).shape  # as many as 1, x, x^2
    (5, 3)
    >>> bool(np.allclose(phi(X) @ phi(X).T, Polynomial(2)(X)))
    True
    """
    k = as_kernel(kernel)
    n = count(X)
    if rank is not None and not 1 <= rank <= n:
        must = f"rank must be from 1 to the {n} points of the sample"
        raise ParameterError(sentence("mercer_features", must, repr(rank)))
    K = k(X)
    eps = float(np.finfo(K.dtype).eps)
    values, U = eigh(K.astype(np.float64))
    values, U = values[::-1], U[:, ::-1]
    kept = int((values > 10 * n * eps * np.abs(values).max()).sum())
    kept = kept if rank is None else min(rank, kept)
    return MercerFeatures(k, k.points(X), values[:kept] / n, U[:, :kept])
