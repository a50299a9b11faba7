"""Forests of regression trees.

Also known as: tree ensembles that average.

Course: S2-48.
"""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from sklearn.metrics import r2_score

from corollary.core.arrays import Floats
from corollary.core.parameters import one_of
from corollary.core.report import Report
from corollary.engine.sources.source import Chunk
from corollary.ensembles.forest import FOREST_RULES, Forest
from corollary.trees.decision_tree_regressor import DecisionTreeRegressor
from corollary.trees.growing import Sampling, number_targets

__all__ = ["NUMBER_FOREST_RULES", "NumberForest"]

NUMBER_FOREST_RULES = {
    **FOREST_RULES,
    "criterion": one_of("squared_error", "absolute_error", "friedman_mse", "poisson"),
}


class NumberForest(Forest):
    """A forest whose trees tell numbers."""

    member: ClassVar[Any] = DecisionTreeRegressor

    def _learn_numbers(self, rows: Chunk, report: Report) -> None:
        """Grow the trees, and score the rows out of bag where asked to."""
        learner: Any = self
        targets = number_targets(self, rows.y)
        weight = None if rows.w is None else rows.w.astype(np.float64)
        sampling = self._sampling(rows, weight)
        self._plant(rows, targets, sampling)
        if learner.oob_score:
            self._score_out_of_bag(rows, sampling)
        self._account(report)

    def _score_out_of_bag(self, rows: Chunk, sampling: Sampling) -> None:
        """Set the predictions and the score of the rows out of bag."""
        learner: Any = self
        means = self._out_of_bag(rows, sampling)[:, :, 0]
        self.oob_prediction_ = means[:, 0] if rows.y.ndim == 1 else means
        score = learner.oob_score if callable(learner.oob_score) else r2_score
        self.oob_score_ = score(rows.y, self.oob_prediction_)

    # -- use -----------------------------------------------------------------------
    def _means(self, X: Any) -> Floats:
        """Return the mean of the trees, (n,) or (n, m)."""
        means = self._mean(X)[:, :, 0]
        return means[:, 0] if self.n_outputs_ == 1 else means
