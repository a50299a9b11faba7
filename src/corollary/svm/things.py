"""Rows that are texts or other objects, for kernels that are functions of them.

The machine sees their numbers, one column, and its kernel looks the objects up.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from corollary.core.arrays import Floats, Matrix
from corollary.core.errors import DataError, sentence
from corollary.kernels.given import row_numbers

__all__ = ["is_things", "numbered", "of_things", "present_things", "things_of"]


def is_things(a: Any) -> bool:
    """Tell whether an array holds objects rather than numbers."""
    return a.dtype.kind in "OUS"


def things_of(X: Any) -> Any:
    """Return rows that are texts or other objects as an array of them, else None."""
    if not isinstance(X, list | tuple | np.ndarray) or not len(X):
        return None
    objects = isinstance(X, np.ndarray) and X.ndim == 1 and X.dtype == object
    if not objects and not isinstance(X[0], str | bytes):
        return None
    things = np.empty(len(X), dtype=object)
    things[:] = list(X)
    return things


def present_things(who: Any, X: Any) -> Any:
    """Return such rows; refuse others where the fit was on such."""
    things = things_of(X)
    if things is None:
        must = "X must hold objects such as those of the fit"
        raise DataError(sentence(who, must, f"{type(X).__name__}"))
    return things


def of_things(kernel: Any, things: Any) -> Callable[[Matrix, Matrix], Floats]:
    """Return a kernel of rows' numbers by way of the rows."""
    return lambda A, B: kernel(numbered(things, A), numbered(things, B))


def numbered(things: Any, X: Matrix) -> Any:
    """Return the objects whose numbers are the rows of X."""
    return things[row_numbers(X)]
