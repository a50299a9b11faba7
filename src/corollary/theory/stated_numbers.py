"""Checks of the numbers that a bound is computed from, and of its answer.

A calculator takes all quantities but one and returns the missing one; arrays broadcast,
plain numbers in give a plain number out.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from corollary.core.arrays import Floats
from corollary.core.errors import DataError, ParameterError, sentence
from corollary.core.parameters import real, shown
from corollary.core.vectors import numbers, whole

__all__ = [
    "aligned",
    "answer",
    "chosen",
    "confidence",
    "count",
    "counts",
    "distinct",
    "every_confidence",
    "fractions",
    "losses_between",
    "missing_of",
    "number",
    "signs",
    "vector",
]

MOST = 2.0**53  # the largest count that is exact


def confidence(who: str, delta: Any, name: str = "delta") -> float:
    """Return delta, a number strictly between 0 and 1."""
    return number(who, delta, name, 0, 1, ends="()")


def number(
    who: str,
    value: Any,
    name: str,
    low: float | None = None,
    high: float | None = None,
    *,
    ends: str = "[]",
) -> float:
    """Return a finite number of an interval."""
    rule = real(low, high, ends=ends)
    if not rule.holds(value) or not abs(float(value)) < np.inf:
        must = f"{name} must be {rule.words}"
        raise ParameterError(sentence(who, must, shown(value)))
    return float(value)


def every_confidence(who: str, delta: Any) -> Floats:
    """Return numbers strictly between 0 and 1, of any shape."""
    delta = numbers(who, delta, "delta", ParameterError)
    bad = ~((delta > 0) & (delta < 1))
    if bad.any():
        must = "delta must be a number in (0, 1)"
        raise ParameterError(sentence(who, must, f"{delta[bad][0]:g}"))
    return delta


def fractions(who: str, x: Any, name: str) -> Floats:
    """Return numbers in [0, 1], of any shape."""
    return losses_between(who, x, name, 0.0, 1.0)


def losses_between(who: str, x: Any, name: str, low: float, high: float) -> Floats:
    """Return numbers in [low, high], of any shape."""
    x = numbers(who, x, name)
    bad = (x < low) | (x > high)
    if bad.any():
        must = f"{name} must lie in [{low:g}, {high:g}]"
        raise DataError(sentence(who, must, f"{x[bad][0]:g}"))
    return x


def counts(who: str, x: Any, name: str, low: int = 0) -> Floats:
    """Return whole numbers of at least `low`, of any shape."""
    x = whole(who, x, name)
    if x.size and (x.min() < low or x.max() > MOST):
        must = f"{name} must be at least {low} and at most {MOST:g}"
        bad = x.min() if x.min() < low else x.max()
        raise DataError(sentence(who, must, f"{bad:g}"))
    return x


def count(who: str, x: Any, name: str, low: int = 0) -> float:
    """Return one whole number of at least `low`."""
    x = counts(who, x, name, low)
    if x.ndim:
        must = f"{name} must be a single number"
        raise DataError(sentence(who, must, f"shape {x.shape}"))
    return float(x)


def aligned(who: str, **values: Any) -> list[Floats]:
    """Return arrays of one shape."""
    try:
        return list(np.broadcast_arrays(*values.values()))
    except ValueError:
        must = f"{', '.join(values)} must have shapes that go together"
        came = " and ".join(f"{np.shape(x)}" for x in values.values())
        raise DataError(sentence(who, must, came)) from None


def chosen(who: str, value: Any, name: str, choices: Any) -> str:
    """Return one of a few words."""
    if not isinstance(value, str) or value not in choices:
        must = f"{name} must be one of {', '.join(map(repr, choices))}"
        raise ParameterError(sentence(who, must, shown(value)))
    return value


def vector(who: str, x: Any, name: str, n: int | None = None) -> Floats:
    """Return a vector of finite numbers that is not empty, of n where n is given."""
    x = numbers(who, x, name)
    if x.ndim != 1 or not len(x) or (n is not None and len(x) != n):
        words = "a vector that is not empty" if n is None else f"a vector of {n} rows"
        raise DataError(sentence(who, f"{name} must be {words}", f"shape {x.shape}"))
    return x


def signs(who: str, y: Any, classes: Any = None) -> Floats:
    """Return labels of two classes as -1 and +1, the larger one positive."""
    y = np.asarray(y)
    if y.ndim != 1 or not len(y):
        must = "y must be a vector that is not empty"
        raise DataError(sentence(who, must, f"shape {y.shape}"))
    known = distinct(who, y) if classes is None else np.asarray(classes)
    if len(known) != 2 or not np.isin(y, known).all():
        must = "y must have the two classes of the model"
        must = must if classes is not None else "y must have two classes"
        raise DataError(sentence(who, must, shown(list(dict.fromkeys(y.tolist())))))
    return np.where(y == known[1], 1.0, -1.0)


def distinct(who: str, y: Any) -> Any:
    """Return the labels that occur, sorted."""
    try:
        return np.unique(y)
    except TypeError:
        must = "labels must be of one kind, numbers or text"
        raise DataError(sentence(who, must, shown(np.asarray(y).tolist()))) from None


def missing_of(who: str, **values: Any) -> str:
    """Return the name of the one quantity that is None."""
    absent = [name for name, value in values.items() if value is None]
    if len(absent) != 1:
        must = f"all but one of {', '.join(values)} must be given"
        came = "all of them" if not absent else f"no {' and no '.join(absent)}"
        raise ParameterError(sentence(who, must, came))
    return absent[0]


def answer(x: Any, *, as_whole: bool = False) -> Any:
    """Return a plain number where x is one, else an array."""
    x = np.asarray(x)
    if as_whole and x.size and np.abs(x).max() < 2**62:
        x = x.astype(np.int64)
    return x.item() if x.ndim == 0 else x
