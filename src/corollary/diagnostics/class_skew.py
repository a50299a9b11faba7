"""Skewed classes: what the largest class alone achieves, and what to do about it.

Also known as: class imbalance, majority baseline, rare classes, base rate.

Of n rows, n_c are of class c.  The answer that looks at nothing names the largest class
and gives every class its share:

    accuracy  max_c n_c / n,     log loss  -sum_c (n_c / n) log (n_c / n)            (1)
    balanced accuracy  1 / k     recall  0 of every other class                      (2)

A model is worth something where it beats these.  Where one class has almost all rows,
accuracy cannot tell: for a disease of one in a thousand, 99.9 % is no achievement.

Notation: k = classes.
Course: S4-70. References: He and Garcia (2009); Provost and Fawcett (2001).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from corollary.core.arrays import Floats, Vector
from corollary.core.checks import full_weights
from corollary.diagnostics.outcomes import (
    count_text,
    label_text,
    labels_of,
    plain,
    whole_counts,
)

__all__ = ["ClassSkew", "class_skew"]

SKEWED = 0.8  # share of the largest class from which accuracy says little
FEW = 30  # rows of a class with which little can be learned or judged


@dataclass(frozen=True, eq=False)
class ClassSkew:
    """How the rows are shared out among the classes.

    Attributes
    ----------
    classes : array of shape (k,)
        Sorted labels.
    counts : array of shape (k,)
        Rows, or their weight.
    """

    classes: Vector
    counts: Floats

    @property
    def shares(self) -> Floats:
        """Share of each class."""
        return self.counts / self.counts.sum()

    @property
    def majority(self) -> Any:
        """The largest class."""
        return plain(self.classes[int(self.counts.argmax())])

    @property
    def rarest(self) -> Any:
        """The smallest class."""
        return plain(self.classes[int(self.counts.argmin())])

    @property
    def baseline_accuracy(self) -> float:
        """Accuracy of naming the largest class always (1)."""
        return float(self.shares.max())

    @property
    def baseline_log_loss(self) -> float:
        """Log loss of giving each class its share (1)."""
        share = self.shares[self.shares > 0]
        return float(-(share * np.log(share)).sum())

    @property
    def ratio(self) -> float:
        """Rows of the largest class for one of the smallest."""
        least = float(self.counts.min())
        return float(self.counts.max()) / least if least > 0 else np.inf

    @property
    def skewed(self) -> bool:
        """Whether accuracy alone would mislead."""
        return len(self.classes) > 1 and self.ratio >= SKEWED / (1 - SKEWED)

    @property
    def advice(self) -> tuple[str, ...]:
        """What to do, in sentences."""
        if len(self.classes) == 1:
            return ("All rows are of one class: there is nothing to learn.",)
        found = []
        rare = label_text(self.rarest)
        if self.skewed:
            found.append(
                f"Judge by recall and precision of {rare}, by log loss or by the area "
                "under the precision-recall curve, not by accuracy."
            )
            found.append(
                "State what each error costs and choose the threshold by it, rather "
                "than copying or dropping rows; draw folds that keep the shares."
            )
        few = [
            f"{label_text(label)} ({count_text(n)})"
            for label, n in zip(self.classes, self.counts, strict=True)
            if n < FEW
        ]
        if few:
            names = ", ".join(few[:5]) + (" and others" if len(few) > 5 else "")
            found.append(
                f"Collect more rows of {names}, or join such classes: below {FEW} rows "
                "their recall is hardly known."
            )
        return tuple(found) or ("The classes are not skewed: accuracy is fair.",)

    def __str__(self) -> str:
        n = count_text(float(self.counts.sum()))
        k = len(self.classes)
        head = f"{n} rows of {k} class{'es' if k > 1 else ''}; always saying "
        base = f"{label_text(self.majority)} is right for "
        base += f"{100 * self.baseline_accuracy:.4g} %, and its recall of others is 0"
        order = np.argsort(-self.counts, kind="stable")[:10]
        lines = [
            f"  {label_text(self.classes[i])}: {count_text(self.counts[i])} "
            f"({100 * self.shares[i]:.3g} %)"
            for i in order
        ]
        return "\n".join([head + base, *lines, *self.advice])

    def plot(self, ax: Any = None) -> Any:
        """Draw the rows of each class; return the axes.

        Parameters
        ----------
        ax : matplotlib axes, optional

        Returns
        -------
        matplotlib axes
        """
        import matplotlib.pyplot as plt

        ax = ax if ax is not None else plt.subplots()[1]
        at = np.arange(len(self.classes))
        ax.bar(at, self.counts)
        ax.set_xticks(at, [label_text(label) for label in self.classes])
        ax.set(
            ylabel="rows", title=f"{100 * self.baseline_accuracy:.3g} % in one class"
        )
        return ax

    def to_findings(self) -> dict[str, Any]:
        """Return classes, counts, the baseline and the advice, plain.

        Returns
        -------
        dict
        """
        return {
            "classes": [label_text(label) for label in self.classes],
            "counts": whole_counts(self.counts),
            "majority": label_text(self.majority),
            "baseline_accuracy": self.baseline_accuracy,
            "baseline_log_loss": self.baseline_log_loss,
            "skewed": self.skewed,
            "advice": list(self.advice),
        }


def class_skew(y: Any, *, sample_weight: Any = None) -> ClassSkew:
    """Say what the largest class alone achieves, and what skewed classes ask for.

    Parameters
    ----------
    y : array of shape (n,)
        Labels of any kind.
    sample_weight : array of shape (n,), optional
        How much each row counts.

    Returns
    -------
    ClassSkew

    Examples
    --------
    >>> from corollary.diagnostics import class_skew
    >>> found = class_skew(["healthy"] * 999 + ["ill"])
    >>> found.baseline_accuracy, found.majority, found.skewed
    (0.999, 'healthy', True)
    """
    who = "class_skew"
    classes, codes = labels_of(who, y)
    w = full_weights(who, sample_weight, len(codes))
    counts = np.bincount(codes, w, minlength=len(classes)).astype(np.float64)
    return ClassSkew(classes, counts)
