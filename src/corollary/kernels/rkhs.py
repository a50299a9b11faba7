"""Functions in a kernel's space, as objects.

Also known as: RKHS, reproducing kernel Hilbert space, kernel expansions.

The space of a kernel is made of the functions

    f = sum_i a_i k(., x_i)                                                          (1)

and their limits, with the inner product, for g = sum_j b_j k(., z_j),

    <f, g> = sum_i sum_j a_i b_j k(x_i, z_j) = a'K b,     ||f||^2 = a'K a            (2)

so that evaluation is an inner product (reproduction) and norms bound values:

    f(x) = <f, k(., x)>,     |f(x) - g(x)| <= ||f - g|| sqrt(k(x, x))                (3)

(a limit of such sums is in the space where its norm (2) stays bounded; sum_i a_i^2
k(x_i, x_i) < infinity does not do: with all x_i equal and a_i = 1/i it is finite, while
the function is not).  The function in the span of k(., z_1), ..., k(., z_m) that is
nearest to f agrees with it at all z_j:

    P f = sum_j b_j k(., z_j), k(Z, Z) b = f(Z), ||f||^2 = ||P f||^2 + ||f - P f||^2 (4)

Notation: a (n,) = coefficients; x_i = points; K_ij = k(x_i, z_j).
Course: S2-34. References: Aronszajn (1950); Berlinet and Thomas-Agnan (2004).
"""

from __future__ import annotations

import numbers
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.linalg
import scipy.sparse as sp

from corollary.core.arrays import Floats
from corollary.core.errors import DataError, ParameterError, sentence
from corollary.core.records import readable
from corollary.kernels.kernel import Kernel, count

__all__ = ["RKHSFunction", "feature"]


@readable
@dataclass(frozen=True, eq=False)
class RKHSFunction:
    """A function (1): call it, add it, scale it, take its norm.

    Parameters
    ----------
    kernel : Kernel
    points : points
        x_i, array of shape (n, d) or a list of texts.
    coefficients : array of shape (n,)
        a_i.

    Examples
    --------
    >>> import numpy as np
    >>> from corollary.kernels import Linear, RKHSFunction
    >>> f = RKHSFunction(Linear(), np.eye(2), [3.0, 4.0])  # 3 x_1 + 4 x_2
    >>> f([[1.0, 1.0]]).tolist(), f.norm()
    ([7.0], 5.0)
    >>> (f - 2 * f).norm()
    5.0
    """

    kernel: Kernel
    points: Any
    coefficients: Floats

    def __post_init__(self) -> None:
        points = self.kernel.points(self.points)
        a = np.array(self.coefficients, dtype=np.float64)
        if a.shape != (count(points),) or not np.isfinite(a).all():
            must = f"coefficients must be {count(points)} finite numbers, one a point"
            raise DataError(sentence(self, must, f"shape {a.shape}"))
        object.__setattr__(self, "points", points)
        object.__setattr__(self, "coefficients", a)

    def __call__(self, X: Any) -> Floats:
        """Return f(x) of each point, (m,).

        Parameters
        ----------
        X : points

        Returns
        -------
        array of shape (m,)
        """
        return self.kernel(X, self.points) @ self.coefficients  # (1)

    def __add__(self, other: RKHSFunction) -> RKHSFunction:
        if not isinstance(other, RKHSFunction):
            return NotImplemented
        self._check_same_space(other)
        points = stacked(self.points, other.points)
        a = np.concatenate([self.coefficients, other.coefficients])
        return RKHSFunction(self.kernel, points, a)

    def __mul__(self, c: float) -> RKHSFunction:
        if not isinstance(c, numbers.Real):
            return NotImplemented
        return RKHSFunction(self.kernel, self.points, float(c) * self.coefficients)

    __rmul__ = __mul__

    def __neg__(self) -> RKHSFunction:
        return -1.0 * self

    def __sub__(self, other: RKHSFunction) -> RKHSFunction:
        return self + (-other)

    def inner(self, other: RKHSFunction) -> float:
        """Return <f, g>, (2).

        Parameters
        ----------
        other : RKHSFunction
            With the same kernel.

        Returns
        -------
        float
        """
        self._check_same_space(other)
        return float(self.coefficients @ other(self.points))

    def norm(self) -> float:
        """Return ||f||, (2); what rounding leaves below 0 counts as 0."""
        return float(np.sqrt(max(0.0, self.inner(self))))

    def distance(self, other: RKHSFunction) -> float:
        """Return ||f - g||.

        Parameters
        ----------
        other : RKHSFunction

        Returns
        -------
        float
        """
        return (self - other).norm()

    def bound(self, X: Any) -> Floats:
        """Return norm(f) sqrt(k(x, x)) of each point, which f(x) never exceeds, (3).

        Parameters
        ----------
        X : points

        Returns
        -------
        array of shape (m,)
        """
        return self.norm() * np.sqrt(self.kernel.diagonal(X))

    def project(self, Z: Any) -> RKHSFunction:
        """Return the nearest function in the span of k(., z_1), ..., k(., z_m), (4).

        Parameters
        ----------
        Z : points
            Where their features depend on each other, the shortest b is taken.

        Returns
        -------
        RKHSFunction
        """
        K = self.kernel(Z).astype(np.float64)
        b, *_ = scipy.linalg.lstsq(K, self(Z), cond=10 * len(K) * np.finfo(float).eps)
        return RKHSFunction(self.kernel, Z, b)

    def _check_same_space(self, other: RKHSFunction) -> None:
        if self.kernel != other.kernel:
            must = f"both functions must have the kernel {self.kernel!r}"
            raise ParameterError(sentence(self, must, repr(other.kernel)))


def feature(kernel: Kernel, x: Any) -> RKHSFunction:
    """Return k(., x), the feature of one point.

    Parameters
    ----------
    kernel : Kernel
    x : point
        Array of shape (d,), or a text.

    Returns
    -------
    RKHSFunction

    Examples
    --------
    >>> from corollary.kernels import Gaussian, feature
    >>> feature(Gaussian(), [1.0, 2.0]).norm()
    1.0
    """
    return RKHSFunction(kernel, [x], np.ones(1))


def stacked(X: Any, Z: Any) -> Any:
    """Return the points of both."""
    if sp.issparse(X) or sp.issparse(Z):
        return sp.vstack([X, Z], format="csr")
    return [*X, *Z] if isinstance(X, list) else np.concatenate([X, Z])
