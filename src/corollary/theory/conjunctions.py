"""Conjunctions of literals: the oldest class that is learned with a bound.

Also known as: monomials, Boolean AND rules, elimination algorithm, Valiant's learner.

A conjunction of n variables holds each variable plain, negated, or not at all,

    |C| = 3^n,   and one more that is always false (x and not x)                 (1)

Elimination starts from all 2 n literals and strikes those that are false in a positive
example.  What is left is the most specific conjunction that fits the positives: it errs
only by saying no, so it is consistent whenever some conjunction is, in m n steps.
`realizable_bound(hypotheses=conjunction_count(n), ...)` says how many examples suffice.
As an online rule, which corrects itself on positives alone, it makes

    at most n + 1 mistakes                                                       (2)

the first strikes n of the literals and each other one or more.

Notation: X (m, n) of 0 and 1; y (m,) labels.
Course: S0-52. References: Valiant (1984); Kearns and Vazirani (1994), 1.3.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from corollary.core.arrays import Vector
from corollary.core.errors import DataError, ParameterError, sentence
from corollary.core.vectors import rows_of
from corollary.theory.calculator import whole_numbers

__all__ = ["Conjunction", "conjunction_count", "learn_conjunction"]

MOST_VARIABLES = 100_000  # 3^n has as many digits as half of it


@dataclass(frozen=True)
class Conjunction:
    """Literals that must all be true.

    Attributes
    ----------
    positive, negative : tuples of int
        Numbers of the variables that must be 1, and of those that must be 0.
    mistakes : int
        Of the online rule (2) on the examples, in their order.
    consistent : bool
        Whether the examples have the labels that the conjunction gives.
    """

    positive: tuple[int, ...]
    negative: tuple[int, ...]
    mistakes: int = 0
    consistent: bool = True

    def predict(self, X: Any) -> Vector:
        """Return 1 where all literals are true, else 0.

        Parameters
        ----------
        X : array of shape (m, n) of 0 and 1

        Returns
        -------
        array of int of shape (m,)
        """
        ones: Any = _bits("Conjunction", X)
        plain: Vector = ones[:, list(self.positive)].all(axis=1)
        negated: Vector = ones[:, list(self.negative)].any(axis=1)
        return (plain & ~negated).astype(np.int64)

    def __str__(self) -> str:
        literals = [(i, f"x{i}") for i in self.positive]
        literals += [(i, f"not x{i}") for i in self.negative]
        return " and ".join(word for _, word in sorted(literals)) or "always true"


def conjunction_count(n: int, *, always_false: bool = False) -> int:
    """Count the conjunctions of n variables (1).

    Parameters
    ----------
    n : int
    always_false : bool, default=False
        Count the conjunction that is never true as well.

    Returns
    -------
    int

    Examples
    --------
    >>> from corollary.theory import conjunction_count
    >>> conjunction_count(10), conjunction_count(10, always_false=True)
    (59049, 59050)
    """
    who = "conjunction_count"
    variables = whole_numbers(who, "n", n, low=0)
    if variables.ndim or variables > MOST_VARIABLES:
        must = f"n must be one number, at most {MOST_VARIABLES}"
        raise ParameterError(sentence(who, must, f"{n}"))
    return 3 ** int(variables) + int(bool(always_false))


def learn_conjunction(X: Any, y: Any) -> Conjunction:
    """Learn a conjunction from examples by elimination.

    Parameters
    ----------
    X : array of shape (m, n) of 0 and 1
    y : array of shape (m,) of 0 and 1

    Returns
    -------
    Conjunction
        The most specific one that is true of every positive example; without any, it
        holds every literal and is never true.

    Examples
    --------
    >>> from corollary.theory import learn_conjunction
    >>> X = [[1, 0, 1], [1, 0, 0], [0, 0, 1], [1, 1, 1]]
    >>> print(learn_conjunction(X, [1, 1, 0, 0]))
    x0 and not x1
    """
    who = "learn_conjunction"
    ones = _bits(who, X)
    labels = np.asarray(y)
    if labels.shape != (len(ones),) or not np.isin(labels, (0, 1)).all():
        must = f"y must be {len(ones)} labels 0 or 1"
        raise DataError(sentence(who, must, f"shape {labels.shape}"))
    n = ones.shape[1]
    literals = np.hstack([ones, ~ones])  # (m, 2 n)
    alive, mistakes = np.ones(2 * n, dtype=bool), 0
    for row in literals[labels == 1]:
        struck = alive & ~row
        mistakes += bool(struck.any())  # it said no
        alive &= row
    plain = tuple(np.flatnonzero(alive[:n]).tolist())
    negated = tuple(np.flatnonzero(alive[n:]).tolist())
    found = Conjunction(plain, negated, mistakes)
    fits = bool((found.predict(ones) == labels).all())
    return Conjunction(plain, negated, mistakes, fits)


def _bits(who: str, X: Any) -> Vector:
    values = rows_of(who, X)
    if not np.isin(values, (0.0, 1.0)).all():
        bad = values[~np.isin(values, (0.0, 1.0))][0]
        raise DataError(sentence(who, "X must hold 0 and 1", f"{bad:g}"))
    return values.astype(bool)
