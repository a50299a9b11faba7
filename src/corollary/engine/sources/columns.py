"""Columns: from Arrow record batches to chunks of rows.

Arrow holds a table column by column, a learner wants rows.  A batch is copied column
after column into the chunk's matrix, so a chunk costs its own size and one batch.
Where a learner takes columns, they stay as they are: a chunk is then a table of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from corollary import loops
from corollary.core.arrays import Floats, Vector
from corollary.core.arrow import arrow_column, arrow_kind, typed_nulls
from corollary.core.column import Column
from corollary.core.errors import DataError, sentence
from corollary.core.memory import check_memory
from corollary.core.table import Table
from corollary.engine.sources.source import Chunk, codes_of

__all__ = ["Columns", "chunks_of", "class_labels", "column_labels"]

TABLE_BYTES = 16 * 2**20  # of Arrow columns that make one table
WHOLE = 2.0**53  # up to which float64 knows every whole number
LABEL_BYTES = 100  # of a label in a set


@dataclass(frozen=True)
class Columns:
    """Which columns are features, target and weight, and what becomes of them."""

    who: str
    features: tuple[str, ...]
    target: str | tuple[str, ...] | None
    weight: str | None
    dtype: Any  # of X
    classes: Vector | None = None
    encode: bool = False  # y is codes into `classes`, else numbers
    kinds: tuple[str, ...] = ()  # of the features
    tabular: bool = False  # X is a table, else a matrix
    missing: bool = False  # a missing number is NaN, else refused
    whole: frozenset[str] = frozenset()  # read as floats, and whole where they can be

    @property
    def targets(self) -> tuple[str, ...]:
        """The columns of the target: none, one or several."""
        if self.target is None:
            return ()
        return (self.target,) if isinstance(self.target, str) else self.target

    @property
    def all(self) -> list[str]:
        """Every column to read, once."""
        weight = () if self.weight is None else (self.weight,)
        return list(dict.fromkeys((*self.features, *self.targets, *weight)))

    @property
    def texts(self) -> list[str]:
        """The features that are few texts again and again, as far as one can hope."""
        pairs = zip(self.features, self.kinds, strict=self.tabular)
        return [name for name, kind in pairs if kind == "text" and self.tabular]

    def only_labels(self) -> Columns:
        """Leave what is needed to find the classes."""
        return replace(self, features=(), kinds=())


def is_number(kind: Any) -> bool:
    """Tell whether an Arrow type is a float, an integer or a boolean."""
    from pyarrow import types

    return bool(
        types.is_floating(kind) or types.is_integer(kind) or types.is_boolean(kind)
    )


def chunks_of(
    batches: Iterable[Any],
    columns: Columns,
    rows: int,
    path: str,
    row: int = 0,
    before: int = 0,
) -> Iterator[Chunk]:
    """Copy record batches into chunks of at most `rows` rows.

    The batches begin at a `row` of the file, which has so many rows `before` it.
    Rows of weight 0 leave data that has a target, as they do in memory: they do not
    count, and a class that only they have does not exist.
    """
    filling = _Filling(columns, rows, row)
    for batch in batches:
        block = _Block(batch, columns, path, row)
        row += block.n
        a = 0
        while a < block.n:
            b = min(block.n, a + rows - filling.n)
            filling.take(block, a, b)
            a = b
            if filling.full(rows):
                yield from filling.chunk(before)
                filling = _Filling(columns, rows, filling.row + filling.n)
    if filling.n:
        yield from filling.chunk(before)


class _Block:
    """A record batch as NumPy columns: features, target and weight."""

    def __init__(self, batch: Any, columns: Columns, path: str, row: int) -> None:
        self.columns, self.path, self.row, self.n = columns, path, row, batch.num_rows
        at = {name: i for i, name in enumerate(batch.schema.names)}
        features = [batch.column(at[name]) for name in columns.features]
        self.held: list[Any] = features if columns.tabular else []
        self.features = [] if columns.tabular else self.matrix_columns(features)
        self.alike = all(
            v.dtype == columns.dtype and v.flags.c_contiguous for v in self.features
        )
        self.w = self.y = None
        if columns.weight is not None:
            w = self.numbers(batch.column(at[columns.weight]), columns.weight)
            self.w = w.astype(np.float64)
        if columns.encode:
            name = columns.targets[0]
            self.y = self.codes(batch.column(at[name]), name)
        elif columns.target is not None:
            ys = [
                self.numbers(batch.column(at[name]), name).astype(columns.dtype)
                for name in columns.targets
            ]
            one = isinstance(columns.target, str)
            self.y = ys[0] if one else np.stack(ys, axis=1)

    def matrix_columns(self, arrays: list[Any]) -> list[Vector]:
        """View features as NumPy numbers; a missing one is NaN, or refused."""
        from pyarrow import float64

        found = []
        for array, name in zip(arrays, self.columns.features, strict=True):
            absent = array.null_count > 0
            if not self.columns.missing or (is_number(array.type) and not absent):
                found.append(self.numbers(array, name))
            else:
                found.append(array.cast(float64()).to_numpy(zero_copy_only=False))
        return found

    def numbers(self, array: Any, name: str) -> Vector:
        """View a column as NumPy numbers; refuse missing values."""
        if array.null_count:
            missing(self.columns.who, array, name, self.path, self.row)
        if arrow_kind(array.type) not in ("number", "boolean"):
            must = f"column {name!r} of {self.path} must hold numbers"
            remedy = "Encode it as numbers, or use a classifier for labels."
            who = self.columns.who
            raise DataError(sentence(who, must, f"type {array.type}", remedy))
        if not is_number(array.type):  # a decimal
            from pyarrow import float64

            array = array.cast(float64())
        return np.asarray(array.to_numpy(zero_copy_only=False))

    def codes(self, array: Any, name: str) -> Vector:
        """Encode labels through the few distinct ones of the batch."""
        who, classes, w = self.columns.who, self.columns.classes, self.w
        assert classes is not None
        if array.null_count:
            missing(who, array, name, self.path, self.row)
        labels, positions = distinct(array)
        used = appearing(positions if w is None else positions[w != 0], len(labels))
        codes = np.zeros(len(labels), dtype=np.int32)
        where = f"column {name!r} of {self.path}"
        codes[used] = codes_of(labels[used], classes, who, where)
        return codes[positions]


class _Filling:
    """A chunk on its way: a matrix that blocks fill from the top, or a table."""

    def __init__(self, columns: Columns, rows: int, row: int) -> None:
        self.row = row  # the first one, in its file
        self.columns = columns
        width = 0 if columns.tabular else len(columns.features)
        self.X: Floats = np.empty((rows, width), columns.dtype)
        self.pieces: list[list[Any]] = []  # of a table, Arrow columns
        self.held = 0  # bytes of these
        self.y: list[Vector] = []
        self.w: list[Vector] = []
        self.n = 0

    def take(self, block: _Block, a: int, b: int) -> None:
        """Copy rows a to b of a block, for which there is room."""
        if self.columns.tabular:
            piece = [array.slice(a, b - a) for array in block.held]
            self.pieces.append(piece)
            self.held += sum(array.nbytes for array in piece)
        else:
            self.fill([column[a:b] for column in block.features], block.alike, b - a)
        if block.w is not None:
            self.w.append(block.w[a:b])
        if block.y is not None:
            self.y.append(block.y[a:b])
        self.n += b - a

    def fill(self, values: list[Vector], alike: bool, rows: int) -> None:
        """Copy columns into the matrix below the rows that are there."""
        into = self.X[self.n : self.n + rows]
        if alike:
            loops.interleave(values, into)
        else:
            for j, column in enumerate(values):
                into[:, j] = column

    def full(self, rows: int) -> bool:
        """Tell whether the chunk has its rows, or a table that is large enough."""
        return self.n == rows or self.held >= TABLE_BYTES

    def table(self) -> Table:
        """Return the pieces as one table."""
        names, kinds = self.columns.features, self.columns.kinds
        arrays = zip(*self.pieces, strict=True)
        made = [
            feature_column(pieces, kind, name in self.columns.whole)
            for pieces, kind, name in zip(arrays, kinds, names, strict=True)
        ]
        return Table(made, names, self.n)

    def chunk(self, before: int) -> Iterator[Chunk]:
        """Hand over the filled rows, or nothing where every row weighs 0."""
        X: Any = self.table() if self.columns.tabular else self.X[: self.n]
        y = np.concatenate(self.y) if self.y else None
        w = np.concatenate(self.w) if self.w else None
        if y is not None and w is not None and not w.all():
            keep = w != 0
            X, y, w = X[keep], y[keep], w[keep]
        if len(X):
            yield Chunk(X, y, w, first_row=before + self.row)


def feature_column(pieces: Iterable[Any], kind: str, whole: bool) -> Column:
    """Return Arrow arrays, one below the other, as a column of a kind."""
    import pyarrow as pa

    arrays = [typed_nulls(array, kind) for array in pieces]
    array = arrays[0] if len(arrays) == 1 else pa.chunked_array(arrays)
    column = arrow_column(array, kind=kind)
    values = column.values
    if whole and (np.abs(values) < WHOLE).all() and (values == np.floor(values)).all():
        return Column(values.astype(np.int64))
    return column


def distinct(array: Any) -> tuple[Vector, Vector]:
    """Return the distinct labels of a column and where each row's stands."""
    from pyarrow import types

    coded = array if types.is_dictionary(array.type) else array.dictionary_encode()
    labels = coded.dictionary.to_numpy(zero_copy_only=False)
    return labels, coded.indices.to_numpy(zero_copy_only=False)


