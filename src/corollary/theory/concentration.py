"""How far a mean may stray from its expectation: Hoeffding's inequality.

Also known as: concentration of the mean.

For the mean Z of m independent variables, the i-th of them in [a_i, b_i],

    Pr[ |Z - E Z| >= epsilon ]  <=  2 exp(-2 epsilon^2 m^2 / sum_i (b_i - a_i)^2)    (1)
                                 =  2 exp(-2 epsilon^2 m / (b - a)^2)               (2)

the latter for one interval [a, b]; without the 2 for one side.  One event fails with
probability delta; of several, by sub-additivity,

    Pr[A_1 or ... or A_k]  <=  Pr[A_1] + ... + Pr[A_k]                               (3)

so that k means at once stray with k times the probability of one.  Solved for epsilon,
(2) is the interval  Z +- (b - a) sqrt(ln(2 k / delta) / 2 m)  around an error that was
counted on m rows which were held out.

Notation: m rows; epsilon the deviation; delta how often it is larger; k hypotheses.
Course: S0-53, S4-53. References: Hoeffding (1963); Boole's inequality.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from corollary.core.errors import ParameterError, sentence
from corollary.core.vectors import numbers
from corollary.theory.calculator import (
    answer,
    one_side_or_two,
    quantities,
    solve_tail,
    whole_numbers,
)

__all__ = ["hoeffding", "union_bound"]


def hoeffding(
    *,
    m: Any = None,
    epsilon: Any = None,
    delta: Any = None,
    hypotheses: Any = None,
    low: Any = 0.0,
    high: Any = 1.0,
    ranges: Any = None,
    sides: int = 2,
) -> Any:
    """Relate rows, deviation, failure rate and number of means by Hoeffding (2).

    Give all but one of `m`, `epsilon`, `delta` and `hypotheses`: the one left out is
    returned.  With two left out, `hypotheses` is 1.  Arrays broadcast.

    Also known as: Hoeffding's inequality, Hoeffding bound, concentration inequality,
    tail bound, hold-out error confidence interval.

    Parameters
    ----------
    m : int, optional
        Rows that the mean is of; the least that suffice where asked for.
    epsilon : float in (0, high - low), optional
        Deviation of the mean.
    delta : float in (0, 1), optional
        Probability of a larger deviation, of any of the means.
    hypotheses : int, optional
        Means at once, by the union bound (3); the most that `m` rows can bear where
        asked for.
    low, high : float, default 0 and 1
        The interval that every value is in.
    ranges : array of shape (m, 2), optional
        An interval for each value (1), in place of `m`, `low` and `high`.
    sides : {2, 1}
        Deviations to both sides, or to one.

    Returns
    -------
    float, int or array

    Examples
    --------
    >>> from corollary.theory import hoeffding
    >>> round(hoeffding(m=100, delta=0.05), 4)
    0.1358
    >>> hoeffding(epsilon=0.1, delta=0.05)
    185
    >>> round(hoeffding(m=100, epsilon=0.1), 4)
    0.2707
    >>> hoeffding(m=2580, epsilon=0.05, delta=0.05)  # as many hypotheses
    10007
    >>> round(hoeffding(ranges=[(0, 1), (0, 3)] * 50, epsilon=0.3), 4)
    0.0546
    """
    who = "hoeffding"
    sides = one_side_or_two(who, sides)
    if ranges is not None:
        m, width2 = _mean_square_width(who, m, ranges)
    else:
        ends = numbers(who, low, "low", ParameterError)
        width = numbers(who, high, "high", ParameterError) - ends
        if (width <= 0).any():
            must = "high must be above low"
            raise ParameterError(sentence(who, must, f"low {low} and high {high}"))
        width2 = width**2
    given = {"m": m, "epsilon": epsilon, "delta": delta, "hypotheses": hypotheses}
    q = quantities(who, given, np.sqrt(width2), hypotheses=1)
    return solve_tail(
        q,
        sides,
        lambda deviation: 2 * deviation**2 / width2,  # (2)
        lambda exponent: np.sqrt(exponent * width2 / 2),
    )


def _mean_square_width(who: str, m: Any, ranges: Any) -> Any:
    """Return m and the mean of (b_i - a_i)^2, which is all that (1) asks of them."""
    pairs = numbers(who, ranges, "ranges", ParameterError)
    if pairs.ndim != 2 or pairs.shape[1] != 2 or not len(pairs) or m is not None:
        must = "ranges must be pairs (a, b), one for each row, in place of m"
        came = f"shape {pairs.shape}{'' if m is None else ' and m'}"
        raise ParameterError(sentence(who, must, came))
    width = pairs[:, 1] - pairs[:, 0]
    if (width < 0).any() or not (width > 0).any():
        i = int(np.argmin(width))
        must = "ranges must have a <= b in every pair and a < b in some"
        raise ParameterError(sentence(who, must, f"{pairs[i].tolist()}"))
    return len(pairs), np.mean(width**2)


def union_bound(probabilities: Any, *, hypotheses: Any = 1) -> float:
    """Bound the probability that any of several events happens (3).

    Also known as: Boole's inequality, sub-additivity, Bonferroni.

    Parameters
    ----------
    probabilities : float or array
        Of each event.
    hypotheses : int, default=1
        How often these events are looked at: a class of as many.

    Returns
    -------
    float
        At most 1.

    Examples
    --------
    >>> from corollary.theory import union_bound
    >>> union_bound([0.25, 0.125])
    0.375
    >>> union_bound(0.001, hypotheses=100)
    0.1
    """
    who = "union_bound"
    p = numbers(who, probabilities, "probabilities", ParameterError)
    if p.size == 0 or p.min() < 0 or p.max() > 1:
        must = "probabilities must be in [0, 1]"
        came = "none" if p.size == 0 else f"{p.max() if p.max() > 1 else p.min():g}"
        raise ParameterError(sentence(who, must, came))
    k = whole_numbers(who, "hypotheses", hypotheses)
    return answer(np.minimum(p.sum() * k, 1.0))
