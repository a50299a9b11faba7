"""Kernels from kernels: sums, products, scalings, powers, exponentials, maps.

Also known as: kernel algebra, closure properties of kernels, kernel combinators.

If k and l are inner products of features phi and psi, then

    k + l          of (phi, psi)                            side by side             (1)
    c k            of sqrt(c) phi                           c >= 0                   (2)
    k l            of all products phi_i psi_j              Schur's product theorem  (3)
    f(x) k f(z)    of f(x) phi(x)                           a conformal change       (4)
    sum_i a_i k^i  by (1), (2) and (3)                      a_i >= 0                 (5)
    exp k          the limit of (5) with a_i = 1/i!                                  (6)
    k(g(x), g(z))  of phi(g(x))                                                      (7)
    k / sqrt(k(x, x) k(z, z))  by (4) with f = k(x, x)^(-1/2): phi / ||phi||         (8)

A point with k(x, x) = 0 has phi(x) = 0, and (8) is 0 there.

Notation: parts, the kernels inside; weights c, a.
Course: S0-28, S2-32, S3-67. Reference: Shawe-Taylor and Cristianini (2004), ch. 3.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import reduce
from typing import Any, ClassVar

import numpy as np

from corollary.core.arrays import Floats
from corollary.core.errors import DataError, ParameterError, sentence
from corollary.core.parameters import function, real
from corollary.core.records import stored
from corollary.kernels.kernel import Kernel, common_dtype, count

__all__ = [
    "Conformal",
    "Constant",
    "Exp",
    "Normalized",
    "OfMap",
    "PolynomialOf",
    "Product",
    "Scaled",
    "Sum",
]


@stored
@dataclass(frozen=True, eq=False, repr=False)
class Constant(Kernel):
    """k(x, z) = c: the feature sqrt(c).

    Examples
    --------
    >>> from corollary.kernels import Constant
    >>> Constant(2.0)([[1.0], [5.0]]).tolist()
    [[2.0, 2.0], [2.0, 2.0]]
    """

    c: float = 1.0
    rules: ClassVar = {"c": real(0)}
    takes: ClassVar = "anything"

    def block(self, X: Any, Z: Any) -> Floats:
        """Return c for all pairs."""
        return np.full((count(X), count(Z)), self.c, common_dtype(X, Z))

    def square_norms(self, X: Any) -> Floats:
        """Return c for each point."""
        return np.full(count(X), self.c)

    @property
    def formula(self) -> str:
        """The number c."""
        return f"{self.c:g}"

    def __repr__(self) -> str:
        return f"Constant({self.c:g})"


class Joined(Kernel):
    """Several kernels on the same points."""

    parts: tuple[Kernel, ...]

    def __post_init__(self) -> None:
        flat = tuple(
            inner
            for part in self.parts
            for inner in (part.parts if type(part) is type(self) else (part,))
        )
        object.__setattr__(self, "parts", flat)
        kinds = {part.takes for part in flat} - {"anything"}
        if len(kinds) > 1:
            must = "kernels that are joined must take the same kind of points"
            raise ParameterError(sentence(self, must, " and ".join(sorted(kinds))))

    @property
    def takes(self) -> str:  # type: ignore[override]
        """What the points of the parts are."""
        return self._first.takes

    @property
    def low(self) -> float | None:  # type: ignore[override]
        """The least feature that all parts take."""
        return max((p.low for p in self.parts if p.low is not None), default=None)

    @property
    def _first(self) -> Kernel:
        return next((p for p in self.parts if p.takes != "anything"), self.parts[0])

    def points(self, X: Any) -> Any:
        """Check the points for every part."""
        first = self._first
        read = first.points(X)
        for part in self.parts:
            if part is not first and part.low is not None:
                part.points(read)
        return read


@stored
@dataclass(frozen=True, eq=False, repr=False)
class Sum(Joined):
    """k + l + ..., (1).

    Examples
    --------
    >>> from corollary.kernels import Gaussian, Linear
    >>> k = Gaussian(2.0) + 0.5 * Linear()
    >>> k
    Gaussian(2) + 0.5 * Linear()
    >>> k([[1.0]], [[1.0]]).tolist()
    [[1.5]]
    """

    parts: tuple[Kernel, ...]

    def block(self, X: Any, Z: Any) -> Floats:
        """Return the sum of the blocks, (1)."""
        return reduce(np.add, (k.block(X, Z) for k in self.parts))

    def square_norms(self, X: Any) -> Floats:
        """Return the sum of the diagonals."""
        return reduce(np.add, (k.square_norms(X) for k in self.parts))

    @property
    def formula(self) -> str:
        """The formulas with + between."""
        return " + ".join(k.formula for k in self.parts)

    def __repr__(self) -> str:
        return " + ".join(repr(k) for k in self.parts)


@stored
@dataclass(frozen=True, eq=False, repr=False)
class Product(Joined):
    """k l ..., (3).

    Examples
    --------
    >>> from corollary.kernels import Linear
    >>> (Linear() * (Linear() + 1.0))([[2.0]], [[3.0]]).tolist()
    [[42.0]]
    """

    parts: tuple[Kernel, ...]

    def block(self, X: Any, Z: Any) -> Floats:
        """Return the product of the blocks, entry by entry, (3)."""
        return reduce(np.multiply, (k.block(X, Z) for k in self.parts))

    def square_norms(self, X: Any) -> Floats:
        """Return the product of the diagonals."""
        return reduce(np.multiply, (k.square_norms(X) for k in self.parts))

    @property
    def formula(self) -> str:
        """The formulas side by side."""
        return " ".join(f"({k.formula})" for k in self.parts)

    def __repr__(self) -> str:
        return " * ".join(bracketed(k) for k in self.parts)


class Around(Kernel):
    """A kernel made of one other, on its points."""

    kernel: Kernel

    @property
    def takes(self) -> str:  # type: ignore[override]
        """What the points of the kernel inside are."""
        return self.kernel.takes

    @property
    def low(self) -> float | None:  # type: ignore[override]
        """The least feature that the kernel inside takes."""
        return self.kernel.low

    def points(self, X: Any) -> Any:
        """Check the points as the kernel inside does."""
        return self.kernel.points(X)


@stored
@dataclass(frozen=True, eq=False, repr=False)
class Scaled(Around):
    """c k with c >= 0, (2).

    Examples
    --------
    >>> from corollary.kernels import Linear
    >>> -2.0 * Linear()
    Traceback (most recent call last):
    corollary.core.errors.ParameterError: Scaled: c must be a number >= 0; got -2.0.
    """

    c: float
    kernel: Kernel
    rules: ClassVar = {"c": real(0)}

    def block(self, X: Any, Z: Any) -> Floats:
        """Return c times the block, (2)."""
        return self.c * self.kernel.block(X, Z)

    def square_norms(self, X: Any) -> Floats:
        """Return c times the diagonal."""
        return self.c * self.kernel.square_norms(X)

    @property
    def formula(self) -> str:
        """The number before the formula."""
        return f"{self.c:g} ({self.kernel.formula})"

    def __repr__(self) -> str:
        return f"{self.c:g} * {bracketed(self.kernel)}"


@stored
@dataclass(frozen=True, eq=False, repr=False)
class PolynomialOf(Around):
    """a_0 + a_1 k + ... + a_p k^p with a_i >= 0, (5).

    Examples
    --------
    >>> from corollary.kernels import Linear
    >>> Linear().polynomial([1, 2, 1]).formula  # (1 + x'z)^2
    "1 + 2 (x'z) + (x'z)^2"
    """

    kernel: Kernel
    coefficients: tuple[float, ...]

    def __post_init__(self) -> None:
        a = np.asarray(self.coefficients, dtype=np.float64)
        if a.ndim != 1 or not len(a) or not (np.isfinite(a) & (a >= 0)).all():
            must = "the coefficients of a polynomial of a kernel must be numbers >= 0"
            raise ParameterError(sentence(self, must, f"{list(self.coefficients)}"))

    def block(self, X: Any, Z: Any) -> Floats:
        """Return the polynomial of every entry by Horner's rule, (5)."""
        return self._of(self.kernel.block(X, Z))

    def square_norms(self, X: Any) -> Floats:
        """Return the polynomial of the diagonal."""
        return self._of(self.kernel.square_norms(X))

    def _of(self, K: Floats) -> Floats:
        value = np.full_like(K, self.coefficients[-1])
        for a in self.coefficients[-2::-1]:
            value *= K
            value += a
        return value

    @property
    def formula(self) -> str:
        """The terms whose coefficient is not 0."""
        return " + ".join(self._terms(f"({self.kernel.formula})", "^", " ")) or "0"

    def __repr__(self) -> str:
        return " + ".join(self._terms(bracketed(self.kernel), " ** ", " * ")) or "0"

    def _terms(self, k: str, power: str, times: str) -> list[str]:
        terms = []
        for i, a in enumerate(self.coefficients):
            word = "" if i == 0 else k if i == 1 else f"{k}{power}{i}"
            number = f"{a:g}" if i == 0 or a != 1 else ""
            terms += [times.join(t for t in (number, word) if t)] if a else []
        return terms


