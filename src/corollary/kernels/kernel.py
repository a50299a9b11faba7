"""Mercer kernels as objects: values, Gram matrices, and an algebra.

Also known as: positive definite kernels, covariance functions, the kernel trick.

A kernel is an inner product after a map, k(x, z) = <phi(x), phi(z)>, that is computed
without the map.  Its Gram matrix on any points,

    K_ij = k(x_i, x_j),    is symmetric,    v'K v = ||sum_i v_i phi(x_i)||^2 >= 0    (1)

Whatever learns from inner products alone learns in the space of phi when k(x, z)
replaces x'z.  From kernels k, l, numbers c >= 0, functions f and maps g come others:

    k + l,   c k,   k l,   f(x) k(x, z) f(z),   k(g(x), g(z)),
    a_0 + a_1 k + ... + a_p k^p with a_i >= 0,  exp k,  k / sqrt(k(x, x) k(z, z))    (2)

written ``k + l``, ``c * k``, ``k * l``, ``k.conformal(f)``, ``k.after(g)``, ``k ** p``,
``k.polynomial(a)``, ``k.exp()`` and ``k.normalized()`` (`kernels/algebra.py`).  What
would leave the cone of kernels, k - l or a negative c, is refused.

Notation: X (n, d), Z (m, d), points in rows; K = k(X) (n, n) or k(X, Z) (n, m).
Course: S0-28, S2-31, S3-68, S4-47. References: Mercer (1909); Aronszajn (1950);
Schoelkopf and Smola (2002).
"""

from __future__ import annotations

import numbers
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields
from typing import Any, ClassVar

import numpy as np
import scipy.sparse as sp
from sklearn.utils import check_array

from corollary.core.arrays import Floats
from corollary.core.checks import check_finite, check_memory
from corollary.core.configuration import get_config
from corollary.core.errors import DataError, ParameterError, sentence
from corollary.core.parameters import Rule, check_parameters
from corollary.core.sparse import in_order, sound_csr
from corollary.core.wording import one_sentence
from corollary.kernels.gram import TileKernel

__all__ = ["Kernel", "gram_matrix"]

BLOCK_BYTES = 2**24  # of kernel values that are made at a time


