"""Data sets larger than memory, written to files from a seed.

Row i is a function of the seed and of i alone: rows are drawn in blocks of fixed size,
block b from its own generator, keyed by (seed, b).  So the rows do not depend on the
size of a row group, on the number of files or on how many rows there are, and any
range of them can be drawn again without the files (`stream_rows`).

Features are x0, x1, ...; the target is y; the weight, if asked for, is w, even in
[0.5, 1.5].  Three kinds, with z ~ N(0, 1) throughout:

    blobs           y = a cluster, each equally likely;  x = center_y + z        (1)
    regression      x = z;                    y = coef . x + intercept + z       (2)
    classification  x = z;   P(y = k | x) = softmax(coef x + intercept)_k        (3)
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from itertools import repeat
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from corollary.core.configuration import get_config
from corollary.core.errors import ParameterError, sentence
from corollary.core.records import readable

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["Stream", "stream_rows", "write_csv", "write_parquet"]

BLOCK = 8192  # rows drawn together; part of the recipe: changing it changes the data
KINDS = ("blobs", "regression", "classification")
GROUP_BYTES = 64 * 2**20


@readable
@dataclass(frozen=True)
class Stream:
    """What was written, and the truth behind it.

    Attributes
    ----------
    paths : tuple of Path
        The files, in the order of the rows.
    rows : int
        Number of rows.
    features : tuple of str
        Names of the feature columns.
    nbytes : int
        Size of the feature columns in memory.
    centers : ndarray of shape (k, d) or None
        Centres of the blobs.
    coef : ndarray of shape (d,) or (k, d), or None
        Coefficients of the regression, or of each class.
    intercept : float, ndarray of shape (k,) or None
        Intercepts likewise.
    """

    paths: tuple[Path, ...]
    rows: int
    features: tuple[str, ...]
    nbytes: int
    centers: np.ndarray | None = None
    coef: np.ndarray | None = None
    intercept: float | np.ndarray | None = None


@dataclass(frozen=True)
class Recipe:
    """How to draw a block of rows; hashable, so that blocks can be cached."""

    kind: str
    columns: int
    classes: int
    dtype: str
    seed: int

    def __post_init__(self) -> None:
        for name, value, allowed in [
            ("kind", self.kind, KINDS),
            ("dtype", self.dtype, ("float32", "float64")),
        ]:
            if value not in allowed:
                must = f"{name} must be one of {', '.join(map(repr, allowed))}"
                raise ParameterError(sentence("datasets.streams", must, repr(value)))

    def generator(self, *purpose: int) -> np.random.Generator:
        """Make the generator of one purpose, independent of all others."""
        key = np.random.SeedSequence(self.seed, spawn_key=purpose)
        return np.random.Generator(np.random.SFC64(key))

    def truth(self) -> dict[str, Any]:
        """Draw the parameters of the model."""
        rng = self.generator(0)
        if self.kind == "blobs":
            return {"centers": rng.uniform(-10, 10, (self.classes, self.columns))}
        if self.kind == "regression":
            coef = rng.standard_normal(self.columns)
            return {"coef": coef, "intercept": float(rng.standard_normal())}
        coef = rng.standard_normal((self.classes, self.columns))
        scale = 3 / np.sqrt(self.columns)
        return {"coef": scale * coef, "intercept": rng.standard_normal(self.classes)}


@lru_cache(maxsize=2)
def _block(recipe: Recipe, b: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Draw block b: features (d, BLOCK), a column a row; target and weight (BLOCK,)."""
    truth, T = recipe.truth(), np.dtype(recipe.dtype).type
    X = recipe.generator(1, b).standard_normal((recipe.columns, BLOCK), dtype=T)
    rng = recipe.generator(2, b)
    if recipe.kind == "blobs":
        y = rng.integers(0, recipe.classes, BLOCK)
        for x, center in zip(X, truth["centers"].T.astype(T, "C"), strict=True):
            x += center[y]  # (1)
    elif recipe.kind == "regression":
        y = truth["coef"].astype(T) @ X + T(truth["intercept"])
        y += rng.standard_normal(BLOCK, dtype=T)  # (2)
    else:
        logits = truth["coef"].astype(T) @ X + truth["intercept"][:, None]
        y = np.argmax(logits + rng.gumbel(size=logits.shape), axis=0)  # (3)
    return X, y, 0.5 + recipe.generator(3, b).random(BLOCK, dtype=T)


