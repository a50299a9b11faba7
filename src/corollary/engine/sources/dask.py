"""Dask collections as sources: one part for each partition.

A part holds the piece of the task graph that makes its partition, so that a worker
computes the partition where it is needed; without a cluster one of our own threads
does.  The number of rows may be unknown until a pass has been made.  Columns of a data
frame may be of any type that pandas knows.
"""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from copy import copy
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from corollary.core.arrays import Vector
from corollary.core.errors import DataError, sentence
from corollary.core.frames import frame_to_array, pandas_column
from corollary.core.sparse import canonical
from corollary.core.table import Column, Table, column_positions, table_of
from corollary.engine.sources.source import Chunk, Part, Source, codes_of
from corollary.engine.sources.views import check_numbers

__all__ = ["Computed", "DaskSource", "Partition", "PartitionRows"]

WHO = "DaskSource"


class DaskSource(Source):
    """Rows of a Dask array or data frame, of any size.

    Parameters
    ----------
    collection : dask.array.Array of shape (n, d) or dask.dataframe.DataFrame
        The features; columns of an array may be in several blocks.
    y, w : Dask or NumPy array or series of length n, optional
        Target and weights, cut into rows like the collection.
    target, weight : str, optional
        Columns of a data frame that hold them instead.
    classes : array, optional
        The labels of a classifier, so that they need not be looked for.
    """

    def __init__(
        self,
        collection: Any,
        y: Any = None,
        w: Any = None,
        *,
        target: str | None = None,
        weight: str | None = None,
        classes: Any = None,
    ) -> None:
        self.classes = None if classes is None else np.unique(np.asarray(classes))
        frame = hasattr(collection, "columns")
        if not frame:
            collection = _matrix(collection)
        elif target is not None or weight is not None:
            y = y if target is None else _column(collection, target)
            w = w if weight is None else _column(collection, weight)
            others = [name for name in (target, weight) if name is not None]
            collection = collection.drop(columns=others)
        self._take(collection)
        self.y, self.w = (
            _like(v, self, n) for v, n in ((y, "y"), (w, "sample_weight"))
        )
        self.many_targets = self.y is not None and self.y.ndim == 2
        self._encode = False

    def _take(self, collection: Any) -> None:
        """Look at the columns of a collection."""
        frame = hasattr(collection, "columns")
        self.X = collection
        self._parts: list[Part] | None = None
        self.names = [str(name) for name in collection.columns] if frame else None
        self.n_features = len(collection.columns) if frame else collection.shape[1]
        types = list(collection.dtypes) if frame else [collection.dtype]
        small = all(str(each) in ("float16", "float32") for each in types)
        self.dtype = np.dtype(np.float32 if small else np.float64)
        kinds = [_kind(each) for each in types]
        self._kinds = kinds if frame else kinds * self.n_features
        self.tabular = not set(kinds) <= {"number", "boolean"}
        self.sizes = _sizes(collection)
        self.n_rows = None if self.sizes is None else sum(self.sizes)
        rows = "?" if self.n_rows is None else f"{self.n_rows:,}"
        what = "data frame" if frame else "array"
        self.described = f"Dask {what} {rows} x {self.n_features:,} {self.dtype}"

    @property
    def has_target(self) -> bool:
        """Tell whether y was given."""
        return self.y is not None

    def parts(self) -> list[Part]:
        """Take each partition as a part."""
        if self._parts is None:
            self._parts = list(self._partitions())
        return self._parts

    def _partitions(self) -> Iterator[Part]:
        Xs = pieces(self.X)
        none = [None] * len(Xs)
        ys = none if self.y is None else pieces(self.y)
        ws = none if self.w is None else pieces(self.w)
        row = 0
        for number, blocks in enumerate(zip(Xs, ys, ws, strict=True)):
            yield Partition(self.rows_of(number, row), blocks)
            row += 0 if self.sizes is None else self.sizes[number]

    def rows_of(self, number: int = 0, first_row: int = 0) -> PartitionRows:
        """Say how the blocks of a partition become a chunk."""
        return PartitionRows(
            number,
            first_row,
            self.n_features,
            self.dtype,
            self.classes if self._encode else None,
            self.tabular,
            None if self.names is None else tuple(self.names),
        )

    def sample(self, rows: int = 1) -> Any:
        """Return the first rows there are, computed where the collection is."""
        import dask

        if not self.tabular:
            return super().sample(rows)
        first = dask.delayed(_first_rows, pure=False)
        for piece in pieces(self.X):
            some = dask.compute(first(piece, rows))[0]
            if len(some):
                return self.rows_of().block(some)
        raise DataError(sentence(WHO, "must give at least one row", "none"))

    def tables(self) -> DaskSource:
        """Return the same rows as tables, whose columns keep their types."""
        return self._as(True)

    def matrices(self, who: object, missing: bool = False) -> DaskSource:
        """Return the same rows as matrices; name a column of no numbers."""
        check_numbers(who, self)
        return self._as(False)

    def _as(self, tabular: bool) -> DaskSource:
        if self.tabular == tabular:
            return self
        source = copy(self)
        source.tabular, source._parts = tabular, None
        return source

    def select(self, columns: Any) -> DaskSource:
        """Return the same rows with fewer columns."""
        at = column_positions(WHO, columns, self.names, self.n_features)
        source = copy(self)
        frame = self.names is not None
        source._take(self.X[list(self.X.columns[at])] if frame else self.X[:, at])
        return source

    def labels(self, learner: object) -> Vector:
        """Return the given classes, or compute y once to find them."""
        import dask

        if self.classes is not None:
            return self.classes
        ys = pieces(self.y)
        ws = [None] * len(ys) if self.w is None else pieces(self.w)
        found = dask.delayed(_labels, pure=False)
        each = dask.compute(*(found(y, w) for y, w in zip(ys, ws, strict=True)))
        labels = np.unique(np.concatenate(each))
        if labels.dtype.kind == "f" and (labels != np.floor(labels)).any():
            must = "y must hold class labels"
            came = "Unknown label type: continuous numbers"
            raise DataError(sentence(learner, must, came, "Use a regressor for them."))
        return labels

    def without_target(self) -> DaskSource:
        """Return all rows without target and weights, those of weight 0 too."""
        source = copy(self)
        source.y = source.w = source._parts = None
        source.many_targets = False
        return source

    def unlabelled(self) -> DaskSource:
        """Return rows and weights; the target is not computed."""
        source = copy(self)
        source.y = source._parts = None
        return source

    def encoded(self, classes: Vector) -> DaskSource:
        """Return the same collection with y as codes into `classes`."""
        source = copy(self)
        source.classes, source._encode, source._parts = classes, True, None
        return source


