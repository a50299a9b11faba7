"""A sum of regression trees over bin codes: what histogram boosting learns.

    f_k(x) = base_k + sum over trees t of output k of value_t(leaf of x)         (1)

All nodes stand in one table, tree after tree; children follow their parents and are
counted from their root.  A node is 24 bytes: feature 4, bin 1, side of missing values 1,
number of a set of categories 2, children 4, value 8, rows 4.  Trees of several outputs
take turns: the tree t adds to the output t mod K.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from corollary import loops
from corollary.core.arrays import Floats, Vector
from corollary.core.configuration import get_config
from corollary.core.errors import DataError, sentence
from corollary.core.records import stored
from corollary.trees.bins import Bins
from corollary.trees.histogram_tree import GrownTree

__all__ = ["BoostedTrees"]

FEW = 4096  # rows that one thread answers for


@stored
@dataclass(frozen=True)
class BoostedTrees:
    """Trees of the form (1) and the bins of their features."""

    bins: Bins
    base: Floats  # (K,)
    starts: Vector  # (trees + 1,) int32: first node of each tree
    feature: Vector  # (m,) int32, -1 at a leaf
    bin: Vector  # (m,) uint8: codes up to it go left
    missing_left: Vector  # (m,) uint8
    left: Vector  # (m,) uint16, from the root of the tree
    right: Vector  # (m,) uint16
    value: Floats  # (m,)
    count: Vector  # (m,) int32 rows
    set: Vector  # (m,) int16: row of `sets`, -1 where a bin splits
    sets: Vector  # (s, 8) uint32: codes that go left

    def __post_init__(self) -> None:
        if not self._sound():
            must = "nodes must lead from a root to its leaves, over the bins' features"
            raise DataError(sentence("BoostedTrees", must, "others"))

    def _sound(self) -> bool:
        """Tell whether no way through the nodes leaves its tree or turns back."""
        m, starts = len(self.feature), self.starts
        parts = (self.bin, self.missing_left, self.left, self.right, self.value)
        if any(len(part) != m for part in (*parts, self.count, self.set)):
            return False
        if not len(starts) or starts[0] or starts[-1] != m or (np.diff(starts) < 1).any():
            return False
        if (len(starts) - 1) % len(self.base) or self.sets.shape[1:] != (8,):
            return False
        size = np.repeat(np.diff(starts), np.diff(starts))
        own = np.arange(m) - np.repeat(starts[:-1], np.diff(starts))
        inner = self.feature >= 0
        left, right = self.left.astype(np.int64), self.right.astype(np.int64)
        down = (left > own) & (right > own) & (left < size) & (right < size)
        known = self.feature < len(self.bins.counts)
        categorical = self.bins.categorical[np.where(inner & known, self.feature, 0)]
        listed = (self.set >= 0) == (categorical & inner)
        return bool(
            (down & known)[inner].all()
            and (self.feature >= -1).all()
            and listed.all()
            and self.set.max(initial=-1) < len(self.sets)
            and self.missing_left.max(initial=0) <= 1
        )

    @classmethod
    def of(cls, bins: Bins, base: Floats, trees: Sequence[GrownTree]) -> BoostedTrees:
        """Join grown trees."""
        starts = np.cumsum([0, *(len(tree.feature) for tree in trees)]).astype(np.int32)

        def joined(name: str, dtype: Any) -> Vector:
            parts = [getattr(tree, name) for tree in trees]
            empty = np.zeros((0, 8) if name == "sets" else 0, dtype)
            return np.concatenate(parts).astype(dtype) if parts else empty

        feature = joined("feature", np.int32)
        categorical = (feature >= 0) & bins.categorical[feature]
        number = np.where(categorical, np.cumsum(categorical) - 1, -1)
        return cls(
            bins,
            np.asarray(base, np.float64),
            starts,
            feature,
            joined("bin", np.uint8),
            joined("missing_left", np.uint8),
            joined("left", np.uint16),
            joined("right", np.uint16),
            joined("value", np.float64),
            joined("count", np.int32),
            number.astype(np.int32),
            joined("sets", np.uint32)[categorical],
        )

    def first(self, trees: int) -> BoostedTrees:
        """Return the first so many trees."""
        end = int(self.starts[trees])
        parts = (self.feature, self.bin, self.missing_left, self.left, self.right)
        more = (self.value, self.count, self.set)
        cut = (part[:end] for part in (*parts, *more))
        return BoostedTrees(
            self.bins, self.base, self.starts[: trees + 1], *cut, self.sets
        )

    def part(self, begin: int, end: int) -> BoostedTrees:
        """Return the trees from `begin` to `end`, without the base."""
        a, b = int(self.starts[begin]), int(self.starts[end])
        parts = (self.feature, self.bin, self.missing_left, self.left, self.right)
        more = (self.value, self.count, self.set)
        cut = (part[a:b] for part in (*parts, *more))
        starts = self.starts[begin : end + 1] - self.starts[begin]
        return BoostedTrees(self.bins, 0 * self.base, starts, *cut, self.sets)

    def _nodes(self) -> tuple[Any, ...]:
        return (
            self.starts,
            self.feature,
            self.bin,
            self.missing_left,
            self.left.astype(np.int32),
            self.right.astype(np.int32),
            self.value,
            self.set.astype(np.int32),
            self.sets if len(self.sets) else np.zeros((1, 8), np.uint32),
            self.base,
        )

    def scores(self, X: Floats) -> Floats:
        """Return (1) of rows of numbers, (n, K)."""
        out = np.empty((len(X), len(self.base)))
        threads = 1 if len(X) < FEW else get_config().threads
        bins = self.bins
        X = bins.numbered(X)
        loops.tree_scores(X, bins.edges, bins.counts, *self._nodes(), out, threads)
        return out

    def coded_scores(self, codes: Vector, threads: int) -> Floats:
        """Return (1) of coded rows (d, n), (n, K)."""
        out = np.empty((codes.shape[1], len(self.base)))
        counts = self.bins.counts
        loops.coded_tree_scores(codes, counts, *self._nodes(), out, threads)
        return out
