"""Learning from the scatter of classes: what linear and quadratic analysis share.

One pass takes the scatter within the classes, or that of each (`engine.classes`); its
root, where a learner can do with that and rows are few next to the features.  Two
wishes need more: shrinkage 'auto' a second look at the rows, for the sum of fourth
powers in Ledoit and Wolf's formula; and a covariance estimator of the user's the rows
themselves, in memory.
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass, replace
from typing import Any

from corollary.core.errors import DataError, sentence
from corollary.core.hooks import hook
from corollary.core.records import stored
from corollary.core.report import StopReason
from corollary.discriminants.covariances import (
    check_classes,
    estimated,
    fourth_moments,
)
from corollary.discriminants.shrinkage import FourthMoments
from corollary.engine import Chunk, Data, StreamingClassifier
from corollary.engine.classes import ClassScatters, WithinScatter, WithinTriangle

__all__ = ["ScatterLearner", "Scattered"]


@stored
@dataclass(frozen=True)
class Scattered:
    """The state: the scatter while a second pass is due, then the rule."""

    k: int
    d: int
    dtype: Any
    once: bool  # a stream: rows of a class may still come
    wide: bool = False  # fewer rows than features: the root of the scatter is taken
    given: Any = None  # (k + 1, d, d) covariances by an estimator of the user's
    scatter: Any = None
    rule: Any = None


class ScatterLearner(StreamingClassifier):
    """Learns a rule from the scatter of the classes."""

    shrinkage: Any
    covariance_estimator: Any

    @abstractmethod
    def _by_class(self) -> bool:
        """Tell whether the rule needs the scatter of every class."""

    @abstractmethod
    def _rule(self, scatter: Any, state: Scattered, q: Any) -> Any:
        """Return the rule; q (k + 1,) are the fourth moments for shrinkage 'auto'."""

    @hook
    def _check_asked(self, k: int, d: int) -> None:
        """Refuse parameters that k classes of d features cannot have."""

    @hook
    def _needs_root_only(self) -> bool:
        """Tell whether a root of the scatter within the classes is enough."""
        return False

    def start(self, data: Data, seed: int) -> Scattered:
        """Check what was asked for; let the user's estimator see the rows."""
        k, source = len(self.classes_), data.source
        wide = self._needs_root_only() and data.few_rows <= source.n_features
        check_classes(self, data, matrices=k if self._by_class() else 1, rows=wide)
        self._check_asked(k, source.n_features)
        given = None
        if self.covariance_estimator is not None:
            given = estimated(self, data, self.covariance_estimator)
        elif self.shrinkage == "auto" and data.once:
            must = "shrinkage='auto' needs a second pass over the data"
            raise DataError(sentence(self, must, "a stream", "Give a number instead."))
        return Scattered(k, source.n_features, source.dtype, data.once, wide, given)

    def statistics(self, chunk: Chunk, state: Scattered) -> Any:
        """Take the chunk's scatter, then what shrinkage 'auto' needs besides."""
        if state.scatter is not None:
            return fourth_moments(chunk, state.scatter)
        kind: Any = ClassScatters if self._by_class() else WithinScatter
        kind = WithinTriangle if state.wide else kind
        return kind.of(chunk.X, chunk.y, chunk.w, state.k)

    def update(self, s: Any, state: Scattered) -> Scattered:
        """Find the rule, or ask for the second pass."""
        if isinstance(s, FourthMoments):
            rule = self._rule(state.scatter, state, s.q)
            return replace(state, scatter=None, rule=rule)
        if self.shrinkage == "auto":
            return replace(state, scatter=s)
        return replace(state, rule=self._rule(s, state, None))

    def stop(self, state: Scattered) -> StopReason | None:
        """Stop once there is a rule."""
        return StopReason.CLOSED_FORM if state.rule is not None else None

    def max_passes(self) -> int:
        """Allow a second pass for shrinkage 'auto'."""
        return 2
