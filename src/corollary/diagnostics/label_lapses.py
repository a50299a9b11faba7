"""Wrong labels: how often a class is given against all odds.

Also known as: label noise, lapse rate of a psychometric function, confident learning.

Where classes overlap, errors are made near the boundary, and far from it none.  Where
labels are wrong by accident, errors are made everywhere alike.  So with scores s_k =
log P(k | x) of a model, out of fold,

    P(label k | x) = (1 - e) softmax(a s + b)_k + e / K                          (1)

is fitted to the labels given: a and b correct the scores, e is the share of labels that
are drawn from a hat, of which (K - 1) / K are wrong.  That e = 0 is refuted if

    2 (log likelihood of (1) - that with e = 0)   is large                       (2)

(half of chi^2 with one degree of freedom, Chernoff).  A label is wrong with probability

    P(wrong | x, k) = (e / K)(1 - q_k) / ((1 - e) q_k + e / K),   q = softmax    (3)

References: Wichmann and Hill (2001); Northcutt, Jiang and Chuang (2021).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from scipy.optimize import minimize
from scipy.special import softmax

from corollary.core.arrays import Floats, Vector

__all__ = ["Lapses", "label_lapses"]

LEAST = 1e-6
STARTS = (0.05, 0.3)
MOST_ROWS = 20_000


@dataclass(frozen=True)
class Lapses:
    """How many labels are wrong.

    Attributes
    ----------
    share : float
        Of labels that are wrong, e (K - 1) / K.
    evidence : float
        (2), twice a difference of log likelihoods.
    wrong : array of shape (n,)
        Probability that each label is wrong (3).
    likely : int array of shape (n,)
        Position of the class that each row has most likely.
    """

    share: float
    evidence: float
    wrong: Floats = field(repr=False)
    likely: Vector = field(repr=False)


def label_lapses(p: Floats, codes: Vector) -> Lapses:
    """Fit (1) to out-of-fold probabilities and the positions of the labels given."""
    n, k = p.shape
    s = np.log(np.clip(p, LEAST, 1.0))
    s -= s.mean(axis=1, keepdims=True)
    some = np.unique(np.linspace(0, n - 1, min(n, MOST_ROWS)).astype(np.intp))

    def classes(theta: Floats, rows: Any) -> Floats:
        """Return q of (3)."""
        b = np.concatenate([[0.0], theta[1:k]])
        return softmax(np.exp(theta[0]) * s[rows] + b, axis=1)

    def cost(theta: Floats, e: float) -> tuple[float, Floats, float]:
        """Return minus the log likelihood of (1), and its derivatives."""
        q = classes(theta, some)
        of_label = q[np.arange(len(some)), codes[some]]
        m = (1 - e) * of_label + e / k + 1e-300
        slope = -((1 - e) * of_label / m)[:, None] * (given - q)  # by the logits
        by_scale = float((slope * s[some]).sum() * np.exp(theta[0]))
        gradient = np.concatenate([[by_scale], slope.sum(axis=0)[1:]])
        return float(-np.log(m).sum()), gradient, float(((of_label - 1 / k) / m).sum())

    def with_lapses(theta: Floats) -> tuple[float, Floats]:
        value, gradient, by_e = cost(theta[:-1], float(theta[-1]))
        return value, np.append(gradient, by_e)

    given = np.eye(k)[codes[some]]
    bounds = [(-4.0, 4.0), *[(-6.0, 6.0)] * (k - 1)]
    plain = minimize(lambda t: cost(t, 0.0)[:2], np.zeros(k), jac=True, bounds=bounds)
    best, e = plain, 0.0
    for start in STARTS:
        begin = np.append(plain.x, start)
        begin[0] = min(begin[0] + 0.5, 4.0)
        limits = [*bounds, (0.0, 0.95)]
        tried = minimize(with_lapses, begin, jac=True, bounds=limits)
        if tried.fun < best.fun:
            best, e = tried, float(tried.x[-1])
    q = classes(best.x[:k], slice(None))
    of_label = q[np.arange(n), codes]
    wrong = (e / k) * (1 - of_label) / ((1 - e) * of_label + e / k + 1e-300)  # (3)
    return Lapses(e * (k - 1) / k, 2 * (plain.fun - best.fun), wrong, q.argmax(axis=1))
