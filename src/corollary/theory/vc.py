"""Bounds by VC dimension where no hypothesis need be perfect.

Also known as: VC bound, Vapnik-Chervonenkis inequality, uniform convergence, VC
confidence, generalisation bound, Devroye's bound.

For a class of VC dimension d, with probability 1 - delta over m rows, all hypotheses h
at once have

    R(h) <= R_m(h) + epsilon,
    epsilon = sqrt( (d (ln(2 m / d) + 1) + ln(4 / delta)) / m )                  (1)

for 0/1 errors.  It falls with m and rises with d; at or above 1 it is vacuous, as it
is for m <= d, where the class can give any labels to the rows.  For d > 2 m the class
can do no more than label 2 m points in every way, and d counts as 2 m.  Vapnik's proof
has epsilon + 1/m: textbooks drop it, `vc_gap` with them; `vc_bound` does not.

To both sides, by a second sample of m^2 - m rows (Devroye),

    Pr[ sup_h |R(h) - R_m(h)| > epsilon ]
        <=  4 exp(4 epsilon + 4 epsilon^2) (e m^2 / d)^d exp(-2 m epsilon^2)     (2)

Some notes have 2^(-m epsilon^2 / 2) for the last factor: true but far weaker.  (2)
rises with m before it falls, so the rows that suffice are those from its last crossing
on.

Notation: d the VC dimension; m rows; R the risk, R_m the empirical risk.
Course: S0-61, S1-44, S3-106, S4-55. References: Vapnik (1998), ch. 4; Devroye (1982).
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from corollary.core.arrays import Floats
from corollary.core.errors import ParameterError, sentence
from corollary.core.parameters import real, shown
from corollary.core.warn import warn
from corollary.theory.bound import Bound
from corollary.theory.calculator import (
    ROUNDING,
    answer,
    least_rows,
    most_dimensions,
    quantities,
)
from corollary.theory.growth_function import ln_power

__all__ = ["devroye", "vc_bound", "vc_gap"]

TAILS = {"exponential": 2.0, "powers_of_two": math.log(2) / 2}


def vc_gap(
    *, m: Any = None, d: Any = None, epsilon: Any = None, delta: Any = None
) -> Any:
    """Relate rows, VC dimension, gap to the empirical risk, and failure rate (1).

    Give all but one: the one left out is returned.  Arrays broadcast.

    Also known as: VC confidence, capacity term.

    Parameters
    ----------
    m : int, optional
        Rows; the least that suffice where asked for.
    d : int, optional
        VC dimension; the largest that the rows can bear where asked for, 0 for none.
    epsilon : float in (0, 1), optional
        No risk exceeds its empirical risk by more.
    delta : float in (0, 1), optional
        Probability that one does.

    Returns
    -------
    float, int or array
        An epsilon of 1 or more says nothing.

    Examples
    --------
    >>> from corollary.theory import vc_gap
    >>> [round(vc_gap(m=m, d=3, delta=0.05), 4) for m in (100, 1000, 10_000)]
    [0.447, 0.164, 0.0581]
    >>> vc_gap(d=3, epsilon=0.1, delta=0.05)
    3021
    >>> vc_gap(m=3021, epsilon=0.1, delta=0.05)
    3
    """
    given = {"m": m, "d": d, "epsilon": epsilon, "delta": delta}
    q = quantities("vc_gap", given)

    def exponent(rows: Floats, dimension: Floats) -> Floats:
        return ln_power(dimension, 2 * rows) + math.log(4)

    enough = q.epsilon**2 * (1 + ROUNDING)
    shape = np.broadcast_shapes(*(x.shape for x in (q.m, q.d, q.epsilon, q.delta)))
    if q.asked == "epsilon":
        return answer(np.sqrt((exponent(q.m, q.d) - np.log(q.delta)) / q.m))  # (1)
    if q.asked == "delta":
        ln_delta = exponent(q.m, q.d) - q.m * q.epsilon**2
        return answer(np.exp(np.minimum(ln_delta, 0.0)))
    if q.asked == "m":
        return least_rows(
            lambda rows: exponent(rows, q.d) - np.log(q.delta) <= rows * enough,
            1.0,
            shape,
        )
    return most_dimensions(
        lambda dimension: exponent(q.m, dimension) - np.log(q.delta) <= q.m * enough,
        2 * q.m,
        shape,
    )


def vc_bound(empirical_risk: float, *, m: int, d: int, delta: float = 0.05) -> Bound:
    """Bound the risk by empirical risk and VC dimension (1).

    Parameters
    ----------
    empirical_risk : float in [0, 1]
        Share of errors on the rows that the hypothesis was chosen by.
    m : int
        Rows; a warning is given where there are no more than d.
    d : int
        VC dimension of the class that it was chosen from.
    delta : float in (0, 1), default=0.05
        How often the bound may fail.

    Returns
    -------
    Bound

    Examples
    --------
    >>> from corollary.theory import vc_bound
    >>> print(vc_bound(0.06, m=1000, d=3))
    VC bound: risk <= 0.225 with confidence 0.95
    """
    who = "vc_bound"
    if not real(0, 1).holds(empirical_risk):
        must = "empirical_risk must be a number in [0, 1]"
        raise ParameterError(sentence(who, must, shown(empirical_risk)))
    gap = vc_gap(m=m, d=d, delta=delta)
    if np.ndim(gap):
        must = "m, d and delta must be single numbers"
        raise ParameterError(sentence(who, must, f"shape {np.shape(gap)}"))
    warn_of_few_rows(who, m, d)
    assumptions = (
        "Rows are drawn independently from one distribution.",
        "The loss counts errors, 0 or 1.",
        f"The class has VC dimension {d} and was fixed before the rows were seen.",
    )
    value = float(empirical_risk) + gap + 1 / m
    return Bound("VC bound", value, float(delta), assumptions, "Vapnik (1998)")


def warn_of_few_rows(who: str, m: Any, d: Any) -> None:
    """Warn where a class can give any labels to the rows: m <= d."""
    if m <= d:
        warn(
            f"{who}: m = {m:g} rows are no more than the VC dimension {d:g}, so the "
            "class can fit any labels of them and the bound says nothing. Bring more "
            "rows or take a smaller class."
        )


def devroye(
    *,
    m: Any = None,
    d: Any = None,
    epsilon: Any = None,
    delta: Any = None,
    tail: str = "exponential",
) -> Any:
    """Relate rows, VC dimension, deviation and failure rate by Devroye (2).

    Give all but one: the one left out is returned.  Arrays broadcast.

    Parameters
    ----------
    m : int, optional
        Rows; the least from which on all suffice where asked for.
    d : int, optional
        VC dimension; the largest that the rows can bear where asked for, 0 for none.
    epsilon : float in (0, 1), optional
        No risk is farther from its empirical risk, to either side.
    delta : float in (0, 1), optional
        Probability that one is.
    tail : {"exponential", "powers_of_two"}
        exp(-2 m epsilon^2), or the weaker 2^(-m epsilon^2 / 2).

    Returns
    -------
    float, int or array
        An epsilon of infinity where no deviation is excluded.

    Examples
    --------
    >>> from corollary.theory import devroye
    >>> devroye(d=2, epsilon=0.1, delta=0.05)
    1768
    >>> devroye(d=2, epsilon=0.1, delta=0.05, tail="powers_of_two")
    12452
    """
    who = "devroye"
    if tail not in TAILS:
        must = f"tail must be one of {', '.join(TAILS)}"
        raise ParameterError(sentence(who, must, shown(tail)))
    given = {"m": m, "d": d, "epsilon": epsilon, "delta": delta}
    q = quantities(who, given)
    shape = np.broadcast_shapes(*(x.shape for x in (q.m, q.d, q.epsilon, q.delta)))
    rate = TAILS[tail]
    constant = math.log(4) + 4 * q.epsilon + 4 * q.epsilon**2

    def exponent(rows: Floats, dimension: Floats, slack: float = 0.0) -> Floats:
        growth = ln_power(dimension, rows**2)
        return constant + growth - rate * rows * q.epsilon**2 * (1 + slack)  # ln of (2)

    if q.asked == "delta":
        return answer(np.exp(np.minimum(exponent(q.m, q.d), 0.0)))
    if q.asked == "epsilon":
        return answer(_deviation(q.m, rate, q.d, q.delta))
    ln_delta = np.log(q.delta)
    if q.asked == "m":
        return least_rows(
            lambda rows: exponent(rows, q.d, ROUNDING) <= ln_delta, 1.0, shape
        )
    return most_dimensions(
        lambda dimension: exponent(q.m, dimension, ROUNDING) <= ln_delta,
        2 * q.m,
        shape,
    )


def _deviation(m: Floats, rate: float, d: Floats, delta: Floats) -> Floats:
    """Solve (2) for epsilon: (rate m - 4) epsilon^2 - 4 epsilon = c."""
    c = math.log(4) + ln_power(d, m**2) - np.log(delta)
    a = rate * m - 4
    with np.errstate(divide="ignore", invalid="ignore"):
        root = (2 + np.sqrt(4 + a * c)) / a
    return np.where(a > 0, root, np.inf)