def _parts(recipe: Recipe, start: int, stop: int) -> Iterator[tuple[np.ndarray, ...]]:
    """Yield the features, target and weight of rows [start, stop), block by block."""
    blocks = range(start // BLOCK, -(-stop // BLOCK))
    with ThreadPoolExecutor(get_config().threads) as pool:
        for b, (X, y, w) in zip(
            blocks, pool.map(_block, repeat(recipe), blocks), strict=True
        ):
            part = slice(max(start - b * BLOCK, 0), min(stop - b * BLOCK, BLOCK))
            yield X[:, part], y[part], w[part]


@readable
class StreamRows(NamedTuple):
    """Some rows of a stream, with their targets and weights."""

    X: np.ndarray
    y: np.ndarray
    w: np.ndarray


def stream_rows(
    start: int,
    stop: int,
    columns: int,
    *,
    kind: str = "blobs",
    classes: int | None = None,
    dtype: str = "float32",
    random_state: int = 0,
) -> StreamRows:
    """Draw rows [start, stop) of a stream as arrays, without any file.

    Parameters
    ----------
    start, stop : int
        Range of rows.
    columns : int
        Number of features.
    kind, classes, dtype, random_state
        As in `write_parquet`.

    Returns
    -------
    StreamRows
        A tuple of `X` (stop - start, columns), the targets `y` and the weights `w`.

    Examples
    --------
    >>> import numpy as np
    >>> from corollary.datasets import stream_rows
    >>> X, y, w = stream_rows(0, 10_000, 3)
    >>> print(np.array_equal(X[9_000:], stream_rows(9_000, 10_000, 3)[0]))
    True
    """
    recipe = _recipe(kind, columns, classes, dtype, random_state)
    X, y, w = zip(*_parts(recipe, start, stop), strict=True)
    rows = np.concatenate(X, axis=1).T.copy()
    return StreamRows(rows, np.concatenate(y), np.concatenate(w))


def write_parquet(
    path: str | os.PathLike[str],
    rows: int,
    columns: int,
    *,
    kind: str = "blobs",
    classes: int | None = None,
    target: bool = True,
    weight: bool = False,
    dtype: str = "float32",
    files: int = 1,
    row_group_rows: int | None = None,
    random_state: int = 0,
) -> Stream:
    """Write a data set of any size to Parquet, in bounded memory.

    Columns are plain and uncompressed (random numbers do not compress), so a reader is
    limited by the disk and not by decoding.

    Parameters
    ----------
    path : path
        The file, or with ``files > 1`` the directory of ``part-00000.parquet``, ...
    rows, columns : int
        Number of rows and of feature columns x0, x1, ...
    kind : {"blobs", "regression", "classification"}
        What the rows are drawn from; see the module.
    classes : int or None
        Number of blobs (None: 100) or of classes (None: 2).
    target, weight : bool
        Whether to write the columns y and w.
    dtype : {"float32", "float64"}
        Type of the features.
    files : int
        Number of files, of nearly equal length.
    row_group_rows : int or None
        Rows a row group; None for about 64 MB of features.
    random_state : int
        Seed.

    Returns
    -------
    Stream

    Examples
    --------
    >>> import tempfile
    >>> from corollary.datasets import write_parquet
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     stream = write_parquet(f"{folder}/data", 1000, 5, files=3)
    ...     print([p.name for p in stream.paths], stream.nbytes)
    ['part-00000.parquet', 'part-00001.parquet', 'part-00002.parquet'] 20000
    """
    import pyarrow.parquet as pq

    recipe = _recipe(kind, columns, classes, dtype, random_state)
    schema = _schema(recipe, target, weight)
    group = row_group_rows or _group_rows(recipe)
    ranges = [(rows * f // files, rows * (f + 1) // files) for f in range(files)]
    paths = _paths(path, files, ".parquet")
    for file, (start, stop) in zip(paths, ranges, strict=True):
        with (
            _complete(file) as partial,
            pq.ParquetWriter(
                partial,
                schema,
                compression="none",
                use_dictionary=False,
                write_statistics=False,
            ) as writer,
        ):
            for a in range(start, stop, group):
                table = _table(recipe, schema, a, min(a + group, stop))
                writer.write_table(table, row_group_size=group)
    return _stream(recipe, paths, rows)


def write_csv(
    path: str | os.PathLike[str],
    rows: int,
    columns: int,
    *,
    kind: str = "blobs",
    classes: int | None = None,
    target: bool = True,
    weight: bool = False,
    dtype: str = "float32",
    random_state: int = 0,
) -> Stream:
    """Write the same rows as `write_parquet` to one CSV file with a header.

    Parameters
    ----------
    path : path
        The file.
    rows, columns, kind, classes, target, weight, dtype, random_state
        As in `write_parquet`.

    Returns
    -------
    Stream

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from corollary.datasets import write_csv
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     stream = write_csv(f"{folder}/data.csv", 3, 2, kind="regression")
    ...     print(stream.paths[0].read_text().splitlines()[0])
    "x0","x1","y"
    """
    from pyarrow import csv

    recipe = _recipe(kind, columns, classes, dtype, random_state)
    schema = _schema(recipe, target, weight)
    [file] = _paths(path, 1, ".csv")
    with _complete(file) as partial, csv.CSVWriter(partial, schema) as writer:
        for a in range(0, rows, BLOCK):
            writer.write_table(_table(recipe, schema, a, min(a + BLOCK, rows)))
    return _stream(recipe, [file], rows)


def _recipe(
    kind: str, columns: int, classes: int | None, dtype: str, seed: int
) -> Recipe:
    classes = classes or (100 if kind == "blobs" else 2)
    return Recipe(kind, columns, classes, dtype, seed)


def _group_rows(recipe: Recipe) -> int:
    """Choose a whole number of blocks of about GROUP_BYTES."""
    block_bytes = BLOCK * recipe.columns * np.dtype(recipe.dtype).itemsize
    return BLOCK * max(GROUP_BYTES // block_bytes, 1)


def _schema(recipe: Recipe, target: bool, weight: bool) -> pa.Schema:
    import pyarrow as pa

    real = pa.from_numpy_dtype(np.dtype(recipe.dtype))
    fields = [(f"x{j}", real) for j in range(recipe.columns)]
    if target:
        fields.append(("y", real if recipe.kind == "regression" else pa.int64()))
    if weight:
        fields.append(("w", real))
    return pa.schema([pa.field(name, kind, nullable=False) for name, kind in fields])


def _table(recipe: Recipe, schema: pa.Schema, start: int, stop: int) -> pa.Table:
    """Wrap rows [start, stop) as an Arrow table, without copying them."""
    import pyarrow as pa

    def batch(X: np.ndarray, y: np.ndarray, w: np.ndarray) -> pa.RecordBatch:
        extra = {"y": y, "w": w}
        arrays = [*X, *(extra[name] for name in schema.names[recipe.columns :])]
        return pa.record_batch([pa.array(a) for a in arrays], schema=schema)

    batches = [batch(*part) for part in _parts(recipe, start, stop)]
    return pa.Table.from_batches(batches, schema=schema)


def _paths(path: str | os.PathLike[str], files: int, suffix: str) -> list[Path]:
    """Name the files and make their directory."""
    path = Path(path)
    if files == 1:
        path.parent.mkdir(parents=True, exist_ok=True)
        return [path]
    path.mkdir(parents=True, exist_ok=True)
    return [path / f"part-{f:05d}{suffix}" for f in range(files)]


@contextmanager
def _complete(file: Path) -> Iterator[Path]:
    """Give a name to write to; it becomes `file` only once it is complete."""
    partial = file.with_name(file.name + ".partial")
    try:
        yield partial
        partial.replace(file)
    finally:
        partial.unlink(missing_ok=True)


def _stream(recipe: Recipe, paths: list[Path], rows: int) -> Stream:
    return Stream(
        paths=tuple(paths),
        rows=rows,
        features=tuple(f"x{j}" for j in range(recipe.columns)),
        nbytes=rows * recipe.columns * np.dtype(recipe.dtype).itemsize,
        **recipe.truth(),
    )
