"""``corollary data PATH``: write a synthetic data set of any size to Parquet."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from corollary.core.errors import ParameterError, sentence

__all__ = ["data"]


class Kind(StrEnum):
    """What the rows are drawn from."""

    blobs = "blobs"
    regression = "regression"
    classification = "classification"


class Precision(StrEnum):
    """The type of the features."""

    float32 = "float32"
    float64 = "float64"


def data(
    path: Annotated[Path, typer.Argument(help="The file, or the folder of --files.")],
    rows: Annotated[int, typer.Option(min=1, help="Number of rows.")] = 1_000_000,
    columns: Annotated[int, typer.Option(min=1, help="Number of features.")] = 20,
    kind: Annotated[Kind, typer.Option(help="What to draw.")] = Kind.blobs,
    classes: Annotated[
        int | None, typer.Option(min=1, help="Blobs (100) or classes (2).")
    ] = None,
    files: Annotated[int, typer.Option(min=1, help="Files to spread it over.")] = 1,
    dtype: Annotated[
        Precision, typer.Option(help="Type of the features.")
    ] = Precision.float32,
    weight: Annotated[bool, typer.Option(help="Add a column of weights, w.")] = False,
    seed: Annotated[int, typer.Option(min=0, help="Seed of the draws.")] = 0,
) -> None:
    """Write a synthetic data set of any size to Parquet, in bounded memory."""
    if path.exists():
        remedy = "Choose another name, or remove it first."
        raise ParameterError(sentence("data", "PATH must be new", f"{path}", remedy))
    if not path.parent.is_dir():
        must = "the folder of PATH must exist"
        raise ParameterError(sentence("data", must, f"{path.parent}"))
    from corollary.datasets.streams import write_parquet

    with whole(path) as scratch:
        stream = write_parquet(
            scratch,
            rows,
            columns,
            kind=kind.value,
            classes=classes,
            weight=weight,
            dtype=dtype.value,
            files=files,
            random_state=seed,
        )
        disk = sum(file.stat().st_size for file in stream.paths)
    many = f" in {files} files" if files > 1 else ""
    last = ", w" if weight else ""
    typer.echo(
        f"wrote {path}: {rows:,} rows of {columns} features ({kind.value}, "
        f"{dtype.value}) and y{last}, {disk / 1e6:,.1f} MB{many}"
    )


@contextmanager
def whole(path: Path) -> Iterator[Path]:
    """Give a name to write to; it becomes `path`, file or folder, once complete."""
    scratch = path.with_name(f"{path.name}.unfinished")
    try:
        yield scratch
        scratch.rename(path)
    finally:
        if scratch.is_dir():
            shutil.rmtree(scratch)
        scratch.unlink(missing_ok=True)