@stored
@dataclass(frozen=True, eq=False)
class Exp(Around):
    """exp k, (6).

    Examples
    --------
    >>> from corollary.kernels import Exponential, Linear
    >>> x = [[0.5, 1.0]]
    >>> bool(Linear().exp()(x) == Exponential()(x))
    True
    """

    kernel: Kernel

    def block(self, X: Any, Z: Any) -> Floats:
        """Return the exponential of every entry, (6)."""
        return exponential(self, self.kernel.block(X, Z))

    def square_norms(self, X: Any) -> Floats:
        """Return the exponential of the diagonal."""
        return exponential(self, self.kernel.square_norms(X))

    @property
    def formula(self) -> str:
        """Exp of the formula."""
        return f"exp({self.kernel.formula})"


@dataclass(frozen=True, eq=False)
class Conformal(Around):
    """f(x) k(x, z) f(z), (4).

    Examples
    --------
    >>> import numpy as np
    >>> from corollary.kernels import Exponential, Gaussian
    >>> k = Exponential().conformal(lambda X: np.exp(-(X**2).sum(axis=1) / 2))
    >>> X = np.array([[0.0], [0.5], [2.0]])
    >>> bool(np.allclose(k(X), Gaussian()(X)))  # a Gaussian is a changed exponential
    True
    """

    kernel: Kernel
    f: Callable[[Any], Any]
    rules: ClassVar = {"f": function}

    def block(self, X: Any, Z: Any) -> Floats:
        """Return the block with rows and columns rescaled, (4)."""
        return self._f(X)[:, None] * self.kernel.block(X, Z) * self._f(Z)

    def square_norms(self, X: Any) -> Floats:
        """Return f(x)^2 k(x, x)."""
        return self._f(X) ** 2 * self.kernel.square_norms(X)

    def _f(self, X: Any) -> Floats:
        values = np.asarray(self.f(X), dtype=common_dtype(X, X))
        if values.shape != (count(X),):
            must = f"f must give one number for each of the {count(X)} points"
            raise DataError(sentence(self, must, f"shape {values.shape}"))
        return values

    @property
    def formula(self) -> str:
        """The formula between f(x) and f(z)."""
        return f"f(x) ({self.kernel.formula}) f(z)"


