"""``corollary bound ...``: how many rows, how large an error, with what confidence.

Every calculator takes all quantities but one and returns the one that is left out, with
a table of what more or fewer rows would give.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from corollary.cli.data import whole
from corollary.core.errors import ParameterError, sentence

if TYPE_CHECKING:
    from rich.table import Table

__all__ = ["bound"]

bound = typer.Typer(
    invoke_without_command=True, help="Calculators of learning theory: rows and errors."
)

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

Rows = Annotated[int | None, typer.Option("--m", help="Rows.")]
Deviation = Annotated[float | None, typer.Option("--epsilon", help="Deviation.")]
Failure = Annotated[float | None, typer.Option("--delta", help="Failure rate.")]
Hypotheses = Annotated[
    int | None, typer.Option("--hypotheses", help="Means, or hypotheses, at once.")
]
Dimension = Annotated[int | None, typer.Option("--d", help="VC dimension.")]
Sides = Annotated[int, typer.Option(min=1, max=2, help="Sides of the deviation.")]
Picture = Annotated[
    Path | None, typer.Option("--plot", help="Draw it to a new PNG, SVG or PDF file.")
]
Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]


class Tail(StrEnum):
    """The side of a deviation."""

    BOTH = "both"
    LOWER = "lower"
    UPPER = "upper"


class Variance(StrEnum):
    """Inequalities that use the variance."""

    bernstein = "bernstein"
    bennett = "bennett"
    empirical = "empirical"


class Kind(StrEnum):
    """Bounds for finitely many hypotheses."""

    uniform = "uniform"
    agnostic = "agnostic"
    realizable = "realizable"


class Growth(StrEnum):
    """Bounds of the growth function."""

    power = "power"
    sauer = "sauer"


@bound.callback()
def without_a_calculator(context: typer.Context) -> None:
    """Leave out one quantity: it is what is asked for."""
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())


@bound.command()
def hoeffding(
    m: Rows = None,
    epsilon: Deviation = None,
    delta: Failure = None,
    hypotheses: Hypotheses = None,
    low: Annotated[float, typer.Option(help="Least value.")] = 0.0,
    high: Annotated[float, typer.Option(help="Largest value.")] = 1.0,
    sides: Sides = 2,
    plot: Picture = None,
    as_json: Json = False,
) -> None:
    """How far a mean strays: 2 k exp(-2 epsilon^2 m / (high - low)^2)."""
    from corollary import theory

    given = {"m": m, "epsilon": epsilon, "delta": delta, "hypotheses": hypotheses}
    settings = {"low": low, "high": high, "sides": sides}
    show(Question("hoeffding", theory.hoeffding, given, settings), plot, as_json)


@bound.command()
def chernoff(
    mean: Annotated[float, typer.Option(help="The expectation p.")],
    m: Rows = None,
    epsilon: Deviation = None,
    delta: Failure = None,
    hypotheses: Hypotheses = None,
    tail: Annotated[Tail, typer.Option(help="Side of the deviation.")] = Tail.BOTH,
    additive: Annotated[
        bool, typer.Option(help="Absolute deviations, by relative entropy.")
    ] = False,
    plot: Picture = None,
    as_json: Json = False,
) -> None:
    """How far a rate strays from a small probability; epsilon is a share of it."""
    from corollary import theory

    given = {"m": m, "epsilon": epsilon, "delta": delta, "hypotheses": hypotheses}
    settings = {"mean": mean, "tail": tail.value}
    calculator = theory.chernoff_additive if additive else theory.chernoff
    show(Question("chernoff", calculator, given, settings), plot, as_json)


@bound.command()
def bernstein(
    variance: Annotated[float, typer.Option(help="Variance of a value.")],
    m: Rows = None,
    epsilon: Deviation = None,
    delta: Failure = None,
    hypotheses: Hypotheses = None,
    largest: Annotated[
        float, typer.Option(help="Largest distance from the mean; width if empirical.")
    ] = 1.0,
    form: Annotated[
        Variance, typer.Option(help="The inequality.")
    ] = Variance.bernstein,
    sides: Sides = 2,
    plot: Picture = None,
    as_json: Json = False,
) -> None:
    """How far a mean of small variance strays."""
    from corollary import theory

    given = {"m": m, "epsilon": epsilon, "delta": delta, "hypotheses": hypotheses}
    calculators: dict[Variance, Callable[..., Any]] = {
        Variance.bernstein: theory.bernstein,
        Variance.bennett: theory.bennett,
        Variance.empirical: theory.empirical_bernstein,
    }
    scale = "width" if form is Variance.empirical else "bound"
    settings = {"variance": variance, scale: largest, "sides": sides}
    show(Question(form.value, calculators[form], given, settings), plot, as_json)


@bound.command()
def finite(
    m: Rows = None,
    epsilon: Deviation = None,
    delta: Failure = None,
    hypotheses: Hypotheses = None,
    kind: Annotated[
        Kind,
        typer.Option(help="All deviations, regret of the best, or no error at all."),
    ] = Kind.uniform,
    plot: Picture = None,
    as_json: Json = False,
) -> None:
    """Rows and errors for finitely many hypotheses (PAC learning)."""
    from corollary import theory

    given = {"m": m, "epsilon": epsilon, "delta": delta, "hypotheses": hypotheses}
    calculators: dict[Kind, Callable[..., Any]] = {
        Kind.uniform: theory.uniform_deviation,
        Kind.agnostic: theory.agnostic_bound,
        Kind.realizable: theory.realizable_bound,
    }
    title = f"finite class, {kind.value}"
    show(Question(title, calculators[kind], given, {}), plot, as_json)


@bound.command()
def vc(
    m: Rows = None,
    d: Dimension = None,
    epsilon: Deviation = None,
    delta: Failure = None,
    realizable: Annotated[
        bool, typer.Option(help="Some hypothesis makes no error.")
    ] = False,
    growth: Annotated[
        Growth, typer.Option(help="Bound of the growth function, if realizable.")
    ] = Growth.power,
    plot: Picture = None,
    as_json: Json = False,
) -> None:
    """Rows and errors for a class of VC dimension d."""
    from corollary import theory

    given = {"m": m, "d": d, "epsilon": epsilon, "delta": delta}
    if realizable:
        settings = {"growth": growth.value}
        asked = Question("VC, realizable", theory.vc_realizable, given, settings)
    else:
        asked = Question("VC gap", theory.vc_gap, given, {})
    show(asked, plot, as_json)


@bound.command()
def devroye(
    m: Rows = None,
    d: Dimension = None,
    epsilon: Deviation = None,
    delta: Failure = None,
    plot: Picture = None,
    as_json: Json = False,
) -> None:
    """Deviations to both sides for a class of VC dimension d (Devroye 1982)."""
    from corollary import theory

    given = {"m": m, "d": d, "epsilon": epsilon, "delta": delta}
    show(Question("devroye", theory.devroye, given, {}), plot, as_json)


@bound.command()
def knn(
    d: Annotated[int, typer.Option("--d", help="Features, scaled to [0, 1].")],
    k: Annotated[int, typer.Option("--k", help="Neighbours, at least 10.")],
    n: Annotated[int | None, typer.Option("--n", help="Rows.")] = None,
    epsilon: Annotated[
        float | None, typer.Option("--epsilon", help="Excess risk.")
    ] = None,
    lipschitz: Annotated[
        float, typer.Option(help="How fast the probability of a class changes.")
    ] = 1.0,
    plot: Picture = None,
    as_json: Json = False,
) -> None:
    """Rows and excess risk of k nearest neighbours."""
    from corollary import theory

    settings = {"d": d, "k": k, "lipschitz": lipschitz}
    given = {"n": n, "epsilon": epsilon}
    question = Question("k nearest neighbours", theory.neighbor_excess, given, settings)
    show(question, plot, as_json)


@bound.command(name="test-set")
def of_test_set(
    n: Annotated[int | None, typer.Option("--n", help="Rows.")] = None,
    errors: Annotated[
        int | None, typer.Option("--errors", help="Rows that a model gets wrong.")
    ] = None,
    risk: Annotated[
        float | None, typer.Option("--risk", help="Upper bound on its error rate.")
    ] = None,
    delta: Failure = None,
    plot: Picture = None,
    as_json: Json = False,
) -> None:
    """What a test set proves of a model, exactly (Clopper and Pearson)."""
    from corollary import theory

    given = {"n": n, "errors": errors, "risk": risk, "delta": delta}
    show(Question("test set", theory.clopper_pearson, given, {}), plot, as_json)


# -- answers ---------------------------------------------------------------------------
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
