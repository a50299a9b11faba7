"""``corollary demo``: a first look at some learners, their reports, and the engine."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from corollary.cli.promise import TOLERANCE, compare, round_trips

if TYPE_CHECKING:
    from rich.console import Console

__all__ = ["demo"]


def demo() -> None:
    """Fit some learners on bundled data and show that scale does not change answers."""
    from rich.console import Console

    console = Console(highlight=False)
    models = []
    for about, score, model in examples():
        _show(console, about, score, model)
        models.append(model)
    with tempfile.TemporaryDirectory(prefix="corollary-") as folder:
        same = _promise(console, Path(folder))
        unchanged = _saved(console, models, Path(folder))
    if not (same and unchanged):
        raise typer.Exit(1)


def examples() -> list[tuple[str, str, Any]]:
    """Fit three learners to bundled data: what it is, a score, the model."""
    import numpy as np

    from corollary import SVC, KMeans, LinearRegression, datasets

    X, _, centres = datasets.blobs(1500, 8, 4, random_state=1)
    k_means = KMeans(n_clusters=len(centres), random_state=0).fit(X)
    longley = datasets.longley()
    line = LinearRegression().fit(longley.X, longley.y)
    digits = datasets.certified_digits(np.r_[line.intercept_, line.coef_], longley.coef)
    moons, side = datasets.two_moons(800, random_state=0)
    machine = SVC().fit(moons[:400], side[:400])
    right = machine.score(moons[400:], side[400:])
    return [
        (
            f"1,500 rows of 8 columns around {len(centres)} centres",
            f"inertia {k_means.inertia_:.4g}",
            k_means,
        ),
        ("Longley's table of employment", f"{digits:.1f} certified digits", line),
        (
            "400 points of two interleaved moons",
            f"accuracy on 400 new points: {right:.1%}",
            machine,
        ),
    ]


def _show(console: Console, about: str, score: str, model: Any) -> None:
    from rich.text import Text

    console.print(Text(type(model).__name__, style="bold"))
    for label, words in (("data", about), ("score", score)):
        console.print(Text(f"  {label:<13} {words}"), soft_wrap=True)
    first, *rest = str(model.report_).splitlines()
    console.print(Text(f"  stopped       {first.partition(': ')[2]}"), soft_wrap=True)
    for line in rest:
        console.print(Text(line), soft_wrap=True)
    console.print()


def _promise(console: Console, folder: Path) -> bool:
    """Show that the answer does not depend on the source or the executor."""
    from rich.table import Table

    title = "One learner for every scale: 60,000 rows, fitted from"
    table = Table("model", "source", "executor", "largest difference", title=title)
    comparisons = compare(folder)
    for row in comparisons:
        shown = "the reference" if row.difference is None else f"{row.difference:.1e}"
        table.add_row(row.model, row.source, row.executor, shown)
    console.print(table)
    worst = max(row.difference or 0.0 for row in comparisons)
    verdict = "the same answer" if worst <= TOLERANCE else "NOT THE SAME ANSWER"
    console.print(
        f"{verdict}: no parameter is off by more than {worst:.1e} of its size"
    )
    return worst <= TOLERANCE


def _saved(console: Console, models: list[Any], folder: Path) -> bool:
    """Show that every model comes back from its file as it was."""
    same = all(round_trips(model, folder / "model.corollary") for model in models)
    verdict = "come back from their files unchanged" if same else "DO NOT COME BACK"
    console.print(f"saved and loaded: all {len(models)} models {verdict}")
    return same
