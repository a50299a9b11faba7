"""Epsilon-nets: point sets that hit every region that matters.

Also known as: epsilon net, hitting set, range space, Haussler-Welzl theorem.

A set S of points is an epsilon-net of a family of regions if

    every region of weight >= epsilon holds a point of S                         (1)

Intervals under a continuous distribution: S is a net if and only if no gap between
neighbours, or at an end, weighs more than epsilon.                              (2)
On [0, 1] with the uniform law the grid {epsilon, 2 epsilon, ...} is one.        (3)
A finite family of regions of finitely many points is checked one by one.        (4)

A hypothesis that agrees with the target on a net of the regions where two hypotheses
differ errs less than epsilon: where it errs is a region without a point of S.   (5)
For intervals that region is two intervals at most.  If it weighs more than epsilon, one
of the two weighs more than epsilon / 2, so a net of epsilon / 2 for intervals serves.

Rows drawn at random are a net with probability 1 - delta: for k regions if

    m >= (1/epsilon) ln(k / delta)                                               (6)

and for a family of VC dimension d if m is that of `vc_realizable` (Haussler, Welzl).
(7)

Notation: S = points; weight = probability of a region.
Course: S0-60. References: Haussler and Welzl (1987); Blumer et al. (1989).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from corollary.core.arrays import Floats
from corollary.core.errors import DataError, ParameterError, sentence
from corollary.core.vectors import numbers, probabilities
from corollary.theory.calculator import in_interval
from corollary.theory.pac import realizable_bound
from corollary.theory.vc_sample_size import vc_realizable

__all__ = [
    "NetCheck",
    "check_interval_net",
    "check_net",
    "interval_net",
    "random_net_size",
]

ROUNDING = 1e-12
MOST_POINTS = 10**8


@dataclass(frozen=True)
class NetCheck:
    """Whether points are an epsilon-net, and the heaviest region that they miss.

    Attributes
    ----------
    epsilon : float
    heaviest : float
        Weight of the heaviest region without a point.
    region : tuple
        The open interval that it is, or the number of the region; empty for none.
    strict : bool
        Whether a region must weigh less than epsilon, or may weigh as much: closed
        intervals inside an open gap weigh less than the gap.
    """

    epsilon: float
    heaviest: float
    region: tuple[Any, ...]
    strict: bool

    @property
    def holds(self) -> bool:
        """Whether every region of weight epsilon or more is hit (1)."""
        if self.strict:
            return self.heaviest < self.epsilon
        return self.heaviest <= self.epsilon * (1 + ROUNDING)

    def __bool__(self) -> bool:
        return self.holds

    def __str__(self) -> str:
        verdict = "an epsilon-net" if self.holds else "no epsilon-net"
        ends = ", ".join(f"{x:.6g}" for x in self.region)
        words = f"{verdict} for epsilon = {self.epsilon:g}: the heaviest region without"
        words += f" a point weighs {self.heaviest:.6g}"
        return f"{words} ({ends})" if ends else words


def check_interval_net(
    points: Any,
    epsilon: float,
    *,
    low: float = 0.0,
    high: float = 1.0,
    cdf: Callable[[Any], Any] | None = None,
) -> NetCheck:
    """Check whether points hit every interval of weight epsilon (2).

    Parameters
    ----------
    points : vector
    epsilon : float in (0, 1)
    low, high : float, default 0 and 1
        Ends of the line that the distribution lives on; they may be infinite with a
        cdf.
    cdf : function, optional
        Distribution function, continuous; the uniform law on [low, high] by default.

    Returns
    -------
    NetCheck

    Examples
    --------
    >>> from corollary.theory import check_interval_net, interval_net
    >>> print(check_interval_net([0.2, 0.5, 0.9], 0.3))
    no epsilon-net for epsilon = 0.3: the heaviest region without a point weighs 0.4 \
