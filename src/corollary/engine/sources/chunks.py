"""Chunks that somebody hands over: an iterator, a list, a function that returns one.

Rows come as matrices, or as tables where the first chunk holds anything but numbers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from copy import copy
from dataclasses import replace
from itertools import chain
from typing import Any

import numpy as np
import scipy.sparse as sp

from corollary.core.arrays import Matrix, Vector
from corollary.core.errors import DataError, sentence
from corollary.core.frames import is_frame
from corollary.core.sparse import canonical
from corollary.core.table import Table, table_of
from corollary.engine.sources.source import Chunk, Loaded, Part, Source, codes_of
from corollary.engine.sources.views import check_numbers

__all__ = ["ChunkSource"]

WHO = "ChunkSource"


class ChunkSource(Source):
    """Chunks from an iterator, a list, or a function that returns an iterator.

    Parameters
    ----------
    chunks : callable, list or iterator
        Each item is X, (X, y) or (X, y, w): arrays, CSR matrices, data frames or tables
        of equal width.  A function is called anew for every pass; a plain iterator can
        be read once, which suits learners that need one pass.
    classes : array, optional
        The labels of a classifier, so that they need not be looked for.

    Examples
    --------
    >>> import pandas as pd
    >>> from corollary.engine import ChunkSource
    >>> first = pd.DataFrame({"town": ["Rome", "Oslo"], "age": [3, 4]})
    >>> source = ChunkSource([first, first])
    >>> source.names, source.kinds
    (['town', 'age'], ['text', 'number'])
    """

    def __init__(
        self,
        chunks: Callable[[], Iterable[Any]] | Iterable[Any],
        classes: Vector | None = None,
    ) -> None:
        if not callable(chunks) and not isinstance(chunks, Iterable):
            must = "chunks must be a function, a list or an iterator"
            raise DataError(sentence(WHO, must, repr(chunks)))
        self._chunks = chunks
        self._encode = False
        self.classes = None if classes is None else np.unique(classes)
        self.replayable = callable(chunks) or isinstance(chunks, list | tuple)
        self.described = "chunks" if self.replayable else "chunks that come once"
        self._pending: Iterator[Any] | None = None
        self._first: Chunk | None = None
        self._peek()

    def _open(self) -> Iterator[Any]:
        return iter(self._chunks() if callable(self._chunks) else self._chunks)

    def _peek(self) -> None:
        items = self._open()
        try:
            first = next(items)
        except StopIteration:
            must = "an iterator of chunks must give at least one chunk"
            raise DataError(sentence(WHO, must, "none")) from None
        X = first[0] if isinstance(first, tuple) and first else first
        self.tabular = holds_more_than_numbers(X)
        chunk = self._chunk(first, 0, 0)
        X, y = chunk.X, chunk.y
        self.n_features, self.sparse = X.shape[1], sp.issparse(X)
        self.dtype = X.float_type() if isinstance(X, Table) else X.dtype
        self.many_targets = y is not None and y.ndim == 2
        if isinstance(X, Table):
            self._kinds = X.kinds
        self.names = names_in(first)
        some = np.arange(min(1, chunk.n))
        y = None if y is None else y[:0].copy()
        self._first = Chunk(X[some], y)  # how every chunk must be made
        if not self.replayable:
            self._pending = chain([first], items)
            if self.tabular and not chunk.n:
                self._look_further()

    def _look_further(self) -> None:
        """Find a row to show in chunks that come once, and put them back."""
        looked, items = [], self._pending or iter(())
        for item in items:
            looked.append(item)
            chunk = self._chunk(item, len(looked) - 1, 0)
            if chunk.n and self._first is not None:
                self._first = replace(self._first, X=chunk.X[[0]])
                break
        self._pending = chain(looked, items)

    @property
    def has_target(self) -> bool:
        """Tell whether the first chunk came with a y."""
        return self._first is not None and self._first.y is not None

    def parts(self) -> Iterator[Part]:
        """Wrap the chunks as they come."""
        if self.replayable:
            items = self._open()
        else:
            items, self._pending = self._pending or iter(()), None
        row = 0
        for number, item in enumerate(items):
            chunk = self._chunk(item, number, row)
            row += chunk.n
            yield Loaded(chunk)

    def _chunk(self, item: Any, number: int, row: int) -> Chunk:
        items = item if isinstance(item, tuple) else (item,)
        if not 1 <= len(items) <= 3:
            must = f"chunk {number} must be X, (X, y) or (X, y, sample_weight)"
            raise DataError(sentence(WHO, must, f"{len(items)} things"))
        X = self._rows(items[0], number)
        y, w = (*items[1:], None, None)[:2]
        y = None if y is None else np.asarray(y)
        w = None if w is None else np.ascontiguousarray(w, dtype=np.float64)
        for name, values in (("y", y), ("sample_weight", w)):
            if values is not None and len(values) != X.shape[0]:
                must = (
                    f"{name} of chunk {number} must have {X.shape[0]} rows like its X"
                )
                raise DataError(sentence(WHO, must, f"{len(values)}"))
        if self._first is not None:
            like(self._first, X, y, number)
            check_names(self.names, names_in(item), number)
            X = X if self.tabular else X.astype(self.dtype, copy=False)
        if self._encode and y is not None and self.classes is not None:
            y = codes_of(y, self.classes, WHO, f"chunk {number}")
        return Chunk(X, y, w, first_row=row)

    def _rows(self, X: Any, number: int) -> Any:
        """Return the rows of a chunk as a table or as a matrix."""
        if not self.tabular:
            return matrix_of(X, number)
        table = table_of(WHO, X)
        if self.names is not None and table.names is None:
            return Table(table.held, tuple(self.names), table.n)
        return table

    def tables(self) -> ChunkSource:
        """Return the same rows as tables, whose columns keep their types."""
        return self._as(True)

    def matrices(self, who: object, missing: bool = False) -> ChunkSource:
        """Return the same rows as matrices; name a column of no numbers."""
        check_numbers(who, self)
        return self._as(False)

    def _as(self, tabular: bool) -> ChunkSource:
        if self.tabular == tabular:
            return self
        source = copy(self)
        source.tabular = tabular
        return source

    def sample(self, rows: int = 1) -> Any:
        """Return the first row of the first chunk, which was looked at."""
        first = self._first
        if not self.tabular or first is None or not first.n or rows > 1:
            return super().sample(rows)
        return first.X if isinstance(first.X, Table) else self._rows(first.X, 0)

    def labels(self, learner: object) -> Vector:
        """Return the given classes, or read the chunks once to find them."""
        if self.classes is not None:
            return self.classes
        if not self.replayable:
            must = "chunks that come once must say their classes beforehand"
            remedy = "Use ChunkSource(chunks, classes=[...])."
            raise DataError(sentence(learner, must, "none", remedy))
        found = [np.unique(c.y) for part in self.parts() for c in part.chunks()]
        return np.unique(np.concatenate(found))

    def encoded(self, classes: Vector) -> ChunkSource:
        """Encode labels as the chunks pass."""
        source = copy(self)
        source.classes, source._encode = classes, True
        return source


def matrix_of(X: Any, number: int) -> Matrix:
    """Return a chunk's rows as a C-ordered array or CSR matrix of floats."""
    must = f"chunk {number} must be a numeric matrix"
    if isinstance(X, Table) or is_frame(X):
        X = table_of(WHO, X).matrix(who=WHO)
    try:
        X = canonical(WHO, X) if sp.issparse(X) else np.ascontiguousarray(X)
    except DataError:
        raise
    except ValueError:
        came = "rows of different lengths"
        raise DataError(sentence(WHO, must, came)) from None
    if X.ndim != 2 or X.dtype.kind not in "fiub":
        raise DataError(sentence(WHO, must, f"shape {X.shape}, {X.dtype}"))
    return X if X.dtype in (np.float32, np.float64) else X.astype(np.float64)


