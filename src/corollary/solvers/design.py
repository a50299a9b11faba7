"""What coordinate descent must know of its columns: Gram matrices, or rows in memory.

With centred, weighted columns  G = Xc'W Xc,  c = Xc'W yc,  y2 = yc'W yc, several
problems (folds, targets) share the columns.  `Grams` takes G from sums over the rows,
one pass over data of any size; `Rows` takes columns from rows in memory, for many
columns.  A column that never moves is 0 in both.

Notation: as in `solvers/coordinate_descent.py`.
"""

from __future__ import annotations

import itertools
from abc import ABC, abstractmethod
from collections.abc import Sequence

import numpy as np
import scipy.sparse as sp

from corollary.core.arrays import Floats, Matrix, Vector
from corollary.core.configuration import get_config
from corollary.engine.executors.executor import side_by_side
from corollary.engine.statistics import Moments
from corollary.solvers.normal_equations import raw

__all__ = ["ColumnSet", "Design", "Grams", "Rows"]

EPS = np.finfo(np.float64).eps


class Design(ABC):
    """What the descent must know of k problems that share their d columns."""

    n: Floats  # (k,) total weights
    c: Floats  # (d, k)
    y2: Floats  # (k,)
    mean_x: Floats  # (d, k), zeros where there is no intercept
    mean_y: Floats  # (k,)

    def intercepts(self, B: Floats) -> Floats:
        """Return mean(y) - mean(X)' b for coefficients B (k, d)."""
        return self.mean_y - (B * self.mean_x.T).sum(axis=1)

    @abstractmethod
    def gram(self, k: int, old: Vector, new: Vector) -> Floats:
        """Return G_k[old + new, new] when columns enter the set of problem k."""

    @abstractmethod
    def correlate(
        self, problems: Vector, sets: Sequence[ColumnSet]
    ) -> tuple[Floats, Floats]:
        """Return q (d, m) and r'W r (m,) of some problems."""

    @abstractmethod
    def along(self, k: int, columns: Vector, b: Floats) -> Floats:
        """Return G_k[:, columns] b, of columns that have entered, in that order."""


class ColumnSet:
    """Columns of one problem that have entered, their Gram matrix, and b on them."""

    def __init__(self, design: Design, k: int, shape: tuple[int, ...] = ()) -> None:
        self.design, self.k = design, k
        self.columns = np.zeros(0, dtype=np.intp)
        self.outside = np.ones(len(design.c), dtype=bool)
        self.b = np.zeros((0, *shape))
        self._G = np.zeros((0, 0))

    @property
    def gram(self) -> Floats:
        """Return the Gram matrix of the columns."""
        p = len(self.b)
        return self._G[:p, :p]

    def support(self) -> tuple[Vector, Floats]:
        """Return the columns where b is not 0, and b there."""
        some = np.flatnonzero(self.b if self.b.ndim == 1 else self.b.any(axis=1))
        return self.columns[some], self.b[some]

    def add(self, new: Vector) -> None:
        """Take columns in, with b = 0."""
        p, grown = len(self.b), len(self.b) + len(new)
        block = self.design.gram(self.k, self.columns, new)
        if grown > len(self._G):
            size = min(2 * grown, len(self.outside))
            G = np.zeros((size, size))
            G[:p, :p] = self._G[:p, :p]
            self._G = G
        self._G[:grown, p:grown] = block
        self._G[p:grown, :p] = block[:p].T
        self.columns = np.concatenate([self.columns, new])
        self.outside[new] = False
        self.b = np.concatenate([self.b, np.zeros((len(new), *self.b.shape[1:]))])


class Grams(Design):
    """Problems given by Gram matrices: one of all rows, or one for each fold."""

    def __init__(self, moments: Sequence[Moments], d: int, *, intercept: bool) -> None:
        G, c, y2, n, mean = [], [], [], [], []
        for m in moments:
            S = m.M2 if intercept else raw(m)
            length = np.sqrt(np.maximum(np.diagonal(S)[:d], 0.0))
            mean.append(m.mean if intercept else np.zeros_like(m.mean))
            moves = length > 64 * EPS * np.abs(mean[-1][:d]) * np.sqrt(m.n)
            some = S[:d, :d]
            G.append(some if moves.all() else some * np.outer(moves, moves))
            c.append(S[:d, d:] * moves[:, None])
            y2.append(np.maximum(np.diagonal(S)[d:], 0.0))
            n.append(np.full(S.shape[0] - d, m.n))
        targets = len(y2[0])
        self._G = [A for A in G for _ in range(targets)]
        self.mean_x = np.repeat([some[:d] for some in mean], targets, axis=0).T
        self.mean_y = np.concatenate([some[d:] for some in mean])
        self.c, self.y2, self.n = np.hstack(c), np.concatenate(y2), np.concatenate(n)

    def gram(self, k: int, old: Vector, new: Vector) -> Floats:
        """Cut it out."""
        return self._G[k][np.concatenate([old, new])[:, None], new]

    def correlate(
        self, problems: Vector, sets: Sequence[ColumnSet]
    ) -> tuple[Floats, Floats]:
        """Take both from (1) and (2)."""
        Q, r2 = self.c[:, problems], self.y2[problems]
        for i, k in enumerate(problems):
            columns, b = sets[k].support()
            Q[:, i] -= self._G[k][:, columns] @ b
            r2[i] -= b @ (self.c[columns, k] + Q[columns, i])
        return Q, np.maximum(r2, 0.0)

    def along(self, k: int, columns: Vector, b: Floats) -> Floats:
        """Cut the columns out and multiply."""
        return (b.T @ self._G[k][columns]).T


