"""Distinct values: the labels of a column, in order, and where each row's stands.

    labels, codes = distinct(values)        values = labels[codes]

Labels are sorted as scikit-learn's encoders sort them; missing ones stand last, each
kind of them once: None, then NaN, then NaT, then pandas' NA.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from corollary.core.arrays import Vector
from corollary.core.errors import MixedTypesError, sentence

__all__ = ["distinct", "is_missing", "missing_kind", "objects_array"]

SMALL_RANGE = 2**16  # integers between so many need no sort
FLOATS = (float, np.floating, complex, np.complexfloating)
TIMES = (np.datetime64, np.timedelta64)
NONE, NAN, NAT, NA = range(4)
PRESENT = {str, bytes, bool, int}  # types whose values are there, all of them
PANDAS = {"NaTType": NAT, "NAType": NA}  # known by name, as pandas may be absent


def missing_kind(value: Any) -> int | None:
    """Return which kind of missing value an object is, or None where it is a value."""
    if value is None:
        return NONE
    if isinstance(value, FLOATS):
        return NAN if value != value else None
    if isinstance(value, TIMES):
        return NAT if np.isnat(value) else None
    return PANDAS.get(type(value).__name__)


def is_missing(values: Vector) -> Vector:
    """Tell which values of an array of any type are missing, (n,) booleans."""
    if values.dtype.kind in "fc":
        return np.isnan(values)
    if values.dtype.kind in "mM":
        return np.isnat(values)
    if values.dtype != object:
        return np.zeros(values.shape, dtype=bool)
    if set(map(type, values.tolist())) <= PRESENT:
        return np.zeros(values.shape, dtype=bool)
    found = (missing_kind(value) is not None for value in values)
    return np.fromiter(found, dtype=bool, count=len(values))


def objects_array(items: Any) -> Vector:
    """Return items as an array of objects, (n,), also where they are sequences."""
    items = list(items)
    objects = np.empty(len(items), dtype=object)
    for i, item in enumerate(items):
        objects[i] = item
    return objects


def distinct(values: Vector, who: object = "column") -> tuple[Vector, Vector]:
    """Return (labels, codes) of an array of any type: values = labels[codes].

    Parameters
    ----------
    values : array of shape (n,)
    who : object
        In whose name to refuse values that have no order.

    Returns
    -------
    labels : array of shape (k,), of the type of the values
    codes : int32 array of shape (n,)

    Examples
    --------
    >>> import numpy as np
    >>> labels, codes = distinct(np.array(["b", None, "a", "b"], dtype=object))
    >>> labels.tolist(), codes.tolist()
    (['a', 'b', None], [1, 2, 0, 1])
    """
    kind = values.dtype.kind
    if kind == "O":
        return _of_objects(values.tolist(), who)
    if kind in "US":
        labels, codes = _of_objects(values.tolist(), who)
        return labels.astype(values.dtype), codes
    if kind in "iub" and len(values):
        small = _of_small_range(values)
        if small is not None:
            return small
    labels, codes = np.unique(values, return_inverse=True)
    return labels, codes.reshape(-1).astype(np.int32)


def _of_small_range(values: Vector) -> tuple[Vector, Vector] | None:
    """Count whole numbers that lie close together, rather than sort them."""
    low, high = int(values.min()), int(values.max())
    if high - low >= SMALL_RANGE:
        return None
    wide = np.uint64 if values.dtype.kind == "u" else np.int64
    steps = (values.astype(wide) - wide(low)).astype(np.int64, copy=False)
    there = np.bincount(steps, minlength=high - low + 1) > 0
    place = np.cumsum(there, dtype=np.int32) - np.int32(1)
    labels = np.flatnonzero(there).astype(wide) + wide(low)
    return labels.astype(values.dtype), place[steps]


def _of_objects(items: list[Any], who: object) -> tuple[Vector, Vector]:
    """Sort the distinct objects; each NaN is a key of its own with the code of all."""
    try:
        found = dict.fromkeys(items)
        whole = set(map(type, found)) <= PRESENT
        kinds = {} if whole else {item: missing_kind(item) for item in found}
        present = sorted(item for item in found if kinds.get(item) is None)
    except TypeError:
        must = "Encoders require their input argument must be uniformly strings or"
        types = sorted({type(item).__qualname__ for item in items})
        raise MixedTypesError(sentence(who, f"{must} numbers", f"{types}")) from None
    code = {item: i for i, item in enumerate(present)}
    absent = sorted({kind for kind in kinds.values() if kind is not None})
    for item, kind in kinds.items():
        if kind is not None:
            code[item] = len(present) + absent.index(kind)
    one_of_each = {kind: item for item, kind in kinds.items()}
    labels = [*present, *(one_of_each[kind] for kind in absent)]
    codes = np.fromiter(map(code.__getitem__, items), np.int32, count=len(items))
    return objects_array(labels), codes
