"""Reading a table: from files as people have them to columns with types and roles.

Also known as: data loading, type inference, CSV sniffing.

Files are CSV, TSV, Parquet, Arrow, Feather or JSON, one or many, packed or not, or the
standard input; see `table_files`, `delimited_text`, `stored_tables`.  What a column
holds is told by all of its cells (`column_types`), what it is for by its values and its
name (`roles`).  Whatever was decided on the way stands in `notes`.

A table that would take more than the memory limit is replaced by a uniform sample of
its rows (`row_sample`), and a note says so.
"""

from __future__ import annotations

from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from corollary.core.arrays import Vector
from corollary.core.configuration import bytes_of, get_config
from corollary.core.errors import DataError, ParameterError, sentence
from corollary.core.memory import memory_limit as configured_limit
from corollary.core.parameters import one_of, whole
from corollary.core.randomness import entropy
from corollary.workbench.column_names import original_name
from corollary.workbench.column_types import TypedColumn, typed_column
from corollary.workbench.roles import assigned_roles
from corollary.workbench.row_sample import RowSample
from corollary.workbench.schema import (
    KINDS,
    ColumnSchema,
    Schema,
    find_column,
    with_roles,
)
from corollary.workbench.table_cells import Cells, chunked, decimal_sign, read_cells
from corollary.workbench.table_files import ReadingOptions, checked_encoding
from corollary.workbench.target import check_target, target_labels

__all__ = ["TableData", "read_table"]

WHO = "read_table"
ROOM = 0.25  # share of the limit for the cells of a sample
LONG = 10_000  # rows of a column that is worth a thread


@dataclass(frozen=True)
class TableData:
    """A table that has been read, and what its columns hold and are for.

    Attributes
    ----------
    table : pyarrow.Table
        Columns with clean names: numbers as floats, booleans, dates as timestamps,
        categories and texts as strings; missing values are nulls.
    columns : tuple of ColumnSchema
        What each column holds, is for, and how it was read.
    notes : tuple of str
        What was decided on the way, in sentences.
    rows, used_rows : int
        Rows of the files, and rows of the table.
    files : tuple of str
    target : str or None
        Name of the target column.
    task : str
        "classification" or "regression"; empty without a target.
    """

    table: Any
    columns: tuple[ColumnSchema, ...]
    notes: tuple[str, ...] = ()
    rows: int = 0
    used_rows: int = 0
    files: tuple[str, ...] = ()
    target: str | None = None
    task: str = ""

    @property
    def features(self) -> Any:
        """The columns that models learn from, as a pyarrow table."""
        names = [column.name for column in self.columns if column.is_learned]
        return self.table.select(names)

    @property
    def y(self) -> Vector:
        """The target: floats of a regression, labels of a classification."""
        return target_labels(self.table.column(self._target), self.task)

    @property
    def schema(self) -> Schema:
        """What a model needs to read later rows like these."""
        target, classes = self._target, ()
        if self.task == "classification":
            classes = tuple(np.unique(self.y).tolist())
        return Schema(self.columns, target, self.task, classes)

    @property
    def _target(self) -> str:
        if self.target is None:
            must = "a target must be given to read_table"
            raise ParameterError(sentence(self, must, "none"))
        return self.target

    def column(self, name: str) -> ColumnSchema:
        """Return what is known of a column.

        Parameters
        ----------
        name : str

        Returns
        -------
        ColumnSchema
        """
        return find_column(self, self.columns, name)

    def with_roles(self, roles: Mapping[str, str], why: str = "stated") -> TableData:
        """Return the same table with other roles for some columns.

        Parameters
        ----------
        roles : dict
            Roles by the names of columns, ``{"zip": "ignored"}``.
        why : str
            The reason.

        Returns
        -------
        TableData
        """
        return replace(self, columns=with_roles(self, self.columns, roles, why))

    def __str__(self) -> str:
        some = f" of {self.rows:,}" if self.used_rows != self.rows else ""
        head = f"{self.used_rows:,}{some} rows, {len(self.columns):,} columns"
        lines = [f"  {column}" for column in self.columns]
        return "\n".join([head, *lines, *self.notes])


