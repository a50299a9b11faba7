"""Feature functions f(x, y) of a row and a class, summed over rows.

A conditional Gibbs law  p(y | x) prop. to exp(sum_j mu_j f_j(x, y))  needs of its
features only, for weights A_ny on pairs of a row and a class,

    scores      S_ny = sum_j mu_j f_j(x_n, y)                                    (1)
    totals      T_j  = sum_n sum_y A_ny f_j(x_n, y)                              (2)
    squares     Q_j  = sum_n sum_y A_ny f_j(x_n, y)^2                            (3)
    covariance  sum_n w_n (E_n f f' - E_n f E_n f'),  E_n the mean under p(. | x_n)
                                                                                 (4)
    floors      sum_n w_n min_y f_j(x_n, y): what is taken off where features must be
                >= 0; anything common to all classes of a row cancels in the law (5)

`Given` takes them from a function of the user, `ClassTimesX` knows them for the default
f_{cj}(x, y) = [y = c] x_j with x_0 = 1, in which no feature is ever written out.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import scipy.sparse as sp

from corollary.core.arrays import Floats, Matrix, Vector
from corollary.core.errors import DataError, sentence

__all__ = ["ClassTimesX", "FeatureMap", "Given"]

ENTRIES = 2**21  # entries of the features of a block of rows


class FeatureMap(ABC):
    """Features of every row and class, m of them."""

    m: int

    @abstractmethod
    def tensor(self, X: Matrix) -> Floats:
        """Return f_j(x_n, y), (n, K, m)."""

    @abstractmethod
    def scores(self, X: Matrix, mu: Floats) -> Floats:
        """Return (1), (n, K)."""

    @abstractmethod
    def totals(self, X: Matrix, A: Floats) -> Floats:
        """Return (2), (m,)."""

    @abstractmethod
    def squares(self, X: Matrix, A: Floats) -> Floats:
        """Return (3), (m,)."""

    @abstractmethod
    def covariance(self, X: Matrix, P: Floats, w: Floats) -> Floats:
        """Return (4), (m, m)."""

    @abstractmethod
    def ranges(self, X: Matrix) -> tuple[Floats, Floats]:
        """Return the least and the largest f_j."""

    @abstractmethod
    def floors(self, X: Matrix, w: Floats) -> tuple[Floats, float]:
        """Return (5), (m,), and the largest sum_j of a row's features above it."""

    def centred(self, mu: Floats) -> Floats:
        """Return the multipliers of the same law on which a penalty is least."""
        return mu

    def seen(self, X: Matrix) -> FeatureMap:
        """Return the map with its number of features, known once it sees a row."""
        return self

    def blocks(self, X: Matrix, K: int) -> Iterator[tuple[slice, Floats]]:
        """Write the features out, a block of rows at a time."""
        rows = max(1, ENTRIES // (K * self.m))
        for start in range(0, X.shape[0], rows):
            part = slice(start, start + rows)
            yield part, self.tensor(X[part])


@dataclass(frozen=True)
class Given(FeatureMap):
    """Features from a function of rows and a class: f(X, y) -> (n, m)."""

    f: Callable[[Any, Any], Any]
    classes: Vector
    m: int = 0

    def seen(self, X: Matrix) -> FeatureMap:
        """Ask the function about one row."""
        m = features_of(self.f, X[:1], self.classes).shape[2]
        return replace(self, m=m)

    def tensor(self, X: Matrix) -> Floats:
        """Ask the function for every class, and check what it says."""
        return features_of(self.f, X, self.classes, self.m)

    def scores(self, X: Matrix, mu: Floats) -> Floats:
        """Return (1)."""
        parts = [F @ mu for _, F in self.blocks(X, len(self.classes))]
        return np.concatenate(parts)

    def totals(self, X: Matrix, A: Floats) -> Floats:
        """Return (2)."""
        pairs = self.blocks(X, len(self.classes))
        return self._sum(np.einsum("nk,nkm->m", A[part], F) for part, F in pairs)

    def squares(self, X: Matrix, A: Floats) -> Floats:
        """Return (3)."""
        pairs = self.blocks(X, len(self.classes))
        return self._sum(np.einsum("nk,nkm->m", A[part], F**2) for part, F in pairs)

    def covariance(self, X: Matrix, P: Floats, w: Floats) -> Floats:
        """Return (4)."""
        H = np.zeros((self.m, self.m))
        for part, F in self.blocks(X, len(self.classes)):
            A = P[part] * w[part, None]
            mean = np.einsum("nk,nkm->nm", P[part], F)
            centred = (F - mean[:, None, :]).reshape(-1, self.m)
            H += (centred * A.reshape(-1, 1)).T @ centred
        return H

    def ranges(self, X: Matrix) -> tuple[Floats, Floats]:
        """Look at every feature of every row and class."""
        low, high = np.full(self.m, np.inf), np.full(self.m, -np.inf)
        for _, F in self.blocks(X, len(self.classes)):
            low = np.minimum(low, F.min(axis=(0, 1)))
            high = np.maximum(high, F.max(axis=(0, 1)))
        return low, high

    def floors(self, X: Matrix, w: Floats) -> tuple[Floats, float]:
        """Return (5)."""
        floor, top = np.zeros(self.m), 0.0
        for part, F in self.blocks(X, len(self.classes)):
            least = F.min(axis=1)  # (n, m)
            floor += w[part] @ least
            top = max(top, float((F.sum(axis=2) - least.sum(axis=1)[:, None]).max()))
        return floor, top

    def _sum(self, parts: Iterator[Floats]) -> Floats:
        return sum(parts, np.zeros(self.m))


@dataclass(frozen=True)
class ClassTimesX(FeatureMap):
    """f_{cj}(x, y) = [y = c] x_j, and [y = c] itself as the last of each class."""

    K: int
    d: int

    @property
    def m(self) -> int:  # type: ignore[override]
        """Return the number of features."""
        return self.K * (self.d + 1)

    def tensor(self, X: Matrix) -> Floats:
        """Write the features out: x~ in the block of the class, 0 elsewhere."""
        dense = X.toarray() if sp.issparse(X) else X
        rows = np.column_stack([dense, np.ones(X.shape[0])])
        F = np.zeros((X.shape[0], self.K, self.K, self.d + 1))
        for c in range(self.K):
            F[:, c, c, :] = rows
        return F.reshape(X.shape[0], self.K, self.m)

    def scores(self, X: Matrix, mu: Floats) -> Floats:
        """Return (1): W x + b."""
        M = mu.reshape(self.K, self.d + 1)
        return np.asarray(X @ M[:, :-1].T) + M[:, -1]

    def totals(self, X: Matrix, A: Floats) -> Floats:
        """Return (2): A'X beside the sums of A."""
        return np.column_stack([np.asarray(X.T @ A).T, A.sum(axis=0)]).ravel()

    def squares(self, X: Matrix, A: Floats) -> Floats:
        """Return (3)."""
        return self.totals(X.multiply(X).tocsr() if sp.issparse(X) else X * X, A)

    def covariance(self, X: Matrix, P: Floats, w: Floats) -> Floats:
        """Return (4): for classes c, e the sum of w p_c ([c = e] - p_e) x~ x~'."""
        size = self.d + 1
        H = np.empty((self.K, size, self.K, size))
        dense = X.toarray() if sp.issparse(X) else X
        Z = np.column_stack([dense, np.ones(X.shape[0])])
        for c in range(self.K):
            for e in range(c, self.K):
                a = w * P[:, c] * ((1.0 if c == e else 0.0) - P[:, e])
                block = (Z * a[:, None]).T @ Z
                H[c, :, e, :], H[e, :, c, :] = block, block.T
        return H.reshape(self.m, self.m)

    def ranges(self, X: Matrix) -> tuple[Floats, Floats]:
        """Look at every column; of another class a feature is 0."""
        low, high = X.min(axis=0), X.max(axis=0)
        if sp.issparse(X):
            low, high = low.toarray().ravel(), high.toarray().ravel()
        ends = (np.append(np.minimum(low, 0.0), 0.0), np.append(np.maximum(high, 0), 1))
        return np.tile(ends[0], self.K), np.tile(ends[1], self.K)

    def floors(self, X: Matrix, w: Floats) -> tuple[Floats, float]:
        """Return (5): x_j < 0 is the floor of its own class, 0 any other."""
        below = (X - abs(X)) / 2
        floor = np.append(np.asarray(w @ below).ravel(), 0.0)
        sums = np.asarray(X.sum(axis=1)).ravel()
        lows = np.asarray(below.sum(axis=1)).ravel()
        return np.tile(floor, self.K), float((sums - self.K * lows).max()) + 1.0

    def centred(self, mu: Floats) -> Floats:
        """Take off what is common to all classes."""
        M = mu.reshape(self.K, -1)
        return (M - M.mean(axis=0)).ravel()


def features_of(f: Any, X: Any, classes: Vector, m: int | None = None) -> Floats:
    """Ask a user's function for the features of each class, (n, K, m)."""
    parts = []
    for label in classes:
        F = np.asarray(f(X, label), dtype=np.float64)
        F = F[:, None] if F.ndim == 1 else F
        m = F.shape[1] if m is None and F.ndim == 2 else m
        if F.ndim != 2 or F.shape != (X.shape[0], m):
            must = f"features(X, y) must return {X.shape[0]} rows of {m} features"
            raise DataError(sentence("MaximumEntropyClassifier", must, f"{F.shape}"))
        parts.append(F)
    T = np.stack(parts, axis=1)
    if not np.isfinite(T).all():
        must = "features(X, y) must return finite numbers"
        raise DataError(sentence("MaximumEntropyClassifier", must, "NaN or infinity"))
    return T
