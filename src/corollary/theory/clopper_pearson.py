"""Exact bounds on a probability from a count.

Also known as: Clopper-Pearson interval, exact binomial interval, binomial tail
inversion, rule of three.

Of n independent rows k are wrong.  If the risk were p, so few errors would come with
probability

    B(k; n, p) = sum_{i <= k} C(n, i) p^i (1-p)^{n-i} = I_{1-p}(n - k, k + 1)    (1)

which falls in p.  With probability 1 - delta over the rows the risk is at most

    p+(k) = max {p: B(k; n, p) >= delta},  the 1-delta quantile of Beta(k+1, n-k) (2)

and by the same law for the rows that are right, at least

    p-(k) = the delta quantile of Beta(k, n-k+1)                                 (3)

Nothing is approximate.  No bound from the count alone that grows with it is smaller.
The interval takes delta/2 on each side.  Without errors (2) is 1 - delta^{1/n}, about
3/n at delta = 0.05.

Notation: k = errors; p = risk.
References: Clopper and Pearson (1934); Langford (2005).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.special import betaincc, betainccinv, betaincinv
from scipy.stats import binom

from corollary.core.arrays import Floats
from corollary.core.errors import DataError, ParameterError, sentence
from corollary.theory.interval import Interval
from corollary.theory.stated_numbers import (
    aligned,
    answer,
    chosen,
    confidence,
    count,
    counts,
    every_confidence,
    fractions,
    missing_of,
)

__all__ = ["binomial_interval", "clopper_pearson", "lower_risk", "upper_risk"]

MOST_ROWS = 2.0**50


def clopper_pearson(
    n: Any = None,
    errors: Any = None,
    delta: Any = None,
    risk: Any = None,
    *,
    side: str = "upper",
) -> Any:
    """Give three of rows, errors, delta and risk; return the fourth, exactly.

    Parameters
    ----------
    n : int or array
        Rows.
    errors : int or array
        How many of them are wrong.
    delta : float or array
        How often the risk may lie beyond the bound.
    risk : float or array
        Upper bound (2) on the probability of an error, or lower bound (3).
    side : {'upper', 'lower'}
        'lower' returns a risk or a delta only.

    Returns
    -------
    float, int or array
        The missing one.  Errors: the most that still prove the risk.  Rows: the least
        that prove it.

    Examples
    --------
    >>> from corollary.theory import clopper_pearson
    >>> round(clopper_pearson(n=100, errors=0, delta=0.05), 5)
    0.02951
    >>> clopper_pearson(errors=0, delta=0.05, risk=0.01)
    299
    >>> clopper_pearson(n=1000, delta=0.05, risk=0.1)
    84
    """
    who = "clopper_pearson"
    absent = missing_of(who, n=n, errors=errors, delta=delta, risk=risk)
    n = None if n is None else counts(who, n, "n", 1)
    k: Any = None if errors is None else counts(who, errors, "errors")
    p: Any = None if risk is None else fractions(who, risk, "risk")
    delta = None if delta is None else every_confidence(who, delta)
    known = {"n": n, "errors": k, "delta": delta, "risk": p}
    aligned(who, **{name: x for name, x in known.items() if x is not None})
    chosen(who, side, "side", ("upper", "lower"))
    if n is not None and k is not None and (k > n).any():
        must = "errors must be at most n"
        raise DataError(sentence(who, must, f"{k.max():g} errors"))
    if side == "lower" and absent in ("risk", "delta"):
        if absent == "risk":
            return answer(lower_risk(n, k, delta))
        return answer(tail(n - k, n, 1 - p))
    if side != "upper":
        must = "side must be 'upper', or 'lower' for a missing risk or delta"
        raise ParameterError(sentence(who, must, f"{side!r}"))
    if absent == "risk":
        return answer(upper_risk(n, k, delta))
    if absent == "delta":
        return answer(tail(k, n, p))
    if absent == "errors":
        return answer(most_errors(n, p, delta), as_whole=True)
    return answer(least_rows(k, p, delta), as_whole=True)


def binomial_interval(n: int, errors: int, delta: float = 0.05) -> Interval:
    """Return the exact two-sided interval for the probability of an error.

    Parameters
    ----------
    n : int
        Rows.
    errors : int
        How many of them are wrong.
    delta : float, default=0.05
        How often the interval may miss, half of it on each side.

    Returns
    -------
    Interval

    Examples
    --------
    >>> from corollary.theory import binomial_interval
    >>> print(binomial_interval(100, 10))
    risk (Clopper-Pearson): 0.1 in [0.049, 0.1762] with confidence 0.95 (exact)
    """
    who = "binomial_interval"
    delta = confidence(who, delta)
    rows, k = count(who, n, "n", 1), count(who, errors, "errors")
    high = clopper_pearson(n=rows, errors=k, delta=delta / 2)
    low = clopper_pearson(n=rows, errors=k, delta=delta / 2, side="lower")
    words = ("Rows are drawn independently from the data the model will meet.",)
    name, by = "risk (Clopper-Pearson)", "Clopper and Pearson (1934)"
    return Interval(name, k / rows, low, high, delta, "exact", words, by)


def tail(k: Floats, n: Floats, p: Floats) -> Floats:
    """Return B(k; n, p) of (1)."""
    k, n, p = np.broadcast_arrays(k, n, p)
    inner = betaincc(np.minimum(k, n - 1) + 1, np.maximum(n - k, 1), p)
    return np.where(k >= n, 1.0, inner)


def upper_risk(n: Any, k: Any, delta: Any) -> Floats:
    """Return (2)."""
    k, n, delta = np.broadcast_arrays(k, n, delta)
    inner = betainccinv(k + 1.0, np.maximum(n - k, 1), delta)
    return np.where(k >= n, 1.0, inner)


def lower_risk(n: Any, k: Any, delta: Any) -> Floats:
    """Return (3)."""
    k, n, delta = np.broadcast_arrays(k, n, delta)
    inner = betaincinv(np.maximum(k, 1), n - k + 1.0, delta)
    return np.where(k <= 0, 0.0, inner)


def most_errors(n: Floats, p: Floats, delta: Floats) -> Floats:
    """Return the largest k with B(k; n, p) <= delta."""
    k = np.asarray(binom.ppf(delta, n, p))
    k = np.where(tail(np.maximum(k, 0), n, p) <= delta, k, k - 1)
    k = np.minimum(k, np.asarray(n) - 1)
    if (k < 0).any():
        who, must = "clopper_pearson", "n must prove the risk where no error is made"
        came = f"{np.min(n):g} rows for a risk of {np.min(p):g}"
        raise ParameterError(sentence(who, must, came, "Take more rows."))
    return k


def least_rows(k: Floats, p: Floats, delta: Floats) -> Floats:
    """Return the least n with B(k; n, p) <= delta."""
    k, p, delta = np.broadcast_arrays(k, p, delta)
    if (p <= 0).any():
        who = "clopper_pearson"
        raise ParameterError(sentence(who, "risk must be above 0", "0"))
    few, enough = k.astype(np.float64), k + 1.0
    while (short := tail(k, enough, p) > delta).any():
        few, enough = np.where(short, enough, few), np.where(short, 2 * enough, enough)
        if enough.max() > MOST_ROWS:
            who, must = "clopper_pearson", "risk must be within reach of 1e15 rows"
            raise ParameterError(sentence(who, must, f"{p.min():g}"))
    while (enough - few > 1).any():
        middle = np.floor(0.5 * (few + enough))
        short = tail(k, middle, p) > delta
        few, enough = np.where(short, middle, few), np.where(short, enough, middle)
    return enough
