"""How far a mean of small variance may stray: Bernstein, Bennett, Maurer and Pontil.

Also known as: variance-sensitive concentration, Bernstein inequality, Bennett's
inequality, empirical Bernstein bound.

For the mean Z of m independent variables with variance v that exceed their expectation
by at most b,

    Pr[ Z - E Z >= epsilon ]  <=  exp(-m epsilon^2 / (2 (v + b epsilon / 3)))    (1)
                                                                  (Bernstein)
    Pr[ Z - E Z >= epsilon ]  <=  exp(-m (v / b^2) h(b epsilon / v))             (2)
    h(u) = (1 + u) ln(1 + u) - u                                  (Bennett)

h(u) >= u^2 / (2 (1 + u / 3)), so (2) is never worse than (1).  For v much below b^2
both give epsilon of order 1/m where Hoeffding's inequality gives 1/sqrt(m).  The
variance need not be known: with the sample variance V (divisor m - 1) of values in an
interval of width b, with probability 1 - delta

    E Z  <=  Z + sqrt(2 V L / m) + 7 b L / (3 (m - 1)),   L = ln(2 / delta)      (3)

Notation: v, V = variance; b = bound, width; L includes sides and hypotheses.
Course: S0-53. References: Bernstein (1924); Bennett (1962); Maurer and Pontil (2009),
theorem 4.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from corollary.core.arrays import Floats
from corollary.core.errors import ParameterError, sentence
from corollary.core.vectors import non_negative
from corollary.theory.calculator import (
    ROUNDING,
    answer,
    check_shapes,
    in_interval,
    least_rows,
    most_whole,
    one_side_or_two,
    quantities,
    solve_tail,
    whole_numbers,
)

__all__ = ["bennett", "bernstein", "empirical_bernstein"]

NEWTON_STEPS = 60
SMALL = 1e-3  # below it h(u) is its series


def bernstein(
    *,
    variance: Any,
    m: Any = None,
    epsilon: Any = None,
    delta: Any = None,
    hypotheses: Any = None,
    bound: Any = 1.0,
    sides: int = 2,
) -> Any:
    """Relate rows, deviation, failure rate and number of means by Bernstein (1).

    Give all but one of `m`, `epsilon`, `delta` and `hypotheses`: the one left out is
    returned.  With two left out, `hypotheses` is 1.  Arrays broadcast.

    Parameters
    ----------
    variance : float > 0
        Of one value; an upper bound of it will do.
    m : int, optional
        Rows.
    epsilon : float in (0, bound), optional
        Deviation of the mean.
    delta : float in (0, 1), optional
        Probability of a larger deviation.
    hypotheses : int, optional
        Means at once, by the union bound.
    bound : float, default=1
        How far a value may be from its expectation.
    sides : {2, 1}
        Deviations to both sides, or to one.

    Returns
    -------
    float, int or array

    Examples
    --------
    >>> from corollary.theory import bernstein, hoeffding
    >>> bernstein(variance=0.01, epsilon=0.02, delta=0.05), hoeffding(
    ...     epsilon=0.02, delta=0.05
    ... )
    (308, 4612)
    """
    who = "bernstein"
    v, b, sides = _scales(who, variance, bound, sides)
    given = {"m": m, "epsilon": epsilon, "delta": delta, "hypotheses": hypotheses}
    q = quantities(who, given, b, hypotheses=1)
    return solve_tail(
        q,
        sides,
        lambda deviation: deviation**2 / (2 * (v + b * deviation / 3)),  # (1)
        lambda exponent: _bernstein_inverse(exponent, v, b),
    )


def bennett(
    *,
    variance: Any,
    m: Any = None,
    epsilon: Any = None,
    delta: Any = None,
    hypotheses: Any = None,
    bound: Any = 1.0,
    sides: int = 2,
) -> Any:
    """Relate rows, deviation, failure rate and number of means by Bennett (2).

    Give all but one of `m`, `epsilon`, `delta` and `hypotheses`: the one left out is
    returned.  With two left out, `hypotheses` is 1.  Arrays broadcast.

    Parameters
    ----------
    variance : float > 0
        Of one value; an upper bound of it will do.
    m : int, optional
        Rows.
    epsilon : float in (0, bound), optional
        Deviation of the mean.
    delta : float in (0, 1), optional
        Probability of a larger deviation.
    hypotheses : int, optional
        Means at once, by the union bound.
    bound : float, default=1
        How far a value may be from its expectation.
    sides : {2, 1}
        Deviations to both sides, or to one.

    Returns
    -------
    float, int or array

    Examples
    --------
    >>> from corollary.theory import bennett
    >>> bennett(variance=0.01, epsilon=0.02, delta=0.05)
    285
    """
    who = "bennett"
    v, b, sides = _scales(who, variance, bound, sides)
    given = {"m": m, "epsilon": epsilon, "delta": delta, "hypotheses": hypotheses}
    q = quantities(who, given, b, hypotheses=1)
    scale = v / b**2

    def inverse(exponent: Floats) -> Floats:
        u = _bernstein_inverse(exponent, v, b) * b / v  # not below the root: h convex
        for _ in range(NEWTON_STEPS):
            step = (_h(u) - exponent / scale) / np.log1p(u)
            u = np.maximum(u - step, 0.0)
            if (np.abs(step) <= 4e-16 * u).all():
                break
        return u * v / b

    return solve_tail(q, sides, lambda x: scale * _h(b * x / v), inverse)  # (2)


def empirical_bernstein(
    *,
    variance: Any,
    m: Any = None,
    epsilon: Any = None,
    delta: Any = None,
    hypotheses: Any = None,
    width: Any = 1.0,
    sides: int = 1,
) -> Any:
    """Relate rows, deviation and failure rate by the sample variance (3).

    Give all but one of `m`, `epsilon`, `delta` and `hypotheses`: the one left out is
    returned.  With two left out, `hypotheses` is 1.  Arrays broadcast.

    Also known as: Maurer-Pontil bound.

    Parameters
    ----------
    variance : float >= 0
        Of the sample, with divisor m - 1.
    m : int, optional
        Rows, at least 2.
    epsilon : float in (0, width), optional
        Deviation of the mean.
    delta : float in (0, 1), optional
        Probability of a larger deviation.
    hypotheses : int, optional
        Means at once, by the union bound.
    width : float, default=1
        Of the interval that the values are in.
    sides : {1, 2}
        Expectations above the mean, or to both sides.

    Returns
    -------
    float, int or array

    Examples
    --------
    >>> from corollary.theory import empirical_bernstein, hoeffding
    >>> round(empirical_bernstein(variance=0.01, m=1000, delta=0.05), 4)
    0.0172
    >>> round(hoeffding(m=1000, delta=0.05, sides=1), 4)
    0.0387
    """
    who = "empirical_bernstein"
    sides = one_side_or_two(who, sides)
    V = non_negative(who, variance, "variance", ParameterError)
    b = in_interval(who, "width", width)
    if m is not None:
        whole_numbers(who, "m", m, low=2)
    given = {"m": m, "epsilon": epsilon, "delta": delta, "hypotheses": hypotheses}
    q = quantities(who, given, b, hypotheses=1)
    check_shapes(who, variance=V, width=b, m=q.m, epsilon=q.epsilon, delta=q.delta)

    def deviation(L: Floats, rows: Floats) -> Floats:
        return np.sqrt(2 * V * L / rows) + 7 * b * L / (3 * (rows - 1))  # (3)

    L = math.log(2 * sides) + q.ln_k - np.log(q.delta)
    if q.asked == "epsilon":
        return answer(deviation(L, q.m))
    if q.asked == "m":
        shape = np.broadcast_shapes(L.shape, q.epsilon.shape, V.shape, b.shape)
        enough = q.epsilon * (1 + ROUNDING)
        return least_rows(lambda rows: deviation(L, rows) <= enough, 2.0, shape)
    linear, root = 7 * b / (3 * (q.m - 1)), np.sqrt(2 * V / q.m)
    tail = (2 * q.epsilon / (root + np.sqrt(root**2 + 4 * linear * q.epsilon))) ** 2
    if q.asked == "delta":
        exponent = math.log(2 * sides) + q.ln_k - tail
        return answer(np.exp(np.minimum(exponent, 0.0)))
    with np.errstate(over="ignore"):
        return most_whole(q.delta * np.exp(tail) / (2 * sides))


def _scales(who: str, variance: Any, bound: Any, sides: int) -> Any:
    v, b = in_interval(who, "variance", variance), in_interval(who, "bound", bound)
    check_shapes(who, variance=v, bound=b)
    if (v > b**2).any():
        must = "variance must be at most bound^2, as far as values may stray"
        worst = float((v + 0 * b).max())
        raise ParameterError(sentence(who, must, f"{worst:g}"))
    return v, b, one_side_or_two(who, sides)


def _bernstein_inverse(exponent: Floats, v: Floats, b: Floats) -> Floats:
    linear = b * exponent / 3
    return linear + np.sqrt(linear**2 + 2 * v * exponent)


def _h(u: Floats) -> Floats:
    """Return h of (2), by its series where the terms would cancel."""
    s = np.minimum(u, SMALL)
    series = s**2 * (1 / 2 - s / 6 + s**2 / 12 - s**3 / 20)
    return np.where(u < SMALL, series, (1 + u) * np.log1p(u) - u)
