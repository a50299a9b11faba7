"""L-BFGS with a preconditioner, one evaluation at a time.

Also known as: L-BFGS, limited-memory BFGS, quasi-Newton.

Minimise a smooth f.  From the last m steps s_i and changes of gradient y_i it builds an
approximate inverse Hessian H by the two-loop recursion, starting from gamma P, where P
is a fixed preconditioner and gamma = s'y / y'P y makes it fit the last step:

    d = -H g                                                                     (1)
    x+ = x + t d,   t = 1, shortened until f(x+) <= f(x) + c t g'd               (2)

where rounding hides the change of f, the slope decides: |g(x+)'d| <= 0.9 |g(x)'d|  (3)

With the steps as rows of S, the changes as rows of Y, and R the upper triangle of S Y',
what the two loops take off and put back, one pair at a time, is

    R a = S g,    r = gamma P (g - Y'a),    R'c = diag(R) a - Y r,   H g = r + S'c   (4)

An evaluation of f and its gradient is one pass over the data, so the search is a record
that says where to evaluate next (`trial`), and `step` takes the answer.

Course: S4-10. References: Nocedal and Wright (2006), 7.2; Liu and Nocedal (1989).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.linalg.lapack import dtrtrs

from corollary.core.arrays import Floats
from corollary.core.records import changed
from corollary.solvers.solver import Evaluation, SteppingSolver

__all__ = ["LBFGS", "LBFGSState", "begin", "shorter", "step", "two_loop", "with_pair"]

Precondition = Callable[[Floats], Floats]

MEMORY = 10  # pairs (s, y) kept
SUFFICIENT = 1e-4  # c in (2)
MOST_TRIES = 25  # shortenings of one step
MOST_IDLE = 6
EPS = float(np.finfo(np.float64).eps)


@dataclass(frozen=True)
class LBFGSState:
    """Where the search stands (x, f, g) and where it wants f and g next (trial)."""

    trial: Floats
    x: Floats
    f: float = np.inf
    g: Any = None
    d: Any = None
    t: float = 1.0
    tries: int = 0
    pairs: Any = None  # (2, k, d) the last k steps and changes, S and Y
    idle: int = 0  # accepted steps in a row that gained nothing beyond rounding
    stalled: bool = False

    def gradient_norm(self) -> float:
        """Return the largest entry of the gradient."""
        return np.inf if self.g is None else float(np.abs(self.g).max(initial=0.0))


def begin(x: Floats) -> LBFGSState:
    """Start at x."""
    return LBFGSState(trial=x, x=x)


def step(
    search: LBFGSState, f: float, g: Floats, precondition: Precondition, noise: float
) -> LBFGSState:
    """Take f and g at the trial point; accept it or shorten the step (2).

    `noise` is the relative rounding error of f.
    """
    if search.g is None:
        return _onward(changed(search, f=f, g=g), precondition)
    slope = float(search.g @ search.d)
    fell = f <= search.f + SUFFICIENT * search.t * slope  # (2)
    same = abs(f - search.f) <= 1e4 * noise * abs(search.f)
    if not (fell or (same and abs(float(g @ search.d)) <= 0.9 * abs(slope))):  # (3)
        if search.tries >= MOST_TRIES:
            return changed(search, trial=search.x, stalled=True)
        t = shorter(search.t, search.f, slope, f)
        return changed(
            search, t=t, trial=search.x + t * search.d, tries=search.tries + 1
        )
    accepted = changed(search, x=search.trial, f=f, g=g, pairs=with_pair(search, g))
    flatter = accepted.gradient_norm() < 0.9 * search.gradient_norm()
    idle = search.idle + 1 if search.f - f <= noise * abs(f) and not flatter else 0
    accepted = changed(accepted, idle=idle)
    if idle > MOST_IDLE:
        return changed(accepted, stalled=True)
    return _onward(accepted, precondition)


def with_pair(search: LBFGSState, g: Floats) -> Any:
    """Return the pairs with that of the step to the trial point, if f is convex there.

    g is the gradient at the trial point.
    """
    s, y = search.trial - search.x, g - search.g
    if not s @ y > 1e-16 * np.sqrt((s @ s) * (y @ y)):
        return search.pairs
    pair = np.array([[s], [y]])
    if search.pairs is None:
        return pair
    return np.concatenate([search.pairs[:, 1 - MEMORY :], pair], axis=1)


def _onward(search: LBFGSState, precondition: Precondition) -> LBFGSState:
    d = -two_loop(search.g, search.pairs, precondition)  # (1)
    if not d @ search.g < 0:  # rounding spoilt the pairs: begin anew
        search, d = changed(search, pairs=None), -precondition(search.g)
    return changed(search, d=d, t=1.0, tries=0, trial=search.x + d)


def two_loop(g: Floats, pairs: Any, precondition: Precondition) -> Floats:
    """Return H g, by (4)."""
    if pairs is None or not pairs.shape[1]:
        return precondition(g)
    S, Y = pairs
    R = S @ Y.T  # its upper triangle counts
    a, _ = dtrtrs(R.T, S @ g, lower=1, trans=1)
    r = precondition(g - a @ Y)
    r *= R[-1, -1] / (Y[-1] @ precondition(Y[-1]))
    c, _ = dtrtrs(R.T, R.diagonal() * a - Y @ r, lower=1)
    return r + c @ S


def shorter(t: float, f0: float, slope: float, f: float) -> float:
    """Minimise the parabola through f0, its slope, and f(t); stay in [0.1, 0.5] t."""
    curvature = f - f0 - t * slope
    best = -slope * t * t / (2 * curvature) if np.isfinite(f) and curvature > 0 else 0.0
    return float(min(max(best, 0.1 * t), 0.5 * t))


@dataclass(frozen=True)
class LBFGS(SteppingSolver):
    """L-BFGS.

    Examples
    --------
    >>> from scipy.optimize import rosen, rosen_der
    >>> from corollary.solvers.minimize import minimize
    >>> from corollary.solvers.problem import Problem
    >>> valley = Problem(2, rosen, rosen_der)
    >>> minimize(valley, LBFGS(), start=[-1.2, 1.0]).x.round(4).tolist()
    [1.0, 1.0]
    """

    needs = ("gradient", "smooth", "no simple part")
    state = LBFGSState

    def step(self, state: LBFGSState, at: Evaluation) -> LBFGSState:
        """Take f and g at the trial point."""
        return step(state, at.f, at.g, lambda v: v / at.scale, EPS)
