"""Entropy, relative entropy and their relatives, for vectors and tables.

Also known as: Shannon entropy, Kullback-Leibler divergence, I-divergence,
cross-entropy, Csiszar f-divergence, mutual information.

    H(p)      = - sum_i p_i ln p_i                                               (1)
    D(x || y) = sum_i x_i ln(x_i / y_i) - sum_i x_i + sum_i y_i                  (2)
    H(p, q)   = - sum_i p_i ln q_i = H(p) + D(p || q)                            (3)
    I(X; Y)   = D(P_XY || P_X P_Y)                                               (4)
    C(p || f) = sum_i f_i phi(p_i / f_i),   phi convex, phi(1) = 0               (5)

with 0 ln 0 = 0 and x ln(x/0) = infinity.  (2) is defined for all non-negative vectors,
normalised or not; D >= 0 with equality only where x = y (log-sum inequality), it is not
symmetric, and it breaks the triangle inequality.  Against the uniform law u on n points
D(p || u) = ln n - H(p), so that H <= ln n (log2 n in bits).  Counts f of m draws have

    argmin_p D(f || p) = f / m,   minimum  m ln m - m + 1                        (6)

which is the maximum-likelihood estimate.  Behind D >= 0 is Jensen's inequality,

    E phi(X) >= phi(E X),   phi convex; equality where phi is affine or X constant  (7)

whose gap is (2) for phi = -ln and X = q_i / p_i with probability p_i.

(5) is (2) for phi(t) = t ln t - t + 1; where
f_i = 0 its term is p_i lim phi(t)/t, t to infinity.

Notation: p, q, f vectors; P a joint table; logarithms are natural unless unit="bits".
Course: S0-10, S0-11, S1-25. References: Cover and Thomas (2006), ch. 2; Csiszar (1967).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from corollary.core.arrays import Floats
from corollary.core.errors import DataError, ParameterError, sentence
from corollary.core.vectors import non_negative, numbers, probabilities

__all__ = [
    "cross_entropy",
    "entropy",
    "jensen_gap",
    "kl_divergence",
    "mutual_information",
    "phi_divergence",
    "relative_entropy",
]

UNITS = {"nats": 1.0, "bits": float(np.log(2.0))}


@dataclass(frozen=True)
class Phi:
    """The function of (5), and lim phi(t)/t where t grows."""

    value: Callable[[Floats], Floats]
    slope: float


def _kl(t: Floats) -> Floats:
    return x_ln_x(t) - t + 1


def _reverse(t: Floats) -> Floats:
    with np.errstate(divide="ignore"):
        return -np.log(t) + t - 1


PHI = {
    "kl": Phi(_kl, np.inf),  # D(p || f)
    "reverse": Phi(_reverse, 1.0),  # D(f || p)
    "chi2": Phi(lambda t: (t - 1) ** 2, np.inf),
    "hellinger": Phi(lambda t: (np.sqrt(t) - 1) ** 2, 1.0),
    "total_variation": Phi(lambda t: np.abs(t - 1) / 2, 0.5),
}


def entropy(p: Any, unit: str = "nats") -> float:
    """Return the entropy (1) of a probability vector or table.

    Parameters
    ----------
    p : array
        Probabilities that add up to 1.
    unit : {"nats", "bits"}

    Returns
    -------
    float

    Examples
    --------
    >>> entropy([0.25, 0.25, 0.5], unit="bits")
    1.5
    """
    return float(-x_ln_x(probabilities("entropy", p)).sum()) / _unit("entropy", unit)


def relative_entropy(x: Any, y: Any) -> float:
    """Return D(x || y) (2) of two non-negative vectors, normalised or not.

    Parameters
    ----------
    x, y : arrays of the same shape

    Returns
    -------
    float
        Infinite where some x_i > 0 = y_i.

    Examples
    --------
    >>> relative_entropy([2.0, 0.0], [1.0, 1.0])  # 2 ln 2 - 2 + 2
    1.3862943611198906
    >>> relative_entropy([1.0, 1.0], [2.0, 0.0])
    inf
    """
    x, y = _pair("relative_entropy", x, y, ("x", "y"))
    if ((x > 0) & (y == 0)).any():
        return float("inf")
    there = x > 0
    with np.errstate(over="ignore", divide="ignore"):
        terms = x[there] * (np.log(x[there]) - np.log(y[there]))
    return max(0.0, float(terms.sum() - x.sum() + y.sum()))


def kl_divergence(p: Any, q: Any, unit: str = "nats") -> float:
    """Return D(p || q) of two probability vectors.

    Parameters
    ----------
    p, q : arrays of the same shape
        Probabilities that add up to 1.
    unit : {"nats", "bits"}

    Returns
    -------
    float

    Examples
    --------
    >>> kl_divergence([0.5, 0.5], [0.25, 0.75], unit="bits").__round__(6)
    0.207519
    """
    who = "kl_divergence"
    p, q = probabilities(who, p, "p"), probabilities(who, q, "q")
    return relative_entropy(p, q) / _unit(who, unit)


def cross_entropy(p: Any, q: Any, unit: str = "nats") -> float:
    """Return H(p, q) (3): the code length of p under the code of q.

    Parameters
    ----------
    p, q : arrays of the same shape
        Probabilities that add up to 1.
    unit : {"nats", "bits"}

    Returns
    -------
    float

    Examples
    --------
    >>> cross_entropy([1.0, 0.0], [0.25, 0.75], unit="bits")
    2.0
    """
    return entropy(p, unit) + kl_divergence(p, q, unit)


def mutual_information(P: Any, unit: str = "nats") -> float:
    """Return what two variables tell of each other (4).

    Parameters
    ----------
    P : array of shape (k, r)
        Joint probabilities that add up to 1.
    unit : {"nats", "bits"}

    Returns
    -------
    float

    Examples
    --------
    >>> mutual_information([[0.5, 0.0], [0.0, 0.5]], unit="bits")
    1.0
    """
    who = "mutual_information"
    P = probabilities(who, P, "P")
    if P.ndim != 2:
        raise DataError(sentence(who, "P must be a two-way table", f"{P.ndim} ways"))
    independent = np.outer(P.sum(axis=1), P.sum(axis=0))
    return relative_entropy(P, independent) / _unit(who, unit)


def phi_divergence(p: Any, f: Any, phi: str | Callable[[Floats], Any] = "kl") -> float:
    """Return Csiszar's divergence (5) of p from f.

    Parameters
    ----------
    p, f : arrays of the same shape
        Non-negative.
    phi : {"kl", "reverse", "chi2", "hellinger", "total_variation"} or function
        A function of your own is convex with phi(1) = 0; f must then be positive
        wherever p is.

    Returns
    -------
    float

    Examples
    --------
    >>> phi_divergence([0.5, 0.5], [0.25, 0.75], "total_variation")
    0.25
    """
    who = "phi_divergence"
    p, f = _pair(who, p, f, ("p", "f"))
    if isinstance(phi, str):
        if phi not in PHI:
            must = f"phi must be a function or one of {', '.join(map(repr, PHI))}"
            raise ParameterError(sentence(who, must, repr(phi)))
        chosen = PHI[phi]
    else:
        chosen = Phi(phi, float("nan"))
    absent = (f == 0) & (p > 0)
    outside = float(p[absent].sum()) * chosen.slope if absent.any() else 0.0
    if np.isnan(outside):
        must = "f must be > 0 wherever p is, for a function of your own"
        raise DataError(sentence(who, must, f"0 at {np.argwhere(absent)[0].tolist()}"))
    there = f > 0
    return float((f[there] * chosen.value(p[there] / f[there])).sum()) + outside


def jensen_gap(phi: Callable[[Floats], Any], p: Any, x: Any) -> float:
    """Return E phi(X) - phi(E X) (7): >= 0 for a convex phi, <= 0 for a concave one.

    Also known as: Jensen's inequality, Jensen gap.

    Parameters
    ----------
    phi : function of an array
    p : array of shape (k,)
        Probabilities.
    x : array of shape (k,)
        The values of X.

    Returns
    -------
    float

    Examples
    --------
    The gap of the square is the variance:

    >>> jensen_gap(np.square, [0.5, 0.5], [1.0, 5.0])
    4.0
    """
    who = "jensen_gap"
    p, x = probabilities(who, p, "p"), numbers(who, x, "x")
    if p.shape != x.shape or p.ndim != 1:
        must = "p and x must be vectors of one length"
        raise DataError(sentence(who, must, f"shapes {p.shape} and {x.shape}"))
    p, x = p[p > 0], x[p > 0]
    return float(p @ np.asarray(phi(x), float)) - float(phi(np.asarray(p @ x)))


def x_ln_x(x: Floats) -> Floats:
    """Return x ln x with 0 ln 0 = 0.

    >>> x_ln_x(np.array([0.0, 1.0])).tolist()
    [0.0, 0.0]
    """
    return x * np.log(np.where(x > 0, x, 1.0))


def _pair(who: str, x: Any, y: Any, names: tuple[str, str]) -> tuple[Floats, Floats]:
    x, y = non_negative(who, x, names[0]), non_negative(who, y, names[1])
    if x.shape != y.shape:
        must = f"{names[0]} and {names[1]} must have the same shape"
        raise DataError(sentence(who, must, f"{x.shape} and {y.shape}"))
    return x, y


def _unit(who: str, unit: str) -> float:
    if unit not in UNITS:
        raise ParameterError(sentence(who, "unit must be 'nats' or 'bits'", repr(unit)))
    return UNITS[unit]
