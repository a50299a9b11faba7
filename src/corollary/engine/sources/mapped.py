"""Mapped sources: another source seen through a function of its chunks.

A transformer given a source returns one of these.  Nothing is read until a learner
asks; each chunk is then read, mapped and handed on, in the same parts and by the same
executor as before.  Target and weights go along.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from copy import copy
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import scipy.sparse as sp

from corollary.core.arrays import Vector
from corollary.core.errors import DataError, sentence
from corollary.core.frames import is_frame
from corollary.core.sparse import canonical
from corollary.core.table import Table, table_of
from corollary.engine.sources.dask import Partition
from corollary.engine.sources.source import Chunk, Part, Source, codes_of

__all__ = ["MappedSource"]

Mapping = Callable[[Chunk], Chunk]


class MappedSource(Source):
    """The chunks of a source, each mapped by a function.

    Parameters
    ----------
    base : Source
    function : callable
        ``function(chunk)`` returns a chunk; it must be picklable for a cluster.
    like : array, CSR matrix or Table, optional
        One row as the function makes it; by default rows stay as they are.
    names : list of str, optional
        The columns' names.
    classes : array, optional
        The labels, where the function changes the target.
    described : str
        For the report.
    only_weighted : bool, default=False
        Whether rows of weight 0 stay away where nobody asks for a target either.
    """

    def __init__(
        self,
        base: Source,
        function: Mapping,
        *,
        like: Any = None,
        names: list[str] | None = None,
        classes: Vector | None = None,
        described: str = "",
        only_weighted: bool = False,
    ) -> None:
        if not isinstance(base, Source):
            must = "base must be a source: an engine.Source with parts()"
            raise DataError(sentence("MappedSource", must, f"{type(base).__name__}"))
        self.base, self.function, self.only_weighted = base, function, only_weighted
        if like is None:
            self.n_features, self.dtype = base.n_features, base.dtype
            self.sparse, self.tabular, self._kinds = (
                base.sparse,
                base.tabular,
                base.kinds,
            )
        elif isinstance(like, Table):
            self.n_features, self.dtype = like.shape[1], like.float_type()
            self.sparse, self.tabular, self._kinds = like.sparse, True, like.kinds
        else:
            self.n_features, self.dtype = like.shape[1], like.dtype
            self.sparse = sp.issparse(like)
        self._like = like
        self.names = base.names if like is None else names
        self.keeps_names = base.keeps_names and like is None
        self.n_rows, self.replayable = base.n_rows, base.replayable
        self.many_targets = base.many_targets and classes is None
        self.classes, self._encode = classes, False
        self.described = f"{base.described}{described}"

    @property
    def has_target(self) -> bool:
        """Whether the chunks carry a target."""
        return self.base.has_target

    def parts(self) -> Iterable[Part]:
        """Map the parts of the base."""
        own = self.classes if self._encode else None
        parts = self.base.parts()
        mapped = (mapped_part(part, Step(self.function, own)) for part in parts)
        return list(mapped) if isinstance(parts, list) else mapped

    def sample(self, rows: int = 1) -> Any:
        """Return one row as the function makes it, or some."""
        if self.tabular and self._like is not None and rows == 1:
            return self._like
        return super().sample(rows)

    def labels(self, learner: object) -> Vector:
        """Return the labels of the base, or those that the function makes."""
        return self.base.labels(learner) if self.classes is None else self.classes

    def encoded(self, classes: Vector) -> MappedSource:
        """Return this source with y as codes into `classes`."""
        source = copy(self)
        if self.classes is None:
            source.base = self.base.encoded(classes)
        else:
            source.classes, source._encode = classes, True
        return source

    def unlabelled(self) -> Source:
        """Return rows and weights for a learner that does not look at the target."""
        source = copy(self)
        source.base = self.base.unlabelled()
        return source

    def without_target(self) -> Source:
        """Return the same rows without target and weights."""
        if self.only_weighted:
            return self
        source = copy(self)
        source.base = self.base.without_target()
        return source


@dataclass(frozen=True)
class Step:
    """A function of chunks, and the classes into which y is then encoded."""

    function: Mapping
    classes: Vector | None

    def __call__(self, chunk: Chunk) -> Chunk:
        chunk = self.function(chunk)
        if self.classes is None or chunk.y is None:
            return chunk
        return replace(chunk, y=codes_of(chunk.y, self.classes, "source", "its target"))


def mapped_part(part: Part, step: Step) -> Part:
    """Return a part whose chunks are mapped; one of Dask stays one of Dask."""
    if isinstance(part, Partition):
        return replace(part, rows=MappedRows(part.rows, step))  # type: ignore[arg-type]
    return MappedPart(part, step)


@dataclass(frozen=True)
class MappedPart(Part):
    """A part whose chunks are mapped as they are read."""

    part: Part
    step: Step

    @property
    def several(self) -> bool:  # type: ignore[override]
        """Whether the part has several chunks."""
        return self.part.several

    def chunks(self) -> Iterator[Chunk]:
        """Read and map the chunks."""
        return (self.step(chunk) for chunk in self.part.chunks() if chunk.n)


@dataclass(frozen=True)
class MappedRows:
    """How the blocks of one Dask partition become a mapped chunk."""

    rows: Any
    step: Step

    def chunks(self, *blocks: Any) -> Iterator[Chunk]:
        """Check the computed blocks and map them."""
        return (self.step(chunk) for chunk in self.rows.chunks(*blocks))


def as_rows(X: Any, like: Any = None) -> Any:
    """Return what a transformer made as a C-ordered array or CSR matrix of floats.

    Texts, dates and objects make a table; where `like` is given, the rows are a table
    or a matrix as it is.
    """
    if sp.issparse(X):
        X = canonical("transform", X)
    elif isinstance(X, Table) or is_frame(X) or np.asarray(X).dtype.kind not in "fiub":
        X = table_of("transform", X)
        tabular = not X.numeric if like is None else isinstance(like, Table)
        if tabular:
            return X
        X = X.matrix(who="transform")
    elif isinstance(like, Table):
        return table_of("transform", np.asarray(X))
    else:
        X = np.asarray(X)
    X = X if X.dtype in (np.float32, np.float64) else X.astype(np.float64)
    return X if sp.issparse(X) else np.require(X, requirements=["C", "A"])
