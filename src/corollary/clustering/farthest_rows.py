"""The rows farthest from their centres, which empty clusters take over.

Of all chunks together those m rows count that have the largest

    ||x_n - mu_{z_n}||^2,   ties in the order of the rows' values                 (1)

for m empty clusters, so that neither the chunks nor the order of the rows matter.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from corollary.core.arrays import Floats, Matrix, Vector
from corollary.core.records import stored
from corollary.core.rows import dense
from corollary.engine import Chunk

__all__ = ["FarthestRows", "farthest"]


@stored
@dataclass(frozen=True)
class FarthestRows:
    """The m rows farthest from their centres: homes for empty clusters."""

    m: int  # a chunk's count of empty clusters; no more can be empty in the sum
    d2: Floats  # (at most m,), falling
    x: Floats  # (at most m, d)
    w: Floats  # (at most m,)
    z: Vector  # (at most m,) the cluster each one is in

    @classmethod
    def ordered(
        cls, m: int, d2: Floats, x: Floats, w: Floats, z: Vector
    ) -> FarthestRows:
        """Keep the m farthest; equal distances are ordered by the rows' values."""
        order = np.lexsort((*x.T[::-1], -d2))[:m]
        return cls(m, d2[order], x[order], w[order], z[order])

    def __add__(self, other: FarthestRows) -> FarthestRows:
        if not (self.m and other.m):
            return other if self.m else self
        pairs = zip(self._columns(), other._columns(), strict=True)
        return FarthestRows.ordered(min(self.m, other.m), *map(np.concatenate, pairs))

    def _columns(self) -> tuple[Floats, Floats, Floats, Vector]:
        return self.d2, self.x, self.w, self.z


def farthest(chunk: Chunk, mu: Floats, z: Vector, n: Floats) -> FarthestRows:
    """Return the chunk's farthest rows, as many as it leaves clusters empty."""
    m = len(n) - int(np.count_nonzero(n))
    if not m:
        none = np.zeros(0)
        return FarthestRows(0, none, np.zeros((0, mu.shape[1])), none, z[:0])
    rows = np.arange(chunk.n)
    if chunk.w is not None:
        rows = rows[chunk.w[rows] > 0]
    d2 = squared_distances(chunk.X, mu, rows, z)
    if len(rows) > m:
        rows = rows[d2 >= -np.partition(-d2, m - 1)[m - 1]]
        d2 = squared_distances(chunk.X, mu, rows, z)
    X = dense(chunk.X[rows]).astype(np.float64)
    w = np.ones(len(rows)) if chunk.w is None else chunk.w[rows].astype(np.float64)
    return FarthestRows.ordered(m, d2, X, w, z[rows])


def squared_distances(X: Matrix, mu: Floats, rows: Vector, z: Vector) -> Floats:
    """Return ||x - mu_z||^2 of some rows."""
    difference = dense(X[rows]).astype(np.float64) - mu[z[rows]]
    return (difference**2).sum(axis=1)
