"""A step length by the strong Wolfe conditions.

Along a direction d of descent, phi(t) = f(x + t d), find t with

    phi(t) <= phi(0) + c1 t phi'(0)          enough of a fall                        (1)
    |phi'(t)| <= c2 |phi'(0)|                flat enough                             (2)

t grows until an interval holds such a point, and the interval is cut by interpolation,
always by a tenth at least.  Where rounding hides the change of f, (2) alone decides.

Reference: Nocedal and Wright (2006), 3.5.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from corollary.core.arrays import Floats
from corollary.solvers.problem import Problem

__all__ = ["Found", "search"]

C1 = 1e-4
MOST = 60
EPS = np.finfo(np.float64).eps


@dataclass(frozen=True)
class Found:
    """A point along the direction: t, x, f, f', and the slope phi'."""

    t: float
    x: Floats
    f: float
    g: Floats
    slope: float


def search(
    problem: Problem, start: Found, d: Floats, first: float, c2: float
) -> Found | None:
    """Return a point with (1) and (2), or None where rounding hides it."""
    assert problem.gradient is not None
    gradient = problem.gradient
    noise = 10 * EPS * abs(start.f)

    def at(t: float) -> Found:
        x = start.x + t * d
        with np.errstate(over="ignore", invalid="ignore"):
            f, g = float(problem.value(x)), gradient(x)
            return Found(t, x, f, g, float(g @ d))

    low, high, t = start, None, first
    for _ in range(MOST):
        here = at(t)
        sound = np.isfinite(here.f) and np.isfinite(here.slope)
        fell = sound and here.f <= start.f + C1 * t * start.slope + noise  # (1)
        if fell and abs(here.slope) <= c2 * abs(start.slope):  # (2)
            return here
        if not fell or (here.f > low.f + noise) or here.slope >= 0:
            high = here
        else:
            low = here
        t = 2 * t if high is None else _inside(low, high)
        if high is not None and abs(high.t - low.t) <= EPS * max(high.t, low.t):
            break
    return low if low is not start and low.f < start.f else None


def _inside(low: Found, high: Found) -> float:
    """Return the minimum of the cubic through both, well inside the interval."""
    width = high.t - low.t
    middle = low.t + 0.5 * width
    if not (np.isfinite(high.f) and np.isfinite(high.slope)):
        return low.t + 0.1 * width
    theta = 3 * (low.f - high.f) / width + low.slope + high.slope
    root = theta**2 - low.slope * high.slope
    if root < 0:
        return middle
    gamma = np.sqrt(root)
    below = high.slope - low.slope + 2 * gamma
    if below == 0:
        return middle
    t = high.t - width * (high.slope + gamma - theta) / below
    return float(np.clip(t, low.t + 0.1 * width, high.t - 0.1 * width))
