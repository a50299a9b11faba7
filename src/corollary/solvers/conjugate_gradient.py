"""Conjugate gradients for a symmetric positive (semi-)definite system, step by step.

Solve  A b = c  where only products A p are known, each a sum over the rows:

    alpha = r'z / p'A p,  b += alpha p,  r -= alpha A p                          (1)
    z = r / diag(A),  beta = r'z / (r'z before),  p = z + beta p                 (2)

From b = 0 the iterates of a singular system tend to its shortest solution.  Several
right-hand sides are solved side by side, each with its own alpha and beta.

Course: S4-10. Reference: Hestenes and Stiefel (1952).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from corollary.core.arrays import Floats
from corollary.core.records import stored
from corollary.solvers.problem import Problem
from corollary.solvers.solver import Iterate, Solver

__all__ = ["ConjugateGradient", "ConjugateGradientState", "begin", "step"]


@stored
@dataclass(frozen=True)
class ConjugateGradientState:
    """The state: solution, residual, direction, one column for each system."""

    b: Floats  # (d, m)
    r: Floats  # (d, m) = c - A b
    p: Floats  # (d, m)
    rz: Floats  # (m,)
    diagonal: Floats  # (d, 1), the preconditioner
    size: Floats  # (m,) norm of c

    def residual(self) -> float:
        """Return the largest ||c - A b|| / ||c||."""
        norm = np.sqrt((self.r**2).sum(axis=0))
        return float((norm / np.where(self.size > 0, self.size, 1.0)).max(initial=0.0))


def begin(c: Floats, diagonal: Floats) -> ConjugateGradientState:
    """Start from b = 0."""
    D = np.where(diagonal > 0, diagonal, 1.0)[:, None]
    z = c / D
    size = np.sqrt((c**2).sum(axis=0))
    return ConjugateGradientState(np.zeros_like(c), c, z, (c * z).sum(axis=0), D, size)


def step(cg: ConjugateGradientState, Ap: Floats) -> ConjugateGradientState:
    """Take one step given the product A p."""
    curvature = (cg.p * Ap).sum(axis=0)
    alpha = np.divide(cg.rz, curvature, where=curvature > 0, out=np.zeros_like(cg.rz))
    b, r = cg.b + alpha * cg.p, cg.r - alpha * Ap  # (1)
    z = r / cg.diagonal
    rz = (r * z).sum(axis=0)
    beta = np.divide(rz, cg.rz, where=cg.rz > 0, out=np.zeros_like(rz))
    return ConjugateGradientState(
        b, r, z + beta * cg.p, rz, cg.diagonal, cg.size
    )  # (2)


@dataclass(frozen=True)
class ConjugateGradient(Solver):
    """The steps behind `minimize(problem, "conjugate_gradient")`.

    A quadratic's minimum solves H (x - start) = -f'(start); it takes at most as many
    steps as H has different eigenvalues.
    """

    needs = ("gradient", "smooth", "no simple part", "quadratic", "Hessian product")

    def steps(self, problem: Problem, x: Floats) -> Iterator[Iterate]:
        """Yield the iterates, beginning anew with a fresh gradient at times."""
        assert problem.gradient is not None
        while True:
            g = problem.gradient(x)
            yield Iterate(x, None, g)
            cg = begin(-g[:, None], np.ones(len(x)))
            for _ in range(len(x)):
                cg = step(cg, problem.product(x, cg.p[:, 0])[:, None])
                yield Iterate(x + cg.b[:, 0], None, -cg.r[:, 0])
            x = x + cg.b[:, 0]
