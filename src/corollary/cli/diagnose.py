"""``corollary diagnose``: what holds a model back, or how two files differ."""

from __future__ import annotations

import time
from typing import Annotated, Any

import typer

from corollary.cli.model_rows import (
    answers_of,
    given_model,
    groups_of,
    known_rows,
    new_rows,
    seen_share,
    seen_words,
    with_target,
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
    Seed,
)
from corollary.cli.predict import check_delta
from corollary.cli.printing import heading, lines, notes, number, print_json, working
from corollary.cli.scores import scores_of

__all__ = ["diagnose"]

EXAMPLE = "corollary diagnose data-corollary data.csv"
WHO = "diagnose"
SHOWN = 12  # columns that have drifted
SHARE = 0.6  # of the time for the diagnosis; the rest is for trying what it advises


def diagnose(
    model: Model,
    data: Data,
    against: Annotated[
        str | None,
        typer.Option(help="Compare DATA with this file instead: has anything drifted?"),
    ] = None,
    time_budget: Annotated[float, typer.Option(help="Seconds.")] = 30.0,
    delta: Delta = 0.05,
    seed: Seed = 0,
    memory_limit: MemoryLimit = None,
    delimiter: Delimiter = None,
    encoding: Encoding = None,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Say what holds a model back and what to try, from rows with their target.

    The best member of the model is fitted to parts of DATA, again and again;
    its faults are told apart by what that brings.
    With --against two sets of rows are compared instead, column by column and
    as a whole; they need no target.
    """
    check_delta(WHO, delta)
    reading = {
        "delimiter": delimiter,
        "encoding": encoding,
        "memory_limit": memory_limit,
    }
    found = given_model(WHO, model)
    if against is not None:
        with working("comparing", quiet):
            said, findings = drifted(found, data, against, delta, seed, reading)
    else:
        with working(f"measuring, for {time_budget:g} s at most", quiet):
            said, findings = diagnosed(found, data, time_budget, seed, reading)
    notes(said, quiet)
    text = findings.pop("text")
    if as_json:
        print_json(findings)
    else:
        heading(findings["title"])
        lines(text.splitlines(), 0)


def diagnosed(
    model: Any, data: list[str], budget: float, seed: int, reading: dict[str, Any]
) -> tuple[list[str], dict[str, Any]]:
    """Return notes, and the diagnosis of the best member on these rows."""
    from corollary import diagnostics

    rows = known_rows(WHO, model, data, **reading)
    name, pipeline = best_member(model)
    begun = time.monotonic()
    found = diagnostics.diagnose(
        *(pipeline, rows.table, rows.y),
        groups=groups_of(model, rows),
        time=groups_of(model, rows, "time"),
        time_budget=SHARE * budget,
        random_state=seed,
    )
    left = max(begun + budget - time.monotonic(), 0.1)
    found = diagnostics.try_actions(
        *(pipeline, rows.table, rows.y, found), time_budget=left
    )
    head = f"{model.schema.target}: {name} on {len(rows.y):,} rows"
    losses = {
        "words": found.loss,
        "training": found.training,
        "validation": found.validation,
        "reference": found.reference,
        "baseline": found.baseline,
    }
    findings = found.to_findings() | {
        "rows": len(rows.y),
        "member": name,
        "loss": losses,
    }
    return rows.notes, findings | {"title": head, "text": str(found)}


def best_member(model: Any) -> tuple[str, Any]:
    """Return the member of the largest weight, unfitted, and the name of its class."""
    from sklearn.base import clone

    vote = model.fitted_
    members = getattr(vote, "estimators_", [vote])
    weights = getattr(vote, "weights", None) or [1.0] * len(members)
    best = members[max(range(len(members)), key=lambda place: weights[place])]
    if not hasattr(best, "steps"):  # the mean of the models of all folds
        best = getattr(best, "estimators_", [best])[0]
    learner = best.steps[-1][1] if hasattr(best, "steps") else best
    inner = getattr(learner, "regressor", None) or learner
    return type(inner).__name__, clone(best)


def drifted(
    model: Any,
    data: list[str],
    against: str,
    delta: float,
    seed: int,
    reading: dict[str, Any],
) -> tuple[list[str], dict[str, Any]]:
    """Return notes, and how the rows of two files differ."""
    from corollary import diagnostics

    first = new_rows(model, data, **reading)
    second = new_rows(model, [against], **reading)
    found = diagnostics.drift(first.table, second.table, delta=delta, random_state=seed)
    columns = [
        {
            "column": one.column,
            "test": one.test,
            "effect": one.effect,
            "p_value": one.p_value,
            "adjusted": one.adjusted,
            "drifted": one.drifted,
            "words": one.words,
        }
        for one in found.columns
    ]
    area = found.auc and {"value": found.auc.value, "low": found.auc.low}
    findings: dict[str, Any] = {
        "title": found.sentence,
        "drifted": found.shifted,
        "rows": list(found.rows),
        "delta": delta,
        "area": area,
        "columns": columns,
        "new_categories": dict(found.new_categories),
    }
    seen, findings["scores"] = both_scores(model, first, second, delta)
    findings["text"] = "\n".join(drift_lines(found, findings["scores"]))
    return [*first.notes, *second.notes, *seen], findings


def both_scores(
    model: Any, first: Any, second: Any, delta: float
) -> tuple[list[str], list[Any]]:
    """Return notes, and scores on both files where both have the target."""
    sides = (first.target, second.target)
    if any(one is None or one.null_count == len(one) for one in sides):
        return [], []
    found, said = [], []
    for rows in (first, second):
        known = with_target(WHO, model, rows)
        said += seen_words(seen_share(model, known))
        answers = answers_of(model, known.table)
        scores = scores_of(model, known.y, answers, delta)
        found.append({one.name.partition(" (")[0]: one for one in scores})
    return said, [
        {
            "name": name,
            "first": [one.value, one.low, one.high],
            "second": [other.value, other.low, other.high],
        }
        for name, one in found[0].items()
        if (other := found[1].get(name)) is not None
    ]


def drift_lines(found: Any, scores: list[Any]) -> list[str]:
    """Return the columns that have drifted, and scores on both sides."""
    lines = [f"  {one}" for one in found.drifted[:SHOWN]]
    if len(found.drifted) > SHOWN:
        lines.append(f"  and {len(found.drifted) - SHOWN:,} more")
    for name, rows in found.new_categories:
        lines.append(f"  {name}: {rows:,} rows hold a category that is new")
    for one in scores:
        sides = [
            f"{number(value)} [{number(low)}, {number(high)}]"
            for value, low, high in (one["first"], one["second"])
        ]
        lines.append(f"  {one['name']}: {sides[0]} before, {sides[1]} now")
    return lines
