"""Assignment of rows to their nearest centre, with a bound that remembers.

Half a step of k-means: each row goes to its nearest centre, (2) of `k_means.py`, and
what a chunk says of the clusters is their weights, sums and share of J, which add up.
The bound (4) is the chunk's memory: it skips the rows that cannot have changed.  A
cluster that no row went to may take over the rows that lie farthest from their own
centres (`farthest_rows.py`).

Reference: Hamerly (2010).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from corollary import loops
from corollary.clustering.farthest_rows import FarthestRows
from corollary.core.arrays import Floats, Matrix, Vector
from corollary.core.magnitude import largest_size
from corollary.core.records import stored
from corollary.core.rows import rows_loop
from corollary.engine import Chunk, Statistics

__all__ = [
    "Assigned",
    "is_full",
    "label",
    "nearest",
    "rehoused",
    "remembered",
    "spread_over",
]


@stored
@dataclass(frozen=True)
class Assigned(Statistics):
    """What one chunk contributes under (2); chunks add up."""

    n: Floats  # (k,)   weight of the rows in each cluster
    sum_x: Floats  # (k, d) weighted sum of those rows
    J: float  # this chunk's share of (1)
    far: FarthestRows  # its farthest rows, as many as it has empty clusters

    def scaled(self, factor: float) -> Assigned:
        """Count the same rows `factor` times; single rows are forgotten."""
        far = FarthestRows(len(self.n), *(column[:0] for column in self.far._columns()))
        return Assigned(self.n * factor, self.sum_x * factor, self.J * factor, far)


@dataclass
class Remembered:
    """A chunk's memory as the loop needs it: labels, bounds, and the centres' drift."""

    labels: Vector
    lower: Floats
    fresh: bool
    drift: float


def remembered(chunk: Chunk, mu: Floats) -> Remembered:
    """Recall the chunk's labels and bounds (4), or begin afresh."""
    memory, dtype = chunk.memory, chunk.X.dtype
    previous: Any = memory.get("mu")
    fresh = previous is None or previous.shape != mu.shape
    if fresh:
        memory["labels"] = np.zeros(chunk.n, dtype=np.int32)
        memory["lower"] = np.zeros(chunk.n, dtype=dtype)
        drift = 0.0
    else:
        moves = mu - previous
        drift = math.sqrt(np.einsum("kj,kj->k", moves, moves).max())
        # the loop sees centres rounded to the precision of X: inflate by that
        unit = float(np.finfo(dtype).eps)
        rounding = unit * math.sqrt(mu.shape[1]) * largest_size(mu)
        drift = drift * (1 + 1e-6) + 2 * rounding
    memory["mu"] = mu
    return Remembered(memory["labels"], memory["lower"], fresh, drift)


def is_full(n: Vector) -> bool:
    """Tell whether no cluster is empty."""
    return int(np.count_nonzero(n)) == len(n)


def spread_over(alive: Vector, part: Floats) -> Floats:
    """Return sums of the remaining clusters as sums of all, 0 for the others."""
    whole = np.zeros((len(alive), *part.shape[1:]))
    whole[alive] = part
    return whole


def rehoused(s: Assigned) -> tuple[Floats, Floats]:
    """Return weights and sums of the clusters; each empty one has a farthest row."""
    n, sum_x = s.n.copy(), s.sum_x.copy()
    for k, i in zip(np.flatnonzero(n == 0), np.flatnonzero(s.far.d2 > 0), strict=False):
        x, w, old = s.far.x[i], s.far.w[i], s.far.z[i]
        n[[old, k]] += -w, w
        sum_x[[old, k]] += -w * x, w * x
    return n, sum_x


def label(chunk: Chunk, mu: Floats) -> tuple[Vector, Floats]:
    """Return each row's cluster and its share of J."""
    z, d2 = nearest(chunk.X, mu.astype(chunk.X.dtype), 1)
    share = d2.astype(np.float64)
    return z, share if chunk.w is None else share * chunk.w


def nearest(X: Matrix, mu: Floats, threads: int) -> tuple[Vector, Floats]:
    """Find the nearest centre of each row (2) and the squared distance to it."""
    z, d2 = np.empty(X.shape[0], np.int32), np.empty(X.shape[0], X.dtype)
    rows_loop(loops.nearest, loops.nearest_csr, X)(
        np.ascontiguousarray(mu), z, d2, threads
    )
    return z, d2
