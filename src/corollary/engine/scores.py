"""Scores of a source: sums over its rows in one pass, or of its answers.

    accuracy     sum_n w_n [guess_n = y_n] / W,    W = sum_n w_n                  (1)
    R^2          1 - sum_n w_n (y_n - guess_n)^2 / sum_n w_n (y_n - mean)^2       (2)

and whatever else an estimator says is made of sums (`Estimator.score_sums`).  Squares
about the means of two sets of rows merge without loss of digits:

    sum_{a and b} w (y - mean)^2 = sum_a + sum_b + W_a (mean_a - mean)^2
                                                 + W_b (mean_b - mean)^2          (3)

A score that is no sum, such as the area under a curve, needs the answers and targets
of all rows, but not the rows (`Estimator.scores_answers`).  Only a score that asks for
more has the rows gathered in memory.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
from sklearn.base import is_classifier, is_regressor
from sklearn.exceptions import UndefinedMetricWarning

from corollary.core.arrays import Floats, Matrix, Vector
from corollary.core.checks import names_checked
from corollary.core.errors import DataError, sentence
from corollary.core.warn import warn
from corollary.engine.data import Data
from corollary.engine.first_pass import check_target
from corollary.engine.gather import gather, positive_weight_rows
from corollary.engine.sources.mapped import MappedSource
from corollary.engine.sources.source import Chunk, Source
from corollary.engine.statistics import Statistics, fold

__all__ = ["ScoreSums", "score_of"]

Mapped = Callable[[Callable[[Chunk], Any], Source], Iterator[Any]]


@dataclass(frozen=True)
class ScoreSums(Statistics, ABC):
    """What some rows contribute to a score."""

    @abstractmethod
    def score(self) -> float:
        """Return the score of the rows that were added up."""


@dataclass(frozen=True)
class Accuracy(ScoreSums):
    """The weight of the rows that are guessed right, of all (1)."""

    right: float
    weight: float

    def score(self) -> float:
        """Return (1)."""
        return self.right / self.weight


@dataclass(frozen=True)
class Determination(ScoreSums):
    """Squares that a regression leaves, and squares about the mean, of each target."""

    left: Floats  # (m,)
    about_mean: Floats  # (m,)
    mean: Floats  # (m,)
    weight: float
    rows: int

    @classmethod
    def of(cls, guess: Any, y: Any, w: Vector) -> Determination:
        """Sum the squares of some rows."""
        guess, y = (np.reshape(a, (len(w), -1)).astype(np.float64) for a in (guess, y))
        weight = float(w.sum())
        mean = w @ y / weight
        left, about_mean = w @ (y - guess) ** 2, w @ (y - mean) ** 2
        return cls(left, about_mean, mean, weight, len(w))

    def __add__(self, other: Determination) -> Determination:
        weight = self.weight + other.weight
        mean = self.mean + (other.mean - self.mean) * (other.weight / weight)
        moved = sum(one.weight * (one.mean - mean) ** 2 for one in (self, other))
        return Determination(
            self.left + other.left,
            self.about_mean + other.about_mean + moved,  # (3)
            mean,
            weight,
            self.rows + other.rows,
        )

    def score(self) -> float:
        """Return (2), on average over the targets; a constant one counts 1 or 0."""
        if self.rows < 2:
            text = "R^2 score is not well-defined with less than two samples."
            warn(text, UndefinedMetricWarning)
            return float("nan")
        varies = self.about_mean > 0
        share = self.left / np.where(varies, self.about_mean, 1.0)
        return float(np.where(varies, 1 - share, self.left == 0).mean())


@dataclass(frozen=True)
class Contribution:
    """What a chunk contributes to the score of a model, None where nothing weighs."""

    model: Any
    sums: Callable[[Matrix, Any, Vector | None], ScoreSums]
    labels: bool

    def __call__(self, chunk: Chunk) -> ScoreSums | None:
        check_target(type(self.model).__name__, chunk, numbers=not self.labels)
        rows = positive_weight_rows(chunk.X, chunk.y, chunk.w)
        if not rows.n:
            return None
        y = self.model.classes_[rows.y] if self.labels else rows.y
        with names_checked():
            return self.sums(rows.X, y, rows.w)


def right_guesses(model: Any, X: Matrix, y: Any, w: Vector | None) -> Accuracy:
    """Return what rows contribute to (1)."""
    w = np.ones(X.shape[0]) if w is None else w
    return Accuracy(float(w[model.predict(X) == y].sum()), float(w.sum()))


def squares_left(model: Any, X: Matrix, y: Any, w: Vector | None) -> Determination:
    """Return what rows contribute to (2)."""
    w = np.ones(X.shape[0]) if w is None else w
    return Determination.of(model.predict(X), y, w)


def score_of(
    model: Any, method: Callable[..., Any], source: Source, mapped: Mapped
) -> float:
    """Return what a model's `score` says of a source, its chunks `mapped`."""
    labels = is_classifier(model)
    if (labels or is_regressor(model)) and not source.has_target:
        raise DataError(sentence(model, "score needs a source with y", "X alone"))
    if labels:
        source = source.encoded(model.classes_)
    if method.__module__.startswith("sklearn") and (labels or is_regressor(model)):
        sums: Any = partial(right_guesses if labels else squares_left, model)
    elif model.score_sums is not None:
        sums = model.score_sums
    elif model.scores_answers() and source.replayable:
        return of_answers(model, method, source, mapped, labels)
    elif hasattr(model, "score_samples"):
        return float(method(model, source.without_target()))
    else:
        return of_rows(model, method, source, labels)
    shares = mapped(Contribution(model, sums, labels), source)
    total = fold(share for share in shares if share is not None)
    if total is None:
        must = "a source must give at least one row with a weight"
        raise DataError(sentence(model, must, "none"))
    return float(total.score())


def of_answers(
    model: Any, method: Callable[..., Any], source: Source, mapped: Mapped, labels: bool
) -> float:
    """Score answers that are computed chunk by chunk; targets are held in memory."""
    found = list(mapped(target, source))
    y = np.concatenate([one[0] for one in found])
    given: dict[str, Any] = {}
    if any(one[2] for one in found):
        given = {"sample_weight": np.concatenate([one[1] for one in found])}
    rows = MappedSource(source, without_target, only_weighted=True)
    return float(method(model, rows, model.classes_[y] if labels else y, **given))


def target(chunk: Chunk) -> tuple[Any, Vector, bool]:
    """Return the targets and weights of a chunk, and whether weights were given."""
    w = np.ones(chunk.n) if chunk.w is None else chunk.w
    return chunk.y, w, chunk.w is not None


def without_target(chunk: Chunk) -> Chunk:
    """Return the rows of a chunk alone."""
    return replace(chunk, y=None, w=None)


def of_rows(
    model: Any, method: Callable[..., Any], source: Source, labels: bool
) -> float:
    """Score all rows, gathered in memory."""
    rows = gather(Data(model, source))
    y = model.classes_[rows.y] if labels and rows.y is not None else rows.y
    given = {} if rows.w is None else {"sample_weight": rows.w}
    with names_checked():
        return float(method(model, rows.X, y, **given))
