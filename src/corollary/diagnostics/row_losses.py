"""The loss of each row: what a model says of it, against what is true.

Also known as: per-row loss, loss of each row.

    log_loss   -log P(y | x)         of probabilities                                (1)
    error      1 where the most probable class, or the label, is wrong, else 0       (2)
    brier      sum_c (P(c | x) - 1[y = c])^2                                         (3)
    squared    (f(x) - y)^2          of numbers                                      (4)
    absolute   |f(x) - y|                                                            (5)

Out-of-fold predictions make them honest: a row must not have been fitted to.

What the answers are is read from them: several columns are probabilities of the sorted
classes; texts and whole numbers are labels; numbers between 0 and 1 beside two classes
are probabilities of the larger one; other numbers are a regression.  `task` decides
where that would be wrong, such as counts that are predicted as whole numbers.

Notation: P = probabilities; f = predicted numbers.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from corollary.core.arrays import Floats, Vector
from corollary.core.errors import DataError, ParameterError, sentence
from corollary.core.parameters import shown
from corollary.diagnostics.outcomes import (
    class_probabilities,
    column_vector,
    joint_labels,
)
from corollary.selection.validation_loss import (
    absolute_losses,
    brier_losses,
    error_losses,
    log_losses,
    squared_losses,
)
from corollary.theory.stated_numbers import chosen, vector

__all__ = ["CLASS_LOSSES", "NUMBER_LOSSES", "RowLosses", "row_losses"]

WHO = "row_losses"
CLASS_LOSSES = ("log_loss", "error", "brier")
NUMBER_LOSSES = ("squared", "absolute")
FEW = 50  # whole numbers that are taken for labels at most


@dataclass(frozen=True, eq=False)
class RowLosses:
    """What a model says of each row, and what it loses by it.

    Attributes
    ----------
    task : {'classification', 'regression'}
    loss : str
        Which one of (1) to (5).
    losses : array of shape (n,)
    actual, predicted : arrays of shape (n,)
        Labels, or numbers.
    probability : array of shape (n,) or None
        That the predicted class is given; None for labels and numbers.
    """

    task: str
    loss: str
    losses: Floats
    actual: Vector
    predicted: Vector
    probability: Floats | None = None

    @property
    def mean(self) -> float:
        """The mean loss."""
        return float(self.losses.mean())

    def __len__(self) -> int:
        return len(self.losses)

    def __str__(self) -> str:
        name = self.loss.replace("_", " ")
        ends = f"{self.mean:.4g} on average, at most {float(self.losses.max()):.4g}"
        return f"{name} of {len(self):,} rows: {ends}"


def row_losses(
    y: Any,
    predicted: Any,
    *,
    loss: str | None = None,
    task: str | None = None,
    classes: Any = None,
) -> RowLosses:
    """Return the loss of each row.

    Parameters
    ----------
    y : array of shape (n,)
        Labels or numbers.
    predicted : array of shape (n,) or (n, k)
        Labels, numbers, or probabilities: of the larger of two labels, or of all.
    loss : {'log_loss', 'error', 'brier', 'squared', 'absolute'}, optional
        By default 'log_loss' of probabilities, 'error' of labels, 'squared' of numbers.
    task : {'classification', 'regression'}, optional
        By default as the answers suggest.
    classes : list of k labels, optional
        Of the columns of probabilities; by default the sorted labels in y.

    Returns
    -------
    RowLosses

    Examples
    --------
    >>> from corollary.diagnostics import row_losses
    >>> row_losses(["a", "b", "b"], [0.2, 0.9, 0.4]).losses.round(2).tolist()
    [0.22, 0.11, 0.92]
    >>> row_losses([1.5, 2.0], [1.0, 2.0]).losses.tolist()
    [0.25, 0.0]
    """
    y = column_vector(WHO, y)
    kind = kind_of_answers(y, predicted, task)
    names = NUMBER_LOSSES if kind == "numbers" else CLASS_LOSSES
    default = {"numbers": "squared", "labels": "error", "probabilities": "log_loss"}
    loss = default[kind] if loss is None else chosen(WHO, loss, "loss", names)
    if kind == "numbers":
        truth = vector(WHO, y, "y")
        said = vector(WHO, predicted, "predicted", len(truth))
        formula = squared_losses if loss == "squared" else absolute_losses
        return RowLosses("regression", loss, formula(truth, said), truth, said)
    if kind == "labels":
        if loss != "error":
            must = f"predicted must be probabilities for the loss {loss!r}"
            raise DataError(sentence(WHO, must, "labels"))
        labels, a, b = joint_labels(WHO, y, predicted)
        wrong = error_losses(a, b)
        return RowLosses("classification", loss, wrong, labels[a], labels[b])
    labels, codes, P = class_probabilities(WHO, y, predicted, classes)
    top, rows = P.argmax(axis=1), np.arange(len(P))
    losses = losses_of_probabilities(P, codes, top, loss)
    return RowLosses(
        "classification", loss, losses, labels[codes], labels[top], P[rows, top]
    )


def losses_of_probabilities(P: Floats, codes: Vector, top: Vector, loss: str) -> Floats:
    """Return (1), (2) or (3)."""
    if loss == "error":
        return error_losses(codes, top)
    return (log_losses if loss == "log_loss" else brier_losses)(codes, P)


def kind_of_answers(y: Vector, predicted: Any, task: str | None) -> str:
    """Return whether answers are "probabilities", "labels" or "numbers"."""
    if task is not None:
        chosen(WHO, task, "task", ("classification", "regression"))
    said = np.asarray(predicted)
    if task == "regression":
        return "numbers"
    if said.ndim == 2 and said.shape[1] > 1:
        return "probabilities"
    if said.ndim not in (1, 2) or not said.size:
        must = "predicted must hold one answer for each row, or one for each class"
        raise DataError(sentence(WHO, must, f"shape {said.shape}"))
    numeric = y.dtype.kind in "iuf"
    if said.dtype.kind != "f":
        whole = numeric and said.dtype.kind in "iu"
        if whole and task is None and (y != np.floor(y)).any():
            return "numbers"
        return "labels"
    fractions = bool((said != np.floor(said)).any())
    inside = bool((said >= 0).all() and (said <= 1).all())
    if not numeric:
        return "probabilities"
    if task is None and (y != np.floor(y)).any():
        return "numbers"
    values = np.unique(y)
    if len(values) <= 2 and inside and (fractions or not np.isin(said, values).all()):
        return "probabilities"
    labels = len(values) <= FEW and bool(np.isin(said, values).all())
    if labels or task == "classification":
        if fractions:
            must = "predicted must be labels, or probabilities of each class"
            raise ParameterError(sentence(WHO, must, shown(said.ravel()[:3].tolist())))
        return "labels"
    return "numbers"
