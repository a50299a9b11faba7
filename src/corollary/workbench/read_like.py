"""Reading new rows like those that a model was trained on.

Columns are found by name, clean or as written, in any order; others are ignored.  Each
cell is read in the way of its column in training: a decimal comma stays one, 3/4 stays
the third of April.  A cell that is no number where a number must be is missing, and a
note counts such cells.  No row is left out: predictions go with the lines of the file.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from corollary.core.configuration import bytes_of
from corollary.core.errors import DataError, ParameterError, sentence
from corollary.core.memory import memory_limit as configured_limit
from corollary.workbench.column_names import clean_name, closest, listed
from corollary.workbench.column_types import (
    as_words,
    only_finite,
    read_text,
    typed_column,
    without_words,
)
from corollary.workbench.date_texts import DIGITS, digit_dates
from corollary.workbench.row_sample import RowSample
from corollary.workbench.schema import ColumnSchema, Schema
from corollary.workbench.table_cells import (
    Cells,
    all_chunks,
    chunked,
    decimal_sign,
    read_cells,
)
from corollary.workbench.table_files import (
    ReadingOptions,
    checked_encoding,
    format_of,
    table_files,
)
from corollary.workbench.table_reading import ROOM, check_options

__all__ = ["NewRows", "read_like", "read_like_in_parts"]

WHO = "read_like"
OTHERS = ("identifier", "group", "time")  # roles of columns that are read besides
HALF = 0.5  # share of cells that do not fit, above which another style is tried


@dataclass(frozen=True)
class NewRows:
    """Rows that were read like those of training.

    Attributes
    ----------
    table : pyarrow.Table
        The features, in the order of the schema.
    notes : tuple of str
        What was decided on the way, in sentences.
    target : pyarrow.ChunkedArray or None
        The target, where the new table has it; nulls where it is missing.
    others : dict of pyarrow.ChunkedArray
        Columns that name, group or order the rows, where the new table has them.
    """

    table: Any
    notes: tuple[str, ...] = ()
    target: Any = None
    others: dict[str, Any] = field(default_factory=dict)

    def __str__(self) -> str:
        known = "" if self.target is None else ", with their target"
        shape = f"{self.table.num_rows:,} rows of {self.table.num_columns:,} columns"
        return "\n".join([f"NewRows: {shape}{known}", *self.notes])


def read_like(
    paths: Any,
    schema: Schema,
    *,
    delimiter: str | None = None,
    encoding: str | None = None,
    memory_limit: int | str | None = None,
) -> NewRows:
    """Read the features of a schema from files or a table.

    Parameters
    ----------
    paths : path, list of paths, or table
        As in `read_table`.
    schema : Schema
        Of the training table.
    delimiter, encoding : str, optional
        How the text is written; found out where not given.
    memory_limit : int or str, optional
        Bytes that may be taken.

    Returns
    -------
    NewRows

    Examples
    --------
    >>> from corollary.workbench import read_like, read_table
    >>> data = read_table({"area": [45.5, 60, 38.2], "rent": [810, 990, 720]},
    ...                   target="rent")
    >>> read_like({"town": ["Oslo"], "area": [52.0]}, data.schema).table.to_pydict()
    {'area': [52.0]}
    """
    if not isinstance(schema, Schema):
        must = "schema must be the Schema of a training table"
        raise ParameterError(sentence(WHO, must, f"a {type(schema).__name__}"))
    limit = float(bytes_of(memory_limit) or configured_limit())
    options = reading_options(delimiter, encoding, limit)
    cells = read_cells(paths, options, RowSample(0), limit)
    return like(cells, schema)


def read_like_in_parts(
    paths: Any,
    schema: Schema,
    *,
    delimiter: str | None = None,
    encoding: str | None = None,
    memory_limit: int | str | None = None,
) -> Iterator[NewRows]:
    """Read files that are larger than the memory limit, part by part.

    Parameters
    ----------
    paths : path, or list of paths
    schema, delimiter, encoding, memory_limit
        As in `read_like`.
    """
    limit = float(bytes_of(memory_limit) or configured_limit())
    options = reading_options(delimiter, encoding, limit)
    files = table_files(paths, options)
    formats = [format_of(file, options) for file in files]
    for _, cells in all_chunks(files, formats, options):
        yield like(cells, schema)


def reading_options(
    delimiter: str | None, encoding: str | None, limit: float
) -> ReadingOptions:
    """Return how text is read: no line may be left out."""
    check_options(None, delimiter, None, None, WHO)
    encoding = checked_encoding(WHO, encoding)
    return ReadingOptions(WHO, delimiter, encoding, strict=True, room=limit * ROOM)


def like(cells: Cells, schema: Schema) -> NewRows:
    """Return the features of a schema, with the types of training."""
    import pyarrow as pa

    notes, arrays, decimal = list(cells.notes), [], decimal_sign(cells)
    for column in schema.features:
        array = chunked(cells.columns[place_of(column, cells)])
        values, note = as_in_training(column, array, decimal)
        arrays.append(values)
        notes += [note] if note else []
    names = [column.name for column in schema.features]
    target = None
    goal = next((c for c in schema.columns if c.name == schema.target), None)
    if goal is not None and found_place(goal, cells) is not None:
        target, note = as_in_training(
            goal, chunked(cells.columns[place_of(goal, cells)]), decimal
        )
        notes += [note] if note else []
    others = other_columns(cells, schema, decimal)
    return NewRows(pa.Table.from_arrays(arrays, names), tuple(notes), target, others)


def other_columns(cells: Cells, schema: Schema, decimal: str) -> dict[str, Any]:
    """Return what names, groups or orders the rows; models do without it."""
    found = {}
    for column in schema.columns:
        place = found_place(column, cells) if column.role in OTHERS else None
        if place is not None:
            with suppress(DataError):  # of another kind than in training
                array = chunked(cells.columns[place])
                found[column.name] = as_in_training(column, array, decimal)[0]
    return found


def found_place(column: ColumnSchema, cells: Cells) -> int | None:
    """Return the place of a column, by its name as written or clean."""
    for name in (column.name, column.original, clean_name(column.original)):
        if name in cells.places:
            return cells.places[name]
    return None


def place_of(column: ColumnSchema, cells: Cells) -> int:
    """Return the place of a column, or say that it is missing."""
    place = found_place(column, cells)
    if place is None:
        must = f"the new rows must have the column {column.name!r}"
        came = f"the columns {listed(cells.clean)}"
        near = closest(column.name, cells.clean)
        remedy = near if near.startswith("The closest") else ""
        raise DataError(sentence(WHO, must, came, remedy))
    return place


def as_in_training(column: ColumnSchema, array: Any, decimal: str) -> tuple[Any, str]:
    """Return a column with the kind that it had in training, and a note."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if pa.types.is_dictionary(array.type):
        array = array.cast(pa.string())
    kind = column.kind
    if array.type != pa.string():
        if kind in ("category", "text"):
            return chunked(without_words(as_words(array))), ""
        return from_values(column, array)
    array = without_words(array)
    values = chunked(read_text(array, kind, column.how))
    lost, present = values.null_count - array.null_count, len(array) - array.null_count
    if kind in ("number", "date") and lost > HALF * present:
        other = typed_column(column.name, array, decimal=decimal)
        if other.kind == kind:
            how = f"read as {other.how!r}, not as {column.how!r}"
            return chunked(
                other.array
            ), f"column {column.name!r}: {how} as in training."
    if not lost:
        return values, ""
    odd = array.filter(pc.and_(pc.is_valid(array), pc.invert(pc.is_valid(values))))
    words = f"{lost:,} of {len(array):,} cells are no {kind}, such as"
    return values, f"column {column.name!r}: {words} {odd[0].as_py()[:40]!r}; missing."


def from_values(column: ColumnSchema, array: Any) -> tuple[Any, str]:
    """Return numbers, booleans or dates as the kind of training."""
    import pyarrow as pa
    import pyarrow.compute as pc

    kind, dates = column.kind, pa.types.is_timestamp(array.type)
    if kind == "date" and column.how == DIGITS and not dates:
        return chunked(digit_dates(array)), ""
    if (kind == "date") != dates:
        if array.null_count == len(array):
            to = pa.timestamp("us") if kind == "date" else pa.float64()
            return pa.chunked_array([pa.nulls(len(array), to)]), ""
        must = f"column {column.name!r} must hold {kind}s as in training"
        came = "dates" if dates else "other values"
        raise DataError(sentence(WHO, must, came))
    if kind == "number":
        finite, _ = only_finite(pc.cast(array, pa.float64(), safe=False))
        return chunked(finite), ""
    if kind == "boolean" and not pa.types.is_boolean(array.type):
        return chunked(read_text(as_words(array), "boolean", column.how)), ""
    return chunked(array), ""
