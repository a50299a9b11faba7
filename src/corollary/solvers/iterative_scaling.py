"""Iterative scaling: fit the multipliers of a Gibbs law, each on its own.

Also known as: generalised iterative scaling (GIS), improved iterative scaling (IIS).

Find mu with  E_mu f_j + lambda_j mu_j = b_j  for features f_j >= 0, where E_mu is the
mean under  p_mu prop. to p_0 exp(sum_j mu_j f_j)  and lambda >= 0 is a penalty, mostly
0.  With f# = sum_j f_j, moving all mu_j by delta_j gains at least what it gains if each
delta_j solves its own equation

    E_mu [f_j exp(delta_j f#)] + lambda_j (mu_j + delta_j) = b_j         (IIS)   (1)
    E_mu [f_j] exp(delta_j C)  + lambda_j (mu_j + delta_j) = b_j,
                                    C = max f#                           (GIS)   (2)

so the objective never gets worse.  Without penalty (2) has the classical solution
delta_j = (1/C) log(b_j / E_mu f_j).  No feature needs to fill the sum up to C.
Features may be shifted to be >= 0, as probabilities that sum to 1 do not see it.

Each equation rises in delta_j and is solved by Newton steps, held to a factor e^3 in
the mean.  For (1) a Newton step needs a mean over the data, so the search is a record
that says at which delta it wants the means next, and `iis_step` takes the answer.

Notation: h = left side of (1) or (2) less b; a round ends when mu moves.
Course: S0-14. References: Darroch and Ratcliff (1972); Della Pietra, Della Pietra and
Lafferty (1997); Curran and Clark (2003); Chen and Rosenfeld (2000).
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from corollary.core.arrays import Floats

__all__ = ["ScalingState", "begin", "gis_step", "iis_step"]

LONGEST = 3.0  # change of delta f# in one Newton step
CLOSE = 0.02  # of delta: closer than that, a round of IIS ends
MOST_INNER = 12  # Newton steps in a round of IIS


@dataclass(frozen=True)
class ScalingState:
    """The multipliers, and the step that is tried."""

    mu: Floats  # (m,)
    C: float  # the largest f#
    delta: Floats  # (m,), 0 at the start of a round
    moved: float = np.inf  # largest |delta| C of the last round
    inner: int = 0  # Newton steps in this round
    rounds: int = 0


def begin(mu: Floats, C: float) -> ScalingState:
    """Start at mu."""
    return ScalingState(mu, max(C, np.finfo(np.float64).tiny), np.zeros_like(mu))


def gis_step(s: ScalingState, mean: Floats, b: Floats, penalty: Floats) -> ScalingState:
    """Solve (2) and move; `mean` is E_mu f."""
    delta = np.zeros_like(s.mu)
    for _ in range(60):
        g = mean * np.exp(np.minimum(delta * s.C, 500.0))
        change = _newton(s, delta, g, g * s.C, b, penalty)
        delta = delta + change
        if np.abs(change).max(initial=0.0) * s.C <= 1e-12:
            break
    delta = np.clip(delta, -500.0 / s.C, 500.0 / s.C)
    return _moved(s, delta)


def iis_step(
    s: ScalingState, g: Floats, slope: Floats, b: Floats, penalty: Floats
) -> ScalingState:
    """Take one Newton step on (1), and move once delta hardly changes.

    `g` is E_mu [f_j exp(delta_j f#)] and `slope` E_mu [f_j f# exp(delta_j f#)].
    """
    change = _newton(s, s.delta, g, slope, b, penalty)
    delta = s.delta + change
    far = np.abs(change) > CLOSE * np.abs(delta) + 1e-14 / s.C
    if far.any() and s.inner + 1 < MOST_INNER:
        return replace(s, delta=delta, inner=s.inner + 1)
    return _moved(s, delta)


def _newton(
    s: ScalingState, delta: Floats, g: Floats, slope: Floats, b: Floats, penalty: Floats
) -> Floats:
    h = g + penalty * (s.mu + delta) - b
    rise = slope + penalty
    step = np.divide(-h, rise, out=np.zeros_like(h), where=rise > 0)
    return np.clip(step, -LONGEST / s.C, LONGEST / s.C)


def _moved(s: ScalingState, delta: Floats) -> ScalingState:
    moved = float(np.abs(delta).max(initial=0.0)) * s.C
    return ScalingState(s.mu + delta, s.C, np.zeros_like(delta), moved, 0, s.rounds + 1)
