"""``corollary evaluate``: how good a model is on rows whose target is known."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from corollary.cli.model_rows import (
    answers_of,
    given_model,
    known_rows,
    seen_share,
    seen_words,
)
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
from corollary.cli.predict import check_delta
from corollary.cli.printing import (
    heading,
    lines,
    notes,
    number,
    print_json,
    table,
    working,
)
from corollary.cli.scores import coverage_of, known_classes, scores_of, summary_of

__all__ = ["evaluate"]

EXAMPLE = "corollary evaluate data-corollary new.csv"
WHO = "evaluate"


def evaluate(
    model: Model,
    data: Data,
    delta: Delta = 0.05,
    set_delta: Annotated[
        float, typer.Option(help="How often a prediction set may miss.")
    ] = 0.1,
    memory_limit: MemoryLimit = None,
    delimiter: Delimiter = None,
    encoding: Encoding = None,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Judge a model on rows with their target: scores with intervals, what it errs on.

    The rows must not be those that the model was fitted to.
    """
    check_delta(WHO, delta)
    check_delta(WHO, set_delta)
    with working("asking the model", quiet):
        found = given_model(WHO, model)
        rows = known_rows(
            *(WHO, found, data),
            delimiter=delimiter,
            encoding=encoding,
            memory_limit=memory_limit,
        )
        judged = judgement(found, rows, delta, set_delta)
    notes(rows.notes + judged.pop("notes"), quiet)
    text = judged.pop("text", "")
    if as_json:
        print_json(judged)
    else:
        shown(judged, text)


def judgement(model: Any, rows: Any, delta: float, set_delta: float) -> dict[str, Any]:
    """Return scores, what is mistaken for what or how large errors are, coverage."""
    from corollary.diagnostics import confusion

    answers = answers_of(model, rows.table)
    found: dict[str, Any] = {
        "target": model.schema.target,
        "task": model.schema.task,
        "rows": len(rows.y),
        "delta": delta,
        "notes": seen_words(seen_share(model, rows)),
        "scores": [
            {
                "name": one.name.partition(" (")[0],
                "value": one.value,
                "low": one.low,
                "high": one.high,
                "kind": one.kind,
            }
            for one in scores_of(model, rows.y, answers, delta)
        ],
        "coverage": coverage_of(model, rows.y, answers, set_delta, delta),
    }
    if answers.ndim == 1:
        found["errors"] = summary_of(rows.y, answers)
        return found
    found["notes"] += known_classes(model, rows.y)[1]
    confused = confusion(rows.y, model.classes_[answers.argmax(axis=1)])
    found["confusion"] = confused.to_findings()
    found["text"] = str(confused)
    return found


def shown(judged: dict[str, Any], text: str) -> None:
    """Print a judgement; what is mistaken for what is told by the text."""
    rows, delta = judged["rows"], judged["delta"]
    heading(f"{judged['target']}: {rows:,} rows, confidence {1 - delta:g} each")
    table(
        ["score", "value", "from", "to", ""],
        [
            [one["name"], one["value"], one["low"], one["high"], one["kind"]]
            for one in judged["scores"]
        ],
    )
    lines(coverage_words(judged))
    if "confusion" in judged:
        lines(text.splitlines())
        return
    errors = judged["errors"]
    lines(
        [
            f"errors: on average {number(errors['mean'])} "
            f"(standard error {number(errors['standard_error'])}), half within "
            f"{number(errors['half_within'])}, nine tenths within "
            f"{number(errors['nine_tenths_within'])}, the largest "
            f"{number(errors['largest'])}",
            f"always answering their mean would give an RMSE of "
            f"{number(errors['rmse_of_the_mean'])}",
        ]
    )


def coverage_words(judged: dict[str, Any]) -> list[str]:
    """Say how often prediction sets hold the truth, and how large they are."""
    found = judged["coverage"]
    two = judged["task"] == "classification"
    kind = "sets" if two else "intervals"
    size = number(found["mean_size"])
    large = f"{size} classes on average" if two else f"{size} wide"
    share = f"{found['value']:.1%} [{found['low']:.1%}, {found['high']:.1%}]"
    promised = f"{found['promised']:.0%}"
    return [f"prediction {kind}: {share} hold the truth, of {promised}; {large}"]
