"""Feature columns: numbers as they are, categories as their numbers.

The k values of a categorical column, sorted, become 0, ..., k-1; a missing value, a
number below 0 and a value that training never saw become NaN, which a tree sends to the
side that it learned for missing values.  Nothing depends on the order in which a data
frame lists its categories.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from corollary.core.arrays import Floats, Vector
from corollary.core.column import Column
from corollary.core.distinct import is_missing
from corollary.core.errors import DataError, sentence
from corollary.core.records import stored
from corollary.core.table import Table
from corollary.engine.data import Data
from corollary.engine.sources.source import Chunk
from corollary.preparation.positions import positions
from corollary.preparation.tallies import Tallies, Tally, Weights, labels_of

__all__ = ["FeatureColumns", "find_columns"]

CATEGORIES = ("category", "text")  # kinds of columns that are no numbers


@stored
@dataclass(frozen=True)
class FeatureColumns:
    """What each column of X is: numbers, or categories with these values."""

    who: str
    categories: tuple[Vector, ...]  # of each column, empty where it holds numbers
    categorical: Vector  # (d,) bool

    def __post_init__(self) -> None:
        if self.categorical.shape != (len(self.categories),):
            must = "every column must be of numbers or have categories"
            raise DataError(sentence("FeatureColumns", must, "others"))

    def matrix(self, X: Any) -> Floats:
        """Return the numbers of a table or array, (n, d)."""
        if X.shape[1] != len(self.categories):
            must = f"rows must have {len(self.categories)} features"
            raise DataError(sentence(self.who, must, f"{X.shape[1]}"))
        if not isinstance(X, Table):
            return X
        if not self.categorical.any() and "object" not in X.kinds:
            return X.matrix(who=self.who)
        out = np.empty(X.shape, X.float_type())
        for j, known in enumerate(self.categories):
            column = X.column(j)
            if not self.categorical[j]:
                out[:, j] = self._numbers(column, out.dtype, X.name(j))
                continue
            numbers = np.append(np.arange(float(len(known))), np.nan)
            out[:, j] = positions(column, known, self.who).look_up(numbers)
        return out

    def _numbers(self, column: Column, dtype: Any, name: str) -> Floats:
        """Return a column of numbers; what no number can be made of is a TypeError."""
        if column.kind == "object" and not column.is_missing().all():
            return column.array().astype(dtype)
        return column.numbers(dtype, who=self.who, name=name)


def find_columns(data: Data, asked: Vector | None, most: int) -> FeatureColumns:
    """Look at the categorical columns: those asked for, or those of no numbers."""
    who, source = type(data.learner).__name__, data.source
    kinds = np.array(source.kinds, dtype=object)
    mask = np.isin(kinds, CATEGORIES) if asked is None else asked
    found: list[Vector] = [np.zeros(0)] * source.n_features
    if mask.any():
        at = np.flatnonzero(mask)
        tallies = data.reduce(partial(tallied, who=who, at=at)).columns
        for j, tally in zip(at.tolist(), tallies, strict=True):
            found[j] = kept(tally.labels)
            check_size(who, len(found[j]), tally.name, most)
    return FeatureColumns(who, tuple(found), mask)


def tallied(chunk: Chunk, who: str, at: Vector) -> Tallies:
    """Return the values of some columns of a chunk."""
    X = chunk.X if chunk.w is None else chunk.X[chunk.w > 0]
    columns = (Tally(who, X.name(j), labels_of(X.column(j), who), None) for j in at)
    return Tallies(tuple(columns), Weights(np.zeros(1)))


def kept(labels: Vector) -> Vector:
    """Return the labels that are categories: neither missing nor below 0."""
    labels = labels[~is_missing(labels)]
    return labels[labels >= 0] if labels.dtype.kind in "fi" else labels


def check_size(who: str, count: int, name: str, most: int) -> None:
    """Refuse a categorical feature with more values than there are bins."""
    if count > most:
        must = f"a categorical feature must have at most max_bins = {most} values"
        remedy = "Encode it as a number, or join rare values."
        raise DataError(sentence(who, must, f"{count} in feature {name}", remedy))
