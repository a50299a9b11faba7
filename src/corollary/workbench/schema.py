"""Schemas: what the columns of a table hold, what they are for, how they were read.

A schema is kept in a model file, so that rows which come later are read as the training
rows were: the same columns in the same order, a decimal comma as a decimal comma,
3.4.2026 as the third of April.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from corollary.core.errors import DataError, ParameterError, sentence
from corollary.core.records import stored
from corollary.workbench.column_names import closest

__all__ = ["KINDS", "ROLES", "TASKS", "ColumnSchema", "Schema"]

KINDS = ("number", "category", "boolean", "date", "text")
ROLES = (
    "feature",
    "target",
    "identifier",
    "constant",
    "duplicate",
    "group",
    "time",
    "ignored",
)
TASKS = ("classification", "regression")


@stored
@dataclass(frozen=True)
class ColumnSchema:
    """One column: what it holds and what it is for.

    Attributes
    ----------
    name : str
        Its clean name, unique in the table.
    original : str
        Its name as the file writes it.
    kind : str
        "number", "category", "boolean", "date" or "text".
    role : str
        "feature", "target", "identifier", "constant", "duplicate", "group", "time" or
        "ignored"; models learn from features, and from the time that orders the rows.
    why : str
        The reason for kind and role, in a sentence.
    how : str
        How its cells are read, such as "decimal comma" or "day.month.year".
    """

    name: str
    original: str = ""
    kind: str = "number"
    role: str = "feature"
    why: str = ""
    how: str = "as written"

    def __post_init__(self) -> None:
        if self.kind not in KINDS:
            must = f"the kind of column {self.name!r} must be among {', '.join(KINDS)}"
            raise DataError(sentence(self, must, repr(self.kind)))
        if self.role not in ROLES:
            must = f"the role of column {self.name!r} must be among {', '.join(ROLES)}"
            raise DataError(sentence(self, must, repr(self.role)))

    @property
    def is_learned(self) -> bool:
        """Whether models learn from it."""
        return self.role in ("feature", "time")

    def __str__(self) -> str:
        how = "" if self.how == "as written" else f", {self.how}"
        why = f" ({self.why})" if self.why else ""
        return f"{self.name}: {self.kind}{how}, {self.role}{why}"


@stored
@dataclass(frozen=True)
class Schema:
    """The columns that a model was made for, and what it predicts.

    Attributes
    ----------
    columns : tuple of ColumnSchema
        All columns of the training table, in their order.
    target : str
        Name of the column that is predicted.
    task : str
        "classification" or "regression".
    classes : tuple
        Labels of a classification, in order; empty for a regression.

    Examples
    --------
    >>> from corollary.workbench import ColumnSchema, Schema
    >>> rooms = ColumnSchema("rooms", "Rooms ")
    >>> price = ColumnSchema("price", "Price", role="target")
    >>> print(Schema((rooms, price), "price", "regression"))
    Schema: regression of price from 1 column
      rooms: number, feature
      price: number, target
    """

    columns: tuple[ColumnSchema, ...]
    target: str
    task: str
    classes: tuple[Any, ...] = ()

    def __post_init__(self) -> None:
        if not all(isinstance(column, ColumnSchema) for column in self.columns):
            must = "columns must be a tuple of ColumnSchema"
            raise DataError(sentence(self, must, type(self.columns).__name__))
        if self.task not in TASKS:
            must = f"task must be {' or '.join(TASKS)}"
            raise DataError(sentence(self, must, repr(self.task)))

    @property
    def features(self) -> tuple[ColumnSchema, ...]:
        """The columns that a model learns from, in order."""
        return tuple(column for column in self.columns if column.is_learned)

    def column(self, name: str) -> ColumnSchema:
        """Return a column by its name.

        Parameters
        ----------
        name : str

        Returns
        -------
        ColumnSchema
        """
        return find_column(self, self.columns, name)

    def __str__(self) -> str:
        count = len(self.features)
        many = f"{count:,} column{'s' if count != 1 else ''}"
        head = f"Schema: {self.task} of {self.target} from {many}"
        return "\n".join([head, *(f"  {column}" for column in self.columns)])


def find_column(
    who: object, columns: tuple[ColumnSchema, ...], name: str
) -> ColumnSchema:
    """Return the column with a name, clean or original; or say which are close."""
    for column in columns:
        if column.name == name:
            return column
    for column in columns:
        if name in (column.original, column.original.strip()):
            return column
    must = f"column {name!r} must be in the table"
    remedy = closest(str(name), [column.name for column in columns])
    raise DataError(sentence(who, must, "no such column", remedy))


def with_roles(
    who: object, columns: tuple[ColumnSchema, ...], roles: Mapping[str, str], why: str
) -> tuple[ColumnSchema, ...]:
    """Return the columns with other roles for some of them."""
    changed = {}
    for name, role in roles.items():
        if role not in ROLES:
            must = f"roles must be among {', '.join(ROLES)}"
            raise ParameterError(sentence(who, must, f"{role!r} for {name!r}"))
        column = find_column(who, columns, name)
        changed[column.name] = replace(column, role=role, why=why)
    return tuple(changed.get(column.name, column) for column in columns)
