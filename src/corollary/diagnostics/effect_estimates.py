"""The shape of the effect of a column, estimated from answers of a model.

The numbered equations are those of `partial_effects`.  A model may answer with several
numbers for a row, such as the probabilities of all classes; each is a column of the
answers, and they all come from the same rows.

Notation: f = answers, (g, n, k) for g values, n rows and k numbers; w = weights.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from corollary.core.arrays import Floats, Vector
from corollary.diagnostics.answers import PART, Answers
from corollary.diagnostics.composed_rows import composed
from corollary.diagnostics.effect_grid import Grid

__all__ = ["Asked", "Shape", "asked_at", "dependence", "local_effect"]


@dataclass(frozen=True, eq=False)
class Asked:
    """Rows, and what is asked about them."""

    outputs: tuple[Answers, ...]  # (k,) of one model
    X: Any
    w: Floats  # (n,)
    mean: Floats  # (k,) of the answers to X

    def answers(self, X: Any) -> Floats:
        """Return the answers to rows, (n, k)."""
        said = self.outputs[0](X)
        each = [one.numbers_of(said, X.shape[0]) for one in self.outputs]
        return np.column_stack(each)


@dataclass(frozen=True, eq=False)
class Shape:
    """How the mean answers move with a column."""

    kind: str
    method: str
    grid: list[Any]  # (g,)
    effect: Floats  # (g, k)
    error: Floats  # (g, k) standard errors
    spread: Floats  # (g, k)
    part: Shape | None = None  # of a date: by what recurs in it
    part_name: str = ""


def dependence(asked: Asked, j: int, grid: Grid) -> Shape:
    """Return (1)."""
    w = asked.w
    f = asked_at(asked, j, grid.rows, np.arange(len(w)))
    share = grid.counts / grid.counts.sum()
    c = f - np.einsum("g,gnk->nk", share, f)  # (3)
    centre = np.einsum("gnk,n->gk", c, w) / w.sum()
    gap = (c - centre[:, None]) ** 2
    error = np.sqrt(np.einsum("gnk,n->gk", gap, w**2)) / w.sum()
    spread = np.sqrt(np.einsum("gnk,n->gk", gap, w) / w.sum())
    effect = asked.mean + centre
    return Shape(grid.kind, "partial_dependence", grid.values, effect, error, spread)


def asked_at(asked: Asked, j: int, values: Vector, own: Vector) -> Floats:
    """Return answers to rows with the values of column j from others, (g, n, k)."""
    n, width = len(own), asked.X.shape[1]
    step = max(1, PART // n)
    found = []
    for start in range(0, len(values), step):
        some = np.repeat(values[start : start + step], n)
        kept = np.tile(own, len(some) // n)
        places = [some if column == j else kept for column in range(width)]
        said = asked.answers(composed(asked.X, places))
        found.append(said.reshape(-1, n, said.shape[1]))
    return np.concatenate(found)


def local_effect(asked: Asked, j: int, grid: Grid) -> Shape:
    """Return (2)."""
    given = np.flatnonzero(grid.cell >= 0)
    upper = np.maximum(grid.cell[given], 1)  # the least value is in the first bin
    ends = np.concatenate([grid.rows[upper], grid.rows[upper - 1]])
    own = np.concatenate([given, given])
    places = [ends if column == j else own for column in range(asked.X.shape[1])]
    said = asked.answers(composed(asked.X, places))
    high, low = said.reshape(2, len(given), -1)
    step, v, g = high - low, asked.w[given], len(grid.rows)
    weight, squares = (np.bincount(upper, x, minlength=g)[1:] for x in (v, v * v))
    scale = np.maximum(weight, 1e-300)[:, None]
    mean_step = summed(upper, v[:, None] * step, g)[1:] / scale
    gap = step - mean_step[upper - 1]
    variance = summed(upper, v[:, None] * gap**2, g)[1:] / scale
    rows = weight**2 / np.maximum(squares, 1e-300)
    doubt = variance / np.maximum(rows - 1, 1)[:, None]  # of each mean step
    share = np.bincount(upper, v, minlength=g) / v.sum()
    A = np.tri(g, g, -1)[:, : g - 1]  # adds up the steps
    A = A - share @ (A + np.vstack([A[:1], A[:-1]])) / 2  # about the mean row
    effect = asked.mean + A @ mean_step
    error = np.sqrt(A**2 @ doubt)
    spread = np.sqrt(np.vstack([np.zeros_like(variance[:1]), variance]))
    return Shape(grid.kind, "ale", grid.values, effect, error, spread)


def summed(bins: Vector, values: Floats, count: int) -> Floats:
    """Return the sum of the rows of each bin, (count, k)."""
    found = np.zeros((count, values.shape[1]))
    np.add.at(found, bins, values)
    return found
