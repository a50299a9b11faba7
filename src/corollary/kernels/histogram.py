"""Kernels of histograms: chi-square and intersection.

Also known as: additive and exponential chi-square kernel, generalised min kernel,
histogram intersection kernel.

For rows of counts or shares, x_j >= 0:

    chi-square    sum_j 2 x_j z_j / (x_j + z_j)                                      (1)
                  exp(-gamma sum_j (x_j - z_j)^2 / (x_j + z_j))                      (2)
    intersection  sum_j min(x_j, z_j)                                                (3)

with 0 / 0 = 0.  All are kernels: min(a, b) is the integral of 1{t < a} 1{t < b} over t,
2 a b / (a + b) that of 2 a b exp(-t (a + b)), and (2) is the exponential of (1) with
its rows scaled, because (a - b)^2 / (a + b) = a + b - 4 a b / (a + b):

    (2) = f(x) exp(2 gamma k(x, z)) f(z),  k of (1),  f(x) = exp(-gamma sum_j x_j)   (4)

(What others call the additive chi-square kernel, -sum (x - z)^2 / (x + z), is none: its
matrix has a negative trace or is 0.)

Notation: x, z (d,), no entry below 0.
Course: S4-14. References: Swain and Ballard (1991); Barla, Odone and Verri (2003);
Zhang, Marszalek, Lazebnik and Schmid (2007).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from corollary.core.arrays import Floats
from corollary.core.parameters import missing, real
from corollary.core.records import stored
from corollary.kernels.kernel import Kernel, count
from corollary.kernels.pairs import pair_sums

__all__ = ["ChiSquare", "HistogramIntersection"]


@stored
@dataclass(frozen=True, eq=False, repr=False)
class ChiSquare(Kernel):
    """The chi-square kernel: exponential (2), or additive (1) without gamma.

    Parameters
    ----------
    gamma : float or None, default=1.0
        None for the additive kernel.

    Examples
    --------
    >>> from corollary.kernels import ChiSquare
    >>> ChiSquare(None)([[1.0, 0.0]], [[3.0, 2.0]]).tolist()
    [[1.5]]
    >>> ChiSquare(0.5).formula
    'exp(-0.5 sum (x - z)^2 / (x + z))'
    """

    gamma: float | None = 1.0
    rules: ClassVar = {"gamma": missing | real(0, ends="()")}
    low: ClassVar = 0.0

    def block(self, X: Any, Z: Any) -> Floats:
        """Return (1) or (2) of all pairs."""
        if self.gamma is None:
            return pair_sums("harmonic", X, Z)
        D = pair_sums("chi-square", X, Z)
        D *= -self.gamma
        return np.exp(D, out=D)

    def square_norms(self, X: Any) -> Floats:
        """Return the sum of x, or 1."""
        return row_sums(X) if self.gamma is None else np.ones(count(X), X.dtype)

    @property
    def formula(self) -> str:
        """The sum, or its exponential."""
        if self.gamma is None:
            return "sum 2 x z / (x + z)"
        head = "" if self.gamma == 1 else f"{self.gamma:g} "
        return f"exp(-{head}sum (x - z)^2 / (x + z))"

    def __repr__(self) -> str:
        return f"ChiSquare({'None' if self.gamma is None else f'{self.gamma:g}'})"


@stored
@dataclass(frozen=True, eq=False)
class HistogramIntersection(Kernel):
    """k(x, z) = sum_j min(x_j, z_j), (3).

    Examples
    --------
    >>> from corollary.kernels import HistogramIntersection
    >>> HistogramIntersection()([[1.0, 4.0]], [[3.0, 2.0]]).tolist()
    [[3.0]]
    """

    low: ClassVar = 0.0

    def block(self, X: Any, Z: Any) -> Floats:
        """Return the common part of all pairs, (3)."""
        return pair_sums("intersection", X, Z)

    def square_norms(self, X: Any) -> Floats:
        """Return the sum of x."""
        return row_sums(X)

    @property
    def formula(self) -> str:
        """The sum of the smaller ones."""
        return "sum min(x, z)"


def row_sums(X: Any) -> Floats:
    """Sum each row, dense or sparse."""
    return np.asarray(X.sum(axis=1)).ravel()
