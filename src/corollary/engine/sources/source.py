"""Sources: where the rows come from, as parts that can be loaded one by one.

A source is a sequence of parts in a fixed order; a part is a small picklable reference
that `chunks` turns into chunks of rows (X, y, w).  Arrays are cut by row numbers here,
iterators hand over what they are given; files are in `parquet.py` and `csv.py`, Dask
collections in `dask.py`.  A learner never asks which it is.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator
from copy import copy
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

import numpy as np
import scipy.sparse as sp

from corollary.core.arrays import Matrix, Vector
from corollary.core.checks import coded
from corollary.core.configuration import get_config
from corollary.core.errors import DataError, sentence
from corollary.core.sparse import canonical

__all__ = ["ArraySource", "Chunk", "ChunkSource", "Part", "Source"]

CHUNK_BYTES = 4 * 2**20


def chunk_bytes(statistics: int) -> int:
    """Return the size of a chunk: about a cache, or some times its statistics."""
    return max(CHUNK_BYTES, 4 * statistics)


@dataclass(frozen=True)
class Chunk:
    """A block of rows on its way through a learner.

    `memory` belongs to the learner and may be found empty at any pass: it is only a
    cache, and dropping it changes nothing but time.
    """

    X: Matrix  # (n, d) C-ordered array or CSR
    y: Any = None  # (n,) class codes or numbers, (n, m) numbers
    w: Vector | None = None  # (n,) weights, None = all 1
    first_row: int = 0
    kept: Vector | None = None  # (N,) which of all rows these are, None = all
    objects: Vector | None = None  # (N,) texts and the like, that X (n, 1) numbers
    memory: dict[str, Any] = field(default_factory=dict, compare=False, repr=False)

    @property
    def n(self) -> int:
        """Number of rows."""
        return int(self.X.shape[0])

    def __reduce__(self) -> Any:  # the memory stays where it is
        return arrived, (self.X, self.y, self.w, self.first_row)


def arrived(X: Matrix, y: Vector | None, w: Vector | None, first_row: int) -> Chunk:
    """Rebuild a chunk that travelled; its arrays may have landed between two words.

    NumPy adds up such an array in another order than BLAS does, and slowly.
    """
    if sp.issparse(X):
        parts = (landed(X.data), landed(X.indices), landed(X.indptr))
        return Chunk(type(X)(parts, shape=X.shape), landed(y), landed(w), first_row)
    return Chunk(landed(X), landed(y), landed(w), first_row)


def landed(values: Vector | None) -> Vector | None:
    """Return an aligned, writable array, a copy only where it must be one."""
    return None if values is None else np.require(values, requirements=["A", "W"])


class Part(ABC):
    """A reference to some rows; small, picklable, and readable more than once.

    Most parts are one chunk.  A large row group or a CSV file is `several`: it is
    streamed, and each of its chunks has statistics of its own.
    """

    several: ClassVar[bool] = False

    @abstractmethod
    def chunks(self) -> Iterator[Chunk]:
        """Bring the rows into memory, chunk by chunk."""


class Source(ABC):
    """Rows in a fixed order, in parts.

    Attributes
    ----------
    n_features : int
    dtype : NumPy dtype of X, float32 or float64
    names : list of str or None, the columns' names
    n_rows : int or None where it is known only after a pass
    in_memory : bool, whether per-row results may be kept as one array
    replayable : bool, whether a second pass is possible
    sparse : bool, whether chunks are CSR
    many_targets : bool, whether y is a matrix
    keeps_names : bool, whether a learner remembers the names
    described : str, for the report
    """

    n_features: int
    dtype: np.dtype[Any]
    names: list[str] | None = None
    n_rows: int | None = None
    in_memory: bool = False
    replayable: bool = True
    sparse: bool = False
    many_targets: bool = False
    keeps_names: bool = True
    classes: Vector | None = None
    described: str = "source"
    chunk_bytes: int = CHUNK_BYTES  # of rows in memory

    @abstractmethod
    def parts(self) -> Iterable[Part]:
        """Return the parts in order; a list where their number is known."""

    @property
    @abstractmethod
    def has_target(self) -> bool:
        """Tell whether the chunks carry a target y."""

    @abstractmethod
    def labels(self, learner: object) -> Vector:
        """Find the sorted distinct values of the target; may read it once."""

    @abstractmethod
    def encoded(self, classes: Vector) -> Source:
        """Return this source with y replaced by codes into `classes`."""

    def without_target(self) -> Source:
        """Return all rows without target and weights, those of weight 0 too."""
        return self


def codes_of(y: Vector, classes: Vector, who: object, where: str) -> Vector:
    """Encode labels as positions in the sorted classes; refuse unknown ones."""
    if y.ndim != 1:
        came = f"shape {y.shape} in {where}"
        raise DataError(sentence(who, "y must be one column", came))
    codes = np.searchsorted(classes, y)
    known = codes < len(classes)
    known[known] = classes[codes[known]] == y[known]
    if not known.all():
        must = f"labels must be among the classes {classes[:10].tolist()}"
        raise DataError(sentence(who, must, f"{y[~known].tolist()[0]!r} in {where}"))
    return codes.astype(np.int32)


@dataclass(frozen=True)
class Slice(Part):
    """Rows a to b of arrays in memory; only these rows travel when it is pickled."""

    source: ArraySource
    a: int
    b: int

    def chunks(self) -> Iterator[Chunk]:
        """Cut the rows out, as a view."""
        s, rows = self.source, slice(self.a, self.b)
        yield Chunk(
            csr_rows(s.X, self.a, self.b) if s.sparse else s.X[rows],
            None if s.y is None else s.y[rows],
            None if s.w is None else s.w[rows],
            first_row=self.a,
        )

    def __reduce__(self) -> Any:
        return Loaded, tuple(self.chunks())


def csr_rows(X: Any, a: int, b: int) -> Any:
    """Return rows a to b of a canonical CSR matrix; their values are a view."""
    begin, end = X.indptr[a], X.indptr[b]
    rows = sp.csr_array((b - a, X.shape[1]), dtype=X.dtype)
    rows.indptr = X.indptr[a : b + 1] - begin
    rows.indices, rows.data = X.indices[begin:end], X.data[begin:end]
    rows.has_canonical_format = True
    return rows


@dataclass(frozen=True)
class Loaded(Part):
    """A chunk that is already in memory."""

    chunk: Chunk

    def chunks(self) -> Iterator[Chunk]:
        """Hand over the chunk, with a memory of its own for this pass."""
        yield replace(self.chunk, memory={})


class ArraySource(Source):
    """Arrays or a CSR matrix in memory; what `fit` makes of X, y and sample_weight."""

    in_memory = True
    kept: Vector | None = None  # (N,) which of the rows given have a weight, None = all
    objects: Vector | None = None  # (N,) of a learner that takes objects

    def __init__(
        self, X: Matrix, y: Vector | None = None, w: Vector | None = None
    ) -> None:
        self.X, self.y, self.w = X, y, w
        self.n_rows, self.n_features = X.shape
        self.dtype = X.dtype
        self.sparse = sp.issparse(X)
        self.many_targets = y is not None and y.ndim == 2
        kind = "CSR matrix" if sp.issparse(X) else "array"
        self.described = f"{kind} {X.shape[0]:,} x {X.shape[1]:,} {X.dtype}"

    @property
    def has_target(self) -> bool:
        """Tell whether y was given."""
        return self.y is not None

    def parts(self) -> list[Part]:
        """Cut the rows into chunks of about 4 MB or more, or of the configured rows."""
        n = self.X.shape[0]
        rows = get_config().chunk_rows or self._rows_in_cache()
        return [Slice(self, a, min(n, a + rows)) for a in range(0, max(n, 1), rows)]

    def _rows_in_cache(self) -> int:
        width: float = self.X.shape[1] * self.X.dtype.itemsize
        if sp.issparse(self.X):
            width = 12 * self.X.nnz / max(1, self.X.shape[0]) + 8
        return max(256, int(self.chunk_bytes / max(width, 1.0)))

    def labels(self, learner: object) -> Vector:
        """Find the classes of y."""
        assert self.y is not None
        return coded(learner, self.y)[0]

    def encoded(self, classes: Vector) -> ArraySource:
        """Replace y by its codes."""
        assert self.y is not None
        codes = codes_of(self.y, classes, "ArraySource", "y")
        source = ArraySource(self.X, codes, self.w)
        source.names, source.classes = self.names, classes
        return source


class ChunkSource(Source):
    """Chunks from an iterator, a list, or a function that returns an iterator.

    Parameters
    ----------
    chunks : callable, list or iterator
        Each item is X, (X, y) or (X, y, w): arrays or CSR matrices of equal width.
        A function is called anew for every pass; a plain iterator can be read once,
        which suits learners that need one pass.
    classes : array, optional
        The labels of a classifier, so that they need not be looked for.
    """

    def __init__(
        self,
        chunks: Callable[[], Iterable[Any]] | Iterable[Any],
        classes: Vector | None = None,
    ) -> None:
        if not callable(chunks) and not isinstance(chunks, Iterable):
            must = "chunks must be a function, a list or an iterator"
            raise DataError(sentence("ChunkSource", must, repr(chunks)))
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
            raise DataError(sentence("ChunkSource", must, "none")) from None
        chunk = self._chunk(first, 0, 0)
        self.n_features, self.dtype = chunk.X.shape[1], chunk.X.dtype
        self.sparse = sp.issparse(chunk.X)
        self.many_targets = chunk.y is not None and chunk.y.ndim == 2
        y = None if chunk.y is None else chunk.y[:0].copy()
        self._first = Chunk(chunk.X[:0].copy(), y)  # how every chunk must be made
        if not self.replayable:
            self._pending = _chain(first, items)

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
            raise DataError(sentence("ChunkSource", must, f"{len(items)} things"))
        X = matrix_of(items[0], number)
        y, w = (*items[1:], None, None)[:2]
        y = None if y is None else np.asarray(y)
        w = None if w is None else np.ascontiguousarray(w, dtype=np.float64)
        for name, values in (("y", y), ("sample_weight", w)):
            if values is not None and len(values) != X.shape[0]:
                must = (
                    f"{name} of chunk {number} must have {X.shape[0]} rows like its X"
                )
                raise DataError(sentence("ChunkSource", must, f"{len(values)}"))
        if self._first is not None:
            like(self._first, X, y, number)
            X = X.astype(self.dtype, copy=False)
        if self._encode and y is not None and self.classes is not None:
            y = codes_of(y, self.classes, "ChunkSource", f"chunk {number}")
        return Chunk(X, y, w, first_row=row)

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
    try:
        X = canonical("ChunkSource", X) if sp.issparse(X) else np.ascontiguousarray(X)
    except DataError:
        raise
    except ValueError:
        came = "rows of different lengths"
        raise DataError(sentence("ChunkSource", must, came)) from None
    if X.ndim != 2 or X.dtype.kind not in "fiub":
        raise DataError(sentence("ChunkSource", must, f"shape {X.shape}, {X.dtype}"))
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
            raise DataError(sentence("ChunkSource", must, has))


def columns_of(y: Vector | None) -> str:
    """Tell the shape of a target."""
    if y is None:
        return "no y"
    return "a vector y" if y.ndim == 1 else f"y of {y.shape[1]} columns"


def _chain(first: Any, rest: Iterator[Any]) -> Iterator[Any]:
    yield first
    yield from rest
