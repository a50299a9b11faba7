"""Weak learners: what a round of AdaBoost fits under its weights.

Three ways to fit a member to weights D that sum to 1:

    weighed     the base takes weights: it is given D times the weight of all rows
    resampled   it takes none: it is fitted on as many rows as there are, drawn with
                probabilities D; a draw that is no use is repeated a few times
    stumps      decision stumps sort the columns once for all rounds
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from corollary.core.arrays import Floats, Matrix, Vector
from corollary.core.checks import names_checked
from corollary.core.randomness import generator
from corollary.engine.fit import inside_another_fit
from corollary.engine.sources.source import Chunk
from corollary.ensembles.members import SMALLEST, Urn, made, takes_weights
from corollary.trees.decision_stump import DecisionStumpClassifier
from corollary.trees.sorted_columns import SortedColumns, presorted

__all__ = ["Attempt", "Members", "WeakLearner", "codes_among", "weak_classifier"]

TRIES = 5  # draws of rows for one member


class Attempt(NamedTuple):
    """A member that was fitted, and what it says of the training rows."""

    member: Any
    answers: Vector  # (n,) codes of the classes, or numbers


@dataclass(frozen=True)
class WeakLearner(ABC):
    """Fits members to weights of the rows."""

    X: Matrix  # (n, d)
    y: Vector  # (n,) codes of the classes, or numbers
    total: float  # weight of all rows

    @abstractmethod
    def attempts(self, D: Floats, number: int) -> Iterator[Attempt]:
        """Fit a member to weights that sum to 1, and others while they are asked for.

        Where nothing is drawn the first is the only one.
        """


@dataclass(frozen=True)
class Members(WeakLearner):
    """Clones of any base, weighed or resampled."""

    base: Any
    seed: int
    classes: Any = None  # of the codes

    def attempts(self, D: Floats, number: int) -> Iterator[Attempt]:
        """Fit clones of the base."""
        if takes_weights(self.base):
            w = np.maximum(D, SMALLEST) * self.total
            yield self._fitted(made(self.base, self.seed, number), None, w)
            return
        for one in range(TRIES):
            draw = generator(self.seed, number, one)
            rows = self._urn.drawn_rows(len(self.y), draw, D)
            yield self._fitted(made(self.base, self.seed, number), rows, None)

    @cached_property
    def _urn(self) -> Urn:
        return Urn.of(self.X, self.y)

    @cached_property
    def _targets(self) -> Vector:
        return self.y if self.classes is None else self.classes[self.y]

    def _fitted(self, member: Any, rows: Vector | None, w: Floats | None) -> Attempt:
        X, y = self.X, self._targets
        X, y = (X, y) if rows is None else (X[rows], y[rows])
        given = {} if w is None else {"sample_weight": w}
        with inside_another_fit():
            member.fit(X, y, **given)
        with names_checked():
            answers = np.asarray(member.predict(self.X))
        if self.classes is not None:
            answers = codes_among(self.classes, answers)
        return Attempt(member, answers)


@dataclass(frozen=True)
class Stumps(WeakLearner):
    """Decision stumps on columns that are sorted once."""

    classes: Vector
    columns: SortedColumns

    def attempts(self, D: Floats, number: int) -> Iterator[Attempt]:
        """Sweep over the columns."""
        stump = DecisionStumpClassifier()
        stump.classes_, stump.n_features_in_ = self.classes, self.X.shape[1]
        sides = stump.choose(self.columns, self.y, D * self.total)
        yield Attempt(stump, stump.side_weights_.argmax(axis=1)[sides])


def weak_classifier(
    base: Any, rows: Chunk, classes: Vector, total: float, seed: int
) -> WeakLearner:
    """Return how members of a base are fitted to rows with codes of classes."""
    if type(base) is DecisionStumpClassifier and base.class_weight is None:
        return Stumps(rows.X, rows.y, total, classes, presorted(rows.X))
    return Members(rows.X, rows.y, total, base, seed, classes)


def codes_among(classes: Vector, labels: Vector) -> Vector:
    """Return the numbers of labels among the classes."""
    if len(classes) == 2:
        return (np.asarray(labels) == classes[1]).astype(np.intp)
    return np.searchsorted(classes, labels)
