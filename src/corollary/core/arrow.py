"""Columns from Arrow: what Parquet, CSV, polars and pyarrow hand over.

    Arrow type                          values                    null
    integers                            the same; floats          NaN
    floats, decimals                    floats                    NaN
    booleans                            booleans; objects         None
    strings                             coded, kind text          None
    dictionaries                        coded, kind category      None
    dates, timestamps                   datetime64                NaT
    null                                floats                    NaN
    anything else                       objects                   None

Texts are coded by Arrow itself, which is many times faster than by Python: a few
distinct ones become objects, however many rows there are.
"""

from __future__ import annotations

import contextlib
import ctypes
from typing import Any

import numpy as np

from corollary.core.arrays import Vector
from corollary.core.column import Column, joined_column
from corollary.core.distinct import objects_array

__all__ = [
    "arrow_column",
    "arrow_kind",
    "give_back_all_memory",
    "give_back_memory",
]


def give_back_memory() -> None:
    """Return to the system what Arrow keeps of memory that it no longer uses."""
    from pyarrow import default_memory_pool

    default_memory_pool().release_unused()


def give_back_all_memory() -> None:
    """Return what Arrow and the C library keep; the latter where it offers that.

    After thousands of small fits it keeps hundreds of megabytes.  It takes a moment,
    and is for pauses between large steps.
    """
    give_back_memory()
    with contextlib.suppress(AttributeError, OSError, TypeError):
        ctypes.CDLL(None).malloc_trim(0)


def arrow_kind(kind: Any) -> str:
    """Return the kind of a column of an Arrow type, one of `column.KINDS`."""
    from pyarrow import types

    if is_number(kind) or types.is_decimal(kind) or types.is_null(kind):
        return "number"
    if types.is_boolean(kind):
        return "boolean"
    if is_text(kind):
        return "text"
    if types.is_dictionary(kind):
        return "category"
    if types.is_date(kind) or types.is_timestamp(kind):
        return "date"
    return "object"


def is_number(kind: Any) -> bool:
    """Tell whether an Arrow type is a float or an integer."""
    from pyarrow import types

    return bool(types.is_floating(kind) or types.is_integer(kind))


def is_text(kind: Any) -> bool:
    """Tell whether an Arrow type is one of its kinds of strings."""
    from pyarrow import types

    view = types.is_string_view(kind)
    return bool(types.is_string(kind) or types.is_large_string(kind) or view)


def typed_nulls(array: Any, kind: str) -> Any:
    """Return an array of nothing but nulls as one of a kind; any other as it is."""
    import pyarrow as pa

    if not pa.types.is_null(array.type):
        return array
    types = {"boolean": pa.bool_(), "text": pa.string(), "category": pa.string()}
    types |= {"date": pa.timestamp("us")}
    return array.cast(types.get(kind, pa.float64()))


def arrow_column(array: Any, missing: Any = None, kind: str = "") -> Column:
    """Return an Arrow array, or a chunked one, as a column.

    `missing` stands for a null among texts, categories, booleans and objects: None, or
    NaN where pandas is the owner.  Texts and categories may be said to be the other
    `kind`: files hold one for the other.
    """
    import pyarrow as pa

    if isinstance(array, pa.ChunkedArray):
        array = array.unify_dictionaries().combine_chunks()
    if isinstance(array, pa.ChunkedArray):  # longer than one array can be
        chunks = (arrow_column(chunk, missing, kind) for chunk in array.chunks)
        return joined_column(list(chunks))
    if isinstance(array, pa.ExtensionArray):
        array = array.storage
    stored = arrow_kind(array.type)
    kind = kind if {kind, stored} == {"text", "category"} else stored
    if is_text(array.type):
        array = array.dictionary_encode()
    if pa.types.is_nested(getattr(array.type, "value_type", array.type)):
        kind = "object"  # such labels have no order
    elif pa.types.is_dictionary(array.type):
        return Column(*_codes(array), missing, kind)
    if kind == "object" or (kind == "boolean" and array.null_count):
        items = array.to_pylist()
        items = [missing if item is None else item for item in items]
        return Column(objects_array(items), None, None, kind)
    if pa.types.is_decimal(array.type) or pa.types.is_null(array.type):
        array = array.cast(pa.float64())
    values = np.asarray(array.to_numpy(zero_copy_only=False))
    return Column(values, None, None, kind)


def _codes(array: Any) -> tuple[Vector, Vector]:
    """Return the labels of a dictionary array and the codes of its rows."""
    import pyarrow as pa

    if len(array.dictionary) > len(array):  # of a larger array: leave what is not used
        array = array.dictionary_decode().dictionary_encode()
    codes = array.indices.cast(pa.int32())
    if codes.null_count:
        codes = codes.fill_null(-1)
    labels = array.dictionary
    if is_text(labels.type):
        values = labels.to_numpy(zero_copy_only=False)
    else:
        values = arrow_column(labels).array()
    return values, np.asarray(codes.to_numpy(zero_copy_only=False))
