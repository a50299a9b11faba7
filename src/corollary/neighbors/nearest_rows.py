"""Exact nearest neighbours by brute force, in tiles.

Also known as: k-nearest-neighbour search, exhaustive search, linear scan, k-NN graph.

For each query x the k rows of least distance,

    N_k(x) = the first k rows in the order of (distance(x, x_i), i)               (1)

so that of rows at the same distance the first come first.  Rows are taken in tiles,
queries in blocks.  A screen (`screens`) scores a block against a tile with a known
error; groups of a few columns hold their least score each, and the k-th least of these
bounds the k-th distance from above:

    at least k rows have a score <= b,  b = the k-th least of the group minima    (2)

What lies above b, or above the k-th distance of the tiles before, by more than the
error is dropped.  Of the pairs that are left, hardly more than k for each query, the
exact distance is taken, which decides.  Screens begin in float32; a block where too
many pairs are left, as rows nearly equal for it, is screened again in float64.

The cost is O(n d) for a query, in products of matrices; memory is a few megabytes
beside the answer, for any number of rows.

Notation: X (n, d) rows; Q (q, d) queries; k = neighbours asked for.
Course: S3-40. References: Fix and Hodges (1951); Cover and Hart (1967).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from corollary.core.arrays import Floats, Matrix, Vector
from corollary.core.magnitude import largest_size
from corollary.core.memory import block_bytes
from corollary.engine.executors.executor import side_by_side, single_threaded_blas
from corollary.engine.executors.team import in_turn
from corollary.engine.sources.source import csr_rows
from corollary.neighbors.metrics import Metric, pair_values
from corollary.neighbors.screens import Screen, make_screen

__all__ = ["Nearest", "nearest_given", "nearest_of", "nearest_rows"]

TILE = 2**14  # rows of a tile
TILE_BYTES = 2**26  # of a tile of rows
SCORES_BYTES = 2**22  # of the scores of a block
BLOCK = 1024  # queries of a block at most
GROUP = 2**5  # columns whose least score stands for them
FEW = 4  # pairs for each neighbour that float32 may leave


@dataclass(frozen=True)
class Nearest:
    """The nearest rows of each query, the nearest first."""

    distances: Floats  # (q, k) float64
    rows: Vector  # (q, k) int64


def nearest_rows(
    metric: Metric, X: Matrix, Q: Matrix, k: int, *, own: bool = False
) -> Nearest:
    """Return (1) for each query; where `own`, Q is X, and no row its own neighbour.

    >>> X = np.array([[0.0], [1.0], [3.0]])
    >>> nearest_rows(Metric("euclidean"), X, np.array([[0.9]]), 2).rows.tolist()
    [[1, 0]]
    """
    search = Search(metric, X, Q, k, own, scale_of(X, Q))
    n, d = X.shape
    if sp.issparse(X):
        d = d if not metric.keeps_sparse or metric.kind == "manhattan" else 1
    width = max(GROUP, block_bytes(TILE_BYTES) // (8 * max(1, d)))
    for first in range(0, n, min(TILE, width)):
        search.look_at(first, min(n, first + min(TILE, width)))
    return Nearest(metric.distance(search.values, search.scale), search.rows)


def nearest_given(D: Matrix, k: int, *, own: bool = False) -> Nearest:
    """Return (1) of distances that are given, (q, n); of those a sparse matrix holds.

    >>> nearest_given(np.array([[2.0, 1.0, 3.0]]), 2).rows.tolist()
    [[1, 0]]
    """
    q, n = D.shape
    if not sp.issparse(D):
        return nearest_of(lambda a, b: D[a:b], q, n, k, own=own)
    values, rows = np.full((q, k), np.inf), np.full((q, k), n)
    r, c, given = np.repeat(np.arange(q), np.diff(D.indptr)), D.indices, D.data
    if own:
        r, c, given = (part[r != D.indices] for part in (r, c, given))
    merge(values, rows, r, c, given.astype(np.float64))
    return Nearest(values, rows)


def nearest_of(
    distances: Callable[[int, int], Floats], q: int, n: int, k: int, *, own: bool
) -> Nearest:
    """Return (1) where a function gives the distances of queries a to b, (b - a, n)."""
    values, rows = np.full((q, k), np.inf), np.full((q, k), n)
    step = max(1, block_bytes(SCORES_BYTES) // (8 * n))
    for a in range(0, q, step):
        S = distances(a, min(q, a + step))
        inside = kth_least(S, k + own)[:, None] >= S
        if own:
            here = np.arange(len(S))
            inside[here, here + a] = False
        r, c = np.nonzero(inside)
        some = slice(a, a + step)
        merge(values[some], rows[some], r, c, S[r, c].astype(np.float64))
    return Nearest(values, rows)


def scale_of(X: Matrix, Q: Matrix) -> float:
    """Return a power of two above all entries, by which nothing is rounded."""
    size = max(largest_size(X), largest_size(Q))
    return float(2.0 ** np.ceil(np.log2(size))) if size > 0 else 1.0


class Search:
    """The best rows so far of all queries."""

    def __init__(
        self, metric: Metric, X: Matrix, Q: Matrix, k: int, own: bool, scale: float
    ) -> None:
        self.metric, self.X, self.Q, self.k = metric, X, Q, k
        self.own, self.scale = own, scale
        self.values = np.full((Q.shape[0], k), np.inf)  # as `pair_values` gives them
        self.rows = np.full((Q.shape[0], k), X.shape[0])

    def look_at(self, a: int, b: int) -> None:
        """Compare all queries with the rows from a to b."""
        Z = some_rows(self.X, a, b)
        screens = {"float32": make_screen(self.metric, Z, self.scale, np.float32)}
        q, room = self.Q.shape[0], block_bytes(SCORES_BYTES)
        step = min(BLOCK, max(1, room // (8 * (b - a))))

        def work(first: int) -> None:
            self._block(first, min(q, first + step), Z, a, screens)

        how = in_turn if screens["float32"].threaded else side_by_side
        with single_threaded_blas():
            how(work, range(0, q, step))

    def _block(
        self, first: int, end: int, Z: Matrix, a: int, screens: dict[str, Screen]
    ) -> None:
        """Merge the nearest rows of a tile into those of a block of queries."""
        Q = some_rows(self.Q, first, end)
        passed = self._passed(screens["float32"], Q, first, a)
        few = FEW * (self.k + FEW) * (end - first)
        if len(passed) > few and self.metric.kind in ("euclidean", "cosine"):
            if "float64" not in screens:  # made at most once or twice, by two threads
                more = make_screen(self.metric, Z, self.scale, np.float64)
                screens["float64"] = more
            passed = self._passed(screens["float64"], Q, first, a)
        r, c = np.divmod(passed, Z.shape[0])
        values = pair_values(self.metric, Q, r, Z, c, self.scale)
        best, rows = self.values[first:end], self.rows[first:end]
        merge(best, rows, r, c + a, values)

    def _passed(self, screen: Screen, Q: Matrix, first: int, a: int) -> Vector:
        """Return the pairs that may be among the nearest, as places in the scores."""
        found = screen.screened(Q)
        S = found.scores
        least = kth_least(S, self.k + self.own) + found.offset
        limit = found.limit(np.minimum(least, self.values[first : first + len(S), -1]))
        inside = limit.astype(S.dtype)[:, None] >= S
        if self.own:
            r = np.arange(len(S))
            c = r + first - a
            here = (c >= 0) & (c < S.shape[1])
            inside[r[here], c[here]] = False
        return np.flatnonzero(inside)


def some_rows(X: Matrix, a: int, b: int) -> Any:
    """Return rows a to b."""
    return csr_rows(X, a, b) if sp.issparse(X) else X[a:b]


def kth_least(S: Floats, k: int) -> Floats:
    """Return a number that at least k scores of each row do not exceed: b of (2)."""
    q, m = S.shape
    if k > m:
        return np.full(q, np.inf)
    groups = m // GROUP
    if groups >= k:
        S = S[:, : groups * GROUP]
        while S.shape[1] > groups:
            half = S.shape[1] // 2
            S = np.minimum(S[:, :half], S[:, half:])
    return np.partition(S, k - 1, axis=1)[:, k - 1].astype(np.float64)


def merge(best: Floats, rows: Vector, r: Vector, c: Vector, values: Floats) -> None:
    """Put pairs (r, c) of some values among the best of each query, in place.

    The pairs come by rising c, and after all rows that were merged before.
    """
    q, k = best.shape
    old = np.flatnonzero(np.isfinite(best))
    r = np.concatenate([old // k, r])
    c = np.concatenate([rows.ravel()[old], c])
    values = np.concatenate([best.ravel()[old], values])
    order = np.argsort(values, kind="stable")
    short = np.uint16 if q < 2**16 else np.int64  # which is sorted by its digits
    order = order[np.argsort(r[order].astype(short), kind="stable")]  # (1)
    counts = np.bincount(r, minlength=q)
    place = np.arange(len(r)) - np.repeat(np.cumsum(counts) - counts, counts)
    keep = place < k
    order, r, place = order[keep], np.repeat(np.arange(q), counts)[keep], place[keep]
    best[r, place] = values[order]
    rows[r, place] = c[order]
