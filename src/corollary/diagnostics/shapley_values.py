"""Shapley values of any model: which columns made an answer what it is.

Also known as: SHAP values, kernel SHAP, permutation SHAP, attributions, explanation of
a prediction.

The columns share out what the answer for a row has above the mean answer of background
rows b.  A coalition S of columns is worth v(S) = mean_b f(x_S, b_rest), and a column
gets the mean of what it adds over all orders in which the columns may come,

    phi_j = mean over orders of  v(columns up to j) - v(columns before j)            (1)

    f(x) = base + sum_j phi_j,     base = mean_b f(b)                                (2)

There are d! orders, so some are drawn: for each background row R of them, each together
with its reverse, which cancels much of the noise (antithetic).  Along an order the row
b turns into x column by column, and the steps add up to f(x) - f(b): therefore (2)
holds exactly, whatever was drawn.  With phi_br the mean of an order and its reverse,
the standard error over draws of the orders is

    se^2 = sum_b var_r(phi_br) / (R B^2)                                             (3)

for B background rows; with R = 1 it is sd(phi_b) / sqrt(B), which is too large.  One
row costs 2 R B (d - 1) answers.  Trees have the exact values: `ensembles.tree_shap`.

Notation: B background rows; R = repeats; d columns.
References: Shapley (1953); Castro, Gomez and Tejada (2009); Mitchell, Cooper, Frank and
Holmes (2022).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from corollary.core.arrays import Floats, Vector
from corollary.core.errors import DataError, ParameterError, sentence
from corollary.core.parameters import shown, whole
from corollary.core.randomness import entropy, generator
from corollary.core.table import table_of
from corollary.diagnostics.answers import PART, Answers, answers_of
from corollary.diagnostics.composed_rows import composed, held_rows, joined, taken
from corollary.diagnostics.outcomes import plain
from corollary.diagnostics.table_text import cell_texts, column_names

__all__ = ["Attributions", "shapley_values"]

WHO = "shapley_values"


@dataclass(frozen=True, eq=False)
class Attributions:
    """What each column adds to the answer, row by row.

    Attributes
    ----------
    values, standard_errors : arrays of shape (n, d)
        (1) and (3).
    base : array of shape (n,)
        Mean answer for the background rows.
    predictions : array of shape (n,)
        The answers: base plus the values of a row (2).
    names : tuple of str
    texts : tuple of n tuples of str
        The values of the columns.
    rows : tuple of int
        Numbers of the rows.
    what : tuple of str
        Whose probability the answer is, row by row; empty for numbers.
    """

    values: Floats
    standard_errors: Floats
    base: Floats
    predictions: Floats
    names: tuple[str, ...]
    texts: tuple[tuple[str, ...], ...]
    rows: tuple[int, ...]
    what: tuple[str, ...]

    def __len__(self) -> int:
        return len(self.values)

    @property
    def importances(self) -> Floats:
        """Mean absolute value of each column, (d,)."""
        return np.abs(self.values).mean(axis=0)

    def __str__(self) -> str:
        lines = [f"Shapley values of {len(self)} rows"]
        for i in range(min(len(self), 5)):
            of = f"probability of {self.what[i]}" if self.what[i] else "answer"
            ends = f"{self.predictions[i]:.4g}, mean {self.base[i]:.4g}"
            lines.append(f"  row {self.rows[i]}: {of} {ends}")
            for j in np.argsort(-np.abs(self.values[i]), kind="stable")[:5]:
                lines.append(
                    f"    {self.values[i, j]:+.4g} +- {self.standard_errors[i, j]:.1g}"
                    f" {self.names[j]} = {self.texts[i][j]}"
                )
        return "\n".join(lines)

    def plot(self, row: int = 0, ax: Any = None) -> Any:
        """Draw what made the answer for one row; return the axes.

        Parameters
        ----------
        row : int, default=0
            Position among the rows that were explained.
        ax : matplotlib axes, optional

        Returns
        -------
        matplotlib axes
        """
        import matplotlib.pyplot as plt

        if not whole(0, len(self) - 1).holds(row):
            must = f"row must be one of 0 to {len(self) - 1}"
            raise ParameterError(sentence(WHO, must, shown(row)))
        ax = ax if ax is not None else plt.subplots()[1]
        phi = self.values[row]
        order = np.argsort(np.abs(phi), kind="stable")[-12:]
        at = np.arange(len(order))
        color = ["C3" if phi[j] < 0 else "C0" for j in order]
        errors = 2 * self.standard_errors[row][order]
        ax.barh(at, phi[order], xerr=errors, color=color)
        ax.set_yticks(at, [f"{self.names[j]} = {self.texts[row][j]}" for j in order])
        ax.axvline(0, color="grey")
        ends = f"{self.base[row]:.4g} on average, here {self.predictions[row]:.4g}"
        ax.set(title=ends, xlabel=self.what[row])
        return ax

    def to_findings(self) -> list[dict[str, Any]]:
        """Return the section `attributions` of a page, the largest parts first.

        Returns
        -------
        list of dict
        """
        found = []
        for i, phi in enumerate(self.values):
            parts = [
                {
                    "column": self.names[j],
                    "value": self.texts[i][j],
                    "contribution": plain(phi[j]),
                }
                for j in np.argsort(-np.abs(phi), kind="stable")
            ]
            base = {"of": self.what[i], "base": plain(self.base[i])}
            head = {"row": self.rows[i]} | base
            answer = {"prediction": plain(self.predictions[i]), "parts": parts}
            found.append(head | answer)
        return found


def shapley_values(
    model: Any,
    X: Any,
    background: Any,
    *,
    repeats: int = 2,
    background_rows: int = 50,
    output: Any = None,
    row_numbers: Any = None,
    random_state: Any = 0,
) -> Attributions:
    """Share out the answers for some rows among the columns.

    Parameters
    ----------
    model : fitted model, pipeline, or function of rows
    X : table of n rows
        Rows to explain: an array, a data frame or a pyarrow table.
    background : table of rows
        In the same columns: what a column is when it is not known.
    repeats : int, default=2
        Pairs of orders for each background row.
    background_rows : int, default=50
        Rows of the background at most; more are drawn from it.
    output : label or int, optional
        Which of more than two classes; by default the most probable one of each row.
    row_numbers : list of n int, optional
        Numbers of the rows in the data; 0 to n - 1 by default.
    random_state : None, int or Generator, default=0
        Draws orders and background rows.

    Returns
    -------
    Attributions

    Examples
    --------
    >>> import numpy as np
    >>> from corollary.diagnostics import shapley_values
    >>> X = np.random.default_rng(0).normal(size=(100, 3))
    >>> found = shapley_values(lambda X: 2 * X[:, 0] - X[:, 1], X[:2], X)
    >>> bool(np.allclose(found.base + found.values.sum(axis=1), found.predictions))
    True
    """
    answers = answers_of(WHO, model, output)
    for name, value in (("repeats", repeats), ("background_rows", background_rows)):
        if not whole(1).holds(value):
            must = f"{name} must be a whole number >= 1"
            raise ParameterError(sentence(WHO, must, shown(value)))
    X, others = held_rows(WHO, X), held_rows(WHO, background)
    check_alike(X, others)
    (n, d), seed = X.shape, entropy(random_state)
    if others.shape[0] > background_rows:
        size = (others.shape[0], background_rows)
        some = np.sort(generator(seed, 0).choice(*size, replace=False))
        others = taken(others, some)
    numbers = numbered(row_numbers, n)
    B = others.shape[0]
    pool = joined(others, X)
    said = answers(pool)  # of the background, then of the rows
    phi, errors = np.empty((n, d)), np.empty((n, d))
    base, values, what = np.empty(n), np.empty(n), []
    for i in range(n):
        own = answers.about(said[B + i : B + i + 1])
        known = own.numbers_of(said, len(said))
        ends = (known[:B], float(known[B + i]))
        rng = generator(seed, 1, i)
        phi[i], errors[i] = shared_out(own, pool, B + i, ends, repeats, rng)
        base[i], values[i] = float(known[:B].mean()), known[B + i]
        what.append(own.what)
    table = table_of(WHO, X)
    cells = [cell_texts(column) for column in table.columns]
    texts = tuple(zip(*cells, strict=True))
    names = column_names(table)
    return Attributions(phi, errors, base, values, names, texts, numbers, tuple(what))


def check_alike(X: Any, others: Any) -> None:
    """Refuse a background of other columns, or of another kind."""
    if type(X) is not type(others) or X.shape[1] != others.shape[1]:
        must = "background must be a table like X, of the same columns"
        came = f"{type(others).__name__} of {others.shape[1]} columns beside "
        came += f"{type(X).__name__} of {X.shape[1]}"
        raise DataError(sentence(WHO, must, came))
    mine, theirs = (column_names(table_of(WHO, t)) for t in (X, others))
    if mine != theirs:
        must = f"background must have the columns of X, {shown(list(mine))}"
        raise DataError(sentence(WHO, must, shown(list(theirs))))


def numbered(given: Any, n: int) -> tuple[int, ...]:
    """Return numbers of the rows."""
    found = tuple(range(n) if given is None else (int(row) for row in given))
    if len(found) != n:
        must = f"row_numbers must hold one for each of the {n} rows"
        raise DataError(sentence(WHO, must, f"{len(found)}"))
    return found


def shared_out(
    answers: Answers,
    pool: Any,
    at: int,
    ends: tuple[Floats, float],
    repeats: int,
    rng: np.random.Generator,
) -> tuple[Floats, Floats]:
    """Return (1) and (3) of one row of the pool."""
    at_b, at_x = ends
    B, d, R = len(at_b), pool.shape[1], repeats
    base = np.tile(np.arange(d), (B * R, 1))
    order = rng.permuted(base, axis=1)  # (M, d) columns in the order they come
    rank = np.argsort(order, axis=1)  # (M, d) when each column comes
    rank = np.stack([rank, d - 1 - rank], axis=1)  # (M, 2, d) and in reverse
    giver = np.repeat(np.arange(B), R)  # (M,) the background row of each
    inner = walked(answers, pool, at, rank, giver)  # (M, 2, d - 1)
    first = np.broadcast_to(at_b[giver][:, None, None], (B * R, 2, 1))
    last = np.full((B * R, 2, 1), at_x)
    steps = np.diff(np.concatenate([first, inner, last], axis=2), axis=2)
    each = np.take_along_axis(steps, rank, axis=2).mean(axis=1)  # (M, d) by column
    phi = each.mean(axis=0)
    if R > 1:
        within = each.reshape(B, R, d).var(axis=1, ddof=1).sum(axis=0)
        return phi, np.sqrt(within / R) / B  # (3)
    spread = each.std(axis=0, ddof=1) if B > 1 else np.zeros(d)
    return phi, spread / np.sqrt(B)


def walked(answers: Answers, pool: Any, at: int, rank: Vector, giver: Vector) -> Floats:
    """Return the answers on the way from each background row to a row."""
    M, _, d = rank.shape
    if d == 1:
        return np.empty((M, 2, 0))
    step = max(1, PART // (2 * (d - 1)))
    found = []
    for start in range(0, M, step):
        some = slice(start, start + step)
        turned = rank[some, :, None, :] < np.arange(1, d)[:, None]  # (m, 2, d - 1, d)
        rows = np.where(turned, at, giver[some, None, None, None])
        places = [rows[..., j].ravel() for j in range(d)]
        found.append(answers.numbers(composed(pool, places)).reshape(-1, 2, d - 1))
    return np.concatenate(found)
