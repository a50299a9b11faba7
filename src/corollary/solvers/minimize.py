"""One interface to every solver.

Also known as: optimiser, unconstrained optimisation, composite optimisation.

`minimize(problem, solver)` looks for the minimum of F = f + g of `problem.py`, and ends
where

    max_j |f_j'(x)| <= tol,  or  max_j |x - prox_g(x - f'(x))|_j <= tol with g       (1)

or, for functions with corners, where the duality gap is at most tol.  No solver has a
step size that must be chosen; those with one (gradient descent, stochastic) have a safe
default.  All that converge find the same minimum of a convex F; they differ in what
they must know of F, in the cost of a step, and in how many steps they take:

    solver                needs                     a step costs       steps
    gradient_descent      f', L                     f'                 kappa log 1/e
    backtracking          f'                        f', some f         kappa log 1/e
    exact_line_search     f'                        some f'            kappa log 1/e
    accelerated           f'                        f'                 as sqrt kappa
    conjugate_gradient    quadratic                 H p                <= d
    nonlinear_cg          f'                        f', some f         about sqrt kappa
    lbfgs, bfgs           f'                        f', O(d), O(d^2)   superlinear
    orthant_wise          f', l1                    f', O(d)           superlinear
    newton                H                         f', H, O(d^3)      log log 1/e
    proximal_newton       H, l1                     f', H, a lasso     log log 1/e
    coordinate_descent    columns, or f'            like f', or d f'   kappa log 1/e
    sgd, momentum, ...    sum of terms              n terms            1/e
    saga                  sum of smooth terms       n terms            kappa/n log 1/e

Notation: e = accuracy wanted; kappa = L/mu; the columns are orders, not promises.
Course: S4-10, S1-54, S2-28. Reference: Nocedal and Wright (2006).
"""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from corollary.core.arrays import Floats
from corollary.core.errors import ParameterError, sentence
from corollary.core.report import StopReason
from corollary.solvers.accelerated import Accelerated
from corollary.solvers.bfgs import BFGS
from corollary.solvers.conjugate_gradient import ConjugateGradient
from corollary.solvers.coordinate_steps import CoordinateDescent
from corollary.solvers.gradient_descent import GradientDescent
from corollary.solvers.lbfgs import LBFGS
from corollary.solvers.newton import Newton
from corollary.solvers.nonlinear_cg import NonlinearCG
from corollary.solvers.orthant_wise import OrthantWise
from corollary.solvers.problem import Problem
from corollary.solvers.proximal_newton import ProximalNewton
from corollary.solvers.saga import Saga
from corollary.solvers.solver import Iterate, Solver, check_needs, checked_start
from corollary.solvers.stochastic import Stochastic

__all__ = ["SOLVERS", "Solution", "minimize"]

#: The solvers by name, with their default settings.
SOLVERS: dict[str, Solver] = {
    "gradient_descent": GradientDescent(),
    "backtracking": GradientDescent("backtracking"),
    "exact_line_search": GradientDescent("exact"),
    "accelerated": Accelerated(),
    "conjugate_gradient": ConjugateGradient(),
    "nonlinear_cg": NonlinearCG(),
    "lbfgs": LBFGS(),
    "bfgs": BFGS(),
    "orthant_wise": OrthantWise(),
    "newton": Newton(),
    "proximal_newton": ProximalNewton(),
    "coordinate_descent": CoordinateDescent(),
    "sgd": Stochastic("sgd"),
    "momentum": Stochastic("momentum"),
    "nesterov": Stochastic("nesterov"),
    "adagrad": Stochastic("adagrad", schedule="constant"),
    "adam": Stochastic("adam", schedule="root"),
    "saga": Saga(),
}
RUNAWAY = 1e4  # times |F| at the start, and 1: a value above is divergence


@dataclass(frozen=True)
class Solution:
    """Where a solver ended, and how far that is from the minimum.

    Attributes
    ----------
    x : array of shape (d,)
    objective : float
        F(x).
    gradient_norm : float
        The measure (1).
    gap : float or None
        A bound on F(x) - min F, where the problem has one.
    stop : StopReason
        With its meaning and its remedy.
    iterations : int
    trace : array of shape (iterations + 1,)
        F at the start and after each iteration.
    evaluations : dict of str to int
        Calls of f, f', H and H p, and terms looked at.
    solver : Solver
    """

    x: Floats
    objective: float
    gradient_norm: float
    gap: float | None
    stop: StopReason
    iterations: int
    trace: Floats
    evaluations: dict[str, int] = field(default_factory=dict)
    solver: Any = None

    def __str__(self) -> str:
        calls = ", ".join(f"{n} of {what}" for what, n in self.evaluations.items())
        lines = [
            f"{type(self.solver).__name__}: {self.stop.word} ({self.stop.meaning})",
            f"  objective     {self.trace[0]:.6g} -> {self.objective:.6g}",
            f"  gradient      {self.gradient_norm:.3g}",
            f"  took          {self.iterations} iterations; {calls}",
        ]
        lines += [f"  gap           {self.gap:.3g}"] if self.gap is not None else []
        lines += [f"  what to do    {self.stop.remedy}"] if self.stop.remedy else []
        return "\n".join(lines)


