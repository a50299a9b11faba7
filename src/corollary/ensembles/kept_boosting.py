"""What a chunk keeps of its rows while boosting: codes, scores, places in the tree.

The rows never leave.  Each instruction moves what is kept and returns sums: counts,
exact sums of losses, the largest gradients, histograms of integers, counts of keys.
All of it adds up to the bit of what all rows together would give
(`engine/kept_rows.py`, `apart_boosting.py`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from corollary.core.arrays import Floats, Vector
from corollary.core.randomness import number_keys
from corollary.engine.exact_sum import ExactMean
from corollary.engine.kept_rows import Instruction
from corollary.engine.ranked_keys import CountedKeys, RankedKeys, keys_of_numbers
from corollary.engine.sources.source import Chunk
from corollary.engine.statistics import Statistics
from corollary.ensembles.boosted_trees import BoostedTrees
from corollary.ensembles.coded_rows import Rows, Survey, code_chunk
from corollary.ensembles.gathered_boosting import first_scores
from corollary.ensembles.histogram_losses import (
    HistogramLoss,
    class_totals,
    weight_units,
)
from corollary.trees.histogram_tree import CodedRows, GrownTree, Scale
from corollary.trees.rows_in_leaves import RowsInLeaves
from corollary.trees.summed_tree import Ask

__all__ = [
    "Apart",
    "Begin",
    "CountHeld",
    "CountResiduals",
    "Judged",
    "Move",
    "Part",
    "Prepare",
    "Root",
    "View",
    "Viewed",
    "kept_chunk",
]

At = tuple[int, int]


@dataclass
class Kept:
    """The rows of one chunk, as far as a fit has come."""

    at: At
    survey: Survey
    rows: Rows  # all of them; those to learn from, once others are held out
    held: Rows | None = None
    coded: CodedRows | None = None
    f: Any = None  # (K, n)
    held_f: Any = None  # (K, m)
    trees: list[RowsInLeaves] = field(default_factory=list)


def kept_chunk(chunk: Chunk, survey: Survey) -> Kept:
    """Code a chunk."""
    codes, y, w = code_chunk(chunk, survey)
    return Kept(chunk.at, survey, Rows(np.ascontiguousarray(codes.T), y, w))


# -- before the first tree -------------------------------------------------------------
@dataclass(frozen=True)
class Viewed(Statistics):
    """What there is: rows of each chunk, of each class, the ends of y, weights."""

    rows: Mapping[At, int]
    groups: Vector  # (max(K, 1),) rows
    totals: Any  # (K,) of `ExactSum`, weights
    ends: Vector  # the least y and minus the largest
    ones: bool  # whether every weight is 1

    def __add__(self, other: Viewed) -> Viewed:
        return Viewed(
            {**self.rows, **other.rows},
            self.groups + other.groups,
            self.totals + other.totals,
            np.minimum(self.ends, other.ends),
            self.ones and other.ones,
        )


@dataclass(frozen=True)
class View(Instruction[Kept]):
    """Look at the rows."""

    classes: int

    def change(self, kept: Kept) -> None:
        """Leave everything as it is."""

    def sums(self, kept: Kept) -> Viewed:
        """Return what there is."""
        y, w, K = kept.rows.y, kept.rows.w, self.classes
        assert w is not None
        groups = np.bincount(group_of(y, K), minlength=max(K, 1))
        totals = class_totals(y, w, K)
        ends = np.array([y.min(initial=np.inf), -y.max(initial=-np.inf)])
        return Viewed({kept.at: len(y)}, groups, totals, ends, bool((w == 1).all()))


def group_of(y: Floats, classes: int) -> Vector:
    """Return the group that a row is held out of: its class, or the one of all."""
    return y.astype(np.int64) if classes else np.zeros(len(y), np.int64)


@dataclass(frozen=True)
class Apart:
    """Which rows are held out: those of each group whose keys are not above the last.

    `first` has the number of the first row of each chunk.
    """

    first: Mapping[At, int]
    seed: int
    classes: int
    last: Mapping[int, int]

    def keys(self, kept: Kept) -> Vector:
        """Return the keys of a chunk's rows."""
        begin = self.first[kept.at]
        return number_keys(np.arange(begin, begin + len(kept.rows.y)), self.seed)

    def of(self, kept: Kept) -> Vector:
        """Return which rows are held out."""
        keys, groups = self.keys(kept), group_of(kept.rows.y, self.classes)
        held = np.zeros(len(keys), bool)
        for group, last in self.last.items():
            held |= (groups == group) & (keys <= np.uint64(last))
        return held


@dataclass(frozen=True)
class CountHeld(Instruction[Kept]):
    """Count keys of rows in groups, to find the last ones that are held out."""

    ranked: RankedKeys
    groups: tuple[int, ...]  # of each target
    apart: Apart

    def change(self, kept: Kept) -> None:
        """Leave everything as it is."""

    def sums(self, kept: Kept) -> CountedKeys:
        """Count."""
        keys = self.apart.keys(kept)
        groups = group_of(kept.rows.y, self.apart.classes)
        return self.ranked.count([(keys[groups == g], None) for g in self.groups])


@dataclass(frozen=True)
class Prepared(Statistics):
    """What the training rows say before the first tree."""

    n: int
    evidence: Any
    ends: Vector  # the least y, minus the largest, minus the largest weight

    def __add__(self, other: Prepared) -> Prepared:
        evidence = self.evidence + other.evidence
        ends = np.minimum(self.ends, other.ends)
        return Prepared(self.n + other.n, evidence, ends)