def appearing(positions: Vector, count: int) -> Vector:
    """Tell which of `count` labels appear; a dictionary may hold more."""
    return np.bincount(positions, minlength=count) > 0


def missing(who: str, array: Any, name: str, path: str, row: int) -> None:
    """Raise for the first missing value of a column."""
    at = row + int(np.flatnonzero(array.is_null().to_numpy(zero_copy_only=False))[0])
    must = f"column {name!r} of {path} must have no missing values"
    remedy = "Impute or drop the missing values, or leave the column out."
    raise DataError(sentence(who, must, f"null in row {at}", remedy))


def column_labels(
    batches: Iterable[tuple[Any, str, int]], columns: Columns, learner: object
) -> Vector:
    """Find the sorted distinct labels of the rows that count.

    `batches` gives (record batch, path, row within the file).
    """
    found: set[Any] = set()
    kind: Any = None
    name = columns.targets[0]
    for batch, path, row in batches:
        array = batch.column(name)
        if columns.weight is not None:
            array = array.filter(_counting(batch.column(columns.weight)))
        if array.null_count:
            missing(columns.who, batch.column(name), name, path, row)
        labels, positions = distinct(array)
        kind = kind or labels.dtype
        labels = labels[appearing(positions, len(labels))]
        what = f"column {name!r}"
        check_classes(labels, what, learner)
        found.update(labels.tolist())
        remedy = "Use a regressor, or fewer classes."
        check_memory(learner, LABEL_BYTES * len(found), f"the labels of {what}", remedy)
    return _sorted(found, kind, f"column {name!r}", learner)


