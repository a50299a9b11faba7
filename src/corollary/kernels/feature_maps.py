"""Feature maps written out: polynomials exactly, the Gaussian as a series cut off.

Also known as: explicit feature maps, feature lifting, monomial features, Taylor
features, the kernel trick undone.

    polynomial   (gamma x'z + c)^p = sum_n m_n(x) m_n(z)                             (1)
        m_n(x) = sqrt(p! / (n_0! n_1! ... n_d!)) c^(n_0/2) prod_j (sqrt(gamma) x_j)^n_j

over all n_0 + n_1 + ... + n_d = p: C(d + p, p) monomials of degree up to p, and with c
= 0 the C(d + p - 1, p) of degree p alone.  In two dimensions with p = 2 and c = 0 that
is (x_1^2, sqrt(2) x_1 x_2, x_2^2).  A product of degree p in d features costs O(d) by
the kernel, O(d^p) by the map.

    Gaussian     exp(-||x - z||^2 / (2 s^2)) = sum_n g_n(x) g_n(z)                   (2)
        g_n(x) = exp(-||x||^2 / (2 s^2)) prod_j x_j^n_j / (s^|n| sqrt(prod_j n_j!))

over all n, infinitely many.  Cut after |n| = p, what is lost of (2) is at most, with a
= ||x|| ||z|| / s^2,

    exp(-a) sum_{j > p} a^j / j!  =  P(Poisson(a) > p)                               (3)

because ||x||^2 + ||z||^2 >= 2 ||x|| ||z|| and |x'z| <= ||x|| ||z||; it grows with a, so
that in a ball of radius R about 0 it is largest for a = R^2 / s^2, and there, at x = z
with ||x|| = R, it is attained.

    lifting      x -> (x, x^2, ..., x^p)   makes classes on a line separable         (4)

Notation: n = (n_0, ..., n_d), |n| = n_1 + ... + n_d; s = sigma; p = degree; c =
constant.
Course: S0-29, S0-31, S2-33, S3-65, S4-47. References: Cotter, Keshet and Srebro (2011),
the Gaussian's Taylor features; Cover (1965).
"""

from __future__ import annotations

from dataclasses import dataclass
from math import comb, factorial
from typing import Any, ClassVar

import numpy as np
from scipy.special import gammainc

from corollary.core.arrays import Floats, Vector
from corollary.core.checks import check_memory
from corollary.core.errors import ParameterError, sentence
from corollary.core.parameters import check_parameters, real, whole
from corollary.core.rows import dense
from corollary.kernels.gram import squares
from corollary.kernels.inner_product import Polynomial
from corollary.kernels.kernel import Kernel
from corollary.kernels.radial import Gaussian

__all__ = ["GaussianMap", "PolynomialMap", "lifted", "products"]

MOST_DEGREE = 10_000  # more terms than any sum of features has


