"""Kernel matrices for the solvers, by rows, computed as they are asked for.

    linear      u                                u = x'z                         (1)
    poly        (gamma u + coef0)^degree                                         (2)
    sigmoid     tanh(gamma u + coef0)                                            (3)
    rbf         exp(-gamma ||x - z||^2)                                          (4)

These come from register tiles that take the kernel before anything is stored.  (4) does
not change when all points are shifted alike, so the points are centred first: less is
lost in ||x||^2 - 2 u + ||z||^2.  Few sparse rows that are hardly sparse are made dense:
tiles are faster, and the answer is that of dense rows to the bit.  Any other kernel is
a function of two sets of points, and is asked for blocks; a matrix that was computed
before is cut.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from corollary import loops
from corollary.core.arrays import Floats, Matrix, Vector
from corollary.core.configuration import get_config

__all__ = [
    "KINDS",
    "BlockGram",
    "MatrixGram",
    "Ridged",
    "TileKernel",
    "TiledGram",
    "Tiles",
    "blocks",
    "moved",
    "packed",
    "panels_of",
    "small_as_dense",
    "tile_matrix",
]

KINDS = {"linear": 0, "poly": 1, "sigmoid": 2, "rbf": 3}
QUERY_BYTES = 2**22  # of kernel values at a time
DENSE_BYTES = 2**24  # of sparse rows made dense
FULL = 0.1  # share of entries that makes them worth it


@dataclass(frozen=True)
class TileKernel:
    """One of the kernels (1) to (4)."""

    kind: str
    gamma: float = 1.0
    coef0: float = 0.0
    degree: int = 3

    def __call__(self, X: Matrix, Z: Matrix) -> Floats:
        """Return k(X, Z) by one product; rows may be sparse."""
        U = X @ Z.T
        U = U.toarray() if sp.issparse(U) else np.asarray(U)
        if self.kind == "linear":
            return U
        if self.kind == "poly":
            return power(self.gamma * U + self.coef0, self.degree)  # (2)
        if self.kind == "sigmoid":
            return np.tanh(self.gamma * U + self.coef0)  # (3)
        distance = squares(X)[:, None] - 2 * U + squares(Z)
        return np.exp(-self.gamma * np.maximum(distance, 0.0))  # (4)

    @property
    def numbers(self) -> tuple[int, float, float, int]:
        """Return what a loop knows the kernel by."""
        kind = KINDS[self.kind]
        return kind, float(self.gamma), float(self.coef0), int(self.degree)

    def diagonal(self, X: Matrix) -> Floats:
        """Return k(x, x) of each row."""
        if self.kind == "rbf":
            return np.ones(X.shape[0], X.dtype)
        u = squares(X)
        if self.kind == "linear":
            return u
        if self.kind == "poly":
            return power(self.gamma * u + self.coef0, self.degree)
        return np.tanh(self.gamma * u + self.coef0)


def power(base: Floats, degree: int) -> Floats:
    """Return base^degree, infinite where that is no number, as the loop does."""
    with np.errstate(over="ignore"):
        return base**degree


def squares(X: Matrix) -> Floats:
    """Return ||x||^2 of each row."""
    if sp.issparse(X):
        return np.asarray(X.multiply(X).sum(axis=1)).ravel()
    return np.einsum("ij,ij->i", X, X)


def small_as_dense(X: Matrix) -> Matrix:
    """Make sparse rows dense, where that costs little and tiles are faster."""
    if not sp.issparse(X):
        return X
    size = float(X.shape[0]) * X.shape[1]
    return X.toarray() if FULL * size <= X.nnz and 8 * size <= DENSE_BYTES else X


class Tiles:
    """Points packed as the columns of a kernel matrix."""

    def __init__(self, Z: Floats, kernel: TileKernel) -> None:
        self.kernel, self.n, self.dtype = kernel, len(Z), Z.dtype
        self.panels = panels_of(Z)
        self.squares = np.zeros(len(self.panels) * self.panels.shape[2], Z.dtype)
        self.squares[: self.n] = squares(Z)

    def fill(self, X: Floats, out: Floats, slots: Vector, threads: int) -> None:
        """Write k(X, Z) into out[slots]."""
        packed = (self.panels, self.squares, *self.kernel.numbers)
        loops.kernel_rows(X, squares(X), *packed, out, slots, threads)

    def square(self, Z: Floats, out: Floats, threads: int) -> None:
        """Write k(Z, Z), of the points themselves."""
        packed = (self.panels, self.squares, *self.kernel.numbers)
        loops.kernel_square(Z, squares(Z), *packed, out, threads)

    def sums(self, X: Floats, B: Floats, threads: int) -> Floats:
        """Return k(X, Z) B for B (n, m), without the matrix; (rows of X, m) float64."""
        padded = np.zeros((B.shape[1], len(self.squares)), self.dtype)
        padded[:, : self.n] = B.T
        packed = (self.panels, self.squares, *self.kernel.numbers)
        out = np.zeros((len(X), B.shape[1]))
        loops.kernel_sums(X, squares(X), *packed, padded, out, threads)
        return out


def panels_of(Z: Floats) -> Floats:
    """Pack rows as columns of tiles: 64 bytes of them for each feature, zeros last."""
    width = 64 // Z.itemsize
    whole, left = divmod(len(Z), width)
    panels = np.zeros((whole + (left > 0), Z.shape[1], width), Z.dtype)
    full = Z[: whole * width].reshape(whole, width, Z.shape[1])
    panels[:whole] = full.transpose(0, 2, 1)
    if left:
        panels[whole, :, :left] = Z[whole * width :].T
    return panels


def blocks(kernel: TileKernel, X: Matrix, Z: Matrix) -> Iterator[Floats]:
    """Yield k(X, Z) some rows at a time; the next block overwrites the one before."""
    X, Z, n = small_as_dense(X), small_as_dense(Z), X.shape[0]
    step = max(6, QUERY_BYTES // (X.dtype.itemsize * max(1, Z.shape[0])))
    if sp.issparse(X) or sp.issparse(Z):
        for a in range(0, n, step):
            yield kernel(X[a : a + step], Z)
        return
    centre, tiles = packed(kernel, Z, X.dtype)
    block = np.empty((min(step, n), len(Z)), X.dtype)
    for a in range(0, n, step):
        part = moved(X[a : a + step], centre, X.dtype)
        tiles.fill(part, block, np.arange(len(part)), get_config().threads)
        yield block[: len(part)]


def tile_matrix(kernel: TileKernel, X: Matrix, Z: Matrix) -> Floats:
    """Return all of k(X, Z)."""
    X, Z = small_as_dense(X), small_as_dense(Z)
    if sp.issparse(X) or sp.issparse(Z):
        return kernel(X, Z)
    centre, tiles = packed(kernel, Z, X.dtype)
    K = np.empty((len(X), len(Z)), X.dtype)
    tiles.fill(moved(X, centre, X.dtype), K, np.arange(len(X)), get_config().threads)
    return K


def packed(kernel: TileKernel, Z: Floats, dtype: Any) -> tuple[Floats | None, Tiles]:
    """Return what is taken off all points, and the columns without it."""
    shifts = kernel.kind == "rbf" and len(Z) > 0
    centre = Z.mean(axis=0, dtype=np.float64) if shifts else None
    return centre, Tiles(moved(Z, centre, dtype), kernel)


def moved(X: Floats, centre: Floats | None, dtype: Any) -> Floats:
    """Return rows relative to a centre, contiguous and of one type."""
    return np.ascontiguousarray(X if centre is None else X - centre, dtype=dtype)


class TiledGram:
    """The matrix of a `TileKernel` over dense points."""

    held = None

    def __init__(
        self,
        X: Floats,
        kernel: TileKernel,
        dtype: Any,
        threads: int = 1,
        *,
        centred: bool = False,
    ) -> None:
        self._exact, self._kernel, self._threads = X, kernel, threads
        if kernel.kind == "rbf" and not centred:
            self._exact = X - X.mean(axis=0, dtype=np.float64)
        self._rows = np.ascontiguousarray(self._exact, dtype=dtype)
        self.n, self.dtype, self.given = len(X), np.dtype(dtype), X.dtype
        self._tiles = Tiles(self._rows, kernel)
        self.nbytes = 3 * 8 * X.size  # centred, rounded and packed

    @property
    def largest(self) -> float:
        """Return the largest k(x, x)."""
        with np.errstate(over="ignore"):
            own = self._kernel.diagonal(self._rows)
        return float(np.abs(own).max(initial=0.0))

    def fill(self, rows: Vector, out: Floats, slots: Vector) -> None:
        """Write K[rows, columns] into out[slots]."""
        self._tiles.fill(self._rows[rows], out, slots, self._threads)

    def matrix(self) -> Floats:
        """Return all of it, in half the time that its rows take."""
        K = np.empty((self.n, self.n), self.dtype)
        self._tiles.square(self._rows, K, self._threads)
        return K

    def take(self, columns: Vector) -> TiledGram:
        """Return the matrix of some of the columns."""
        part = object.__new__(TiledGram)
        part.__dict__ = self.__dict__ | {"n": len(columns)}
        part._tiles = Tiles(self._rows[columns], self._kernel)
        return part

    def to(self, dtype: Any) -> TiledGram:
        """Return the same in another precision."""
        more = (self._kernel, dtype, self._threads)
        other = TiledGram(self._exact, *more, centred=True)
        other.given = self.given
        return other


class BlockGram:
    """The matrix of any kernel: a function of two sets of points."""

    held = None

    def __init__(
        self, X: Matrix, kernel: Callable[[Matrix, Matrix], Floats], dtype: Any
    ) -> None:
        self._X, self._kernel, self._columns = X, kernel, X
        self.n, self.dtype, self.nbytes = X.shape[0], np.dtype(dtype), 0
        self.given, self.largest = X.dtype, 0.0

    def fill(self, rows: Vector, out: Floats, slots: Vector) -> None:
        """Write K[rows, columns] into out[slots], some rows at a time."""
        step = max(1, QUERY_BYTES // (8 * max(1, self.n)))
        for a in range(0, len(rows), step):
            some = self._kernel(self._X[rows[a : a + step]], self._columns)
            out[slots[a : a + step]] = some
            self.largest = max(self.largest, float(abs(some).max()))

    def take(self, columns: Vector) -> BlockGram:
        """Return the matrix of some of the columns."""
        part = BlockGram(self._X, self._kernel, self.dtype)
        part._columns, part.n = self._X[columns], len(columns)
        return part

    def to(self, dtype: Any) -> BlockGram:
        """Return the same in another precision."""
        return BlockGram(self._X, self._kernel, dtype)


class MatrixGram:
    """A matrix computed before, or some of its rows and columns."""

    def __init__(self, K: Floats, dtype: Any, rows: Vector | None = None) -> None:
        self._K, self._rows = K, np.arange(len(K)) if rows is None else rows
        self._columns, self.n = self._rows, len(self._rows)
        self.dtype, self.nbytes, self.given = np.dtype(dtype), 0, K.dtype

    @property
    def held(self) -> tuple[Floats, Vector] | None:
        """Return the matrix and the rows, where they can be read as they are."""
        as_is = self._K.dtype == self.dtype and self._K.flags.c_contiguous
        return (self._K, self._rows) if as_is else None

    @property
    def largest(self) -> float:
        """Return the largest k(x, x)."""
        own = np.diagonal(self._K)[self._rows]
        return float(np.abs(own).max(initial=0.0))

    def fill(self, rows: Vector, out: Floats, slots: Vector) -> None:
        """Write K[rows, columns] into out[slots]."""
        some = self._K.take(self._rows[rows], axis=0)
        out[slots] = some.take(self._columns, axis=1)

    def take(self, columns: Vector) -> MatrixGram:
        """Return the matrix of some of the columns."""
        part = MatrixGram(self._K, self.dtype, self._rows)
        part._columns, part.n = self._rows[columns], len(columns)
        return part

    def to(self, dtype: Any) -> MatrixGram:
        """Return the same in another precision."""
        return MatrixGram(self._K, dtype, self._rows)


class Ridged:
    """Another matrix with something added to its diagonal: K + diag(ridge)."""

    held = None

    @property
    def largest(self) -> float:
        """Return that of the other matrix."""
        return self._gram.largest

    def __init__(self, gram: Any, ridge: Floats) -> None:
        self._gram, self._ridge, self._columns = gram, ridge, np.arange(gram.n)
        self.n, self.dtype, self.nbytes = gram.n, gram.dtype, gram.nbytes
        self.given = gram.given

    def fill(self, rows: Vector, out: Floats, slots: Vector) -> None:
        """Write K[rows, columns] into out[slots]; columns are in ascending order."""
        self._gram.fill(rows, out, slots)
        at = np.searchsorted(self._columns, rows)
        here = at < self.n
        here[here] = self._columns[at[here]] == rows[here]
        out[slots[here], at[here]] += self._ridge[rows[here]]

    def take(self, columns: Vector) -> Ridged:
        """Return the matrix of some of the columns."""
        part = Ridged(self._gram.take(columns), self._ridge)
        part._columns = columns
        return part

    def to(self, dtype: Any) -> Ridged:
        """Return the same in another precision."""
        return Ridged(self._gram.to(dtype), self._ridge)
