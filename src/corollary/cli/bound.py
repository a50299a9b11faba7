"""``corollary bound ...``: how many rows, how large an error, with what confidence.

Every calculator takes all quantities but one and returns the one that is left out, with
a table of what more or fewer rows would give.
"""

from __future__ import annotations

from collections.abc import Callable
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer

from corollary.cli.bound_answers import Question, show

__all__ = ["bound"]

bound = typer.Typer(
    invoke_without_command=True, help="Calculators of learning theory: rows and errors."
)


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
    """Bound the error rate of a model by a test set, exactly (Clopper and Pearson)."""
    from corollary import theory

    given = {"n": n, "errors": errors, "risk": risk, "delta": delta}
    show(Question("test set", theory.clopper_pearson, given, {}), plot, as_json)
