"""Decision regions on a line, as intervals.

Also known as: decision boundaries in one dimension, decision thresholds.

For a measurement x on the line the Bayes decision is constant between points where the
least risk changes hands, the roots of

    R(i | x) - R(j | x) = 0                                                      (1)

so the rule is a list of intervals and not one threshold.  Two normal classes N(m_1,
s_1^2), N(m_2, s_2^2) and a threshold t on their likelihood ratio give a quadratic

    (x - m_2)^2 / (2 s_2^2) - (x - m_1)^2 / (2 s_1^2) + ln(s_2 / s_1) = ln t     (2)

with two roots where the variances differ: the wider class wins on both sides.

Notation: m = mean; s = sd, the standard deviation and not the variance.
Course: S3-9, S3-6. Reference: Duda, Hart, Stork (2001), 2.6.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
from scipy.optimize import brentq

from corollary.core.arrays import Floats
from corollary.core.errors import ParameterError, sentence
from corollary.core.records import readable
from corollary.decisions.decision_rules import (
    cheapest,
    conditional_risk,
    likelihood_ratio_threshold,
    posterior,
)
from corollary.decisions.probabilities import check_distribution, check_loss

__all__ = ["Interval", "line_regions", "log_densities_at", "normal_crossings"]

LogDensity = Callable[[Any], Any]


@readable
class Interval(NamedTuple):
    """An interval on which one action is best."""

    low: float
    high: float
    action: int


def normal_crossings(
    mean: Any, sd: Any, prior: Any = (0.5, 0.5), loss: Any = None
) -> Floats:
    """Return the points where two normal classes change hands, in order (2).

    Parameters
    ----------
    mean, sd : pairs of float
        Mean and standard deviation of each class.
    prior : pair of float
    loss : array of shape (2, 2), optional
        By default 0/1.

    Returns
    -------
    array of shape (0,), (1,) or (2,)

    Examples
    --------
    >>> normal_crossings([5, 10], [1, 2]).round(3).tolist()
    [-0.267, 6.933]
    """
    who = "normal_crossings"
    m, s = np.asarray(mean, dtype=np.float64), np.asarray(sd, dtype=np.float64)
    if m.shape != (2,) or s.shape != (2,) or not np.isfinite([m, s]).all():
        must = "mean and sd must hold two finite numbers each"
        raise ParameterError(sentence(who, must, f"shapes {m.shape} and {s.shape}"))
    if s.min() <= 0:
        raise ParameterError(sentence(who, "sd must be > 0", f"{s.min():g}"))
    t = likelihood_ratio_threshold(loss, prior)
    if t == 0 or t == np.inf:
        return np.empty(0)
    a = 0.5 / s[1] ** 2 - 0.5 / s[0] ** 2
    b = m[0] / s[0] ** 2 - m[1] / s[1] ** 2
    c = 0.5 * (m[1] / s[1]) ** 2 - 0.5 * (m[0] / s[0]) ** 2 + np.log(s[1] / s[0] / t)
    return _real_roots(a, b, c)


def _real_roots(a: float, b: float, c: float) -> Floats:
    """Solve a x^2 + b x + c = 0 without cancellation; a may be 0."""
    if a == 0:
        return np.empty(0) if b == 0 else np.array([-c / b])
    disc = b * b - 4 * a * c
    if disc <= 0:  # a double root is no change of hands
        return np.empty(0)
    q = -0.5 * (b + np.copysign(np.sqrt(disc), b))
    return np.sort(np.array([q / a, c / q if q else 0.0]))


def line_regions(
    log_densities: Sequence[LogDensity],
    prior: Any,
    span: tuple[float, float],
    loss: Any = None,
    *,
    points: int = 4001,
) -> list[Interval]:
    """Return the intervals of a span on which each action is best.

    Parameters
    ----------
    log_densities : sequence of functions
        log p(x | class) of an array of numbers, one function for each class; the
        `logpdf` of a frozen SciPy distribution serves.
    prior : array of shape (k,)
    span : pair of float
        Where to look.
    loss : array of shape (a, k), optional
        By default 0/1.
    points : int
        Points of the first search: intervals shorter than the spacing may be missed.

    Returns
    -------
    list of Interval
        From left to right; boundaries are exact to rounding.

    Examples
    --------
    >>> from scipy.stats import norm
    >>> salmon, bass = norm(5, 1).logpdf, norm(10, 2).logpdf
    >>> for low, high, action in line_regions([salmon, bass], [0.5, 0.5], (-5, 20)):
    ...     print(f"{low:.3f} to {high:.3f}: {('salmon', 'bass')[action]}")
    -5.000 to -0.267: bass
    -0.267 to 6.933: salmon
    6.933 to 20.000: bass
    """
    who = "line_regions"
    pi = check_distribution(who, prior, len(log_densities), "prior")
    Lambda = check_loss(who, loss, len(pi))
    low, high = float(span[0]), float(span[1])
    if not (np.isfinite([low, high]).all() and low < high):
        must = "span must be two finite numbers, the smaller first"
        raise ParameterError(sentence(who, must, f"{tuple(span)}"))

    def risk(x: Any) -> Floats:
        L = log_densities_at(log_densities, np.atleast_1d(x))
        return conditional_risk(posterior(L, pi), Lambda)

    x = np.linspace(low, high, points)
    best = cheapest(risk(x))
    regions, left = [], low
    for at in np.flatnonzero(best[1:] != best[:-1]):
        for edge, action in _edges(risk, x[at], x[at + 1], int(best[at])):
            regions.append(Interval(left, edge, action))
            left = edge
    return [*regions, Interval(left, high, int(best[-1]))]


def _edges(
    risk: Callable[[Any], Floats], a: float, b: float, first: int
) -> list[tuple[float, int]]:
    """Return where in [a, b] the action leaves off, and which action did."""
    edges = []
    last = int(cheapest(risk(b))[0])
    while first != last:
        ends = [_root(risk, a, b, first, i) for i in range(risk(a).shape[1])]
        edge = min((e for e in ends if e is not None), default=b)
        edges.append((edge, first))
        beyond = np.nextafter(edge, b) if edge < b else b
        others = risk(beyond)[0]
        others[first] = np.inf
        first, a = int(others.argmin()), edge
        if len(edges) > len(others):
            break
    return edges


def _root(
    risk: Callable[[Any], Floats], a: float, b: float, i: int, j: int
) -> float | None:
    """Return where action j becomes cheaper than i, None where it never does (1)."""

    def lead(x: float) -> float:
        R = risk(x)[0]
        return float(R[i] - R[j])

    if i == j or lead(a) > 0 or lead(b) <= 0:
        return None
    return float(brentq(lead, a, b, xtol=1e-13, rtol=1e-14))


def log_densities_at(log_densities: Sequence[LogDensity], x: Any) -> Floats:
    """Return the log density of each class at each point, (n, k)."""
    columns = [np.asarray(f(x), dtype=np.float64).reshape(-1) for f in log_densities]
    return np.column_stack(columns)
