"""Writing answers to Parquet files that are there complete, or not at all."""

from __future__ import annotations

import os
import shutil
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp

from corollary.core.errors import DataError, sentence

__all__ = ["write_parquet"]

WHO = "engine.predict"
ROWS = 1_000_000  # of a file in a folder


def write_parquet(
    blocks: Iterator[Any], columns_of: Callable[[Any], list[str]], into: Any
) -> str:
    """Write blocks of rows to a file, or to a new folder of files; return the path.

    They are written beside their place under another name, and moved there at the end.
    """
    path = Path(into)
    single = path.suffix == ".parquet"
    if path.is_dir() or (path.exists() and not single):
        must = (
            "into must be a file that ends in .parquet, or a folder that is not there"
        )
        raise DataError(sentence(WHO, must, f"{str(path)!r}", "Choose another name."))
    if not path.parent.is_dir():
        must = f"the folder {str(path.parent)!r} must be there"
        raise DataError(sentence(WHO, must, "none"))
    beside = path.with_name(f".{path.name}.{uuid.uuid4().hex}")
    try:
        _write(blocks, columns_of, beside, single)
        os.replace(beside, path)
    except BaseException:  # an error or Ctrl-C leaves nothing behind
        shutil.rmtree(beside, ignore_errors=True)
        beside.unlink(missing_ok=True)
        raise
    return str(path)


def _write(
    blocks: Iterator[Any],
    columns_of: Callable[[Any], list[str]],
    beside: Path,
    single: bool,
) -> None:
    import pyarrow as pa
    from pyarrow.parquet import ParquetWriter

    writer, written, files, names = None, 0, 0, None
    if not single:
        beside.mkdir()
    try:
        for block in blocks:
            rows = block.toarray() if sp.issparse(block) else np.asarray(block)
            names = columns_of(rows) if names is None else names
            values = [rows] if rows.ndim == 1 else list(rows.T)
            table = pa.table(dict(zip(names, map(pa.array, values), strict=True)))
            if writer is not None and not single and written >= ROWS:
                writer.close()
                writer = None
            if writer is None:
                file = beside if single else beside / f"{files:05}.parquet"
                writer, written, files = ParquetWriter(file, table.schema), 0, files + 1
            writer.write_table(table)
            written += len(rows)
        if writer is None:
            raise DataError(
                sentence(WHO, "a source must give at least one row", "none")
            )
    finally:
        if writer is not None:
            writer.close()
