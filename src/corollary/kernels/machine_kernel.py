"""The kernel of a machine: its numbers, its matrices, and what is odd about it.

A machine names its kernel by parameters.  With the rows of a fit they become a function
of two sets of rows, or say that the matrix itself is given:

    linear      x'z                          laplacian  exp(-gamma ||x - z||_1)
    poly        (gamma x'z + coef0)^degree   cosine     x'z / (||x|| ||z||)
    sigmoid     tanh(gamma x'z + coef0)      chi2       exp(-gamma sum_j (x_j - z_j)^2
    rbf         exp(-gamma ||x - z||^2)                           / (x_j + z_j))     (1)

gamma = 'scale' is 1 / (d Var X), 'auto' 1 / d.  The first four come in tiles
(`kernels/gram.py`).  A machine holds its kernel; support vector machines and the other
kernel methods read, use and test it alike.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.metrics.pairwise import pairwise_kernels

from corollary.core.arrays import Floats, Matrix, Vector
from corollary.core.checks import check_memory
from corollary.core.errors import DataError, SparseDataError, sentence
from corollary.core.magnitude import largest_size
from corollary.core.parameters import Rule, function, missing, one_of, real, whole
from corollary.core.report import Report
from corollary.core.warn import warn
from corollary.engine.blocks import row_products
from corollary.engine.sources.source import Chunk
from corollary.kernels.expansion import Kernel, checked, expansion, square_norms
from corollary.kernels.given import row_numbers
from corollary.kernels.gram import (
    BlockGram,
    MatrixGram,
    TiledGram,
    TileKernel,
    small_as_dense,
)
from corollary.solvers.smo import Gram

__all__ = [
    "MACHINE_RULES",
    "SPACE_RULES",
    "MachineKernel",
    "TrainingRows",
    "kernel_of",
    "kernel_tags",
    "stated_gamma",
    "training_rows",
    "warn_of_kernel",
]

TILED = {"linear": "linear", "poly": "poly", "polynomial": "poly"}
TILED |= {"rbf": "rbf", "sigmoid": "sigmoid"}
OTHERS = ("laplacian", "cosine", "chi2", "additive_chi2")
FEW_ROWS = 1000  # that show the features' spread
SAMPLE = 300  # rows whose matrix is tested for negative eigenvalues
UNEVEN = 100.0  # ratio of the features' spreads worth a warning
BLOCK_BYTES = 2**24  # of kernel values at a time, of kernels without tiles

#: Rules of the kernel's parameters, of support vector machines.
MACHINE_RULES: dict[str, Rule] = {
    "kernel": one_of("linear", "poly", "rbf", "sigmoid", "precomputed") | function,
    "degree": whole(0),
    "gamma": one_of("scale", "auto") | real(0, ends="(]"),
    "coef0": real(),
}

#: The same of linear methods in feature space.
SPACE_RULES: dict[str, Rule] = {
    "kernel": one_of(*TILED, *OTHERS, "precomputed") | function,
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
class SetKernel:
    """A user's function of two sets of rows, or of the objects that rows number."""

    who: str
    function: Any
    objects: Vector | None = None

    def __call__(self, X: Matrix, Z: Matrix) -> Floats:
        """Return k(X, Z), of the right shape."""
        shape = (X.shape[0], Z.shape[0])
        if self.objects is not None:
            X, Z = self.objects[row_numbers(X)], self.objects[row_numbers(Z)]
        return checked(self.who, self.function(X, Z), shape)


@dataclass(frozen=True)
class CalledKernel:
    """A user's function, of two sets of rows or of two rows."""

    who: str
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
            raise DataError(sentence(self.who, must, f"{K.shape}"))
        if not np.isfinite(K).all():
            must = "kernel must return finite numbers"
            raise DataError(sentence(self.who, must, "NaN or infinity"))
        return K

    def _takes_sets(self, X: Matrix, Z: Matrix) -> bool:
        """Ask for the kernel of two rows with three, or four where d is 3."""
        m = 4 if X.shape[1] == 3 else 3
        try:
            K = self.function(X[[0] * 2], Z[[0] * m], **self.more)
            return np.shape(K) == (2, m)
        except (ValueError, TypeError, IndexError):
            return sp.issparse(X)


