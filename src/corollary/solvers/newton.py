"""Newton's method with backtracking, one evaluation at a time.

Minimise a convex f with gradient g and Hessian H:

    d = -H^+ g,   x+ = x + t d,   t halved until f(x+) <= f(x) + c t g'd         (1)

Where H is singular the shortest step is taken, which is right as long as g lies in the
range of H: f is flat along the rest.  At a distance where rounding hides the fall of f
the slope decides.  The squared Newton decrement  g' H^+ g / 2  estimates f(x) - min f.

An evaluation may be a pass over data, so the search is a record that says where to
evaluate next (`trial`), and `step` takes the answer.

Reference: Boyd and Vandenberghe (2004), 9.5.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from corollary.core.arrays import Floats

__all__ = ["Newton", "begin", "step"]

SUFFICIENT = 1e-4  # c in (1)
MOST_TRIES = 40  # halvings of one step
NOISE = 1e-13  # relative rounding error of f


@dataclass(frozen=True)
class Newton:
    """Where the search stands (x, f, g) and where it wants f, g and H next (trial)."""

    trial: Floats
    x: Floats
    f: float = np.inf
    g: Any = None
    d: Any = None
    t: float = 1.0
    tries: int = 0
    decrement: float = np.inf
    stalled: bool = False

    def gradient_norm(self) -> float:
        """Return the largest entry of the gradient."""
        return np.inf if self.g is None else float(np.abs(self.g).max(initial=0.0))


def begin(x: Floats) -> Newton:
    """Start at x."""
    return Newton(trial=x, x=x)


def step(search: Newton, f: float, g: Floats, H: Floats) -> Newton:
    """Take f, g and H at the trial point; accept it or halve the step (1)."""
    if search.g is not None:
        slope = float(search.g @ search.d)
        fell = f <= search.f + SUFFICIENT * search.t * slope
        same = abs(f - search.f) <= NOISE * max(abs(search.f), 1.0)
        flatter = np.abs(g).max(initial=0.0) < search.gradient_norm()
        if not (fell or (same and flatter)):
            if search.tries >= MOST_TRIES or same:
                return replace(search, trial=search.x, stalled=True)
            t = search.t / 2
            return replace(
                search, t=t, trial=search.x + t * search.d, tries=search.tries + 1
            )
    x = search.trial
    scale = np.sqrt(np.maximum(np.diagonal(H), np.finfo(np.float64).tiny))
    d = -np.linalg.lstsq(H / np.outer(scale, scale), g / scale, rcond=1e-13)[0] / scale
    return Newton(
        trial=x + d, x=x, f=f, g=g, d=d, decrement=max(-0.5 * float(g @ d), 0.0)
    )
