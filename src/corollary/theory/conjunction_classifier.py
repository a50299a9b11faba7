"""Conjunctions by elimination, in summation form.

Also known as: elimination algorithm, learning monomials, Valiant's learner, Find-S.

Begin with all 2n literals x_j, not x_j, which are never true together, and strike out
what a positive row contradicts:

    kept = { l : l is true on every positive row }                               (1)

Its AND is the strictest conjunction that agrees with the positives.  If the target is a
conjunction, its literals are never struck out, so that (1) errs on positives only, and
a consistent rule of a class of 3^n (and the false one) needs

    m >= (1/epsilon) ln(3^n / delta)                                             (2)

examples.  Online, one row at a time, the rule errs on positives only, and each mistake
strikes out a literal: the first one n of the 2n, every other one at least one, so that

    mistakes <= n + 1,  and <= n without negations                               (3)

in any order of the rows.

Where a negative makes (1) true no conjunction agrees with all rows; the rule is kept,
and the report says so.  What positives have in common merges, so that any source will
do; one more pass counts the negatives that are accepted.

Notation: n features; literals_ (n,): 1 for x_j, -1 for not x_j, 0 for neither, 2 for
both, which is never true.
Course: S0-52. References: Valiant (1984); Kearns and Vazirani (1994), 1.3.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import Any, ClassVar

import numpy as np
from sklearn.utils.validation import check_is_fitted

from corollary.core.arrays import Vector
from corollary.core.checks import names_of
from corollary.core.errors import DataError, sentence
from corollary.core.parameters import array_like, boolean, missing, real
from corollary.core.records import readable, stored
from corollary.core.report import Optimality, Report
from corollary.core.roles import Classifier
from corollary.core.vectors import numbers, rows_of
from corollary.engine import Chunk, Data, Fitted, Settled, Statistics, SummationLearner
from corollary.theory.two_classes import (
    labels_where,
    positive_code,
    publish_classes,
)

__all__ = ["ConjunctionClassifier", "EliminationRun", "online_elimination"]

NEVER = 2  # both literals of a feature


@stored
@dataclass(frozen=True)
class InCommon(Statistics):
    """What all positives have in common."""

    always: Vector  # (d,) bool: true on every positive
    never: Vector  # (d,) bool: false on every positive
    weight: float  # of all rows

    def __add__(self, other: InCommon) -> InCommon:
        always, never = self.always & other.always, self.never & other.never
        return InCommon(always, never, self.weight + other.weight)


@stored
@dataclass(frozen=True)
class Accepted(Statistics):
    """Weight of the negatives on which the rule is true."""

    weight: float


@stored
@dataclass(frozen=True)
class RuleState:
    """The state: the literals, and what was counted beside them."""

    positive: int
    literals: Vector
    weight: float = 0.0
    accepted: float = 0.0


class ConjunctionClassifier(SummationLearner, Classifier):
    """An AND of features and negated features, learned by elimination.

    Parameters
    ----------
    monotone : bool, default=False
        Whether no feature is negated.
    binarize : float, default=0.0
        A feature is true where its value is above this.
    classes : pair of labels, optional
        The negative and the positive label, for rows that may lack one; by default
        the two labels of y, the second of which is positive.

    Attributes
    ----------
    classes_ : array of shape (2,)
    positive_ : int
        Which of `classes_` is the positive one, 0 or 1.
    literals_ : array of shape (d,)
        1 where x_j must be true, -1 where it must be false, 0 where it does not
        matter, 2 where both are asked: the rule is never true.
    realizable_ : bool
        Whether the rule agrees with all rows.
    n_features_in_ : int
    report_ : Report

    Examples
    --------
    >>> from corollary import ConjunctionClassifier
    >>> X = [[1, 0, 1], [1, 0, 0], [0, 0, 1], [1, 1, 1]]
    >>> model = ConjunctionClassifier().fit(X, [1, 1, 0, 0])
    >>> model.literals_.tolist(), model.rule_
    ([1, -1, 0], 'x0 and not x1')
    >>> model.predict([[1, 0, 1], [0, 0, 0]]).tolist()
    [1, 0]
    """

    shapes: ClassVar = {"classes_": "2", "literals_": "d"}
    rules: ClassVar = {
        "monotone": boolean,
        "binarize": real(),
        "classes": missing | array_like,
    }

    def __init__(
        self, *, monotone: bool = False, binarize: float = 0.0, classes: Any = None
    ) -> None:
        self.monotone = monotone
        self.binarize = binarize
        self.classes = classes

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        tags.classifier_tags.poor_score = True
        return tags

    # -- learning ------------------------------------------------------------------
    def start(self, data: Data, seed: int) -> RuleState:
        """Begin with all literals."""
        return RuleState(positive_code(self), np.full(data.source.n_features, NEVER))

    def statistics(self, chunk: Chunk, state: RuleState) -> InCommon:
        """Find what the chunk's positives have in common (1)."""
        there = np.ones(chunk.n, dtype=bool) if chunk.w is None else chunk.w > 0
        B = chunk.X[there & (chunk.y == state.positive)] > self.binarize
        weight = float(chunk.n if chunk.w is None else chunk.w.sum())
        return InCommon(B.all(axis=0), ~B.any(axis=0), weight)

    def update(self, s: InCommon, state: RuleState) -> RuleState:
        """Keep what no positive contradicts (1)."""
        literals = s.always * 1
        if not self.monotone:
            literals = np.where(s.always & s.never, NEVER, literals - s.never)
        return replace(state, literals=literals, weight=s.weight)

    def settle(self, data: Data, state: RuleState) -> Settled:
        """Count the negatives that the rule accepts."""
        s = data.reduce(partial(accepted, state=state, threshold=self.binarize))
        found = replace(state, accepted=s.weight)
        return Settled(found, None, s.weight / state.weight)

    def account(self, state: RuleState, report: Report) -> None:
        """Report the rule's size, and whether it agrees with all rows."""
        report.optimality = Optimality("exact to rounding", 0.0)
        report.facts["n_conditions"] = int(np.abs(state.literals).sum())
        report.facts["separated"] = state.accepted == 0
        report.facts["n_errors"] = state.accepted
        if state.accepted > 0:
            report.warnings.append(
                "negatives share all that the positives have in common: no conjunction "
                "agrees with all rows."
            )

    def publish(self, fitted: Fitted) -> None:
        """Set what users read."""
        publish_classes(self)
        self.literals_ = fitted.state.literals.astype(np.int64)
        self.realizable_ = fitted.state.accepted == 0

    # -- use -----------------------------------------------------------------------
    @property
    def rule_(self) -> str:
        """The rule in words."""
        check_is_fitted(self)
        if (self.literals_ == NEVER).any():
            return "never"
        d = len(self.literals_)
        names = names_of(self) or [f"x{j}" for j in range(d)]
        kept = [
            names[j] if self.literals_[j] > 0 else f"not {names[j]}"
            for j in range(d)
            if self.literals_[j]
        ]
        return " and ".join(kept) or "always"

    def predict(self, X: Any) -> Vector:
        """Return the positive label where all literals are true."""
        B = self._query(X) > self.binarize
        return labels_where(self, holds(self.literals_, B))