class Kernel(ABC):
    """A kernel: call it for its matrix, combine it by (2).

    Each kernel is a frozen dataclass that says its value on blocks of points.
    """

    rules: ClassVar[Mapping[str, Rule]] = {}
    takes: ClassVar[str] = "rows"  # what its points are: "rows", "texts", "anything"
    low: ClassVar[float | None] = None  # the least value that a feature may have

    def __post_init__(self) -> None:
        check_parameters(self, self.rules)

    # -- the mathematics, written by each kernel ---------------------------------------
    @abstractmethod
    def block(self, X: Any, Z: Any) -> Floats:
        """Return k(x, z) of all pairs of points that were checked, (n, m)."""

    @abstractmethod
    def square_norms(self, X: Any) -> Floats:
        """Return k(x, x) of points that were checked, (n,)."""

    @property
    @abstractmethod
    def formula(self) -> str:
        """The kernel as mathematics, in x and z."""

    @property
    def tile(self) -> TileKernel | None:
        """The kernel as one that the solvers fuse in tiles, None where it is none."""
        return None

    # -- what users call ---------------------------------------------------------------
    def __call__(self, X: Any, Z: Any = None) -> Floats:
        """Return the Gram matrix of X, or all k(x, z) of X with Z.

        Parameters
        ----------
        X : points
            Array or CSR of shape (n, d); a list of texts for kernels of texts.
        Z : points, optional
            X itself where missing.

        Returns
        -------
        array of shape (n, m)
            float32 where all points are.
        """
        X = self.points(X)
        if Z is None:
            K = self._matrix(X, X)
            np.fill_diagonal(K, self.square_norms(X))
            return K
        return self._matrix(*self._pair(X, self.points(Z)))

    def diagonal(self, X: Any) -> Floats:
        """Return k(x, x) of each point, (n,).

        Parameters
        ----------
        X : points

        Returns
        -------
        array of shape (n,)
        """
        return np.asarray(self.square_norms(self.points(X)))

    def points(self, X: Any) -> Any:
        """Check points: rows of finite numbers, texts, or a sequence of anything."""
        return READERS[self.takes](self, X)

    # -- the algebra (2) ---------------------------------------------------------------
    def __add__(self, other: Any) -> Kernel:
        from corollary.kernels.algebra import Constant, Sum

        if isinstance(other, numbers.Real):
            return Sum((self, Constant(float(other))))
        return Sum((self, other)) if isinstance(other, Kernel) else NotImplemented

    __radd__ = __add__

    def __mul__(self, other: Any) -> Kernel:
        from corollary.kernels.algebra import Product, Scaled

        if isinstance(other, numbers.Real):
            return Scaled(float(other), self)
        return Product((self, other)) if isinstance(other, Kernel) else NotImplemented

    __rmul__ = __mul__

    def __truediv__(self, c: Any) -> Kernel:
        return self * (1.0 / c) if isinstance(c, numbers.Real) else NotImplemented

    def __pow__(self, p: int) -> Kernel:
        from corollary.kernels.algebra import PolynomialOf

        if not isinstance(p, numbers.Integral) or p < 1:
            must = "a power of a kernel must be a whole number >= 1"
            raise ParameterError(sentence(self, must, repr(p)))
        return PolynomialOf(self, (0.0,) * int(p) + (1.0,))

    def __sub__(self, other: Any) -> Kernel:
        must = "kernels can be added, multiplied and scaled by c >= 0"
        remedy = "A difference of kernels need not be a kernel."
        raise ParameterError(sentence(self, must, "a difference", remedy))

    __rsub__ = __sub__

    def __neg__(self) -> Kernel:
        return self * -1.0

    def polynomial(self, coefficients: Sequence[float]) -> Kernel:
        """Return a_0 + a_1 k + ... + a_p k^p, for a_i >= 0.

        Parameters
        ----------
        coefficients : sequence of float
            a_0, a_1, ..., a_p.

        Returns
        -------
        Kernel
        """
        from corollary.kernels.algebra import PolynomialOf

        return PolynomialOf(self, tuple(float(a) for a in coefficients))

    def exp(self) -> Kernel:
        """Return exp k."""
        from corollary.kernels.algebra import Exp

        return Exp(self)

    def conformal(self, f: Callable[[Any], Any]) -> Kernel:
        """Return f(x) k(x, z) f(z).

        Parameters
        ----------
        f : function
            Of all points at once, to one number for each.

        Returns
        -------
        Kernel
        """
        from corollary.kernels.algebra import Conformal

        return Conformal(self, f)

    def after(self, g: Callable[[Any], Any]) -> Kernel:
        """Return k(g(x), g(z)).

        Parameters
        ----------
        g : function
            Of all points at once, to the points that k takes.

        Returns
        -------
        Kernel
        """
        from corollary.kernels.algebra import OfMap

        return OfMap(self, g)

    def normalized(self) -> Kernel:
        """Return k(x, z) / sqrt(k(x, x) k(z, z)), the cosine of the two features."""
        from corollary.kernels.algebra import Normalized

        return Normalized(self)

    # -- one kernel is equal to another where its parameters are -----------------------
    def _values(self) -> tuple[Any, ...]:
        return tuple(getattr(self, f.name) for f in fields(self))  # type: ignore[arg-type]

    def __eq__(self, other: object) -> bool:
        if type(self) is not type(other):
            return NotImplemented
        pairs = zip(self._values(), other._values(), strict=True)
        return all(np.array_equal(a, b) if _is_array(a) else a == b for a, b in pairs)

    def __hash__(self) -> int:
        values = (a.tobytes() if _is_array(a) else a for a in self._values())
        return hash((type(self).__name__, *values))

    def __str__(self) -> str:
        return self.formula

    # -- parts -------------------------------------------------------------------------
    def _matrix(self, X: Any, Z: Any) -> Floats:
        """Make K some rows at a time, so that what is made on the way stays small."""
        n, m, dtype = count(X), count(Z), common_dtype(X, Z)
        whole = f"the {n} x {m} kernel matrix"
        check_memory(self, float(dtype.itemsize) * n * m, whole, "Use fewer points.")
        step = max(16, BLOCK_BYTES // (8 * max(1, m)))
        step = n if self.tile is not None and not sp.issparse(X) else step
        if step >= n:
            return self.block(X, Z).astype(dtype, copy=False)
        K = np.empty((n, m), dtype)
        for a in range(0, n, step):
            K[a : a + step] = self.block(X[a : a + step], Z)
        return K

    def _pair(self, X: Any, Z: Any) -> tuple[Any, Any]:
        """Hold rows to one number of features and one precision."""
        if not (hasattr(X, "shape") and hasattr(Z, "shape") and X.ndim == Z.ndim == 2):
            return X, Z
        if X.shape[1] != Z.shape[1]:
            must = "X and Z must have the same number of features"
            raise DataError(sentence(self, must, f"{X.shape[1]} and {Z.shape[1]}"))
        dtype = common_dtype(X, Z)
        return X.astype(dtype, copy=False), Z.astype(dtype, copy=False)


def gram_matrix(kernel: Any, X: Any, Z: Any = None) -> Floats:
    """Return the Gram matrix of a kernel, in blocks of bounded memory.

    Parameters
    ----------
    kernel : Kernel or function
        A function of two points, or of two sets of points.
    X, Z : points
        Z is X itself where missing.

    Returns
    -------
    array of shape (n, m)

    Examples
    --------
    >>> import numpy as np
    >>> from corollary.kernels import Polynomial, gram_matrix
    >>> X = np.array([[1.0, 1.0], [1.0, -1.0]])
    >>> gram_matrix(Polynomial(2, constant=1.0), X).tolist()
    [[9.0, 1.0], [1.0, 9.0]]
    """
    return as_kernel(kernel)(X, Z)


def as_kernel(kernel: Any) -> Kernel:
    """Return a kernel object, also of a plain function."""
    from corollary.kernels.given import FunctionKernel

    return kernel if isinstance(kernel, Kernel) else FunctionKernel(kernel)


def count(X: Any) -> int:
    """Count points."""
    return int(X.shape[0]) if hasattr(X, "shape") else len(X)


def common_dtype(X: Any, Z: Any) -> np.dtype[Any]:
    """Return float32 where both sets of points are, float64 otherwise."""
    single = all(getattr(A, "dtype", None) == np.float32 for A in (X, Z))
    return np.dtype(np.float32 if single else np.float64)


def read_rows(kernel: Kernel, X: Any) -> Any:
    """Check an array or CSR of finite numbers."""
    with one_sentence(kernel):
        X = check_array(
            sound_csr(kernel, X) if sp.issparse(X) else X,
            accept_sparse="csr",
            dtype=[np.float64, np.float32],
            order="C",
            ensure_all_finite=False,
        )
    X = in_order(X) if sp.issparse(X) else X
    check_finite(kernel, X, threads=get_config().threads)
    values = X.data if sp.issparse(X) else X
    if kernel.low is not None and values.size and values.min() < kernel.low:
        must = f"every feature must be >= {kernel.low:g}"
        remedy = "This kernel compares histograms."
        raise DataError(sentence(kernel, must, f"{values.min():g}", remedy))
    return X


def read_texts(kernel: Kernel, X: Any) -> list[str]:
    """Check a list of texts; rows of letters (see `letters`) are turned into texts."""
    if isinstance(X, str) or not hasattr(X, "__len__"):
        must = "the points must be a list of texts"
        raise DataError(sentence(kernel, must, f"a {type(X).__name__}"))
    if hasattr(X, "ndim") and X.ndim == 2 and X.dtype.kind in "fiu":
        return ["".join(chr(int(c)) for c in row if c > 0) for row in X]
    texts = [str(x) if isinstance(x, np.str_) else x for x in X]
    for x in texts:
        if not isinstance(x, str):
            must = "every point must be a text"
            raise DataError(sentence(kernel, must, f"a {type(x).__name__}"))
    return texts


def read_anything(kernel: Kernel, X: Any) -> Any:
    """Take an array of numbers as rows, other sequences as they are."""
    if sp.issparse(X) or (hasattr(X, "ndim") and X.ndim == 2):
        return read_rows(kernel, X)
    if isinstance(X, list) and X and isinstance(X[0], list | tuple):
        return read_rows(kernel, X)
    if not hasattr(X, "__len__"):
        must = "the points must be a sequence"
        raise DataError(sentence(kernel, must, f"a {type(X).__name__}"))
    return X


READERS: Mapping[str, Callable[[Kernel, Any], Any]] = {
    "rows": read_rows,
    "texts": read_texts,
    "anything": read_anything,
}


def _is_array(value: Any) -> bool:
    return isinstance(value, np.ndarray)
