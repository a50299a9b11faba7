"""Steps of boosting where the coded rows stay with the workers of a cluster.

A step sends instructions to the rows and gets sums back:

    largest gradients and losses        of the scores after the step before      (1)
    histograms of all rows              integers at the one scale of (1)         (2)
    counts and histograms of children   round after round, as the tree deepens   (3)
    counts of residuals                 where leaves take quantiles              (4)

The trees of several outputs are grown in the same rounds.  What comes back is as large
as the histograms of a round: it does not grow with the rows, and neither does what is
kept here.  A worker that dies costs time: another reads its rows, codes them, and adds
the trees so far (`engine/kept_rows.py`).

Every sum is exact, so that the model is to the bit the one that is made of gathered
rows (`gathered_boosting.py`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from corollary.core.arrays import Floats
from corollary.engine.data import Data
from corollary.engine.held_out import HeldOut
from corollary.engine.kept_rows import Instruction, KeptRows
from corollary.engine.ranked_keys import RankedKeys, numbers_of_keys
from corollary.ensembles.boosted_trees import BoostedTrees
from corollary.ensembles.boosting_judges import Judge, follow
from corollary.ensembles.coded_rows import Survey, held_counts, stops_early
from corollary.ensembles.histogram_losses import HistogramLoss, weighted_rank
from corollary.ensembles.kept_boosting import (
    Apart,
    Begin,
    CountHeld,
    CountResiduals,
    Judged,
    Kept,
    Move,
    Part,
    Prepare,
    Prepared,
    Root,
    View,
    Viewed,
    kept_chunk,
)
from corollary.trees.histogram_tree import GrownTree, Scale
from corollary.trees.summed_tree import SummedGrowth, SummedTree, Units

__all__ = ["ApartBoosting", "ApartRows"]


@dataclass(frozen=True)
class ApartRows:
    """Rows that are coded, weighed, and divided from held-out ones."""

    kept: KeptRows[Kept]
    loss: HistogramLoss
    prepare: Prepare
    prepared: Prepared

    @property
    def n(self) -> int:
        """How many rows there are to learn from."""
        return self.prepared.n

    @property
    def weighted(self) -> bool:
        """Whether the rows have weights."""
        return not self.prepare.ones or self.prepare.of_class is not None

    @classmethod
    def of(
        cls, booster: Any, data: Data, survey: Survey, own: HeldOut | None
    ) -> ApartRows:
        """Code the rows, and hold some out."""
        kept = KeptRows(data, partial(kept_chunk, survey=survey))
        K = len(getattr(booster, "classes_", ()))
        seen: Viewed = kept.ask(View(K))
        loss = booster.chosen_loss(seen.ends * (1, -1))
        stops = stops_early(booster, int(seen.groups.sum()), own)
        apart = None
        if own is None and stops and booster.validation_fraction is not None:
            counts = held_counts(booster, seen.groups, K > 0)
            apart = held_apart(kept, seen, counts.tolist(), survey.seed, K)
        of_class = booster.class_weights(seen.totals.astype(np.float64))
        prepare = Prepare(loss, apart, of_class, seen.ones)
        rows = cls(kept, loss, prepare, kept.ask(prepare))
        kept.shorten([prepare])
        return rows

    def base(self) -> Floats:
        """Return the constants of least loss."""
        q = self.loss.quantile()
        if q is None:
            return self.loss.base_of(self.prepared.evidence)
        return self.quantiles(None, q)

    def quantiles(self, sites: tuple[int, ...] | None, q: float) -> Floats:
        """Return the q-quantile of the residuals in sites, or of all targets."""
        heaviest = -float(self.prepared.ends[2])
        count = partial(CountResiduals, n=self.n, heaviest=heaviest)
        total = self.kept.ask(count(None, sites))
        if self.weighted:
            ranked = RankedKeys.anywhere(weighted_rank(q, total))
        else:
            at = q * (total - 1)
            whole = np.floor(at).astype(np.int64)
            pair = [whole, np.minimum(whole + 1, total - 1)]
            ranked = RankedKeys.anywhere(np.concatenate(pair))
        while not ranked.found:
            ranked = ranked.narrowed(self.kept.ask(count(ranked, sites)))
        found = numbers_of_keys(ranked.low)
        if self.weighted:
            return found
        low, high = np.split(found, 2)
        return low + (at - whole) * (high - low)


def held_apart(
    kept: KeptRows[Kept], seen: Viewed, counts: list[int], seed: int, classes: int
) -> Apart:
    """Find the last key of each group that is held out."""
    order = sorted(seen.rows)
    begins = np.cumsum([0, *(seen.rows[at] for at in order)]).tolist()
    apart = Apart(dict(zip(order, begins, strict=False)), seed, classes, {})
    groups = tuple(group for group, m in enumerate(counts) if m)
    ranked = RankedKeys.anywhere([counts[group] - 1 for group in groups])
    while not ranked.found:
        ranked = ranked.narrowed(kept.ask(CountHeld(ranked, groups, apart)))
    return replace(apart, last=dict(zip(groups, ranked.low.tolist(), strict=True)))


class ApartBoosting:
    """Rows that stay apart, and what is known of their scores so far."""

    def __init__(
        self, growth: SummedGrowth, rows: ApartRows, before: BoostedTrees | None
    ) -> None:
        self.growth, self.rows, self.of = growth, rows, rows.loss
        self.outputs = rows.loss.outputs
        self.base = rows.base() if before is None else before.base
        low, high = rows.prepared.ends[:2] * (1, -1)
        self.constant = bool(low == high)
        begin = Begin(rows.loss, self.base, before)
        self.judged: Judged = rows.kept.ask(begin)
        self.script: list[Instruction[Kept]] = [rows.prepare, begin]
        self.steps: list[list[GrownTree]] = []
        self.scores: list[list[float]] = []
        self.own: Judge | None = None  # the user's held-out rows, which are here

    def watch(self) -> None:
        """Keep the scores of the training rows, and of held-out ones."""
        self.scores = [[] for _ in self.now()]

    def grow(self, seeds: Sequence[int]) -> list[GrownTree]:
        """Grow a tree for each output and move the scores of the rows."""
        kept, n = self.rows.kept, self.rows.n
        kept.shorten([*self.script, Move(self.of, tuple(self.steps))])
        largest = self.judged.largest.tolist()
        scales = [Scale(n, (g or 1.0, h or 1.0)) for g, h in largest]
        cells = kept.ask(Root(self.of, scales))
        trees = [
            SummedTree.of(self.growth, units, n, own, seed)
            for units, own, seed in zip(self._units(scales), cells, seeds, strict=True)
        ]
        while any(asks := [tree.asks() for tree in trees]):
            parted = kept.ask(Part(asks))
            answers = zip(parted.left.tolist(), parted.cells, strict=True)
            for tree, own in zip(trees, asks, strict=True):
                for ask in own:
                    tree.take(ask, *next(answers))
        grown = [tree.made() for tree in trees]
        q = self.of.quantile()
        if q is not None:
            (tree,) = trees
            leaves = np.flatnonzero(grown[0].feature < 0)
            nodes = tree.nodes()
            sites = tuple(nodes[leaf].number for leaf in leaves)
            grown[0].value[:] = 0.0
            shrinkage = self.growth.limits.shrinkage
            grown[0].value[leaves] = shrinkage * self.rows.quantiles(sites, q)
        self.judged = kept.ask(Move(self.of, (grown,)))
        self.steps.append(grown)
        return grown

    def _units(self, scales: list[Scale]) -> list[Units]:
        """Return what a cell of each output holds: as for no rows at all."""
        none = np.zeros(0)
        f, w = np.zeros((self.outputs, 0)), none if self.rows.weighted else None
        return [Units.of(g) for g in self.of.gradients(none, f, w, 1, scales)]

    def now(self) -> list[float]:
        """Return the scores of the training rows, and of held-out ones."""
        found = [-float(self.judged.train)]
        if self.own is not None:
            found.append(self.own.score(self.own))
        elif self.judged.held is not None:
            found.append(-float(self.judged.held))
        return found

    def judge(self, grown: list[GrownTree]) -> None:
        """Note the scores after a step."""
        if self.own is not None and self.scores:
            follow(self.own, self.growth.bins, grown)
        for found, score in zip(self.scores, self.now(), strict=False):
            found.append(score)

    def loss(self) -> float:
        """Return the mean loss of the training rows."""
        return float(self.judged.train)
