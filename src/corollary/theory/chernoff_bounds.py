"""How far a rate may stray from a small probability: Chernoff's bounds.

Also known as: multiplicative Chernoff bound, relative-entropy bound, Chernoff-Hoeffding
theorem.

For the mean Z of m independent variables in [0, 1] with expectation p,

    Pr[ Z <= (1 - epsilon) p ]  <=  exp(-m p epsilon^2 / 2)                      (1)
    Pr[ Z >= (1 + epsilon) p ]  <=  exp(-m p epsilon^2 / (2 + epsilon))          (2)

for deviations relative to p, and for absolute ones

    Pr[ Z >= p + epsilon ]  <=  exp(-m kl(p + epsilon, p))                       (3)
    Pr[ Z <= p - epsilon ]  <=  exp(-m kl(p - epsilon, p))                       (4)

    kl(q, p) = q ln(q / p) + (1 - q) ln((1 - q) / (1 - p))                       (5)

kl(q, p) >= 2 (q - p)^2, so (3) and (4) are never worse than Hoeffding's inequality, and
much better for small p.

Notation: p = mean; delta how often a bound fails; k hypotheses.
Course: S0-53. References: Chernoff (1952); Hoeffding (1963), theorem 1.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.special import xlog1py

from corollary.core.arrays import Floats
from corollary.core.errors import ParameterError, sentence
from corollary.core.parameters import shown
from corollary.theory.calculator import (
    bisect,
    in_interval,
    quantities,
    solve_tail,
)

__all__ = ["chernoff", "chernoff_additive"]

TAILS = ("lower", "upper", "both")


def chernoff(
    *,
    mean: Any,
    m: Any = None,
    epsilon: Any = None,
    delta: Any = None,
    hypotheses: Any = None,
    tail: str = "both",
) -> Any:
    """Relate rows, relative deviation and failure rate by Chernoff (1), (2).

    Give all but one of `m`, `epsilon`, `delta` and `hypotheses`: the one left out is
    returned.  With two left out, `hypotheses` is 1.  Arrays broadcast.

    Parameters
    ----------
    mean : float in (0, 1)
        The expectation p; a lower bound of it will do.
    m : int, optional
        Rows.
    epsilon : float > 0, optional
        Deviation as a share of p; below 1 for the lower tail.
    delta : float in (0, 1), optional
        Probability of a larger deviation.
    hypotheses : int, optional
        Means at once, by the union bound.
    tail : {"both", "lower", "upper"}
        Means that are too small (1), too large (2), or either.

    Returns
    -------
    float, int or array

    Examples
    --------
    >>> from corollary.theory import chernoff
    >>> chernoff(mean=0.02, epsilon=0.5, delta=0.05, tail="lower")
    1199
    >>> round(chernoff(mean=0.02, m=1199, epsilon=0.5, tail="lower"), 4)
    0.0499
    """
    who = "chernoff"
    p = in_interval(who, "mean", mean, 0.0, 1.0)
    upper = _tail(who, tail) != "lower"
    given = {"m": m, "epsilon": epsilon, "delta": delta, "hypotheses": hypotheses}
    limit = np.full_like(p, np.inf if tail == "upper" else 1.0)
    q = quantities(who, given, limit, hypotheses=1)

    def rate(deviation: Floats) -> Floats:
        return p * deviation**2 / (2 + deviation if upper else 2)  # (2), (1)

    def inverse(exponent: Floats) -> Floats:
        c = exponent / p
        return (c + np.sqrt(c**2 + 8 * c)) / 2 if upper else np.sqrt(2 * c)

    return solve_tail(q, 2 if tail == "both" else 1, rate, inverse)


def chernoff_additive(
    *,
    mean: Any,
    m: Any = None,
    epsilon: Any = None,
    delta: Any = None,
    hypotheses: Any = None,
    tail: str = "both",
) -> Any:
    """Relate rows, deviation and failure rate by relative entropy (3), (4).

    Give all but one of `m`, `epsilon`, `delta` and `hypotheses`: the one left out is
    returned.  With two left out, `hypotheses` is 1.  Arrays broadcast.

    Also known as: additive Chernoff bound, entropy form of Chernoff's bound.

    Parameters
    ----------
    mean : float in (0, 1)
        The expectation p.
    m : int, optional
        Rows.
    epsilon : float, optional
        Absolute deviation, below p for the lower tail and below 1 - p for the upper,
        below the larger of them for both.  Where asked for, it is at most that: means
        farther away do not exist.
    delta : float in (0, 1), optional
        Probability of a larger deviation.
    hypotheses : int, optional
        Means at once, by the union bound.
    tail : {"both", "lower", "upper"}
        Means that are too small (4), too large (3), or either.

    Returns
    -------
    float, int or array

    Examples
    --------
    >>> from corollary.theory import chernoff_additive, hoeffding
    >>> chernoff_additive(mean=0.02, epsilon=0.02, delta=0.05, tail="upper")
    378
    >>> hoeffding(epsilon=0.02, delta=0.05, sides=1)
    3745
    """
    who = "chernoff_additive"
    p = in_interval(who, "mean", mean, 0.0, 1.0)
    up, down = 1 - p, p
    tail = _tail(who, tail)
    limit = {"upper": up, "lower": down, "both": np.maximum(up, down)}[tail]
    given = {"m": m, "epsilon": epsilon, "delta": delta, "hypotheses": hypotheses}
    q = quantities(who, given, limit, hypotheses=1)

    def rate(deviation: Floats) -> Floats:
        above, below = _kl(deviation, up, down), _kl(deviation, down, up)
        choice = {"upper": above, "lower": below, "both": np.minimum(above, below)}
        return choice[tail]

    def inverse(exponent: Floats) -> Floats:
        shape = np.broadcast_shapes(np.shape(exponent), p.shape)
        return bisect(
            lambda deviation: rate(deviation) <= exponent,
            np.zeros(shape),
            np.broadcast_to(limit, shape),
        )

    return solve_tail(q, 2 if tail == "both" else 1, rate, inverse)


def _kl(deviation: Floats, room: Floats, rest: Floats) -> Floats:
    """Return (5) of a mean that moves by so much into its room; infinite beyond it."""
    step = np.minimum(deviation, room)
    divergence = xlog1py(rest + step, step / rest) + xlog1py(room - step, -step / room)
    return np.where(deviation <= room, divergence, np.inf)


def _tail(who: str, tail: str) -> str:
    if tail not in TAILS:
        must = "tail must be 'lower', 'upper' or 'both'"
        raise ParameterError(sentence(who, must, shown(tail)))
    return tail
