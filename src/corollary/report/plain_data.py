"""Findings as plain data: what JSON knows, with text that every browser can read.

Findings come from a file or from a run that has just ended.  `plain` turns them into
dictionaries, lists, text, numbers, booleans and None, so that the rest of the page need
not ask what it has in hand:

- numbers that are no numbers (NaN, infinities) become None, and are left out;
- NumPy's scalars and arrays become Python's;
- control characters and halves of surrogate pairs, which no HTML file may hold, become
  the replacement character U+FFFD.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence, Set
from typing import Any, TypeAlias, TypeGuard

import numpy as np

__all__ = ["Rows", "dictionaries", "dictionary", "numbers", "plain", "texts"]

Rows: TypeAlias = Sequence[tuple[float, ...]]  # rows of numbers
UNREADABLE = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff\ufdd0-\ufdef\ufffe\uffff]"
)


def plain(value: Any) -> Any:
    """Return a value as JSON could hold it.

    >>> plain({"a": (1, float("nan")), 2: "text"})
    {'a': [1, None], '2': 'text'}
    """
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, np.generic | np.ndarray):
        return plain(value.tolist())
    if isinstance(value, int):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, Mapping):
        return {_text(key): plain(one) for key, one in value.items()}
    if isinstance(value, Sequence | Set) and not isinstance(value, str | bytes):
        return [plain(one) for one in value]
    return _text(value)


def _text(value: Any) -> str:
    return UNREADABLE.sub("\ufffd", str(value))


# -- reading what may be missing ------------------------------------------------------
def dictionary(value: Any) -> dict[str, Any]:
    """Return a dictionary; an empty one where there is none."""
    return value if isinstance(value, dict) else {}


def dictionaries(value: Any) -> list[dict[str, Any]]:
    """Return the dictionaries of a list; none where there is no list."""
    return [one for one in value if isinstance(one, dict)] if _is_list(value) else []


def texts(value: Any) -> list[str]:
    """Return the entries of a list as text, without those that are missing."""
    return [str(one) for one in value if one is not None] if _is_list(value) else []


def numbers(*values: Any) -> list[tuple[float, ...]]:
    """Return the columns of several lists that hold numbers in each of them.

    >>> numbers([1, None, 3], [4, 5, "x"])
    [(1.0, 4.0)]
    """
    if not all(_is_list(value) for value in values):
        return []
    rows = zip(*values, strict=False)
    return [tuple(map(float, row)) for row in rows if all(map(is_number, row))]


def is_number(value: Any) -> TypeGuard[float]:
    """Return whether a value is a finite number."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    return math.isfinite(value) and abs(value) < 1e300


def _is_list(value: Any) -> bool:
    return isinstance(value, list)
