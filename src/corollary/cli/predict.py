"""``corollary predict``: the answers of a model for new rows, and how sure they are."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any

import typer

from corollary.cli.model_rows import (
    answers_of,
    given_model,
    new_rows,
    row_parts,
    whole_numbers,
)
from corollary.cli.options import (
    Data,
    Delimiter,
    Delta,
    Encoding,
    Json,
    MemoryLimit,
    Model,
    Out,
    Quiet,
)
from corollary.cli.printing import lines, notes, print_json, table, working
from corollary.cli.written_tables import check_out, write_table, write_tables
from corollary.core.errors import DataError, MemoryLimitError, ParameterError, sentence

__all__ = ["predict"]

EXAMPLE = "corollary predict data-corollary new.csv --out answers.csv"
WHO = "predict"
SHOWN = 10  # rows
MOST_NOTES = 20  # of a file that is read in parts


def predict(
    model: Model,
    data: Data,
    out: Out = None,
    delta: Delta = 0.1,
    proba: Annotated[
        bool, typer.Option("--proba", help="Give the probability of every class.")
    ] = False,
    memory_limit: MemoryLimit = None,
    delimiter: Delimiter = None,
    encoding: Encoding = None,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Answer for new rows, with prediction sets or intervals."""
    check_out(WHO, out)
    check_delta(WHO, delta)
    reading = {
        "delimiter": delimiter,
        "encoding": encoding,
        "memory_limit": memory_limit,
    }
    in_parts: tuple[list[str], int] | None = None
    with working("predicting", quiet):
        found = given_model(WHO, model)
        if proba and found.schema.task == "regression":
            must = "--proba must be left out for a model of numbers"
            raise ParameterError(sentence(WHO, must, "--proba"))
        try:
            rows = new_rows(found, data, **reading)
        except MemoryLimitError:
            if out is None or as_json or "-" in data:
                raise
            parts = row_parts(found, data, **reading)
            in_parts = by_parts(found, parts, delta, proba, out)
        else:
            answers = answer_table(found, rows, delta, proba)
            if out is not None:
                write_table(answers, out)
    if in_parts is not None:
        notes(in_parts[0], quiet)
        typer.echo(f"wrote {out}: {in_parts[1]:,} rows, read in parts")
        return
    notes(rows.notes, quiet)
    if as_json:
        print_json(json_of(found, answers, delta))
    elif out is None:
        shown(answers, found, delta)
    else:
        typer.echo(f"wrote {out}: {answers.num_rows:,} rows, {columns_of(answers)}")


def by_parts(
    model: Any, parts: Iterator[Any], delta: float, proba: bool, out: Path
) -> tuple[list[str], int]:
    """Answer part by part, for files larger than memory; return notes and rows."""
    said: dict[str, None] = {}
    rows = 0

    def answers() -> Iterator[Any]:
        nonlocal rows
        for part in parts:
            said.update(dict.fromkeys(part.notes))
            if part.table.num_rows:
                yield answer_table(model, part, delta, proba, rows)
                rows += part.table.num_rows
        if not rows:
            raise DataError(sentence(WHO, "DATA must hold rows", "none"))

    write_tables(answers(), out)
    return list(said)[:MOST_NOTES], rows


def check_delta(who: str, delta: float) -> None:
    """Refuse a rate of failure that makes no sense."""
    if not 0 < delta < 1:
        must = "--delta must be a number between 0 and 1"
        raise ParameterError(sentence(who, must, f"{delta:g}"))


def answer_table(
    model: Any, rows: Any, delta: float, proba: bool, first: int | None = None
) -> Any:
    """Return a table of answers: row, what names the row, answer, how sure.

    The types of all columns are the same for every part of a file that is read in parts
    from its `first` row on.
    """
    import numpy as np
    import pyarrow as pa

    from corollary.workbench.results import answer_columns

    answers = answers_of(model, rows.table)
    classes = model.classes_ if answers.ndim == 2 else None
    columns = {"row": np.arange(len(answers)) + (first or 0)}
    columns |= identifiers(model, rows, first is None)
    found = answer_columns(answers, classes, model.width(delta))
    columns["prediction"] = found.pop("prediction")
    if answers.ndim == 2:
        columns["probability"] = answers.max(axis=1)
        columns["set"] = found.pop("set")
    if answers.ndim == 1 or proba:
        columns |= found
    return pa.table(columns)


def identifiers(model: Any, rows: Any, whole: bool) -> dict[str, Any]:
    """Return the columns that name the rows, whole numbers as such where asked."""
    as_such = whole_numbers if whole else lambda values: values
    return {
        column.name: as_such(rows.others[column.name])
        for column in model.schema.columns
        if column.role == "identifier" and column.name in rows.others
    }


def columns_of(answers: Any) -> str:
    """Name the columns, the first few of many."""
    names = answers.column_names
    more = f" and {len(names) - 6:,} more" if len(names) > 6 else ""
    return f"columns {', '.join(names[:6])}{more}"


def shown(answers: Any, model: Any, delta: float) -> None:
    """Print the first rows, and how many there are."""
    few = answers.slice(0, SHOWN).to_pylist()
    names = answers.column_names
    table(names, [[row[name] for name in names] for row in few])
    n = answers.num_rows
    more = f"{n:,} rows" if n <= SHOWN else f"the first {SHOWN} of {n:,} rows"
    kind = "set" if "set" in names else "interval"
    words = f"each {kind} holds the truth in about {1 - delta:.0%} of all cases"
    lines([f"{more}; {words}; predicted: {model.schema.target}"], 0)


def json_of(model: Any, answers: Any, delta: float) -> dict[str, Any]:
    """Return all answers as plain values."""
    return {
        "target": model.schema.target,
        "task": model.schema.task,
        "delta": delta,
        "rows": answers.num_rows,
        "predictions": answers.to_pylist(),
    }