def read_table(
    paths: Any,
    *,
    target: str | None = None,
    kinds: Mapping[str, str] | None = None,
    delimiter: str | None = None,
    encoding: str | None = None,
    decimal: str | None = None,
    memory_limit: int | str | None = None,
    sample_rows: int | None = None,
    random_state: Any = 0,
) -> TableData:
    r"""Read a table from files, or take one from memory, and tell what it holds.

    Parameters
    ----------
    paths : path, list of paths, or table
        CSV, TSV, Parquet, Arrow, Feather or JSON files, patterns such as
        ``"data/*.csv"``, folders, URLs, ``"-"`` for the standard input; or a pandas or
        polars frame, a pyarrow table, a dictionary of columns, a matrix.
    target : str, optional
        The column to predict; rows without it are left out.
    kinds : dict, optional
        What columns hold where that is not what their cells suggest: "number",
        "category", "boolean", "date" or "text", by name.
    delimiter, encoding, decimal : str, optional
        How the text is written; found out where not given.
    memory_limit : int or str, optional
        Bytes that may be taken, such as ``"2GB"``; by default what `set_config` says,
        or most of what is free.  A larger table is sampled.
    sample_rows : int, optional
        Take a uniform sample of so many rows.
    random_state : None, int or Generator
        Draws the sample.

    Returns
    -------
    TableData

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from corollary.workbench import read_table
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "flats.csv"
    >>> _ = path.write_text("area;rent\n45,5;810\n60,0;990\n38,2;720\n")
    >>> data = read_table(path, target="rent")
    >>> data.column("area").how, data.features.column("area").to_pylist()
    ('decimal comma', [45.5, 60.0, 38.2])
    """
    check_options(kinds, delimiter, decimal, sample_rows)
    encoding = checked_encoding(WHO, encoding)
    limit = float(bytes_of(memory_limit) or configured_limit())
    options = ReadingOptions(WHO, delimiter, encoding, room=limit * ROOM)
    sample = RowSample(entropy(random_state), sample_rows, limit * ROOM)
    raw = read_cells(paths, options, sample, limit)
    return typed_table(raw, target, kinds or {}, decimal)


def check_options(
    kinds: Any, delimiter: Any, decimal: Any, sample_rows: Any, who: str = WHO
) -> None:
    """Refuse options that make no sense."""
    if delimiter is not None and (
        not isinstance(delimiter, str) or len(delimiter) != 1 or delimiter in '"\r\n'
        or ord(delimiter) > 127
    ):  # fmt: skip
        must = "delimiter must be one sign, such as ';'"
        raise ParameterError(sentence(who, must, repr(delimiter)))
    if not one_of(".", ",", None).holds(decimal):
        must = "decimal must be '.' or ','"
        raise ParameterError(sentence(who, must, repr(decimal)))
    if sample_rows is not None and not whole(1).holds(sample_rows):
        must = "sample_rows must be a whole number >= 1"
        raise ParameterError(sentence(who, must, repr(sample_rows)))
    if kinds is not None and not isinstance(kinds, Mapping):
        must = "kinds must be a dictionary of columns and kinds"
        raise ParameterError(sentence(who, must, type(kinds).__name__))
    for name, kind in (kinds or {}).items():
        if kind not in KINDS:
            must = f"kinds must be among {', '.join(KINDS)}"
            raise ParameterError(sentence(who, must, f"{kind!r} for {name!r}"))


# -- types ---------------------------------------------------------------------------
def typed_table(
    cells: Cells, target: str | None, kinds: Mapping[str, str], decimal: str | None
) -> TableData:
    """Find out what the columns hold and are for."""
    import pyarrow as pa

    clean = cells.clean
    plain = tuple(
        ColumnSchema(name, original_name(original))
        for name, original in zip(clean, cells.names, strict=True)
    )
    goal = None if target is None else find_target(plain, target)
    stated = {find_column(WHO, plain, name).name: kind for name, kind in kinds.items()}
    sign = decimal or decimal_sign(cells)

    def typed(place: int) -> TypedColumn:
        name = clean[place]
        column = chunked(cells.columns[place])
        kind = stated.get(name, "")
        return typed_column(name, column, kind=kind, decimal=sign, label=name == goal)

    found = over_columns(typed, range(len(clean)), len(cells.columns[0]))
    columns = tuple(
        replace(schema, kind=one.kind, how=one.how, why=one.why)
        for schema, one in zip(plain, found, strict=True)
    )
    table = pa.Table.from_arrays([chunked(one.array) for one in found], clean)
    notes = [*cells.notes, *(note for one in found for note in one.notes)]
    task = ""
    if goal is not None:
        table, lost = with_target(table, goal)
        notes += lost
        kind = next(column.kind for column in columns if column.name == goal)
        task = check_target(WHO, goal, table.column(goal), kind)
    columns = assigned_roles(table, columns, goal)
    rows = cells.rows
    used = table.num_rows
    return TableData(table, columns, tuple(notes), rows, used, cells.files, goal, task)


def over_columns(function: Any, columns: Any, rows: int) -> list[Any]:
    """Return what a function says of each column; in threads where it pays."""
    if rows < LONG:
        return list(map(function, columns))
    with ThreadPoolExecutor(max(1, get_config().threads)) as pool:
        return list(pool.map(function, columns))


def find_target(columns: tuple[ColumnSchema, ...], target: str) -> str:
    """Return the clean name of the target, or say which names are close."""
    if not isinstance(target, str):
        must = "target must be the name of a column"
        raise ParameterError(sentence(WHO, must, f"a {type(target).__name__}"))
    return find_column(WHO, columns, target).name


def with_target(table: Any, target: str) -> tuple[Any, list[str]]:
    """Return the rows whose target is known, and a note on the others."""
    column = table.column(target)
    missing = column.null_count
    if missing == len(column):
        must = f"target {target!r} must hold at least two different values"
        raise DataError(sentence(WHO, must, "no value at all"))
    if not missing:
        return table, []
    rows = f"{missing:,} row{'s' if missing > 1 else ''}"
    left = f"{rows} without a value of the target {target!r} left out."
    return table.filter(column.is_valid()), [left]
