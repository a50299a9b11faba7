"""The contract of a learner in summation form.

Four pure functions over small frozen records; everything else is inherited:

    start(data, seed)          -> State        sees the source, never the first chunk
    statistics(chunk, state)   -> Statistics   what one chunk of rows contributes
    Statistics + Statistics                    associative, commutative
    update(statistics, state)  -> State        one step

and `publish`, which turns the last state into the attributes that users read.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from typing import Any, ClassVar, Self

from corollary.core.hooks import hook
from corollary.core.parameters import Rule
from corollary.core.report import Report, StopReason
from corollary.engine.data import Data
from corollary.engine.fit import Fitted, Settled, by_passes, fit, one_batch
from corollary.engine.sources.source import Chunk
from corollary.engine.statistics import Statistics

__all__ = ["StreamingClassifier", "StreamingLearner", "SummationLearner"]


class SummationLearner(ABC):
    """Learns from sums over the examples, on any source and any executor.

    Also known as: summation form, map reduce, sufficient statistics.
    """

    rules: ClassVar[Mapping[str, Rule]]

    # -- the mathematics, written by each method -----------------------------------
    @abstractmethod
    def start(self, data: Data, seed: int) -> Any:
        """Return the first state; `data.reduce` makes a pass if one is needed."""

    @abstractmethod
    def statistics(self, chunk: Chunk, state: Any) -> Statistics:
        """Return what one chunk contributes, given the state."""

    @abstractmethod
    def update(self, statistics: Any, state: Any) -> Any:
        """Return the next state."""

    @abstractmethod
    def publish(self, fitted: Fitted) -> None:
        """Set the learned attributes."""

    @hook
    def objective(self, statistics: Any, state: Any) -> float:
        """Return the objective to trace, lower is better."""
        return 0.0

    @hook
    def stop(self, state: Any) -> StopReason | None:
        """Say why to stop now, or None to go on; one step is enough by default."""
        return StopReason.CLOSED_FORM

    @hook
    def starts(self, data: Data, seed: int) -> Iterator[Any]:
        """Yield the states to start from; the best end wins."""
        yield self.start(data, seed)

    @hook
    def max_passes(self) -> int:
        """Bound the number of passes from one start."""
        return int(getattr(self, "max_iter", None) or 1)

    @hook
    def settle(self, data: Data, state: Any) -> Settled:
        """Look at the data once more with the last state, if that is worth a pass."""
        return Settled(state)

    @hook
    def publishable(self, state: Any) -> bool:
        """Return whether a state makes a model where Ctrl-C leaves out `settle`."""
        return True

    @hook  # noqa: B027
    def account(self, state: Any, report: Report) -> None:
        """Report how far from optimal the state is, and what else is known."""

    @hook
    def sums_bytes(self, n_features: int) -> int:
        """Estimate the size of one chunk's statistics, where it is large.

        A chunk of an array is made larger than that, so that adding up the statistics
        does not cost more than the rows.
        """
        return 0

    # -- what users call -----------------------------------------------------------
    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Learn from data.

        Parameters
        ----------
        X : array, sparse matrix, data frame, or Source
            Rows are examples.  Besides arrays and frames: a `ParquetSource`, a
            `CSVSource`, a `ChunkSource`, a function that returns an iterator of
            chunks, or a Dask array or data frame.
        y : array, optional
            Target of a supervised learner; None where the source carries it.
        sample_weight : array of shape (n,), optional
            Weight w counts a row w times; 0 removes it.

        Returns
        -------
        self
        """
        return fit(self, by_passes, X, y, sample_weight)


class StreamingLearner(SummationLearner):
    """A learner whose statistics stay valid while the state moves: it can stream."""

    _running: Fitted | None

    def partial_fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Learn from one more batch of a stream.

        The answer after any number of batches is that of all their rows (for learners
        that need several passes: of all their rows seen once).  `engine.use(schedule=
        PerChunk(decay=0.9))` makes it forget older batches.

        Parameters
        ----------
        X, y, sample_weight
            As in `fit`.

        Returns
        -------
        self
        """
        return fit(self, one_batch, X, y, sample_weight, stream=True)


class StreamingClassifier(SummationLearner):
    """A classifier that can stream, once it knows every class that may come."""

    classes_: Any
    _running: Fitted | None

    def partial_fit(
        self, X: Any, y: Any = None, classes: Any = None, sample_weight: Any = None
    ) -> Self:
        """Learn from one more batch; the first must name all `classes`.

        Parameters
        ----------
        X, y, sample_weight
            As in `fit`.
        classes : array, optional
            Every label that can ever come; required in the first call.

        Returns
        -------
        self
        """
        return fit(self, one_batch, X, y, sample_weight, stream=True, classes=classes)