@dataclass(frozen=True)
class PolynomialMap:
    """The monomials (1) of the polynomial kernel: call it for the features.

    Parameters
    ----------
    degree : int, default=2
    constant : float, default=1.0
        c; 0 for monomials of degree p alone.
    gamma : float, default=1.0

    Examples
    --------
    >>> import numpy as np
    >>> from corollary.kernels import PolynomialMap
    >>> phi = PolynomialMap(2, constant=0.0)
    >>> phi(np.array([[1.0, 2.0]])).round(4).tolist(), phi.powers(2).tolist()
    ([[1.0, 2.8284, 4.0]], [[2, 0], [1, 1], [0, 2]])
    >>> PolynomialMap(2).dimension(2)
    6
    """

    degree: int = 2
    constant: float = 1.0
    gamma: float = 1.0
    rules: ClassVar = Polynomial.rules

    def __post_init__(self) -> None:
        check_parameters(self, self.rules)

    @property
    def kernel(self) -> Polynomial:
        """The kernel whose features these are."""
        return Polynomial(self.degree, self.constant, self.gamma)

    def dimension(self, d: int) -> int:
        """Count the features of d inputs."""
        return comb(d + self.degree - (self.constant == 0), self.degree)

    def powers(self, d: int) -> Vector:
        """Return n_1, ..., n_d of each feature, (D, d)."""
        p = self.degree
        degrees = range(p, -1, -1) if self.constant else (p,)
        return np.vstack([exponents(d, j) for j in degrees])

    def __call__(self, X: Any) -> Floats:
        """Return the features of each row, (n, D).

        Parameters
        ----------
        X : array or CSR of shape (n, d)

        Returns
        -------
        array of shape (n, D)
        """
        X = rows_for(self, self.kernel, X, self.dimension)
        p, parts = self.degree, []
        for j, M in enumerate(monomials(np.sqrt(self.gamma) * X, p)):
            if j == p or self.constant:
                ways = factorial(p) / (factorials(X.shape[1], j) * factorial(p - j))
                parts.append(M * np.sqrt(ways * self.constant ** (p - j)))  # (1)
        return np.hstack(parts[::-1]).astype(X.dtype, copy=False)


@dataclass(frozen=True)
class GaussianMap:
    """The series (2) of the Gaussian kernel, cut off: call it for the features.

    Also known as: truncated feature map, Taylor features.

    Parameters
    ----------
    sigma : float, default=1.0
    degree : int, default=4
        p, the degree of the last terms.

    Examples
    --------
    >>> import numpy as np
    >>> from corollary.kernels import Gaussian, GaussianMap
    >>> phi = GaussianMap(2.0, degree=6)
    >>> X = np.array([[0.0, 0.9], [0.5, -0.5], [0.8, 0.0]])
    >>> error = np.abs(phi(X) @ phi(X).T - Gaussian(2.0)(X)).max()
    >>> bool(error <= phi.error_bound(1.0)), phi.error_bound(1.0) < 1e-8
    (True, True)
    """

    sigma: float = 1.0
    degree: int = 4
    rules: ClassVar = {"sigma": real(0, ends="()"), "degree": whole(0)}

    def __post_init__(self) -> None:
        check_parameters(self, self.rules)

    @classmethod
    def within(cls, error: float, radius: float, sigma: float = 1.0) -> GaussianMap:
        """Return the shortest map whose error in a ball is at most a given one.

        Parameters
        ----------
        error : float
            Above 0.
        radius : float
            R of the ball about 0.
        sigma : float, default=1.0

        Returns
        -------
        GaussianMap
        """
        if not real(0, ends="()").holds(error):
            must = "error must be a number > 0"
            raise ParameterError(sentence("GaussianMap", must, repr(error)))
        for p in range(MOST_DEGREE + 1):
            if cls(sigma, p).error_bound(radius) <= error:
                return cls(sigma, p)
        must = f"a degree up to {MOST_DEGREE} must bring the error below {error:g}"
        came = f"radius = {radius:g} with sigma = {sigma:g}"
        raise ParameterError(sentence("GaussianMap", must, came, "Raise sigma."))

    @property
    def kernel(self) -> Gaussian:
        """The kernel that the features approach."""
        return Gaussian(self.sigma)

    def dimension(self, d: int) -> int:
        """Count the features of d inputs."""
        return comb(d + self.degree, self.degree)

    def powers(self, d: int) -> Vector:
        """Return n_1, ..., n_d of each feature, (D, d)."""
        return np.vstack([exponents(d, j) for j in range(self.degree + 1)])

    def error_bound(self, radius: float) -> float:
        """Return the largest error (3) for two points of norm <= radius.

        Parameters
        ----------
        radius : float

        Returns
        -------
        float
        """
        return float(gammainc(self.degree + 1, (radius / self.sigma) ** 2))

    def __call__(self, X: Any) -> Floats:
        """Return the features of each row, (n, D).

        Parameters
        ----------
        X : array or CSR of shape (n, d)

        Returns
        -------
        array of shape (n, D)
        """
        X = rows_for(self, self.kernel, X, self.dimension) / self.sigma
        d = X.shape[1]
        series = monomials(X, self.degree)
        parts = [M / np.sqrt(factorials(d, j)) for j, M in enumerate(series)]
        features = np.hstack(parts) * np.exp(-squares(X) / 2)[:, None]  # (2)
        return features.astype(X.dtype, copy=False)


