"""Losses row by row: what a model is judged by.

A diagnosis compares models by the same rows, so every loss is a number for each row:

    error            1{y != f}                                                   (1)
    balanced_error   1{y != f} n / (K n_y):  every class counts the same         (2)
    brier            sum_k (p_k - 1{y = k})^2 / 2                                (3)
    log_loss         -log p_y                                                    (4)
    squared          (y - f)^2                                                   (5)
    absolute         |y - f|                                                     (6)

(3) and (4) judge probabilities, and both are least at the true ones; (3) is bounded,
so that one row cannot decide a comparison.  A function (y, predicted) -> losses is
taken too; for a classifier it is given classes.

A mean difference of two models has a standard error over rows, or over groups of rows
that belong together,

    se^2 = sum_g (sum_{i in g} (d_i - d))^2 / n^2                                (7)

Notation: f predicted; p probabilities; K classes; d_i difference of losses of row i.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import is_classifier
from sklearn.pipeline import Pipeline

from corollary.core.arrays import Floats, Vector
from corollary.core.errors import ParameterError, sentence
from corollary.selection.validation_loss import (
    absolute_losses,
    balanced_factors,
    brier_losses,
    error_losses,
    log_losses,
    squared_losses,
)

__all__ = ["JudgedLoss", "judged_loss", "mean_and_error"]

CLASSES = {
    "error": "share of errors",
    "balanced_error": "share of errors, every class counting the same",
    "brier": "Brier score",
    "log_loss": "log loss",
}
NUMBERS = {"squared": "mean squared error", "absolute": "mean absolute error"}
LEAST = 1e-6  # probability that (4) takes for 0
FAR = 1e100  # where numbers that are not finite are taken to be


@dataclass(frozen=True)
class JudgedLoss:
    """A loss of each row.

    Attributes
    ----------
    name, words : str
        Its name, and what its mean is called.
    reads : {'classes', 'probabilities', 'numbers'}
        What it judges.
    function : callable (y, predicted) -> losses, optional
        A loss of the user's.
    """

    name: str
    words: str
    reads: str
    function: Callable[[Any, Any], Any] | None = None

    def __call__(self, y: Vector, predicted: Any, labels: Vector | None) -> Floats:
        """Return the loss of each row.

        `predicted` are probabilities (n, K) in the order of `labels` where
        probabilities are judged, classes or numbers (n,) otherwise.
        """
        if self.function is not None:
            return np.asarray(self.function(y, predicted), dtype=np.float64)
        if self.name in NUMBERS:
            miss = np.asarray(y, dtype=np.float64) - np.asarray(predicted)
            miss = np.clip(np.nan_to_num(miss, nan=FAR), -FAR, FAR)
            formula = squared_losses if self.name == "squared" else absolute_losses
            return formula(miss, 0.0)  # (5), (6)
        if self.reads == "probabilities":
            return of_probabilities(self.name, y, predicted, np.asarray(labels))
        return error_losses(y, predicted)  # (1)


def of_probabilities(name: str, y: Vector, p: Any, labels: Vector) -> Floats:
    """Return (3) or (4)."""
    p = np.nan_to_num(np.asarray(p, dtype=np.float64), nan=1 / len(labels))
    codes = np.searchsorted(labels, y)
    if name == "log_loss":
        return log_losses(codes, np.maximum(p, LEAST))
    return brier_losses(codes, p) / 2


def balanced_error(y: Vector) -> Callable[[Any, Any], Floats]:
    """Return (2) as a function, with the counts of the classes in y."""
    labels, codes = np.unique(y, return_inverse=True)
    factors = balanced_factors(codes, len(labels))

    def losses(given: Any, predicted: Any) -> Floats:
        at = np.minimum(np.searchsorted(labels, given), len(labels) - 1)
        return factors[at] * error_losses(given, predicted)

    return losses


def judged_loss(loss: Any, model: Any, y: Vector) -> JudgedLoss:
    """Return the loss by which to judge a model.

    Parameters
    ----------
    loss : str, function or None
        None: (3) for classifiers with probabilities, (1) for others, (5) for
        regressors.
    model : classifier or regressor
    y : array of shape (n,)
        The targets, whose classes (2) counts.
    """
    allowed = CLASSES if is_classifier(model) else NUMBERS
    reads = "classes" if is_classifier(model) else "numbers"
    if callable(loss):
        name = getattr(loss, "__name__", "loss")
        return JudgedLoss(name, f"mean {name.replace('_', ' ')}", reads, loss)
    if loss is None:
        loss = "squared"
        if is_classifier(model):
            loss = "brier" if has_probabilities(model) else "error"
    if not isinstance(loss, str) or loss not in allowed:
        must = f"loss must be one of {', '.join(allowed)}, or a function"
        raise ParameterError(sentence("diagnose", must, f"{loss!r}"))
    if loss in ("brier", "log_loss"):
        if not has_probabilities(model):
            must = f"loss={loss!r} needs a model with predict_proba"
            remedy = "Use loss='error'."
            raise ParameterError(
                sentence("diagnose", must, type(last(model)).__name__, remedy)
            )
        reads = "probabilities"
    function = balanced_error(y) if loss == "balanced_error" else None
    return JudgedLoss(loss, allowed[loss], reads, function)


def has_probabilities(model: Any) -> bool:
    """Tell whether a classifier has probabilities, fitted or not."""
    return hasattr(model, "predict_proba")


def last(model: Any) -> Any:
    """Return the last step of a pipeline, a model itself."""
    return model.steps[-1][1] if isinstance(model, Pipeline) else model


def mean_and_error(
    values: Floats, weights: Floats | None = None, groups: Any = None
) -> tuple[float, float]:
    """Return a weighted mean over rows and its standard error (7); NaN are left out.

    >>> mean, error = mean_and_error(np.array([0.0, 1.0, 0.0, 1.0, np.nan]))
    >>> float(mean), round(float(error), 4)
    (0.5, 0.2887)
    """
    there = np.isfinite(values)
    d = values[there]
    w = np.ones(len(d)) if weights is None else weights[there]
    total = w.sum()
    if len(d) == 0 or total <= 0:
        return np.nan, np.nan
    mean = float(w @ d / total)
    parts = w * (d - mean)
    if groups is not None:
        codes = np.unique(np.asarray(groups)[there], return_inverse=True)[1]
        parts = np.bincount(codes, weights=parts)
    k = len(parts)
    correction = k / (k - 1) if k > 1 else 1.0
    return mean, float(np.sqrt((parts**2).sum() * correction) / total)
