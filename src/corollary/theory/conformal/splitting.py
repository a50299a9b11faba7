"""Which rows are fitted and which are scored: a split, or folds.

Rows are drawn by chance from an order of their content.  So the order in which they
come does not matter, and a row of weight 2 is two rows, each of which falls where it
falls; to keep copies together would make calibration rows unlike new ones.  Weights
that are no whole numbers stay with their row.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from corollary.core.arrays import Vector
from corollary.core.errors import DataError, ParameterError, sentence
from corollary.core.parameters import whole
from corollary.core.randomness import generator
from corollary.engine.meta import rows_of
from corollary.ensembles.members import Urn

__all__ = ["Rows", "as_copies", "folds", "given_folds", "held_out"]

COPIES = 10  # times as many rows as there are, that weights may make of them


class Rows(NamedTuple):
    """Rows of a fit."""

    X: Any
    y: Vector  # (n,) numbers, or codes of classes
    w: Any  # (n,) or None

    def some(self, index: Vector) -> Rows:
        """Return some of the rows."""
        w = None if self.w is None else self.w[index]
        return Rows(rows_of(self.X, index), self.y[index], w)

    def urn(self) -> Urn:
        """Return the rows in the order of their content, where they are numbers."""
        numbers = getattr(self.X, "ndim", 1) == 2 and hasattr(self.X, "dtype")
        return Urn.of(self.X, self.y) if numbers else Urn(np.arange(len(self.y)))


def as_copies(who: Any, w: Any, rows: int, *, whole_only: bool) -> Any:
    """Return the rows that whole weights stand for, copies one after the other.

    A row of weight 0 is not there.  None where weights are to stay with their rows.
    """
    if w is None:
        return np.arange(rows)
    if (w == np.floor(w)).all() and w.sum() <= COPIES * rows:
        return np.repeat(np.arange(rows), w.astype(np.int64))
    if whole_only:
        must = "with folds, weights must be whole numbers and few copies"
        came = f"{w.max():g} as the largest, {w.sum():g} in all"
        raise DataError(sentence(who, must, came, "Use method='split'."))
    return None


def held_out(who: Any, rows: Rows, size: Any, seed: int) -> Vector:
    """Draw the calibration rows: so many, or a share of all."""
    n = len(rows.y)
    number = int(size) if whole(1).holds(size) else max(1, round(n * size))
    if whole(1).holds(size) and number >= n:
        must = f"calibration_size must leave some of the {n} rows to be fitted"
        raise ParameterError(sentence(who, must, f"{number}"))
    draw = generator(seed, 0)
    return np.sort(rows.urn().distinct_rows(min(number, n - 1), draw))


def folds(rows: Rows, number: int, seed: int) -> Vector:
    """Draw the fold of each row, all of one size or nearly so."""
    n = len(rows.y)
    fold = np.empty(n, dtype=np.int64)
    fold[rows.urn().order] = generator(seed, 0).permutation(n) % min(number, n)
    return fold


def given_folds(who: Any, rows: Rows, cv: Any) -> Vector:
    """Return the fold of each row from a splitter, or from pairs of rows."""
    n = len(rows.y)
    fold, times = np.full(n, -1), np.zeros(n, dtype=np.int64)
    pairs = cv.split(rows.X, rows.y) if hasattr(cv, "split") else cv
    for number, (_, test) in enumerate(pairs):
        fold[test] = number
        times[test] += 1
    if (times != 1).any():
        must = "cv must put every row in one test fold"
        raise ParameterError(sentence(who, must, f"{cv!r:.60}"))
    return fold
