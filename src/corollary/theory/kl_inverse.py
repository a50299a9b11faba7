"""The divergence of two coins, its inverses, and the Chernoff bound that they give.

Also known as: binary relative entropy, Chernoff-Hoeffding bound, kl bound, Seeger's
inverse.

    kl(q || p) = q ln(q/p) + (1-q) ln((1-q)/(1-p))                               (1)

is 0 at p = q and rises on either side.  For a mean q of m independent losses in [0, 1]
whose expectation is p,

    Pr[ q <= p and kl(q || p) >= c ]  <=  exp(-m c)                              (2)

so with probability 1 - delta the risk is at most

    kl^{-1}(q, c) = max {p: kl(q || p) <= c},     c = ln(1/delta) / m            (3)

Never above Hoeffding's q + sqrt(c/2), since kl >= 2 (p-q)^2, and near c where q = 0:
small losses are known better.  Bisection keeps a bracket and returns its outer end, so
that rounding never makes the bound too small.

Notation: q = mean loss; p = risk; m = n.
References: Hoeffding (1963); Langford (2005).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.special import xlog1py, xlogy

from corollary.core.arrays import Floats
from corollary.core.errors import ParameterError, sentence
from corollary.core.vectors import non_negative
from corollary.theory.stated_numbers import (
    aligned,
    answer,
    chosen,
    counts,
    every_confidence,
    fractions,
    missing_of,
)

__all__ = ["binary_kl", "chernoff_kl", "kl_inverse"]

HALVINGS = 64  # of an interval of length 1


def binary_kl(q: Any, p: Any) -> Any:
    """Return the divergence kl(q || p) of two coins (1), in nats.

    Parameters
    ----------
    q, p : float or arrays
        In [0, 1]; infinite where p excludes what q allows.

    Returns
    -------
    float or array

    Examples
    --------
    >>> from corollary.theory import binary_kl
    >>> round(binary_kl(0.1, 0.2), 6), binary_kl(0.3, 0.3), binary_kl(0.5, 1.0)
    (0.03669, 0.0, inf)
    """
    who = "binary_kl"
    q, p = aligned(who, q=fractions(who, q, "q"), p=fractions(who, p, "p"))
    return answer(divergence(q, p))


def kl_inverse(q: Any, c: Any, *, side: str = "upper") -> Any:
    """Return the largest p, or the least, with kl(q || p) <= c (3).

    Parameters
    ----------
    q : float or array
        In [0, 1].
    c : float or array
        At least 0.
    side : {'upper', 'lower'}
        Above q or below it.

    Returns
    -------
    float or array

    Examples
    --------
    >>> from corollary.theory import kl_inverse
    >>> round(kl_inverse(0.1, 0.02), 6), round(kl_inverse(0.0, 0.02), 6)
    (0.170384, 0.019801)
    """
    who = "kl_inverse"
    q, c = fractions(who, q, "q"), non_negative(who, c, "c", ParameterError)
    chosen(who, side, "side", ("upper", "lower"))
    q, c = aligned(who, q=q, c=c)
    return answer(farthest_above(q, c) if side == "upper" else 1 - above_of_rest(q, c))


def chernoff_kl(
    n: Any = None, loss: Any = None, delta: Any = None, risk: Any = None
) -> Any:
    """Give three of rows, mean loss, delta and risk; return the fourth by (2).

    Parameters
    ----------
    n : int or array
        Rows.
    loss : float or array
        Mean of losses in [0, 1] on them.
    delta : float or array
        How often the risk may be larger.
    risk : float or array
        Upper bound on the expected loss.

    Returns
    -------
    float, int or array
        The missing one: the least risk, delta or n that (2) proves, the largest loss.

    Examples
    --------
    >>> from corollary.theory import chernoff_kl
    >>> round(chernoff_kl(n=1000, loss=0.1, delta=0.05), 4)
    0.1248
    >>> chernoff_kl(loss=0.1, delta=0.05, risk=0.12)
    1503
    """
    who = "chernoff_kl"
    absent = missing_of(who, n=n, loss=loss, delta=delta, risk=risk)
    n = None if n is None else counts(who, n, "n", 1)
    q: Any = None if loss is None else fractions(who, loss, "loss")
    p: Any = None if risk is None else fractions(who, risk, "risk")
    delta = None if delta is None else every_confidence(who, delta)
    known = {"n": n, "loss": q, "delta": delta, "risk": p}
    aligned(who, **{name: x for name, x in known.items() if x is not None})
    if absent == "risk":
        return answer(farthest_above(*np.broadcast_arrays(q, -np.log(delta) / n)))
    if absent == "delta":
        return answer(np.exp(-n * np.where(p > q, divergence(q, p), 0.0)))
    if absent == "n":
        if (p <= q).any():
            must = "risk must be above the mean loss"
            raise ParameterError(sentence(who, must, "one that is not"))
        return answer(np.ceil(-np.log(delta) / divergence(q, p)), as_whole=True)
    return answer(largest_loss(*np.broadcast_arrays(p, -np.log(delta) / n)))


def divergence(q: Floats, p: Floats) -> Floats:
    """Return (1), infinite where p is 0 or 1 and q is not."""
    with np.errstate(divide="ignore", invalid="ignore"):
        low = xlogy(q, q) - xlogy(q, p)
        high = xlog1py(1 - q, -q) - xlog1py(1 - q, -p)
    total = np.maximum(low + high, 0.0)
    return np.where(((p <= 0) & (q > 0)) | ((p >= 1) & (q < 1)), np.inf, total)


def farthest_above(q: Floats, c: Floats) -> Floats:
    """Return (3), rounded upwards."""
    inside, outside = q.astype(np.float64), np.ones(q.shape)
    rest = c - xlogy(q, q) - xlog1py(1 - q, -q)
    with np.errstate(divide="ignore", invalid="ignore"):  # the middle may round to 1
        for _ in range(HALVINGS):
            middle = 0.5 * (inside + outside)
            within = -q * np.log(middle) - (1 - q) * np.log1p(-middle) <= rest
            inside = np.where(within, middle, inside)
            outside = np.where(within, outside, middle)
    exact = -np.expm1(-c)  # of q = 0
    return np.where(q > 0, outside, exact)


def above_of_rest(q: Floats, c: Floats) -> Floats:
    """Return (3) of 1 - q: the least p is 1 less it."""
    return farthest_above(1 - q, c)


def largest_loss(p: Floats, c: Floats) -> Floats:
    """Return the largest q <= p with kl(q || p) >= c."""
    with np.errstate(divide="ignore"):
        reach = -np.log1p(-p)  # kl(0 || p)
    if (reach < c).any():
        rows = float((c / np.maximum(reach, 1e-300)).max())
        must = "risk must be within reach of a mean loss of 0"
        came = "one that is not"
        remedy = f"Take {rows:.3g} times as many rows, or a larger risk or delta."
        raise ParameterError(sentence("chernoff_kl", must, came, remedy))
    far, near = np.zeros(p.shape), p.astype(np.float64)
    for _ in range(HALVINGS):
        middle = 0.5 * (far + near)
        enough = divergence(middle, p) >= c
        far, near = np.where(enough, middle, far), np.where(enough, near, middle)
    return far
