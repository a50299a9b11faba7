"""Statistics: what a chunk of rows contributes, and how contributions add up.

Also known as: sufficient statistics, moments, scatter matrices.

A record of statistics is a commutative monoid: ``a + b`` is what both chunks together
contribute, whatever the order.  By default the fields add; a record overrides `__add__`
where raw sums lose digits.  `scaled(f)` is the same evidence counted f times, which is
how a stream forgets.

`Moments` holds count, mean and centred scatter, merged by (Chan, Golub, LeVeque 1979)

    n = n_a + n_b,   delta = mean_b - mean_a                                     (1)
    mean = mean_a + delta n_b/n                                                  (2)
    M2 = M2_a + M2_b + delta delta' n_a n_b / n                                  (3)

and a chunk's own M2 is taken about a guess of its mean from a few rows, never as a
difference of large numbers.
`Triangle` holds the R of a QR decomposition: X'X = R'R, but R keeps twice the digits
that X'X keeps; two of them merge as the R of both stacked (Demmel, Grigori, Hoemmen,
Langou 2012).

Course: S0-63, S4-29.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, fields
from typing import Any, Self, TypeVar

import numpy as np
import scipy.sparse as sp

from corollary import loops
from corollary.core.arrays import Floats, Matrix, Vector
from corollary.core.records import stored

__all__ = ["Moments", "Statistics", "Triangle", "Variances", "dense_blocks", "fold"]

T = TypeVar("T")

#: How many times its scatter about the mean a column's sum of squares about a guess of
#: the mean may be.
LOSS = {np.dtype(np.float32): 4.0, np.dtype(np.float64): 64.0}
NARROW = 400  # columns up to which our own loop is the faster one
BLOCK = 2**20  # bytes of dense rows that stay in the cache


@dataclass(frozen=True)
class Statistics:
    """A record whose fields (numbers, arrays, sparse arrays, records) add up."""

    def __add__(self, other: Self) -> Self:
        pairs = ((getattr(self, f.name), getattr(other, f.name)) for f in fields(self))
        return type(self)(*(None if a is None else a + b for a, b in pairs))

    def scaled(self, factor: float) -> Self:
        """Count the same evidence `factor` times."""
        values = (getattr(self, f.name) for f in fields(self))
        return type(self)(*(scaled(value, factor) for value in values))


def scaled(value: Any, factor: float) -> Any:
    """Scale a field: a number, an array, or a record inside the record."""
    if value is None:
        return None
    return value.scaled(factor) if isinstance(value, Statistics) else value * factor


def fold(parts: Iterable[T]) -> T | None:
    """Add up in pairs of equal size, in order.

    The shape of the tree depends on the number of parts only, so that the sum is the
    same to the bit however many threads made the parts; and the rounding error grows
    with the logarithm of their number.

    >>> fold([1, 2, 3, 4, 5])
    15
    """
    stack: list[tuple[int, T]] = []  # (how many parts, their sum), sizes falling
    for part in parts:
        size, total = 1, part
        while stack and stack[-1][0] == size:
            left_size, left = stack.pop()
            size, total = size + left_size, left + total  # type: ignore[operator]
        stack.append((size, total))
    if not stack:
        return None
    total = stack.pop()[1]
    while stack:
        total = stack.pop()[1] + total  # type: ignore[operator]
    return total


@stored
@dataclass(frozen=True)
class Moments(Statistics):
    """Weighted count, mean and centred scatter of some columns.

    Also known as: sample moments, sample mean and covariance, scatter matrix.
    """

    n: float
    mean: Floats  # (p,)
    M2: Floats  # (p, p) = sum w (x - mean)(x - mean)'

    @classmethod
    def of(cls, X: Matrix, w: Vector | None = None, Y: Vector | None = None) -> Moments:
        """Take the moments of the columns of [X, Y]."""
        p = X.shape[1] + (0 if Y is None else Y.shape[1])
        if not X.shape[0]:
            return cls(0.0, np.zeros(p), np.zeros((p, p)))
        if not sp.issparse(X):
            return cls._of_rows(X, w, Y)
        total = fold(cls._of_rows(*block) for block in dense_blocks(X, w, Y))
        assert total is not None
        return total

    @classmethod
    def _of_rows(cls, X: Floats, w: Vector | None, Y: Vector | None) -> Moments:
        """Sum about a guess of the mean; about the mean itself where that was poor."""
        Y = None if Y is None else np.asarray(Y, dtype=X.dtype)
        w = None if w is None else np.ascontiguousarray(w, dtype=np.float64)
        guess = near_the_mean(X)
        if Y is not None:
            guess = np.append(guess, near_the_mean(Y))
        found, square = cls._about(X, w, Y, guess.astype(X.dtype))
        if (LOSS[X.dtype] * found.M2.diagonal() >= square).all():
            return found
        return cls._about(X, w, Y, found.mean.astype(X.dtype))[0]

    @classmethod
    def _about(
        cls, X: Floats, w: Vector | None, Y: Vector | None, shift: Floats
    ) -> tuple[Moments, Floats]:
        """Return the moments, summed about a shift, and the sums of squares about it.

        With z = x - shift:  mean = shift + E z,  M2 = sum w z z' - n (E z)(E z)'.
        """
        n = float(len(X) if w is None else w.sum())
        p = len(shift)
        if n == 0:
            return cls(0.0, np.zeros(p), np.zeros((p, p))), np.zeros(p)
        if p <= NARROW:
            s, G = np.empty(p), np.empty((p, p))
            loops.moments(X, Y, w, shift, s, G)
        else:
            Z = (X if Y is None else np.hstack([X, Y])) - shift
            weights = np.ones(len(X), X.dtype) if w is None else w.astype(X.dtype)
            s = (weights @ Z).astype(np.float64)
            Z *= np.sqrt(weights)[:, None]
            G = np.asarray(Z.T @ Z, dtype=np.float64)
        left, square = s / n, G.diagonal().copy()
        G -= n * (left[:, None] * left)
        return cls(n, shift + left, G), square

    def __add__(self, other: Moments) -> Moments:
        n = self.n + other.n  # (1)
        if self.n == 0 or other.n == 0:
            return other if self.n == 0 else self
        delta = other.mean - self.mean
        mean = self.mean + delta * (other.n / n)  # (2)
        M2 = np.outer(delta, delta)
        M2 *= self.n * other.n / n  # (3), in one array
        M2 += other.M2
        M2 += self.M2
        return Moments(n, mean, M2)

    def scaled(self, factor: float) -> Moments:
        """Count the same rows `factor` times: the mean stays."""
        return Moments(self.n * factor, self.mean, self.M2 * factor)

    def covariance(self, ddof: int = 0) -> Floats:
        """Return the covariance matrix, divided by n - ddof."""
        return self.M2 / (self.n - ddof)


@stored
@dataclass(frozen=True)
class Variances(Statistics):
    """Weighted count, mean and centred sum of squares of each column."""

    n: float
    mean: Floats  # (p,)
    M2: Floats  # (p,)

    @classmethod
    def of(cls, X: Matrix, w: Vector | None = None) -> Variances:
        """Take the variances of the columns of X, which may be sparse."""
        ones = np.ones(X.shape[0]) if w is None else np.asarray(w, dtype=np.float64)
        n = float(ones.sum())
        if n == 0:
            return cls(0.0, np.zeros(X.shape[1]), np.zeros(X.shape[1]))
        mean = np.asarray(ones @ X) / n
        if not sp.issparse(X):
            return cls(n, mean, ones @ (X - mean) ** 2)
        there = np.repeat(ones, np.diff(X.indptr))  # weight of each stored entry
        squares = there * (X.data - mean[X.indices]) ** 2
        inside = np.bincount(X.indices, squares, minlength=X.shape[1])
        absent = n - np.bincount(X.indices, there, minlength=X.shape[1])
        return cls(n, mean, inside + absent * mean**2)

    def __add__(self, other: Variances) -> Variances:
        n = self.n + other.n  # (1)
        if self.n == 0 or other.n == 0:
            return other if self.n == 0 else self
        delta = other.mean - self.mean
        mean = self.mean + delta * (other.n / n)  # (2)
        M2 = self.M2 + other.M2 + delta**2 * (self.n * other.n / n)  # (3)
        return Variances(n, mean, M2)

    def scaled(self, factor: float) -> Variances:
        """Count the same rows `factor` times: the mean stays."""
        return Variances(self.n * factor, self.mean, self.M2 * factor)


@stored
@dataclass(frozen=True)
class Triangle(Statistics):
    """An R with R'R = A'A for the weighted columns A = [1, X, Y] or [X, Y].

    The R of a QR decomposition; of no more rows than columns, where that would be as
    large as the rows, only its first column is made upright.
    """

    n: float
    R: Floats  # (at most p, p), R_11 >= 0

    @classmethod
    def of(
        cls, X: Matrix, w: Vector | None, Y: Vector | None, *, ones: bool
    ) -> Triangle:
        """Decompose the columns of [X, Y], after a column of ones where asked."""
        whole = 8 * X.shape[0] * X.shape[1]  # R is no smaller than few rows
        cut = dense_blocks(X, w, Y, whole if wide(X) else BLOCK)
        total = fold(cls._of_block(*block, ones) for block in cut)
        assert total is not None
        return total

    @classmethod
    def _of_block(
        cls, X: Floats, w: Vector | None, Y: Vector | None, ones: bool
    ) -> Triangle:
        n = float(X.shape[0]) if w is None else float(w.sum(dtype=np.float64))
        first = [np.ones((X.shape[0], 1))] if ones else []
        columns = [*first, X, *([] if Y is None else [Y])]
        A = np.hstack(columns).astype(np.float64, copy=False)
        if w is not None:
            A *= np.sqrt(w, dtype=np.float64)[:, None]
        return cls(n, reflected(A) if ones and wide(A) else upright(A))

    def __add__(self, other: Triangle) -> Triangle:
        A = np.vstack([self.R, other.R])
        return Triangle(self.n + other.n, reflected(A) if wide(A) else upright(A))

    def scaled(self, factor: float) -> Triangle:
        """Count the same rows `factor` times."""
        return Triangle(self.n * factor, self.R * np.sqrt(factor))


def near_the_mean(X: Floats) -> Floats:
    """Guess the mean of each column from a few rows; exact where it is constant."""
    some = X[:64] - X[0]
    return X[0] + np.add.reduce(some, axis=0, dtype=np.float64) / len(some)


def upright(A: Floats) -> Floats:
    """Return the R of A = QR with a diagonal >= 0, which makes it unique."""
    p = A.shape[1]
    packed: Any = np.linalg.qr(A, mode="raw")[0].T[:p]  # reflections below the diagonal
    signs = np.where(np.diagonal(packed) < 0, -1.0, 1.0)
    corner = np.arange(p) >= np.arange(len(signs))[:, None]
    return np.where(corner, packed * signs[:, None], 0.0)


def wide(A: Matrix) -> bool:
    """Tell whether a matrix has no more rows than columns."""
    return bool(A.shape[0] <= A.shape[1])


def reflected(A: Floats) -> Floats:
    """Return the first step of A = QR (Householder's): a first column (r, 0, ..., 0).

    A is overwritten.

    >>> reflected(np.array([[3.0, 0.0], [4.0, 5.0]])).round(12).tolist()
    [[5.0, 4.0], [0.0, 3.0]]
    """
    v = A[:, 0].copy()
    size = np.sqrt(v @ v)
    side = -1.0 if v[0] < 0 else 1.0
    v[0] += side * size
    if v[0] == 0:
        return upright(A)
    A -= np.outer(v, (2 / (v @ v)) * (v @ A))
    A[0] *= -side
    A[0, 0], A[1:, 0] = size, 0.0
    return A


def dense_blocks(
    X: Matrix, w: Vector | None, Y: Vector | None, most_bytes: int = BLOCK
) -> Iterator[tuple[Floats, Vector | None, Vector | None]]:
    """Cut rows into blocks that stay in the cache; a sparse block is made dense."""
    rows = max(64, most_bytes // (8 * max(1, X.shape[1])))
    for a in range(0, X.shape[0], rows):
        b = slice(a, a + rows)
        block = X[b].toarray() if sp.issparse(X) else X[b]
        yield block, None if w is None else w[b], None if Y is None else Y[b]
