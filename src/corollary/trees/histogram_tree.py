"""Regression trees from histograms of integer gradients.

Also known as: histogram splitter, leaf-wise growth, quantised gradients.

For rows i with gradients g_i and hessians h_i of a loss, a leaf of the rows I has

    G = sum_I g_i,   h = sum_I h_i,   value  v = -G / (h + l2)                   (1)

and the best split of a leaf has the largest

    gain = G_L^2/(h_L + l2) + G_R^2/(h_R + l2) - G^2/(h + l2)                    (2)

over all features and bins: the fall of the loss's quadratic model.  The leaf with the
largest gain is split next.  g and h are rounded to integers at one scale,

    g_i ~ unit_g * integer,   |g_i| <= g_max,  0 <= h_i <= h_max                 (3)

so that sums are exact, and the tree is the same for any order, chunks or threads.  A
sum of n integers of b bits has b + log2 n bits: of the 64 bits of a cell, fields for G,
h and the count of rows share what n leaves (`Fields`).  The error of a sum is at most
n unit / 2, in the middle sqrt(n) unit / 4.

Notation: n rows, d features; codes as in `bins.py`.
References: Friedman (2001); Chen and Guestrin (2016); Ke et al. (2017).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from corollary import loops
from corollary.core.arrays import Floats, Vector
from corollary.trees.bins import Bins

__all__ = ["CodedRows", "Gradients", "GrownTree", "Growth", "Limits", "Scale"]

BINS = 256  # cells of a feature
GROUP = 16  # features that stand together
AHEAD = 16  # entries read in advance
SMALL = 2**13  # rows whose gradients keep 30 bits
EXACT = 51  # bits of a sum that vectors make a double of
COARSE = 8  # bits that a packed gradient must have
BYTES = 2**28  # of histograms that are kept
ALONE = 2**17  # codes for which one thread is enough


@dataclass(frozen=True)
class Limits:
    """What bounds a tree."""

    max_leaves: int
    max_depth: int = 0  # 0 = any
    min_samples_leaf: int = 20
    min_hessian: float = 1e-3
    l2: float = 0.0
    shrinkage: float = 0.1
    max_features: int = 0  # drawn for each leaf, 0 = all

    @property
    def numbers(self) -> tuple[int, int, float, float, float, float, int]:
        """Return what the loops take."""
        return (
            self.max_leaves,
            self.max_depth,
            float(self.min_samples_leaf),
            self.min_hessian,
            self.l2,
            self.shrinkage,
            self.max_features,
        )


class Scale(NamedTuple):
    """What all rows together say of the integers of some of them."""

    rows: int
    largest: tuple[float, float]  # gradient and hessian in size


@dataclass(frozen=True)
class Gradients:
    """Integer gradients of the rows, and what their units are worth (3)."""

    g: Vector  # (n,) int32, with the hessian in the low 16 bits where it varies
    h: Vector | None  # (n,) int32 where it does not fit there
    constant: bool  # whether every hessian is 1
    fields: tuple[float, float, int, int]  # units of g and h, places of h and g

    @classmethod
    def layout(cls, n: int, g_max: float, h_max: float) -> tuple[Any, ...]:
        """Return the fields of n rows with varying hessians, and how wide they are."""
        b = max(1, int(n).bit_length())
        spare = 63 - 2 * b
        g_bits, h_bits = min(15, (spare + 1) // 2), min(16, spare // 2)
        units = g_max / (2**g_bits - 1), h_max / (2**h_bits - 1)
        return (*units, 0, b + h_bits), 0 if n < SMALL else g_bits

    @classmethod
    def of(
        cls,
        g: Any,
        h: Any,
        bounds: tuple[float, float] | None = None,
        threads: int = 1,
        scale: Scale | None = None,
    ) -> Gradients:
        """Round gradients and hessians (None = all 1); `bounds` of both, if known.

        `scale` is that of all rows, where these are some of them.
        """
        n = len(g) if scale is None else scale.rows
        b = max(1, n.bit_length())
        g_max, h_max = bounds or (largest_of(g, h) if scale is None else scale.largest)
        packed = np.empty(len(g), np.int32)
        if h is None:
            unit = g_max / (2 ** min(30, 63 - 2 * b) - 1)
            loops.pack_gradients(g, None, 1 / unit, 0.0, packed, None, threads)
            return cls(packed, None, True, (unit, 1.0, 0, b))
        fields, bits = cls.layout(n, g_max, h_max)
        if bounds is not None and bits >= COARSE:
            units = 1 / fields[0], 1 / fields[1]
            loops.pack_gradients(g, h, *units, packed, None, threads)
            return cls(packed, None, False, fields)
        unit_g, unit_h = cls.fine_units(n, g_max, h_max)
        apart = np.empty(len(g), np.int32)
        loops.pack_gradients(g, h, 1 / unit_g, 1 / unit_h, packed, apart, threads)
        return cls(packed, apart, False, (unit_g, unit_h, b, 0))

    @classmethod
    def fine_units(cls, n: int, g_max: float, h_max: float) -> tuple[float, float]:
        """Return the units of gradients and hessians that stand apart."""
        b = max(1, int(n).bit_length())
        g_bits, h_bits = min(30, EXACT - b), min(30, 62 - 2 * b)
        return g_max / (2**g_bits - 1), h_max / (2**h_bits - 1)

    @classmethod
    def logistic(
        cls, y: Any, f: Any, threads: int = 1, scale: Scale | None = None
    ) -> Gradients:
        """Take those of the logistic loss at scores f, without arrays in between."""
        n = len(y) if scale is None else scale.rows
        fields, bits = cls.layout(n, 1.0, 0.25)
        packed = np.empty(len(y), np.int32)
        if bits < COARSE:
            apart = np.empty(len(y), np.int32)
            units = cls.fine_units(n, 1.0, 0.25)
            per = 1 / units[0], 1 / units[1]
            loops.logistic_gradients_apart(y, f, *per, packed, apart)
            return cls(packed, apart, False, (*units, max(1, n.bit_length()), 0))
        loops.logistic_gradients(y, f, 1 / fields[0], 1 / fields[1], packed, threads)
        return cls(packed, None, False, fields)


def largest_of(g: Floats, h: Floats | None) -> tuple[float, float]:
    """Return the largest sizes of gradients and hessians, or 1 where all are 0."""
    sizes = [1.0 if x is None else np.abs(x).max(initial=0.0) for x in (g, h)]
    return float(sizes[0]) or 1.0, float(sizes[1]) or 1.0


@dataclass(frozen=True)
class CodedRows:
    """Codes of the rows in the two orders that growing needs."""

    bins: Bins
    columns: Vector  # (d, n) uint8
    groups: Vector  # (n_groups, n, 16) uint8
    ends: Vector  # (n_groups,) int32: features before the end of each group
    threads: int

    @classmethod
    def of(cls, bins: Bins, columns: Vector, threads: int) -> CodedRows:
        """Copy columns into groups, as many for each thread."""
        d, n = columns.shape
        threads = 1 if d * n < ALONE else min(threads, d)
        n_groups = max(threads, -(-d // GROUP))
        n_groups = min(d, -(-n_groups // threads) * threads)
        ends = (np.arange(1, n_groups + 1) * d // n_groups).astype(np.int32)
        groups = np.zeros((n_groups, n, GROUP), np.uint8)
        loops.group_codes(columns, ends, groups, threads)
        return cls(bins, columns, groups, ends, threads)


@dataclass(frozen=True)
class GrownTree:
    """The nodes of one tree; the first is the root, children follow their parents."""

    feature: Vector  # (m,) int32, -1 at a leaf
    bin: Vector  # (m,) uint8: codes up to it go left
    missing_left: Vector  # (m,) uint8
    left: Vector  # (m,) int32
    right: Vector  # (m,) int32
    value: Any  # (m,) float64
    count: Vector  # (m,) int32 rows
    sets: Vector  # (m, 8) uint32: codes that go left; empty without categories


class Growth:
    """Grows one tree after another from the same coded rows."""

    def __init__(
        self,
        rows: CodedRows,
        limits: Limits,
        monotone: Vector | None = None,
        feature_sets: Vector | None = None,
    ) -> None:
        self.rows, self.limits = rows, limits
        self.monotone, self.feature_sets = monotone, feature_sets
        self.categorical = rows.bins.categorical.astype(np.uint8)
        m = 2 * limits.max_leaves - 1
        self.nodes = GrownTree(
            np.empty(m, np.int32),
            np.zeros(m, np.uint8),
            np.zeros(m, np.uint8),
            np.zeros(m, np.int32),
            np.zeros(m, np.int32),
            np.zeros(m),
            np.zeros(m, np.int32),
            np.zeros((m if self.categorical.any() else 0, 8), np.uint32),
        )
        self.cells = np.zeros(0, np.int64)
        self.entries = (np.zeros(0, np.int32), np.zeros(0, np.int32))

    def grow(
        self,
        gradients: Gradients,
        seed: int = 0,
        scores: Any = None,
        leaf_of: Vector | None = None,
    ) -> GrownTree:
        """Grow a tree; add its values to `scores`, write each row's leaf number."""
        rows = self.rows
        self._make_room(1 if gradients.h is None else 2)
        nodes = self.nodes
        m = loops.grow_tree(
            rows.columns,
            rows.groups,
            rows.ends,
            gradients.g,
            gradients.h,
            gradients.constant,
            gradients.fields,
            rows.bins.counts,
            self.categorical,
            self.monotone,
            self.feature_sets,
            self.limits.numbers,
            seed % 2**64,
            self.cells,
            *self.entries,
            nodes.feature,
            nodes.bin,
            nodes.missing_left,
            nodes.left,
            nodes.right,
            nodes.value,
            nodes.count,
            nodes.sets,
            scores,
            leaf_of,
            rows.threads,
        )
        return GrownTree(*(part[:m].copy() for part in vars(nodes).values()))

    def _make_room(self, width: int) -> None:
        """Allocate histograms and lists of rows, once."""
        d, n = self.rows.columns.shape
        one = d * BINS * width
        slots = min(self.limits.max_leaves + 3, max(4, BYTES // (8 * one)))
        if len(self.cells) != slots * one:
            self.cells = np.zeros(slots * one, np.int64)
            size = (n + AHEAD) * (width + 1)
            self.entries = (np.zeros(size, np.int32), np.zeros(size, np.int32))
