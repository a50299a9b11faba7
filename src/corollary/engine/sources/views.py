"""Views: the rows of a source as tables, as matrices, or with fewer of their columns.

These go through `MappedSource` chunk by chunk; sources that can read their rows in
another form at once do so themselves.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from corollary.core.errors import DataError, sentence
from corollary.core.table import Table, column_positions
from corollary.engine.sources.source import Chunk, Source

__all__ = ["as_matrices", "as_tables", "check_numbers", "selected"]

NUMBERS = ("number", "boolean")


def check_numbers(who: object, source: Source) -> None:
    """Name the first column that holds no numbers."""
    for j, kind in enumerate(source.kinds):
        if kind not in NUMBERS:
            name = f"{j}" if source.names is None else f"{source.names[j]!r}"
            must = f"column {name} of X must hold numbers"
            remedy = "Encode it as numbers, or leave it out."
            raise DataError(sentence(who, must, f"a {kind}", remedy))


def as_tables(source: Source) -> Source:
    """Return a source whose chunks are tables."""
    if source.tabular:
        return source
    names = None if source.names is None else tuple(source.names)
    return view(source, AsTable(names), AsTable(names).of(source.sample()))


def as_matrices(source: Source, who: object) -> Source:
    """Return a source whose chunks are matrices; name a column of no numbers."""
    if not source.tabular:
        return source
    check_numbers(who, source)
    function = AsMatrix(who if isinstance(who, str) else type(who).__name__)
    return view(source, function, function.of(source.sample()))


def selected(source: Source, columns: Any) -> Source:
    """Return a source of some columns of another."""
    at = column_positions(
        type(source).__name__, columns, source.names, source.n_features
    )
    names = None if source.names is None else [source.names[j] for j in at]
    function = Selected(tuple(at))
    mapped = view(source, function, function.of(source.sample()))
    mapped.names = names
    return mapped


def view(source: Source, function: Any, like: Any) -> Source:
    """Return a source seen through a function that leaves its names as they are."""
    from corollary.engine.sources.mapped import MappedSource

    mapped = MappedSource(source, function, like=like, names=source.names)
    mapped.keeps_names = source.keeps_names
    return mapped


@dataclass(frozen=True)
class AsTable:
    """A chunk as a table."""

    names: tuple[str, ...] | None

    def of(self, X: Any) -> Table:
        """Return rows as a table."""
        return Table(X, self.names)

    def __call__(self, chunk: Chunk) -> Chunk:
        return replace(chunk, X=self.of(chunk.X), memory={})


@dataclass(frozen=True)
class AsMatrix:
    """A chunk as a matrix."""

    who: str

    def of(self, X: Table) -> Any:
        """Return rows as a matrix."""
        return X.matrix(who=self.who)

    def __call__(self, chunk: Chunk) -> Chunk:
        return replace(chunk, X=self.of(chunk.X), memory={})


@dataclass(frozen=True)
class Selected:
    """A chunk with some of its columns."""

    columns: tuple[int, ...]

    def of(self, X: Any) -> Any:
        """Return some columns of rows."""
        return X.select(self.columns) if isinstance(X, Table) else X[:, self.columns]

    def __call__(self, chunk: Chunk) -> Chunk:
        return replace(chunk, X=self.of(chunk.X), memory={})
