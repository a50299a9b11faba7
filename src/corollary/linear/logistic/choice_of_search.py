"""Which of three searches a logistic regression takes, by its solver and its size.

    proximal Newton   an L1 penalty, or 'coordinate-descent'                     (1)
    Newton            'newton-cholesky', or 'newton-cg'                          (2)
    quasi-Newton      all else                                                   (3)

(1) and (2) hold the Hessian of all weights.  Beyond a few thousand it would cost more
than all else, and (3) is taken; 'newton-cholesky' alone goes on while the memory does.
(3) begins with the curvature that no point can exceed, block by block.
"""

from __future__ import annotations

from typing import Any

from corollary.core.arrays import Floats
from corollary.core.checks import check_memory
from corollary.core.errors import ParameterError, sentence
from corollary.linear import descent
from corollary.linear.descent import Descent
from corollary.objectives.chunk_losses import Census
from corollary.objectives.problem import LinearProblem, constant_curvature

__all__ = ["chosen_search"]

MANY = 2000  # weights W whose Hessian would cost more than all else
MOST = 15_000  # such that the Hessian still fits into memory
PATIENCE = (10, 40)  # passes before the blocks are taken anew, d/4 within these bounds


def chosen_search(
    model: Any, problem: LinearProblem, census: Census, theta: Floats
) -> Descent:
    """Begin one of the three searches at a point."""
    m, p = problem.shape
    descends = model.solver == "coordinate-descent" or problem.penalty.l1 > 0
    second = descends or model.solver == "newton-cg"
    if model.solver == "newton-cholesky" or (second and m * p <= MANY):
        remedy = "Use solver='lbfgs'."
        if m * p > MOST:
            must = f"solver 'newton-cholesky' takes at most {MOST} coefficients"
            raise ParameterError(sentence(model, must, f"{m} x {p}", remedy))
        check_memory(model, 32.0 * (m * p) ** 2, "the Hessian", remedy)
        return descent.begin(
            problem, theta, "proximal_newton" if descends else "newton"
        )
    pi = census.sum_y / problem.n
    H = constant_curvature(census.spread, problem.mean, (pi * (1 - pi))[-m:])
    patience = min(max(PATIENCE[0], p // 4), PATIENCE[1])
    return descent.begin(problem, theta, "lbfgs", H, patience=patience)
