"""Losses of c scores for c classes: errors, squared error on one-hot targets, entropy.

Also known as: error count, one-hot squared error, mean squared error of class
indicators, Brier score, cross-entropy loss, softmax loss, multinomial deviance.

A row of class y has scores f in R^c and is given to the class of the largest:

    class error        1[argmax_i f_i != y]                                      (1)
    one-hot squared    sum_i (1[i = y] - f_i)^2                                  (2)
    cross-entropy      -log softmax(f)_y = log sum_i e^{f_i} - f_y               (3)

(1) is a step, on which no gradient method moves; (2) and (3) are convex in f and stand
in for it.  With P(i | x) the population minimiser of (2) is f_i = P(i | x), that of (3)
softmax(f)_i = P(i | x): the decision of either is Bayes'.  An error costs at least
1/2 in (2) and log 2 in (3), so that

    errors <= 2 (2),    errors <= (3) / log 2                                    (4)

For given probabilities g instead of scores, (3) is that of f = log g.

Notation: f = scores (n, c); y = codes 0, ..., c - 1.
Course: S1-32. Reference: Bishop (2006), ch. 4.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any

import numpy as np

from corollary.core.arrays import Floats, Vector
from corollary.core.errors import DataError, sentence
from corollary.objectives.softmax import log_softmax, softmax

__all__ = ["ClassError", "ClassLoss", "CrossEntropy", "OneHotSquared", "one_hot"]


@dataclass(frozen=True)
class ClassLoss(ABC):
    """A loss of class codes y (n,) and scores f (n, c); `risk` takes its mean."""

    @abstractmethod
    def _at(self, y: Vector, F: Floats) -> Floats:
        """Return the loss of each row, (n,)."""

    @abstractmethod
    def _slope(self, y: Vector, F: Floats) -> Floats:
        """Return its gradient with respect to the scores, (n, c)."""

    def value(self, y: Any, f: Any) -> Floats:
        """Return the loss of each row, (n,)."""
        return self._at(*checked(self, y, f))

    def derivative(self, y: Any, f: Any) -> Floats:
        """Return the gradient with respect to the scores of each row, (n, c)."""
        return self._slope(*checked(self, y, f))


@dataclass(frozen=True)
class ClassError(ClassLoss):
    """The error (1); its sum is the error count.

    Also known as: error count, 0-1 loss of several classes, misclassification count.

    Ties of the largest score go to the lowest class.

    Examples
    --------
    >>> loss = ClassError()
    >>> loss.value([0, 1, 2], [[3.0, 1.0, 0.0], [2.0, 1.0, 0.0], [0.0, 1.0, 5.0]])
    array([0., 1., 0.])
    """

    def _at(self, y: Vector, F: Floats) -> Floats:
        return (F.argmax(axis=1) != y).astype(float)

    def _slope(self, y: Vector, F: Floats) -> Floats:
        return np.zeros_like(F)


@dataclass(frozen=True)
class OneHotSquared(ClassLoss):
    """The squared error on one-hot targets (2).

    Also known as: one-hot squared error, Brier score (where f are probabilities).

    Examples
    --------
    >>> OneHotSquared().value([0], [[0.5, 0.25, 0.25]])
    array([0.375])
    """

    def _at(self, y: Vector, F: Floats) -> Floats:
        return ((F - one_hot(y, F.shape[1])) ** 2).sum(axis=1)

    def _slope(self, y: Vector, F: Floats) -> Floats:
        return 2 * (F - one_hot(y, F.shape[1]))


@dataclass(frozen=True)
class CrossEntropy(ClassLoss):
    """The cross-entropy of the softmax of the scores (3).

    Also known as: cross-entropy loss, softmax loss, multinomial deviance, log loss.

    Examples
    --------
    >>> import numpy as np
    >>> CrossEntropy().value([0, 1], np.log([[0.5, 0.5], [0.75, 0.25]])).round(4)
    array([0.6931, 1.3863])
    """

    def _at(self, y: Vector, F: Floats) -> Floats:
        return -log_softmax(F)[np.arange(len(y)), y]

    def _slope(self, y: Vector, F: Floats) -> Floats:
        return softmax(F) - one_hot(y, F.shape[1])


def one_hot(y: Any, c: int | None = None) -> Floats:
    """Return the indicators 1[i = y] of class codes, (n, c).

    Also known as: one-of-c coding, dummy coding, class indicators.

    Parameters
    ----------
    y : array of shape (n,)
        Codes 0, ..., c - 1.
    c : int, optional
        Number of classes; by default one more than the largest code.

    Examples
    --------
    >>> one_hot([0, 2], 3).tolist()
    [[1.0, 0.0, 0.0], [0.0, 0.0, 1.0]]
    """
    y = codes("one_hot", y, c)
    return np.eye(int(y.max()) + 1 if c is None else c)[y]


def codes(who: object, y: Any, c: int | None) -> Vector:
    """Return class codes as whole numbers from 0, below c."""
    y = np.asarray(y)
    if y.ndim != 1 or not len(y) or y.dtype.kind not in "iufb":
        must = "y must be a vector of class codes 0, ..., c - 1"
        raise DataError(sentence(who, must, f"{y.dtype} of shape {y.shape}"))
    least, most = y.min(), y.max()
    if not (least >= 0 and most < (np.inf if c is None else c)) or (y % 1 != 0).any():
        must = f"y must hold whole numbers from 0{'' if c is None else f' to {c - 1}'}"
        raise DataError(sentence(who, must, f"{least:g} to {most:g}"))
    return y.astype(np.intp)


def checked(who: object, y: Any, f: Any) -> tuple[Vector, Floats]:
    """Return codes and scores that fit together."""
    F = np.asarray(f, float)
    if F.ndim != 2 or F.shape[1] < 1 or len(F) != len(np.atleast_1d(y)):
        must = "scores must have one row for each of y and one column for each class"
        raise DataError(sentence(who, must, f"shapes {F.shape} and {np.shape(y)}"))
    if np.isnan(F).any() or (F == np.inf).any():
        must = "scores must be numbers below infinity"
        raise DataError(sentence(who, must, "NaN or infinity"))
    return codes(who, y, F.shape[1]), F
