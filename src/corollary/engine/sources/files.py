"""Files: what Parquet and CSV sources share.

Columns are found by name in every file, checked when the source is opened, and copied
into chunks of a few megabytes as they are read; see `parquet.py` and `csv.py`.

Features may be of any type.  Where all are numbers, chunks are matrices; else they are
tables, and a learner that takes matrices is told the first column that is in its way.
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
from corollary.core.arrow import arrow_kind
from corollary.core.configuration import get_config
from corollary.core.errors import DataError, sentence
from corollary.core.hooks import hook
from corollary.core.memory import block_bytes
from corollary.core.table import column_positions
from corollary.engine.sources.columns import Columns, column_labels
from corollary.engine.sources.paths import failure, located
from corollary.engine.sources.source import Source

__all__ = ["FileSource", "unchanged"]

BATCH_BYTES = 16 * 2**20  # of rows that are decoded together
PIECES = 4  # chunks of such a batch: each stays in the cache while it is used
NUMBERS = {"number", "boolean"}
ALIKE = {  # kinds that one column may have in two files
    "number": "numbers",
    "boolean": "numbers",
    "text": "texts",
    "category": "texts",
    "date": "dates",
    "object": "objects",
}


class FileSource(Source):
    """What Parquet and CSV files share: columns by name, a target, a weight."""

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
    ) -> None:
        """Hold every file to the first one; find the types of the columns."""
        self._seen: dict[str, dict[Any, str]] = {}  # column: types, a file with each
        for file, schema in zip(self.files, schemas, strict=True):
            types = self._types_in(schema, file.path)
            if not self._seen:
                self.columns = self._chosen(types, columns, weight)
            for name in self.columns.all:
                self._must_have(types, name, file.path)
                self._seen.setdefault(name, {}).setdefault(types[name], file.path)
        if weight is not None:
            for kind, path in self._seen[weight].items():
                self._must_be_number(kind, weight, path)
        for name in self.columns.targets:
            self._must_agree(name)
        self._narrow(self.columns.features)

    def _narrow(self, features: tuple[str, ...]) -> None:
        """Take so many of the columns as features, as matrices where they can be."""
        kinds = [self._kind(name) for name in features]
        self.names, self.n_features, self._kinds = list(features), len(features), kinds
        types = [kind for name in features for kind in self._seen[name]]
        self.dtype = self._precision(types)
        self.tabular = not set(kinds) <= NUMBERS
        self.columns = replace(
            self.columns,
            features=features,
            kinds=tuple(kinds),
            dtype=self.dtype,
            tabular=self.tabular,
            whole=self._whole(features),
        )

    @hook
    def _whole(self, features: tuple[str, ...]) -> frozenset[str]:
        """Return the columns of whole numbers that are read as floats."""
        return frozenset()

    @abstractmethod
    def _kind(self, name: str) -> str:
        """Return what a column holds in all files."""

    @abstractmethod
    def _describe(self) -> None:
        """Say in `described` what is read."""

    @abstractmethod
    def _precision(self, types: list[Any]) -> Any:
        """Return the dtype of a matrix of features of these Arrow types."""

    def select(self, columns: Any) -> Self:
        """Return the same rows with fewer columns; only these are read."""
        at = column_positions(self.who, columns, self.names, self.n_features)
        source = copy(self)
        source._narrow(tuple(self.columns.features[j] for j in at))
        source._describe()
        return source

    def tables(self) -> Self:
        """Return the same rows as tables, whose columns keep their types."""
        source = copy(self)
        source.tabular = True
        source.columns = replace(self.columns, tabular=True)
        return source

    def matrices(self, who: object, missing: bool = False) -> Self:
        """Return the same rows as matrices; name a column of no numbers."""
        for name, kind in zip(self.columns.features, self.kinds, strict=True):
            if kind not in NUMBERS:
                self._refuse(who, name)
        source = copy(self)
        source.tabular = False
        source.columns = replace(self.columns, tabular=False, missing=missing)
        return source

    @hook
    def _refuse(self, who: object, name: str) -> None:
        """Name a feature that holds no numbers, and a file where it does not."""
        for kind, path in self._seen[name].items():
            self._must_be_number(kind, name, path, who)

    def _types_in(self, schema: Any, path: str) -> dict[str, Any]:
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

    def _must_be_number(
        self, kind: Any, name: str, path: str, who: object = None
    ) -> None:
        if arrow_kind(kind) not in NUMBERS:
            must = f"column {name!r} of {path} must hold numbers"
            remedy = "Encode it as numbers, or leave it out with columns=[...]."
            raise DataError(sentence(who or self.who, must, f"type {kind}", remedy))

    @hook
    def _must_agree(self, name: str) -> Any:
        """Refuse a column that is of one kind in a file and of another in the next.

        Returns the first type that tells anything; nulls tell nothing.
        """
        types = {t: path for t, path in self._seen[name].items() if str(t) != "null"}
        if not types:
            return next(iter(self._seen[name]))
        first, *others = types
        for kind in others:
            if ALIKE[arrow_kind(kind)] != ALIKE[arrow_kind(first)]:
                must = f"column {name!r} of {types[kind]} must be of type {first} like"
                must = f"{must} that of {types[first]}"
                raise DataError(sentence(self.who, must, f"type {kind}"))
        return first

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
        rows = max(1, int(most / self._row_bytes()))
        return rows, min(PIECES, rows)

    @hook
    def _row_bytes(self) -> float:
        """Return the bytes of a row; texts may need more than numbers."""
        return max(1.0, self.n_features * self.dtype.itemsize)

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

    def unlabelled(self) -> Self:
        """Return rows and weights; the target is not read."""
        source = copy(self)
        source.target = None
        source.columns = replace(self.columns, target=None, encode=False)
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