def products(X: Any, degree: int = 2) -> Floats:
    """Return all products of `degree` features in every order, d^degree of them.

    Their inner product is (x'z)^degree, with equal products listed apart.

    Parameters
    ----------
    X : array of shape (n, d)
    degree : int, default=2

    Returns
    -------
    array of shape (n, d^degree)

    Examples
    --------
    >>> from corollary.kernels import products
    >>> products([[1.0, 2.0, 3.0]]).tolist()
    [[1.0, 2.0, 3.0, 2.0, 4.0, 6.0, 3.0, 6.0, 9.0]]
    """
    kernel = Polynomial(degree, constant=0.0)
    X = rows_for("products", kernel, X, lambda d: d**degree)
    P = X
    for _ in range(degree - 1):
        P = (P[:, :, None] * X[:, None, :]).reshape(len(X), -1)
    return P


def lifted(X: Any, degree: int = 2) -> Floats:
    """Return x, x^2, ..., x^degree of every feature, (4).

    Parameters
    ----------
    X : array of shape (n, d)
    degree : int, default=2

    Returns
    -------
    array of shape (n, d degree)

    Examples
    --------
    >>> from corollary.kernels import lifted
    >>> lifted([[-3.0], [2.0]]).tolist()
    [[-3.0, 9.0], [2.0, 4.0]]
    """
    kernel = Polynomial(degree, constant=0.0)
    X = rows_for("lifted", kernel, X, lambda d: d * degree)
    return np.hstack([X**p for p in range(1, degree + 1)])


def rows_for(who: Any, kernel: Kernel, X: Any, dimension: Any) -> Floats:
    """Check rows, and that their features fit in memory."""
    X = dense(kernel.points(X))
    D = dimension(X.shape[1])
    what = f"the {len(X)} x {D} features"
    remedy = "Use the kernel, a lower degree, or PolynomialCountSketch."
    check_memory(who, float(X.itemsize) * len(X) * D, what, remedy)
    return X


def exponents(d: int, degree: int) -> Vector:
    """Return the powers of all monomials of one degree, in the order of `monomials`."""
    if degree == 0:
        return np.zeros((1, d), dtype=int)
    lower = exponents(d, degree - 1)
    first = lead(lower)
    parts = []
    for j in range(d):
        part = lower[first >= j].copy()
        part[:, j] += 1
        parts.append(part)
    return np.vstack(parts)


def lead(powers: Vector) -> Vector:
    """Return the first feature in each monomial; d for the constant."""
    d = powers.shape[1]
    return np.where(powers.any(axis=1), (powers > 0).argmax(axis=1), d)


def monomials(X: Floats, degree: int) -> list[Floats]:
    """Return all monomials of degree 0, 1, ..., `degree`, each degree in one array.

    A monomial of degree j is a feature times one of degree j - 1 whose first feature is
    the same or a later one.
    """
    d = X.shape[1]
    found = [np.ones((len(X), 1), X.dtype)]
    for j in range(1, degree + 1):
        first = lead(exponents(d, j - 1))
        lower = found[-1]
        found.append(np.hstack([X[:, [q]] * lower[:, first >= q] for q in range(d)]))
    return found


def factorials(d: int, degree: int) -> Floats:
    """Return n_1! ... n_d! of all monomials of one degree."""
    table = np.array([float(factorial(i)) for i in range(degree + 1)])
    return np.asarray(table[exponents(d, degree)].prod(axis=1))