def holds(literals: Vector, B: Vector) -> Vector:
    """Tell on which rows of booleans every literal is true."""
    if (literals == NEVER).any():
        return np.zeros(len(B), dtype=bool)
    yes, no = B[:, literals == 1], B[:, literals == -1]
    return np.asarray(yes.all(axis=1) & ~no.any(axis=1))


def accepted(chunk: Chunk, state: RuleState, threshold: float) -> Accepted:
    """Weigh the chunk's negatives on which the rule is true."""
    wrong = (chunk.y != state.positive) & holds(state.literals, chunk.X > threshold)
    return Accepted(float(wrong.sum() if chunk.w is None else chunk.w[wrong].sum()))


# -- online ----------------------------------------------------------------------------
@readable
@dataclass(frozen=True, eq=False)
class EliminationRun:
    """Elimination over rows that come one at a time.

    Attributes
    ----------
    n_mistakes : int
        Rows that were predicted wrongly when they came.
    mistake_bound : int
        (3), for rows labelled by a conjunction.
    mistakes : tuple of int
        Their numbers.
    literals : array of shape (n,)
        As `ConjunctionClassifier.literals_`, after the last row.
    realizable : bool
        Whether every mistake was on a positive; False proves that no conjunction made
        the labels.
    """

    n_mistakes: int
    mistake_bound: int
    mistakes: tuple[int, ...]
    literals: Vector
    realizable: bool


def online_elimination(X: Any, y: Any, *, monotone: bool = False) -> EliminationRun:
    """Predict rows one at a time by elimination, and count the mistakes.

    Parameters
    ----------
    X : array of shape (m, n)
        True where above 0.
    y : array of shape (m,)
        True where above 0.
    monotone : bool, default=False
        Whether no feature is negated.

    Returns
    -------
    EliminationRun

    Examples
    --------
    >>> from corollary.theory import online_elimination
    >>> run = online_elimination([[1, 0, 1], [0, 0, 1], [1, 0, 0]], [1, 0, 1])
    >>> run.n_mistakes, run.mistake_bound, run.literals.tolist()
    (2, 4, [1, -1, 0])
    """
    who = "online_elimination"
    B = rows_of(who, numbers(who, X, "X")) > 0
    labels = np.asarray(numbers(who, y, "y")) > 0
    if labels.shape != (len(B),):
        must = f"y must hold a label for each of {len(B)} rows"
        raise DataError(sentence(who, must, f"shape {labels.shape}"))
    n = B.shape[1]
    yes, no = np.ones(n, dtype=bool), np.full(n, not monotone)
    mistakes, fine = [], True
    for i, (row, label) in enumerate(zip(B, labels, strict=True)):
        guess = bool(row[yes].all() and not row[no].any())
        if guess == label:
            continue
        mistakes.append(i)
        fine &= bool(label)
        if label:
            yes, no = yes & row, no & ~row
    literals = np.where(yes & no, NEVER, yes * 1 - no * 1)
    bound = n if monotone else n + 1
    return EliminationRun(len(mistakes), bound, tuple(mistakes), literals, fine)
