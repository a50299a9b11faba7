"""The best rule between two classes of numbers and yes-no answers, and its error.

Also known as: the location model with independent parts, quadratic discriminant with
binary variables.

A row x = (u, v) has g numbers u and m answers v.  Given the class, u is Gaussian with
mean mu and covariance S, and independent of the answers, which are independent of each
other.  For two classes + and -, with v_j in {0, 1}, p_j = P(v_j = 1 | +) and
q_j = P(v_j = 1 | -), the rule is quadratic in u and linear in v: predict + where

    1/2 u' Q u + a' u + beta' v + b > 0                                          (1)
    Q      = S_-^-1 - S_+^-1,   a = S_+^-1 mu_+ - S_-^-1 mu_-
    beta_j = log [p_j (1 - q_j) / (q_j (1 - p_j))]
    b      = log(pi/(1 - pi)) + 1/2 log(|S_-|/|S_+|)
             + 1/2 (mu_-' S_-^-1 mu_- - mu_+' S_+^-1 mu_+) + sum_j log[(1-p_j)/(1-q_j)]

Where S_+ = S_- = I, the score (1) given + is delta^2/2 + delta A + t(v) + logit pi with
A ~ N(0, 1), delta = ||mu_+ - mu_-|| and t(v) = sum_j log P(v_j | +)/P(v_j | -), so that

    P(wrong | +) = sum_v P(v | +) Phi(-delta/2 - (t(v) + logit pi)/delta)        (2)
    P(wrong | -) = sum_v P(v | -) Phi(-delta/2 + (t(v) + logit pi)/delta)

With p_j = p and q_j = q the sum runs over the number of ones, which is binomial; with
p = q and pi = 1/2 both are Phi(-delta/2).

Notation: pi = P(+).  `MixedNB` learns the rule: `mixed_nb.py`.
Course: S2-9. References: Olkin and Tate (1961); Duda, Hart, Stork (2001), ch. 2.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from scipy.stats import binom, norm

from corollary.core.arrays import Floats, Vector
from corollary.core.errors import ParameterError, sentence
from corollary.core.records import readable

__all__ = ["MixedError", "MixedRule", "mixed_error"]


@dataclass(frozen=True)
class MixedRule:
    """The rule (1): quadratic in the numbers, linear in the answers.

    Attributes
    ----------
    numeric, discrete : arrays
        Columns of u and of v.
    Q, a : arrays of shape (g, g) and (g,)
    tables : tuple of arrays
        For each discrete column, what each category adds to the score; 0 for the
        category 0.
    b : float
    """

    numeric: Vector
    discrete: Vector
    Q: Floats
    a: Floats
    tables: tuple[Floats, ...]
    b: float

    @property
    def beta(self) -> Floats:
        """What a 1 adds to the score, for each discrete column with two categories."""
        return np.array([table[1] for table in self.tables if len(table) == 2])

    def score(self, X: Any) -> Floats:
        """Return the left side of (1) for each row."""
        X = np.asarray(X, dtype=np.float64)
        U, v = X[:, self.numeric], X[:, self.discrete].astype(int)
        total = 0.5 * ((U @ self.Q) * U).sum(axis=1) + U @ self.a + self.b
        for j, table in enumerate(self.tables):
            total = total + table[v[:, j]]
        return total


@readable
class MixedError(NamedTuple):
    """The error of the best rule: given +, given -, and in all."""

    positive: float
    negative: float
    total: float


def mixed_error(
    delta: float, p: Any, q: Any, *, m: int | None = None, prior: float = 0.5
) -> MixedError:
    """Return the exact error (2) of the best rule, where both covariances are I.

    Parameters
    ----------
    delta : float
        Distance of the two means, above 0.
    p, q : float or array of shape (m,)
        Probability of a 1 in each answer, given + and given -.
    m : int, optional
        Number of answers, where p and q are one number for all of them.
    prior : float, default=0.5
        Probability of +.

    Returns
    -------
    MixedError

    Examples
    --------
    >>> from corollary.naive_bayes import mixed_error
    >>> [round(e, 6) for e in mixed_error(2.0, 0.7, 0.4, m=3)]
    [0.127536, 0.128527, 0.128032]
    """
    if not (delta > 0 and 0 < prior < 1):
        must = "delta must be > 0 and prior in (0, 1)"
        raise ParameterError(sentence("mixed_error", must, f"{delta} and {prior}"))
    t, P, M = answers(p, q, m)
    shift = (t + np.log(prior) - np.log1p(-prior)) / delta
    positive = float(P @ norm.cdf(-delta / 2 - shift))
    negative = float(M @ norm.cdf(-delta / 2 + shift))
    return MixedError(positive, negative, prior * positive + (1 - prior) * negative)


def answers(p: Any, q: Any, m: int | None) -> tuple[Floats, Floats, Floats]:
    """Return t(v) and the probabilities of v given + and given -, for all v.

    Equal answers are counted (m + 1 cases); unequal ones are enumerated.
    """
    p, q = np.asarray(p, dtype=np.float64), np.asarray(q, dtype=np.float64)
    inside = ((p > 0) & (p < 1)).all() and ((q > 0) & (q < 1)).all()
    if p.shape != q.shape or not inside or p.ndim > 1 or (p.ndim == 0) == (m is None):
        must = "p and q must be in (0, 1): two numbers and m, or two arrays of length m"
        raise ParameterError(sentence("mixed_error", must, f"{p}, {q}, m = {m}"))
    odds, rest = np.log(p / q), np.log1p(-p) - np.log1p(-q)
    if m is not None:
        ones = np.arange(m + 1)
        t = ones * odds + (m - ones) * rest
        return t, binom.pmf(ones, m, p), binom.pmf(ones, m, q)
    if len(p) > 20:
        must = "unequal answers must be at most 20, since all 2^m cases are summed"
        raise ParameterError(sentence("mixed_error", must, f"{len(p)}"))
    v = (np.arange(2 ** len(p))[:, None] >> np.arange(len(p))) & 1  # (2^m, m)
    t = v @ odds + (1 - v) @ rest
    P, M = (np.exp(v @ np.log(r) + (1 - v) @ np.log1p(-r)) for r in (p, q))
    return t, P, M
