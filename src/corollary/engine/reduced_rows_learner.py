"""Learners that keep a reduced form of all rows, such as a byte for each number.

They look at the source in as many passes as they like, map every row to something
small, wherever it lies, and learn from what was mapped, in memory.  Some can also do
with sums over what was mapped: where it would take more memory than the limit, it stays
with the workers of a cluster.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from functools import partial
from typing import Any, ClassVar, Self

from corollary.core.arrays import Vector
from corollary.core.hooks import hook
from corollary.core.parameters import Rule
from corollary.core.randomness import entropy
from corollary.core.report import Report
from corollary.engine.data import Data
from corollary.engine.fit import Fitted, complete, fit
from corollary.engine.held_out import HeldOut, given_rows
from corollary.engine.sources.source import Chunk

__all__ = ["ReducedRowsLearner", "by_reduced_rows"]


class ReducedRowsLearner(ABC):
    """Learns from a reduced form of all rows, from any source and by any executor."""

    rules: ClassVar[Mapping[str, Rule]]

    @abstractmethod
    def survey(self, data: Data, seed: int) -> Any:
        """Return what the reduction needs to know; `data.reduce` makes a pass."""

    @abstractmethod
    def reduced(self, chunk: Chunk, survey: Any) -> tuple[Vector, ...]:
        """Return what is kept of each row of a chunk."""

    @abstractmethod
    def learn(
        self, rows: tuple[Vector, ...], survey: Any, report: Report, own: HeldOut | None
    ) -> None:
        """Set the learned attributes, and fill the report; `own` are held-out rows."""

    @hook
    def apart(self) -> bool:
        """Tell whether sums over the reduced rows are enough, as parameters stand."""
        return False

    @hook  # noqa: B027
    def learn_apart(
        self, data: Data, survey: Any, report: Report, own: HeldOut | None
    ) -> None:
        """Do as `learn`, by sums over rows that stay where they are."""

    def publish(self, fitted: Fitted) -> None:  # noqa: B027
        """Do nothing: `learn` has set what users read."""

    @hook  # noqa: B027
    def account(self, state: Any, report: Report) -> None:
        """Do nothing: `learn` has filled the report."""

    def fit(
        self,
        X: Any,
        y: Any = None,
        sample_weight: Any = None,
        *,
        X_val: Any = None,
        y_val: Any = None,
        sample_weight_val: Any = None,
    ) -> Self:
        """Learn from data.

        Parameters
        ----------
        X : array, data frame, or Source
            Rows are examples; a reduced form of them is gathered in memory, or stays
            with the workers of a cluster.
        y : array of shape (n,), optional
            Targets; None where the source carries them.
        sample_weight : array of shape (n,), optional
            Weight of each row; 0 removes it.
        X_val, y_val, sample_weight_val : arrays, optional
            Rows of your own that say when to stop, in place of held-out ones.

        Returns
        -------
        self
        """
        own = given_rows(self, X_val, y_val, sample_weight_val)
        return fit(self, partial(by_reduced_rows, own=own), X, y, sample_weight)


def by_reduced_rows(
    learner: ReducedRowsLearner, data: Data, report: Report, own: HeldOut | None = None
) -> Fitted:
    """Survey the data, and learn from what is kept of each row, here or apart."""
    seed = entropy(getattr(learner, "random_state", None))
    survey = learner.survey(data, seed)
    if data.stays_apart(data.n_rows):
        learner.learn_apart(data, survey, report, own)
    else:
        rows = data.rows(partial(learner.reduced, survey=survey))
        learner.learn(rows, survey, report, own)
    return complete(learner, data, Fitted(None, None, None, report))
