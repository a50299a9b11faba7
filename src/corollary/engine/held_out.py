"""Rows that a fit does not learn from: the user's own, or a share that is set apart."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from sklearn.model_selection import train_test_split

from corollary.core.arrays import Vector
from corollary.core.errors import DataError, sentence

__all__ = ["HeldOut", "given_rows", "split_rows"]


class HeldOut(NamedTuple):
    """Rows of the user's own that say when to stop."""

    X: Any
    y: Any
    w: Any


def given_rows(who: Any, X: Any, y: Any, w: Any) -> HeldOut | None:
    """Return the user's own held-out rows, both parts of them."""
    if (X is None) != (y is None):
        must = "X_val and y_val must be given together"
        came = "y_val alone" if X is None else "X_val alone"
        raise DataError(sentence(who, must, came))
    return None if X is None else HeldOut(X, y, w)


def split_rows(
    who: Any, n: int, held_out: float | int, stratum: Vector | None, seed: int
) -> tuple[Vector, Vector]:
    """Draw the rows to learn from and those held out, of each class alike.

    `held_out` is a share of the n rows, or how many; `stratum` are the classes.
    """
    try:
        train, held = train_test_split(
            np.arange(n),
            test_size=held_out,
            random_state=seed % 2**32,
            stratify=stratum,
        )
    except ValueError as error:
        must = "validation_fraction must leave rows of every class on both sides"
        came = f"{held_out} of {n} rows ({error})"
        raise DataError(sentence(who, must, came)) from None
    if stratum is not None and len(np.unique(stratum[train])) < len(np.unique(stratum)):
        must = "rows of every class must be left to learn from"
        raise DataError(sentence(who, must, "a class held out as a whole"))
    return train, held
