"""Conjunctions of literals over yes-no features.

Also known as: monomials, terms, AND of literals.

A rule is an AND of literals x_j or not x_j; the empty one is always true, and one that
holds a literal and its negation is always false.  There are

    |C| = 3^n  rules, and one more that is always false;  2^n without negations      (1)

The AND of all literals that are true on every positive point is the strictest rule
that holds the positives, so labels are possible where it holds no negative.  The n
points with one 0 each are shattered: drop the literals of the positives.  The VC
dimension is n, for n >= 2 with negations too; a single feature with both literals has
2, since x, not x, true and false are all there is.

Notation: n = n_features; parameters are a `Literals`: features that must be 1, and
that must be 0.
Course: S0-52, S3-105. References: Valiant (1984); Natschlaeger and Schmitt (1996).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from corollary.core.arrays import Floats, Vector
from corollary.core.errors import DataError, sentence
from corollary.core.vectors import numbers, rows_of
from corollary.theory.box_classes import check_features
from corollary.theory.hypothesis_class import HypothesisClass, Refutation, labels_of

__all__ = ["Conjunctions", "Literals"]


class Literals(NamedTuple):
    """The AND of x_j, j in `required`, and of not x_j, j in `forbidden`."""

    required: tuple[int, ...]
    forbidden: tuple[int, ...]


@dataclass(frozen=True)
class Conjunctions(HypothesisClass):
    """Conjunctions of literals over n yes-no features; parameters are `Literals`.

    Parameters
    ----------
    n_features : int, default=2
    monotone : bool, default=False
        Whether no literal is negated.

    Examples
    --------
    >>> from corollary.theory import Conjunctions
    >>> C = Conjunctions(3)
    >>> C.witness([[1, 0, 1], [1, 0, 0], [0, 0, 1]], [1, 1, 0])
    Literals(required=(0,), forbidden=(1,))
    >>> C.vc_dimension, C.size
    (3, 27)
    """

    n_features: int = 2
    monotone: bool = False

    def __post_init__(self) -> None:
        check_features(self, self.n_features)

    @property
    def size(self) -> int:
        """The number of rules but the one that is always false (1)."""
        return int((2 if self.monotone else 3) ** self.n_features)

    def points(self, points: Any) -> Floats:
        """Return points as rows of 0 and 1."""
        P = rows_of(self, numbers(self, points, "points"), self.n_features)
        if not len(P) or not np.isin(P, (0, 1)).all():
            must = "points must be one or more rows of 0 and 1"
            raise DataError(sentence(self, must, "others", "Binarize them first."))
        return P

    def construct(self, P: Floats, y: Vector) -> Literals | None:
        """AND all literals that are true on every positive."""
        rule = strictest(P[y == 1], self.monotone)
        return None if self.classify(rule, P[y == 0]).any() else rule

    def classify(self, parameters: Literals, P: Floats) -> Vector:
        """Tell where all literals are true."""
        required, forbidden = list(parameters.required), list(parameters.forbidden)
        return (P[:, required] == 1).all(axis=1) & (P[:, forbidden] == 0).all(axis=1)

    def explain(self, P: Floats, y: Vector) -> Refutation:
        """Name a negative that the strictest rule holds."""
        rule = strictest(P[y == 1], self.monotone)
        i = int(np.flatnonzero((y == 0) & self.classify(rule, P))[0])
        reason = f"every literal that is true on all positives is true on point {i}"
        rows = (i, *labels_of(np.flatnonzero(y == 1)))
        return Refutation(labels_of(y), reason, rows)

    def shattered_points(self, m: int) -> Any:
        """Return m points with one 0 each."""
        return (1 - np.eye(self.n_features))[:m] if m <= self.n_features else None

    def dimension(self) -> float:
        """Return n; 2 of a single feature with both literals."""
        return 2 if self.n_features == 1 and not self.monotone else self.n_features


def strictest(P: Floats, monotone: bool) -> Literals:
    """Return all literals that are true on every row; all there are without rows.

    Without rows and negations no rule need be false, and the AND of all features is
    the strictest.
    """
    n = P.shape[1]
    required = np.flatnonzero((P == 1).all(axis=0)) if len(P) else np.arange(n)
    forbidden = np.flatnonzero((P == 0).all(axis=0)) if len(P) else np.arange(n)
    return Literals(labels_of(required), () if monotone else labels_of(forbidden))
