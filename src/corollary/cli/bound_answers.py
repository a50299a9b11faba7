"""Answers of ``corollary bound``: tables, JSON and pictures."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from corollary.cli.data import whole
from corollary.core.errors import ParameterError, sentence

if TYPE_CHECKING:
    from rich.table import Table

__all__ = ["Question", "show"]

WORDS = {
    "m": "rows m",
    "n": "rows n",
    "epsilon": "deviation epsilon",
    "delta": "failure rate delta",
    "hypotheses": "hypotheses",
    "d": "dimension d",
    "errors": "errors",
    "risk": "risk at most",
}
PICTURES = (".png", ".svg", ".pdf")
FACTORS = (0.25, 0.5, 1.0, 2.0, 4.0)  # of the rows in the second table
POINTS = 121


@dataclass(frozen=True)
class Question:
    """A calculator, the quantities it relates, and what else it is told."""

    title: str
    calculator: Callable[..., Any]
    given: Mapping[str, Any]
    settings: Mapping[str, Any]

    def answer(self) -> dict[str, Any]:
        """Return all quantities, the one that was left out among them."""
        value = self.calculator(**self.given, **self.settings)
        found = {**self.given, self.asked: value}
        return {name: 1 if v is None else v for name, v in found.items()}

    @property
    def asked(self) -> str:
        """The name of the quantity that was left out."""
        absent = [name for name, value in self.given.items() if value is None]
        others = [name for name in absent if name != "hypotheses"]
        return (others or absent)[0]

    @property
    def rows(self) -> str:
        """The name of the number of rows."""
        return "n" if "n" in self.given else "m"

    @property
    def height(self) -> str:
        """What is drawn over the rows: epsilon or risk, or delta if asked for."""
        if self.asked == "delta":
            return "delta"
        return "risk" if "risk" in self.given else "epsilon"

    def along(self, found: Mapping[str, Any], rows: Any) -> Any:
        """Return `height` at other numbers of rows, with the same share of errors."""
        fixed = {n: v for n, v in found.items() if n not in (self.rows, self.height)}
        if "errors" in fixed:
            import numpy as np

            counted = found["errors"] / found[self.rows] * np.asarray(rows)
            fixed["errors"] = np.floor(counted + 1e-9).astype(int)
        return self.calculator(**{self.rows: rows}, **fixed, **self.settings)


def show(question: Question, plot: Path | None, as_json: bool) -> None:
    """Print an answer as a table or as JSON, and draw it where asked to."""
    if plot is not None:
        check_picture(plot)
    found = question.answer()
    if plot is not None:
        draw(question, found, plot)
    if as_json:
        facts = {"bound": question.title, "asked": question.asked}
        facts |= {name: finite_or_text(value) for name, value in found.items()}
        typer.echo(json.dumps(facts | dict(question.settings)))
        return
    from rich.console import Console

    console = Console(highlight=False)
    console.print(quantities_table(question, found))
    if curve_exists(question, found):
        console.print(rows_table(question, found))


def quantities_table(question: Question, found: Mapping[str, Any]) -> Table:
    """Return the quantities, the one that was asked for in bold."""
    from rich.table import Table

    table = Table("quantity", "value", title=question.title)
    for name, value in found.items():
        style = "bold" if name == question.asked else None
        mark = "  <- asked" if name == question.asked else ""
        table.add_row(WORDS[name], f"{shown(value)}{mark}", style=style)
    for name, value in question.settings.items():
        table.add_row(name, f"{value}", style="dim")
    return table


def rows_table(question: Question, found: Mapping[str, Any]) -> Table:
    """Return what fewer and more rows would give."""
    from rich.table import Table

    table = Table(WORDS[question.rows], WORDS[question.height])
    for factor in FACTORS:
        rows = max(2, round(found[question.rows] * factor))
        table.add_row(shown(rows), shown(question.along(found, rows)))
    return table


def curve_exists(question: Question, found: Mapping[str, Any]) -> bool:
    """Tell whether rows are a number that more and fewer of can be had."""
    others = ("epsilon", "delta", "risk", "errors")
    sizes = [v for n, v in found.items() if n not in others]
    return (
        min(sizes) > 0 and max(sizes) != math.inf and 1 < found[question.rows] < 2**53
    )


def finite_or_text(value: Any) -> Any:
    """Return a number that JSON has, else its name."""
    return value if isinstance(value, int) or math.isfinite(value) else str(value)


def shown(value: Any) -> str:
    """Write a number for a table."""
    if isinstance(value, int):
        return f"{value:,}" if abs(value) < 10**15 else f"{value:.4g}"
    return f"{value:.4g}"


def check_picture(path: Path) -> None:
    """Refuse a picture that cannot be written, before anything is computed."""
    if path.suffix.lower() not in PICTURES:
        must = f"--plot must end in {', '.join(PICTURES)}"
        raise ParameterError(sentence("bound", must, f"{path}"))
    if path.exists():
        remedy = "Choose another name, or remove it first."
        raise ParameterError(sentence("bound", "--plot must be new", f"{path}", remedy))
    if not path.parent.is_dir():
        must = "the folder of --plot must exist"
        raise ParameterError(sentence("bound", must, f"{path.parent}"))


def draw(question: Question, found: Mapping[str, Any], path: Path) -> None:
    """Draw epsilon, or delta, over the rows, and mark the answer."""
    if not curve_exists(question, found):
        must = "a picture needs rows and hypotheses that are finite numbers above 0"
        raise ParameterError(sentence("bound", must, f"{dict(found)}"))
    try:
        from matplotlib.figure import Figure
    except ImportError:
        must = "--plot needs matplotlib"
        remedy = "Install corollary[plots]."
        raise ParameterError(sentence("bound", must, "none", remedy)) from None
    import numpy as np

    m = found[question.rows]
    rows = np.unique(np.rint(np.geomspace(max(2, m / 10), 10 * m, POINTS)))
    figure = Figure(figsize=(6.4, 4.0), layout="constrained")
    ax = figure.add_subplot()
    ax.plot(rows, question.along(found, rows))
    ax.plot([m], [question.along(found, max(2, m))], "o")
    ax.set_xscale("log")
    if question.height == "delta":
        ax.set_yscale("log")
    ax.set(xlabel=WORDS[question.rows], ylabel=WORDS[question.height])
    ax.set_title(question.title)
    with whole(path) as scratch:
        figure.savefig(scratch, format=path.suffix.lower().lstrip("."))
