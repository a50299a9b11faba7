"""Cells of a table: the rows of all files, before it is known what they hold.

Each file becomes columns of plain types (`stored_tables`) or of texts
(`delimited_text`); columns of several files are joined by name, in any order.  What
would take more memory than there is room for is read in chunks, of which a uniform
sample is kept (`row_sample`).
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from corollary.core.errors import DataError, MemoryLimitError, ParameterError, sentence
from corollary.workbench.column_names import clean_names, listed
from corollary.workbench.column_types import as_words
from corollary.workbench.delimited_text import delimited_batches, delimited_table
from corollary.workbench.number_texts import comma_is_decimal
from corollary.workbench.row_sample import RowSample
from corollary.workbench.stored_tables import (
    arrow_batches,
    arrow_table,
    frame_table,
    is_table,
    json_table,
    parquet_batches,
    parquet_bytes,
    parquet_table,
    plain_columns,
)
from corollary.workbench.table_files import (
    ReadingOptions,
    TableFile,
    format_of,
    readable,
    table_files,
)

__all__ = ["Cells", "chunked", "decimal_sign", "read_cells"]

GROWTH = {"text": 4.0, "json": 8.0, "arrow": 2.0, "stream": 2.0}  # memory by file size
PACKED = 10.0  # guess of what a packed file grows by
EVIDENCE = 200  # cells of a column that may prove a decimal comma


@dataclass(frozen=True)
class Cells:
    """Columns of plain types before their kinds are known."""

    names: tuple[str, ...]  # as they are written
    columns: tuple[Any, ...]
    notes: tuple[str, ...] = ()
    delimiter: str = ""
    rows: int = 0
    files: tuple[str, ...] = ()

    @cached_property
    def clean(self) -> list[str]:
        """The clean names."""
        return clean_names(self.names)

    @cached_property
    def places(self) -> dict[str, int]:
        """The places of columns by their names, clean or as written."""
        written = {name: j for j, name in reversed(list(enumerate(self.names)))}
        return written | {name: j for j, name in enumerate(self.clean)}


def read_cells(
    paths: Any, options: ReadingOptions, sample: RowSample, limit: float
) -> Cells:
    """Read all rows, or a sample of them where one is asked for or needed.

    Files that do not fit in the limit are read in chunks, the others at once.
    """
    if is_table(paths) or hasattr(paths, "collect_schema"):
        cells = frame_cells(paths, options)
    else:
        files = table_files(checked_paths(paths, options.who), options)
        formats = [format_of(file, options) for file in files]
        whole = whole_files(files, formats, options, limit)
        if whole is None:
            if options.strict:
                must = f"the rows must fit in {limit / 1e9:.3g} GB"
                remedy = "Give fewer rows at a time, or a higher memory_limit."
                raise MemoryLimitError(sentence(options.who, must, "more", remedy))
            chunks = all_chunks(files, formats, options)
            names = tuple(file.name for file in files)
            return replace(sampled(chunks, options, sample), files=names)
        cells = whole
    if sample.most is None or cells.rows <= sample.most:
        return cells
    some = sampled(iter([("", cells)]), options, sample)
    return replace(some, files=cells.files)


def frame_cells(data: Any, options: ReadingOptions) -> Cells:
    """Take the columns of a table in memory."""
    names, table = frame_table(data, options.who)
    cells = plain_cells(names, table, "")
    if not table.num_rows or not cells.columns:
        must = "the table must have rows and columns of plain values"
        came = f"{table.num_rows:,} rows and {len(cells.columns):,} such columns"
        raise DataError(sentence(options.who, must, came))
    return replace(cells, rows=table.num_rows)


def whole_files(
    files: list[TableFile], formats: list[str], options: ReadingOptions, limit: float
) -> Cells | None:
    """Return all rows of all files, or None where they need more than the limit."""
    sizes = map(needed_bytes, files, formats, [options] * len(files))
    if sum(sizes) > limit:
        return None
    parts = []
    for file, form in zip(files, formats, strict=True):
        with readable(file, options):
            part = whole_cells(file, form, options)
        if part is None:
            return None
        parts.append(part)
    return joined(parts, tuple(file.name for file in files), options.who)


def all_chunks(
    files: list[TableFile], formats: list[str], options: ReadingOptions
) -> Iterator[tuple[str, Cells]]:
    """Return the rows of all files in chunks, with the names of the files."""
    for file, form in zip(files, formats, strict=True):
        with readable(file, options):
            for part in chunked_cells(file, form, options):
                yield file.name, part


def checked_paths(paths: Any, who: str) -> Any:
    """Refuse what is neither a path nor a table."""
    several = paths if isinstance(paths, list | tuple) else [paths]
    for path in several:
        if not isinstance(path, str | os.PathLike):
            must = "paths must be names of files, or a table"
            raise ParameterError(sentence(who, must, f"a {type(path).__name__}"))
    return paths


def needed_bytes(file: TableFile, form: str, options: ReadingOptions) -> float:
    """Estimate the memory that reading a file takes."""
    if form == "parquet":
        return parquet_bytes(file, options)
    return GROWTH[form] * file.size * (PACKED if file.packing else 1.0)


def plain_cells(
    names: Sequence[str], table: Any, delimiter: str, notes: tuple[str, ...] = ()
) -> Cells:
    """Return a table as columns of plain types."""
    kept, columns, lost = plain_columns(list(names), table)
    return Cells(tuple(kept), tuple(columns), (*notes, *lost), delimiter)


def whole_cells(file: TableFile, form: str, options: ReadingOptions) -> Cells | None:
    """Read one file, or return None where there is no room for it."""
    if form == "parquet":
        table = parquet_table(file, options)
    elif form in ("arrow", "stream"):
        table = arrow_table(file, form, options)
    else:
        data = file.read(options.room)
        if data is None:
            return None
        if form == "text":
            read = delimited_table(file, data, options)
            columns = tuple(read.table.columns)
            return Cells(read.names, columns, read.notes, read.delimiter)
        table, notes = json_table(file, data, options)
        return filled(file, plain_cells(table.schema.names, table, "", notes), options)
    return filled(file, plain_cells(table.schema.names, table, ""), options)


def filled(file: TableFile, cells: Cells, options: ReadingOptions) -> Cells:
    """Refuse a file without rows or columns."""
    if not cells.columns or not len(cells.columns[0]):
        must = f"{file.name} must hold rows and columns"
        rows = len(cells.columns[0]) if cells.columns else 0
        came = f"{rows:,} rows and {len(cells.columns):,} columns"
        raise DataError(sentence(options.who, must, came))
    return cells


def chunked_cells(
    file: TableFile, form: str, options: ReadingOptions
) -> Iterator[Cells]:
    """Read one file in chunks, of which a sample is kept."""
    if form == "text":
        for read in delimited_batches(file, options):
            columns = tuple(read.table.columns)
            yield Cells(read.names, columns, read.notes, read.delimiter)
    elif form != "json":
        tables = (
            parquet_batches(file, options)
            if form == "parquet"
            else arrow_batches(file, form, options)
        )
        for table in tables:
            yield plain_cells(table.schema.names, table, "")
    else:
        cells = whole_cells(file, form, options)
        if cells is None:
            must = f"{file.name} must fit in {options.room / 1e9:.3g} GB"
            remedy = "Save it as Parquet or CSV, of which a sample can be taken."
            came = f"{file.size / 1e9:.3g} GB"
            raise MemoryLimitError(sentence(options.who, must, came, remedy))
        yield cells


# -- several files -------------------------------------------------------------------
def aligned(first: Cells, other: Cells, file: str, who: str) -> tuple[Any, ...]:
    """Return the columns of another file in the order of the first."""
    clean, own = other.clean, first.clean
    if set(clean) != set(own):
        lacks = [name for name in own if name not in clean]
        more = [name for name in clean if name not in own]
        words = [f"without {listed(lacks)}"] if lacks else []
        words += [f"with {listed(more)} besides"] if more else []
        must = "all files must have the same columns"
        raise DataError(sentence(who, must, f"{file} {' and '.join(words)}"))
    place = {name: j for j, name in enumerate(clean)}
    return tuple(other.columns[place[name]] for name in own)


def joined(parts: list[Cells], files: tuple[str, ...], who: str) -> Cells:
    """Return the rows of all files, one after the other."""
    first = parts[0]
    pieces = [first.columns]
    for part, name in zip(parts[1:], files[1:], strict=True):
        pieces.append(aligned(first, part, name, who))
    columns = tuple(one_type(list(same)) for same in zip(*pieces, strict=True))
    notes = tuple(note for part in parts for note in part.notes)
    rows = len(columns[0])
    return Cells(first.names, columns, notes, first.delimiter, rows, files)


def one_type(arrays: list[Any]) -> Any:
    """Return arrays as one chunked array; of several types as numbers or texts."""
    import pyarrow as pa
    import pyarrow.compute as pc

    types = {array.type for array in arrays if not pa.types.is_null(array.type)}
    chunks = [c for a in arrays for c in (a.chunks if hasattr(a, "chunks") else [a])]
    if len(types) <= 1:
        return pa.chunked_array(chunks, next(iter(types), pa.float64()))
    numeric = all(pa.types.is_floating(t) or pa.types.is_integer(t) for t in types)
    if numeric:
        cast = [pc.cast(array, pa.float64(), safe=False) for array in arrays]
    else:
        cast = [as_words(array) for array in arrays]
    chunks = [c for a in cast for c in (a.chunks if hasattr(a, "chunks") else [a])]
    return pa.chunked_array(chunks)


def sampled(
    chunks: Iterator[tuple[str, Cells]], options: ReadingOptions, sample: RowSample
) -> Cells:
    """Return a uniform sample of the rows of all chunks."""
    import pyarrow as pa

    first: Cells | None = None
    notes: list[str] = []
    for file, cells in chunks:
        first = first or cells
        columns = aligned(first, cells, file, options.who)
        sample.add(pa.table({str(j): column for j, column in enumerate(columns)}))
        notes += cells.notes
    if first is None or not sample.rows or not first.columns:
        must = "the files must hold rows and columns of plain values"
        raise DataError(sentence(options.who, must, "none"))
    tables = sample.tables()
    columns = tuple(
        one_type([table.column(j) for table in tables]) for j in range(len(first.names))
    )
    kept = len(columns[0])
    if kept < sample.rows:
        asked = "as asked" if sample.most else "as more would exceed the memory limit"
        notes.append(f"a sample of {kept:,} of {sample.rows:,} rows is used, {asked}.")
    return Cells(first.names, columns, tuple(notes), first.delimiter, sample.rows)


def chunked(array: Any) -> Any:
    """Return an Arrow array as a chunked one."""
    import pyarrow as pa

    return array if isinstance(array, pa.ChunkedArray) else pa.chunked_array([array])


def decimal_sign(cells: Cells) -> str:
    """Return the decimal sign that the cells prove, or that the delimiter suggests."""
    import pyarrow as pa

    suggested = False
    for column in cells.columns:
        if column.type == pa.string():
            some = column.slice(0, 4 * EVIDENCE).drop_null().slice(0, EVIDENCE)
            texts = some.to_pylist()
            if comma_is_decimal(texts):
                return ","
            suggested = suggested or any("," in text for text in texts)
    return "," if cells.delimiter == ";" and suggested else "."
