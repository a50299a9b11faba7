"""Intervals for the scores by which models are judged.

Also known as: confidence interval of accuracy, precision, recall, F1, R^2, RMSE, log
loss.

Counts are exact.  Accuracy, precision and recall are shares of rows that have a
property among rows drawn independently, their number given: Clopper and Pearson's
interval.  So is F1, since

    F1 = 2 TP / (2 TP + FP + FN) = 2 J / (1 + J),   J = TP / (TP + FP + FN)      (1)

rises with J, the share of the hits among all rows that are not true negatives.

Means are asymptotic: mean -+ t sd / sqrt n for log loss; on the scale of the logarithm
for errors that cannot be negative,

    MSE exp(-+ t sd / (sqrt n MSE)),       RMSE its root                         (2)
    1 - R^2 = r = mean a / mean b,  a = (y - f)^2,  b = (y - mean y)^2           (3)
    sd of r: that of (a - r b) / mean b   over sqrt n

With weights a share is the ratio of two weighted sums, with the variance of (3), and
the interval that of as many rows n* = p (1-p) / var p without weights (Korn and
Graubard): asymptotic.

Notation: f = predicted; t = Student's quantile, n - 1 degrees of freedom.
References: Clopper and Pearson (1934); Korn and Graubard (1998).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.special import stdtrit

from corollary.core.arrays import Floats
from corollary.core.errors import DataError, sentence
from corollary.core.parameters import shown
from corollary.core.vectors import non_negative
from corollary.theory.auc_interval import auc_interval
from corollary.theory.bound import INDEPENDENT
from corollary.theory.clopper_pearson import lower_risk, upper_risk
from corollary.theory.interval import Interval
from corollary.theory.stated_numbers import (
    chosen,
    confidence,
    distinct,
    fractions,
    vector,
)

__all__ = ["score_interval"]

SHARES = ("accuracy", "precision", "recall", "f1")
MEANS = ("r2", "rmse", "log_loss")


def score_interval(
    y: Any,
    predicted: Any,
    score: str = "accuracy",
    delta: float = 0.05,
    *,
    sample_weight: Any = None,
    positive: Any = None,
) -> Interval:
    """Return an interval for the score of a model on new data.

    Parameters
    ----------
    y : array of shape (n,)
        Labels or targets of rows that the model has not seen.
    predicted : array of shape (n,) or (n, k)
        What it says of them: classes; numbers for 'r2' and 'rmse'; scores for 'auc';
        probabilities for 'log_loss', of the larger label or of all sorted labels.
    score : {'accuracy', 'precision', 'recall', 'f1', 'auc', 'r2', 'rmse', 'log_loss'}
    delta : float, default=0.05
        How often the interval may miss, half of it on each side.
    sample_weight : array of shape (n,), optional
        Fixed weights of the rows; the interval is asymptotic then.
    positive : label, optional
        The class of precision, recall and F1; the larger one of two by default.

    Returns
    -------
    Interval
        Its `kind` says whether it is exact or asymptotic.

    Examples
    --------
    >>> from corollary.theory import score_interval
    >>> y, predicted = [0, 0, 1, 1, 1] * 20, [0, 0, 1, 1, 0] * 20
    >>> print(score_interval(y, predicted, "f1"))
    F1 (exact binomial): 0.8 in [0.6955, 0.8784] with confidence 0.95 (exact)
    """
    who = "score_interval"
    delta = confidence(who, delta)
    chosen(who, score, "score", (*SHARES, "auc", *MEANS))
    if score == "auc":
        return auc_interval(y, predicted, delta, sample_weight=sample_weight)
    y = np.asarray(y)
    if y.ndim != 1 or not len(y) or len(np.atleast_1d(predicted)) != len(y):
        must = "y must be a vector, with a prediction for each of its rows"
        raise DataError(sentence(who, must, f"shape {y.shape}"))
    w = sample_weight
    if w is not None:
        w = non_negative(who, vector(who, w, "sample_weight", len(y)), "sample_weight")
        if not w.any():
            raise DataError(sentence(who, "some weight must be above 0", "0 for all"))
    if score in SHARES:
        return share_interval(y, np.asarray(predicted), score, delta, w, positive)
    if score == "log_loss":
        return mean_interval("log loss", row_log_losses(y, predicted), delta, w)
    y, f = vector(who, y, "y"), vector(who, predicted, "predicted")
    return (
        r2_interval(y, f, delta, w) if score == "r2" else rmse_interval(y, f, delta, w)
    )


# -- shares ----------------------------------------------------------------------------
def share_interval(
    y: Any, f: Any, score: str, delta: float, w: Any, positive: Any
) -> Interval:
    """Return the interval of a share of rows, or of F1 by (1)."""
    hit, among = hits(y, f, score, positive)
    if w is None:
        k, n = float(hit.sum()), float(among.sum())
    else:
        k, n = effective(hit * 1.0, among * 1.0, w)
    title = {"accuracy": "accuracy", "f1": "F1"}.get(score, score)
    words = [INDEPENDENT, "The count of rows in the denominator is taken as given."]
    if n <= 0:
        must = f"{score} must have rows in its denominator"
        raise DataError(sentence("score_interval", must, "none"))
    value = k / n
    low, high = float(lower_risk(n, k, delta / 2)), float(upper_risk(n, k, delta / 2))
    if score == "f1":
        value, low, high = (2 * J / (1 + J) for J in (value, low, high))  # (1)
    if w is None:
        name, kind, by = "exact binomial", "exact", "Clopper and Pearson (1934)"
    else:
        name, kind, by = "weighted", "asymptotic", "Korn and Graubard (1998)"
        words.append("Weights are fixed.")
    title = f"{title} ({name})"
    return Interval(title, value, low, high, delta, kind, tuple(words), by)


def hits(y: Any, f: Any, score: str, positive: Any) -> tuple[Any, Any]:
    """Return which rows count in the numerator and in the denominator."""
    who = "score_interval"
    if f.shape != y.shape:
        must = "predicted must hold a class for each row"
        raise DataError(sentence(who, must, f"shape {f.shape}"))
    if score == "accuracy":
        return y == f, np.ones(len(y), dtype=bool)
    if positive is None:
        labels = distinct(who, np.concatenate([distinct(who, y), distinct(who, f)]))
        if len(labels) > 2:
            must = f"{score} must have two classes, or `positive` be given"
            raise DataError(sentence(who, must, shown(labels.tolist())))
        positive = labels[-1]
    actual, said = y == positive, f == positive
    among = {"precision": said, "recall": actual, "f1": actual | said}[score]
    return actual & said, among


def effective(a: Floats, b: Floats, w: Floats) -> tuple[float, float]:
    """Return (k, n) of the share without weights that is as uncertain."""
    total = float(w @ b)
    if total <= 0:
        return 0.0, 0.0
    p = float(w @ a) / total
    used = w * b
    n = total**2 / float(used @ used)
    variance = float((w * (a - p * b)) @ (w * (a - p * b))) / total**2
    if 0 < p < 1 and variance > 0:
        n = max(p * (1 - p) / variance * (n - 1) / n, 1.0)
    return p * n, n


# -- means -----------------------------------------------------------------------------
def mean_of(x: Floats, w: Any) -> tuple[float, float, float]:
    """Return a mean, its standard error and the quantile's degrees of freedom."""
    w = np.ones(len(x)) if w is None else w
    n = float(w.sum() ** 2 / (w @ w))
    if n < 2:
        must = "rows must be at least 2"
        raise DataError(sentence("score_interval", must, f"{n:.3g}"))
    mean = float(w @ x / w.sum())
    variance = float((w * (x - mean)) @ (w * (x - mean))) / float(w.sum()) ** 2
    return mean, float(np.sqrt(variance * n / (n - 1))), n - 1


