"""The Newton searches of logistic regression: the full Hessian in every pass.

One pass sums loss, gradient and all blocks of the Hessian, of every pair of classes.
Without an l1 penalty each step is Newton's own (`solvers/newton.py`), also known as
iteratively reweighted least squares; with one it minimises the quadratic model plus the
penalty by coordinate descent (`solvers/proximal_newton.py`).  Few passes, each of
n (m d)^2 / 2 multiplications: for few columns.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from corollary.core.arrays import Floats
from corollary.engine import Chunk
from corollary.linear.logistic.logistic_problem import (
    Problem,
    Quadratic,
    Search,
    quadratic,
)
from corollary.solvers import newton, proximal_newton

__all__ = ["SecondOrder", "begin"]


@dataclass(frozen=True)
class SecondOrder(Search):
    """The state: the problem, a length of each variable, and the search."""

    problem: Problem
    search: newton.Newton | proximal_newton.ProximalNewton
    unit: Floats  # (m (d + 1),)
    at_start: Any = None

    @property
    def decrement(self) -> float | None:
        """How much lower the quadratic model is at its minimum."""
        return self.search.decrement

    @property
    def described(self) -> str:
        """Words for the report."""
        if isinstance(self.search, newton.Newton):
            return "Newton with the full Hessian"
        return "proximal Newton, coordinate descent on the full Hessian"

    def statistics(self, chunk: Chunk) -> Quadratic:
        """Sum loss, gradient and Hessian over the chunk's rows."""
        return quadratic(chunk, self.problem, self.search.trial)

    def update(self, s: Quadratic) -> SecondOrder:
        """Add the penalty and take the step."""
        problem, search = self.problem, self.search
        f, g = problem.smooth(s, search.trial)
        H = problem.hessian(s.H)
        if isinstance(search, newton.Newton):
            H = regular(problem, H)
            after: Any = newton.step(search, f, g, H, self.unit)
            return replace(
                self, search=after, at_start=self.first_look(search.trial, g)
            )
        f += problem.absolute(search.trial)
        l1, free = problem.ridge(problem.l1), problem.ridge(1.0) == 0
        after = proximal_newton.step(search, f, g, H, l1, free, problem.noise)
        return replace(self, search=after, at_start=self.first_look(search.trial, g))


def begin(problem: Problem, theta: Floats, *, descent: bool) -> SecondOrder:
    """Start at a point."""
    unit = np.tile(np.append(1 / problem.spread, 1.0), problem.shape[0])
    search = proximal_newton.begin(theta) if descent else newton.begin(theta)
    return SecondOrder(problem, search, unit)


def regular(problem: Problem, H: Floats) -> Floats:
    """Put curvature into what no probability hangs on: the classes' common weights."""
    m, p = problem.shape
    if m == 1:
        return H
    each = np.diagonal(H).reshape(m, p).mean(axis=0)
    return H + np.kron(np.full((m, m), 1 / m), np.diag(each))
