"""Polynomial features in few columns: the tensor sketch.

Also known as: TensorSketch, count sketch of polynomial kernels, compact bilinear
pooling.

The kernel (gamma x'z + c)^p stands for the p-fold products of the d features (and a
constant), d^p of them.  A count sketch C x adds every feature, with a random sign, to
one of D random places; it keeps inner products on average.  The sketch of a p-fold
product is the circular convolution of p independent sketches, which a Fourier transform
F turns into a product:

    f(x) = F^-1 [ (F C_1 x) * ... * (F C_p x) ],     E f(x)'f(z) = (x'z)^p           (1)
    Var f(x)'f(z) <= (2 + 3^p) / D  ||x||^2p ||z||^2p                                (2)

at O(p (d + D log D)) a row.  gamma and c are two more features: sqrt(gamma) x, sqrt(c).
The draws depend on random_state alone; the report compares the root mean square error
on the pairs of a sample, relative to ||x||^p ||z||^p, with the root of (2).

Notation: C_i by indexHash_ and bitHash_ (p, d or d + 1); D = n_components; p = degree.
Course: S4-47. References: Pham and Pagh (2013); Avron, Nguyen and Woodruff (2014), (2).
"""

from __future__ import annotations

import math
from functools import partial
from typing import Any, ClassVar, NamedTuple

import numpy as np
import scipy.fft
import scipy.sparse as sp

from corollary.core.arrays import Floats, Matrix, Vector
from corollary.core.errors import DataError, ParameterError, sentence
from corollary.core.parameters import real, seed, whole
from corollary.core.randomness import generator
from corollary.core.report import MeasuredOptimality
from corollary.kernels.gram import squares
from corollary.kernels.inner_product import Polynomial
from corollary.preparation.sampled_map import (
    Drawing,
    Judged,
    SampledMap,
    Seen,
    by_blocks,
)

__all__ = ["PolynomialCountSketch"]

FEW = 2**20  # products up to which a sketch is a matrix, most of it zeros
SIGNS = np.array([-1.0, 1.0])
MOST_BITS = 1000  # of a product of two kernels, in float64


class Numbers(NamedTuple):
    """The numbers of the kernel, but for its degree, and of the sketch."""

    gamma: float
    coef0: float
    D: int


class PolynomialCountSketch(SampledMap):
    """A sketch of the features of the polynomial kernel (gamma x'z + coef0)^degree.

    Parameters
    ----------
    gamma : float, default=1.0
    degree : int, default=2
    coef0 : float, default=0.0
    n_components : int, default=100
        Features D.
    random_state : int, optional
        Seed of the draws.

    Attributes
    ----------
    indexHash_ : array of shape (degree, d or d + 1)
        The place of each feature in each sketch.
    bitHash_ : array of shape (degree, d or d + 1)
        Its sign.
    n_features_in_ : int
    report_ : Report
        With the error on pairs of a sample, and its bound (2).

    Examples
    --------
    >>> import numpy as np
    >>> from corollary import PolynomialCountSketch
    >>> X = np.random.default_rng(0).normal(size=(50, 4))
    >>> model = PolynomialCountSketch(n_components=4000, random_state=0).fit(X)
    >>> f = model.transform(X)
    >>> size = np.outer((X**2).sum(axis=1), (X**2).sum(axis=1))
    >>> bool((np.abs(f @ f.T - (X @ X.T) ** 2) / size).max() < 0.2)
    True
    """

    rules: ClassVar = {
        "gamma": real(0),
        "degree": whole(1),
        "coef0": real(0),
        "n_components": whole(1),
        "random_state": seed,
    }
    shapes: ClassVar = {"indexHash_": "p q", "bitHash_": "p q"}

    def __init__(
        self,
        *,
        gamma: float = 1.0,
        degree: int = 2,
        coef0: float = 0.0,
        n_components: int = 100,
        random_state: Any = None,
    ) -> None:
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.n_components = n_components
        self.random_state = random_state

    # -- learning ------------------------------------------------------------------
    def make(self, seen: Seen, state: Drawing) -> dict[str, Any]:
        """Draw a place and a sign for every feature in every sketch."""
        columns = seen.sample.X.shape[1] + (self.coef0 != 0)
        rng, n = generator(state.seed), self.degree * columns
        places, sides = rng.integers(self.n_components, size=n), rng.integers(2, size=n)
        return {
            "indexHash_": places.reshape(self.degree, columns),
            "bitHash_": SIGNS.astype(state.dtype)[sides].reshape(self.degree, columns),
            "_n_features_out": self.n_components,
        }

    def judge(self, found: dict[str, Any], X: Matrix) -> Judged:
        """Compare products of features with the kernel on all pairs of the sample."""
        X = X.astype(np.float64, copy=False)
        self._check_powers(X)
        places, signs = found["indexHash_"], found["bitHash_"]
        error = MeasuredOptimality(
            f"root mean square error on {X.shape[0]} rows is",
            partial(mean_error, X, places, signs, self._numbers()),
        )
        bound = math.sqrt((2 + 3.0**self.degree) / self.n_components)
        facts = {"mean_error_bound": bound, "n_features_out": self.n_components}
        return Judged(error, facts)

    def _check_powers(self, X: Matrix) -> None:
        """Refuse rows whose kernel, squared, is no number."""
        longest = float(squares(X).max())
        largest = abs(self.gamma) * longest + abs(self.coef0)
        if largest > 0 and 2 * self.degree * math.log2(largest) > MOST_BITS:
            must = f"the kernel of degree {self.degree} must be finite on X"
            came = f"x'x up to {longest:.3g}"
            raise DataError(sentence(self, must, came, "Scale the features."))

    def _audit(self) -> None:
        """Refuse places outside the sketch: files can alter them."""
        p, D = self.indexHash_, self.n_components
        whole_numbers = p.dtype.kind in "iu" and p.size
        if not whole_numbers or p.min() < 0 or p.max() >= D:
            must = f"indexHash_ must hold places from 0 to {D - 1}"
            raise ParameterError(sentence(self, must, "others"))
        if self._n_features_out != D:
            must = f"n_components must be {self._n_features_out}"
            raise ParameterError(sentence(self, must, f"{D}"))

    # -- use -----------------------------------------------------------------------
    def transform(self, X: Any) -> Floats:
        """Return the sketch (1) of each row, (n, D).

        Parameters
        ----------
        X : array or CSR of shape (n, d)

        Returns
        -------
        array of shape (n, D)
        """
        X = self._query(X, self._n_features_out)
        return sketch(X, self.indexHash_, self.bitHash_, self._numbers())

    def _numbers(self) -> Numbers:
        return Numbers(float(self.gamma), float(self.coef0), int(self.n_components))


