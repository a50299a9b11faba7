"""A tree grown from sums: rows that lie apart send histograms and get splits.

The best split of a leaf needs its histograms only, sums over rows wherever they are
(`histogram_tree.py`).  What is grown here is a graph of sites: places of the tree whose
split is known, whether or not the tree will have them.  In each round the rows are
asked for the children of all sites that the best-first order may still come to:

    asked   = the sites without children among the first R pops of the known sites,
              R = the leaves that the tree may still get                         (1)

A child can only come before a site that is known, so that a site beyond (1) is never
split.  The rounds are about as many as the tree is deep.  Of two children the rows sum
one; the other is the parent's histograms less those.  Splits, values and their order
are to the bit those of a tree that is grown where the rows are.
"""

from __future__ import annotations

import heapq
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from corollary import loops
from corollary.core.arrays import Vector
from corollary.trees.bins import Bins
from corollary.trees.histogram_tree import BINS, Gradients, GrownTree, Limits

__all__ = ["Ask", "Site", "SummedGrowth", "SummedTree", "Units", "cells_of"]


@dataclass(frozen=True)
class Units:
    """What a cell holds: see `Gradients`."""

    constant: bool
    fields: tuple[float, float, int, int]
    width: int  # numbers of a cell

    @classmethod
    def of(cls, gradients: Gradients) -> Units:
        """Return the units of some integers."""
        width = 1 if gradients.h is None else 2
        return cls(gradients.constant, gradients.fields, width)


@dataclass(frozen=True)
class Ask:
    """A site to split: the numbers of its children, and whose histograms to sum."""

    parent: int
    left: int
    right: int
    feature: int
    table: Vector  # (256,) whether a code goes left
    summed: int


@dataclass
class Site:
    """A place of the tree, its sums, and its best split."""

    number: int
    depth: int
    rows: int
    total: Vector  # (width,)
    bounds: Any  # low, high, value
    sets: Vector  # of features that may still be used, as bits
    key: int
    strict: float = 1.0
    cells: Any = None  # (cells, width), while a child may be taken from it
    gain: float = 0.0
    split: tuple[Any, ...] | None = None  # feature, bin, missing left, missing seen
    table: Any = None  # (256,)
    set: Any = None  # (8,) of a categorical split
    children: tuple[Site, Site] | None = None
    left_share: float = 0.0  # of the hessian
    known: bool = False  # whether the children have rows and sums


def cells_of(bins: Bins) -> Vector:
    """Return which cells (d, 256) there are: those travel, one after another."""
    return (np.arange(BINS) <= bins.counts[:, None]).ravel()


@dataclass(frozen=True)
class SummedGrowth:
    """What bounds all trees of a fit."""

    bins: Bins
    limits: Limits
    monotone: Vector | None
    feature_sets: Vector | None

    @cached_property
    def places(self) -> Vector:
        """Where the cells of each feature begin, (d,)."""
        sizes = self.bins.counts.astype(np.int64) + 1
        return np.cumsum(sizes) - sizes

    @cached_property
    def categorical(self) -> Vector:
        """Which features are categorical, (d,) uint8."""
        return self.bins.categorical.astype(np.uint8)


