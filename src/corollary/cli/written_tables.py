"""Tables that a verb writes: Parquet, CSV or JSON by the ending, whole or not at all.

A name that cannot be written is refused before anything is computed.
"""

from __future__ import annotations

import io
import json
import os
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

from corollary.cli.printing import plain
from corollary.core.errors import ParameterError, sentence

__all__ = ["check_out", "write_table", "write_tables"]

ROWS = 10_000  # that are turned into JSON at once


def check_out(who: str, path: Path | None) -> None:
    """Refuse the name of a file that cannot be written.

    Parameters
    ----------
    who : str
        The verb.
    path : Path or None
    """
    if path is None:
        return
    if path.suffix.lower() not in PIECES:
        must = f"--out must end in {', '.join(PIECES)}"
        raise ParameterError(sentence(who, must, f"{path}"))
    if path.exists() and not path.is_file():
        must = "--out must be a file or nothing"
        raise ParameterError(sentence(who, must, f"{path}, which is no file"))
    folder = Path(os.path.realpath(path)).parent
    if not folder.is_dir():
        must = "the folder of --out must exist"
        raise ParameterError(sentence(who, must, f"{path.parent}"))
    if not os.access(folder, os.W_OK | os.X_OK):
        must = "the folder of --out must be one that may be written to"
        raise ParameterError(sentence(who, must, f"{path.parent}"))


def write_table(table: Any, path: Path) -> None:
    """Write a pyarrow table by the ending of its name, whole or not at all.

    Parameters
    ----------
    table : pyarrow.Table
    path : Path
    """
    write_tables([table], path)


def write_tables(tables: Iterable[Any], path: Path) -> None:
    """Write tables with the same columns to one file, as they come.

    Parameters
    ----------
    tables : iterable of pyarrow.Table
        One at least.
    path : Path
    """
    from corollary.persistence.whole_files import write_whole

    write_whole(path, PIECES[path.suffix.lower()](tables))


def parquet_pieces(tables: Iterable[Any]) -> Iterator[bytes]:
    """Return the bytes of a Parquet file, a row group or more for each table."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    held = Held()
    writer = None
    for table in tables:
        if writer is None:
            writer = pq.ParquetWriter(pa.PythonFile(held, mode="w"), table.schema)
        writer.write_table(table)
        yield held.taken()
    if writer is not None:
        writer.close()
    yield held.taken()


class Held:
    """A file in memory that gives away what was written."""

    closed = False

    def __init__(self) -> None:
        self.pieces: list[bytes] = []
        self.written = 0

    def write(self, piece: Any) -> int:
        """Take some bytes."""
        self.pieces.append(bytes(piece))
        self.written += len(self.pieces[-1])
        return len(self.pieces[-1])

    def tell(self) -> int:
        """Return how many bytes were written in all."""
        return self.written

    def flush(self) -> None:
        """Do nothing: all is in memory."""

    def close(self) -> None:
        """Do nothing: the rest is still to be taken."""

    def taken(self) -> bytes:
        """Give away what was written since the last time."""
        found, self.pieces = b"".join(self.pieces), []
        return found


def csv_pieces(tables: Iterable[Any]) -> Iterator[bytes]:
    """Return the bytes of a CSV file, its header first."""
    import pyarrow.csv

    for place, table in enumerate(tables):
        room = io.BytesIO()
        options = pyarrow.csv.WriteOptions(include_header=place == 0)
        pyarrow.csv.write_csv(table, room, options)
        yield room.getvalue()


def json_pieces(tables: Iterable[Any]) -> Iterator[bytes]:
    """Return one list of objects."""
    start = "[\n"
    for text in json_rows(tables):
        yield f"{start}{text}".encode()
        start = ",\n"
    yield b"\n]\n" if start == ",\n" else b"[]\n"


def line_pieces(tables: Iterable[Any]) -> Iterator[bytes]:
    """Return an object a line."""
    for text in json_rows(tables):
        yield f"{text}\n".encode()


def json_rows(tables: Iterable[Any]) -> Iterator[str]:
    """Return rows as JSON objects; a number that is not finite is null."""
    for table in tables:
        for part in table.to_batches(max_chunksize=ROWS):
            for row in part.to_pylist():
                yield json.dumps(plain(row), allow_nan=False, ensure_ascii=False)


PIECES: dict[str, Callable[[Iterable[Any]], Iterator[bytes]]] = {
    ".parquet": parquet_pieces,
    ".csv": csv_pieces,
    ".json": json_pieces,
    ".jsonl": line_pieces,
}
