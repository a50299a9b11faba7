"""Learners that watch rows they do not learn from, and may stop by them.

Such a learner adds to its model step by step.  After each step it may look at rows that
were held out, its own or the user's, and at what a monitor says.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from typing import Any, NamedTuple, Self

from corollary.core.report import Report
from corollary.engine.data import Data
from corollary.engine.gather import gather
from corollary.engine.held_out import given_rows
from corollary.engine.rows_learner import RowsLearner
from corollary.engine.sources.opening import open_source
from corollary.engine.sources.source import Chunk

__all__ = ["ValidatedLearner", "Watch"]

Monitor = Callable[[int, Any, dict[str, Any]], Any]


class Watch(NamedTuple):
    """What a fit looks at after each step."""

    held: Chunk | None = None  # the user's own validation rows
    monitor: Monitor | None = None


class ValidatedLearner(RowsLearner):
    """Learns from all rows at once, step by step, with an eye on others."""

    @abstractmethod
    def learn_watching(self, rows: Chunk, report: Report, watch: Watch) -> None:
        """Set the learned attributes, and fill the report."""

    def learn(self, rows: Chunk, report: Report) -> None:
        """Learn with nobody watching."""
        self.learn_watching(rows, report, Watch())

    def fit(
        self,
        X: Any,
        y: Any = None,
        sample_weight: Any = None,
        monitor: Monitor | None = None,
        *,
        X_val: Any = None,
        y_val: Any = None,
        sample_weight_val: Any = None,
    ) -> Self:
        """Learn from data.

        Parameters
        ----------
        X : array, sparse matrix, data frame, or Source
            Rows are examples; they are gathered in memory.
        y : array, optional
            Target; None where the source carries it.
        sample_weight : array of shape (n,), optional
            Weight w counts a row w times; 0 removes it.
        monitor : function of (stage, self, dict), optional
            Is called after each stage; True ends the fit.
        X_val, y_val, sample_weight_val : optional
            Rows to judge each stage by, instead of a share of X.

        Returns
        -------
        self
        """
        own = given_rows(self, X_val, y_val, sample_weight_val)

        def learn(rows: Chunk, report: Report) -> None:
            held = None
            if own is not None:
                data = Data(self, open_source(self, *own, reset=False))
                try:
                    held = gather(data)
                finally:
                    data.executor.close()
            self.learn_watching(rows, report, Watch(held, monitor))

        return self.fit_by(learn, X, y, sample_weight)
