"""``corollary reduce``: many columns as a few, by principal components."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from corollary.cli.model_rows import source_of
from corollary.cli.options import (
    Data,
    Decimal,
    Delimiter,
    Encoding,
    Ignore,
    Json,
    MemoryLimit,
    Out,
    Quiet,
)
from corollary.cli.prepared_columns import identifiers, prepared, read_whole
from corollary.cli.printing import heading, notes, print_json, table, working
from corollary.cli.written_tables import check_out, write_table
from corollary.core.errors import DataError, ParameterError, sentence

__all__ = ["reduce"]

EXAMPLE = "corollary reduce sensors.csv --components 0.95 --out scores.parquet"
WHO = "reduce"
SHOWN = 20  # components
WEIGHTS = 3  # columns of a component that are named


def reduce(
    data: Data,
    components: Annotated[
        str,
        typer.Option(
            "--components", "-n", help="How many, or the share of variance to keep."
        ),
    ] = "0.95",
    out: Out = None,
    ignore: Ignore = None,
    memory_limit: MemoryLimit = None,
    delimiter: Delimiter = None,
    encoding: Encoding = None,
    decimal: Decimal = None,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Replace many columns by a few, their principal components."""
    check_out(WHO, out)
    wanted = number_of_components(components)
    with working("reducing", quiet):
        read = read_whole(
            *(WHO, source_of(data), ignore),
            delimiter=delimiter,
            encoding=encoding,
            decimal=decimal,
            memory_limit=memory_limit,
        )
        ready = prepared(WHO, read)
        findings, scores = reduced(read, ready, wanted)
    notes([*read.notes, *ready.notes], quiet)
    if out is not None:
        write_table(scores, out)
    if as_json:
        print_json(findings)
        return
    shown(findings)
    if out is not None:
        typer.echo(f"wrote {out}: {scores.num_rows:,} rows")


def number_of_components(text: str) -> int | float:
    """Return a whole number >= 1, or a share between 0 and 1."""
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if 0 < value < 1:
        return value
    if value >= 1 and value == int(value):
        return int(value)
    must = "--components must be a whole number >= 1, or a share between 0 and 1"
    raise ParameterError(sentence(WHO, must, repr(text)))


def reduced(read: Any, ready: Any, wanted: int | float) -> tuple[dict[str, Any], Any]:
    """Return what the components are, and a table of their scores."""
    import numpy as np
    import pyarrow as pa

    from corollary import PCA

    X = ready.X
    if not (np.ptp(X, axis=0) > 0).any():
        must = "DATA must have a column that varies"
        raise DataError(sentence(WHO, must, "none"))
    most = min(X.shape)
    if isinstance(wanted, int) and wanted > most:
        must = f"--components must be at most {most}, the rows or columns there are"
        raise ParameterError(sentence(WHO, must, f"{wanted}"))
    model = PCA(n_components=wanted).fit(X)
    Z = model.transform(X)
    share = model.explained_variance_ratio_
    count = len(share)
    findings = {
        "title": f"{count} component{'s' if count != 1 else ''} keep "
        f"{share.sum():.1%} of the variance of {X.shape[1]:,} columns, "
        f"{len(X):,} rows",
        "rows": len(X),
        "columns": ready.names,
        "components": [
            {
                "name": f"pc{j + 1}",
                "variance": float(model.explained_variance_[j]),
                "share": float(share[j]),
                "together": float(share[: j + 1].sum()),
                "weights": heaviest(model.components_[j], ready.names),
            }
            for j in range(count)
        ],
    }
    columns = {"row": np.arange(len(X))} | identifiers(read)
    return findings, pa.table(columns | {f"pc{j + 1}": Z[:, j] for j in range(count)})


def heaviest(weights: Any, names: list[str]) -> list[dict[str, Any]]:
    """Return the columns that weigh most in a component."""
    import numpy as np

    order = np.argsort(-np.abs(weights), kind="stable")[:WEIGHTS]
    return [{"column": names[j], "weight": float(weights[j])} for j in order]


def shown(findings: dict[str, Any]) -> None:
    """Print the components."""
    heading(findings["title"])
    rows = [
        [
            one["name"],
            one["share"],
            one["together"],
            ", ".join(f"{w['weight']:+.2f} {w['column']}" for w in one["weights"]),
        ]
        for one in findings["components"][:SHOWN]
    ]
    table(["", "share", "together", "made of"], rows, widest=120)
    more = len(findings["components"]) - SHOWN
    if more > 0:
        typer.echo(f"  and {more:,} more")
