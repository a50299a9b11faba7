"""Linear methods in a kernel's feature space: the kernel, its matrix, its expansions.

By the representer theorem what a penalised linear method finds in the space of phi,
k(x, z) = <phi(x), phi(z)>, lies in the span of the rows,

    h(x) = sum_i a_i k(x, x_i)                                                   (1)

so that the method needs no more than the matrix K_ij = k(x_i, x_j).  All n rows are
kept for prediction, and there is no summation form: a linear method on random Fourier
features or on Nystrom's is the relative that has.

    linear      x'z                          laplacian  exp(-gamma ||x - z||_1)
    poly        (gamma x'z + coef0)^degree   cosine     x'z / (||x|| ||z||)
    sigmoid     tanh(gamma x'z + coef0)      chi2       exp(-gamma sum_j (x_j - z_j)^2
    rbf         exp(-gamma ||x - z||^2)                           / (x_j + z_j))  (2)

References: Scholkopf, Herbrich and Smola (2001); Shawe-Taylor and Cristianini (2004).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, ClassVar, Self

import numpy as np
import scipy.sparse as sp
from sklearn.metrics.pairwise import pairwise_kernels

from corollary.core.arrays import Floats, Matrix, Vector
from corollary.core.checks import check_memory
from corollary.core.configuration import get_config
from corollary.core.errors import DataError, sentence
from corollary.core.parameters import Rule, function, missing, one_of, real, whole
from corollary.core.report import Report
from corollary.engine.blocks import row_products
from corollary.engine.executors.executor import single_threaded_blas
from corollary.engine.sources.source import Chunk
from corollary.kernels.expansion import Kernel, expansion
from corollary.kernels.gram import BlockGram, MatrixGram, TiledGram, TileKernel, blocks
from corollary.solvers.smo import Gram
from corollary.svm.machine import KernelMachine

__all__ = ["KERNELS", "SPACE_RULES", "FeatureSpaceLearner"]

KERNELS = (
    "linear",
    "poly",
    "polynomial",
    "rbf",
    "sigmoid",
    "laplacian",
    "cosine",
    "chi2",
    "additive_chi2",
    "precomputed",
)
TILED = {"linear": "linear", "poly": "poly", "polynomial": "poly"}
TILED |= {"rbf": "rbf", "sigmoid": "sigmoid"}
FEW_COLUMNS = 8  # that are summed tile by tile, without a product
BLOCK_BYTES = 2**24  # of kernel values at a time, of kernels without tiles

#: Rules of the parameters that say what the kernel is.
SPACE_RULES: dict[str, Rule] = {
    "kernel": one_of(*KERNELS) | function,
    "gamma": missing | one_of("scale", "auto") | real(0, ends="(]"),
    "degree": whole(0),
    "coef0": real(),
    "kernel_params": missing | Rule("a dict", lambda v: isinstance(v, dict)),
}


@dataclass(frozen=True)
class NamedKernel:
    """A kernel of scikit-learn's, by name."""

    name: str
    gamma: float

    def __call__(self, X: Matrix, Z: Matrix) -> Floats:
        """Return k(X, Z)."""
        return pairwise_kernels(X, Z, self.name, filter_params=True, gamma=self.gamma)


@dataclass(frozen=True)
class CalledKernel:
    """A user's function, of two sets of rows or of two rows."""

    learner: Any
    function: Any
    more: dict[str, Any] = field(default_factory=dict)

    def __call__(self, X: Matrix, Z: Matrix) -> Floats:
        """Return k(X, Z), checked."""
        if self._takes_sets(X, Z):
            K = np.asarray(self.function(X, Z, **self.more), dtype=np.float64)
        else:
            K = np.array([[self.function(x, z, **self.more) for z in Z] for x in X])
        expected = (X.shape[0], Z.shape[0])
        if K.shape != expected or K.dtype.kind not in "fiu":
            must = f"kernel must return a matrix of shape {expected}"
            raise DataError(sentence(self.learner, must, f"{K.shape}"))
        if not np.isfinite(K).all():
            must = "kernel must return finite numbers"
            raise DataError(sentence(self.learner, must, "NaN or infinity"))
        return K

    def _takes_sets(self, X: Matrix, Z: Matrix) -> bool:
        """Ask for the kernel of two rows with three, or four where d is 3."""
        m = 4 if X.shape[1] == 3 else 3
        try:
            K = self.function(X[[0] * 2], Z[[0] * m], **self.more)
            return np.shape(K) == (2, m)
        except (ValueError, TypeError, IndexError):
            return sp.issparse(X)