@dataclass(frozen=True)
class MachineKernel:
    """A kernel with its numbers: a function of two sets of rows, or a given matrix."""

    who: str  # the machine, for errors
    function: Kernel | None  # None: rows are those of the matrix itself
    gamma: float = 1.0

    def gram(self, X: Matrix, dtype: Any, threads: int = 1) -> Gram:
        """Return the matrix of some rows by rows, for a solver."""
        if self.function is None:
            return MatrixGram(X, dtype)
        if isinstance(self.function, TileKernel):
            X = small_as_dense(X)
            if not sp.issparse(X):
                return TiledGram(X, self.function, dtype, threads)
        return BlockGram(X, self.function, dtype)

    def matrix(self, X: Matrix, dtype: Any, threads: int = 1) -> Floats:
        """Return a new matrix of all rows, C-ordered."""
        n = X.shape[0]
        size = np.dtype(dtype).itemsize * float(n) ** 2
        check_memory(self.who, size, "the kernel matrix", "Use fewer rows.")
        if self.function is None:
            return np.array(X, dtype=dtype, order="C")
        gram = self.gram(X, dtype, threads)
        if isinstance(gram, TiledGram):
            K = gram.matrix()
        else:
            K, step = np.empty((n, n), dtype), max(1, BLOCK_BYTES // (8 * n))
            for a in range(0, n, step):
                rows = np.arange(a, min(a + step, n))
                gram.fill(rows, K, rows)
        if not largest_size(K, threads) < np.sqrt(np.finfo(K.dtype).max) / n:
            must = "X must be so small that the squares of its kernel are finite"
            came = f"X up to {np.abs(X).max():.3g}"
            remedy = "Scale the features first (StandardScaler)."
            raise DataError(sentence(self.who, must, came, remedy))
        return K

    def square_norms(self, X: Matrix) -> Floats:
        """Return k(x, x) of each row."""
        return square_norms(self.function, X)

    def sums(self, X: Matrix, Z: Matrix, B: Floats) -> Floats:
        """Return k(X, Z) B; X is k(X, Z) itself where the matrix is given."""
        if self.function is None:
            return row_products(np.asarray(X, np.float64), B)
        if not Z.shape[0]:
            return np.zeros((X.shape[0], B.shape[1]))
        if isinstance(self.function, TileKernel):
            return expansion(self.function, X, Z, B)
        return row_products(np.asarray(self.function(X, Z), np.float64), B)


@dataclass(frozen=True)
class TrainingRows:
    """The rows of a fit that weigh something, with their kernel."""

    X: Matrix  # (n, d), or the kernel's matrix (n, n)
    y: Any  # (n,)
    w: Floats  # (n,)
    kernel: MachineKernel
    kept: Vector | None = None  # (n,) their numbers among all rows, None = all
    total: int = 0  # all rows
    objects: Vector | None = None  # what the numbers in X stand for

    @property
    def n(self) -> int:
        """Number of rows that weigh something."""
        return len(self.w)

    def numbers(self, rows: Vector) -> Vector:
        """Return the numbers of some of them among all rows."""
        return rows if self.kept is None else self.kept[rows]

    def sums(self, rows: Vector, used: Vector, b: Floats) -> Floats:
        """Return sum_s b_s k(x, x_s) of some rows over others."""
        given = self.kernel.function is None
        X = self.X[np.ix_(rows, used)] if given else self.X[rows]
        return self.kernel.sums(X, self.X[used], b[:, None])[:, 0]


def training_rows(machine: Any, rows: Chunk) -> TrainingRows:
    """Leave out rows of weight 0, and read the machine's kernel; sets `gamma_`."""
    if rows.w is not None and not rows.w.all():  # of a learner without a target
        some = rows.w > 0
        rows = replace(rows, X=rows.X[some], y=None, w=rows.w[some], kept=some)
    X, kept = rows.X, rows.kept
    if machine.kernel == "precomputed":
        if kept is not None and X.shape[1] == len(kept) and not sp.issparse(X):
            X = X[:, kept]
        check_given(machine, X)
    elif not callable(machine.kernel):
        check_squares(machine, X)
    machine.gamma_ = stated_gamma(machine, X, rows.w)
    kernel = kernel_of(machine, machine.gamma_, rows.objects)
    check_powers(kernel, X)
    numbers = None if kept is None else np.flatnonzero(kept)
    total = rows.n if kept is None else len(kept)
    w = np.ones(rows.n) if rows.w is None else rows.w.astype(np.float64)
    return TrainingRows(X, rows.y, w, kernel, numbers, total, rows.objects)


def kernel_of(
    machine: Any, gamma: float, objects: Vector | None = None
) -> MachineKernel:
    """Return the kernel that a machine's parameters state, gamma being a number."""
    kernel, who = machine.kernel, type(machine).__name__
    made: Any
    if not callable(kernel):
        if kernel == "precomputed":
            made = None
        elif kernel in TILED:
            more = (float(machine.coef0), machine.degree)
            made = TileKernel(TILED[kernel], gamma, *more)
        else:
            made = NamedKernel(kernel, gamma)
    elif hasattr(machine, "kernel_params"):
        made = CalledKernel(who, kernel, machine.kernel_params or {})
    else:
        tile = getattr(kernel, "tile", None) if objects is None else None
        made = tile or SetKernel(who, kernel, objects)
    return MachineKernel(who, made, gamma)


def stated_gamma(machine: Any, X: Matrix, w: Vector | None) -> float:
    """Return the number that the parameter gamma is on some rows."""
    gamma, kernel = machine.gamma, machine.kernel
    if gamma is None:
        return 1.0 if kernel == "chi2" else 1.0 / X.shape[1]
    if not isinstance(gamma, str):
        return float(gamma)
    if gamma == "auto" or callable(kernel) or kernel == "precomputed":
        return 1.0 / X.shape[1]
    share = np.full(X.shape[0], 1.0) if w is None else w.astype(np.float64)
    share = share / share.sum()
    square = X.multiply(X) if sp.issparse(X) else np.square(X, dtype=float)
    d = X.shape[1]
    mean = float((share @ X).sum()) / d
    spread = float((share @ square).sum()) / d - mean * mean
    return 1.0 / (X.shape[1] * spread) if spread > 0 else 1.0


def kernel_tags(machine: Any, tags: Any) -> Any:
    """Say whether X is a kernel's matrix, which is dense."""
    tags.input_tags.pairwise = machine.kernel == "precomputed"
    tags.input_tags.sparse = machine.kernel != "precomputed"
    return tags


# -- checks --------------------------------------------------------------------------
def check_given(machine: Any, X: Matrix) -> None:
    """Refuse a kernel's matrix that is sparse or not square."""
    if sp.issparse(X):
        must = "Sparse precomputed kernels are not supported; X must be dense"
        raise SparseDataError(sentence(machine, must, "a sparse matrix"))
    if X.shape[0] != X.shape[1]:
        must = "Precomputed matrix must be a square matrix"
        raise DataError(sentence(machine, must, f"shape {X.shape}"))


def check_squares(machine: Any, X: Matrix) -> None:
    """Refuse rows whose squared lengths overflow, as no distance is known then."""
    largest = largest_size(X)
    if not 2 * largest < np.sqrt(np.finfo(X.dtype).max / X.shape[1]):
        must = "The dual coefficients or intercepts are not finite: X must be so "
        must += "small that its squares are finite"
        raise DataError(sentence(machine, must, f"up to {largest:.3g}"))


def check_powers(kernel: MachineKernel, X: Matrix) -> None:
    """Refuse a degree that makes the kernel of a row infinite."""
    tile = kernel.function
    if not isinstance(tile, TileKernel) or tile.kind != "poly":
        return
    if not np.isfinite(tile.diagonal(X)).all():
        must = f"X must be so small that its powers of degree {tile.degree} are finite"
        came = f"k(x, x) infinite with gamma = {tile.gamma:.3g}"
        raise DataError(sentence(kernel.who, must, came, "Lower degree or gamma."))


def warn_of_kernel(data: TrainingRows, report: Report) -> None:
    """Warn of features that drown the others, and of a kernel that is none."""
    for text in (uneven_features(data), negative_eigenvalue(data)):
        if text:
            text = f"{data.kernel.who}: {text}"
            report.warnings.append(text)
            warn(text)


def uneven_features(data: TrainingRows) -> str:
    """Say so where a few features rule every distance."""
    k, X = data.kernel.function, data.X
    named = isinstance(k, NamedKernel) or (
        isinstance(k, TileKernel) and k.kind != "linear"
    )
    if not named or sp.issparse(X) or X.shape[1] < 2:
        return ""
    some = X[:: -(-X.shape[0] // FEW_ROWS)]
    centred = some - some.sum(axis=0, dtype=np.float64) / len(some)
    spread = np.sqrt(np.einsum("ij,ij->j", centred, centred) / len(some))
    rounding = 64 * np.finfo(X.dtype).eps * np.abs(some).max(axis=0)
    spread = spread[spread > rounding]
    if len(spread) < 2 or spread.max() <= UNEVEN * spread.min():
        return ""
    return (
        "the features' standard deviations differ by a factor of "
        f"{spread.max() / spread.min():.3g}, so that the largest rule the kernel. "
        "Scale them first (StandardScaler)."
    )


def negative_eigenvalue(data: TrainingRows) -> str:
    """Say so where a sample of the matrix has a clearly negative eigenvalue."""
    k, X = data.kernel.function, data.X
    convex = isinstance(k, TileKernel) and k.kind in ("linear", "rbf")
    if convex or X.shape[0] < 2:
        return ""
    step = -(-X.shape[0] // SAMPLE)
    some = X[::step]
    K = some[:, ::step] if k is None else k(some, some)
    values = np.linalg.eigvalsh(np.asarray(K, dtype=np.float64))
    if values[0] >= -1e-6 * max(values[-1], 0.0) - 1e-12:
        return ""
    return (
        "the kernel is not positive semi-definite: its matrix on "
        f"{len(values)} rows has the eigenvalue {values[0]:.3g}. The fit is a "
        "stationary point, and its duality gap proves nothing. Use a Mercer kernel."
    )
