"""Marks of records: those that print as a small table, those that a file may hold.

A file names a record by its package and its class, `kernels.Gaussian`; no module path
is ever read from a file, and a class that is not marked is never made from one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields
from typing import Any, TypeVar

import numpy as np

__all__ = ["STORED", "changed", "readable", "record_name", "stored"]

T = TypeVar("T", bound=type)
R = TypeVar("R")

FEW = 6  # numbers of an array that are printed
LONG = 60  # letters of a line for one field

#: Every marked class that has been imported, by its name in files.
STORED: dict[str, type] = {}


def stored(cls: T) -> T:
    """Let a record stand inside saved models."""
    name = record_name(cls)
    other = STORED.setdefault(name, cls)
    if other.__module__ != cls.__module__:
        raise TypeError(f"{cls.__module__} and {other.__module__} both store {name}")
    STORED[name] = cls
    return cls


def record_name(cls: type) -> str:
    """Return the name of a record in files: its package and its class."""
    return f"{cls.__module__.split('.')[1]}.{cls.__name__}"


def changed(record: R, **changes: Any) -> R:
    """Return a record with some fields changed, as `dataclasses.replace` does.

    It looks at nothing else, and so costs a tenth: for plain states that change at
    every pass.

    >>> from dataclasses import dataclass
    >>> @dataclass(frozen=True)
    ... class Point:
    ...     x: float
    ...     y: float = 0.0
    >>> changed(Point(1.0), y=2.0)
    Point(x=1.0, y=2.0)
    """
    other = object.__new__(type(record))
    vars(other).update(vars(record), **changes)
    return other


# -- printing ------------------------------------------------------------------------
def readable(cls: T) -> T:
    """Let `str` of a record print its fields one by one, large arrays by their shape.

    >>> import numpy as np
    >>> from dataclasses import dataclass
    >>> @readable
    ... @dataclass(frozen=True)
    ... class Found:
    ...     rate: float
    ...     weights: np.ndarray
    >>> print(Found(2 / 3, np.zeros((20, 3))))
    Found
      rate     0.666667
      weights  array (20, 3)
    """

    def as_table(self: Any) -> str:
        named = getattr(self, "_fields", None) or [one.name for one in fields(self)]
        names = [name for name in named if not name.startswith("_")]
        wide = max(map(len, names))
        lines = [f"  {name:<{wide}}  {shown(getattr(self, name))}" for name in names]
        return "\n".join([type(self).__name__, *lines])

    cls.__str__ = as_table  # type: ignore[method-assign, assignment]
    return cls


def shown(value: Any) -> str:
    """Print the value of a field in one line."""
    if isinstance(value, float | np.floating):
        return f"{value:.6g}"
    shape = getattr(value, "shape", ())
    if shape and (len(shape) > 1 or shape[0] > FEW):
        return f"array {tuple(shape)}"
    if isinstance(value, np.ndarray):
        value = value.tolist()
    if isinstance(value, Sequence) and not isinstance(value, str):
        few = len(value) <= FEW
        text = f"[{', '.join(map(shown, value))}]" if few else f"{len(value)} of them"
    elif callable(value) and hasattr(value, "__name__"):
        text = value.__name__
    else:
        text = str(value)
    return text if len(text) <= LONG and "\n" not in text else type(value).__name__
