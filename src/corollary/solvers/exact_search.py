"""The exact step along a line of any smooth convex function.

Also known as: exact line search, minimisation along a line.

phi(t) = F(x + t d) is convex where F is, and along a direction of descent its slope

    phi'(t) = F'(x + t d)'d                                                          (1)

rises from phi'(0) < 0.  Its root is the best t: t doubles until the slope is not below
0, and the interval is then cut by false position, halving the slope of an end that
stays (the rule of Illinois).  Where F is not convex the root may lie higher than x:
then t is halved until F falls.

Course: S2-28. References: Boyd and Vandenberghe (2004), 9.2; Dowell and Jarratt (1971).
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

__all__ = ["exact_step"]

DOUBLINGS = 200
CUTS = 200
FLAT = 1e-12  # of |phi'(0)|: a slope that is 0
EPS = float(np.finfo(np.float64).eps)

Line = Callable[[float], float]


def exact_step(value: Line, slope: Line, first: float) -> float:
    """Return the t > 0 where phi is least; 0 where rounding hides it.

    Parameters
    ----------
    value, slope : functions of t
        phi and phi', with phi'(0) < 0.
    first : float
        A first guess.

    Returns
    -------
    float
        A large one where phi falls for ever.

    Examples
    --------
    >>> round(exact_step(lambda t: (t - 3) ** 4, lambda t: 4 * (t - 3) ** 3, 1.0), 3)
    3.0
    """
    flat = FLAT * abs(slope(0.0))
    low, high = (0.0, slope(0.0)), (first, slope(first))
    for _ in range(DOUBLINGS):
        if not high[1] < -flat:  # not finite is too far as well
            break
        low, high = high, (2 * high[0], slope(2 * high[0]))
    else:
        return high[0]
    t = _root(slope, low, high, flat)
    start = value(0.0)
    while t > 0 and not value(t) <= start + 4 * EPS * abs(start):
        t = t / 2 if t > EPS * first else 0.0
    return t


def _root(
    slope: Line, low: tuple[float, float], high: tuple[float, float], flat: float
) -> float:
    """Return where the slope is 0 between a point below and one not below."""
    (a, fa), (b, fb) = low, high
    side = 0
    for _ in range(CUTS):
        if abs(fb) <= flat or b - a <= 2 * EPS * b:
            return b
        cut = (a * fb - b * fa) / (fb - fa) if np.isfinite(fb) else np.inf
        t = cut if a < cut < b else a + (b - a) / 2
        f = slope(t)
        if abs(f) <= flat:
            return t
        if f < 0:
            a, fa, fb, side = t, f, fb / 2 if side == -1 else fb, -1
        else:
            b, fb, fa, side = t, f, fa / 2 if side == 1 else fa, 1
    return a
