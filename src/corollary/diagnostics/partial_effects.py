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

Notation: v = grid; f = one number that the model answers.
References: Friedman (2001); Apley and Zhu (2020).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from corollary.core.arrays import Floats, Vector
from corollary.core.checks import full_weights
from corollary.core.errors import ParameterError, sentence
from corollary.core.parameters import shown, whole
from corollary.core.randomness import entropy, generator
from corollary.core.table import table_of
from corollary.diagnostics.answers import PART, Answers, answers_of
from corollary.diagnostics.composed_rows import composed, held_rows, taken
from corollary.diagnostics.effect_grid import Grid, grid_of
from corollary.diagnostics.outcomes import plain
from corollary.diagnostics.permutation_importance import Importances
from corollary.diagnostics.table_text import column_names
from corollary.theory.stated_numbers import chosen

__all__ = ["Effect", "PartialEffects", "partial_effects"]

WHO = "partial_effects"
METHODS = ("auto", "ale", "partial_dependence")


@dataclass(frozen=True, eq=False)
class Effect:
    """How the mean answer moves with one column.

    Attributes
    ----------
    column : str
    kind : {'number', 'category'}
    method : {'ale', 'partial_dependence'}
    grid : list
        Values of the column: numbers, or texts.
    effect, low, high : arrays of shape (g,)
        The mean answer at each value, and two standard errors to either side.
    spread : array of shape (g,)
        How much rows differ in it.
    """

    column: str
    kind: str
    method: str
    grid: list[Any]
    effect: Floats
    low: Floats
    high: Floats
    spread: Floats

    @property
    def range(self) -> float:
        """The largest mean answer less the smallest."""
        return float(np.ptp(self.effect))

    def __str__(self) -> str:
        at, top = int(self.effect.argmin()), int(self.effect.argmax())
        shown = [
            f"{each:.5g}" if isinstance(each, float) else str(each)
            for each in (self.grid[at], self.grid[top])
        ]
        return (
            f"{self.column}: from {self.effect[at]:.4g} at {shown[0]} to "
            f"{self.effect[top]:.4g} at {shown[1]}"
        )

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
        if self.kind == "number":
            ax.plot(self.grid, self.effect)
            ax.fill_between(self.grid, self.low, self.high, alpha=0.3)
        else:
            at = np.arange(len(self.grid))
            reach = np.vstack([self.effect - self.low, self.high - self.effect])
            ax.errorbar(at, self.effect, reach, fmt="o")
            ax.set_xticks(at, self.grid)
        ax.set(xlabel=self.column, ylabel="mean answer")
        return ax

    def to_findings(self) -> dict[str, Any]:
        """Return the effect as a page shows it, without an importance.

        Returns
        -------
        dict
        """
        return {
            "column": self.column,
            "importance": None,
            "importance_se": None,
            "kind": self.kind,
            "grid": plain(self.grid),
            "effect": plain(self.effect),
            "low": plain(self.low),
            "high": plain(self.high),
        }


@dataclass(frozen=True, eq=False)
class PartialEffects:
    """Effects of several columns.

    Attributes
    ----------
    effects : tuple of Effect
        In the order of the columns that were asked for.
    mean : float
        Mean answer over the rows.
    what : str
        Whose probability the answer is, empty for numbers.
    rows : int
        Rows that were asked.
    """

    effects: tuple[Effect, ...]
    mean: float
    what: str
    rows: int

    def __iter__(self) -> Iterator[Effect]:
        return iter(self.effects)

    def __len__(self) -> int:
        return len(self.effects)

    def __getitem__(self, at: int) -> Effect:
        return self.effects[at]

    def __str__(self) -> str:
        of = f"probability of {self.what}" if self.what else "answer"
        head = f"mean {of} {self.mean:.4g} over {self.rows:,} rows moves with"
        order = sorted(self.effects, key=lambda each: -each.range)
        return "\n".join([head, *(f"  {each}" for each in order)])

    def plot(self, ax: Any = None) -> Any:
        """Draw the effects side by side; return the array of axes.

        Parameters
        ----------
        ax : array of matplotlib axes, optional
            One for each effect.

        Returns
        -------
        array of matplotlib axes
        """
        import matplotlib.pyplot as plt

        count = max(len(self), 1)
        if ax is None:
            ax = plt.subplots(1, count, figsize=(3 * count, 3), squeeze=False)[1][0]
        for each, one in zip(self.effects, np.ravel(ax), strict=False):
            each.plot(one)
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
        found = [each.to_findings() for each in self]
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
    output : label or int, optional
        Which of more than two classes; the most probable one by default.
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
    at = range(table.shape[1]) if columns is None else asked(table, columns)
    answers = answers.about(answers(X))
    base = answers.numbers(X)
    mean = float(w @ base / w.sum())
    found = []
    for j in at:
        values = grid_of(table.column(j), grid, w)
        if values is not None:
            local = values.ordered and method != "partial_dependence"
            made = local_effect if local else dependence
            found.append(made(names[j], answers, X, j, values, w, mean))
    return PartialEffects(tuple(found), mean, answers.what, len(w))