def minimize(
    problem: Problem,
    solver: str | Solver = "lbfgs",
    *,
    tol: float = 1e-6,
    max_iter: int = 1000,
    start: Any = None,
) -> Solution:
    """Minimise a function.

    Parameters
    ----------
    problem : Problem
        Of `Problem`, `linear_problem` or `quadratic_problem`.
    solver : str or Solver, default='lbfgs'
        A name of `SOLVERS`, or a solver with settings of its own.
    tol : float, default=1e-6
        Of (1); 0 asks for max_iter iterations.
    max_iter : int, default=1000
        Iterations; of stochastic solvers, epochs.
    start : array of shape (d,), optional
        0 by default.

    Returns
    -------
    Solution
        A `ConvergenceWarning` says where it did not converge and what to do.

    Examples
    --------
    >>> from corollary.solvers.problem import quadratic_problem
    >>> bowl = quadratic_problem([[2.0, 0.0], [0.0, 10.0]], [2.0, 10.0])
    >>> found = minimize(bowl, "conjugate_gradient")
    >>> found.x.round(9).tolist(), found.iterations, found.stop.word
    ([1.0, 1.0], 2, 'converged')
    """
    method = _method(solver)
    if not tol >= 0 or max_iter < 1:
        must = "tol must be >= 0 and max_iter at least 1"
        raise ParameterError(sentence("minimize", must, f"{tol!r} and {max_iter!r}"))
    check_needs(method, problem)
    x = checked_start(problem, start)
    calls: Counter[str] = Counter()
    run = _Run(problem, tol, max_iter)
    with np.errstate(over="ignore", invalid="ignore"):
        for iterate in method.steps(_counted(problem, calls), x):
            if run.take(iterate):
                break
    solution = replace(run.solution(), evaluations=dict(calls), solver=method)
    short = solution.stop is StopReason.MAX_PASSES and tol > 0
    if short or solution.stop is StopReason.DIVERGED:
        who, norm = type(method).__name__, solution.gradient_norm
        text = f"{who}: {solution.stop.word}; gradient {norm:.3g} against {tol:g}"
        text = f"{text}. {solution.stop.remedy}"
        warnings.warn(text, ConvergenceWarning, stacklevel=2)
    return solution


class _Run:
    """The books of one search."""

    def __init__(self, problem: Problem, tol: float, max_iter: int) -> None:
        self.problem, self.tol, self.max_iter = problem, tol, max_iter
        self.trace: list[float] = []
        self.best: tuple[float, Floats] = (np.inf, np.zeros(0))
        self.norm = np.inf
        self.gap: float | None = None
        self.stop = StopReason.STALLED

    def take(self, iterate: Iterate) -> bool:
        """Write down an iterate; say whether it is the last."""
        problem, x = self.problem, iterate.x
        f = problem.objective(x) if problem.simple is not None else iterate.objective
        f = problem.objective(x) if f is None else f
        self.trace.append(float(f))
        first = self.trace[0]
        if not np.isfinite(f) or f - first > RUNAWAY * (1 + abs(first)):
            self.stop = StopReason.DIVERGED
            return True
        if f <= self.best[0] or not problem.cornered:
            self.best = (float(f), x)
        self.norm = self._norm(iterate)
        if problem.cornered and problem.gap is not None:
            self.gap = problem.gap(x)
        measure = self.norm if not problem.cornered else self.gap
        if measure is not None and measure <= self.tol:
            self.stop = StopReason.CONVERGED
        elif iterate.stalled:
            self.stop = StopReason.STALLED
        elif len(self.trace) > self.max_iter:
            self.stop = StopReason.MAX_PASSES
        else:
            return False
        return True

    def _norm(self, iterate: Iterate) -> float:
        g = iterate.gradient
        if g is None:
            assert self.problem.gradient is not None
            g = self.problem.gradient(iterate.x)
        return self.problem.stationarity(iterate.x, g)

    def solution(self) -> Solution:
        """Sum up, with the gap at the last point."""
        f, x = self.best
        gap = None if self.problem.gap is None or not len(x) else self.problem.gap(x)
        n, trace = len(self.trace) - 1, np.array(self.trace)
        return Solution(x, f, float(self.norm), gap, self.stop, n, trace)


def _method(solver: str | Solver) -> Solver:
    if isinstance(solver, Solver):
        return solver
    if not isinstance(solver, str) or solver not in SOLVERS:
        must = f"solver must be a Solver or one of {', '.join(map(repr, SOLVERS))}"
        raise ParameterError(sentence("minimize", must, repr(solver)))
    return SOLVERS[solver]


def _counted(problem: Problem, calls: Counter[str]) -> Problem:
    """Return the problem with functions that count their calls."""

    def counting(name: str, function: Callable[..., Any] | None) -> Any:
        if function is None:
            return None

        def counted(*arguments: Any) -> Any:
            calls[name] += 1
            return function(*arguments)

        return counted

    terms = problem.terms
    if terms is not None:
        parts = terms.parts

        def looked(x: Floats, rows: Any) -> Floats:
            calls["terms"] += len(rows)
            return parts(x, rows)

        terms = replace(terms, parts=looked)
    return replace(
        problem,
        value=counting("f", problem.value),
        gradient=counting("gradient", problem.gradient),
        hessian=counting("Hessian", problem.hessian),
        hessian_product=counting("Hessian product", problem.hessian_product),
        terms=terms,
    )