class FeatureSpaceLearner(KernelMachine):
    """A linear method in feature space; keeps all rows as `X_fit_`."""

    space_rules: ClassVar = SPACE_RULES
    takes_things = False
    kernel_params: dict[str, Any] | None
    X_fit_: Any

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Learn from data.

        Parameters
        ----------
        X : array, sparse matrix, data frame, or Source
            Rows are examples; the kernel matrix (n, n) where it is precomputed.
        y : array of shape (n,) or (n, t)
            Targets; None where the source carries them.
        sample_weight : array of shape (n,), optional
            Weight w counts a row w times; 0 removes it.

        Returns
        -------
        self
        """

        def learn(chunk: Chunk, report: Report) -> None:
            self._mark(sample_weight)
            self.learn(chunk, report)

        return self.fit_by(learn, X, y, sample_weight)

    def _mark(self, sample_weight: Any) -> None:
        """Note which rows, and so which columns, of a given matrix have a weight."""
        if self.kernel == "precomputed":
            w = np.zeros(0) if sample_weight is None else np.asarray(sample_weight)
            known = w.ndim == 1 and w.dtype.kind in "fiub"
            self.rows_ = np.flatnonzero(w if known else np.zeros(0))

    # -- the kernel ------------------------------------------------------------------
    def _open(
        self, X: Matrix, w: Vector | None, report: Report
    ) -> tuple[Matrix, Kernel | None]:
        """Read the kernel; of a precomputed matrix, keep the rows' own columns."""
        if self.kernel == "precomputed":
            if not len(self.rows_):
                self.rows_ = np.arange(X.shape[0])
            if self.rows_[-1] < X.shape[1] and len(self.rows_) < X.shape[1]:
                X = X[:, self.rows_]
        kernel = self._read_kernel(X, w, report)
        self.X_fit_ = np.empty((0, 0), X.dtype) if kernel is None else X
        return X, kernel

    def _read_kernel(
        self, X: Matrix, w: Vector | None, report: Report
    ) -> Kernel | None:
        """Return the kernel as a function, None where its matrix is given as X."""
        kernel = super()._read_kernel(X, w, report)
        return None if kernel is None else self._function()

    def _function(self) -> Kernel:
        if callable(self.kernel):
            return CalledKernel(self, self.kernel, self.kernel_params or {})
        if self.kernel in TILED:
            kind = TILED[self.kernel]
            return TileKernel(kind, self.gamma_, float(self.coef0), self.degree)
        return NamedKernel(self.kernel, self.gamma_)

    def working_bytes(self, rows: int, features: int) -> float:
        """Estimate a copy of the rows and some vectors, beside the kernel matrix."""
        return rows * (8.0 * features + 100.0)

    def _stated_gamma(self, X: Matrix, w: Vector | None) -> float:
        if self.gamma is None:
            return 1.0 if self.kernel == "chi2" else 1.0 / X.shape[1]
        return super()._stated_gamma(X, w)

    def _matrix(self, kernel: Kernel | None, X: Matrix, dtype: Any = None) -> Floats:
        """Return a new K of all rows, C-ordered."""
        n, dtype = X.shape[0], X.dtype if dtype is None else dtype
        size = np.dtype(dtype).itemsize * float(n) ** 2
        check_memory(self, size, "the kernel matrix", "Use fewer rows.")
        if kernel is None:
            return np.array(X, dtype=dtype, order="C")
        gram = self._rows(kernel, X, dtype)
        K = np.empty((n, n), dtype)
        step = n if isinstance(gram, TiledGram) else max(1, BLOCK_BYTES // (8 * n))
        for a in range(0, n, step):
            rows = np.arange(a, min(a + step, n))
            gram.fill(rows, K, rows)
        self._check_size(K, X)
        return K

    def _check_size(self, K: Floats, X: Matrix) -> None:
        """Refuse kernel values whose squares overflow."""
        largest, most = max(float(K.max()), -float(K.min())), np.finfo(K.dtype).max
        if not largest < np.sqrt(most) / len(K):
            must = "X must be so small that the squares of its kernel are finite"
            came = f"X up to {np.abs(X).max():.3g}"
            remedy = "Scale the features first (StandardScaler)."
            raise DataError(sentence(self, must, came, remedy))

    def _rows(self, kernel: Kernel | None, X: Matrix, dtype: Any) -> Gram:
        """Return the kernel matrix by rows."""
        if kernel is None:
            return MatrixGram(X, dtype)
        if isinstance(kernel, TileKernel) and not sp.issparse(X):
            return TiledGram(X, kernel, dtype, get_config().threads)
        return BlockGram(X, kernel, dtype)

    def _squares(self, kernel: Kernel | None, X: Matrix) -> Floats:
        """Return k(x, x) of each row."""
        if kernel is None:
            return np.asarray(X, dtype=np.float64).diagonal()
        if isinstance(kernel, TileKernel):
            return kernel.diagonal(X).astype(np.float64)
        return np.array([kernel(X[[i]], X[[i]])[0, 0] for i in range(X.shape[0])])

    # -- the expansion ---------------------------------------------------------------
    def _sums(self, X: Any, A: Floats) -> Floats:
        """Return (1) for one or several columns of coefficients, as precise as X."""
        X = self._query(X)  # type: ignore[attr-defined]
        B = (A if A.ndim == 2 else A[:, None]).astype(X.dtype)
        kernel = None if self.kernel == "precomputed" else self._function()
        if isinstance(kernel, TileKernel) and B.shape[1] <= FEW_COLUMNS:
            sums = expansion(kernel, X, self.X_fit_, B).astype(X.dtype)
        else:
            parts = [row_products(K, B.astype(K.dtype)) for K in self._blocks(X)]
            sums = np.concatenate(parts)
        return sums.reshape(len(sums), *A.shape[1:])

    def _blocks(self, X: Matrix) -> Iterator[Floats]:
        """Yield the kernel of some rows at a time with all that were kept."""
        if self.kernel == "precomputed":
            yield np.asarray(X[:, self.rows_])
            return
        kernel, Z = self._function(), self.X_fit_
        if isinstance(kernel, TileKernel):
            yield from blocks(kernel, X, Z)
            return
        step = max(1, BLOCK_BYTES // (8 * Z.shape[0]))
        for a in range(0, X.shape[0], step):
            with single_threaded_blas():
                K = kernel(X[a : a + step], Z)
            yield K
