"""Learners that need all rows at once and take no weights.

A rule that counts rows, such as the k nearest, has no natural reading of a weight: a
row of weight 1/2 is half a neighbour.  Like scikit-learn's, such a learner offers none.
"""

from __future__ import annotations

from typing import Any, Self

from corollary.core.errors import DataError, sentence
from corollary.engine.rows_learner import RowsLearner
from corollary.engine.sources.source import Chunk

__all__ = ["UnweightedRowsLearner", "refuse_weights"]


class UnweightedRowsLearner(RowsLearner):
    """Learns from all rows at once, each of which counts once."""

    def fit(self, X: Any, y: Any = None) -> Self:  # type: ignore[override]
        """Learn from data.

        Parameters
        ----------
        X : array, sparse matrix, data frame, or Source
            Rows are examples; they are gathered in memory.
        y : array
            Target; None where the source carries it.

        Returns
        -------
        self
        """
        return self.fit_by(self.learn, X, y, None)


def refuse_weights(learner: Any, rows: Chunk) -> None:
    """Refuse rows of a source that carry weights, unless all weigh alike."""
    if rows.w is not None and (rows.w != rows.w[0]).any():
        must = "the rows must have no weights"
        came = f"weights from {rows.w.min():g} to {rows.w.max():g}"
        raise DataError(sentence(learner, must, came, "Open the source without them."))
