"""Watch a descent, and choose its rate from a ladder.

Also known as: convergence test, debugging gradient descent, step size selection, range
test.

At a rate that is small enough J falls at every iteration of gradient descent.  A trace
J_0, J_1, ... shows three things:

    rising     J_k > J_{k-1} for some k: the rate is too large                       (1)
    converged  J_{k-1} - J_k <= tol |J_{k-1}|: nothing more to gain at this rate     (2)
    falling    neither: go on

A fall of less than a fixed amount, 0.001 say, would depend on the units of J.  A rate
that is too small converges in this sense too early, or not at all, so rates are
compared: each of a ladder with factors of about 3,

    ..., 0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1, ...                                  (3)

makes a short trial from the same start.  Of the rates at which J never rises the one
that got lowest is recommended.  The ladder grows downwards where all rates rise, and
upwards where the largest is the best.  On a quadratic J falls at every step, from any
start, if and only if the rate is below 2/L.

Course: S4-4. Reference: Nocedal and Wright (2006), 3.3.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import Any

import numpy as np

from corollary.core.arrays import Floats
from corollary.core.errors import DataError, ParameterError, sentence
from corollary.core.records import readable
from corollary.solvers.gradient_descent import GradientDescent
from corollary.solvers.problem import Problem
from corollary.solvers.solver import check_needs, checked_start

__all__ = ["LADDER", "Ladder", "Rung", "Watched", "learning_rate_ladder", "watch"]

LADDER = (0.01, 0.03, 0.1, 0.3, 1.0)
MOST_RUNGS = 60
ROUNDING = 1e-13  # of J, relative


@readable
@dataclass(frozen=True)
class Watched:
    """What a trace shows.

    Attributes
    ----------
    verdict : {'rising', 'converged', 'falling'}
    iteration : int
        Where J rose first, or fell too little first; the last one otherwise.
    fall : float
        The relative fall in that iteration.
    advice : str
    """

    verdict: str
    iteration: int
    fall: float
    advice: str


@dataclass(frozen=True)
class Rung:
    """The trial of one rate: its trace, and what it shows."""

    rate: float
    trace: Floats
    watched: Watched
    stationary: bool = False  # the start is a minimum already

    @property
    def last(self) -> float:
        """J at the end, infinite where it rose."""
        return np.inf if self.watched.verdict == "rising" else float(self.trace[-1])


@dataclass(frozen=True)
class Ladder:
    """The trials from the smallest rate to the largest, and the rate to take."""

    rungs: tuple[Rung, ...]
    recommended: float

    def __str__(self) -> str:
        lines = []
        for rung in self.rungs:
            J = f"{rung.trace[0]:.6g} -> {rung.trace[-1]:.6g}"
            mark = "  <- take this" if rung.rate == self.recommended else ""
            lines.append(f"{rung.rate:>10.3g}  {rung.watched.verdict:9}  {J}{mark}")
        return "\n".join(lines)


def watch(trace: Any, tol: float = 1e-3) -> Watched:
    """Say whether a descent rises, has converged, or still falls.

    Parameters
    ----------
    trace : array of shape (k,)
        The cost before the first iteration and after each.
    tol : float, default=1e-3
        Of (2).

    Returns
    -------
    Watched

    Examples
    --------
    >>> watch([8.0, 4.0, 2.0, 1.0]).verdict
    'falling'
    >>> watch([8.0, 4.0, 3.999, 3.9989]).iteration
    2
    >>> watch([8.0, 9.0, 13.0]).advice
    'the cost rose in iteration 1: use a smaller rate, by a factor of 3 say.'
    """
    J = np.asarray(trace, float)
    if J.ndim != 1 or len(J) < 2:
        must = "trace must hold the cost of at least one iteration and of the start"
        raise DataError(sentence("watch", must, f"shape {J.shape}"))
    if not tol >= 0:
        raise ParameterError(sentence("watch", "tol must be >= 0", f"{tol!r}"))
    with np.errstate(invalid="ignore", over="ignore"):
        falls = J[:-1] - J[1:]
        size = np.maximum(np.abs(J[:-1]), np.finfo(float).tiny)
        relative = falls / size
    rising = ~(falls >= -ROUNDING * size)  # NaN is a rise too
    if rising.any():
        k = int(np.argmax(rising)) + 1
        advice = f"the cost rose in iteration {k}: use a smaller rate, by a factor of 3"
        return Watched("rising", k, float(relative[k - 1]), f"{advice} say.")
    small = relative <= tol
    if small.any():
        k = int(np.argmax(small)) + 1
        advice = (
            f"the cost fell by less than {tol:g} of itself in iteration {k}: stop, "
        )
        advice += "or compare with a larger rate."
        return Watched("converged", k, float(relative[k - 1]), advice)
    k = len(J) - 1
    advice = "the cost still falls: go on, or try a rate 3 times as large."
    return Watched("falling", k, float(relative[-1]), advice)


def learning_rate_ladder(
    problem: Problem,
    rates: Any = LADDER,
    *,
    steps: int = 30,
    tol: float = 1e-3,
    start: Any = None,
) -> Ladder:
    """Try rates of gradient descent, and recommend one.

    Parameters
    ----------
    problem : Problem
        With a gradient; its Lipschitz constant is not used.
    rates : array, default=(0.01, 0.03, 0.1, 0.3, 1)
        Where the ladder begins; it grows at either end as it must.
    steps : int, default=30
        Iterations of a trial.
    tol : float, default=1e-3
        Of (2).
    start : array of shape (d,), optional
        0 by default.

    Returns
    -------
    Ladder

    Examples
    --------
    >>> from corollary.solvers.problem import quadratic_problem
    >>> bowl = quadratic_problem([[1.0, 0.0], [0.0, 15.0]], [1.0, 15.0])
    >>> learning_rate_ladder(bowl).recommended  # 2/L = 0.133
    0.1
    """
    rungs = np.unique(np.asarray(rates, float))
    if not len(rungs) or not (rungs > 0).all() or not np.isfinite(rungs).all():
        must = "rates must be finite numbers > 0"
        raise ParameterError(sentence("learning_rate_ladder", must, f"{rates!r}"))
    if steps < 2:
        must = "steps must be at least 2"
        raise ParameterError(sentence("learning_rate_ladder", must, f"{steps!r}"))
    x = checked_start(problem, start)
    tried = [trial(problem, float(rate), x, steps, tol) for rate in rungs]
    while len(tried) < MOST_RUNGS:
        best = min(tried, key=lambda rung: rung.last)
        fell = best.last < best.trace[0] or best.stationary
        if not fell:
            tried.insert(0, trial(problem, lower(tried[0].rate), x, steps, tol))
        elif best is tried[-1] and not best.stationary:
            tried.append(trial(problem, higher(best.rate), x, steps, tol))
        else:
            return Ladder(tuple(tried), best.rate)
    must = "some rate must make the cost fall at every iteration"
    came = f"none of {len(tried)} from {tried[0].rate:.3g} to {tried[-1].rate:.3g}"
    remedy = "Check the gradient with check_gradient, or scale the features."
    raise DataError(sentence("learning_rate_ladder", must, came, remedy))


def trial(problem: Problem, rate: float, x: Floats, steps: int, tol: float) -> Rung:
    """Make a short descent at one rate."""
    method = GradientDescent(rate=rate)
    check_needs(method, problem)
    trace: list[float] = []
    stationary = False
    with np.errstate(over="ignore", invalid="ignore"):
        for iterate in itertools.islice(method.steps(problem, x), steps + 1):
            trace.append(problem.objective(iterate.x))
            if len(trace) == 1 and iterate.gradient is not None:
                stationary = problem.stationarity(x, iterate.gradient) == 0
            if not np.isfinite(trace[-1]):
                break
    J = np.array(trace)
    return Rung(rate, J, watch(J, tol), stationary)


def higher(rate: float) -> float:
    """Return the next rung of (3): 1, 3, 10, 30, ..."""
    power = 10.0 ** np.floor(np.log10(rate) + 1e-9)
    return float(f"{3 * power if rate < 2.9 * power else 10 * power:.3g}")


def lower(rate: float) -> float:
    """Return the rung before: 1, 0.3, 0.1, ..."""
    power = 10.0 ** np.floor(np.log10(rate) + 1e-9)
    return float(f"{power if rate > 1.1 * power else 0.3 * power:.3g}")
