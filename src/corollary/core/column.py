"""Columns: one feature of a table, whatever it holds.

A column keeps the type of its values: whole numbers stay whole, booleans booleans,
texts objects, dates datetime64.  Or it is coded, as Arrow's dictionaries and pandas'
categories are: a few labels, and for each row which of them it is.

    plain      array() = values                                                  (1)
    coded      array() = labels[codes],  `missing` where a code is -1            (2)

What a column is for (`kind`) is told by its type, for objects by the objects:

    number     floats and integers
    boolean    true and false
    category   labels out of a declared set
    text       strings
    date       days and moments
    object     anything else, and mixtures

Missing values are NaN in columns of numbers, NaT among dates, None or NaN among texts
and objects, as scikit-learn sees them: None from Arrow, Parquet and polars, NaN from
pandas, and in a column of objects what stands there.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from corollary.core.arrays import Floats, Vector
from corollary.core.distinct import distinct, is_missing, missing_kind, objects_array
from corollary.core.errors import DataError, sentence

__all__ = ["KINDS", "Column", "joined_column"]

KINDS = ("number", "boolean", "category", "text", "date", "object")
OF_DTYPE = {"f": "number", "i": "number", "u": "number", "b": "boolean"}
OF_DTYPE |= {"U": "text", "S": "text", "M": "date"}
OF_TYPES: dict[str, Any] = {  # of objects; a boolean is an int to Python
    "boolean": (bool, np.bool_),
    "number": (int, float, np.integer, np.floating),
    "text": (str, bytes),
}


@dataclass(frozen=True, eq=False)
class Column:
    """One feature of a table: values of any type, plain or coded.

    Parameters
    ----------
    values : array of shape (n,), or of shape (k,) where there are codes
        The values, or the labels that the codes point to.
    codes : int32 array of shape (n,), optional
        Position of each row's label; -1 for a missing value.
    missing : object
        What stands for -1, None or NaN.
    stated : str
        The kind, where it is not told by the values.

    Examples
    --------
    >>> import numpy as np
    >>> from corollary.core.table import Column
    >>> towns = Column(np.array(["Rome", "Oslo"], object), np.array([0, 1, -1, 0]))
    >>> towns.array().tolist(), towns.kind
    (['Rome', 'Oslo', None, 'Rome'], 'text')
    >>> labels, codes = towns.coded()
    >>> labels.tolist(), codes.tolist()
    (['Oslo', 'Rome', None], [1, 0, 2, 1])
    """

    values: Vector
    codes: Vector | None = None
    missing: Any = None
    stated: str = ""
    _whole: Column | None = None  # whose kind this has, where objects have to tell it

    def __len__(self) -> int:
        return len(self.values if self.codes is None else self.codes)

    def __getitem__(self, rows: Any) -> Column:
        """Select rows by a slice, a mask or positions; the kind stays."""
        known = self.stated or self.values.dtype != object
        whole = None if known else self._whole or self
        if self.codes is None:
            return Column(self.values[rows], None, self.missing, self.stated, whole)
        return Column(self.values, self.codes[rows], self.missing, self.stated, whole)

    def __reduce__(self) -> Any:  # of many labels only those that appear travel
        column = self
        if self.codes is not None and len(self.values) > len(self.codes):
            used, codes = np.unique(self.codes, return_inverse=True)
            some = used[used >= 0]
            codes = codes.astype(np.int32) - np.int32(len(used) - len(some))
            column = Column(self.values[some], codes, self.missing)
        stated = self.stated if self._whole is None else self.kind
        return Column, (column.values, column.codes, column.missing, stated)

    @cached_property
    def kind(self) -> str:
        """What the column holds, one of `KINDS`."""
        if self.stated or self._whole is None:
            return self.stated or kind_of(self.values)
        return self._whole.kind

    @property
    def nbytes(self) -> int:
        """Bytes of the arrays; texts and objects count as pointers."""
        return int(
            self.values.nbytes + (0 if self.codes is None else self.codes.nbytes)
        )

    def array(self) -> Vector:
        """Return the values as an array, one for each row."""
        if self.codes is None:
            return self.values
        absent = self.codes < 0
        if not absent.any():
            return self.values[self.codes]
        if not len(self.values):
            return objects_array([self.missing] * len(self.codes))
        values = self.values
        if values.dtype.kind in "USb":
            values = values.astype(object)
        elif values.dtype.kind in "iu":
            values = values.astype(np.float64)
        out = values[self.codes]
        if values.dtype.kind in "mM":
            out[absent] = "NaT"
        else:
            out[absent] = self.missing if values.dtype == object else np.nan
        return out

    def is_missing(self) -> Vector:
        """Tell which rows are missing, (n,) booleans."""
        if self.codes is None:
            return is_missing(self.values)
        of_label = np.append(is_missing(self.values), True)  # the last one is for -1
        return of_label[self.codes]

    def coded(self, who: object = "column") -> tuple[Vector, Vector]:
        """Return (labels, codes) of the values that appear, with codes int32.

        Labels are sorted as scikit-learn's encoders sort them; missing values stand
        last, as labels of their own.
        """
        if self.codes is None:
            return distinct(self.values, who)
        k = len(self.values)
        counts = np.bincount(self.codes + 1, minlength=k + 1)
        used = np.flatnonzero(counts[1:])
        some = Column(self.values, used, self.missing).array()
        if counts[0]:
            at = np.append(used, -1)
            some = Column(self.values, at, self.missing).array()
        labels, place = distinct(some, who)
        new = np.empty(k + 1, dtype=np.int32)
        new[used] = place[: len(used)]
        new[k] = place[-1] if len(place) else 0  # of -1, the last entry
        return labels, new[self.codes]

    def series(self, pandas: Any) -> Any:
        """Return a pandas series of the column; a category keeps its labels."""
        if self.kind == "category" and self.codes is not None:
            labels = pandas.Index(self.values)
            if labels.is_unique and not labels.hasnans:
                coded = pandas.Categorical.from_codes(self.codes, categories=labels)
                return pandas.Series(coded)
        values = self.array()
        values = values.astype(object) if values.dtype.kind in "US" else values
        return pandas.Series(values, dtype=values.dtype)

    def numbers(self, dtype: Any = np.float64, *, who: object, name: str) -> Floats:
        """Return the column as floats with NaN for what is missing, or refuse it."""
        if self.kind in ("number", "boolean"):
            values = self.array()
            if values.dtype != object:
                return values.astype(dtype, copy=False)
            return plain_numbers(values, dtype)
        if self.kind == "category" and self.values.dtype.kind in "biuf":
            if self.codes is None:
                return self.values.astype(dtype)
            return np.append(self.values.astype(dtype), np.nan)[self.codes].astype(
                dtype
            )
        if self.kind == "object" and self.is_missing().all():
            return np.full(len(self), np.nan, dtype=dtype)
        must = f"column {name} of X must hold numbers"
        remedy = "Encode it as numbers, or drop it."
        raise DataError(sentence(who, must, self._described(), remedy))

    def _described(self) -> str:
        """Say what a column that holds no numbers holds."""
        if self.kind != "object":
            return f"a {self.kind}"
        if self.values.dtype != object:
            return f"type {self.values.dtype}"
        numbers = OF_TYPES["number"]
        values = [v for v in self.values if missing_kind(v) is None]
        strange = next((v for v in values if not isinstance(v, numbers)), values[0])
        text = " ".join(repr(strange).split())
        text = text if len(text) <= 40 else f"{text[:37]}..."
        return f"{text} of type {type(strange).__name__}"


def kind_of(values: Vector) -> str:
    """Tell what values are; objects are looked at, missing ones passed over."""
    if values.dtype != object:
        return OF_DTYPE.get(values.dtype.kind, "object")
    items = values.tolist()
    types = set(map(type, items))
    if len(types) > 1:
        types = {type(item) for item in items if missing_kind(item) is None} or types
    for kind, members in OF_TYPES.items():
        if types and all(issubclass(each, members) for each in types):
            return kind
    return "object"


def plain_numbers(values: Vector, dtype: Any) -> Floats:
    """Return objects that are numbers as floats, NaN for the missing ones."""
    found = (np.nan if missing_kind(v) is not None else v for v in values)
    return np.fromiter(found, dtype=dtype, count=len(values))


def joined_column(columns: Sequence[Column]) -> Column:
    """Return columns one below the other as one."""
    first = columns[0]
    if len(columns) == 1:
        return first
    kinds = {column.kind for column in columns}
    stated = first.kind if len(kinds) == 1 else ""
    coded = all(column.codes is not None for column in columns)
    alike = len({str(column.values.dtype) for column in columns}) == 1
    if coded and alike and len({missing_kind(c.missing) for c in columns}) == 1:
        return _joined_codes(columns, stated)
    arrays = [column.array() for column in columns]
    if any(array.dtype == object for array in arrays) or not alike_types(arrays):
        arrays = [array.astype(object) for array in arrays]
    return Column(np.concatenate(arrays), None, None, stated)


def alike_types(arrays: Iterable[Vector]) -> bool:
    """Tell whether arrays can be joined without turning numbers into texts."""
    groups = {"i": "n", "u": "n", "f": "n", "b": "b", "U": "t", "S": "s"}
    return len({groups.get(a.dtype.kind, a.dtype.kind) for a in arrays}) == 1


def _joined_codes(columns: Sequence[Column], stated: str) -> Column:
    """Join coded columns; labels that are the same object list are shared."""
    first = columns[0]
    same = all(
        c.values is first.values or np.array_equal(c.values, first.values)
        for c in columns
    )
    if same:
        codes = np.concatenate([np.asarray(c.codes) for c in columns])
        return Column(first.values, codes, first.missing, stated)
    if first.values.dtype != object:
        labels, place = distinct(np.concatenate([c.values for c in columns]))
    else:
        at: dict[Any, int] = {}
        every = (label for c in columns for label in c.values.tolist())
        place = np.array([at.setdefault(label, len(at)) for label in every], np.int32)
        labels = objects_array(at)
    ends = np.cumsum([0, *(len(c.values) for c in columns)])
    parts = [
        np.append(place[a:b], np.int32(-1))[c.codes]
        for c, a, b in zip(columns, ends[:-1], ends[1:], strict=True)
    ]
    return Column(labels, np.concatenate(parts), first.missing, stated)
