"""The quasi-Newton search of logistic regression: gradients, any number of columns.

L-BFGS, one pass over the data an evaluation, preconditioned by the blocks of the
Hessian that belong to one class: with x~ = (x - mean, 1),

    P_k = (1/n sum_n h_nk x~_n x~_n' + l2 diag(1, ..., 1, 0))^-1,
    h_nk = w_n p_k(x_n) (1 - p_k(x_n))                                           (1)

at the constant model, where p = pi, the class shares, and (1) needs only the covariance
of x; and again at the point reached whenever a number of passes worth one look at (1)
has not sufficed.  That makes the search indifferent to the scale of the features and to
correlations among them.  Where there are many columns only the diagonal of (1) is used.
With an l1 penalty the steps stay in an orthant (`solvers/orthant_wise.py`).

References: Bohning (1992); Nocedal and Wright (2006).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from corollary.core.arrays import Floats
from corollary.engine import Chunk
from corollary.linear.logistic.logistic_problem import (
    Gradient,
    Problem,
    Search,
    gradient,
)
from corollary.linear.logistic.logistic_sums import Curvature, curvature, weighted
from corollary.solvers import lbfgs, orthant_wise

__all__ = ["QuasiNewton", "begin"]

TINY = 1e-12  # keeps a matrix of diagonal 1 regular
PATIENCE = (10, 40)  # passes before (1) is taken anew, d/4 within these bounds


@dataclass(frozen=True)
class QuasiNewton(Search):
    """The state: the problem, the preconditioner, and the search."""

    problem: Problem
    P: Floats  # (1): (m, d + 1, d + 1), or (m, d + 1) where diagonal
    search: lbfgs.LBFGS
    age: int = 0  # passes since P was taken
    at_start: Any = None

    @property
    def described(self) -> str:
        """Words for the report."""
        name = "orthant-wise L-BFGS" if self.problem.l1 else "L-BFGS"
        full = "blocks" if self.P.ndim == 3 else "diagonal"
        return f"{name}, preconditioned by the Hessian's {full}"

    @property
    def refreshing(self) -> bool:
        """Tell whether the next pass is for (1) instead of the gradient."""
        low, high = PATIENCE
        return self.age > min(max(low, self.problem.shape[1] // 4), high)

    def precondition(self, g: Floats) -> Floats:
        """Multiply by (1)."""
        G = g.reshape(self.problem.shape)
        PG = G * self.P if self.P.ndim == 2 else np.einsum("mij,mj->mi", self.P, G)
        if len(PG) > 1 and not self.problem.l1:  # W and b sum to 0, and shall stay so
            PG -= PG.mean(axis=0)
        return PG.reshape(-1)

    def statistics(self, chunk: Chunk) -> Gradient | Curvature:
        """Sum loss and gradient over the chunk's rows, or the curvature (1)."""
        if not self.refreshing:
            return gradient(chunk, self.problem, self.search.trial)
        m = self.problem.shape[0]
        h = np.empty((chunk.n, m), chunk.X.dtype)
        gradient(chunk, self.problem, self.search.x, h)
        if m > 1:
            w = weighted(chunk, self.problem.weights)
            h *= (1 - h) if w is None else (1 - h) * w[:, None]
        diagonal = self.P.ndim == 2
        return Curvature(curvature(chunk.X, h, self.problem.mean, diagonal=diagonal))

    def update(self, s: Any) -> QuasiNewton:
        """Add the penalty and let the search take its step, or renew (1)."""
        problem = self.problem
        if self.refreshing:
            return replace(self, P=inverse(problem, s.H / problem.n), age=0)
        f, g = problem.smooth(s, self.search.trial)
        noise, at_start = problem.noise, self.first_look(self.search.trial, g)
        if problem.l1:
            f += problem.absolute(self.search.trial)
            l1 = problem.ridge(problem.l1)
            search = orthant_wise.step(self.search, f, g, l1, self.precondition, noise)
        else:
            search = lbfgs.step(self.search, f, g, self.precondition, noise)
        return replace(self, search=search, age=self.age + 1, at_start=at_start)


def begin(problem: Problem, H: Floats, theta: Floats) -> QuasiNewton:
    """Start at a point, given the blocks of the Hessian at the constant model."""
    return QuasiNewton(problem, inverse(problem, H), lbfgs.begin(theta))


def inverse(problem: Problem, H: Floats) -> Floats:
    """Turn the blocks of the Hessian into (1)."""
    ridge = np.full(H.shape[1], problem.l2)
    ridge[-1] = 0.0
    if H.ndim == 2:
        H = H + ridge
        return 1 / np.where(H > 0, H, 1.0)
    if not problem.intercept:  # no coupling with what is not there
        H = H.copy()
        H[:, -1, :-1] = H[:, :-1, -1] = 0.0
    H = H + np.diag(ridge)
    size = np.diagonal(H, axis1=1, axis2=2)
    unit = 1 / np.sqrt(np.where(size > 0, size, 1.0))  # in any units of the features
    scaled = H * unit[:, :, None] * unit[:, None, :]
    P = np.linalg.inv(scaled + TINY * np.eye(H.shape[1]))
    return P * unit[:, :, None] * unit[:, None, :]
