"""K-means on a line, for each column by itself and for all in the same pass.

Also known as: one-dimensional k-means, Jenks natural breaks, Lloyd-Max quantiser.

For each column, from k centres spread evenly over its range, repeat

    z_i  = the nearest centre: cells between the middles of neighbouring centres    (1)
    mu_k <- mu_k + sum_{i: z_i = k} w_i (x_i - mu_k) / sum_{i: z_i = k} w_i      (2)

until the squared shift of the centres is below tol times the variance of the column.
A centre without values takes over a value that lies farthest from its own centre.
Differences are summed, not values, so that no digit is lost beside a large mean.

Reference: Lloyd (1982).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from corollary.core.arrays import Floats, Vector
from corollary.engine import Chunk, Statistics
from corollary.preparation.column_statistics import weighing

__all__ = ["Centres", "middles"]


@dataclass(frozen=True)
class Assigned(Statistics):
    """What one chunk contributes: the sums of (2), and values for empty centres."""

    n: Floats  # (K,) weight of the values of each centre, column after column
    s: Floats  # (K,) sum of w (x - mu)
    far: list[Floats]  # (2, m) distances and values farthest from their centres

    def __add__(self, other: Assigned) -> Assigned:
        pairs = zip(self.far, other.far, strict=True)
        far = [farthest(np.hstack(p), min(p[0].shape[1], p[1].shape[1])) for p in pairs]
        return Assigned(self.n + other.n, self.s + other.s, far)


def farthest(values: Floats, most: int) -> Floats:
    """Return the farthest of distances and values (2, m), the highest of equals."""
    values = np.unique(values, axis=1)  # by distance, then by value
    return values[:, ::-1][:, :most]


@dataclass(frozen=True)
class Centres:
    """The centres of each column, rising, and how far they moved last."""

    mu: list[Floats]
    tolerance: Floats  # (d,) on the squared shift of the centres of a column
    shift2: Any = np.inf  # (d,)

    @classmethod
    def begin(
        cls, low: Floats, high: Floats, k: Vector, variance: Floats, tol: float = 1e-4
    ) -> Centres:
        """Spread k centres of each column over its range."""
        edges = [np.linspace(a, b, m + 1) for a, b, m in zip(low, high, k, strict=True)]
        return cls([(e[1:] + e[:-1]) / 2 for e in edges], tol * variance)

    @property
    def done(self) -> bool:
        """Whether all centres rest."""
        return bool(self.rests.all())

    @property
    def rests(self) -> Vector:
        """Which columns have centres that rest."""
        return np.asarray(self.shift2 <= self.tolerance)

    @property
    def start(self) -> Vector:
        """The first centre of each column, and the number of all."""
        return np.append(0, np.cumsum([len(c) for c in self.mu]))

    def assign(self, chunk: Chunk) -> Assigned:
        """Sum the values of each centre (1)."""
        X, w = weighing(chunk.X, chunk.w)
        n, s = np.zeros((2, self.start[-1]))
        far: list[Floats] = []
        for j, x in enumerate(np.ascontiguousarray(X.T, dtype=np.float64)):
            if self.rests[j]:
                far.append(np.zeros((2, 0)))
                continue
            c, cells = self.mu[j], slice(*self.start[j : j + 2])
            z = np.searchsorted(middles(c), x)  # of two as near, the lower
            apart = x - c[z]
            own = apart if w is None else w * apart
            n[cells] = np.bincount(z, w, minlength=len(c))
            s[cells] = np.bincount(z, own, minlength=len(c))
            empty = int((n[cells] == 0).sum())  # no more can be empty in the sum
            values = np.array([np.abs(apart), x]) if empty else np.zeros((2, 0))
            far.append(farthest(values, empty))
        return Assigned(n, s, far)

    def moved(self, s: Assigned) -> Centres:
        """Move the centres to the means of their values (2)."""
        found: list[Floats] = []
        shift2 = np.zeros(len(self.mu))
        for j, c in enumerate(self.mu):
            if self.rests[j]:
                found.append(c)
                continue
            cells = slice(*self.start[j : j + 2])
            n = s.n[cells]
            new = c + s.s[cells] / np.where(n > 0, n, 1)
            away = s.far[j][1, s.far[j][0] > 0]
            empty = np.flatnonzero(n == 0)[: len(away)]
            new[empty] = away[: len(empty)]
            new = np.sort(new)
            found.append(new)
            shift2[j] = ((new - c) ** 2).sum()
        return Centres(found, self.tolerance, shift2)


def middles(c: Floats) -> Floats:
    """Return the middles of neighbouring centres.

    >>> middles(np.array([0.0, 2.0, 10.0])).tolist()
    [1.0, 6.0]
    """
    return (c[1:] + c[:-1]) / 2
