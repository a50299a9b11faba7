"""Kernels of the inner product: linear, polynomial, exponential, bilinear, sigmoid.

Also known as: dot product kernels, the homogeneous and the inhomogeneous polynomial
kernel, the exponential dot product kernel, Mahalanobis inner product, tanh kernel.

    linear        x'z                                                                (1)
    polynomial    (gamma x'z + c)^p           gamma > 0, c >= 0, p = 1, 2, ...       (2)
    exponential   exp(x'z / sigma^2)                                                 (3)
    bilinear      x'A z                       A symmetric, v'A v >= 0                (4)
    sigmoid       tanh(gamma x'z + c)         no kernel in general                   (5)

(2) stands for all monomials of degree p in x and a constant (`PolynomialMap`); with
c = 0 for those of degree exactly p.  (3) is the limit of polynomials with coefficients
1/i!, hence a kernel, and universal: on distinct points its matrix has full rank, which
(2) has only up to the number of its monomials.  (5) has no such series: on most samples
its matrix has negative eigenvalues, and `mercer_check` says so; it is kept because
others offer it.

Notation: x, z (d,); p = degree; c = constant; A (d, d).
Course: S0-29, S1-47, S2-31, S3-66, S4-14, S4-47. References: Vapnik (1995); Steinwart
(2001), universality.
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import scipy.sparse as sp

from corollary.core.arrays import Floats, Matrix
from corollary.core.errors import DataError, ParameterError, sentence
from corollary.core.parameters import array_like, real, whole
from corollary.core.records import stored
from corollary.kernels.algebra import exponential
from corollary.kernels.gram import TileKernel, squares, tile_matrix
from corollary.kernels.kernel import Kernel

__all__ = ["Bilinear", "Exponential", "Linear", "Polynomial", "Sigmoid", "Tiled"]


class Tiled(Kernel):
    """One of the kernels that the solvers fuse in tiles."""

    @property
    @abstractmethod
    def tile(self) -> TileKernel:
        """The kernel in tiles."""

    def block(self, X: Any, Z: Any) -> Floats:
        """Return the block in tiles."""
        return tile_matrix(self.tile, X, Z)

    def square_norms(self, X: Any) -> Floats:
        """Return the diagonal from the squares of the rows."""
        return self.tile.diagonal(X)


@stored
@dataclass(frozen=True, eq=False)
class Linear(Tiled):
    """k(x, z) = x'z, (1).

    Examples
    --------
    >>> from corollary.kernels import Linear
    >>> Linear()([[1.0, 2.0]], [[3.0, 4.0]]).tolist()
    [[11.0]]
    """

    @property
    def tile(self) -> TileKernel:
        """The kernel in tiles."""
        return TileKernel("linear")

    @property
    def formula(self) -> str:
        """The product."""
        return "x'z"


@stored
@dataclass(frozen=True, eq=False, repr=False)
class Polynomial(Tiled):
    """k(x, z) = (gamma x'z + constant)^degree, (2).

    Parameters
    ----------
    degree : int, default=2
    constant : float, default=1.0
        0 for the homogeneous kernel.
    gamma : float, default=1.0

    Examples
    --------
    >>> from corollary.kernels import Polynomial
    >>> k = Polynomial(3)
    >>> k.formula, k([[1.0]], [[2.0]]).tolist()
    ("(x'z + 1)^3", [[27.0]])
    """

    degree: int = 2
    constant: float = 1.0
    gamma: float = 1.0
    rules: ClassVar = {
        "degree": whole(1),
        "constant": real(0),
        "gamma": real(0, ends="(]"),
    }

    @property
    def tile(self) -> TileKernel:
        """The kernel in tiles."""
        gamma, c = float(self.gamma), float(self.constant)
        return TileKernel("poly", gamma, c, int(self.degree))

    @property
    def formula(self) -> str:
        """The power."""
        return f"({affine(self.gamma, self.constant)})^{self.degree}"

    def __repr__(self) -> str:
        more = "" if self.gamma == 1 else f", gamma={self.gamma:g}"
        return f"Polynomial({self.degree}, constant={self.constant:g}{more})"


@stored
@dataclass(frozen=True, eq=False, repr=False)
class Sigmoid(Tiled):
    """tanh(gamma x'z + constant), (5): no Mercer kernel in general.

    Parameters
    ----------
    gamma : float, default=1.0
    constant : float, default=0.0

    Examples
    --------
    >>> from corollary.kernels import Sigmoid
    >>> Sigmoid(5.0, -5.0)
    Sigmoid(5, -5)
    """

    gamma: float = 1.0
    constant: float = 0.0
    rules: ClassVar = {"gamma": real(), "constant": real()}

    @property
    def tile(self) -> TileKernel:
        """The kernel in tiles."""
        return TileKernel("sigmoid", float(self.gamma), float(self.constant))

    @property
    def formula(self) -> str:
        """The hyperbolic tangent."""
        return f"tanh({affine(self.gamma, self.constant)})"

    def __repr__(self) -> str:
        return f"Sigmoid({self.gamma:g}, {self.constant:g})"


@stored
@dataclass(frozen=True, eq=False, repr=False)
class Exponential(Kernel):
    """k(x, z) = exp(x'z / sigma^2), (3).

    Parameters
    ----------
    sigma : float, default=1.0

    Examples
    --------
    >>> from corollary.kernels import Exponential
    >>> Exponential(2.0).formula
    "exp(x'z / 2^2)"
    """

    sigma: float = 1.0
    rules: ClassVar = {"sigma": real(0, ends="()")}

    def block(self, X: Any, Z: Any) -> Floats:
        """Return the exponential of the products, (3)."""
        return exponential(self, product(X, Z) / self.sigma**2)

    def square_norms(self, X: Any) -> Floats:
        """Return exp(||x||^2 / sigma^2)."""
        return exponential(self, squares(X) / self.sigma**2)

    @property
    def formula(self) -> str:
        """The exponential."""
        return f"exp(x'z / {self.sigma:g}^2)"

    def __repr__(self) -> str:
        return f"Exponential({self.sigma:g})"


@stored
@dataclass(frozen=True, eq=False, repr=False)
class Bilinear(Kernel):
    """k(x, z) = x'A z with a positive semi-definite A, (4).

    Parameters
    ----------
    A : array of shape (d, d)
        Symmetric, without negative eigenvalues; both are checked.

    Examples
    --------
    >>> from corollary.kernels import Bilinear
    >>> Bilinear([[2.0, 1.0], [1.0, 2.0]])([[1.0, 0.0]], [[0.0, 1.0]]).tolist()
    [[1.0]]
    >>> Bilinear([[1.0, 2.0], [2.0, 1.0]])
    Traceback (most recent call last):
    corollary.core.errors.ParameterError: Bilinear: A must be positive semi-definite; \
got the eigenvalue -1.
    """

    A: Any
    rules: ClassVar = {"A": array_like}

    def __post_init__(self) -> None:
        super().__post_init__()
        A = np.array(self.A, dtype=np.float64)
        square = A.ndim == 2 and A.shape[0] == A.shape[1]
        if not square or not np.isfinite(A).all():
            must = "A must be a square matrix of finite numbers"
            raise ParameterError(sentence(self, must, f"shape {A.shape}"))
        scale = np.abs(A).max() if A.size else 0.0
        if np.abs(A - A.T).max(initial=0.0) > 1e-10 * scale:
            most = np.abs(A - A.T).max()
            raise ParameterError(
                sentence(self, "A must be symmetric", f"A - A' up to {most:.3g}")
            )
        A = (A + A.T) / 2
        lowest = float(np.linalg.eigvalsh(A)[0])
        if lowest < -1e-10 * scale:
            must = "A must be positive semi-definite"
            raise ParameterError(sentence(self, must, f"the eigenvalue {lowest:.4g}"))
        A.flags.writeable = False
        object.__setattr__(self, "A", A)

    def points(self, X: Any) -> Matrix:
        """Check rows with as many features as A has."""
        X = super().points(X)
        if X.shape[1] != len(self.A):
            must = f"X must have the {len(self.A)} features of A"
            raise DataError(sentence(self, must, f"{X.shape[1]}"))
        return X

    def block(self, X: Any, Z: Any) -> Floats:
        """Return X A Z', (4)."""
        return product(X @ self.A.astype(X.dtype), Z)

    def square_norms(self, X: Any) -> Floats:
        """Return x'A x of each row."""
        left = X @ self.A.astype(X.dtype)
        if sp.issparse(X):
            return np.asarray(X.multiply(left).sum(axis=1)).ravel()
        return np.einsum("ij,ij->i", left, X)

    @property
    def formula(self) -> str:
        """The form."""
        return "x'A z"

    def __repr__(self) -> str:
        return f"Bilinear({np.array2string(self.A, separator=', ', threshold=9)})"


def product(X: Matrix, Z: Matrix) -> Floats:
    """Return x'z of all pairs, dense."""
    U = X @ Z.T
    return U.toarray() if sp.issparse(U) else np.asarray(U)


def affine(gamma: float, c: float) -> str:
    """Write gamma x'z + c."""
    head = "x'z" if gamma == 1 else f"{gamma:g} x'z"
    return head if c == 0 else f"{head} {'+' if c > 0 else '-'} {abs(c):g}"