@dataclass(frozen=True, eq=False)
class OfMap(Kernel):
    """k(g(x), g(z)), (7).

    Examples
    --------
    >>> import numpy as np
    >>> from corollary.kernels import Linear
    >>> Linear().after(np.abs)([[-2.0]], [[3.0]]).tolist()
    [[6.0]]
    """

    kernel: Kernel
    g: Callable[[Any], Any]
    rules: ClassVar = {"g": function}
    takes: ClassVar = "anything"

    def block(self, X: Any, Z: Any) -> Floats:
        """Return the block of the mapped points, (7)."""
        return self.kernel.block(self._g(X), self._g(Z))

    def square_norms(self, X: Any) -> Floats:
        """Return the diagonal of the mapped points."""
        return self.kernel.square_norms(self._g(X))

    def _g(self, X: Any) -> Any:
        return self.kernel.points(self.g(X))

    @property
    def formula(self) -> str:
        """The formula with g(x) for x."""
        return f"k(g(x), g(z)) where k(x, z) = {self.kernel.formula}"


@stored
@dataclass(frozen=True, eq=False)
class Normalized(Around):
    """k / sqrt(k(x, x) k(z, z)), (8).

    Examples
    --------
    >>> from corollary.kernels import Linear
    >>> Linear().normalized()([[3.0, 0.0]], [[5.0, 5.0]]).round(6).tolist()
    [[0.707107]]
    """

    kernel: Kernel

    def block(self, X: Any, Z: Any) -> Floats:
        """Return the cosines, (8)."""
        K = self.kernel.block(X, Z)
        left, right = (
            inverse_roots(self.kernel.square_norms(X)),
            inverse_roots(self.kernel.square_norms(Z)),
        )
        return (K * left[:, None].astype(K.dtype)) * right.astype(K.dtype)

    def square_norms(self, X: Any) -> Floats:
        """Return 1, or 0 where phi is 0."""
        return (self.kernel.square_norms(X) > 0).astype(np.float64)

    @property
    def formula(self) -> str:
        """The quotient."""
        return f"k / sqrt(k(x, x) k(z, z)) where k = {self.kernel.formula}"


def inverse_roots(k: Floats) -> Floats:
    """Return k^(-1/2), and 0 where k is not above 0."""
    safe = np.where(k > 0, k, 1.0)
    return np.where(k > 0, 1 / np.sqrt(safe), 0.0)


def exponential(who: Kernel, U: Floats) -> Floats:
    """Return exp U; refuse where it is beyond the largest number."""
    highest = float(np.log(np.finfo(U.dtype).max))
    if U.size and U.max() > highest:
        must = f"the exponent must be at most {highest:.4g}"
        remedy = "Scale the points down."
        raise DataError(sentence(who, must, f"{U.max():.4g}", remedy))
    return np.exp(U)


def bracketed(kernel: Kernel) -> str:
    """Write a kernel as a factor."""
    text = repr(kernel)
    return f"({text})" if isinstance(kernel, Sum | PolynomialOf) else text