(0.5, 0.9)
    >>> check_interval_net(interval_net(0.3), 0.3).holds
    True
    """
    who = "check_interval_net"
    eps = _single(who, epsilon)
    x = np.sort(np.atleast_1d(numbers(who, points, "points")).ravel())
    if not low < high or (cdf is None and not math.isfinite(high - low)):
        must = "low must be below high, both finite unless a cdf is given"
        raise ParameterError(sentence(who, must, f"{low} and {high}"))
    inside = x[(x >= low) & (x <= high)]
    ends = np.concatenate([[low], inside, [high]])
    F = _distribution(who, ends, low, high, cdf)
    weights = np.diff(F)
    worst = int(weights.argmax())
    region = (float(ends[worst]), float(ends[worst + 1]))
    return NetCheck(eps, float(weights[worst]), region, strict=False)


def check_net(
    chosen: Any, regions: Any, epsilon: float, *, weights: Any = None
) -> NetCheck:
    """Check whether points hit every heavy region of a finite family (4).

    Parameters
    ----------
    chosen : vector of int
        Numbers of the points in the net.
    regions : array of bool of shape (k, v)
        Whether each region holds each of v points.
    epsilon : float in (0, 1)
    weights : vector of v probabilities, optional
        Of the points; equal by default.

    Returns
    -------
    NetCheck

    Examples
    --------
    >>> from corollary.theory import check_net
    >>> regions = [[1, 1, 0, 0], [0, 0, 1, 1], [0, 1, 1, 0]]
    >>> check_net([1], regions, 0.5).holds, check_net([1, 2], regions, 0.5).holds
    (False, True)
    """
    who = "check_net"
    eps = _single(who, epsilon)
    R = numbers(who, regions, "regions")
    if R.ndim != 2 or not R.size or not np.isin(R, (0, 1)).all():
        must = "regions must be a table of 0 and 1, a row for each region"
        raise DataError(sentence(who, must, f"shape {R.shape}"))
    v = R.shape[1]
    p = np.full(v, 1 / v) if weights is None else None
    p = probabilities(who, weights, "weights", v) if p is None else p
    S = np.asarray(chosen)
    if S.ndim != 1 or (S.size and (S.dtype.kind not in "iu" or S.min() < 0)):
        must = "chosen must be a vector of numbers of points"
        raise DataError(sentence(who, must, f"shape {S.shape}, {S.dtype}"))
    if S.size and S.max() >= v:
        must = f"chosen must be numbers below {v}"
        raise DataError(sentence(who, must, f"{S.max()}"))
    missed = ~R[:, S.astype(np.intp)].any(axis=1)
    if not missed.any():
        return NetCheck(eps, 0.0, (), strict=True)
    heavy = np.where(missed, R @ p, -1.0)
    worst = int(heavy.argmax())
    return NetCheck(eps, float(heavy[worst]), (worst,), strict=True)


def interval_net(
    epsilon: float,
    *,
    low: float = 0.0,
    high: float = 1.0,
    quantile: Callable[[Any], Any] | None = None,
) -> Floats:
    """Return the smallest net of intervals: points a weight of epsilon apart (3).

    Parameters
    ----------
    epsilon : float in (0, 1)
        Half of the error that a hypothesis may make, by (5).
    low, high : float, default 0 and 1
        Of the uniform law.
    quantile : function, optional
        Inverse of another distribution function.

    Returns
    -------
    array
        As few points as any net has: ceil(1 / epsilon) - 1 of them.

    Examples
    --------
    >>> from corollary.theory import interval_net
    >>> interval_net(0.25).tolist()
    [0.25, 0.5, 0.75]
    """
    who = "interval_net"
    eps = _single(who, epsilon)
    count = math.ceil(1 / eps * (1 - ROUNDING)) - 1
    if count > MOST_POINTS:
        must = f"epsilon must leave at most {MOST_POINTS} points"
        raise ParameterError(sentence(who, must, f"{eps:g}"))
    if not (math.isfinite(low) and math.isfinite(high) and low < high):
        must = "low must be below high, both finite"
        raise ParameterError(sentence(who, must, f"{low} and {high}"))
    at = eps * np.arange(1, count + 1)
    if quantile is None:
        return low + (high - low) * at
    return numbers(who, quantile(at), "quantile")


def random_net_size(
    *, epsilon: Any, delta: Any, d: Any = None, regions: Any = None
) -> Any:
    """Return how many random rows are a net with probability 1 - delta (6), (7).

    Parameters
    ----------
    epsilon, delta : float in (0, 1)
    d : int, optional
        VC dimension of the family of regions.
    regions : int, optional
        Number of regions, in place of d.

    Returns
    -------
    int or array

    Examples
    --------
    >>> from corollary.theory import random_net_size
    >>> random_net_size(epsilon=0.1, delta=0.05, regions=1000)
    100
    >>> random_net_size(epsilon=0.1, delta=0.05, d=2)
    484
    """
    if (d is None) == (regions is None):
        must = "either d or regions must be given"
        came = "both" if d is not None else "neither"
        raise ParameterError(sentence("random_net_size", must, came))
    if regions is not None:
        return realizable_bound(epsilon=epsilon, delta=delta, hypotheses=regions)
    return vc_realizable(d=d, epsilon=epsilon, delta=delta, growth="sauer")


def _single(who: str, epsilon: Any) -> float:
    eps = in_interval(who, "epsilon", epsilon, 0.0, 1.0)
    if eps.ndim:
        must = "epsilon must be one number"
        raise ParameterError(sentence(who, must, f"shape {eps.shape}"))
    return float(eps)


def _distribution(who: str, x: Floats, low: float, high: float, cdf: Any) -> Floats:
    """Return the distribution function at points, 0 and 1 at the ends."""
    if cdf is None:
        return (x - low) / (high - low)
    F = numbers(who, cdf(x), "cdf")
    F[0], F[-1] = 0.0, 1.0
    if F.shape != x.shape or (np.diff(F) < 0).any() or F.min() < 0 or F.max() > 1:
        must = "cdf must rise from 0 to 1"
        raise DataError(sentence(who, must, f"values in [{F.min():g}, {F.max():g}]"))
    return F
