"""``corollary certify``: what error to expect of a model, and with what confidence."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Annotated, Any

import typer

from corollary.cli.model_rows import given_model, groups_of, known_rows, seen_share
from corollary.cli.options import (
    Data,
    Delimiter,
    Delta,
    Encoding,
    Json,
    MemoryLimit,
    Model,
    Quiet,
)
from corollary.cli.printing import heading, lines, notes, working
from corollary.core.errors import DataError, ParameterError, sentence

__all__ = ["certify"]

EXAMPLE = "corollary certify data-corollary new.csv --delta 0.05"
WHO = "certify"


def certify(
    model: Model,
    data: Data,
    delta: Delta = 0.05,
    largest_loss: Annotated[
        float | None,
        typer.Option(
            help="Errors of numbers count up to this; it must not be chosen on DATA.",
            show_default="largest error out of fold",
        ),
    ] = None,
    models_tried: Annotated[
        int, typer.Option(help="Models that DATA was used to choose among.")
    ] = 1,
    memory_limit: MemoryLimit = None,
    delimiter: Delimiter = None,
    encoding: Encoding = None,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Prove a bound on the error of a model, by rows that it has not seen.

    The rows must be in the order in which they came, with their target.
    """
    with working("judging the model", quiet):
        found = given_model(WHO, model)
        rows = known_rows(
            *(WHO, found, data),
            delimiter=delimiter,
            encoding=encoding,
            memory_limit=memory_limit,
        )
        refuse_seen(found, rows)
        certificate = certified(found, rows, delta, largest_loss, models_tried)
    unknown = getattr(found, "seen_", None) is None
    known = ["the model does not know its training rows; take care that these are new."]
    notes([*rows.notes, *(known if unknown else [])], quiet)
    if as_json:
        typer.echo(json.dumps(json.loads(certificate.to_json())))
    else:
        first, *rest = str(certificate).splitlines()
        heading(first)
        lines(rest, 0)


def refuse_seen(model: Any, rows: Any) -> None:
    """Refuse rows that the model was fitted to."""
    share = seen_share(model, rows)
    if share:
        must = "DATA must be rows that the model was not fitted to"
        came = f"about {round(share * len(rows.y)):,} of {len(rows.y):,} that it was"
        remedy = "Hold rows out before the fit, or collect new ones."
        raise DataError(sentence(WHO, must, came, remedy))


def certified(
    model: Any, rows: Any, delta: float, largest: float | None, tried: int
) -> Any:
    """Return the certificate that these rows prove."""
    from corollary.theory import certify as prove

    if model.schema.task == "classification":
        if largest is not None:
            must = "--largest-loss must be left out for a model of classes"
            raise ParameterError(sentence(WHO, must, f"{largest:g}"))
    elif largest is None:
        scores = model.scores_
        largest = float(scores[-1]) if len(scores) and scores[-1] > 0 else None
    found = prove(
        model.fitted_,
        rows.table,
        rows.y,
        delta=delta,
        largest_loss=largest,
        models_tried=tried,
        groups=groups_of(model, rows),
    )
    return replace(found, model=f"model of {model.schema.target}")
