"""Sources: where the rows come from, as parts that can be loaded one by one.

A source is a sequence of parts in a fixed order; a part is a small picklable reference
that `chunks` turns into chunks of rows (X, y, w).  Arrays are cut by row numbers here,
iterators hand over what they are given (`chunks.py`); files are in `parquet.py` and
`csv.py`, Dask collections in `dask.py`.  A learner never asks which it is.

X is a matrix of floats, or a table of columns of any type.  Whoever reads says which:
`source.matrices(who)` for learners, `source.tables()` for those that take columns.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

import numpy as np
import scipy.sparse as sp

from corollary.core.arrays import Vector
from corollary.core.checks import coded
from corollary.core.configuration import get_config
from corollary.core.errors import DataError, sentence
from corollary.core.memory import block_bytes
from corollary.core.table import Table

__all__ = ["ArraySource", "Chunk", "Part", "Source"]

CHUNK_BYTES = 4 * 2**20


def chunk_bytes(statistics: int) -> int:
    """Return the size of a chunk: about a cache, or some times its statistics."""
    return max(block_bytes(CHUNK_BYTES, share=32), 4 * statistics)


@dataclass(frozen=True)
class Chunk:
    """A block of rows on its way through a learner.

    `memory` belongs to the learner and may be found empty at any pass: it is only a
    cache, and dropping it changes nothing but time.  `at` is the number of its part
    and its place there: chunks are in the order of the rows.
    """

    X: Any  # (n, d) C-ordered array or CSR, or Table
    y: Any = None  # (n,) class codes or numbers, (n, m) numbers
    w: Vector | None = None  # (n,) weights, None = all 1
    first_row: int = 0
    kept: Vector | None = None  # (N,) which of all rows these are, None = all
    objects: Vector | None = None  # (N,) texts and the like, that X (n, 1) numbers
    memory: dict[str, Any] = field(default_factory=dict, compare=False, repr=False)
    at: tuple[int, int] = (0, 0)

    @property
    def n(self) -> int:
        """Number of rows."""
        return int(self.X.shape[0])

    def __reduce__(self) -> Any:  # the memory stays where it is
        return arrived, (self.X, self.y, self.w, self.first_row)


def arrived(X: Any, y: Vector | None, w: Vector | None, first_row: int) -> Chunk:
    """Rebuild a chunk that travelled; its arrays may have landed between two words.

    NumPy adds up such an array in another order than BLAS does, and slowly.
    """
    if sp.issparse(X):
        parts = (landed(X.data), landed(X.indices), landed(X.indptr))
        return Chunk(type(X)(parts, shape=X.shape), landed(y), landed(w), first_row)
    if isinstance(X, Table):
        return Chunk(X, landed(y), landed(w), first_row)
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
    kinds : list of str, what each column holds: "number", "boolean", "category",
        "text", "date" or "object"
    tabular : bool, whether X of the chunks is a table of columns rather than a matrix
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
    tabular: bool = False
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

    def unlabelled(self) -> Source:
        """Return rows and weights for a learner that does not look at the target."""
        return self

    # -- columns -------------------------------------------------------------------
    _kinds: list[str] | None = None  # None = numbers, all of them

    @property
    def kinds(self) -> list[str]:
        """What each column holds, one of `core.column.KINDS`."""
        return ["number"] * self.n_features if self._kinds is None else self._kinds

    def tables(self) -> Source:
        """Return the same rows as tables, whose columns keep their types."""
        from corollary.engine.sources.views import as_tables

        return as_tables(self)

    def matrices(self, who: object, missing: bool = False) -> Source:
        """Return the same rows as matrices of floats; name a column of no numbers.

        `missing` tells whether a missing number is NaN; else it may be refused.
        """
        from corollary.engine.sources.views import as_matrices

        return as_matrices(self, who)

    def select(self, columns: Any) -> Source:
        """Return the same rows with fewer columns, by names, positions or a mask."""
        from corollary.engine.sources.views import selected

        return selected(self, columns)

    def sample(self, rows: int = 1) -> Any:
        """Return one row as the chunks have them: made up, or the first of a table.

        A transformer shows by it what it makes of rows: ones, which have a logarithm,
        or sparse zeros; made-up texts would be unknown to it.
        """
        if not self.tabular:
            shape = (1, self.n_features)
            return (
                sp.csr_array(shape, dtype=self.dtype)
                if self.sparse
                else np.ones(shape, self.dtype)
            )
        parts = self.without_target().parts()
        for chunk in (chunk for part in parts for chunk in part.chunks()):
            if chunk.n:
                return chunk.X[np.arange(min(rows, chunk.n))]
        must = "a source must give at least one row"
        raise DataError(sentence(type(self).__name__, must, "none"))


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
            csr_rows(s.X, self.a, self.b) if sp.issparse(s.X) else s.X[rows],
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
    """Arrays, a CSR matrix or a table in memory: what `fit` makes of X, y and weights.

    Parameters
    ----------
    X : array, CSR matrix or Table
    y : array, optional
    w : array, optional
        Sample weights.
    """

    in_memory = True
    kept: Vector | None = None  # (N,) which of the rows given have a weight, None = all
    objects: Vector | None = None  # (N,) of a learner that takes objects

    def __init__(
        self, X: Any, y: Vector | None = None, w: Vector | None = None
    ) -> None:
        self.X, self.y, self.w = X, y, w
        self.n_rows, self.n_features = X.shape
        self.tabular = isinstance(X, Table)
        self.dtype = X.float_type() if self.tabular else X.dtype
        self.sparse = sp.issparse(X) or (self.tabular and X.sparse)
        self.many_targets = y is not None and y.ndim == 2
        kind = "CSR matrix" if self.sparse else "table" if self.tabular else "array"
        number = self.dtype.type.__name__  # `str` of a dtype takes longer
        self.described = f"{kind} {X.shape[0]:,} x {X.shape[1]:,} {number}"
        if self.tabular:
            self.names = None if X.names is None else list(X.names)

    @property
    def kinds(self) -> list[str]:
        """What each column holds; objects are looked at when somebody asks."""
        return self.X.kinds if self.tabular else super().kinds

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
        width: float = self.X.shape[1] * self.dtype.itemsize
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
        source = self._with(self.X, codes)
        source.classes = classes
        return source

    def tables(self) -> ArraySource:
        """Return the same rows as a table."""
        names = None if self.names is None else tuple(self.names)
        return self if self.tabular else self._with(Table(self.X, names), self.y)

    def matrices(self, who: object, missing: bool = False) -> ArraySource:
        """Return the same rows as a matrix; name a column of no numbers."""
        return self._with(self.X.matrix(who=who), self.y) if self.tabular else self

    def _with(self, X: Any, y: Vector | None) -> ArraySource:
        source = ArraySource(X, y, self.w)
        source.names = self.names
        return source