def mean_interval(name: str, x: Floats, delta: float, w: Any) -> Interval:
    """Return mean -+ t sd / sqrt n."""
    mean, error, free = mean_of(x, w)
    reach = -stdtrit(free, delta / 2) * error
    return asymptotic(name, mean, mean - reach, mean + reach, delta)


def rmse_interval(y: Floats, f: Floats, delta: float, w: Any) -> Interval:
    """Return (2)."""
    mean, error, free = mean_of((y - f) ** 2, w)
    factor = np.exp(-stdtrit(free, delta / 2) * error / mean) if mean > 0 else 1.0
    low, high = np.sqrt(mean / factor), np.sqrt(mean * factor)
    return asymptotic("RMSE", np.sqrt(mean), low, high, delta)


def r2_interval(y: Floats, f: Floats, delta: float, w: Any) -> Interval:
    """Return 1 less the interval of (3) on the scale of the logarithm."""
    centre = float(np.average(y, weights=w))
    a, b = (y - f) ** 2, (y - centre) ** 2
    below = float(np.average(b, weights=w))
    if below <= 0:
        must = "y must vary for R^2"
        raise DataError(sentence("score_interval", must, "one value"))
    r = float(np.average(a, weights=w)) / below
    _, error, free = mean_of((a - r * b) / below, w)
    factor = np.exp(-stdtrit(free, delta / 2) * error / r) if r > 0 else 1.0
    return asymptotic("R^2", 1 - r, 1 - r * factor, 1 - r / factor, delta)


def asymptotic(
    name: str, value: float, low: float, high: float, delta: float
) -> Interval:
    """Make the record of an asymptotic interval."""
    words = (INDEPENDENT, "The errors have a finite variance.")
    ends = (float(value), float(low), float(high))
    return Interval(name, *ends, delta, "asymptotic", words, "central limit theorem")


def row_log_losses(y: Any, predicted: Any) -> Floats:
    """Return -ln of the probability that each row's own class was given."""
    who = "score_interval"
    P = fractions(who, predicted, "probabilities")
    labels = distinct(who, y)
    codes = np.searchsorted(labels, y)
    if P.ndim == 1:
        P = np.column_stack([1 - P, P])
    if P.ndim != 2 or len(labels) != P.shape[1]:
        must = "probabilities must have a column for each class in y"
        raise DataError(sentence(who, must, f"{P.shape} for {len(labels)} classes"))
    own = P[np.arange(len(y)), codes] / P.sum(axis=1)
    tiny = np.finfo(np.float64).eps
    return -np.log(np.clip(own, tiny, 1 - tiny))
