"""The confusion matrix: which classes are mistaken for which.

Also known as: error matrix, most confused pairs, per-class recall and precision, macro
average, balanced accuracy.

M_ij is the number of rows of class i that are said to be j.  The diagonal is right;
what stands beside it says which classes are mistaken for others.  For each class

    recall_i = M_ii / sum_j M_ij,     precision_j = M_jj / sum_i M_ij                (1)
    F1_i = 2 M_ii / (sum_j M_ij + sum_j M_ji)                                        (2)

undefined where the sum is empty.  A macro average counts every class alike, however
rare it is; accuracy counts every row alike.  The recall of a class is a binomial share
of its rows, and has an exact interval.

Notation: M = matrix, actual x predicted.
Course: S4-71. Reference: Kohavi and Provost (1998).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from corollary.core.arrays import Floats, Vector
from corollary.core.checks import full_weights
from corollary.core.errors import ParameterError, sentence
from corollary.core.parameters import shown
from corollary.diagnostics.outcomes import (
    count_text,
    joint_labels,
    label_text,
    plain,
    ratio,
    whole_counts,
)
from corollary.theory.clopper_pearson import lower_risk, upper_risk
from corollary.theory.stated_numbers import confidence

__all__ = ["Confused", "Confusion", "confusion"]

FEW = 12  # classes whose whole matrix is printed
PAIRS = 20  # of a page


@dataclass(frozen=True)
class Confused:
    """Rows of one class that are taken for another.

    Attributes
    ----------
    actual, predicted : label
    count : float
        Rows, or their weight.
    share : float
        Of the rows of the actual class.
    """

    actual: Any
    predicted: Any
    count: float
    share: float

    def __str__(self) -> str:
        return (
            f"{label_text(self.actual)} taken for {label_text(self.predicted)}: "
            f"{count_text(self.count)} ({100 * self.share:.3g} % of "
            f"{label_text(self.actual)})"
        )


@dataclass(frozen=True, eq=False)
class Confusion:
    """What each class is taken for.

    Attributes
    ----------
    classes : array of shape (k,)
        Sorted labels of the actual and the predicted classes.
    matrix : array of shape (k, k)
        Rows, or their weight: actual x predicted.
    effective : array of shape (k,)
        Rows of each actual class that count as much as its weights.
    """

    classes: Vector
    matrix: Floats
    effective: Floats

    @property
    def recall(self) -> Floats:
        """Share of each class that is found (1), NaN for one that has no row."""
        return ratio(np.diagonal(self.matrix), self.matrix.sum(axis=1))

    @property
    def precision(self) -> Floats:
        """Share of right answers among those that name a class (1)."""
        return ratio(np.diagonal(self.matrix), self.matrix.sum(axis=0))

    @property
    def f1(self) -> Floats:
        """(2) of each class."""
        both = self.matrix.sum(axis=0) + self.matrix.sum(axis=1)
        return ratio(2 * np.diagonal(self.matrix), both)

    @property
    def accuracy(self) -> float:
        """Share of the rows on the diagonal."""
        return float(np.trace(self.matrix) / self.matrix.sum())

    @property
    def macro_recall(self) -> float:
        """Mean recall of the classes that have rows: balanced accuracy."""
        return float(np.nanmean(self.recall))

    @property
    def macro_precision(self) -> float:
        """Mean precision of the classes that have rows; 0 for one never named."""
        there = self.matrix.sum(axis=1) > 0
        return float(np.nan_to_num(self.precision[there]).mean())

    @property
    def macro_f1(self) -> float:
        """Mean F1 of the classes that have rows."""
        return float(np.nanmean(self.f1[self.matrix.sum(axis=1) > 0]))

    @property
    def baseline(self) -> float:
        """Accuracy of naming the largest class always."""
        return float(self.matrix.sum(axis=1).max() / self.matrix.sum())

    def recall_interval(self, delta: float = 0.05) -> Floats:
        """Return an exact binomial interval for the recall of each class, (k, 2).

        Parameters
        ----------
        delta : float, default=0.05
            How often each interval may miss.

        Returns
        -------
        array of shape (k, 2)
            0 and 1 for a class without rows.
        """
        delta = confidence("Confusion", delta)
        n = np.maximum(self.effective, 1e-12)
        k = np.nan_to_num(self.recall) * n
        low, high = lower_risk(n, k, delta / 2), upper_risk(n, k, delta / 2)
        none = self.effective <= 0
        return np.column_stack([np.where(none, 0, low), np.where(none, 1, high)])

    def pairs(self, most: int | None = None) -> tuple[Confused, ...]:
        """Return the pairs that are confused, the most rows first.

        Parameters
        ----------
        most : int, optional
            At most so many.

        Returns
        -------
        tuple of Confused
        """
        wrong = self.matrix - np.diag(np.diagonal(self.matrix))
        flat = wrong.ravel()
        order = np.argsort(-flat, kind="stable")
        order = order[: np.count_nonzero(flat > 0)][:most]
        share = ratio(wrong, self.matrix.sum(axis=1, keepdims=True))
        names = [plain(label) for label in self.classes]
        places = ((int(at) // len(names), int(at) % len(names)) for at in order)
        return tuple(
            Confused(names[i], names[j], float(wrong[i, j]), float(share[i, j]))
            for i, j in places
        )

    def __str__(self) -> str:
        head = (
            f"accuracy {self.accuracy:.4g} ({self.baseline:.4g} by the largest class)\n"
            f"macro recall {self.macro_recall:.4g}, precision "
            f"{self.macro_precision:.4g}, F1 {self.macro_f1:.4g}"
        )
        names = [label_text(label) for label in self.classes]
        lines = [head]
        if len(names) <= FEW:
            cells = [[count_text(x) for x in row] for row in self.matrix]
            wide = max(len(text) for row in [names, *cells] for text in row)
            wide = max(wide, len("actual"))
            lines += [" ".join(f"{t:>{wide}}" for t in ["actual", *names])]
            lines += [
                " ".join(f"{t:>{wide}}" for t in [name, *row])
                for name, row in zip(names, cells, strict=True)
            ]
        return "\n".join([*lines, *(str(pair) for pair in self.pairs(5))])

    def plot(self, ax: Any = None) -> Any:
        """Draw the share of each class that is taken for another; return the axes.

        Parameters
        ----------
        ax : matplotlib axes, optional

        Returns
        -------
        matplotlib axes
        """
        import matplotlib.pyplot as plt

        ax = ax if ax is not None else plt.subplots()[1]
        share = ratio(self.matrix, self.matrix.sum(axis=1, keepdims=True))
        ax.imshow(np.nan_to_num(share), cmap="Blues", vmin=0, vmax=1)
        names, at = [label_text(c) for c in self.classes], range(len(self.classes))
        ax.set_xticks(at, names)
        ax.set_yticks(at, names)
        if len(names) <= FEW:
            for i in at:
                for j in at:
                    color = "white" if share[i, j] > 0.5 else "black"
                    text = count_text(self.matrix[i, j])
                    ax.text(j, i, text, ha="center", va="center", color=color)
        title = f"accuracy {self.accuracy:.4g}"
        ax.set(xlabel="predicted", ylabel="actual", title=title)
        return ax

    def to_findings(self) -> dict[str, Any]:
        """Return the section `confusion` of a page.

        Returns
        -------
        dict
        """
        whole = whole_counts(self.matrix.ravel())
        k = len(self.classes)
        counts = [whole[i * k : (i + 1) * k] for i in range(k)]
        return {
            "classes": [label_text(label) for label in self.classes],
            "matrix": counts,
            "pairs": [
                {
                    "actual": label_text(pair.actual),
                    "predicted": label_text(pair.predicted),
                    "count": whole_counts(np.array([pair.count]))[0],
                    "share": pair.share,
                }
                for pair in self.pairs(PAIRS)
            ],
        }


def confusion(
    y: Any, predicted: Any, *, classes: Any = None, sample_weight: Any = None
) -> Confusion:
    """Count which classes are taken for which.

    Parameters
    ----------
    y : array of shape (n,)
        Labels of any kind.
    predicted : array of shape (n,)
        What the model says.
    classes : list of labels, optional
        The classes in the order of the matrix; by default all that occur, sorted.
    sample_weight : array of shape (n,), optional
        How much each row counts.

    Returns
    -------
    Confusion

    Examples
    --------
    >>> from corollary.diagnostics import confusion
    >>> found = confusion(["cat", "cat", "dog", "ant"], ["cat", "dog", "dog", "dog"])
    >>> print(found)
    accuracy 0.5 (0.5 by the largest class)
    macro recall 0.5, precision 0.4444, F1 0.3889
    actual    ant    cat    dog
       ant      0      0      1
       cat      0      1      1
       dog      0      0      1
    ant taken for dog: 1 (100 % of ant)
    cat taken for dog: 1 (50 % of cat)
    """
    who = "confusion"
    found, actual, said = joint_labels(who, y, predicted)
    w = full_weights(who, sample_weight, len(actual))
    if classes is not None:
        found, place = reordered(who, found, classes)
        actual, said = place[actual], place[said]
    k = len(found)
    matrix = np.bincount(actual * k + said, w, minlength=k * k).reshape(k, k)
    squares = np.bincount(actual, w * w, minlength=k)
    rows = np.nan_to_num(ratio(matrix.sum(axis=1) ** 2, squares))
    return Confusion(found, matrix.astype(np.float64), rows)


def reordered(who: str, found: Vector, classes: Any) -> tuple[Vector, Vector]:
    """Return the classes as asked for, and where each found one stands."""
    asked = np.asarray(classes)
    names = asked.tolist()
    absent = [label for label in found.tolist() if label not in names]
    if absent or asked.ndim != 1 or len(set(names)) != len(names):
        must = f"classes must name each of {shown(found.tolist())} once"
        raise ParameterError(sentence(who, must, shown(names)))
    return asked, np.array([names.index(label) for label in found.tolist()])
