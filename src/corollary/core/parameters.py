"""Parameter constraints: one place that says what a parameter may be.

A learner declares a table ``rules = {"n_clusters": whole(1), "tol": real(0)}``; the
table is checked when `fit` is called, never in ``__init__``, as scikit-learn asks.
Rules combine with ``|``: ``one_of("auto") | whole(1)``.
"""

from __future__ import annotations

import numbers
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from corollary.core.errors import ParameterError, sentence

__all__ = [
    "Rule",
    "anything",
    "array_like",
    "boolean",
    "check_parameters",
    "estimator",
    "function",
    "missing",
    "one_of",
    "real",
    "seed",
    "whole",
]

TRUTH = (bool, np.bool_)  # no numbers, whatever Python says


@dataclass(frozen=True)
class Rule:
    """A test for a value, and the words for it."""

    words: str
    holds: Callable[[Any], bool]

    def __or__(self, other: Rule) -> Rule:
        return Rule(
            f"{self.words} or {other.words}",
            lambda value: self.holds(value) or other.holds(value),
        )


def whole(low: int | None = None, high: int | None = None) -> Rule:
    """Accept a whole number in [low, high]."""

    def holds(value: Any) -> bool:
        return (
            is_whole(value)
            and (low is None or int(value) >= low)
            and (high is None or int(value) <= high)
        )

    return Rule(f"a whole number{_range(low, high, '[', ']')}", holds)


def real(
    low: float | None = None, high: float | None = None, *, ends: str = "[]"
) -> Rule:
    """Accept a real number in an interval; `ends` says which ends belong to it."""

    def holds(value: Any) -> bool:
        if not is_real(value):
            return False
        number = float(value)
        above = low is None or (number >= low if ends[0] == "[" else number > low)
        below = high is None or (number <= high if ends[1] == "]" else number < high)
        return number == number and above and below  # NaN is not equal to itself

    return Rule(f"a number{_range(low, high, *ends)}", holds)


def is_whole(value: Any) -> bool:
    """Tell a whole number; most are Python's own, which is quick to see."""
    if type(value) is int:
        return True
    return isinstance(value, numbers.Integral) and not isinstance(value, TRUTH)


def is_real(value: Any) -> bool:
    """Tell a real number, in the same way."""
    if type(value) is float or type(value) is int:
        return True
    return isinstance(value, numbers.Real) and not isinstance(value, TRUTH)


def _range(low: float | None, high: float | None, left: str, right: str) -> str:
    if low is None and high is None:
        return ""
    if high is None:
        return f" {'>=' if left == '[' else '>'} {low}"
    if low is None:
        return f" {'<=' if right == ']' else '<'} {high}"
    return f" in {left}{low}, {high}{right}"


def one_of(*choices: Any) -> Rule:
    """Accept one of a few strings or None."""

    def holds(value: Any) -> bool:
        return (value is None and None in choices) or (
            isinstance(value, str) and value in choices
        )

    words = ", ".join(map(repr, choices))
    return Rule(words if len(choices) == 1 else f"one of {words}", holds)


boolean = Rule("True or False", lambda v: isinstance(v, TRUTH))
missing = Rule("None", lambda v: v is None)
function = Rule("a function", callable)
array_like = Rule(
    "an array",
    lambda v: (
        hasattr(v, "__array__") or hasattr(v, "toarray") or isinstance(v, list | tuple)
    ),
)
estimator = Rule(
    "an estimator", lambda v: hasattr(v, "fit") and not isinstance(v, type)
)
anything = Rule("anything", lambda v: True)
_SEED = whole(0, 2**32 - 1)
seed = Rule(
    "None, a whole number >= 0 or a NumPy RandomState or Generator",
    lambda v: (
        v is None
        or isinstance(v, np.random.RandomState | np.random.Generator)
        or _SEED.holds(v)
    ),
)


def check_parameters(learner: object, rules: Mapping[str, Rule]) -> None:
    """Raise `ParameterError` for the first parameter that breaks its rule."""
    for name, rule in rules.items():
        value = getattr(learner, name)
        if not rule.holds(value):
            must = f"{name} must be {rule.words}"
            raise ParameterError(sentence(learner, must, shown(value)))


def shown(value: Any) -> str:
    """Write a value for an error message, short enough for one sentence."""
    text = re.sub(r"\s*\n\s*", " ", repr(value))
    return text if len(text) <= 60 else f"{text[:57]}..."
