"""Newton's method for a convex function, damped where it must be.

Also known as: Newton's method, Newton-Raphson, damped Newton.

Minimise a convex f with gradient g and Hessian H:

    (H + sigma ||g|| I) d = -g,   x+ = x + d                                     (1)

accepted where f falls by at least a share of what the slope promises,

    f(x+) <= f(x) + c g'd                                                        (2)

and tried again with a larger sigma otherwise.  sigma starts at 0, Newton's own step,
and returns there, so the end is as fast; while H is nearly singular and says nothing,
as where all probability sits on one outcome, the damped step is at most 1/sigma long.
The damping is in units that the caller names, in which the variables are alike.  Where
rounding hides the fall of f a flatter gradient decides.  Half of g'H^-1 g, the Newton
decrement, estimates f(x) - min f.

An evaluation may be a pass over data, so the search is a record that says where to
evaluate next (`trial`), and `step` takes the answer.

Course: S4-10. References: Boyd and Vandenberghe (2004), 9.5; Doikov and Nesterov
(2024).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from corollary.core.arrays import Floats
from corollary.core.records import changed
from corollary.linear_algebra.decompositions import eigh
from corollary.solvers.solver import Evaluation, SteppingSolver

__all__ = ["Newton", "NewtonState", "begin", "step"]

SUFFICIENT = 0.1  # c in (2); a quadratic falls by half of what the slope promises
MOST_TRIES = 40  # of one step
LONGEST = 2.0**480  # unit of a variable, whose square is a number
NOISE = 1e-13  # relative rounding error of f
EPS = np.finfo(np.float64).eps


@dataclass(frozen=True)
class NewtonState:
    """Where the search stands (x, f, g, H) and where it wants f, g and H next."""

    trial: Floats
    x: Floats
    f: float = np.inf
    g: Any = None
    spectrum: Any = None  # of H in the caller's units: values, vectors, units
    sigma: float = 0.0
    tries: int = 0
    decrement: float = np.inf
    stalled: bool = False

    def gradient_norm(self) -> float:
        """Return the largest entry of the gradient."""
        return np.inf if self.g is None else float(np.abs(self.g).max(initial=0.0))


def begin(x: Floats) -> NewtonState:
    """Start at x."""
    return NewtonState(trial=x, x=x)


def step(
    search: NewtonState, f: float, g: Floats, H: Floats, unit: Floats | None = None
) -> NewtonState:
    """Take f, g and H at the trial point; accept it or try a shorter step.

    `unit` holds a length of each variable; by default they are alike.
    """
    if search.g is None or _accepted(search, f, g):
        u = np.ones(len(g)) if unit is None else np.minimum(unit, LONGEST)
        values, vectors = eigh(H * u * u[:, None])
        sigma = 0.0 if search.sigma < 0.1 or search.tries == 0 else search.sigma / 8
        here = NewtonState(
            search.trial,
            search.trial,
            f,
            g,
            (np.maximum(values, 0.0), vectors, u),
            sigma,
        )
        d = _direction(here)
        return changed(here, trial=here.x + d, decrement=-0.5 * float(g @ d))
    same = abs(f - search.f) <= NOISE * max(abs(search.f), 1.0)
    if search.tries >= MOST_TRIES or (same and search.tries >= 3):
        return changed(search, trial=search.x, stalled=True)
    sigma = max(4 * search.sigma, 0.25)
    search = changed(search, sigma=sigma, tries=search.tries + 1)
    return changed(search, trial=search.x + _direction(search))


def _accepted(search: NewtonState, f: float, g: Floats) -> bool:
    """Test (2), or a flatter gradient where f is the same up to rounding."""
    slope = float(search.g @ (search.trial - search.x))
    if f <= search.f + SUFFICIENT * slope:
        return True
    same = abs(f - search.f) <= NOISE * max(abs(search.f), 1.0)
    return same and bool(np.abs(g).max(initial=0.0) < 0.9 * search.gradient_norm())


def _direction(search: NewtonState) -> Floats:
    """Solve (1)."""
    values, vectors, u = search.spectrum
    g = vectors.T @ (search.g * u)
    damping = search.sigma * float(np.linalg.norm(g))
    floor = EPS * len(g) * float(values.max(initial=0.0)) + np.finfo(np.float64).tiny
    return -u * (vectors @ (g / (values + damping + floor)))


@dataclass(frozen=True)
class Newton(SteppingSolver):
    """Newton's method.

    Examples
    --------
    >>> from corollary.solvers.minimize import minimize
    >>> from corollary.solvers.problem import quadratic_problem
    >>> bowl = quadratic_problem([[2.0, 1.0], [1.0, 2.0]], [3.0, 3.0])
    >>> minimize(bowl, Newton()).x.round(9).tolist()
    [1.0, 1.0]
    """

    second_order = True
    needs = ("gradient", "smooth", "no simple part", "Hessian")
    state = NewtonState

    def step(self, state: NewtonState, at: Evaluation) -> NewtonState:
        """Take f, g and H at the trial point."""
        return step(state, at.f, at.g, at.H)
