"""How many labellings a class can give to m points.

Also known as: growth function, shatter coefficient, Sauer's lemma, Sauer-Shelah lemma,
Cover's function counting theorem, number of dichotomies.

The growth function Pi(m) is the most labellings that a class gives to any m points.  A
class of VC dimension d has 2^m for m <= d and, for all m (Sauer's lemma), at most

    Phi_d(m) = Phi_d(m-1) + Phi_{d-1}(m-1),    Phi_d(0) = Phi_0(m) = 1           (1)
             = sum_{i=0}^{d} C(m, i)                                             (2)
            <= (e m / d)^d                     for m >= d >= 1                   (3)

a polynomial once m exceeds d.  Exact ones:

    intervals on a line         1 + m (m + 1) / 2 = Phi_2(m)                     (4)
    unions of k intervals       Phi_{2k}(m)                                      (5)
    half-spaces of R^n, points in general position (Cover)
                                2 sum_{i=0}^{n} C(m - 1, i)                      (6)

Notation: d the VC dimension; m points.
Course: S0-57. References: Sauer (1972); Vapnik and Chervonenkis (1971); Cover (1965).
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from scipy.special import betaln

from corollary.core.arrays import Floats
from corollary.core.errors import ParameterError, sentence
from corollary.theory.calculator import answer, check_shapes, whole_numbers

__all__ = [
    "half_space_dichotomies",
    "interval_dichotomies",
    "ln_phi",
    "ln_power",
    "sauer",
    "sauer_power",
]

MOST_TERMS = 20_000  # of (2) that are summed one by one in floating point
MOST_NUMBERS = 2_000_000  # in memory for it
MOST_WORK = 10**9  # bits to add up for an exact number


def sauer(d: Any, m: Any) -> Any:
    """Return Phi_d(m), the most labellings of m points by a class of dimension d (2).

    Also known as: Sauer's lemma, Sauer bound, binomial sum.

    Parameters
    ----------
    d : int >= 0 or array
        VC dimension.
    m : int >= 0 or array
        Points.

    Returns
    -------
    int, or array
        Exact for two numbers; arrays hold float64.

    Examples
    --------
    >>> from corollary.theory import sauer, sauer_power
    >>> sauer(3, 10), round(sauer_power(3, 10), 1)
    (176, 743.9)
    """
    who = "sauer"
    dimension, points = _two(who, d, m)
    if dimension.ndim or points.ndim:
        with np.errstate(over="ignore"):
            return np.exp(ln_phi(dimension, points))
    return _binomial_sum(who, int(dimension), int(points))


def sauer_power(d: Any, m: Any) -> Any:
    """Return the bound (3) of Phi_d(m): (e m / d)^d for m >= d, else 2^m.

    Parameters
    ----------
    d : int >= 0 or array
        VC dimension.
    m : int >= 0 or array
        Points.

    Returns
    -------
    float or array

    Examples
    --------
    >>> from corollary.theory import sauer_power
    >>> sauer_power(5, 3)
    8.0
    """
    dimension, points = _two("sauer_power", d, m)
    short = points < dimension
    with np.errstate(over="ignore", divide="ignore", invalid="ignore"):
        ratio = np.where(dimension > 0, math.e * points / dimension, 1.0)
        long = np.where(dimension > 0, ratio**dimension, 1.0)
        return answer(np.where(short, 2.0**points, long))


def interval_dichotomies(m: Any, *, k: int = 1) -> Any:
    """Count the labellings of m points on a line by unions of k intervals (4), (5).

    Parameters
    ----------
    m : int >= 0 or array
        Distinct points.
    k : int, default=1
        Intervals, at most.

    Returns
    -------
    int or array

    Examples
    --------
    >>> from corollary.theory import interval_dichotomies
    >>> [interval_dichotomies(m) for m in (1, 2, 3, 4)]
    [2, 4, 7, 11]
    """
    intervals = whole_numbers("interval_dichotomies", "k", k, low=0)
    return sauer(2 * intervals, m)


def half_space_dichotomies(m: Any, n: Any) -> Any:
    """Count the labellings of m points in general position of R^n by half-spaces (6).

    Also known as: Cover's theorem, function counting theorem, linear dichotomies.

    Parameters
    ----------
    m : int >= 1 or array
        Points.
    n : int >= 0 or array
        Dimension of the space; half-spaces need not hold the origin.

    Returns
    -------
    int or array

    Examples
    --------
    >>> from corollary.theory import half_space_dichotomies
    >>> [half_space_dichotomies(m, 2) for m in (3, 4, 5)]
    [8, 14, 22]
    """
    points = whole_numbers("half_space_dichotomies", "m", m)
    space = whole_numbers("half_space_dichotomies", "n", n, low=0)
    return 2 * sauer(space, points - 1)


# -- logarithms ------------------------------------------------------------------------
def ln_phi(d: Any, m: Any) -> Floats:
    """Return ln Phi_d(m) (2) of whole numbers, in floating point.

    Where both are above `MOST_TERMS` it is an upper bound: of the terms of (2) each is
    at most d / (m - d + 1) times the next, a geometric series.
    """
    d, m = (np.asarray(x, dtype=np.float64) for x in np.broadcast_arrays(d, m))
    terms = np.minimum(d, m).ravel()
    found = np.empty(terms.shape)
    many = terms > MOST_TERMS
    found[many] = _ln_geometric(d.ravel()[many], m.ravel()[many])
    few = np.flatnonzero(~many)
    block = max(1, int(MOST_NUMBERS // max(terms[few].max(initial=1), 1)))
    for start in range(0, len(few), block):
        part = few[start : start + block]
        found[part] = _ln_sum(terms[part], m.ravel()[part])
    return found.reshape(d.shape)


def _ln_sum(d: Floats, m: Floats) -> Floats:
    """Return the logarithm of (2) for d <= m, term by term."""
    i = np.arange(1, int(d.max(initial=0)) + 1)
    inside = i <= d[:, None]
    ratios = np.where(inside, (m[:, None] - i + 1) / i, 1.0)  # C(m, i) / C(m, i - 1)
    terms = np.where(inside, np.cumsum(np.log(ratios), axis=1), -np.inf)
    largest = terms.max(axis=1, initial=0.0)
    total = np.exp(-largest) + np.exp(terms - largest[:, None]).sum(axis=1)
    return largest + np.log(total)


def _ln_geometric(d: Floats, m: Floats) -> Floats:
    """Bound the logarithm of (2) by a geometric series, and by all 2^m labellings."""
    half = np.minimum(d, np.floor((m - 1) / 2))
    choose = -np.log(m + 1) - betaln(m - half + 1, half + 1)
    series = choose + np.log((m - half + 1) / (m - 2 * half + 1))
    return np.where(d < m / 2, np.minimum(series, m * math.log(2)), m * math.log(2))


def ln_power(d: Any, m: Any) -> Floats:
    """Return d ln(e m / d), the logarithm of (3), with d at most m."""
    d = np.minimum(d, m)
    return d * (1 + np.log(m / d))


def _two(who: str, d: Any, m: Any) -> tuple[Floats, Floats]:
    dimension = whole_numbers(who, "d", d, low=0)
    points = whole_numbers(who, "m", m, low=0)
    check_shapes(who, d=dimension, m=points)
    return dimension, points


def _binomial_sum(who: str, d: int, m: int) -> int:
    """Return (2) exactly."""
    bits, sums = (m, 1) if d >= m else (d * math.log2(m), d)
    if bits * sums > MOST_WORK:
        must = "d and m must leave a number that can be written down"
        remedy = "Use label_bits, which returns its logarithm."
        raise ParameterError(sentence(who, must, f"{d} and {m}", remedy))
    if d >= m:
        return 2**m
    term = total = 1
    for i in range(1, d + 1):
        term = term * (m - i + 1) // i
        total += term
    return total
