"""Tables whose columns have types: Parquet, Arrow, Feather, JSON, frames in memory.

Objects inside of objects become columns of their own, `owner.name`; lists and bytes are
left out, and a note says so.  Nothing that a file says of itself is believed before all
its offsets and letters are checked.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from corollary.core.errors import DataError, sentence
from corollary.core.frames import is_frame
from corollary.workbench.column_names import listed
from corollary.workbench.column_types import plain_type
from corollary.workbench.table_files import (
    ReadingOptions,
    TableFile,
    reason_of,
    text_of,
)

__all__ = [
    "arrow_batches",
    "arrow_table",
    "frame_table",
    "is_table",
    "json_table",
    "parquet_batches",
    "parquet_table",
    "plain_columns",
]

FLATTENED = 8  # objects inside of objects that are taken apart
KINDS = {"parquet": "a Parquet file", "arrow": "an Arrow file", "stream": "Arrow data"}


def failed(file: TableFile, kind: str, error: BaseException, who: str) -> DataError:
    """Say in one sentence that a file is damaged."""
    must = f"{file.name} must be {KINDS[kind]} that can be read"
    remedy = "It may be damaged or cut off."
    return DataError(sentence(who, must, reason_of(error), remedy))


# -- files ---------------------------------------------------------------------------
def parquet_table(file: TableFile, options: ReadingOptions) -> Any:
    """Return all rows of a Parquet file."""
    import pyarrow as pa
    from pyarrow import parquet

    try:
        with file.seekable(options) as stream:
            table = parquet.ParquetFile(stream).read(use_threads=True)
        table.validate(full=True)
    except (pa.ArrowException, OSError, ValueError, MemoryError) as error:
        raise failed(file, "parquet", error, options.who) from None
    return table


def parquet_bytes(file: TableFile, options: ReadingOptions) -> float:
    """Return the bytes that a Parquet file takes in memory, as far as it says."""
    import pyarrow as pa
    from pyarrow import parquet

    try:
        with file.seekable(options) as stream:
            about = parquet.ParquetFile(stream).metadata
            groups = (about.row_group(i) for i in range(about.num_row_groups))
            stored = sum(group.total_byte_size for group in groups)
            return max(2.0 * stored, 10.0 * about.num_rows * about.num_columns)
    except (pa.ArrowException, OSError, ValueError, MemoryError) as error:
        raise failed(file, "parquet", error, options.who) from None


def parquet_batches(file: TableFile, options: ReadingOptions) -> Iterator[Any]:
    """Return the rows of a Parquet file in chunks."""
    import pyarrow as pa
    from pyarrow import parquet

    try:
        with file.seekable(options) as stream:
            source = parquet.ParquetFile(stream, pre_buffer=False, buffer_size=1 << 20)
            rows = max(1_000, min(65_536, 10**7 // max(1, source.metadata.num_columns)))
            for batch in source.iter_batches(rows):
                table = pa.table(batch)
                table.validate(full=True)
                yield table
    except (pa.ArrowException, OSError, ValueError, MemoryError) as error:
        raise failed(file, "parquet", error, options.who) from None


def arrow_table(file: TableFile, kind: str, options: ReadingOptions) -> Any:
    """Return all rows of an Arrow file, a Feather file or an Arrow stream."""
    import pyarrow as pa
    from pyarrow import feather

    try:
        with file.seekable(options) as stream:
            if kind == "stream":
                table = pa.ipc.open_stream(stream).read_all()
            else:
                table = feather.read_table(stream)
        table.validate(full=True)
    except (pa.ArrowException, OSError, ValueError, MemoryError) as error:
        raise failed(file, kind, error, options.who) from None
    return table


def arrow_batches(file: TableFile, kind: str, options: ReadingOptions) -> Iterator[Any]:
    """Return the rows of Arrow data in the chunks in which they were written."""
    import pyarrow as pa

    try:
        with file.seekable(options) as stream:
            if kind == "stream":
                batches = iter(pa.ipc.open_stream(stream))
            else:
                reader = pa.ipc.open_file(stream)
                count = range(reader.num_record_batches)
                batches = (reader.get_batch(i) for i in count)
            for batch in batches:
                batch.validate(full=True)
                yield pa.table(batch)
    except (pa.ArrowException, OSError, ValueError, MemoryError) as error:
        raise failed(file, kind, error, options.who) from None


# -- JSON ----------------------------------------------------------------------------
def json_table(
    file: TableFile, data: bytes, options: ReadingOptions
) -> tuple[Any, Any]:
    """Return all rows of JSON, one object a line or one list of objects, and notes."""
    import pyarrow as pa
    from pyarrow import json as arrow_json

    text = text_of(file, data, options)
    if text.data.lstrip()[:1] == b"{":
        try:
            table = arrow_json.read_json(pa.BufferReader(text.data))
            table.validate(full=True)
            if table.num_rows > 1 and table.num_columns:
                return table, text.notes
        except (pa.ArrowException, OSError, ValueError):
            pass  # cells of several types, or a line that Python names
    rows = json_rows(file, text.data, options)
    return columns_table(json_columns(file, rows, options)), text.notes


def json_rows(file: TableFile, data: bytes, options: ReadingOptions) -> Any:
    """Parse one list, or an object a line; name a line that is none."""
    text = data.decode("utf-8", "replace")
    must = f"{file.name} must be JSON, one object a line or one list of objects"
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        wrong, whole = json_words(error), text.lstrip()[:1] != "{"
    rows = []
    for number, line in enumerate(text.split("\n"), 1):
        if line.strip():
            try:
                rows.append(json.loads(line))
            except (ValueError, RecursionError) as error:
                where = wrong if whole else json_words(error, number)
                raise DataError(sentence(options.who, must, where)) from None
    return rows


def json_words(error: Exception, line: int = 0) -> str:
    """Say what is wrong with a piece of JSON, and where."""
    if isinstance(error, RecursionError):
        return "objects nested too deeply"
    if not isinstance(error, json.JSONDecodeError):
        return reason_of(error)
    words = error.msg[:1].lower() + error.msg[1:]
    return f"{words} at sign {error.colno:,} in line {line or error.lineno:,}"


def json_columns(file: TableFile, rows: Any, options: ReadingOptions) -> dict[str, Any]:
    """Return parsed JSON as lists, one for each column."""
    must = f"{file.name} must be JSON, one object a line or one list of objects"
    if isinstance(rows, dict):
        lists = [value for value in rows.values() if isinstance(value, list)]
        if len(lists) == len(rows) and len(set(map(len, lists))) == 1 and lists[0]:
            return rows  # columns by name
        rows = [rows]
    if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        raise DataError(sentence(options.who, must, "other values"))
    rows = [flat(row) for row in rows]
    names = dict.fromkeys(name for row in rows for name in row)
    if not names:
        raise DataError(sentence(options.who, must, "no rows"))
    return {name: [row.get(name) for row in rows] for name in names}


def flat(row: dict[str, Any], depth: int = FLATTENED) -> dict[str, Any]:
    """Return an object with the names of objects inside of it joined by points."""
    if not any(isinstance(value, dict) for value in row.values()) or not depth:
        return row
    out: dict[str, Any] = {}
    for name, value in row.items():
        if isinstance(value, dict):
            inner = flat(value, depth - 1)
            out |= {f"{name}.{key}": one for key, one in inner.items()}
        else:
            out[name] = value
    return out


# -- frames --------------------------------------------------------------------------
def is_table(data: Any) -> bool:
    """Tell whether data is a table in memory."""
    return is_frame(data) or isinstance(data, Mapping | np.ndarray)


def frame_table(data: Any, who: str) -> tuple[list[str], Any]:
    """Return names and an Arrow table of a frame, a dictionary or a matrix."""
    import pyarrow as pa

    if isinstance(data, pa.Table | pa.RecordBatch):
        columns = data.columns
        return list(data.schema.names), places_table(columns)
    if isinstance(data, np.ndarray):
        if data.ndim != 2:
            must = "an array must have rows and columns"
            raise DataError(sentence(who, must, f"shape {data.shape}"))
        names = [f"column_{j}" for j in range(1, data.shape[1] + 1)]
        return names, places_table([array_of(data[:, j]) for j in range(data.shape[1])])
    if isinstance(data, Mapping):
        lengths = {
            len(values) for values in data.values() if hasattr(values, "__len__")
        }
        if len(lengths) > 1 or not all(hasattr(v, "__len__") for v in data.values()):
            must = "columns must be lists of one length"
            raise DataError(sentence(who, must, f"lengths {sorted(lengths)[:5]}"))
        columns = [array_of(values) for values in data.values()]
        return list(map(str, data)), places_table(columns)
    if hasattr(data, "collect"):
        remedy = "Use .collect()."
        raise DataError(
            sentence(who, "a frame must have its rows", "a lazy one", remedy)
        )
    if hasattr(data, "to_arrow"):
        table = data.to_arrow()
        return list(map(str, table.schema.names)), places_table(table.columns)
    columns = [array_of(data.iloc[:, j]) for j in range(data.shape[1])]
    return list(map(str, data.columns)), places_table(columns)


def places_table(columns: Any) -> Any:
    """Return an Arrow table whose columns have their place for a name."""
    import pyarrow as pa

    return pa.table({str(j): column for j, column in enumerate(columns)})


def columns_table(columns: Mapping[str, Any]) -> Any:
    """Return an Arrow table of lists by name."""
    import pyarrow as pa

    names = list(columns)
    return pa.Table.from_arrays([array_of(columns[name]) for name in names], names)


def array_of(values: Any) -> Any:
    """Return values as an Arrow array; those of several types as texts."""
    import pyarrow as pa

    if isinstance(values, pa.Array | pa.ChunkedArray):
        return values
    try:
        return pa.array(values, from_pandas=True)
    except (pa.ArrowException, TypeError, ValueError, OverflowError):
        items = (None if is_nothing(v) else word(v) for v in values)
        return pa.array(list(items), pa.string())


def is_nothing(value: Any) -> bool:
    """Tell whether a value stands for a missing one."""
    try:
        return value is None or bool(value != value)
    except (TypeError, ValueError):
        return type(value).__name__ in ("NAType", "NaTType")


def word(value: Any) -> str:
    """Return a value as text that UTF-8 can write."""
    text = json.dumps(value) if isinstance(value, list | dict) else str(value)
    return text.encode("utf-8", "replace").decode()


# -- types ---------------------------------------------------------------------------
def plain_columns(
    names: list[str], table: Any
) -> tuple[list[str], list[Any], tuple[str, ...]]:
    """Return columns of plain types, objects taken apart, and notes on lost ones."""
    import pyarrow as pa
    import pyarrow.compute as pc

    kept, columns, lost = [], [], []
    todo = [(n, c, FLATTENED) for n, c in zip(names, table.columns, strict=True)]
    todo.reverse()
    while todo:
        name, column, depth = todo.pop()
        if pa.types.is_struct(column.type) and column.type.num_fields and depth:
            inner = [
                (f"{name}.{f.name}", pc.struct_field(column, [i]), depth - 1)
                for i, f in enumerate(column.type)
            ]
            todo += reversed(inner)
            continue
        try:
            plain = plain_type(column)
        except (pa.ArrowException, ValueError, OverflowError):
            plain = None
        if plain is None:
            lost.append(name)
        else:
            kept.append(name)
            columns.append(plain)
    words = f"columns of lists, bytes or other objects are left out: {listed(lost)}."
    return kept, columns, (words,) if lost else ()
