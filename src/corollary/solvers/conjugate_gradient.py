"""Conjugate gradients for a symmetric positive (semi-)definite system, step by step.

Solve  A b = c  where only products A p are known, each a sum over the rows:

    alpha = r'z / p'A p,  b += alpha p,  r -= alpha A p                          (1)
    z = r / diag(A),  beta = r'z / (r'z before),  p = z + beta p                 (2)

From b = 0 the iterates of a singular system tend to its shortest solution.  Several
right-hand sides are solved side by side, each with its own alpha and beta.

Reference: Hestenes and Stiefel (1952).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from corollary.core.arrays import Floats

__all__ = ["ConjugateGradient", "begin", "step"]


@dataclass(frozen=True)
class ConjugateGradient:
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


def begin(c: Floats, diagonal: Floats) -> ConjugateGradient:
    """Start from b = 0."""
    D = np.where(diagonal > 0, diagonal, 1.0)[:, None]
    z = c / D
    size = np.sqrt((c**2).sum(axis=0))
    return ConjugateGradient(np.zeros_like(c), c, z, (c * z).sum(axis=0), D, size)


def step(cg: ConjugateGradient, Ap: Floats) -> ConjugateGradient:
    """Take one step given the product A p."""
    curvature = (cg.p * Ap).sum(axis=0)
    alpha = np.divide(cg.rz, curvature, where=curvature > 0, out=np.zeros_like(cg.rz))
    b, r = cg.b + alpha * cg.p, cg.r - alpha * Ap  # (1)
    z = r / cg.diagonal
    rz = (r * z).sum(axis=0)
    beta = np.divide(rz, cg.rz, where=cg.rz > 0, out=np.zeros_like(rz))
    return ConjugateGradient(b, r, z + beta * cg.p, rz, cg.diagonal, cg.size)  # (2)