@dataclass(frozen=True)
class PartitionRows:
    """How the blocks of one partition become a chunk."""

    number: int
    first_row: int
    width: int
    dtype: Any
    classes: Vector | None  # y is codes into these, else numbers
    tabular: bool = False
    names: tuple[str, ...] | None = None

    def chunks(self, X: Any, y: Any = None, w: Any = None) -> Iterator[Chunk]:
        """Check the computed blocks; an empty partition gives no chunk."""
        X = self.block(X)
        y = None if y is None else np.require(y, requirements="A")
        w = None if w is None else np.require(w, np.float64, "A")
        for name, values in (("y", y), ("sample_weight", w)):
            if values is not None and len(values) != X.shape[0]:
                must = f"{name} must have {X.shape[0]} rows in partition {self.number}"
                raise DataError(sentence(WHO, must, f"{len(values)}"))
        if y is not None and w is not None and not w.all():
            keep = w != 0
            X, y, w = X[keep], y[keep], w[keep]
        y = None if y is None else self.target(y)
        if X.shape[0]:
            yield Chunk(X, y, w, first_row=self.first_row)

    def block(self, X: Any) -> Any:
        """Return rows as a table, or as a C-ordered matrix or CSR of floats."""
        if self.tabular:
            X = table_of(WHO, X)
            X = Table(X.held, self.names, X.n)
        elif sp.issparse(X):
            X = canonical(WHO, X).astype(self.dtype, copy=False)
        else:
            X = frame_to_array(WHO, X) if extended(X) else X
            X = np.require(X, self.dtype, ["C", "A"])  # it may have travelled
        if X.ndim != 2 or X.shape[1] != self.width:
            must = f"partition {self.number} must have {self.width} columns"
            raise DataError(sentence(WHO, must, f"shape {X.shape}"))
        return X

    def target(self, y: Vector) -> Vector:
        """Return codes of labels, or numbers."""
        if self.classes is not None:
            return codes_of(y, self.classes, WHO, f"partition {self.number}")
        if y.dtype.kind not in "fiub":
            remedy = "Encode it as numbers, or use a classifier for labels."
            raise DataError(sentence(WHO, "y must hold numbers", f"{y.dtype}", remedy))
        return y.astype(self.dtype, copy=False)


