"""``corollary explain``: what a method does, which method to take, and why."""

from __future__ import annotations

import re
from enum import StrEnum
from typing import Annotated, Any

import typer

from corollary.cli.options import Json, MemoryLimit, Seed
from corollary.cli.printing import heading, lines, print_json
from corollary.core.errors import ParameterError, sentence

__all__ = ["explain"]

EXAMPLE = "corollary explain --task classification --rows 500 --columns 10000"
WHO = "explain"
OTHERS = 4  # methods that are named besides
PARTS = re.compile(r"^(Also known as|Related words|Notation|Course|References?): ")
SMALL = frozenset(
    "what which when where does with that this from have should would could about "
    "into your mine their them many much best good better model models data".split()
)


class Task(StrEnum):
    """What is wanted of the data."""

    classification = "classification"
    regression = "regression"
    clustering = "clustering"
    density = "density"
    anomalies = "anomalies"
    compression = "compression"
    visualization = "visualization"


class Need(StrEnum):
    """What matters most in a model."""

    accuracy = "accuracy"
    explanation = "explanation"
    probabilities = "probabilities"
    quantiles = "quantiles"
    speed = "speed"


Words = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="METHOD",
        help="A class, a textbook name, or words that lead to one.",
        show_default=False,
    ),
]
Size = Annotated[int | None, typer.Option(min=1, help="How many there are.")]


def explain(
    words: Words = None,
    task: Annotated[
        Task | None, typer.Option(help="What is wanted: asks for a method.")
    ] = None,
    rows: Size = None,
    columns: Size = None,
    classes: Size = None,
    need: Annotated[Need, typer.Option(help="What matters most.")] = Need.accuracy,
    data: Annotated[
        str | None, typer.Option(help="Measure on these rows what suits them.")
    ] = None,
    target: Annotated[
        str | None, typer.Option("--target", "-t", help="The column to predict in it.")
    ] = None,
    sparse: Annotated[
        bool, typer.Option("--sparse", help="Cells are mostly 0, as in text.")
    ] = False,
    counts: Annotated[
        bool, typer.Option("--counts", help="The target is a count.")
    ] = False,
    outliers: Annotated[
        bool, typer.Option("--outliers", help="Some targets are far off.")
    ] = False,
    mixed: Annotated[
        bool, typer.Option("--mixed", help="Columns are of several kinds.")
    ] = False,
    large: Annotated[
        bool, typer.Option("--large", help="The rows do not fit in memory.")
    ] = False,
    seed: Seed = 0,
    memory_limit: MemoryLimit = None,
    as_json: Json = False,
) -> None:
    """Explain a method by its theory, or say which method to take, and why.

    With words: what a method does, by which equations, what else it is called.
    With --task, --rows and --columns, or with --data: which methods suit.
    """
    known = {
        "task": task and task.value,
        "n_rows": rows,
        "n_features": columns,
        "n_classes": classes,
    }
    if words:
        refuse_both(known, data)
        found, others = methods(" ".join(words))
        findings = described(found) | {"others": others[:OTHERS]}
        print_json(findings) if as_json else shown(findings)
        return
    if data is None and not any(known.values()):
        must = "a METHOD, or --task with --rows and --columns, or --data must be given"
        raise ParameterError(sentence(WHO, must, "none", f"Try {EXAMPLE}."))
    flags = {"sparse": sparse, "counts": counts, "outliers": outliers, "mixed": mixed}
    measured: dict[str, Any] = {}
    if data is not None:
        measured, kinds = measured_rows(data, target, memory_limit)
        flags |= {name: flags[name] or value for name, value in kinds.items()}
    check_known(known | measured)
    advised(known | measured | flags, need, not large, seed, as_json)


def refuse_both(known: dict[str, Any], data: str | None) -> None:
    """Refuse words together with what asks for a method."""
    if data is not None or any(known.values()):
        must = "either a METHOD or what is known of the data must be given"
        raise ParameterError(sentence(WHO, must, "both"))


def check_known(known: dict[str, Any]) -> None:
    """Refuse to advise where too little is known."""
    if known["task"] is None:
        must = "--task must be given, or --target with --data"
        raise ParameterError(sentence(WHO, must, "neither", f"Try {EXAMPLE}."))
    predicts = known["task"] in ("classification", "regression")
    if predicts and None in (known["n_rows"], known["n_features"]):
        must = f"--rows and --columns must be given for {known['task']}"
        raise ParameterError(sentence(WHO, must, "one or none of them"))


