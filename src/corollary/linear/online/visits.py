"""In which order rows are visited one by one, by their content alone.

Equal rows with equal targets are one row with the sum of their weights, and the rows
are put into the order of a hash of their content before an epoch draws its permutation.
So a fit does not depend on how the rows were stored, nor on threads; weight 2 is the
same as the row twice, and weight 0 the same as no row.  Without shuffling the rows are
visited as they come.

A row of weight w is visited k = ceil(w) times in a row (at most `MOST` times), each
time with weight w/k: whole weights are repetitions.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import scipy.sparse as sp

from corollary import loops
from corollary.core.arrays import Matrix, Vector
from corollary.core.randomness import row_keys
from corollary.engine import ArraySource, Chunk, Data

__all__ = ["VisitedRows", "blocks", "rows_to_visit"]

MOST = 100


@dataclass(frozen=True)
class VisitedRows:
    """Rows to visit: those of `which`, each with its weight in visits."""

    X: Matrix  # (n, d)
    y: Any  # (n,)
    which: Vector  # (m,) row numbers, without repetition
    weight: Vector | None = None  # (n,) of all visits of a row
    shuffle: bool = False
    first_row: int = 0

    def order(self, seed: int, epoch: int) -> Vector:
        """Return the rows in the order of an epoch."""
        return self.orders(seed, epoch, 1)[0] if self.shuffle else self.which

    def orders(self, seed: int, first: int, count: int) -> Matrix:
        """Return the rows in the orders of some epochs, (count, m)."""
        orders = np.empty((count, len(self.which)), np.int64)
        if self.shuffle:
            loops.visit_orders(seed, first, self.first_row, self.which, orders)
        else:
            orders[:] = self.which
        return orders

    @cached_property
    def visits(self) -> tuple[Vector | None, Vector | None]:
        """The weight of one visit and the visits of each row."""
        if self.weight is None:
            return None, None
        times = np.minimum(np.maximum(np.ceil(self.weight), 1), MOST)
        return self.weight / times, times.astype(np.int32)

    @cached_property
    def n_visits(self) -> int:
        """The visits of an epoch."""
        times = self.visits[1]
        return len(self.which) if times is None else int(times[self.which].sum())

    def costs_of_windows(self, window: float, epochs: int) -> Vector | None:
        """Make room for a cost of each window of weight; a visit ends one at most."""
        if not math.isfinite(window):
            return None
        return np.empty(int(epochs * min(self.n_visits, self.total / window)) + 2)

    def weights(self) -> Vector:
        """Return the weights of the rows in `which`."""
        if self.weight is None:
            return np.ones(len(self.which))
        return self.weight[self.which]

    @cached_property
    def total(self) -> float:
        """The weight of all rows."""
        return float(self.weights().sum())

    def split(self, share: float, seed: int) -> tuple[VisitedRows, VisitedRows]:
        """Part about a share of the rows from the rest, by their content."""
        keys = row_keys(self.X, seed)[self.which]
        out = keys < np.uint64(share * 2.0**63) * np.uint64(2)
        return replace(self, which=self.which[~out]), replace(
            self, which=self.which[out]
        )


def rows_to_visit(chunk: Chunk, *, shuffle: bool, seed: int) -> VisitedRows:
    """Drop rows of weight 0, and bring the others into an order that is their own."""
    w = chunk.w
    which = np.arange(chunk.n) if w is None else np.flatnonzero(w > 0)
    if not shuffle:
        return VisitedRows(chunk.X, chunk.y, which, w)
    keys = row_keys(chunk.X, seed)
    keys = keys if w is None else keys[which]
    order = np.argsort(keys)
    ranked = keys[order]
    same = ranked[1:] == ranked[:-1]
    if same.any():
        close = same.nonzero()[0]
        tied = np.zeros(len(order), dtype=bool)
        tied[close] = tied[close + 1] = True
        sort_ties(order, tied.nonzero()[0], ranked, chunk.y[which])
        return merged(chunk, which[order], close)
    return VisitedRows(chunk.X, chunk.y, which[order], w, True, chunk.first_row)


def sort_ties(order: Vector, tied: Vector, keys: Vector, y: Vector) -> None:
    """Bring the places where keys are equal into the order of targets, then rows."""
    rows = order[tied]
    by_target = (y[rows],) if y.ndim == 1 else tuple(y[rows].T)
    order[tied] = rows[np.lexsort((rows, *by_target, keys[tied]))]


def merged(chunk: Chunk, which: Vector, close: Vector) -> VisitedRows:
    """Make one row of neighbours that are equal, with the sum of their weights.

    `close` says where a row and the next have one key.
    """
    a, b = which[close], which[close + 1]
    alike = equal_rows(chunk.X, a, b)
    y = chunk.y
    same_target = y[a] == y[b]
    alike &= same_target if y.ndim == 1 else same_target.all(axis=1)
    first = np.ones(len(which), dtype=bool)
    first[close[alike] + 1] = False
    at = first.nonzero()[0]
    w = np.ones(len(which)) if chunk.w is None else chunk.w[which]
    weight = np.zeros(chunk.n)
    weight[which[at]] = np.add.reduceat(w, at, dtype=np.float64)
    return VisitedRows(chunk.X, y, which[at], weight, True, chunk.first_row)


def equal_rows(X: Matrix, a: Vector, b: Vector) -> Vector:
    """Tell which rows a equal rows b."""
    if sp.issparse(X):
        unlike = sp.csr_array(X[a] != X[b])
        return np.diff(unlike.indptr) == 0
    return (X[a] == X[b]).all(axis=1)


def blocks(data: Data) -> Iterator[Chunk]:
    """Yield the rows of one pass: an array in one piece, other sources in chunks."""
    source = data.source
    if not isinstance(source, ArraySource):
        yield from data.one_by_one()
        return
    if not data.passes:
        data.look()
    yield Chunk(source.X, source.y, source.w)
