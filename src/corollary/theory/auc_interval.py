"""Intervals for the area under the ROC curve.

Also known as: DeLong interval, Hanley-McNeil interval, Mann-Whitney statistic.

The area is the chance that a positive row scores above a negative one, ties half:

    A = 1/(m n) sum_i sum_j psi(s_i, t_j),   psi = 1[s > t] + 1/2 1[s = t]       (1)

over m positive scores s and n negative ones t.  With V_i the mean of psi over the
negative rows and U_j over the positive ones,

    DeLong          var A = var(V)/m + var(U)/n                                  (2)
    Hanley-McNeil   var A = (A(1-A) + (m-1)(Q1-A^2) + (n-1)(Q2-A^2)) / (m n)     (3)
                    Q1 = A/(2-A), Q2 = 2A^2/(1+A)

and the interval is logit A -+ z sd / (A (1-A)), asymptotic.  (3) is right for scores
of exponential laws and too wide for normal ones near A = 1.  Changing one positive row
moves A by at most 1/m, one negative row by 1/n, so for any number of rows (McDiarmid)

    exact           |A - E A| <= sqrt((1/m + 1/n) ln(2/delta) / 2)               (4)

where the classes' counts are taken as given.  One sort gives A, V and U together: in
the order of the scores, V_i is the share of negative rows before row i.  Fixed weights
make means weighted ones, and m = (sum w)^2 / sum w^2.

Notation: s, t = scores; m, n = positive and negative rows.
References: Hanley and McNeil (1982); DeLong, DeLong and Clarke-Pearson (1988); Agarwal,
Graepel, Herbrich, Har-Peled and Roth (2005).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import expit, logit, ndtri

from corollary.core.arrays import Floats
from corollary.core.errors import DataError, ParameterError, sentence
from corollary.core.vectors import non_negative
from corollary.theory.interval import Interval
from corollary.theory.stated_numbers import chosen, confidence, signs, vector

__all__ = ["auc_interval"]

METHODS = {
    "delong": "DeLong, DeLong and Clarke-Pearson (1988)",
    "hanley-mcneil": "Hanley and McNeil (1982)",
    "exact": "Agarwal et al. (2005)",
}
SURE = 1e-12  # below this variance all rows are ranked alike


@dataclass(frozen=True)
class Ranking:
    """The area (1) and what its variance is made of."""

    area: float
    m: float  # effective positive rows
    n: float
    spread: float  # (2)


def auc_interval(
    y: Any,
    scores: Any,
    delta: float = 0.05,
    *,
    method: str = "delong",
    sample_weight: Any = None,
) -> Interval:
    """Return an interval for the area under the ROC curve of a model.

    Parameters
    ----------
    y : array of shape (n,)
        Two classes; the larger label is positive.
    scores : array of shape (n,)
        Large for rows that look positive.
    delta : float, default=0.05
        How often the interval may miss.
    method : {'delong', 'hanley-mcneil', 'exact'}
        (2), (3) or (4).  Where every pair is ranked right, or every pair wrong, (2) and
        (3) know no variance and the exact interval is returned.
    sample_weight : array of shape (n,), optional
        Fixed weights of the rows; not with 'hanley-mcneil'.

    Returns
    -------
    Interval

    Examples
    --------
    >>> import numpy as np
    >>> from corollary.theory import auc_interval
    >>> rng = np.random.default_rng(0)
    >>> y = np.repeat([0, 1], 250)
    >>> print(auc_interval(y, y + rng.normal(size=500)))
    AUC (DeLong): 0.7535 in [0.7092, 0.793] with confidence 0.95 (asymptotic)
    """
    who = "auc_interval"
    delta = confidence(who, delta)
    chosen(who, method, "method", METHODS)
    if method == "hanley-mcneil" and sample_weight is not None:
        must = "method must be 'delong' or 'exact' with weights"
        raise ParameterError(sentence(who, must, f"{method!r}"))
    positive = signs(who, y) > 0
    s = vector(who, scores, "scores", len(positive))
    w = checked_weights(who, sample_weight, positive)
    found = ranked(s, positive, w)
    A, words = found.area, ["Rows are drawn independently within each class."]
    if w is not None:
        words.append("Weights are fixed.")
    variance = hanley_mcneil(found) if method == "hanley-mcneil" else found.spread
    if method == "exact" or not 0 < A < 1 or variance < SURE * A * (1 - A):
        reach = np.sqrt(-(1 / found.m + 1 / found.n) * np.log(delta / 2) / 2)  # (4)
        low, high = max(0.0, A - reach), min(1.0, A + reach)
        name, by, kind = "AUC (McDiarmid)", METHODS["exact"], "exact"
    else:
        step = -ndtri(delta / 2) * np.sqrt(variance) / (A * (1 - A))
        low, high = expit(logit(A) - step), expit(logit(A) + step)
        name = "AUC (DeLong)" if method == "delong" else "AUC (Hanley-McNeil)"
        by, kind = METHODS[method], "asymptotic"
    return Interval(name, A, float(low), float(high), delta, kind, tuple(words), by)


def ranked(s: Floats, positive: Any, w: Any) -> Ranking:
    """Return (1) and (2) by one sort."""
    order = np.argsort(s)
    s, pos = s[order], positive[order]
    w = np.ones(len(s)) if w is None else w[order]
    starts = np.flatnonzero(np.concatenate([[True], s[1:] != s[:-1]]))  # of ties
    P = np.add.reduceat(np.where(pos, w, 0.0), starts)  # positive weight of a tie
    N = np.add.reduceat(np.where(pos, 0.0, w), starts)
    P2 = np.add.reduceat(np.where(pos, w * w, 0.0), starts)
    N2 = np.add.reduceat(np.where(pos, 0.0, w * w), starts)
    total_P, total_N = P.sum(), N.sum()
    V = (np.cumsum(N) - 0.5 * N) / total_N  # of positive rows
    U = 1 - (np.cumsum(P) - 0.5 * P) / total_P  # of negative rows
    A = float(V @ P / total_P)
    m, n = total_P**2 / P2.sum(), total_N**2 / N2.sum()
    spread = float(P2 @ (V - A) ** 2) / total_P**2 * m / max(m - 1, 1e-9)
    spread += float(N2 @ (U - A) ** 2) / total_N**2 * n / max(n - 1, 1e-9)
    return Ranking(min(max(A, 0.0), 1.0), float(m), float(n), spread)


def hanley_mcneil(found: Ranking) -> float:
    """Return (3)."""
    A, m, n = found.area, found.m, found.n
    first, second = A / (2 - A), 2 * A**2 / (1 + A)
    total = A * (1 - A) + (m - 1) * (first - A**2) + (n - 1) * (second - A**2)
    return total / (m * n)


def checked_weights(who: str, w: Any, positive: Any) -> Any:
    """Return weights that leave rows of both classes, or None."""
    if w is None:
        return None
    w = non_negative(who, vector(who, w, "sample_weight", len(positive)), "weights")
    if not w[positive].any() or not w[~positive].any():
        must = "sample_weight must be above 0 in both classes"
        raise DataError(sentence(who, must, "0 for all rows of a class"))
    return w
