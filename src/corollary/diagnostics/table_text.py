"""Names of columns and values of cells, as a reader meets them.

An array without names has the columns x0, x1, ...; a missing value is shown as
"missing", a moment without its empty hours, a number with six digits at most.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from corollary.core.column import Column
from corollary.core.distinct import missing_kind
from corollary.core.errors import DataError, sentence
from corollary.core.table import Table, table_of

__all__ = ["MISSING", "cell_text", "cell_texts", "column_names", "rows_table"]

MISSING = "missing"
LONG = 80  # letters of a cell


def rows_table(who: str, X: Any, n: int | None = None) -> Table:
    """Return rows as a table, of n of them where n is given."""
    table = table_of(who, X)
    if n is not None and table.n != n:
        must = f"X must have a row for each of the {n} answers"
        raise DataError(sentence(who, must, f"{table.n}"))
    if not table.n or not table.shape[1]:
        must = "X must have rows and columns"
        raise DataError(sentence(who, must, f"shape {table.shape}"))
    return table


def column_names(table: Table) -> tuple[str, ...]:
    """Return the names of the columns, or x0, x1, ..."""
    if table.names is not None:
        return table.names
    return tuple(f"x{j}" for j in range(table.shape[1]))


def cell_text(value: Any) -> str:
    """Return a value as a reader meets it.

    >>> cell_text(np.float32(0.1)), cell_text(None), cell_text(np.datetime64("2024-02"))
    ('0.1', 'missing', '2024-02')
    """
    if missing_kind(value) is not None:
        return MISSING
    if isinstance(value, np.datetime64):
        return str(value).removesuffix("T00:00:00.000000").removesuffix("T00:00:00")
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, float):
        return f"{value:.6g}"
    text = " ".join(str(value).split())
    return text if len(text) <= LONG else f"{text[: LONG - 3]}..."


def cell_texts(column: Column) -> list[str]:
    """Return the values of a column as texts."""
    values = column.array()
    if values.dtype.kind == "M":
        days = values.astype("datetime64[D]")
        values = days if bool(((values == days) | np.isnat(values)).all()) else values
    return [cell_text(value) for value in values]