def asked(table: Any, columns: Any) -> list[int]:
    """Return the positions of the columns that are asked for."""
    return table.positions([columns] if isinstance(columns, str) else list(columns))


def dependence(
    name: str, answers: Answers, X: Any, j: int, grid: Grid, w: Floats, mean: float
) -> Effect:
    """Return (1)."""
    n, g = len(w), len(grid.rows)
    step = max(1, PART // n)
    parts = []
    for start in range(0, g, step):
        values = grid.rows[start : start + step]
        parts.append(asked_at(answers, X, j, np.repeat(values, n), len(values), n))
    f = np.vstack(parts)  # (g, n)
    share = grid.counts / grid.counts.sum()
    c = f - share @ f  # (3)
    centre = c @ w / w.sum()
    gap = c - centre[:, None]
    error = np.sqrt((gap**2) @ w**2) / w.sum()
    spread = np.sqrt((gap**2) @ w / w.sum())
    ends = (mean + centre, mean + centre - 2 * error, mean + centre + 2 * error)
    return Effect(name, grid.kind, "partial_dependence", grid.values, *ends, spread)


def asked_at(answers: Answers, X: Any, j: int, rows: Vector, g: int, n: int) -> Floats:
    """Return the answers with the values of column j from other rows, (g, n)."""
    own = np.tile(np.arange(n), g)
    places = [rows if column == j else own for column in range(X.shape[1])]
    return answers.numbers(composed(X, places)).reshape(g, n)


def local_effect(
    name: str, answers: Answers, X: Any, j: int, grid: Grid, w: Floats, mean: float
) -> Effect:
    """Return (2)."""
    given = np.flatnonzero(grid.cell >= 0)
    upper = np.maximum(grid.cell[given], 1)  # the least value is in the first bin
    ends = np.concatenate([grid.rows[upper], grid.rows[upper - 1]])
    own = np.concatenate([given, given])
    places = [ends if column == j else own for column in range(X.shape[1])]
    high, low = answers.numbers(composed(X, places)).reshape(2, -1)
    step, v = high - low, w[given]
    k = len(grid.rows)
    weight, squares = (np.bincount(upper, x, minlength=k)[1:] for x in (v, v * v))
    mean_step = np.bincount(upper, v * step, minlength=k)[1:] / np.maximum(
        weight, 1e-300
    )
    gap = step - mean_step[upper - 1]
    variance = np.bincount(upper, v * gap**2, minlength=k)[1:] / np.maximum(
        weight, 1e-300
    )
    rows = weight**2 / np.maximum(squares, 1e-300)
    doubt = variance / np.maximum(rows - 1, 1)  # of each mean step
    share = np.bincount(upper, v, minlength=k) / v.sum()
    A = np.tri(k, k, -1)[:, : k - 1]  # adds up the steps
    A = A - share @ (A + np.vstack([A[:1], A[:-1]])) / 2  # about the mean row
    effect = mean + A @ mean_step
    error = np.sqrt(A**2 @ doubt)
    spread = np.concatenate([[0.0], np.sqrt(variance)])
    both = (effect - 2 * error, effect + 2 * error)
    return Effect(name, grid.kind, "ale", grid.values, effect, *both, spread)
