"""Dual points of least squares with coefficients >= 0, or with joint columns.

Also known as: dual of the non-negative lasso, of the group lasso, of NNLS.

With squared loss, v = f - y is a point of the dual (1) of `linear_proof.py` where, for
s = A'(o v)/N,

    w >= 0:            -s_j <= l1            joint columns:    ||s_j|| <= l1         (1)

(with l2 there is no such condition, and -s_j, or ||s_j||, takes the place of |s_j| in
R*).  With l1 v is scaled until (1) holds.  Without a penalty v loses what it has in the
span of the columns with w_j > 0, so that their s_j are 0; it proves nothing if another
s_j is below 0.  With an intercept v loses its mean.

v is taken at the model, and then at the minimum, as coordinate descent along a path of
penalties finds it, or without l1 the method of active sets: it is near the best v
though the model is not near the best w.

Course: S2-36. References: Lawson and Hanson (1974), 23; Boyd and Vandenberghe
(2004), 5.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from typing import Any

import numpy as np
from scipy.optimize import nnls

from corollary.core.arrays import Floats
from corollary.objectives.losses import Squared
from corollary.solvers.block_descent import joint_path
from corollary.solvers.convex_problem import LinearStatement, full_rows
from corollary.solvers.coordinate_descent import path
from corollary.solvers.design import Rows

__all__ = ["is_cone", "off", "square_points"]

STRENGTHS = (1000.0, 100.0, 30.0, 10.0, 3.0, 1.0)  # of a path that ends at the penalty
EPOCHS = 10_000
FINE = 1e-13  # goal of the descent, relative to the squares of y


def is_cone(p: LinearStatement) -> bool:
    """Tell whether a statement is one of these."""
    return isinstance(p.loss, Squared) and (
        p.penalty.positive or (p.penalty.blocks and p.penalty.strength > 0)
    )


def square_points(p: LinearStatement) -> Iterator[tuple[float, Floats]]:
    """Yield P and v at the model, then at the minimum."""
    yield p.value(), feasible(p)
    at = solved(p)
    yield at.value(), feasible(at)


def solved(p: LinearStatement) -> LinearStatement:
    """Return the statement at its minimum, as near as a search comes to it."""
    X, Y = full_rows(p.X), p.y if p.y.ndim == 2 else p.y[:, None]
    if p.penalty.l1 > 0:
        weights = np.repeat(p.o[:, None], Y.shape[1], 1)
        design = Rows(X, Y, weights, intercept=p.intercept)
        unit = p.N / float(p.o.sum())
        penalties = [p.penalty.times(c * unit) for c in STRENGTHS]
        solve: Any = joint_path if p.penalty.blocks else path
        *_, last = solve(design, penalties, tol=FINE, max_iter=EPOCHS)
        w = last.coef.T if p.penalty.blocks else last[0].coef
    else:
        w = active_sets(p, X)
    share = p.o / p.o.sum()
    b = share @ (Y - X @ np.atleast_2d(w).T) if p.intercept else p.b
    return replace(p, w=w, b=b if p.y.ndim == 2 else float(np.ravel(b)[0]))


def active_sets(p: LinearStatement, X: Floats) -> Floats:
    """Return the w >= 0 of least squares, l2 being further rows."""
    root = np.sqrt(p.o / p.N)
    A = np.column_stack([X, p.y]) * root[:, None]
    if p.intercept:
        unit = root / np.linalg.norm(root)
        A -= np.outer(unit, unit @ A)
    ridge = np.sqrt(p.penalty.l2) * np.eye(len(p.w), len(p.w) + 1)
    R: Any = np.linalg.qr(np.vstack([A, ridge]), mode="r")
    size = np.linalg.norm(R[:, :-1], axis=0)
    size[size == 0] = 1.0
    with suppress(RuntimeError):  # after too many changes of the set
        return np.asarray(nnls(R[:, :-1] / size, R[:, -1])[0]) / size
    return p.w


def feasible(p: LinearStatement) -> Floats:
    """Return f - y without what the intercept, or w > 0 without a penalty, forbids."""
    columns = slice(0) if p.penalty.strength > 0 else p.w > 0
    return off(p, p.scores() - p.y, columns)


def off(p: LinearStatement, v: Floats, columns: Any = slice(None)) -> Floats:
    """Return v without what it has in the span of some columns and the constant."""
    Z = full_rows(p.X[:, columns])
    Z = np.column_stack([Z, np.ones(len(Z))]) if p.intercept else Z
    root = np.sqrt(p.o / p.N)
    goal = (v.T * root).T
    return v - Z @ np.linalg.lstsq(root[:, None] * Z, goal, rcond=None)[0]
