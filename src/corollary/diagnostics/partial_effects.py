"""Partial effects: how the answer of a model moves with one column.

Also known as: partial dependence, accumulated local effects, ALE, marginal effects,
individual conditional expectation, feature effects.

**Partial dependence.**  Set the column to a value v in every row and average,

    PD(v) = mean_i f(v, x_i without the column)                                      (1)

which asks the model of rows that may not exist where columns go together, such as
the heaviest child.  It is used for categories, which have no neighbours.

**Accumulated local effects.**  For numbers, only compare each row with itself at the
ends of the bin it lies in, v_{k-1} < x_i <= v_k, and add up:

    ALE(v_k) = sum_{l <= k} mean_{i in bin l} ( f(v_l, x_i) - f(v_{l-1}, x_i) )      (2)

Rows stay near where they are, and two answers a row are enough.

Both are shifted so that their mean over the rows is the mean answer.  The band is two
standard errors of the shape, over the rows that were asked: of the differences

    c_i(v) = f(v, x_i) - mean_v f(v, x_i)                                            (3)

for (1), and of the means of bins, which are independent, for (2).  It says how well the
average is known, not how sure the model is.  `spread` is the standard deviation of (3)
over the rows, or of the steps of (2): where it is large beside the effect, the column
acts otherwise in other rows (an interaction).

A date is asked at moments that occur, and its answers are averaged over spans of time,
and over hours, weekdays or months (`date_effects`).

Notation: v = grid; f = one number that the model answers.
References: Friedman (2001); Apley and Zhu (2020).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from corollary.core.arrays import Floats
from corollary.core.checks import full_weights
from corollary.core.errors import ParameterError, sentence
from corollary.core.parameters import shown, whole
from corollary.core.randomness import entropy, generator
from corollary.core.table import Table, table_of
from corollary.diagnostics.answers import answers_of
from corollary.diagnostics.composed_rows import held_rows, taken
from corollary.diagnostics.date_effects import date_effect
from corollary.diagnostics.effect_estimates import (
    Asked,
    Shape,
    dependence,
    local_effect,
)
from corollary.diagnostics.effect_grid import grid_of
from corollary.diagnostics.outcomes import plain
from corollary.diagnostics.permutation_importance import Importances
from corollary.diagnostics.table_text import column_names
from corollary.theory.stated_numbers import chosen

__all__ = ["Effect", "PartialEffects", "partial_effects"]

WHO = "partial_effects"
METHODS = ("auto", "ale", "partial_dependence")
SHOWN = 3  # outputs whose effects are shown, of each column


@dataclass(frozen=True, eq=False)
class Effect:
    """How the mean answer moves with one column.

    Attributes
    ----------
    column : str
    kind : {'number', 'category', 'date', 'part'}
        A part is what recurs in a date, such as the hour of the day.
    method : {'ale', 'partial_dependence'}
    grid : list
        Values of the column: numbers, or texts; they rise but for a category.
    effect, low, high : arrays of shape (g,)
        The mean answer at each value, and two standard errors to either side.
    spread : array of shape (g,)
        How much rows differ in it.
    what : str
        Whose probability the answer is, empty for numbers.
    part : Effect or None
        Of a date: the effect of the part that moves the answer most, if any does.
    """

    column: str
    kind: str
    method: str
    grid: list[Any]
    effect: Floats
    low: Floats
    high: Floats
    spread: Floats
    what: str = ""
    part: Effect | None = None

    @property
    def range(self) -> float:
        """The largest mean answer less the smallest."""
        return float(np.ptp(self.effect))

    @property
    def movement(self) -> float:
        """Standard deviation over the grid beyond chance; of a date, or of its part."""
        error = (self.high - self.low) / 4
        own = np.sqrt(max(float(np.var(self.effect) - np.mean(error**2)), 0.0))
        return own if self.part is None else max(own, self.part.movement)

    def __str__(self) -> str:
        at, top = int(self.effect.argmin()), int(self.effect.argmax())
        shown = [
            f"{each:.5g}" if isinstance(each, float) else str(each)
            for each in (self.grid[at], self.grid[top])
        ]
        line = (
            f"{self.column}: from {self.effect[at]:.4g} at {shown[0]} to "
            f"{self.effect[top]:.4g} at {shown[1]}"
        )
        return line if self.part is None else f"{line}\n  {self.part}"

    def plot(self, ax: Any = None) -> Any:
        """Draw the effect with its band; return the axes.

        Parameters
        ----------
        ax : matplotlib axes, optional

        Returns
        -------
        matplotlib axes
        """
        import matplotlib.pyplot as plt

        ax = ax if ax is not None else plt.subplots()[1]
        label = self.what or None
        if self.kind in ("number", "date"):
            dates = self.kind == "date"
            grid = np.asarray(self.grid, "datetime64[us]" if dates else np.float64)
            ax.plot(grid, self.effect, label=label)
            ax.fill_between(grid, self.low, self.high, alpha=0.3)
        else:
            at = np.arange(len(self.grid))
            reach = np.vstack([self.effect - self.low, self.high - self.effect])
            ax.errorbar(at, self.effect, reach, fmt="o", label=label)
            ax.set_xticks(at, self.grid)
        of = f"probability of {self.what}" if self.what else "answer"
        ax.set(xlabel=self.column, ylabel=f"mean {of}")
        return ax

    def to_findings(self) -> dict[str, Any]:
        """Return the effect as a page shows it, without an importance.

        Returns
        -------
        dict
        """
        return together([self])


@dataclass(frozen=True, eq=False)
class PartialEffects:
    """Effects of several columns.

    Attributes
    ----------
    effects : tuple of Effect
        In the order of the columns that were asked for; of each column one for every
        output, where several were asked for.
    mean : float, or array of shape (k,) for k > 1 outputs
        Mean answer over the rows.
    what : str, or tuple of k > 1 str
        Whose probability the answer is, empty for numbers.
    rows : int
        Rows that were asked.
    """

    effects: tuple[Effect, ...]
    mean: float | Floats
    what: str | tuple[str, ...]
    rows: int

    def __iter__(self) -> Iterator[Effect]:
        return iter(self.effects)

    def __len__(self) -> int:
        return len(self.effects)

    def __getitem__(self, at: int) -> Effect:
        return self.effects[at]

    def __str__(self) -> str:
        if isinstance(self.what, str):
            of = f"probability of {self.what}" if self.what else "answer"
            head = f"mean {of} {self.mean:.4g} over {self.rows:,} rows moves with"
        else:
            head = f"{len(self.what)} mean answers over {self.rows:,} rows move with"
        found = sorted(self.by_column(), key=lambda of_one: -of_one[0].range)
        lines = [
            f"  {each.what}, {each}" if len(of_one) > 1 else f"  {each}"
            for of_one in found
            for each in of_one
        ]
        return "\n".join([head, *lines])

    def by_column(self, most: int = SHOWN) -> list[list[Effect]]:
        """Return the effects of each column, of the outputs that it moves most.

        Parameters
        ----------
        most : int, default=3
            Effects of a column.

        Returns
        -------
        list of lists of Effect
            First what moves most beyond chance.
        """
        k = 1 if isinstance(self.what, str) else len(self.what)
        columns = [self.effects[at : at + k] for at in range(0, len(self), k)]
        return [sorted(each, key=moved, reverse=True)[:most] for each in columns]

    def plot(self, ax: Any = None) -> Any:
        """Draw the columns side by side; return the array of axes.

        Parameters
        ----------
        ax : array of matplotlib axes, optional
            One for each column.

        Returns
        -------
        array of matplotlib axes
        """
        import matplotlib.pyplot as plt

        columns = self.by_column()
        count = max(len(columns), 1)
        if ax is None:
            ax = plt.subplots(1, count, figsize=(3 * count, 3), squeeze=False)[1][0]
        for of_one, one in zip(columns, np.ravel(ax), strict=False):
            for each in of_one:
                each.plot(one)
            if len(of_one) > 1:
                one.set_ylabel("mean probability")
                one.legend()
        return ax

    def to_findings(
        self, importances: Importances | None = None
    ) -> list[dict[str, Any]]:
        """Return the section `effects` of a page.

        Parameters
        ----------
        importances : Importances, optional
            Adds them to the effects, and sorts by them.

        Returns
        -------
        list of dict
        """
        found = [together(each) for each in self.by_column()]
        if importances is None:
            return found
        rows = {row["column"]: row for row in importances.to_findings()}
        for each in found:
            each |= rows.get(each["column"], {})
        key = "importance"
        return sorted(found, key=lambda each: -(each[key] or 0.0))


def partial_effects(
    model: Any,
    X: Any,
    columns: Any = None,
    *,
    grid: int = 20,
    method: str = "auto",
    rows: int = 1_000,
    output: Any = None,
    sample_weight: Any = None,
    random_state: Any = 0,
) -> PartialEffects:
    """Measure how the mean answer of a model moves with single columns.

    Parameters
    ----------
    model : fitted model, pipeline, or function of rows
    X : table of n rows
        An array, a sparse matrix, a data frame or a pyarrow table.
    columns : list of names or positions, optional
        All by default; those with one value have no effect and are left out.
    grid : int, default=20
        Values of a number at most.
    method : {'auto', 'ale', 'partial_dependence'}
        (2) for numbers and (1) for categories by default.
    rows : int, default=1000
        Rows to ask at most; more are drawn from X.
    output : label, int, list of them or 'all', optional
        Which of more than two classes; the most probable one by default.  Several
        are told from the same answers.
    sample_weight : array of shape (n,), optional
        How much each row counts.
    random_state : None, int or Generator, default=0
        Draws the rows.

    Returns
    -------
    PartialEffects

    Examples
    --------
    >>> import numpy as np
    >>> from corollary.diagnostics import partial_effects
    >>> X = np.random.default_rng(0).uniform(-1, 1, size=(500, 2))
    >>> found = partial_effects(lambda X: 3 * X[:, 0] + X[:, 1] ** 2, X, grid=5)
    >>> [round(each.range, 1) for each in found]
    [6.0, 1.0]
    """
    answers = answers_of(WHO, model, output)
    chosen(WHO, method, "method", METHODS)
    for name, value, least in (("grid", grid, 2), ("rows", rows, 2)):
        if not whole(least).holds(value):
            must = f"{name} must be a whole number >= {least}"
            raise ParameterError(sentence(WHO, must, shown(value)))
    X = held_rows(WHO, X)
    n = X.shape[0]
    w = full_weights(WHO, sample_weight, n)
    if n > rows:
        some = np.sort(generator(entropy(random_state), 8).choice(n, rows, False))
        X, w = taken(X, some), w[some]
    table = table_of(WHO, X)
    names = column_names(table)
    at = range(table.shape[1]) if columns is None else named(table, columns)
    said = answers(X)
    outputs = answers.each(said)
    base = np.column_stack([one.numbers_of(said, len(w)) for one in outputs])
    asked = Asked(outputs, X, w, w @ base / w.sum())
    found: list[Effect] = []
    for j in at:
        rng = generator(entropy(random_state), 9, j)
        shape = shape_of(asked, table, j, grid, method, rng)
        if shape is not None:
            found += effects_of(shape, names[j], asked)
    what = tuple(one.what for one in outputs)
    if len(outputs) > 1:
        return PartialEffects(tuple(found), asked.mean, what, len(w))
    return PartialEffects(tuple(found), float(asked.mean[0]), what[0], len(w))


def named(table: Any, columns: Any) -> list[int]:
    """Return the positions of the columns that are asked for."""
    return table.positions([columns] if isinstance(columns, str) else list(columns))


def shape_of(
    asked: Asked, table: Table, j: int, most: int, method: str, rng: Any
) -> Shape | None:
    """Return the shape of the effect of a column, None where it has one value."""
    column = table.column(j)
    if column.kind == "date" and method != "ale":
        return date_effect(asked, j, column, most, rng)
    values = grid_of(column, most, asked.w)
    if values is None:
        return None
    local = values.ordered and method != "partial_dependence"
    return (local_effect if local else dependence)(asked, j, values)


def effects_of(shape: Shape, name: str, asked: Asked) -> list[Effect]:
    """Return the effect on each output."""
    m, error = shape.effect, 2 * shape.error
    found = [
        Effect(
            *(name, shape.kind, shape.method, shape.grid),
            *(m[:, c], m[:, c] - error[:, c], m[:, c] + error[:, c]),
            *(shape.spread[:, c], output.what),
        )
        for c, output in enumerate(asked.outputs)
    ]
    if shape.part is None:
        return found
    parts = effects_of(shape.part, f"{name}: {shape.part_name}", asked)
    return [replace(each, part=part) for each, part in zip(found, parts, strict=True)]


def moved(effect: Effect) -> tuple[float, float]:
    """Return how far an effect moves, first beyond chance."""
    return effect.movement, effect.range


def together(effects: list[Effect]) -> dict[str, Any]:
    """Return effects of one column as a page shows them, the first one foremost."""

    def curve(each: Effect) -> dict[str, Any]:
        lines = {name: plain(getattr(each, name)) for name in ("effect", "low", "high")}
        return {"of": each.what} | lines

    first, *others = effects
    found = {
        "column": first.column,
        "importance": None,
        "importance_se": None,
        "kind": first.kind,
        "grid": plain(first.grid),
    } | curve(first)
    if others:
        found["others"] = [curve(each) for each in others]
    if parts := [each.part for each in effects if each.part is not None]:
        found["part"] = together(sorted(parts, key=moved, reverse=True))
    return found