def _counting(weights: Any) -> Any:
    """Select the rows whose weight is not 0."""
    from pyarrow import compute

    return compute.fill_null(compute.not_equal(weights, 0), True)


def class_labels(values: list[Any], what: str, learner: object) -> Vector:
    """Sort distinct labels; refuse numbers that are no classes."""
    plain = all(isinstance(value, bool | int | float) for value in values)
    kind = None
    if plain:
        labels = np.array(values)
        check_classes(labels, what, learner)
        kind = labels.dtype
    return _sorted(set(values), kind, what, learner)


def check_classes(labels: Vector, what: str, learner: object) -> None:
    """Refuse numbers that are no classes."""
    if labels.dtype.kind != "f":
        return
    if not np.isfinite(labels).all():
        raise DataError(sentence(learner, f"{what} must be finite", "NaN or inf"))
    if (labels != np.floor(labels)).any():
        must = f"{what} must hold class labels"
        came = "Unknown label type: continuous numbers"
        raise DataError(sentence(learner, must, came, "Use a regressor for them."))


def _sorted(found: set[Any], kind: Any, what: str, learner: object) -> Vector:
    try:
        return np.array(sorted(found), dtype=kind)
    except TypeError:
        must = f"{what} must hold labels of one kind that can be ordered"
        raise DataError(sentence(learner, must, "mixed types")) from None
