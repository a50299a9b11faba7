"""Kernels that a user brings: a function, or a matrix that was computed before.

Also known as: custom kernels, precomputed kernels.

A function may be of two points, k(x, z) a number, or of two sets of points, k(X, Z) a
matrix; which of the two is found out by a trial.  A matrix K is a kernel on the numbers
of its rows: k(i, j) = K_ij, so that machines and algebra take it like any other.
`mercer_check` tests either on a sample.

Notation: K (n, n).
Course: S2-31. Reference: Schoelkopf and Smola (2002), ch. 2.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from corollary.core.arrays import Floats, Vector
from corollary.core.errors import DataError, ParameterError, sentence
from corollary.core.parameters import array_like, one_of
from corollary.core.parameters import function as any_function
from corollary.core.records import stored
from corollary.kernels.kernel import Kernel, count

__all__ = ["FunctionKernel", "Precomputed"]


@dataclass(frozen=True, eq=False)
class FunctionKernel(Kernel):
    """A kernel from a function of two points or of two sets of points.

    Parameters
    ----------
    function : function
        k(x, z) -> number, or k(X, Z) -> array of shape (n, m).
    of : {'auto', 'points', 'sets'}, default='auto'
        Which of the two it is; 'auto' tries.

    Examples
    --------
    >>> from corollary.kernels import FunctionKernel
    >>> k = FunctionKernel(lambda x, z: min(x[0], z[0]))
    >>> k([[1.0], [2.0]]).tolist()
    [[1.0, 1.0], [1.0, 2.0]]
    """

    function: Callable[[Any, Any], Any]
    of: str = "auto"
    rules: ClassVar = {"function": any_function, "of": one_of("auto", "points", "sets")}
    takes: ClassVar = "anything"

    def block(self, X: Any, Z: Any) -> Floats:
        """Return the matrix from one call, or from a call for each pair."""
        shape = (count(X), count(Z))
        if self._of_sets(X, Z):
            K = np.asarray(self.function(X, Z), dtype=np.float64)
        else:
            K = np.array([[self._value(x, z) for z in Z] for x in X])
            K = K.reshape(shape)
        if K.shape != shape or not np.isfinite(K).all():
            must = f"the function must give finite numbers of shape {shape}"
            came = "NaN or infinity" if K.shape == shape else f"shape {K.shape}"
            raise DataError(sentence(self, must, came))
        return K

    def square_norms(self, X: Any) -> Floats:
        """Return the value of each point with itself."""
        one = (self.block(X[i : i + 1], X[i : i + 1]) for i in range(count(X)))
        return np.array([K[0, 0] for K in one])

    def _value(self, x: Any, z: Any) -> float:
        value = np.asarray(self.function(x, z), dtype=np.float64)
        if value.size != 1:
            must = "a function of two points must give one number"
            raise DataError(sentence(self, must, f"shape {value.shape}"))
        return float(value.reshape(()))

    def _of_sets(self, X: Any, Z: Any) -> bool:
        """Tell whether two points and three give a 2 x 3 matrix."""
        if self.of != "auto":
            return self.of == "sets"
        two, three = repeated(X, 2), repeated(Z, 3)
        try:
            return np.shape(self.function(two, three)) == (2, 3)
        except (TypeError, ValueError, AttributeError, IndexError, KeyError):
            return False

    @property
    def formula(self) -> str:
        """The name of the function."""
        return f"{getattr(self.function, '__name__', 'k')}(x, z)"


@stored
@dataclass(frozen=True, eq=False, repr=False)
class Precomputed(Kernel):
    """A kernel on the numbers 0, 1, ... of the rows of a matrix.

    Parameters
    ----------
    K : array of shape (n, n)
        Symmetric.

    Examples
    --------
    >>> import numpy as np
    >>> from corollary.kernels import Precomputed
    >>> k = Precomputed([[2.0, 1.0], [1.0, 3.0]])
    >>> k([[1], [0]]).tolist()
    [[3.0, 1.0], [1.0, 2.0]]
    """

    K: Any
    rules: ClassVar = {"K": array_like}

    def __post_init__(self) -> None:
        super().__post_init__()
        K = np.array(self.K, dtype=np.float64)
        if K.ndim != 2 or K.shape[0] != K.shape[1] or not np.isfinite(K).all():
            must = "K must be a square matrix of finite numbers"
            raise ParameterError(sentence(self, must, f"shape {K.shape}"))
        apart = np.abs(K - K.T).max(initial=0.0)
        if apart > 1e-8 * np.abs(K).max(initial=0.0):
            must = "K must be symmetric"
            raise ParameterError(sentence(self, must, f"K - K' up to {apart:.3g}"))
        K.flags.writeable = False
        object.__setattr__(self, "K", K)

    def points(self, X: Any) -> Any:
        """Check row numbers, (n, 1) or (n,)."""
        X = np.asarray(X, dtype=np.float64).reshape(len(X), -1)
        X = super().points(X)
        n = len(self.K)
        if X.shape[1] != 1 or (X != np.floor(X)).any() or X.min() < 0 or X.max() >= n:
            must = f"the points must be one column of row numbers from 0 to {n - 1}"
            worst = X[(X < 0) | (X >= n) | (X != np.floor(X))]
            came = f"{worst[0]:g}" if len(worst) else f"{X.shape[1]} columns"
            raise DataError(sentence(self, must, came))
        return X

    def block(self, X: Any, Z: Any) -> Floats:
        """Cut the matrix."""
        return self.K[np.ix_(row_numbers(X), row_numbers(Z))]

    def square_norms(self, X: Any) -> Floats:
        """Cut the diagonal."""
        return np.diagonal(self.K)[row_numbers(X)]

    @property
    def formula(self) -> str:
        """The entry."""
        return "K_xz"

    def __repr__(self) -> str:
        return f"Precomputed({len(self.K)} x {len(self.K)})"


def row_numbers(X: Floats) -> Vector:
    """Return row numbers as such."""
    return X[:, 0].astype(np.int64)


def repeated(X: Any, times: int) -> Any:
    """Return the first point so many times."""
    return X[[0] * times] if hasattr(X, "shape") else [X[0]] * times
