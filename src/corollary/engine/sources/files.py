"""Files: what Parquet and CSV sources share.

Columns are found by name in every file, checked when the source is opened, and copied
into chunks of a few megabytes as they are read; see `parquet.py` and `csv.py`.
"""

from __future__ import annotations

import contextlib
from abc import abstractmethod
from collections.abc import Iterable, Iterator
from copy import copy
from dataclasses import replace
from typing import Any, Self

import numpy as np

from corollary.core.arrays import Vector
from corollary.core.configuration import get_config
from corollary.core.errors import DataError, sentence
from corollary.core.memory import block_bytes
from corollary.engine.sources.columns import Columns, column_labels, is_number
from corollary.engine.sources.paths import failure, located
from corollary.engine.sources.source import Source

__all__ = ["FileSource", "unchanged"]

BATCH_BYTES = 16 * 2**20  # of rows that are decoded together
PIECES = 4  # chunks of such a batch: each stays in the cache while it is used


class FileSource(Source):
    """What Parquet and CSV files share: columns by name, a target, a weight."""

    typed: bool  # whether the files themselves say the types of their columns
    columns: Columns

    def __init__(
        self,
        paths: Any,
        target: str | list[str] | None,
        classes: Any,
        chunk_rows: int | None,
        filesystem: Any,
        endings: tuple[str, ...],
    ) -> None:
        self.who = type(self).__name__
        self.filesystem, self.files = located(self.who, paths, filesystem, endings)
        self.target = tuple(target) if isinstance(target, list | tuple) else target
        self.many_targets = isinstance(self.target, tuple)
        self.classes = None if classes is None else np.unique(np.asarray(classes))
        self.chunk_rows = chunk_rows

    def _agree(
        self, schemas: Iterable[Any], columns: list[str] | None, weight: str | None
    ) -> list[Any]:
        """Hold every file to the first one; return the Arrow types of the features.

        Sets names, n_features and columns (but for the dtype of X).
        """
        seen: set[Any] = set()
        first: dict[str, Any] = {}
        for file, schema in zip(self.files, schemas, strict=True):
            kinds = self._kinds(schema, file.path)
            if not first:
                first = kinds
                self.columns = self._chosen(kinds, columns, weight)
            for name in self.columns.all:
                self._must_have(kinds, name, file.path)
                if name not in self.columns.targets:
                    self._must_be_number(kinds[name], name, file.path)
                elif kinds[name] != first[name]:
                    self._must_be_like(kinds[name], first[name], name, file.path)
            seen |= {kinds[name] for name in self.columns.features}
        self.names = list(self.columns.features)
        self.n_features = len(self.names)
        return list(seen)

    def _kinds(self, schema: Any, path: str) -> dict[str, Any]:
        """Return the types of a file's columns by name."""
        kinds = dict(zip(schema.names, schema.types, strict=True))
        if len(kinds) < len(schema.names):
            twice = next(name for name in kinds if schema.names.count(name) > 1)
            must = f"the column names of {path} must be distinct"
            raise DataError(sentence(self.who, must, f"{twice!r} twice"))
        return kinds

    def _chosen(
        self, kinds: dict[str, Any], columns: list[str] | None, weight: str | None
    ) -> Columns:
        """Say which columns of the first file are what."""
        asked = Columns(self.who, tuple(columns or ()), self.target, weight, None)
        others = (*asked.targets, weight)
        features = columns or [name for name in kinds if name not in others]
        if not features:
            must = f"{self.files[0].path} must have at least one feature column"
            raise DataError(sentence(self.who, must, f"columns {list(kinds)}"))
        return replace(asked, features=tuple(features), classes=self.classes)

    def _must_have(self, kinds: dict[str, Any], name: str, path: str) -> None:
        if name not in kinds:
            must = f"{path} must have a column {name!r}"
            some = ", ".join(list(kinds)[:10]) + (", ..." if len(kinds) > 10 else "")
            raise DataError(sentence(self.who, must, f"columns {some}"))

    def _must_be_number(self, kind: Any, name: str, path: str) -> None:
        if not is_number(kind):
            must = f"column {name!r} of {path} must hold numbers"
            remedy = "Encode it as numbers, or leave it out with columns=[...]."
            raise DataError(sentence(self.who, must, f"type {kind}", remedy))

    def _must_be_like(self, kind: Any, first: Any, name: str, path: str) -> None:
        if is_number(kind) and is_number(first):
            return
        if not self.typed:
            return  # text may look like numbers in one file and not in another
        must = f"column {name!r} of {path} must be of type {first} like that of"
        came = f"type {kind}"
        raise DataError(sentence(self.who, f"{must} {self.files[0].path}", came))

    @property
    def has_target(self) -> bool:
        """Tell whether a target column was named."""
        return self.target is not None

    def _rows_at_once(self) -> tuple[int, int]:
        """Say how many rows are decoded together, and how many chunks they make.

        A batch takes a share of the memory limit at most.
        """
        config = get_config()
        chosen = self.chunk_rows or config.chunk_rows
        if chosen is not None:
            return chosen, 1
        most = block_bytes(BATCH_BYTES, 6 * config.threads)
        rows = max(1, most // (self.n_features * self.dtype.itemsize))
        return rows, min(PIECES, rows)

    def labels(self, learner: object) -> Vector:
        """Return the given classes, or read the target column to find them."""
        if self.classes is not None:
            return self.classes
        if not isinstance(self.target, str):
            must = "target must be one column for a classifier"
            raise DataError(sentence(learner, must, f"{self.target}"))
        return column_labels(self._label_batches(), self.columns, learner)

    @abstractmethod
    def _label_batches(self) -> Iterator[tuple[Any, str, int]]:
        """Read target and weight: (record batch, path, row within the file)."""

    def without_target(self) -> Self:
        """Return all rows without target and weights, those of weight 0 too."""
        source = copy(self)
        source.target, source.many_targets = None, False
        source.columns = replace(self.columns, target=None, weight=None, encode=False)
        return source

    def encoded(self, classes: Vector) -> Self:
        """Return the same files with y as codes into `classes`."""
        source = copy(self)
        source.classes = classes
        source.columns = replace(self.columns, classes=classes, encode=True)
        return source


@contextlib.contextmanager
def unchanged(who: str, path: str) -> Iterator[None]:
    """Say in one sentence that a file vanished, shrank or broke while it was read."""
    from pyarrow import ArrowException

    try:
        yield
    except DataError:
        raise
    except (OSError, ArrowException) as error:
        must = f"{path} must stay as it was when the source was opened"
        remedy = "Leave the file alone until the fit ends, or open the source anew."
        raise DataError(sentence(who, must, failure(error), remedy)) from None