def measured_rows(
    path: str, target: str | None, memory_limit: str | None
) -> tuple[dict[str, Any], dict[str, bool]]:
    """Return the rows of a file as numbers, and what kinds of columns they have."""
    from corollary.cli.prepared_columns import prepared
    from corollary.workbench.table_reading import read_table

    read = read_table(path, target=target, memory_limit=memory_limit)
    ready = prepared(WHO, read)
    kinds = {column.kind for column in ready.used}
    found = {"X": ready.X, "n_rows": read.rows, "n_features": len(ready.used)}
    if target is not None:
        found |= {"y": read.y, "task": read.task}
    mixed = len(kinds - {"boolean", "date"}) > 1
    return found, {"mixed": mixed, "sparse": kinds == {"text"}}


def advised(
    known: dict[str, Any], need: Need, in_memory: bool, seed: int, as_json: bool
) -> None:
    """Say which method suits."""
    from corollary.diagnostics import choose_method

    found = choose_method(
        **known, need=need.value, in_memory=in_memory, random_state=seed
    )
    if as_json:
        print_json(found.to_dict())
        return
    first, *rest = str(found).splitlines()
    heading(first)
    lines(rest, 0)


def methods(question: str) -> tuple[Any, list[str]]:
    """Return the method that words lead to, and the names of others."""
    from corollary import catalogue, registry

    one = catalogue.public_entry(question)
    if one is not None:  # no other file need be read
        alike = [n for n in registry.ESTIMATORS if question in n and n != question]
        return one, alike
    found = catalogue.find(question) or by_words(question)
    if not found:
        *others, last = (repr(near) for near in catalogue.nearest(question))
        remedy = f"The nearest names are {', '.join(others)} and {last}."
        must = "a name, or a question, must hold a word that some method is known by"
        raise ParameterError(sentence(WHO, must, repr(question), remedy))
    return found[0], [entry.name for entry in found[1:]]


def by_words(question: str) -> list[Any]:
    """Return methods whose names hold most of the words of a question."""
    from corollary import catalogue

    asked = [
        word
        for word in catalogue.words(question)
        if len(word) > 3 and word not in SMALL
    ]
    points: dict[Any, float] = {}
    for word in asked:
        hits = catalogue.find(word)
        for place, entry in enumerate(hits):
            points[entry] = points.get(entry, 0.0) + 1 / len(hits) + 1e-3 / (1 + place)
    return sorted(points, key=lambda entry: (entry.rank > 1, -points[entry]))


def described(entry: Any) -> dict[str, Any]:
    """Return what is known of a method."""
    from corollary import registry

    home = registry.home(entry.module, entry.name)
    return {
        "name": entry.name,
        "summary": entry.summary,
        "known_as": list(entry.also),
        "theory": theory_of(entry),
        "source": entry.references,
        "import": f"from {home} import {entry.name.partition('.')[0]}",
    }


def theory_of(entry: Any) -> str:
    r"""Return the theory that a method's file opens with, without its lists.

    >>> text = "Title.\n\nAlso known as: it.\n\nMinimise  J (1)\n\nCourse: S1-1."
    >>> paragraphs(text)
    'Minimise  J (1)'
    """
    import ast

    tree = ast.parse(entry.file.read_text(encoding="utf-8"))
    return paragraphs(ast.get_docstring(tree) or "")


def paragraphs(text: str) -> str:
    """Return the paragraphs of a docstring that explain; its notation comes last."""
    _, *rest = re.split(r"\n\s*\n", text)
    kept = [part for part in rest if not PARTS.match(part)]
    notation = [part for part in rest if part.startswith("Notation: ")]
    ends = [re.split(r"\n(?=Course: |References?: )", part)[0] for part in notation]
    return "\n\n".join([*kept, *ends]).strip()


def shown(findings: dict[str, Any]) -> None:
    """Print what is known of a method."""
    heading(f"{findings['name']}: {findings['summary']}")
    if findings["known_as"]:
        lines([f"known as  {', '.join(findings['known_as'])}"])
    if findings["theory"]:
        typer.echo("")
        lines(findings["theory"].splitlines())
        typer.echo("")
    lines([f"use       {findings['import']}"])
    if findings["source"]:
        lines([f"source    {findings['source']}"])
    if findings["others"]:
        lines([f"see also  {', '.join(findings['others'])}"])
