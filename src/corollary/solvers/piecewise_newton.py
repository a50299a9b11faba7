"""Newton's method for a convex function that is quadratic in pieces.

Also known as: finite Newton method, semi-smooth Newton method.

Minimise f, strongly convex, with a gradient g that is linear in pieces and H its
derivative in the piece at hand:

    H d = -g,   x+ = x + t d                                                         (1)

t = 1 where f falls by a share of what the slope promises: in the last piece that is the
minimum itself.  Elsewhere t is where the slope along d, which rises and is linear in
pieces, crosses 0.  It is asked for at t = 1, 1/2, 1/4, ... at once,

    s_j = d'g(x + 2^-j d)                                                            (2)

and t lies where the line through the last negative and the first positive one is 0.
Half of g'H^-1 g, the Newton decrement, estimates f(x) - min f.

An evaluation is a pass over data, so the search is a record that says what it wants
next: f, g and H at `trial`, or, where `line` is set, the slopes (2) from x along `d`.

References: Mangasarian (2002); Keerthi and DeCoste (2005).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.linalg.lapack import dposv

from corollary.core.arrays import Floats
from corollary.core.records import changed
from corollary.linear_algebra.decompositions import eigh

__all__ = ["LENGTHS", "PiecewiseNewtonState", "along", "begin", "step"]

LENGTHS = 2.0 ** -np.arange(24)  # of (2)
SUFFICIENT = 0.1  # share of the slope's promise; a quadratic falls by half of it
NOISE = 1e-13  # relative rounding error of f


@dataclass(frozen=True)
class PiecewiseNewtonState:
    """Where the search stands (x, f, g), where it goes (d), and what it wants next."""

    trial: Floats
    x: Floats
    f: float = np.inf
    g: Any = None
    d: Any = None
    line: bool = False
    sure: bool = False  # whether t comes from (2)
    decrement: float = np.inf
    stalled: bool = False


def begin(x: Floats) -> PiecewiseNewtonState:
    """Start at x."""
    return PiecewiseNewtonState(trial=x, x=x)


def step(
    search: PiecewiseNewtonState, f: float, g: Floats, H: Floats
) -> PiecewiseNewtonState:
    """Take f, g and H at the trial point; accept it, or ask for the slopes (2)."""
    if search.g is not None:
        slope = float(search.g @ (search.trial - search.x))
        falls = f <= search.f + (0.0 if search.sure else SUFFICIENT * slope)
        same = abs(f - search.f) <= NOISE * max(abs(search.f), 1.0)
        flatter = same and np.abs(g).max() < 0.9 * np.abs(search.g).max()
        if not (falls or flatter):
            if search.sure or same:
                return changed(search, trial=search.x, stalled=True)
            return changed(search, line=True)
        if same and not flatter:
            x, better = (search.trial, g) if falls else (search.x, search.g)
            return changed(search, trial=x, x=x, f=f, g=better, stalled=True)
    d = -solved(H, g)  # (1)
    x = search.trial
    decrement = -0.5 * float(g @ d)
    return PiecewiseNewtonState(x + d, x, f, g, d, decrement=decrement)


def solved(H: Floats, g: Floats) -> Floats:
    """Return H^-1 g; rounding may have cost H the curvature of some direction."""
    _, x, failed = dposv(H, g, lower=1)
    if not failed:
        return x
    values, vectors = eigh(H)
    floor = np.finfo(np.float32).eps * values[-1]
    return vectors @ ((vectors.T @ g) / np.maximum(values, floor))


def along(search: PiecewiseNewtonState, slopes: Floats) -> PiecewiseNewtonState:
    """Take the slopes (2) and go to where they cross 0."""
    t = np.append(LENGTHS, 0.0)[::-1]
    s = np.append(slopes, float(search.g @ search.d))[::-1]
    first = int(np.argmax(s >= 0)) if (s >= 0).any() else len(s) - 1
    a, b = s[first - 1], s[first]
    share = 1.0 if b <= 0 else a / (a - b)
    best = t[first - 1] + share * (t[first] - t[first - 1])
    return changed(search, trial=search.x + best * search.d, line=False, sure=True)