class Rows(Design):
    """Problems given by rows in memory; weights (n, k) make folds of them."""

    def __init__(
        self, X: Matrix, Y: Floats, W: Floats | None = None, *, intercept: bool
    ) -> None:
        self._X = sp.csc_array(X) if sp.issparse(X) else X
        k = Y.shape[1]
        weights = np.ones(Y.shape) if W is None else W
        self.n = weights.sum(axis=0, dtype=np.float64)
        mean_y = (weights * Y).sum(axis=0, dtype=np.float64) / self.n
        self.mean_y = mean_y if intercept else np.zeros(k)
        self._root = None if W is None else np.sqrt(W)
        yc = Y - self.mean_y
        both = np.hstack([weights[:, :1] if W is None else W, weights * yc])
        products = self._times(both if intercept else both[:, -k:])
        self.c = products[:, -k:]
        self.mean_x = np.zeros((X.shape[1], k))
        if intercept:
            self.mean_x[:] = products[:, :-k] / self.n
            self.c -= self.mean_x * both[:, -k:].sum(axis=0)
        self._T = yc if self._root is None else yc * self._root
        self.y2 = (self._T**2).sum(axis=0)
        self._A = [np.empty((0, X.shape[0])) for _ in range(k)]

    def _times(self, V: Floats) -> Floats:
        """Return X'V in float64."""
        X, V = self._X, V.astype(self._X.dtype, copy=False)
        if V.shape[1] == 1 or sp.issparse(X):
            return np.asarray(X.T @ V, dtype=np.float64)
        edges = np.linspace(0, X.shape[1], get_config().threads + 1, dtype=int)
        parts = [slice(a, b) for a, b in itertools.pairwise(edges)]
        products = side_by_side(lambda part: X[:, part].T @ V, parts)
        return np.concatenate(products).astype(np.float64, copy=False)

    def gram(self, k: int, old: Vector, new: Vector) -> Floats:
        """Centre the new columns and multiply them with those at hand."""
        X = self._X
        A = X[:, new].toarray().T if sp.issparse(X) else X.T[new]
        mean = self.mean_x[new, k]
        A = A - mean[:, None]
        if self._root is not None:
            A *= self._root[:, k]
        still = np.sqrt((A**2).sum(axis=1)) <= 64 * EPS * np.abs(mean) * np.sqrt(
            self.n[k]
        )
        A[still] = 0.0
        p = len(old)
        if p + len(new) > len(self._A[k]):
            grown = np.empty((2 * p + len(new), A.shape[1]))
            grown[:p] = self._A[k][:p]
            self._A[k] = grown
        self._A[k][p : p + len(new)] = A
        return self._A[k][: p + len(new)] @ A.T

    def correlate(
        self, problems: Vector, sets: Sequence[ColumnSet]
    ) -> tuple[Floats, Floats]:
        """Multiply all columns with the residuals."""

        def residual(k: int) -> Floats:
            return self._T[:, k] - sets[k].b @ self._A[k][: len(sets[k].b)]

        R = np.column_stack(side_by_side(residual, problems.tolist()))
        V = R if self._root is None else R * self._root[:, problems]
        Q = self._times(V) - self.mean_x[:, problems] * V.sum(axis=0)
        return Q, (R**2).sum(axis=0)

    def along(self, k: int, columns: Vector, b: Floats) -> Floats:
        """Multiply all columns with what the entered ones make of b."""
        flat = b if b.ndim == 2 else b[:, None]
        V = self._A[k][: len(columns)].T @ flat  # (n, m)
        V = V if self._root is None else V * self._root[:, [k]]
        found = self._times(V) - self.mean_x[:, [k]] * V.sum(axis=0)
        return found if b.ndim == 2 else found[:, 0]
