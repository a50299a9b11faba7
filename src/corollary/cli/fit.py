"""``corollary fit``: from a data file to a model, a diagnosis and a certificate."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from corollary.cli.options import (
    Data,
    Decimal,
    Delimiter,
    Encoding,
    Ignore,
    Json,
    MemoryLimit,
    Quiet,
    Seed,
)

__all__ = ["fit"]

EXAMPLE = "corollary fit customers.csv --target churn"
INTERRUPTED = 130  # exit code

Target = Annotated[
    str,
    typer.Option("--target", "-t", help="The column to predict.", show_default=False),
]
Folder = Annotated[
    Path | None,
    typer.Option(
        "--out", "-o", help="Folder of the results.", show_default="NAME-corollary"
    ),
]
Group = Annotated[str | None, typer.Option(help="A column whose rows belong together.")]
Time = Annotated[str | None, typer.Option(help="A column that orders the rows.")]
Task = Annotated[
    str | None, typer.Option(help="classification or regression; found by itself.")
]
Metric = Annotated[
    str | None,
    typer.Option(help="log loss, accuracy, balanced accuracy; rmse, mae, r2."),
]
TimeBudget = Annotated[float, typer.Option(help="Seconds.")]
TestSize = Annotated[
    float, typer.Option(help="Share of rows that are locked away as a test.")
]


def fit(
    data: Data,
    target: Target,
    out: Folder = None,
    group: Group = None,
    time: Time = None,
    task: Task = None,
    metric: Metric = None,
    ignore: Ignore = None,
    time_budget: TimeBudget = 300.0,
    test_size: TestSize = 0.2,
    seed: Seed = 0,
    memory_limit: MemoryLimit = None,
    delimiter: Delimiter = None,
    encoding: Encoding = None,
    decimal: Decimal = None,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Turn a data file into a model, a diagnosis and a certificate."""
    import json

    from corollary.core.configuration import bytes_of
    from corollary.workbench import run
    from corollary.workbench.display import display

    place = folder_of(data, out)
    with display(time_budget, quiet=quiet or as_json) as show:
        found = run(
            sources(data),
            target,
            group=group,
            time=time,
            task=task,
            metric=metric,
            ignore=tuple(ignore or ()),
            time_budget=time_budget,
            test_size=test_size,
            random_state=seed,
            memory_limit=bytes_of(memory_limit),
            folder=place,
            show=show,
            command=shlex.join(["corollary", *sys.argv[1:]]),
            **reading(delimiter, encoding, decimal),
        )
    if as_json:
        typer.echo(json.dumps(found.findings, allow_nan=False, ensure_ascii=False))
    else:
        shown(found, place)
    if found.race.interrupted:
        raise typer.Exit(INTERRUPTED)


def sources(data: list[str]) -> Any:
    """Return one path as it is, several as a list."""
    return data[0] if len(data) == 1 else list(data)


def reading(
    delimiter: str | None, encoding: str | None, decimal: str | None
) -> dict[str, Any]:
    """Return the options of reading that were given."""
    given = {"delimiter": delimiter, "encoding": encoding, "decimal": decimal}
    return {name: value for name, value in given.items() if value is not None}


def folder_of(data: list[str], out: Path | None) -> Path:
    """Return where the results go: as asked for, or to a folder named by the data."""
    if out is not None:
        return out
    first = Path(data[0]).name if data[0] != "-" else "stdin"
    stem = first.split(".")[0].strip("*?[]") or "data"
    return Path(f"{stem}-corollary")


def shown(found: Any, place: Path) -> None:
    """Print the verdict, and where the files are."""
    from rich.console import Console
    from rich.text import Text

    from corollary.workbench.results import FILES

    console = Console(highlight=False)
    head, *rest = str(found).splitlines()
    console.print(Text(head, style="bold"), soft_wrap=True)
    for line in rest:
        console.print(Text(line), soft_wrap=True)
    console.print(Text(f"  {'written':<12} {', '.join(FILES)}"), soft_wrap=True)
    console.print(Text(f"  {'read':<12} {place / FILES[2]}"), soft_wrap=True)