def sketch(X: Matrix, places: Vector, signs: Vector, numbers: Numbers) -> Floats:
    """Return the sketch (1) of each row, (n, D)."""
    D, d = numbers.D, X.shape[1]
    root = np.sqrt(numbers.gamma)
    sketches = []  # (d, D) each, and where the constant goes
    few = not sp.issparse(X) and X.size * D <= FEW
    for place, sign in zip(places, signs, strict=True):
        values, at = (root * sign[:d]).astype(X.dtype), (np.arange(d), place[:d])
        C: Any = np.zeros((d, D), X.dtype) if few else None
        if few:
            C[at] = values
        else:
            C = sp.csr_array((values, at), shape=(d, D))
        constant = np.zeros(D, X.dtype)
        if len(place) > d:
            constant[place[d]] = sign[d] * np.sqrt(numbers.coef0)
        sketches.append((C, constant))
    who = "PolynomialCountSketch"
    return by_blocks(who, lambda rows, out: convolve(rows, sketches, out), X, D)


def mean_error(X: Matrix, places: Vector, signs: Vector, numbers: Numbers) -> float:
    """Return the root mean square error of the kernel on all pairs of rows.

    It is relative to ||x||^p ||z||^p, as the root of (2) is.
    """
    f, p = sketch(X, places, signs, numbers), len(places)
    K = Polynomial(p, numbers.coef0, numbers.gamma or 1e-300)(X)
    length = (numbers.gamma * squares(X) + numbers.coef0) ** (p / 2)
    size = np.outer(length, length)
    errors = np.abs(f @ f.T - K)[size > 0] / size[size > 0]
    return float(np.sqrt((errors**2).mean())) if errors.size else 0.0


def convolve(X: Matrix, sketches: list[tuple[Any, Floats]], out: Floats) -> None:
    """Write the convolution of the sketches of each row, (1)."""
    product: Any = None
    for C, constant in sketches:
        Y = X @ C
        Y = (Y.toarray() if sp.issparse(Y) else np.asarray(Y)) + constant
        if len(sketches) == 1:
            out[:] = Y
            return
        F = scipy.fft.rfft(Y, axis=1)
        product = F if product is None else np.multiply(product, F, out=product)
    out[:] = scipy.fft.irfft(product, out.shape[1], axis=1)
