"""Options that several verbs share, each said once."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

__all__ = [
    "Data",
    "Decimal",
    "Delimiter",
    "Delta",
    "Encoding",
    "Ignore",
    "Json",
    "MemoryLimit",
    "Model",
    "Out",
    "Quiet",
    "Seed",
]

Model = Annotated[
    Path,
    typer.Argument(
        help="A model file, or the folder that corollary fit has written.",
        show_default=False,
    ),
]
Data = Annotated[
    list[str],
    typer.Argument(
        help="CSV, TSV, Parquet, Arrow or JSON; several, a glob, or - for the "
        "standard input.",
        show_default=False,
    ),
]
Out = Annotated[
    Path | None,
    typer.Option(
        "--out", "-o", help="Write all rows to this .parquet, .csv, .json or .jsonl."
    ),
]
Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]
Quiet = Annotated[
    bool, typer.Option("--quiet", "-q", help="Show no progress and no notes.")
]
Seed = Annotated[int, typer.Option(min=0, help="Of all random draws.")]
Delta = Annotated[
    float, typer.Option(help="How often a set, an interval or a bound may fail.")
]
MemoryLimit = Annotated[
    str | None, typer.Option(help="Memory that may be taken, such as 2GB.")
]
Delimiter = Annotated[str | None, typer.Option(help="Between two values.")]
Encoding = Annotated[str | None, typer.Option(help="Of text files.")]
Decimal = Annotated[str | None, typer.Option(help="Decimal sign, . or ,")]
Ignore = Annotated[
    list[str] | None, typer.Option(help="A column that must not be used.")
]
