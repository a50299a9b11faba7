"""The precision-recall curve: how pure a list is that finds so many positive rows.

Also known as: PR curve, average precision.

As the threshold falls, recall R_k rises and precision P_k moves.  Unlike the ROC curve
it depends on how rare the positive class is: scores that know nothing have the share of
the positive rows as their precision, at every recall.  Its area is the average of the
precision over the positive rows found,

    AP = sum_k (R_k - R_{k-1}) P_k                                                   (1)

with no line drawn between the points, which would promise too much.  With m positive
rows the interval is the binomial one on the scale of the logit (Boyd, Eng, Page 2013),

    logit AP -+ z / sqrt(m AP (1 - AP))                                              (2)

asymptotic, and rough for a few dozen positive rows.

Notation: k = thresholds, falling; m = effective number of positive rows.
Course: S4-70. References: Davis and Goadrich (2006); Boyd, Eng and Page (2013).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import expit, logit, ndtri

from corollary.core.arrays import Floats
from corollary.diagnostics.outcomes import label_text, plain, spread_out
from corollary.diagnostics.threshold_counts import threshold_counts
from corollary.theory.clopper_pearson import lower_risk, upper_risk
from corollary.theory.interval import Interval
from corollary.theory.stated_numbers import confidence

__all__ = ["PrecisionRecallCurve", "precision_recall_curve"]

MOST = 200  # points of a page


@dataclass(frozen=True, eq=False)
class PrecisionRecallCurve:
    """Points of the curve, from the highest score to the lowest, and its area.

    Attributes
    ----------
    positive : label
    thresholds : array of shape (g,)
        Falling; at each of them something is said to be positive.
    recall, precision : arrays of shape (g,)
    base : float
        Share of the positive rows: the precision of scores that know nothing.
    area : Interval
        Average precision (1) with its interval (2).
    """

    positive: Any
    thresholds: Floats
    recall: Floats
    precision: Floats
    base: float
    area: Interval

    @property
    def average_precision(self) -> float:
        """The area (1)."""
        return self.area.value

    def __str__(self) -> str:
        head = f"{self.area}; {self.base:.4g} by chance"
        return f"precision and recall for {label_text(self.positive)}: {head}"

    def plot(self, ax: Any = None) -> Any:
        """Draw the curve; return the axes.

        Parameters
        ----------
        ax : matplotlib axes, optional

        Returns
        -------
        matplotlib axes
        """
        import matplotlib.pyplot as plt

        ax = ax if ax is not None else plt.subplots()[1]
        ax.step(self.recall, self.precision, where="pre")
        ax.axhline(self.base, linestyle=":", color="grey")
        ax.set(xlabel="recall", ylabel="precision", ylim=(0, 1.02))
        ax.set(title=f"average precision {self.average_precision:.3f}")
        return ax

    def to_findings(self) -> dict[str, Any]:
        """Return the section `precision_recall` of a page: at most 200 points.

        Returns
        -------
        dict
        """
        moved = self.recall + np.linspace(0, 0.2, len(self.recall))
        at = spread_out(moved, MOST)
        return {
            "recall": plain(self.recall[at]),
            "precision": plain(self.precision[at]),
            "base": plain(self.base),
        }


def precision_recall_curve(
    y: Any,
    scores: Any,
    *,
    positive: Any = None,
    delta: float = 0.05,
    sample_weight: Any = None,
) -> PrecisionRecallCurve:
    """Return precision and recall of a score at every threshold, and the area.

    Parameters
    ----------
    y : array of shape (n,)
        Labels of rows that the model has not seen.
    scores : array of shape (n,) or (n, k)
        Large for rows that look positive.  Of several columns, in the order of the
        sorted labels, that of the positive class.
    positive : label, optional
        By default the larger one of two.
    delta : float, default=0.05
        How often the interval may miss.
    sample_weight : array of shape (n,), optional
        How much each row counts.

    Returns
    -------
    PrecisionRecallCurve

    Examples
    --------
    >>> from corollary.diagnostics import precision_recall_curve
    >>> found = precision_recall_curve([0, 1, 1, 1], [0.9, 0.8, 0.7, 0.6])
    >>> found.precision.round(2).tolist(), found.base
    ([0.0, 0.5, 0.67, 0.75], 0.75)
    >>> round(found.average_precision, 4)
    0.6389
    """
    who = "precision_recall_curve"
    delta = confidence(who, delta)
    found = threshold_counts(who, y, scores, positive, sample_weight)
    tp, fp = found.tp[-2::-1], found.fp[-2::-1]
    recall = tp / found.P
    seen = tp + fp > 0  # rows of weight 0 may stand alone at the top
    precision = np.divide(tp, tp + fp, out=np.ones_like(tp), where=seen)
    value = float(np.diff(recall, prepend=0.0) @ precision)  # (1)
    w = found.weights[found.positive]
    m = float(w.sum() ** 2 / (w @ w))
    return PrecisionRecallCurve(
        found.label,
        found.thresholds[-2::-1],
        recall,
        precision,
        found.P / (found.P + found.N),
        area(min(value, 1.0), m, delta),
    )


def area(value: float, m: float, delta: float) -> Interval:
    """Return (2); the exact binomial interval where every precision is 1."""
    if 0 < value < 1 - 1e-12:
        reach = -ndtri(delta / 2) / np.sqrt(m * value * (1 - value))
        low, high = expit(logit(value) - reach), expit(logit(value) + reach)
    else:
        k = value * m
        low, high = lower_risk(m, k, delta / 2), upper_risk(m, k, delta / 2)
    words = ("Rows are drawn independently within each class.",)
    name, by = "average precision", "Boyd, Eng and Page (2013)"
    ends = float(low), float(high)
    return Interval(name, value, *ends, delta, "asymptotic", words, by)
