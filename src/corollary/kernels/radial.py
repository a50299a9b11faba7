"""Kernels of the distance: Gaussian, Laplacian, inverse multiquadric.

Also known as: radial basis functions, RBF, squared exponential, heat kernel.

    Gaussian               exp(-||x - z||^2 / (2 sigma^2))                           (1)
    Laplacian              exp(-gamma ||x - z||_p),   p = 1 or 2                     (2)
    inverse multiquadric   (||x - z||^2 + c^2)^(-1/2)                                (3)

(1) is written with gamma = 1 / (2 sigma^2) elsewhere, and some write exp(-||x - z||^2 /
s^2), which is sigma = s / sqrt 2: `Gaussian.of_gamma` takes the first.  It is

    exp(-||x||^2 / (2 sigma^2)) exp(x'z / sigma^2) exp(-||z||^2 / (2 sigma^2))       (4)

an exponential kernel with all features scaled to length 1, and also the integral of the
products of the bumps sqrt(2) (gamma/pi)^(1/4) exp(-2 gamma (t - x)^2) over t (one
feature).  All three give distinct points independent features: matrices of full rank.

Notation: ||.|| Euclidean, ||.||_1 the sum of absolute values; (2) with p = 1 is
scikit-learn's.
Course: S0-31, S1-47, S2-31, S3-66, S4-14. References: Schoenberg (1938); Micchelli
(1986).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import scipy.sparse as sp
from scipy.spatial.distance import cdist

from corollary.core.arrays import Floats, Matrix
from corollary.core.errors import ParameterError, sentence
from corollary.core.parameters import real, whole
from corollary.core.records import stored
from corollary.core.rows import dense
from corollary.kernels.gram import TileKernel, squares
from corollary.kernels.inner_product import Tiled, product
from corollary.kernels.kernel import Kernel, common_dtype, count
from corollary.kernels.pairs import pair_sums

__all__ = ["Gaussian", "InverseMultiquadric", "Laplacian"]


@stored
@dataclass(frozen=True, eq=False, repr=False)
class Gaussian(Tiled):
    """k(x, z) = exp(-||x - z||^2 / (2 sigma^2)), (1).

    Also known as: RBF kernel, Gaussian kernel, squared exponential kernel.

    Parameters
    ----------
    sigma : float, default=1.0
        Width.

    Examples
    --------
    >>> from corollary.kernels import Gaussian
    >>> Gaussian(2.0)([[0.0]], [[2.0]]).round(6).tolist()  # exp(-1/2)
    [[0.606531]]
    >>> Gaussian.of_gamma(0.125)
    Gaussian(2)
    """

    sigma: float = 1.0
    rules: ClassVar = {"sigma": real(0, ends="()")}

    @classmethod
    def of_gamma(cls, gamma: float) -> Gaussian:
        """Return exp(-gamma ||x - z||^2).

        Parameters
        ----------
        gamma : float
            1 / (2 sigma^2).

        Returns
        -------
        Gaussian
        """
        if not real(0, ends="()").holds(gamma):
            must = "gamma must be a number > 0"
            raise ParameterError(sentence("Gaussian", must, repr(gamma)))
        return cls(float(np.sqrt(0.5 / gamma)))

    @property
    def gamma(self) -> float:
        """1 / (2 sigma^2)."""
        return 0.5 / float(self.sigma) ** 2

    @property
    def tile(self) -> TileKernel:
        """The kernel in tiles."""
        return TileKernel("rbf", self.gamma)

    @property
    def formula(self) -> str:
        """The exponential."""
        return f"exp(-||x - z||^2 / (2 {self.sigma:g}^2))"

    def __repr__(self) -> str:
        return f"Gaussian({self.sigma:g})"


@stored
@dataclass(frozen=True, eq=False, repr=False)
class Laplacian(Kernel):
    """k(x, z) = exp(-gamma ||x - z||_p), (2).

    Parameters
    ----------
    gamma : float, default=1.0
    p : 1 or 2, default=1
        The norm: sum of absolute values, or Euclidean.

    Examples
    --------
    >>> from corollary.kernels import Laplacian
    >>> Laplacian(0.5, p=2)([[0.0, 0.0]], [[3.0, 4.0]]).round(6).tolist()  # exp(-5/2)
    [[0.082085]]
    """

    gamma: float = 1.0
    p: int = 1
    rules: ClassVar = {"gamma": real(0, ends="()"), "p": whole(1, 2)}

    def block(self, X: Any, Z: Any) -> Floats:
        """Return the exponential of the distances, (2)."""
        if self.p == 1:
            D = pair_sums("distance", X, Z)
        else:
            D = cdist(dense(X), dense(Z)).astype(common_dtype(X, Z), copy=False)
        D *= -self.gamma
        return np.exp(D, out=D)

    def square_norms(self, X: Any) -> Floats:
        """Return 1 for each point."""
        return np.ones(count(X), X.dtype)

    @property
    def formula(self) -> str:
        """The exponential."""
        head = "" if self.gamma == 1 else f"{self.gamma:g} "
        return f"exp(-{head}||x - z||_{self.p})"

    def __repr__(self) -> str:
        return f"Laplacian({self.gamma:g}, p={self.p})"


@stored
@dataclass(frozen=True, eq=False, repr=False)
class InverseMultiquadric(Kernel):
    """k(x, z) = (||x - z||^2 + c^2)^(-1/2), (3).

    Parameters
    ----------
    c : float, default=1.0

    Examples
    --------
    >>> from corollary.kernels import InverseMultiquadric
    >>> InverseMultiquadric(3.0)([[0.0]], [[4.0]]).tolist()
    [[0.2]]
    """

    c: float = 1.0
    rules: ClassVar = {"c": real(0, ends="()")}

    def block(self, X: Any, Z: Any) -> Floats:
        """Return the inverse roots, (3)."""
        return 1 / np.sqrt(squared_distances(X, Z) + self.c**2)

    def square_norms(self, X: Any) -> Floats:
        """Return 1 / c for each point."""
        return np.full(count(X), 1 / self.c, X.dtype)

    @property
    def formula(self) -> str:
        """The inverse root."""
        return f"(||x - z||^2 + {self.c:g}^2)^(-1/2)"

    def __repr__(self) -> str:
        return f"InverseMultiquadric({self.c:g})"


def squared_distances(X: Matrix, Z: Matrix) -> Floats:
    """Return ||x - z||^2 of all pairs; dense points are centred first."""
    if not (sp.issparse(X) or sp.issparse(Z)):
        centre = Z.mean(axis=0, dtype=np.float64).astype(Z.dtype)
        X, Z = X - centre, Z - centre
    D = product(X, Z)
    D *= -2
    D += squares(X)[:, None]
    D += squares(Z)
    return np.maximum(D, 0.0, out=D)
