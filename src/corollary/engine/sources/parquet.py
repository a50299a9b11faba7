"""Parquet files larger than memory, read in chunks of a few megabytes.

A part is one row group, or a few small neighbours: any thread or worker can read it
alone, and a large one is streamed through chunk by chunk.  Cuts depend on the files
only, never on the threads, so that sums are the same to the bit for any team.

What a part costs while it is read: one batch of Arrow columns, a few chunks of it as
matrices, and the raw bytes of the row group; of a row group above `RAW_BYTES` only a
buffer of each column.
"""

from __future__ import annotations

import hashlib
import threading
from collections import OrderedDict
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from copy import copy
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from corollary.core.arrow import arrow_kind, give_back_memory
from corollary.core.configuration import get_config
from corollary.core.errors import DataError, sentence
from corollary.core.memory import block_bytes
from corollary.engine.sources.columns import Columns, chunks_of
from corollary.engine.sources.files import FileSource, unchanged
from corollary.engine.sources.paths import File, failure
from corollary.engine.sources.source import Chunk, Part

__all__ = ["ParquetSource"]

RAW_BYTES = 64 * 2**20  # of a row group that is read at once
BUFFER_BYTES = 2**18  # of each column of a larger one
FOOTERS = 4  # always kept by this process, and more of them while they describe
CELLS = 50_000  # row groups x columns or less, at about 1 kB each


class ParquetSource(FileSource):
    """Rows of Parquet files, of any number and size.

    Parameters
    ----------
    paths : str, path or list of them
        Files, directories, patterns such as ``data/*.parquet``, or URLs.
    columns : list of str, optional
        Features; by default every column but target and weight, in the order of the
        first file.  Numbers and booleans make matrices for every learner; texts,
        categories and dates are for the estimators that take columns.
    target : str or list of str, optional
        Column of y: labels of any type, numbers, or several columns of numbers.
    weight : str, optional
        Column of sample weights.
    classes : array, optional
        The labels of a classifier, so that they need not be looked for.
    chunk_rows : int, optional
        Most rows in a chunk; by default about 4 MB of them.
    filesystem : pyarrow or fsspec filesystem, optional
        Where the paths lie, if they are no URLs and not local.

    Examples
    --------
    >>> import tempfile, pyarrow as pa, pyarrow.parquet as pq
    >>> from corollary.engine import ParquetSource
    >>> path = tempfile.mkdtemp() + "/points.parquet"
    >>> pq.write_table(pa.table({"a": [1.0, 2.0], "b": [3, 4], "y": [0, 1]}), path)
    >>> source = ParquetSource(path, target="y")
    >>> source.n_rows, source.names, source.kinds
    (2, ['a', 'b'], ['number', 'number'])
    """

    def __init__(
        self,
        paths: Any,
        *,
        columns: list[str] | None = None,
        target: str | list[str] | None = None,
        weight: str | None = None,
        classes: Any = None,
        chunk_rows: int | None = None,
        filesystem: Any = None,
    ) -> None:
        endings = (".parquet", ".parq", ".pq")
        super().__init__(paths, target, classes, chunk_rows, filesystem, endings)
        look = partial(_footer, self.who, self.filesystem)
        with ThreadPoolExecutor(8) as readers:
            footers = readers.map(look, self.files)
            self._agree(self._schemas(footers), columns, weight)
        self.n_rows = sum(rows for groups in self._groups for rows, _ in groups)
        many = len(self.files) > 1
        if self.n_rows == 0:
            must = f"{self.files[0].path} must hold at least one row"
            came = f"0 rows in {len(self.files)} files" if many else "0 rows"
            raise DataError(sentence(self.who, must, came))
        self._describe()

    def _describe(self) -> None:
        files = f"{len(self.files)} Parquet file{'s' if len(self.files) > 1 else ''}"
        self.described = f"{files}, {self.n_rows:,} x {self.n_features:,} {self.dtype}"

    def _kind(self, name: str) -> str:
        return arrow_kind(self._must_agree(name))

    def _row_bytes(self) -> float:
        numbers = super()._row_bytes()
        groups = [group for groups in self._groups for group in groups]
        size = sum(size for _, size in groups) / max(1, self.n_rows or 0)
        return max(numbers, size) if self.tabular else numbers

    def _precision(self, types: list[Any]) -> Any:
        small = all(str(kind) in ("float", "halffloat") for kind in types)
        return np.dtype(np.float32 if small else np.float64)

    def _schemas(self, footers: Iterable[Any]) -> Iterator[Any]:
        """Keep (rows, bytes) of the row groups of each file; hand on its schema."""
        self._groups: list[list[tuple[int, int]]] = []
        self._digests: list[bytes] = []
        for footer in footers:
            metadata = footer.metadata
            groups = map(metadata.row_group, range(metadata.num_row_groups))
            self._groups.append([(g.num_rows, g.total_byte_size) for g in groups])
            self._digests.append(footer.digest)
            yield metadata.schema.to_arrow_schema()

    def parts(self) -> list[Part]:
        """Take each row group as a part, and small neighbours as one."""
        return list(self._runs())

    def _runs(self) -> Iterator[RowGroups]:
        config, (most, pieces) = get_config(), self._rows_at_once()
        few = sum(map(len, self._groups)) < 2 * config.threads
        before = 0
        described = zip(self.files, self._digests, self._groups, strict=True)
        for file, digest, groups in described:
            run = RowGroups(
                self.filesystem, self.columns, file, digest, most, pieces,
                before=before,
                threads=few and config.threads > 1,
                raw_bytes=block_bytes(RAW_BYTES, 6 * config.threads),
            )  # fmt: skip
            for number, (rows, size) in enumerate(groups):
                if run.rows and run.rows + rows > most:
                    yield run
                    run = run.next()
                run = run.with_group(number, rows, size)
            if run.rows:
                yield run
            before += run.row + run.rows

    def _label_batches(self) -> Iterator[tuple[Any, str, int]]:
        source = copy(self)
        source.columns = self.columns.only_labels()
        for part in source._runs():
            row = part.row
            for batch in part.batches():
                yield batch, part.file.path, row
                row += batch.num_rows


