"""The contract of a learner that visits one row after another.

Each step depends on the step before, so there is no summation form.  What there is: a
pass over the rows in a fixed order, an epoch, on any source:

    start(data, seed, begin)   -> State      where to begin
    epoch(data, state)         -> State      a new one; Ctrl-C forgets half an epoch
    stop(state)                              why to stop after it, or None

and `publish`, as of every learner.  A learner may make several epochs of few rows at
once, where nobody looks in between (`epochs`).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from functools import partial
from typing import Any, ClassVar, NamedTuple, Self

from corollary.core.hooks import hook
from corollary.core.parameters import Rule
from corollary.core.report import Report, StopReason
from corollary.engine.data import Data
from corollary.engine.fit import Fitted, Settled, by_epochs, fit

__all__ = ["SequentialLearner", "Start"]


class Start(NamedTuple):
    """Where the user asks to start, and whether the data goes on from a stream."""

    coef: Any = None
    intercept: Any = None
    stream: bool = False


class SequentialLearner(ABC):
    """Learns row by row, epoch by epoch, on any source."""

    rules: ClassVar[Mapping[str, Rule]]
    max_iter: int

    # -- the mathematics, written by each method -----------------------------------
    @abstractmethod
    def start(self, data: Data, seed: int, begin: Start) -> Any:
        """Return the first state."""

    @abstractmethod
    def epoch(self, data: Data, state: Any) -> Any:
        """Visit every row once and return the next state; leave this one as it is."""

    @abstractmethod
    def objective(self, state: Any) -> float:
        """Return the objective to trace, lower is better."""

    @abstractmethod
    def stop(self, state: Any) -> StopReason | None:
        """Say why to stop now, or None to go on."""

    @abstractmethod
    def publish(self, fitted: Fitted) -> None:
        """Set the learned attributes."""

    @abstractmethod
    def account(self, state: Any, report: Report) -> None:
        """Report how far from optimal the state is, and what else is known."""

    @hook
    def epochs(self, data: Data, state: Any, most: int) -> tuple[Any, list[float]]:
        """Make an epoch, or several at once; return the objective after each."""
        state = self.epoch(data, state)
        return state, [self.objective(state)]

    @hook
    def max_passes(self) -> int:
        """Bound the number of epochs."""
        return int(self.max_iter)

    @hook
    def settle(self, data: Data, state: Any) -> Settled:
        """Look at the data once more with the last state, if that is worth a pass."""
        return Settled(state)

    @hook
    def publishable(self, state: Any) -> bool:
        """Return whether a state makes a model where Ctrl-C leaves out `settle`."""
        return True

    # -- what users call -----------------------------------------------------------
    def fit(
        self,
        X: Any,
        y: Any = None,
        coef_init: Any = None,
        intercept_init: Any = None,
        sample_weight: Any = None,
    ) -> Self:
        """Learn from data, in epochs.

        Parameters
        ----------
        X : array, sparse matrix, data frame, or Source
            Rows are examples.
        y : array
            Target; None where the source carries it.
        coef_init, intercept_init : arrays, optional
            Where to start, in the shapes of `coef_` and `intercept_`.
        sample_weight : array of shape (n,), optional
            Weight w counts a row w times; 0 removes it.

        Returns
        -------
        self
        """
        read = partial(by_epochs, begin=Start(coef_init, intercept_init))
        return fit(self, read, X, y, sample_weight)

    def _go_on(self, X: Any, y: Any, sample_weight: Any, classes: Any = None) -> Self:
        """Make one epoch over one more batch of a stream: what `partial_fit` does."""
        read = partial(by_epochs, begin=Start(stream=True))
        return fit(self, read, X, y, sample_weight, stream=True, classes=classes)
