"""Tables: rows of columns of any type, as encoders and imputers learn from them.

A table is a tuple of columns, or a block: one array or CSR matrix of a single type,
whose columns are made when they are asked for.  Rows are selected by a slice, a mask
or positions, columns by names or positions; nothing is copied that need not be.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import scipy.sparse as sp

from corollary.core.arrays import Matrix
from corollary.core.column import KINDS, Column, joined_column
from corollary.core.distinct import objects_array
from corollary.core.errors import DataError, sentence
from corollary.core.frames import frame_columns, is_frame, stacked

__all__ = [
    "KINDS",
    "Column",
    "Table",
    "joined_columns",
    "joined_rows",
    "table_of",
]

SMALL_FLOATS = (np.dtype(np.float32), np.dtype(np.float16))


@dataclass(frozen=True, eq=False)
class Table:
    """Named columns of one length.

    Parameters
    ----------
    held : tuple of Column, or 2-D array or CSR matrix of one type
        The columns.
    names : tuple of str, optional
        Their names; two may be equal.
    n : int
        The number of rows; needed only where there is no column.

    Examples
    --------
    >>> from corollary.core.table import table_of
    >>> table = table_of("example", [["Rome", 3], ["Oslo", None], ["Rome", 5]])
    >>> table.shape, table.kinds
    ((3, 2), ['text', 'number'])
    >>> table[1:].column(0).array().tolist()
    ['Oslo', 'Rome']
    >>> table.select([1]).matrix().ravel().tolist()
    [3.0, nan, 5.0]
    """

    held: Any
    names: tuple[str, ...] | None = None
    n: int = 0

    def __post_init__(self) -> None:
        if self.is_block:
            rows = self.held.shape[0]
        else:
            object.__setattr__(self, "held", tuple(self.held))
            rows = len(self.held[0]) if self.held else self.n
        object.__setattr__(self, "n", int(rows))

    @property
    def is_block(self) -> bool:
        """Whether the table is one array or CSR matrix."""
        return isinstance(self.held, np.ndarray) or sp.issparse(self.held)

    @property
    def sparse(self) -> bool:
        """Whether the table is a CSR matrix."""
        return bool(sp.issparse(self.held))

    @property
    def shape(self) -> tuple[int, int]:
        """Number of rows and of columns."""
        d = self.held.shape[1] if self.is_block else len(self.held)
        return self.n, int(d)

    ndim = 2

    def __len__(self) -> int:
        return self.n

    @cached_property
    def columns(self) -> tuple[Column, ...]:
        """The columns, in order."""
        if not self.is_block:
            return tuple(self.held)
        return tuple(self.column(j) for j in range(self.shape[1]))

    def column(self, j: int) -> Column:
        """Return column j."""
        if not self.is_block:
            return self.held[j]
        if self.sparse:
            return Column(self.held[:, [j]].toarray()[:, 0])
        return Column(self.held[:, j])

    @property
    def kinds(self) -> list[str]:
        """What each column holds; see `Column.kind`."""
        if self.is_block:
            return [Column(np.empty(0, self.held.dtype)).kind] * self.shape[1]
        return [column.kind for column in self.held]

    @property
    def numeric(self) -> bool:
        """Whether every column is of a type of numbers or booleans, no objects."""
        if self.is_block:
            return self.held.dtype.kind in "fiub"
        plain = (c.codes is None and c.values.dtype.kind in "fiub" for c in self.held)
        return all(plain)

    @property
    def nbytes(self) -> int:
        """Bytes of the arrays; texts and objects count as pointers."""
        if self.sparse:
            X = self.held
            return int(X.data.nbytes + X.indices.nbytes + X.indptr.nbytes)
        if self.is_block:
            return int(self.held.nbytes)
        return sum(column.nbytes for column in self.held)

    def name(self, j: int) -> str:
        """Return the name of column j in quotes, or its number, for a message."""
        return f"{j}" if self.names is None else f"{self.names[j]!r}"

    def __getitem__(self, rows: Any) -> Table:
        """Select rows by a slice, a mask or positions."""
        if self.is_block:
            return Table(self.held[rows], self.names)
        n = len(np.empty(self.n, dtype=bool)[rows]) if not self.held else 0
        return Table(tuple(column[rows] for column in self.held), self.names, n)

    def select(self, columns: Any) -> Table:
        """Select columns by names, positions, a mask or a slice, in that order."""
        at = self.positions(columns)
        names = None if self.names is None else tuple(self.names[j] for j in at)
        if self.is_block:
            whole = at == list(range(self.shape[1]))
            return Table(self.held if whole else self.held[:, at], names)
        return Table(tuple(self.held[j] for j in at), names, self.n)

    def positions(self, columns: Any) -> list[int]:
        """Return the positions of columns that are given by names or positions."""
        return column_positions("Table", columns, self.names, self.shape[1])

    def matrix(self, dtype: Any = None, *, who: object = "Table") -> Matrix:
        """Return all columns as one C-ordered float matrix, or CSR of a sparse table.

        Missing values become NaN.  By default columns that are all float32 give
        float32, others float64.  A column that holds no numbers is named.
        """
        dtype = self.float_type() if dtype is None else dtype
        if self.is_block and self.held.dtype.kind in "fiub":
            if self.sparse:
                return self.held.astype(dtype, copy=False)
            return np.ascontiguousarray(self.held, dtype=dtype)
        values = [
            column.numbers(dtype, who=who, name=self.name(j))
            for j, column in enumerate(self.columns)
        ]
        if not values:
            return np.empty((self.n, 0), dtype=dtype)
        return stacked(values, dtype)

    def objects(self) -> Matrix:
        """Return all columns as one array, of objects unless they are of one type."""
        if self.is_block:
            return self.held
        arrays = [column.array() for column in self.columns]
        kinds = {array.dtype for array in arrays}
        dtype = kinds.pop() if len(kinds) == 1 else np.dtype(object)
        out = np.empty(self.shape, dtype=dtype)
        for j, array in enumerate(arrays):
            plain = dtype.kind != "O" or array.dtype.kind in "mMO"
            out[:, j] = array if plain else objects_array(array.tolist())
        return out

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        held = self.held.toarray() if self.sparse else self.objects()
        return np.array(held, dtype=dtype, copy=copy)

    def frame(self, names: Sequence[str] | None = None) -> Any:
        """Return the table as a pandas frame, for models of others."""
        import pandas as pd

        names = self.names if names is None else names
        columns = {j: column.series(pd) for j, column in enumerate(self.columns)}
        frame = pd.DataFrame(columns, index=range(self.n))
        frame.columns = list(columns) if names is None else list(names)
        return frame

    def held_like(self) -> Any:
        """Return something of this shape, for a look at the number of columns."""
        return self.held if self.is_block else np.broadcast_to(0.0, self.shape)

    def float_type(self) -> Any:
        """Return float32 where every column is of it or smaller, else float64."""
        held = (self.held,) if self.is_block else [c.values for c in self.held]
        small = bool(held) and all(each.dtype in SMALL_FLOATS for each in held)
        return np.dtype(np.float32 if small else np.float64)


def column_positions(
    who: object, columns: Any, names: Sequence[str] | None, width: int
) -> list[int]:
    """Return the positions of columns that are given by names, positions or a mask."""
    if isinstance(columns, str):
        columns = [columns]
    if isinstance(columns, slice):
        return list(range(width))[positions_slice(who, columns, names, width)]
    columns = list(columns)
    if columns and all(isinstance(c, bool | np.bool_) for c in columns):
        return [int(j) for j in np.flatnonzero(_mask(who, columns, width))]
    found = []
    at: dict[str, list[int]] = {}
    for j, name in enumerate(names or ()):
        at.setdefault(name, []).append(j)
    for c in columns:
        if isinstance(c, str):
            there = at.get(c, [])
            if len(there) != 1:
                must = f"the data must have one column {c!r}"
                some = list(names or ())[:10]
                came = f"{len(there)} of them" if there else f"columns {some}"
                raise DataError(sentence(who, must, came))
            found.append(there[0])
        elif -width <= int(c) < width:
            found.append(int(c) % width)
        else:
            must = f"a column must be one of {width}"
            raise DataError(sentence(who, must, f"position {c}"))
    return found


def positions_slice(
    who: object, columns: slice, names: Sequence[str] | None, width: int
) -> slice:
    """Return a slice of positions; one of names includes its end."""
    if not isinstance(columns.start, str) and not isinstance(columns.stop, str):
        return columns
    begin, end = columns.start, columns.stop
    if begin is not None:
        begin = column_positions(who, [begin], names, width)[0]
    if end is not None:
        end = column_positions(who, [end], names, width)[0] + 1
    return slice(begin, end, columns.step)


def _mask(who: object, columns: list[Any], width: int) -> list[Any]:
    """Refuse a mask of another length than the columns."""
    if len(columns) != width:
        must = f"a mask of columns must have {width} entries"
        raise DataError(sentence(who, must, f"{len(columns)}"))
    return columns


# -- making tables ---------------------------------------------------------------------
def table_of(who: object, X: Any) -> Table:
    """Return rows of any kind in memory as a table.

    Parameters
    ----------
    who : object
        In whose name to refuse what is no table.
    X : array of any type, list of lists, data frame, CSR matrix or Table
        Data frames of pandas, polars and pyarrow keep the types of their columns; a
        list of rows becomes objects where it holds texts.

    Returns
    -------
    Table
        Names are those of a data frame whose names are all strings, else None.

    Examples
    --------
    >>> import pandas as pd
    >>> from corollary.core.table import table_of
    >>> frame = pd.DataFrame({"town": ["Rome", None], "age": [3, 4]})
    >>> table = table_of("example", frame)
    >>> table.names, table.kinds, table.column(1).values.dtype.name
    (('town', 'age'), ['text', 'number'], 'int64')
    """
    if isinstance(X, Table):
        return X
    if is_frame(X):
        columns, names = frame_columns(who, X)
        return Table(columns, named(names), len(X))
    if sp.issparse(X):
        from corollary.core.sparse import canonical

        return Table(canonical(who, X))
    array = X if isinstance(X, np.ndarray) else _array(who, X)
    if array.ndim != 2:
        must = "X must be rows of columns, Expected 2D array"
        came = f"{array.ndim} dimensions"
        remedy = "Use X.reshape(-1, 1) for one column, X.reshape(1, -1) for one row."
        raise DataError(sentence(who, must, came, remedy))
    if array.dtype != object:
        return Table(array)
    return Table([Column(array[:, j]) for j in range(array.shape[1])], n=len(array))


def named(names: Sequence[Any]) -> tuple[str, ...] | None:
    """Return the names of columns, None unless they are strings, all of them."""
    if names and all(isinstance(name, str) for name in names):
        return tuple(map(str, names))
    return None


def _array(who: object, X: Any) -> Any:
    """Return a list of rows as an array; one that holds texts as objects."""
    try:
        array = np.asarray(X)
        if array.dtype.kind in "US" and not hasattr(X, "dtype"):
            array = np.asarray(X, dtype=object)
    except ValueError:
        must = "X must be rows of one length"
        raise DataError(sentence(who, must, "rows of different lengths")) from None
    return array


# -- joining ---------------------------------------------------------------------------
def joined_rows(tables: Sequence[Table]) -> Table:
    """Return tables with the same columns as one, one below the other."""
    first = tables[0]
    if len(tables) == 1:
        return first
    if all(table.is_block for table in tables):
        blocks = [table.held for table in tables]
        if all(map(sp.issparse, blocks)):
            return Table(sp.vstack(blocks, format="csr"), first.names)
        kinds = {block.dtype.kind for block in blocks}
        if kinds <= set("fiu") or len(kinds) == 1:
            return Table(np.concatenate(blocks), first.names)
    every = zip(*(table.columns for table in tables), strict=True)
    n = sum(table.n for table in tables)
    return Table(tuple(map(joined_column, every)), first.names, n)


def joined_columns(
    tables: Sequence[Table], names: Sequence[str] | None = None
) -> Table:
    """Return tables of the same rows as one, side by side, under new names."""
    columns = [column for table in tables for column in table.columns]
    rows = tables[0].n if tables else 0
    return Table(columns, None if names is None else tuple(names), rows)