@dataclass(frozen=True)
class RowGroups(Part):
    """A run of row groups of one Parquet file."""

    filesystem: Any
    columns: Columns
    file: File
    digest: bytes  # of the footer when the source was opened
    rows_at_once: int  # in a batch
    pieces: int  # chunks that a batch makes
    groups: tuple[int, int] = (0, 0)
    rows: int = 0
    size: int = 0  # bytes before compression
    row: int = 0  # first row, in its file
    before: int = 0  # rows of the files before
    threads: bool = False  # let pyarrow decode columns in threads of its own
    raw_bytes: int = RAW_BYTES  # of a run that is read at once

    several = True

    def with_group(self, number: int, rows: int, size: int) -> RowGroups:
        """Take in the next row group."""
        groups, rows = (self.groups[0], number + 1), self.rows + rows
        return replace(self, groups=groups, rows=rows, size=self.size + size)

    def next(self) -> RowGroups:
        """Begin the run after this one."""
        groups, row = (self.groups[1],) * 2, self.row + self.rows
        return replace(self, groups=groups, rows=0, size=0, row=row)

    def chunks(self) -> Iterator[Chunk]:
        """Stream the row groups in chunks of equal size."""
        batches, path = self.batches(), self.file.path
        rows = self.cut(-(-self.rows_at_once // self.pieces))
        yield from chunks_of(batches, self.columns, rows, path, self.row, self.before)

    def cut(self, most: int) -> int:
        """Return the size of equal pieces, each of at most so many rows."""
        count = -(-self.rows // most)
        return -(-self.rows // count)

    def batches(self) -> Iterator[Any]:
        """Read record batches; a file that changed meanwhile is an error."""
        from pyarrow import parquet

        who, path, seen = self.columns.who, self.file.path, 0
        with unchanged(who, path):
            self.file.check_unchanged(self.filesystem)
            remote = self.filesystem.type_name != "local"
            large = self.size > self.raw_bytes
            with (
                self.filesystem.open_input_file(path) as handle,
                parquet.ParquetFile(
                    handle,
                    metadata=self._metadata(handle),
                    read_dictionary=self.columns.texts,
                    buffer_size=BUFFER_BYTES if large else 0,
                    pre_buffer=remote and not large,
                ) as reader,
            ):
                for batch in reader.iter_batches(
                    self.cut(self.rows_at_once),
                    row_groups=range(*self.groups),
                    columns=self.columns.all,
                    use_threads=self.threads and self.raw_bytes == RAW_BYTES,
                ):
                    seen += batch.num_rows
                    yield batch
                    del batch
                    if self.raw_bytes < RAW_BYTES:  # every byte counts
                        give_back_memory()
            if self.raw_bytes < RAW_BYTES:
                give_back_memory()  # what the reader had
            if seen != self.rows:
                raise OSError(f"{seen} rows where {self.rows} were announced")

    def _metadata(self, handle: Any) -> Any:
        """Return the metadata of the file; every pass looks at its footer again."""
        key = (self.filesystem.type_name, self.file)
        first = self.groups[0] == 0
        footer = (None if first else _kept(key)) or _read_footer(handle, key)
        if footer.digest != self.digest:
            raise OSError("the file is another one now")
        return footer.metadata


# -- footers ---------------------------------------------------------------------------
@dataclass(frozen=True)
class Footer:
    """What the end of a Parquet file tells of its row groups."""

    metadata: Any
    digest: bytes

    @property
    def cells(self) -> int:
        """Return the number of column chunks, which say how large the metadata are."""
        return int(self.metadata.num_row_groups * self.metadata.num_columns)


Key = tuple[str, File]
_footers: OrderedDict[Key, Footer] = OrderedDict()
_footers_lock = threading.Lock()


def _footer(who: str, filesystem: Any, file: File) -> Footer:
    """Read the footer of a Parquet file that a user named."""
    from pyarrow import ArrowException

    try:
        with filesystem.open_input_file(file.path) as handle:
            return _read_footer(handle, (filesystem.type_name, file))
    except (OSError, ArrowException) as error:
        must = f"{file.path} must be a Parquet file that can be read"
        raise DataError(sentence(who, must, failure(error))) from None


def _kept(key: Key) -> Footer | None:
    """Return the footer of a file that was read before, if it is still kept."""
    with _footers_lock:
        if key in _footers:
            _footers.move_to_end(key)
        return _footers.get(key)


def _read_footer(handle: Any, key: Key) -> Footer:
    """Read a footer, parse it unless it is the one that is kept; keep the last few."""
    from pyarrow import parquet

    digest, kept = _digest(handle), _kept(key)
    if kept is not None and kept.digest == digest:
        return kept
    footer = Footer(parquet.read_metadata(handle), digest)
    with _footers_lock:
        _footers[key] = footer
        cells = sum(each.cells for each in _footers.values())
        while len(_footers) > FOOTERS and cells > CELLS:
            cells -= _footers.popitem(last=False)[1].cells
    return footer


def _digest(handle: Any) -> bytes:
    """Return a digest of a footer's bytes; its length stands at the file's end."""
    size = handle.size()
    end = handle.read_at(min(8, size), max(0, size - 8))
    length = int.from_bytes(end[:4], "little") if end[4:] in (b"PAR1", b"PARE") else 0
    first = max(0, size - 8 - length)
    return hashlib.blake2b(handle.read_at(size - first, first), digest_size=16).digest()
