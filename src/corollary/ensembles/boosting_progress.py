"""The progress of gradient boosting: what each stage left, and rows held out.

The scores are losses, in the units that scikit-learn tells: the mean of squares, the
deviance.  Out of bag are the rows that a stage did not see.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from sklearn.model_selection import train_test_split

from corollary.core.arrays import Floats, Vector
from corollary.core.errors import DataError, sentence
from corollary.ensembles.stages import Rows, Stage
from corollary.objectives.stagewise_losses import StagewiseLoss

__all__ = ["Progress", "Told", "split_rows"]


@dataclass(frozen=True)
class Told:
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

    def add(self, stage: Stage, told: Told) -> None:
        """Add a stage."""
        self.train.append(told.train)
        self.held.append(told.held)
        self.out_of_bag.append(told.out_of_bag)
        self.improvement.append(told.improvement)
        self.stages.append(stage)

    def told(
        self,
        loss: StagewiseLoss,
        rows: Rows,
        before: Floats,
        after: Floats,
        chosen: Vector | None,
    ) -> Told:
        """Return the scores of the next stage, given all scores before and after it."""
        if chosen is None:
            return Told(loss.mean(rows.y, after, rows.w))
        out = np.setdiff1d(np.arange(len(rows.y)), chosen)
        seen = loss.mean(rows.y[chosen], after[chosen], rows.w[chosen])
        if not len(out):
            return Told(seen)
        y, w = rows.y[out], rows.w[out]
        score = loss.mean(y, after[out], w)
        last = self.out_of_bag[-1] if self.stages else loss.mean(y, before[out], w)
        return Told(seen, score, last - score)


def split_rows(
    who: Any, rows: Rows, fraction: float, stratum: Vector | None, seed: int
) -> tuple[Rows, Rows]:
    """Hold a share of the rows out, of each class alike where there are classes."""
    try:
        train, test = train_test_split(
            np.arange(len(rows.y)),
            test_size=fraction,
            random_state=seed % 2**32,
            stratify=stratum,
        )
    except ValueError as error:
        must = "validation_fraction must leave rows of every class on both sides"
        came = f"{fraction} of {len(rows.y)} rows ({error})"
        raise DataError(sentence(who, must, came)) from None
    if stratum is not None and len(np.unique(stratum[train])) < len(np.unique(stratum)):
        must = "rows of every class must be left to learn from"
        raise DataError(sentence(who, must, "a class held out as a whole"))
    return rows.some(train), rows.some(test)
