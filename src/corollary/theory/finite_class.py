"""Finite classes: a table of labels, or a list of rules.

Also known as: enumerable class, hypothesis table.

A table has a row for each rule and a column for each point of the domain; points are
then named by their columns.  A list holds functions or fitted classifiers, which are
asked for their labels of any points.  Shattering m points takes 2^m rules, so

    VC dimension <= log2 |C|                                                         (1)

Notation: |C| = size, the number of rules.
Course: S0-54, S3-104. Reference: Kearns and Vazirani (1994), ch. 3.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import islice
from typing import Any

import numpy as np

from corollary.core.arrays import Vector
from corollary.core.errors import DataError, ParameterError, sentence
from corollary.core.vectors import numbers
from corollary.theory.hypothesis_class import HypothesisClass, Patterns

__all__ = ["FiniteClass"]

MOST_RULES = 2**20


@dataclass(frozen=True, eq=False)
class FiniteClass(HypothesisClass):
    """A class given by its rules; parameters are the number of a rule.

    Parameters
    ----------
    rules : array of shape (n_rules, n_points), or iterable of functions or classifiers
        A table of 0 and 1 (or -1 and 1), whose points are the numbers of its columns;
        or rules, each a function of points (m, n) that returns m labels, or a fitted
        classifier of two classes, the second of which is 1.

    Examples
    --------
    >>> from corollary.theory import FiniteClass, vc_dimension
    >>> table = FiniteClass([[1, 1, 1], [0, 1, 1], [1, 0, 0], [0, 0, 0]])
    >>> table.witness([0, 2], [0, 1])
    1
    >>> print(vc_dimension(table))
    VC dimension 2 on 3 points: points 0, 1 are shattered; 4 rules allow at most 2
    """

    rules: Any

    def __post_init__(self) -> None:
        rules = self.rules
        if hasattr(rules, "__iter__") and not hasattr(rules, "shape"):
            rules = list(islice(rules, MOST_RULES + 1))
        asked = isinstance(rules, list) and any(
            callable(rule) or hasattr(rule, "predict") for rule in rules
        )
        if not asked:
            rules = as_table(self, rules)
        elif not all(callable(rule) or hasattr(rule, "predict") for rule in rules):
            must = "rules must all be functions or fitted classifiers"
            raise ParameterError(sentence(self, must, "something else among them"))
        if not 0 < len(rules) <= MOST_RULES:
            must = f"rules must be 1 to {MOST_RULES}"
            came = f"{len(rules)}{' or more' if len(rules) > MOST_RULES else ''}"
            raise ParameterError(sentence(self, must, came))
        object.__setattr__(self, "rules", rules)

    @property
    def is_table(self) -> bool:
        """Whether points are the columns of a table."""
        return isinstance(self.rules, np.ndarray)

    @property
    def size(self) -> int:
        """The number of rules, copies included."""
        return len(self.rules)

    @property
    def domain(self) -> Any:
        """All points of a table, None for a list of rules."""
        return np.arange(self.rules.shape[1]) if self.is_table else None

    def points(self, points: Any) -> Any:
        """Return columns of the table, or points as rows."""
        P = numbers(self, points, "points")
        if not self.is_table:
            P = P[:, None] if P.ndim == 1 else P
            if P.ndim != 2 or not len(P):
                must = "points must be rows"
                raise DataError(sentence(self, must, f"shape {P.shape}"))
            return P
        most = self.rules.shape[1]
        columns = P.astype(np.int64)
        fine = P.ndim == 1 and len(P) and (columns == P).all()
        if not fine or columns.min() < 0 or columns.max() >= most:
            must = f"points must be columns of the table, 0 to {most - 1}"
            raise DataError(sentence(self, must, f"{P.tolist()[:5]}"))
        return columns

    def construct(self, P: Any, y: Vector) -> int | None:
        """Return the first rule with these labels."""
        fits = np.flatnonzero((self._labels(P) == y).all(axis=1))
        return int(fits[0]) if len(fits) else None

    def classify(self, parameters: int, P: Any) -> Vector:
        """Return the labels of one rule."""
        if self.is_table:
            return self.rules[parameters, P] == 1
        return asked_labels(self, self.rules[parameters], P)

    def patterns(self, P: Any) -> Patterns:
        """List the distinct labels of all rules."""
        vectors, first = np.unique(self._labels(P), axis=0, return_index=True)
        return Patterns(vectors, tuple(int(i) for i in first))

    def _labels(self, P: Any) -> Vector:
        if self.is_table:
            return self.rules[:, P]
        return np.array([asked_labels(self, rule, P) for rule in self.rules]) * 1


def as_table(who: object, rules: Any) -> Vector:
    """Return a table of 0 and 1."""
    table = numbers(who, rules, "rules", ParameterError)
    if table.ndim != 2 or not table.size or not np.isin(table, (-1, 0, 1)).all():
        must = "rules must be a table of 0 and 1, or functions and classifiers"
        raise ParameterError(sentence(who, must, f"shape {table.shape}"))
    return (table > 0).astype(np.int64)


def asked_labels(who: object, rule: Any, P: Any) -> Vector:
    """Ask a rule for the labels of points, as booleans."""
    answer = np.asarray(rule.predict(P) if hasattr(rule, "predict") else rule(P))
    classes = getattr(rule, "classes_", None)
    if classes is not None and len(classes) == 2:
        labels = answer == classes[1]
    elif answer.dtype.kind in "biuf":
        labels = answer > 0
    else:
        must = "a rule must return numbers, above 0 for label 1"
        raise DataError(sentence(who, must, f"{answer.dtype}"))
    if labels.shape != (len(P),):
        must = f"a rule must return one label for each of {len(P)} points"
        raise DataError(sentence(who, must, f"shape {answer.shape}"))
    return labels
