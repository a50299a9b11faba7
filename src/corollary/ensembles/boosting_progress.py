"""The progress of gradient boosting: the scores of each stage.

The scores are losses, in scikit-learn's units: the mean of squares, the deviance.  Out
of bag are the rows that a stage did not see.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from corollary.core.arrays import Floats, Vector
from corollary.ensembles.stages import Rows, Stage
from corollary.objectives.stagewise_losses import StagewiseLoss

__all__ = ["Progress", "StageScores"]


@dataclass(frozen=True)
class StageScores:
    """The scores of a stage."""

    train: float
    out_of_bag: float = 0.0
    improvement: float = 0.0
    held: float = np.nan


@dataclass
class Progress:
    """The stages of a fit, and what each left."""

    stages: list[Stage] = field(default_factory=list)
    train: list[float] = field(default_factory=list)
    held: list[float] = field(default_factory=list)
    out_of_bag: list[float] = field(default_factory=list)
    improvement: list[float] = field(default_factory=list)
    ended: str = "n_estimators"

    def add(self, stage: Stage, scores: StageScores) -> None:
        """Add a stage."""
        self.train.append(scores.train)
        self.held.append(scores.held)
        self.out_of_bag.append(scores.out_of_bag)
        self.improvement.append(scores.improvement)
        self.stages.append(stage)

    def scores(
        self,
        loss: StagewiseLoss,
        rows: Rows,
        before: Floats,
        after: Floats,
        chosen: Vector | None,
    ) -> StageScores:
        """Return the scores of the next stage, given all scores before and after it."""
        if chosen is None:
            return StageScores(loss.mean(rows.y, after, rows.w))
        out = np.setdiff1d(np.arange(len(rows.y)), chosen)
        seen = loss.mean(rows.y[chosen], after[chosen], rows.w[chosen])
        if not len(out):
            return StageScores(seen)
        y, w = rows.y[out], rows.w[out]
        score = loss.mean(y, after[out], w)
        last = self.out_of_bag[-1] if self.stages else loss.mean(y, before[out], w)
        return StageScores(seen, score, last - score)
