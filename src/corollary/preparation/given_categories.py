"""Given categories: what a user says a column holds, held to what it does hold."""

from __future__ import annotations

from typing import Any

import numpy as np

from corollary.core.arrays import Vector
from corollary.core.column import Column
from corollary.core.distinct import NAN, distinct, missing_kind, objects_array
from corollary.core.errors import DataError, ParameterError, sentence
from corollary.preparation.positions import positions

__all__ = ["given_categories", "refuse_unknown"]

SHOWN = 10  # unknown categories in a message


def given_categories(who: object, j: int, given: Any, labels: Vector) -> Vector:
    """Return the categories that were given for column j, in the type of its values.

    Parameters
    ----------
    who : object
        In whose name to refuse categories that are repeated, out of order or of
        another type.
    j : int
        Position of the column.
    given : array-like
        Its categories.
    labels : array
        Values of the column, for their type; texts are objects, so that none is cut.
    """
    categories = _typed(who, j, given, labels)
    must = f"categories[{j}] must be different values, NaN last"
    if not len(categories):
        raise ParameterError(sentence(who, must, "none"))
    items = categories.tolist()
    if any(missing_kind(item) == NAN for item in items[:-1]):
        came = f"Nan should be the last element, {shown(categories)}"
        raise ParameterError(sentence(who, must, came))
    if len(distinct(categories, who)[0]) < len(categories):
        came = f"In column {j}, the predefined categories contain duplicate elements"
        raise ParameterError(sentence(who, must, f"{came}, {shown(categories)}"))
    if categories.dtype.kind not in "OUS":
        known = categories[categories == categories]  # no NaN
        if (known[1:] < known[:-1]).any():
            must = f"categories[{j}] must rise"
            came = "Unsorted categories are not supported for numerical categories"
            raise ParameterError(sentence(who, must, f"{came}, {shown(categories)}"))
    return categories


def _typed(who: object, j: int, given: Any, labels: Vector) -> Vector:
    """Return given categories in the type of a column."""
    kind = labels.dtype.kind
    items = list(given.tolist() if isinstance(given, np.ndarray) else given)
    if kind in "OU":
        texts = all(isinstance(label, str) for label in labels.tolist())
        if items and isinstance(items[0], bytes) and texts:
            must = f"categories[{j}] must be of the type of the values"
            came = f"In column {j}, the predefined categories have type 'bytes'"
            came += " which is incompatible with values of type 'str'"
            raise ParameterError(sentence(who, must, came))
        return objects_array(items)
    try:
        if kind == "S":
            return np.array(items, dtype="S")
        plain = given if isinstance(given, np.ndarray) else np.array(items)
        if plain.dtype.kind in "fiub" and kind in "fiub":
            cast = plain.astype(labels.dtype) if np.isfinite(plain).all() else plain
            same = np.array_equal(cast, plain)
            return cast if same else plain.astype(np.result_type(plain, labels))
        return plain.astype(labels.dtype)
    except (ValueError, TypeError, OverflowError):
        must = f"categories[{j}] must be of the type of the values, {labels.dtype}"
        raise ParameterError(sentence(who, must, shown(items))) from None


def refuse_unknown(
    who: object, column: Column, categories: Vector, j: int, name: str, when: str
) -> None:
    """Name the values of a column that are no categories."""
    values = column.array()
    at = positions(column, categories, who, learned=False).unknown()
    found = distinct(values if at is None else values[at], who)[0].tolist()
    must = f"column {name} must hold the categories {shown(categories)}"
    more = f" and {len(found) - SHOWN} more" if len(found) > SHOWN else ""
    came = f"Found unknown categories {found[:SHOWN]}{more} in column {j} during {when}"
    raise DataError(sentence(who, must, came, "Use another handle_unknown."))


def shown(items: Any) -> str:
    """Write a few of many values."""
    some = [item for item, _ in zip(items, range(SHOWN), strict=False)]
    some = [getattr(item, "item", lambda item=item: item)() for item in some]
    return f"{some}"[:-1] + (", ...]" if len(items) > SHOWN else "]")
