"""What theory says of the k nearest neighbours: rates, lower bounds, the Bayes error.

Also known as: k-NN generalisation bound, nearest neighbour convergence, Cover-Hart
inequality for k neighbours, no free lunch for smooth functions.

Rows in [0, 1]^d, eta(x) = Pr[y = 1 | x] with |eta(x) - eta(z)| <= L ||x - z||.  The
expected risk of the k-nearest-neighbour rule is, for k >= 10,

    R  <=  (1 + sqrt(8 / k)) R*  +  (6 L sqrt(d) + k) n^(-1/(d+1))               (1)

where R* is the Bayes error, so that an excess of epsilon takes

    n  =  ((6 L sqrt(d) + k) / epsilon)^(d+1)    rows                            (2)

That is no weakness of the rule: for every learner there is such an eta (with R* = 0)
for which its error is 1/4 or more while

    n  <=  (L + 1)^d / 2,   L rounded down: corners of a lattice of mesh 1 / L   (3)

With ever more rows, whatever eta, two classes and k odd (k even decides as k - 1 with
ties broken by a coin),

    R_k = E a_k(min(eta, 1 - eta)),   a_k(p) = p + (1 - 2 p) Pr[Bin(k, p) > k/2]  (4)
    R*  <=  R_k  <=  A_k(R*)          A_k the least concave function above a_k    (5)
    R_k <=  c_k R*                    c_k = max_p a_k(p) / p                     (6)

A_1(p) = 2 p (1 - p) is the bound of Cover and Hart, c_1 = 2; c_3 = 1.32, c_5 = 1.22,
and c_k falls to 1 as 1 + 0.34 / sqrt(k).  Read backwards, (5) brackets the Bayes error
by an error R_k that was measured.  For more classes and k = 1 it is
`decisions.cover_hart`.

Notation: n rows; d features; L = lipschitz; R* = bayes_error.
Course: S2-79, S3-45. References: Shalev-Shwartz and Ben-David (2014), ch. 19; Cover and
Hart (1967); Devroye, Gyorfi, Lugosi (1996), ch. 5.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np
from scipy.stats import binom

from corollary.core.arrays import Floats
from corollary.core.errors import ParameterError, sentence
from corollary.core.vectors import numbers
from corollary.decisions.bayes_error import Bracket, cover_hart
from corollary.theory.calculator import (
    answer,
    check_shapes,
    in_interval,
    least_whole,
    most_whole,
    whole_numbers,
)

__all__ = [
    "bayes_error_bracket",
    "neighbor_excess",
    "neighbor_factor",
    "neighbor_lower_bound",
    "neighbor_risk",
]

GRID = 20_001  # values of p at which (4) is tabulated, denser towards 0
LEAST_K = 10  # of (1)


def neighbor_excess(
    *, d: Any, k: Any, n: Any = None, epsilon: Any = None, lipschitz: Any = 1.0
) -> Any:
    """Relate rows and excess risk of k nearest neighbours (1), (2).

    Give `n` or `epsilon`: the other is returned.  Arrays broadcast.

    Also known as: rows that k-NN needs, k-NN rate.

    Parameters
    ----------
    d : int
        Features, scaled to [0, 1].
    k : int >= 10
        Neighbours.
    n : int, optional
        Rows.
    epsilon : float > 0, optional
        Excess: the second term of (1).
    lipschitz : float > 0, default=1
        How fast the probability of a class changes.

    Returns
    -------
    float, int or array

    Examples
    --------
    >>> from corollary.theory import neighbor_excess
    >>> f"{neighbor_excess(d=10, k=10, epsilon=0.1):.2g}"
    '1.2e+27'
    """
    who = "neighbor_excess"
    constant, dimension = _constant(who, d, k, lipschitz)
    if (n is None) == (epsilon is None):
        must = "n or epsilon must be given, and not both"
        came = "both" if n is not None else "neither"
        raise ParameterError(sentence(who, must, came))
    if n is not None:
        rows = whole_numbers(who, "n", n)
        check_shapes(who, n=rows, d=dimension, constant=constant)
        return answer(constant * rows ** (-1 / (dimension + 1)))
    excess = in_interval(who, "epsilon", epsilon)
    check_shapes(who, epsilon=excess, d=dimension, constant=constant)
    with np.errstate(over="ignore"):
        return least_whole((constant / excess) ** (dimension + 1))  # (2)


def neighbor_risk(
    *, n: Any, d: Any, k: Any, bayes_error: Any = 0.0, lipschitz: Any = 1.0
) -> Any:
    """Bound the expected risk of k nearest neighbours (1).

    Parameters
    ----------
    n : int
        Rows.
    d : int
        Features, scaled to [0, 1].
    k : int >= 10
        Neighbours.
    bayes_error : float in [0, 1/2], default=0
        The least risk of any rule.
    lipschitz : float > 0, default=1
        How fast the probability of a class changes.

    Returns
    -------
    float or array
        Vacuous at 1 or more.

    Examples
    --------
    >>> from corollary.theory import neighbor_risk
    >>> round(neighbor_risk(n=10**6, d=1, k=32, bayes_error=0.1), 4)
    0.188
    """
    who = "neighbor_risk"
    best = numbers(who, bayes_error, "bayes_error", ParameterError)
    if best.size == 0 or best.min() < 0 or best.max() > 0.5:
        must = "bayes_error must be in [0, 1/2]"
        raise ParameterError(sentence(who, must, f"{bayes_error}"))
    excess = neighbor_excess(n=n, d=d, k=k, lipschitz=lipschitz)
    neighbours = whole_numbers(who, "k", k)
    check_shapes(who, bayes_error=best, k=neighbours, excess=np.asarray(excess))
    return answer((1 + np.sqrt(8 / neighbours)) * best + excess)


def neighbor_lower_bound(*, d: Any, lipschitz: Any = 1.0) -> Any:
    """Return the rows up to which every learner may err 1/4 or more (3).

    Parameters
    ----------
    d : int
        Features.
    lipschitz : float > 0, default=1
        How fast the probability of a class may change.

    Returns
    -------
    int or array

    Examples
    --------
    >>> from corollary.theory import neighbor_lower_bound
    >>> neighbor_lower_bound(d=10), neighbor_lower_bound(d=10, lipschitz=9.0)
    (512, 5000000000)
    """
    who = "neighbor_lower_bound"
    dimension = whole_numbers(who, "d", d)
    L = in_interval(who, "lipschitz", lipschitz)
    check_shapes(who, d=dimension, lipschitz=L)
    with np.errstate(over="ignore"):
        return most_whole((np.floor(L) + 1) ** dimension / 2)  # (3)


def neighbor_factor(k: int) -> float:
    """Return c_k: with ever more rows k-NN errs at most c_k times the Bayes error (6).

    Parameters
    ----------
    k : int
        Neighbours; even ones decide as k - 1.

    Returns
    -------
    float

    Examples
    --------
    >>> from corollary.theory import neighbor_factor
    >>> [round(neighbor_factor(k), 3) for k in (1, 3, 5, 101)]
    [2.0, 1.316, 1.218, 1.036]
    """
    odd = _odd("neighbor_factor", k)
    if odd == 1:
        return 2.0  # in the limit of p to 0
    p, a = _table(odd)
    return float(np.max(a[1:] / p[1:]))


def bayes_error_bracket(
    error: float,
    *,
    k: int = 1,
    n_classes: int = 2,
    n: int | None = None,
    confidence: float = 0.95,
) -> Bracket:
    """Bracket the Bayes error by the error of k nearest neighbours (5).

    The bracket holds for the error that the rule tends to with ever more rows; at a
    finite number it is a guide.  It narrows as k grows.

    Parameters
    ----------
    error : float in [0, 1]
        Error of k-NN on rows that it has not stored.
    k : int, default=1
        Neighbours; even ones decide as k - 1.
    n_classes : int, default=2
        More than 2 for k <= 2 alone.
    n : int, optional
        Rows that the error was counted on: the bracket then allows for chance.
    confidence : float, default=0.95
        Of that allowance.

    Returns
    -------
    Bracket

    Examples
    --------
    >>> from corollary.theory import bayes_error_bracket
    >>> print(bayes_error_bracket(0.18, k=1))
    the Bayes error is between 0.1 and 0.18
    >>> print(bayes_error_bracket(0.18, k=11))
    the Bayes error is between 0.1593 and 0.18
    """
    who = "bayes_error_bracket"
    odd = _odd(who, k)
    if odd == 1:
        return cover_hart(error, n_classes, n=n, confidence=confidence)
    if n_classes != 2:
        must = "n_classes must be 2 for k > 2"
        raise ParameterError(sentence(who, must, f"{n_classes}", "Use k = 1."))
    outer = cover_hart(error, 2, n=n, confidence=confidence)
    least = 2 * outer.low * (1 - outer.low)  # A_1 of it: the error's own lower limit
    p, hull = _hull(odd)
    low = float(np.interp(least, hull, p))
    return Bracket(min(low, outer.high), outer.high)


def _constant(who: str, d: Any, k: Any, lipschitz: Any) -> tuple[Floats, Floats]:
    """Return 6 L sqrt(d) + k and d."""
    dimension = whole_numbers(who, "d", d)
    neighbours = whole_numbers(who, "k", k, low=LEAST_K)
    L = in_interval(who, "lipschitz", lipschitz)
    check_shapes(who, d=dimension, k=neighbours, lipschitz=L)
    return 6 * L * np.sqrt(dimension) + neighbours, dimension


def _odd(who: str, k: Any) -> int:
    neighbours = whole_numbers(who, "k", k)
    if neighbours.ndim or neighbours > 10**6:
        must = "k must be one number, at most 1e6"
        raise ParameterError(sentence(who, must, f"{k}"))
    return int(neighbours) - (int(neighbours) % 2 == 0)


@lru_cache(maxsize=32)
def _table(k: int) -> tuple[Floats, Floats]:
    """Return p and a_k(p) of (4), from 0 to 1/2."""
    p = 0.5 * np.linspace(0, 1, GRID) ** 2
    return p, p + (1 - 2 * p) * binom.sf(k // 2, k, p)


@lru_cache(maxsize=32)
def _hull(k: int) -> tuple[Floats, Floats]:
    """Return points of the least concave function A_k above a_k (5), rising in both."""
    p, a = _table(k)
    kept: list[int] = []
    for i in range(len(p)):
        while len(kept) > 1 and _below(p, a, kept[-2], kept[-1], i):
            kept.pop()
        kept.append(i)
    top = kept[: int(np.argmax(a[kept])) + 1]
    return p[top], a[top]


def _below(p: Floats, a: Floats, i: int, j: int, k: int) -> bool:
    """Tell whether point j is on or below the line from i to k."""
    return bool((a[j] - a[i]) * (p[k] - p[i]) <= (a[k] - a[i]) * (p[j] - p[i]))
