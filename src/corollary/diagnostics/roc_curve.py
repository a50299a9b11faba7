"""The ROC curve: which share of the positive rows is found for which share of alarms.

Also known as: receiver operating characteristic, area under the curve, AUC.
Related words: true positive rate, false positive rate, sensitivity, specificity.

As the threshold t falls from infinity, more rows are said to be positive.  The curve
goes through the points

    ( FPR(t), TPR(t) ),   TPR = TP / (TP + FN),   FPR = FP / (FP + TN)               (1)

rates both, not counts, so that it does not depend on how rare the positive class is.
Equal scores are passed in one step, by a straight line.  The area under the curve

    A = sum of trapezoids = Pr[positive row scores above another], ties half         (2)

is 1/2 for scores that know nothing; its interval is that of `theory.auc_interval`.

Notation: TPR is recall.
Course: S4-70. References: Fawcett (2006); DeLong, DeLong and Clarke-Pearson (1988).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from corollary.core.arrays import Floats
from corollary.diagnostics.outcomes import label_text, plain, spread_out
from corollary.diagnostics.threshold_counts import threshold_counts
from corollary.theory.auc_interval import auc_interval
from corollary.theory.interval import Interval
from corollary.theory.stated_numbers import confidence

__all__ = ["RocCurve", "roc_curve"]

MOST = 200  # points of a page


@dataclass(frozen=True, eq=False)
class RocCurve:
    """Points of the ROC curve, from no alarm to all of them, and its area.

    Attributes
    ----------
    positive : label
    thresholds : array of shape (g + 1,)
        Falling from infinity.
    false_positive_rate, true_positive_rate : arrays of shape (g + 1,)
        Rising from 0 to 1 (1).
    area : Interval
        The area (2) with its interval.
    """

    positive: Any
    thresholds: Floats
    false_positive_rate: Floats
    true_positive_rate: Floats
    area: Interval

    @property
    def auc(self) -> float:
        """The area under the curve (2)."""
        return self.area.value

    def __str__(self) -> str:
        points = f"{len(self.thresholds)} points for {label_text(self.positive)}"
        return f"ROC curve of {points}; {self.area}"

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
        ax.plot(self.false_positive_rate, self.true_positive_rate)
        ax.plot([0, 1], [0, 1], linestyle=":", color="grey")
        ends = f"{self.area.low:.3f} to {self.area.high:.3f}"
        ax.set(xlabel="false positive rate", ylabel="true positive rate")
        ax.set(title=f"area {self.auc:.3f} ({ends})")
        return ax

    def to_findings(self) -> dict[str, Any]:
        """Return the section `roc` of a page: at most 200 points.

        Returns
        -------
        dict
        """
        moved = self.false_positive_rate + self.true_positive_rate
        at = spread_out(moved, MOST)
        return {
            "false_positive_rate": plain(self.false_positive_rate[at]),
            "true_positive_rate": plain(self.true_positive_rate[at]),
            "auc": plain(self.auc),
            "auc_interval": plain([self.area.low, self.area.high]),
        }


def roc_curve(
    y: Any,
    scores: Any,
    *,
    positive: Any = None,
    delta: float = 0.05,
    sample_weight: Any = None,
) -> RocCurve:
    """Return the ROC curve of a score, and its area with an interval.

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
    RocCurve

    Examples
    --------
    >>> from corollary.diagnostics import roc_curve
    >>> found = roc_curve(["no", "no", "yes", "yes"], [0.1, 0.4, 0.35, 0.8])
    >>> found.false_positive_rate.tolist(), found.true_positive_rate.tolist()
    ([0.0, 0.0, 0.5, 0.5, 1.0], [0.0, 0.5, 0.5, 1.0, 1.0])
    >>> found.auc
    0.75
    """
    who = "roc_curve"
    delta = confidence(who, delta)
    found = threshold_counts(who, y, scores, positive, sample_weight)
    w = None if sample_weight is None else found.weights
    area = auc_interval(found.positive, found.scores, delta, sample_weight=w)
    return RocCurve(
        found.label,
        found.thresholds[::-1],
        np.ascontiguousarray(found.fp[::-1] / found.N),  # (1)
        np.ascontiguousarray(found.tp[::-1] / found.P),
        area,
    )