@dataclass(frozen=True)
class Partition(Part):
    """One partition: what to compute, and what to make of it."""

    rows: PartitionRows
    blocks: tuple[Any, Any, Any]  # Delayed X, y or None, w or None

    def chunks(self) -> Iterator[Chunk]:
        """Compute the partition in this thread."""
        import dask

        yield from self.rows.chunks(*dask.compute(*self.blocks, scheduler="sync"))

    def lazily(self, function: Any, *arguments: Any, key: str) -> Any:
        """Return a Delayed of ``function(*arguments, rows, X, y, w)``."""
        from dask import delayed

        lazy = delayed(function, pure=False, traverse=False)
        return lazy(*arguments, self.rows, *self.blocks, dask_key_name=key)


@dataclass(frozen=True)
class Computed(Part):
    """A partition whose blocks a worker has computed."""

    rows: PartitionRows
    blocks: tuple[Any, ...]

    def chunks(self) -> Iterator[Chunk]:
        """Make a chunk of the blocks."""
        return self.rows.chunks(*self.blocks)


def pieces(collection: Any) -> list[Any]:
    """Cut a collection into Delayed partitions, each with its own graph only."""
    from dask.delayed import Delayed
    from dask.highlevelgraph import HighLevelGraph
    from dask.optimization import cull

    parts = np.ravel(np.asarray(collection.to_delayed(), dtype=object))
    graph = dict(parts[0].dask) if len(parts) else {}
    own = []
    for part in parts:
        name = f"corollary-{uuid.uuid4().hex}"
        layer = HighLevelGraph.from_collections(name, cull(graph, [part.key])[0])
        own.append(Delayed(part.key, layer, layer=name))
    return own


def _matrix(array: Any) -> Any:
    """Check a Dask array; bring the columns of a row into one block."""
    if getattr(array, "ndim", None) != 2:
        must = "a Dask array must have two dimensions"
        came = f"{getattr(array, 'ndim', 'none')}"
        raise DataError(sentence(WHO, must, came, "Use X.reshape(-1, 1) or X[None]."))
    return array if array.numblocks[1] == 1 else array.rechunk({1: -1})


def _kind(dtype: Any) -> str:
    """Return the kind of a column of a type of NumPy or pandas."""
    if isinstance(dtype, np.dtype):
        return Column(np.empty(0, dtype)).kind
    import pandas as pd

    return pandas_column(pd.Series([], dtype=dtype)).kind


def _first_rows(block: Any, rows: int) -> Any:
    """Return the first rows of a partition, or none."""
    return block[:rows]


def extended(X: Any) -> bool:
    """Tell whether a frame has columns of types that only pandas knows."""
    types = getattr(X, "dtypes", ())
    return not all(isinstance(each, np.dtype) for each in types)


def _column(frame: Any, name: str) -> Any:
    if name not in frame.columns:
        must = f"the data frame must have a column {name!r}"
        raise DataError(sentence(WHO, must, f"columns {list(frame.columns)[:10]}"))
    return frame[name]


def _sizes(collection: Any) -> tuple[int, ...] | None:
    """Return the rows of each partition where Dask knows them."""
    chunks = getattr(collection, "chunks", None)
    if chunks is None or np.isnan(chunks[0]).any():
        return None
    return tuple(int(n) for n in chunks[0])


def _like(values: Any, source: DaskSource, name: str) -> Any:
    """Return y or weights in partitions that match those of X."""
    if values is None:
        return None
    if not hasattr(values, "__dask_graph__"):
        if source.sizes is None:
            must = f"{name} must be a Dask collection where the rows of X are unknown"
            raise DataError(sentence(WHO, must, type(values).__name__))
        import dask.array as da

        values = da.from_array(np.asarray(values), chunks=-1)
    sizes = _sizes(values)
    if source.sizes is not None and sizes is not None:
        if sum(sizes) != source.n_rows:
            must = f"{name} must have as many rows as X = {source.n_rows}"
            raise DataError(sentence(WHO, must, f"{sum(sizes)}"))
        return values if sizes == source.sizes else values.rechunk({0: source.sizes})
    parts, wanted = _count(values), _count(source.X)
    if parts != wanted:
        must = f"{name} must have {wanted} partitions like X"
        remedy = "Repartition it, or give target= and weight= columns of one frame."
        raise DataError(sentence(WHO, must, f"{parts}", remedy))
    return values


def _count(collection: Any) -> int:
    return int(collection.npartitions)


def _labels(y: Any, w: Any) -> Vector:
    """Find the labels of one partition, of the rows that count."""
    y = np.asarray(y)
    return np.unique(y if w is None else y[np.asarray(w) != 0])
