"""Learners that need all rows at once, because what they sum does not fit the form.

A kernel machine weighs every pair of rows; a lazy learner keeps them.  Such a method
says so in its first paragraph.  Its rows may come from any source, and are gathered in
memory first.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, ClassVar, Self

from corollary.core.hooks import hook
from corollary.core.parameters import Rule
from corollary.core.report import Report
from corollary.engine.fit import Fitted, at_once, fit
from corollary.engine.gather import gather
from corollary.engine.sources.source import Chunk

__all__ = ["RowsLearner", "gather"]


class RowsLearner(ABC):
    """Learns from all rows at once; they must fit in memory."""

    rules: ClassVar[Mapping[str, Rule]]

    @abstractmethod
    def learn(self, rows: Chunk, report: Report) -> None:
        """Set the learned attributes, and fill the report."""

    def publish(self, fitted: Fitted) -> None:  # noqa: B027
        """Do nothing: `learn` has set what users read."""

    @hook  # noqa: B027
    def account(self, state: Any, report: Report) -> None:
        """Do nothing: `learn` has filled the report."""

    @hook
    def working_bytes(self, rows: int, features: int) -> float:
        """Estimate the memory beside the rows: a copy of them and some vectors."""
        return rows * (8.0 * features + 100.0)

    @hook
    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Learn from data.

        Parameters
        ----------
        X : array, sparse matrix, data frame, or Source
            Rows are examples; they are gathered in memory.
        y : array, optional
            Target of a supervised learner; None where the source carries it.
        sample_weight : array of shape (n,), optional
            Weight w counts a row w times; 0 removes it.

        Returns
        -------
        self
        """
        return self.fit_by(self.learning_from(X), X, y, sample_weight)

    @hook
    def learning_from(self, X: Any) -> Callable[[Chunk, Report], None]:
        """Return how to learn from the checked rows of X: by `learn`."""
        return self.learn

    def fit_by(
        self, learn: Callable[[Chunk, Report], None], X: Any, y: Any, sample_weight: Any
    ) -> Self:
        """Check data as `fit` does, and learn from it in a way of the caller's."""
        return fit(self, partial(at_once, learn=learn), X, y, sample_weight)