def like(first: Chunk, X: Matrix, y: Vector | None, number: int) -> None:
    """Refuse a chunk that is not made like the first one."""
    kinds = {True: "sparse", False: "dense"}
    targets = columns_of(y)
    wanted = targets if first.y is None else columns_of(first.y)  # one too many is fine
    for has, want in (
        (f"{X.shape[1]} columns", f"{first.X.shape[1]} columns"),
        (f"{kinds[sp.issparse(X)]} rows", f"{kinds[sp.issparse(first.X)]} rows"),
        (targets, wanted),
    ):
        if has != want:
            must = f"chunk {number} must have {want} like the first chunk"
            raise DataError(sentence(WHO, must, has))


def columns_of(y: Vector | None) -> str:
    """Tell the shape of a target."""
    if y is None:
        return "no y"
    return "a vector y" if y.ndim == 1 else f"y of {y.shape[1]} columns"


def holds_more_than_numbers(X: Any) -> bool:
    """Tell whether a chunk has a column of texts, dates or the like."""
    if isinstance(X, Table) or is_frame(X):
        kinds = table_of(WHO, X[:1] if isinstance(X, Table) else X).kinds
        return not set(kinds) <= {"number", "boolean"}
    if sp.issparse(X):
        return False
    try:
        return np.asarray(X).dtype.kind in "OUSM" and np.ndim(X) == 2
    except ValueError:
        return False


def names_in(item: Any) -> list[str] | None:
    """Return the names of a chunk's columns, where it is a data frame or a table."""
    X = item[0] if isinstance(item, tuple) and item else item
    if isinstance(X, Table):
        return None if X.names is None else list(X.names)
    if not is_frame(X):
        return None
    names = list(getattr(X, "column_names", X.columns))
    return names if all(isinstance(name, str) for name in names) else None


def check_names(wanted: list[str] | None, names: list[str] | None, number: int) -> None:
    """Refuse a chunk whose columns have other names than the first one's."""
    if wanted is not None and names not in (None, wanted):
        must = f"chunk {number} must have the columns {wanted[:10]} of the first chunk"
        raise DataError(sentence(WHO, must, f"{list(names or ())[:10]}"))
