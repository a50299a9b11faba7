"""Steps of boosting where the coded rows are: in memory, all of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

import numpy as np

from corollary.core.arrays import Floats
from corollary.ensembles.boosted_trees import BoostedTrees
from corollary.ensembles.boosting_judges import Judge, follow
from corollary.ensembles.coded_rows import Rows
from corollary.ensembles.histogram_losses import HistogramLoss, leaf_quantiles
from corollary.trees.histogram_tree import Gradients, GrownTree, Growth

__all__ = ["BoostingRows", "GatheredBoosting", "first_scores"]


class BoostingRows(Protocol):
    """The rows of a fit, wherever they are."""

    outputs: int
    base: Floats
    constant: bool  # whether all targets are equal
    scores: list[list[float]]  # of the judges: training rows, held-out rows

    def grow(self, seeds: Sequence[int]) -> list[GrownTree]:
        """Grow a tree for each output and move the scores of the rows."""

    def judge(self, grown: list[GrownTree]) -> None:
        """Note the scores after a step."""

    def now(self) -> list[float]:
        """Return the scores of the judges as they are."""

    def loss(self) -> float:
        """Return the mean loss of the training rows."""


class GatheredBoosting:
    """Coded rows in memory, and their scores so far."""

    def __init__(
        self,
        growth: Growth,
        loss: HistogramLoss,
        rows: Rows,
        base: Floats,
        before: BoostedTrees | None,
    ) -> None:
        self.growth, self.rows, self.base = growth, rows, base
        self.of, self.outputs = loss, loss.outputs
        self.f = first_scores(rows, base, before, growth.rows.threads)
        self.constant = bool(rows.y.min() == rows.y.max())
        self.judges: list[Judge] = []
        self.scores: list[list[float]] = []

    def watch(
        self, score: Callable[[Judge], float], held: Rows | None, f: Floats | None
    ) -> None:
        """Judge the training rows, and held-out ones with scores f."""
        rows = self.rows
        self.judges.append(Judge(None, rows.y, self.f, rows.w, score, []))
        if held is not None:
            assert f is not None
            self.judges.append(Judge(held.columns, held.y, f, held.w, score, []))
        self.scores = [judge.found for judge in self.judges]

    def grow(self, seeds: Sequence[int]) -> list[GrownTree]:
        """Grow a tree for each output and move the scores of the rows."""
        rows, threads = self.rows, self.growth.rows.threads
        steps = self.of.gradients(rows.y, self.f, rows.w, threads)
        return [
            self._grow_one(g, f, seed)
            for g, f, seed in zip(steps, self.f, seeds, strict=True)
        ]

    def _grow_one(self, gradients: Gradients, f: Floats, seed: int) -> GrownTree:
        """Grow a tree and move the scores f of the rows by its values."""
        q, rows = self.of.quantile(), self.rows
        if q is None:
            return self.growth.grow(gradients, seed, scores=f)
        leaf = np.empty(len(rows.y), np.int32)
        tree = self.growth.grow(gradients, seed, leaf_of=leaf)
        values = leaf_quantiles(rows.y - f, rows.w, leaf, len(tree.feature), q)
        tree.value[:] = self.growth.limits.shrinkage * values
        f += tree.value[leaf]
        return tree

    def judge(self, grown: list[GrownTree]) -> None:
        """Note the scores after a step."""
        for judge in self.judges:
            follow(judge, self.growth.rows.bins, grown)

    def now(self) -> list[float]:
        """Return the scores of the judges as they are."""
        return [judge.score(judge) for judge in self.judges]

    def loss(self) -> float:
        """Return the mean loss of the training rows."""
        return self.of.mean(self.rows.y, self.f, self.rows.w)


def first_scores(
    rows: Rows, base: Floats, before: BoostedTrees | None, threads: int
) -> Floats:
    """Return the scores (K, n) that a fit begins with."""
    f = np.empty((len(base), len(rows.y)))
    f[:] = (
        base[:, None]
        if before is None
        else before.coded_scores(rows.columns, threads).T
    )
    return f
