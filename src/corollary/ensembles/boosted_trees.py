"""A sum of regression trees over bin codes: what histogram boosting learns.

    f_k(x) = base_k + sum over trees t of output k of value_t(leaf of x)         (1)

All nodes stand in one table, tree after tree; the two children of a node follow it side
by side and are counted from their root.  A node is 22 bytes: feature 4, bin 1, side of
missing values 1, left child 4, value 8, rows 4.  A node that splits a categorical
feature has a set of codes beside, in the order of the nodes.  Trees of several outputs
take turns: the tree t adds to the output t mod K.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
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
    left: Vector  # (m,) int32, from the root of the tree; the right child is the next
    value: Floats  # (m,)
    count: Vector  # (m,) int32 rows
    sets: Vector  # (s, 8) uint32: codes that go left, of each categorical split

    def __post_init__(self) -> None:
        if not self._sound():
            must = "nodes must lead from a root to its leaves, over the bins' features"
            raise DataError(sentence("BoostedTrees", must, "others"))

    def _sound(self) -> bool:
        """Tell whether no way through the nodes leaves its tree or turns back."""
        m, starts = len(self.feature), self.starts
        kinds = (np.int32, np.int32, np.uint8, np.uint8, np.int32, float, np.int32)
        parts = (self.bin, self.missing_left, self.left, self.value, self.count)
        if any(len(part) != m for part in parts):
            return False
        for part, kind in zip((starts, self.feature, *parts), kinds, strict=True):
            if part.dtype != kind:
                return False
        if (
            not len(starts)
            or starts[0]
            or starts[-1] != m
            or (np.diff(starts) < 1).any()
        ):
            return False
        if (len(starts) - 1) % len(self.base) or self.sets.shape[1:] != (8,):
            return False
        size = np.repeat(np.diff(starts), np.diff(starts))
        own = np.arange(m) - np.repeat(starts[:-1], np.diff(starts))
        inner = self.feature >= 0
        down = (self.left > own) & (self.left < size - 1)
        known = (self.feature >= -1) & (self.feature < len(self.bins.counts))
        if not known.all() or not down[inner].all():
            return False
        splits = int(self.bins.categorical[self.feature[inner]].sum())
        return len(self.sets) == splits and self.sets.dtype == np.uint32

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
        by_set = bool(bins.categorical.any())
        return cls(
            bins,
            np.asarray(base, np.float64),
            starts,
            feature,
            joined("bin", np.uint8),
            joined("missing_left", np.uint8),
            joined("left", np.int32),
            joined("value", np.float64),
            joined("count", np.int32),
            joined("sets", np.uint32)[categorical[: None if by_set else 0]],
        )

    def part(self, begin: int, end: int) -> BoostedTrees:
        """Return the trees from `begin` to `end`; later ones come without the base."""
        a, b = int(self.starts[begin]), int(self.starts[end])
        names = ("feature", "bin", "missing_left", "left", "value", "count")
        cut: list[Any] = [getattr(self, name)[a:b] for name in names]
        starts = self.starts[begin : end + 1] - self.starts[begin]
        number = np.append(0, np.cumsum(self._categorical))
        sets = self.sets[number[a] : number[b]]
        base = self.base if begin == 0 else 0 * self.base
        cut += [sets]
        return BoostedTrees(self.bins, base, starts, *cut)

    @cached_property
    def _categorical(self) -> Vector:
        """Which nodes split a categorical feature, (m,)."""
        return (self.feature >= 0) & self.bins.categorical[self.feature]

    @cached_property
    def _nodes(self) -> tuple[Any, ...]:
        """What the loops need of the nodes."""
        number = np.where(self._categorical, np.cumsum(self._categorical) - 1, -1)
        sets = self.sets if len(self.sets) else np.zeros((1, 8), np.uint32)
        return (
            self.starts,
            self.feature,
            self.bin,
            self.missing_left,
            self.left,
            self.left + np.int32(1),
            self.value,
            number.astype(np.int32),
            sets,
            self.base,
        )

    def scores(self, X: Floats) -> Floats:
        """Return (1) of rows of numbers, (n, K)."""
        self.bins.check_width(X)
        out = np.empty((len(X), len(self.base)))
        threads = 1 if len(X) < FEW else get_config().threads
        bins = self.bins
        given: list[Any] = [X, bins.edges, bins.counts, *self._nodes, out, threads]
        loops.tree_scores(*given)
        return out

    def coded_scores(self, codes: Vector, threads: int) -> Floats:
        """Return (1) of coded rows (d, n), (n, K)."""
        out = np.empty((codes.shape[1], len(self.base)))
        given: list[Any] = [codes, self.bins.counts, *self._nodes, out, threads]
        loops.coded_tree_scores(*given)
        return out