@dataclass(frozen=True)
class Prepare(Instruction[Kept]):
    """Weigh the rows, and set some apart."""

    loss: HistogramLoss
    apart: Apart | None
    of_class: Floats | None  # weights
    ones: bool

    def change(self, kept: Kept) -> None:
        """Weigh and divide."""
        rows = replace(kept.rows, w=None) if self.ones else kept.rows
        rows = rows if self.of_class is None else rows.weighed(self.of_class)
        if self.apart is not None:
            held = self.apart.of(kept)
            kept.held = rows.part(np.flatnonzero(held))
            rows = rows.part(np.flatnonzero(~held))
        kept.rows = rows
        kept.coded = CodedRows.of(kept.survey.bins, rows.columns, 1)

    def sums(self, kept: Kept) -> Prepared:
        """Return what follows for the base."""
        y, w = kept.rows.y, kept.rows.w
        heaviest = 1.0 if w is None else w.max(initial=0.0)
        ends = np.array([y.min(initial=np.inf), -y.max(initial=-np.inf), -heaviest])
        return Prepared(len(y), self.loss.evidence(y, w), ends)


# -- steps -----------------------------------------------------------------------------
@dataclass(frozen=True)
class Judged(Statistics):
    """Losses after a step, and the largest gradients of the next."""

    train: ExactMean
    held: ExactMean | None
    largest: Floats  # (K, 2)

    def __add__(self, other: Judged) -> Judged:
        both = self.held is not None and other.held is not None
        return Judged(
            self.train + other.train,
            self.held + other.held if both else None,  # type: ignore[operator]
            np.maximum(self.largest, other.largest),
        )


def judged(kept: Kept, loss: HistogramLoss) -> Judged:
    """Judge a chunk's rows."""
    rows, held = kept.rows, kept.held
    return Judged(
        loss.losses(rows.y, kept.f, rows.w),
        None if held is None else loss.losses(held.y, kept.held_f, held.w),
        loss.largest(rows.y, kept.f, rows.w),
    )


@dataclass(frozen=True)
class Begin(Instruction[Kept]):
    """Begin at a constant, or at the trees of the fit before."""

    loss: HistogramLoss
    base: Floats
    before: BoostedTrees | None

    def change(self, kept: Kept) -> None:
        """Write the first scores."""
        kept.f = first_scores(kept.rows, self.base, self.before, 1)
        if kept.held is not None:
            kept.held_f = first_scores(kept.held, self.base, self.before, 1)

    def sums(self, kept: Kept) -> Judged:
        """Judge."""
        return judged(kept, self.loss)


@dataclass(frozen=True)
class Move(Instruction[Kept]):
    """Add trees to the scores, step after step."""

    loss: HistogramLoss
    steps: tuple[list[GrownTree], ...]

    def change(self, kept: Kept) -> None:
        """Add."""
        kept.trees = []
        for grown in self.steps:
            step = BoostedTrees.of(kept.survey.bins, np.zeros(len(grown)), grown)
            kept.f += step.coded_scores(kept.rows.columns, 1).T
            if kept.held is not None:
                kept.held_f += step.coded_scores(kept.held.columns, 1).T

    def sums(self, kept: Kept) -> Judged:
        """Judge."""
        return judged(kept, self.loss)


@dataclass(frozen=True)
class Root(Instruction[Kept]):
    """Take the gradients, and sum all rows."""

    loss: HistogramLoss
    scales: list[Scale]

    def change(self, kept: Kept) -> None:
        """Round the gradients to integers at the scale of all rows."""
        rows = kept.rows
        assert kept.coded is not None
        given = self.loss.gradients(rows.y, kept.f, rows.w, 1, self.scales)
        kept.trees = [RowsInLeaves(kept.coded, g) for g in given]

    def sums(self, kept: Kept) -> Any:
        """Return the histograms of each output, (K, cells, width)."""
        return np.stack([tree.cells(0) for tree in kept.trees])


@dataclass(frozen=True)
class Parted(Statistics):
    """What a round of splits leads to."""

    left: Vector  # (asks,) rows
    cells: Any  # (asks, cells, width)


@dataclass(frozen=True)
class Part(Instruction[Kept]):
    """Split sites of the tree of each output."""

    asks: list[list[Ask]]

    def change(self, kept: Kept) -> None:
        """Move the rows to the children."""
        for tree, asks in zip(kept.trees, self.asks, strict=True):
            for ask in asks:
                tree.part(ask)

    def sums(self, kept: Kept) -> Parted:
        """Sum one of both children."""
        pairs = zip(kept.trees, self.asks, strict=True)
        each = [(tree, ask) for tree, asks in pairs for ask in asks]
        left = np.array([len(tree.of(ask.left)) for tree, ask in each])
        cells = [tree.cells(ask.summed) for tree, ask in each]
        return Parted(left, np.stack(cells))


@dataclass(frozen=True)
class CountResiduals(Instruction[Kept]):
    """Count the residuals in leaves, to find a quantile of each."""

    ranked: RankedKeys | None  # None = weigh the leaves
    sites: tuple[int, ...] | None  # of the targets in turn; None = all rows, f = 0
    n: int
    heaviest: float

    def change(self, kept: Kept) -> None:
        """Leave everything as it is."""

    def sums(self, kept: Kept) -> Any:
        """Count, or weigh."""
        r, units = kept.rows.y, None
        if kept.rows.w is not None:
            units = weight_units(kept.rows.w, self.n, self.heaviest)
        of: list[Any] = [slice(None)]
        if self.sites is not None:
            r = r - kept.f[0]
            of = [kept.trees[0].of(site) for site in self.sites]
        if self.ranked is None:
            ones = np.ones(len(r), np.int64) if units is None else units
            return np.array([ones[rows].sum() for rows in of])
        keys = keys_of_numbers(r)
        of = of * (len(self.ranked.rank) // len(of))
        return self.ranked.count(
            [(keys[rows], None if units is None else units[rows]) for rows in of]
        )
