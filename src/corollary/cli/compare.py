"""``corollary compare``: which of two models is better, or whether it may be chance."""

from __future__ import annotations

import contextlib
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any

import typer

from corollary.cli.model_rows import (
    answers_of,
    given_model,
    groups_of,
    known_rows,
    seen_share,
)
from corollary.cli.options import Data, Delimiter, Encoding, Json, MemoryLimit, Quiet
from corollary.cli.printing import heading, notes, print_json, table, working
from corollary.cli.scores import known_classes, scores_of
from corollary.core.errors import DataError, ParameterError, sentence

__all__ = ["compare"]

EXAMPLE = "corollary compare old/model.corollary new/model.corollary test.csv"
WHO = "compare"
LEVEL = 0.05  # of all tests together

First = Annotated[
    Path, typer.Argument(help="A model of corollary fit.", show_default=False)
]
Second = Annotated[
    Path, typer.Argument(help="Another one of the same target.", show_default=False)
]


def compare(
    model_a: First,
    model_b: Second,
    data: Data,
    memory_limit: MemoryLimit = None,
    delimiter: Delimiter = None,
    encoding: Encoding = None,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Compare two models on the same rows, by paired tests.

    The rows must be such that neither model was fitted to them.
    """
    reading = {
        "delimiter": delimiter,
        "encoding": encoding,
        "memory_limit": memory_limit,
    }
    with working("asking both models", quiet), read_twice(data) as sources:
        models = [given_model(WHO, path) for path in (model_a, model_b)]
        check_alike(*models)
        rows = [known_rows(WHO, one, sources, **reading) for one in models]
        check_same_targets(*rows)
        findings = compared(models, rows)
    notes([note for one in rows for note in one.notes] + findings.pop("notes"), quiet)
    if as_json:
        print_json(findings)
    else:
        shown(findings)


@contextlib.contextmanager
def read_twice(data: list[str]) -> Iterator[list[str]]:
    """Keep the standard input in a file for as long as it is read."""
    if "-" not in data:
        yield data
        return
    with tempfile.TemporaryDirectory(prefix="corollary-") as folder:
        place = Path(folder) / "standard input"
        place.write_bytes(sys.stdin.buffer.read())
        yield [str(place) if one == "-" else one for one in data]


def check_alike(first: Any, second: Any) -> None:
    """Refuse models that answer different questions."""
    for what in ("target", "task"):
        one, other = (getattr(model.schema, what) for model in (first, second))
        if one != other:
            must = f"both models must have the same {what}"
            raise ParameterError(sentence(WHO, must, f"{one!r} and {other!r}"))


def check_same_targets(first: Any, second: Any) -> None:
    """Refuse targets that the models do not read alike."""
    import numpy as np

    if len(first.y) != len(second.y) or not np.array_equal(first.y, second.y):
        must = "both models must read the target alike"
        raise DataError(sentence(WHO, must, "different targets"))
    if len(first.y) < 2:
        must = "DATA must have 2 rows or more"
        raise DataError(sentence(WHO, must, f"{len(first.y)}"))


def compared(models: list[Any], rows: list[Any]) -> dict[str, Any]:
    """Return the scores of both models, and tests of their difference."""
    y = rows[0].y
    answers = [
        answers_of(model, one.table) for model, one in zip(models, rows, strict=True)
    ]
    said = [
        f"model {name} was fitted to about {share:.0%} of these rows: no fair test."
        for name, model, one in zip("AB", models, rows, strict=True)
        if (share := seen_share(model, one))
    ]
    if groups_of(models[0], rows[0]) is not None:
        said.append("rows of one group vary together; the tests do not know that.")
    two = models[0].schema.task == "classification"
    tests = class_tests(models, y, answers) if two else number_tests(y, answers)
    scores = [
        {
            one.name.partition(" (")[0]: one.value
            for one in scores_of(model, y, found, LEVEL)
        }
        for model, found in zip(models, answers, strict=True)
    ]
    return {
        "verdict": verdict(tests, len(y)),
        "target": models[0].schema.target,
        "rows": len(y),
        "scores": [{"name": n, "a": v, "b": scores[1].get(n)} for n, v in
                   scores[0].items()],
        "tests": [
            {
                "what": what,
                "test": test.name,
                "difference": test.difference,
                "low": test.low,
                "high": test.high,
                "p_value": test.p_value,
            }
            for what, test in tests.items()
        ],
        "notes": said,
    }  # fmt: skip


def class_tests(models: list[Any], y: Any, answers: list[Any]) -> dict[str, Any]:
    """Test the errors (McNemar) and the log losses (paired t)."""
    import numpy as np

    from corollary.selection import mcnemar

    labels = [
        m.classes_[P.argmax(axis=1)] for m, P in zip(models, answers, strict=True)
    ]
    tests = {"errors": mcnemar(y, *labels)}
    known = np.logical_and(*(known_classes(model, y)[0] for model in models))
    if known.sum() > 1:
        losses = [
            -np.log(
                np.clip(P[known, np.searchsorted(model.classes_, y[known])], 1e-15, 1.0)
            )
            for model, P in zip(models, answers, strict=True)
        ]
        tests["log loss"] = paired_t(*losses)
    return tests


def number_tests(y: Any, answers: list[Any]) -> dict[str, Any]:
    """Test the squared and the absolute errors (paired t)."""
    import numpy as np

    return {
        "squared error": paired_t(*((y - f) ** 2 for f in answers)),
        "absolute error": paired_t(*(np.abs(y - f) for f in answers)),
    }


def paired_t(first: Any, second: Any) -> Any:
    """Test whether two losses of the same rows have the same mean.

    >>> import numpy as np
    >>> found = paired_t(np.array([1.0, 2.0, 3.0]), np.array([1.5, 2.5, 3.2]))
    >>> round(found.difference, 3), round(found.p_value, 4)
    (-0.4, 0.0572)
    """
    import numpy as np
    from scipy import stats

    from corollary.selection.paired_test import PairedTest

    apart = first - second
    n, mean = len(apart), float(apart.mean())
    error = float(apart.std(ddof=1)) / np.sqrt(n)
    if error == 0:  # the same answers, or one that is always worse by the same
        p = 1.0 if mean == 0 else 0.0
        return PairedTest("paired t test", 0.0, p, mean, mean, mean, 1 - LEVEL)
    t = mean / error
    half = float(stats.t.isf(LEVEL / 2, n - 1)) * error
    p = float(2 * stats.t.sf(abs(t), n - 1))
    ends = mean - half, mean + half
    return PairedTest("paired t test", t, p, mean, *ends, 1 - LEVEL, (n - 1.0,))


def verdict(tests: dict[str, Any], n: int) -> str:
    """Say in one sentence which model is better; all tests together err in 5%."""
    sure = {w: t for w, t in tests.items() if t.p_value * len(tests) <= LEVEL}
    if not sure:
        return f"No difference beyond chance was found on {n:,} rows."
    better = {what: "B" if test.difference > 0 else "A" for what, test in sure.items()}
    words = [f"{what} (p = {test.p_value:.2g})" for what, test in sure.items()]
    if len(set(better.values())) == 1:
        name = next(iter(better.values()))
        return f"Model {name} is better, by {' and '.join(words)}, on {n:,} rows."
    each = [f"{b} by {w}" for b, w in zip(better.values(), words, strict=True)]
    return f"Neither model is better in all: {' and '.join(each)}, on {n:,} rows."


def shown(findings: dict[str, Any]) -> None:
    """Print a comparison."""
    heading(findings["verdict"])
    table(
        ["score", "A", "B"],
        [[one["name"], one["a"], one["b"]] for one in findings["scores"]],
    )
    table(
        ["loss of A less B", "difference", "from", "to", "p", ""],
        [
            [
                one["what"],
                one["difference"],
                one["low"],
                one["high"],
                one["p_value"],
                one["test"],
            ]
            for one in findings["tests"]
        ],
    )