@dataclass
class SummedTree:
    """One tree on its way."""

    growth: SummedGrowth
    units: Units
    root: Site
    sites: list[Site] = field(default_factory=list)

    @classmethod
    def of(
        cls, growth: SummedGrowth, units: Units, rows: int, cells: Any, seed: int
    ) -> SummedTree:
        """Begin with the sums of all rows."""
        total = cells[: int(growth.bins.counts[0]) + 1].sum(axis=0)
        stated = units.constant, units.fields
        value = loops.leaf_value(total, *stated, growth.limits.l2)
        words = 0 if growth.feature_sets is None else growth.feature_sets.shape[1]
        every = np.full(words, 2**64 - 1, np.uint64)
        bounds = np.array([-np.inf, np.inf, value])
        key = loops.root_key(seed % 2**64)
        root = Site(0, 0, rows, total, bounds, every, key, cells=cells)
        tree = cls(growth, units, root, [root])
        tree._search(root)
        return tree

    def asks(self) -> list[Ask]:
        """Return the sites to split in this round (1); none where the tree is made."""
        found = []
        for site in self._best_first()[1]:
            assert site.children is not None
            assert site.split is not None
            left, right = site.children
            if left.number < 0:
                left.number, right.number = len(self.sites), len(self.sites) + 1
                self.sites += [left, right]
            summed = left if site.left_share <= 0.5 else right
            ask = left.number, right.number, site.split[0], site.table, summed.number
            found.append(Ask(site.number, *ask))
        return found

    def take(self, ask: Ask, left_rows: int, cells: Any) -> None:
        """Take what the rows say of a split."""
        site = self.sites[ask.parent]
        assert site.children is not None
        left, right = site.children
        left.rows, right.rows = left_rows, site.rows - left_rows
        if min(left.rows, right.rows) < self.growth.limits.min_samples_leaf:
            site.strict *= 2  # a count was but estimated
            self._search(site)
            return
        summed, other = (left, right) if ask.summed == left.number else (right, left)
        summed.cells, other.cells = cells, site.cells - cells
        site.cells, site.known = None, True
        self._search(left)
        self._search(right)

    def made(self) -> GrownTree:
        """Return the tree."""
        order = self._best_first()[0]
        m = 2 * len(order) + 1
        by_set = bool(self.growth.bins.categorical.any())
        tree = GrownTree(
            np.full(m, -1, np.int32),
            np.zeros(m, np.uint8),
            np.zeros(m, np.uint8),
            np.zeros(m, np.int32),
            np.zeros(m, np.int32),
            np.zeros(m),
            np.zeros(m, np.int32),
            np.zeros((m if by_set else 0, 8), np.uint32),
        )
        for node, site in enumerate(self.nodes()):
            tree.value[node] = self.growth.limits.shrinkage * site.bounds[2]
            tree.count[node] = site.rows
        node_of = {site.number: node for node, site in enumerate(self.nodes())}
        for site in order:
            assert site.children is not None
            self._write(tree, node_of[site.number], site, node_of)
        return tree

    def nodes(self) -> list[Site]:
        """Return the site of each node of the tree."""
        found = [self.root]
        for site in self._best_first()[0]:
            found += site.children or ()
        return found

    # -- helpers -------------------------------------------------------------------
    def _best_first(self) -> tuple[list[Site], list[Site]]:
        """Return the known sites that are split, and those that wait, in order."""
        split: list[Site] = []
        wait: list[Site] = []
        leaves, heap = [self.root], []
        if self.root.split is not None:
            heap.append((-self.root.gain, 0))
        most = self.growth.limits.max_leaves
        while len(leaves) + len(wait) < most and heap:
            at = heapq.heappop(heap)[1]
            site = leaves[at]
            if not site.known:
                wait.append(site)
                continue
            assert site.children is not None
            split.append(site)
            leaves[at] = site.children[0]
            leaves.append(site.children[1])
            for place in (at, len(leaves) - 1):
                if leaves[place].split is not None:
                    heapq.heappush(heap, (-leaves[place].gain, place))
        return split, wait

    def _search(self, site: Site) -> None:
        """Find the best split of a site."""
        limits, growth = self.growth.limits, self.growth
        deep = limits.max_depth and site.depth >= limits.max_depth
        site.split, site.children = None, None
        if site.rows < 2 * limits.min_samples_leaf or deep:
            site.cells = None
            return
        table, chosen = np.empty(BINS, np.uint8), np.empty(8, np.uint32)
        totals = np.empty((2, self.units.width), np.int64)
        bounds, keys = np.empty((2, 3)), np.empty(2, np.uint64)
        sets = np.empty((2, len(site.sets)), np.uint64)
        found = loops.find_split(
            site.cells,
            growth.places,
            site.total,
            (site.rows, *site.bounds.tolist(), site.strict, site.key),
            site.sets,
            self.units.constant,
            self.units.fields,
            growth.bins.counts,
            growth.categorical,
            growth.monotone,
            growth.feature_sets,
            limits.numbers,
            table,
            chosen,
            totals,
            bounds,
            sets,
            keys,
        )
        site.gain, *split, site.left_share = found
        if split[0] < 0:
            site.cells = None
            return
        site.split, site.table, site.set = tuple(split), table, chosen
        site.children = tuple(  # type: ignore[assignment]
            Site(-1, site.depth + 1, 0, *each)
            for each in zip(totals, bounds, sets, keys.tolist(), strict=True)
        )

    def _write(
        self, tree: GrownTree, at: int, site: Site, node_of: dict[int, int]
    ) -> None:
        """Write a split to its node."""
        assert site.children is not None
        assert site.split is not None
        left, right = site.children
        feature, cut, missing_left, missing_seen = site.split
        if not missing_seen:
            missing_left = left.rows > right.rows
        tree.feature[at], tree.missing_left[at] = feature, missing_left
        tree.left[at], tree.right[at] = node_of[left.number], node_of[right.number]
        if not self.growth.bins.categorical[feature]:
            tree.bin[at] = cut
            return
        tree.sets[at] = site.set
        missing = int(self.growth.bins.counts[feature])
        if missing_left:
            tree.sets[at, missing // 32] |= np.uint32(1 << (missing % 32))
