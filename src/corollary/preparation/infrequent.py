"""Infrequent categories: those of little weight, taken together as one.

Also known as: rare levels, lumping, the "other" category.

With W_v the weight of category v, of all rows W,

    infrequent = { v : W_v < f },    f = min_frequency, or min_frequency W           (1)

and where more than c = max_categories would be left, that one included, all but the
c - 1 of largest weight; of equal ones the later stay.  The frequent categories keep
their order, the infrequent ones come last, as one.

Course: S0-63. Reference: Kuhn and Johnson (2019), 5.4.
"""

from __future__ import annotations

import numbers
from dataclasses import dataclass
from typing import Any

import numpy as np

from corollary.core.arrays import Floats, Vector
from corollary.core.column import Column
from corollary.core.distinct import NAN, missing_kind, objects_array
from corollary.preparation.positions import positions

__all__ = [
    "INFREQUENT",
    "Grouping",
    "as_objects",
    "ends_with_nan",
    "grouping",
    "infrequent",
]

INFREQUENT = "infrequent_sklearn"  # scikit-learn's name for them


@dataclass(frozen=True)
class Grouping:
    """The categories of a column, the infrequent ones taken together."""

    categories: Vector  # (k,)
    rare: Vector  # positions of the infrequent ones
    place: Vector  # (k,) where each stands once these are one, the last
    width: int  # number of categories then

    @property
    def names(self) -> Vector:
        """The categories once the infrequent ones are one."""
        if not len(self.rare):
            return self.categories
        frequent = np.delete(self.categories, self.rare)
        return objects_array([*as_objects(frequent), INFREQUENT])


def grouping(categories: Vector, rare: Vector | None) -> Grouping:
    """Take infrequent categories together.

    >>> group = grouping(np.array([3, 5, 7, 9]), np.array([3, 7]))
    >>> group.place.tolist(), group.names.tolist()
    ([2, 0, 2, 1], [5, 9, 'infrequent_sklearn'])
    """
    k = len(categories)
    if rare is None:
        return Grouping(categories, np.zeros(0, dtype=np.int32), np.arange(k), k)
    found = positions(Column(rare), categories, "grouping", learned=False).of_label
    frequent = np.ones(k, dtype=bool)
    frequent[found] = False
    place = np.cumsum(frequent) - 1
    place[found] = k - len(found)
    return Grouping(categories, found, place, k - len(found) + 1)


def infrequent(
    weight: Floats, total: float, min_frequency: Any, max_categories: int | None
) -> Vector:
    """Return the positions of the infrequent categories (1).

    >>> infrequent(np.array([5.0, 20, 10, 3]), 38.0, None, 3).tolist()
    [0, 3]
    """
    least = 0.0 if min_frequency is None else float(min_frequency)
    if not isinstance(min_frequency, numbers.Integral):
        least *= total
    rare = weight < least
    left = len(weight) - int(rare.sum()) + 1
    if max_categories is not None and max_categories < left:
        fewest = np.argsort(weight, kind="stable")
        rare[fewest[: len(weight) - (max_categories - 1)]] = True
    return np.flatnonzero(rare)


def as_objects(values: Vector) -> Vector:
    """Return values as Python's objects; dates as NumPy's, which are finer."""
    dates = values.dtype.kind in "mM"
    return objects_array(list(values) if dates else values.tolist())


def ends_with_nan(categories: Vector) -> bool:
    """Tell whether the last category is NaN."""
    return bool(len(categories)) and missing_kind(categories[-1]) == NAN
