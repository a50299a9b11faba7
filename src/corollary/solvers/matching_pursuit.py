"""Orthogonal matching pursuit: one column after another, then least squares on them.

Also known as: OMP, greedy forward selection, orthogonal least squares of the residual.

With centred, weighted columns put  G = Xc'W Xc,  c = Xc'W yc,  y2 = yc'W yc.  From the
empty set A repeat

    j = argmax_j |q_j|,   q = c - G_A b_A       (what the residual has of column j)  (1)
    A <- A + j,   G_AA b_A = c_A                (least squares on A)                 (2)

until A is large enough, or the residual  y2 - c_A'b_A  small enough.  After (2) the
residual is orthogonal to all chosen columns, so none is chosen twice; a column that
follows from A has q_j = 0.  G_AA = L L' grows by a row a step, so that k steps cost
k d products each beside k^2.

Notation: A, q as above; columns are compared as they are, long ones first.
Course: S4-58. References: Pati, Rezaiifar and Krishnaprasad (1993); Tropp (2004).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from corollary.core.arrays import Floats, Vector
from corollary.solvers.design import ColumnSet, Design
from corollary.solvers.least_angle import Factor

__all__ = ["Pursuit", "pursue"]

EPS = float(np.finfo(np.float64).eps)
NOTHING = 64 * EPS  # of the first correlations: nothing is left to explain


@dataclass(frozen=True)
class Pursuit:
    """The choice of one target.

    Attributes
    ----------
    columns : array of shape (k,)
        The chosen columns, in their order.
    values : tuple of k arrays
        b on the first 1, ..., k of them.
    objective : float
        The sum of squared residuals.
    reached : bool
        Whether the end that was asked for was reached, or nothing was left to explain.
    residual_correlation : float
        The largest product of a chosen column with the residual, relative to c.
    d : int
        Number of columns.
    """

    columns: Vector
    values: tuple[Floats, ...]
    objective: float
    reached: bool
    residual_correlation: float
    d: int

    @property
    def coef(self) -> Floats:
        """Return b, (d,)."""
        return self.coefs[:, -1] if self.values else np.zeros(self.d)

    @property
    def coefs(self) -> Floats:
        """Return b after each step, (d, k)."""
        B = np.zeros((self.d, len(self.values)))
        for k, values in enumerate(self.values):
            B[self.columns[: k + 1], k] = values
        return B


def pursue(
    design: Design, k: int = 0, *, most: int, tol: float | None = None
) -> Pursuit:
    """Choose columns for problem k.

    Parameters
    ----------
    design : Design
    k : int, default=0
        The target.
    most : int
        Columns to choose.
    tol : float, optional
        The sum of squared residuals at which to stop.

    Returns
    -------
    Pursuit
    """
    chosen, factor, c = ColumnSet(design, k), Factor(), design.c[:, k]
    q, r2 = c, float(design.y2[k])
    values: list[Floats] = []
    size = float(np.abs(c).max(initial=0.0))
    goal = -1.0 if tol is None else tol
    spent = False
    while not spent and len(values) < most and r2 > goal:
        left = np.abs(q) * chosen.outside
        j = int(left.argmax())
        spent = not left[j] > NOTHING * size
        if spent:
            break
        chosen.add(np.array([j]))
        row = chosen.gram[-1]
        if not factor.append(row[:-1], row[-1]):
            spent = True
            break
        columns = chosen.columns[: factor.k]
        b = factor.solve(c[columns])  # (2)
        values.append(b)
        q = c - design.along(k, columns, b)  # (1)
        r2 = max(0.0, float(design.y2[k]) - float(c[columns] @ b))
    columns = chosen.columns[: factor.k]
    orthogonal = float(np.abs(q[columns]).max(initial=0.0)) / size if size else 0.0
    reached = r2 <= goal if tol is not None else True
    exact = r2 <= NOTHING * float(design.y2[k])
    done = reached or exact
    return Pursuit(columns, tuple(values), r2, done, orthogonal, len(c))
