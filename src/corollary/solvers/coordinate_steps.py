"""Coordinate descent: quadratics, linear models, and any smooth convex function.

Also known as: Gauss-Seidel, cyclic coordinate minimisation, proximal coordinate
descent, shooting.

One variable at a time, in turn, with the others held:

    x_j <- prox_{g_j / L_j}(x_j - f_j'(x) / L_j)                                     (1)

where L_j bounds the second derivative along j.  On a quadratic L_j = H_jj and (1) is
the exact minimum along the coordinate; otherwise it minimises a parabola that lies
above F.  Either way F never rises.  A linear model keeps its scores z = A x, so a step
reads one column of A:

    f_j' = a_j'(o L'(y, z)) + l2 x_j,   L_j = sup L'' sum_i o_i a_ij^2 + l2          (2)

Any other smooth F, of which only f' is known, is minimised exactly along each
coordinate by `exact_search.py`, at the price of several f' for each:

    x_j <- argmin_t F(x_1, ..., x_{j-1}, t, x_{j+1}, ..., x_d)                       (3)

On a quadratic without g this is the method of Gauss and Seidel for H x = c.  Large sets
of columns with l1 are solved faster on working sets, in `coordinate_descent.py`, whose
compiled loop makes the epochs of quadratics here too.

Course: S2-28. Reference: Wright (2015).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from corollary import loops
from corollary.core.arrays import Floats
from corollary.solvers.exact_search import exact_step
from corollary.solvers.problem import LinearTerms, Problem
from corollary.solvers.solver import Iterate, Solver

__all__ = ["CoordinateDescent"]


@dataclass(frozen=True)
class CoordinateDescent(Solver):
    """Rounds of (1) or (3) over all variables.

    Examples
    --------
    >>> from corollary.solvers.minimize import minimize
    >>> from corollary.solvers.problem import quadratic_problem
    >>> bowl = quadratic_problem([[2.0, 1.0], [1.0, 2.0]], [3.0, 3.0])
    >>> found = minimize(bowl, CoordinateDescent(), tol=0, max_iter=2)
    >>> found.x.tolist()  # (3/2, 3/4), then (9/8, 15/16)
    [1.125, 0.9375]
    """

    needs = ("gradient", "smooth", "columns")

    def steps(self, problem: Problem, x: Floats) -> Iterator[Iterate]:
        """Yield x after each round."""
        data = problem.linear
        l1 = 0.0 if data is None else data.penalty.l1
        if problem.quadratic and not (data is not None and data.intercept and l1 > 0):
            if data is not None or problem.hessian is not None:
                yield from _quadratic(problem, x, l1)
                return
        if data is not None:
            yield from _linear(data, x)
        else:
            yield from _any(problem, x)


def _quadratic(problem: Problem, x: Floats, l1: float) -> Iterator[Iterate]:
    """Go over 1/2 x'H x - c'x + l1 ||x||_1 with the compiled loop."""
    assert problem.gradient is not None
    assert problem.hessian is not None
    H = np.ascontiguousarray(problem.hessian(x), dtype=np.float64)
    c = np.asarray(-problem.gradient(np.zeros_like(x)), dtype=np.float64)
    b = np.array(x, dtype=np.float64)
    while True:
        yield Iterate(b.copy())
        q = c - H @ b
        loops.descend(H, c, 0.0, l1, 0.0, False, 1, -np.inf, b, q)


def _linear(data: LinearTerms, x: Floats) -> Iterator[Iterate]:
    """Go over the columns, with the scores at hand."""
    A = sp.csc_array(data.A) if sp.issparse(data.A) else np.asfortranarray(data.A)
    L = data.loss.lipschitz * data.squares + data.ridge  # (2)
    l1 = data.l1
    x = np.array(x, dtype=np.float64)
    while True:
        yield Iterate(x.copy())
        z = data.scores(x)
        for j in np.flatnonzero(L > 0):
            rows, a = _column(A, int(j))
            slope = data.loss.derivative(data.y[rows], z[rows]) * data.weights[rows]
            v = x[j] - (float(a @ slope) + data.ridge[j] * x[j]) / L[j]
            fresh = np.sign(v) * max(0.0, abs(v) - l1[j] / L[j])  # (1)
            if fresh != x[j]:
                z[rows] += (fresh - x[j]) * a
                x[j] = fresh


def _any(problem: Problem, x: Floats) -> Iterator[Iterate]:
    """Minimise along each coordinate in turn (3)."""
    gradient = problem.gradient
    assert gradient is not None
    x = np.array(x, dtype=np.float64)
    lengths = np.ones(len(x))  # of the last steps: where the next search begins
    while True:
        yield Iterate(x.copy())
        for j in range(len(x)):
            slope = float(gradient(x)[j])
            if slope != 0 and np.isfinite(slope):
                sign = -float(np.sign(slope))
                t = _along(problem, x, j, sign, float(lengths[j]))
                lengths[j] = t or lengths[j] / 2
                x[j] += sign * t


def _along(problem: Problem, x: Floats, j: int, sign: float, first: float) -> float:
    """Return the exact step from x along coordinate j."""
    gradient, e = problem.gradient, np.zeros(len(x))
    assert gradient is not None
    e[j] = sign
    return exact_step(
        lambda t: float(problem.value(x + t * e)),
        lambda t: float(gradient(x + t * e)[j] * sign),
        first,
    )


def _column(A: Any, j: int) -> tuple[Any, Floats]:
    """Return the rows where column j is not 0, and its entries there."""
    if not sp.issparse(A):
        return slice(None), A[:, j]
    part = slice(A.indptr[j], A.indptr[j + 1])
    return A.indices[part], A.data[part]
