"""The loss of a row: what an error estimate is the mean of.

This is the one place of the formulas; error estimates, diagnoses and the workbench add
what each of them asks for.

    error      1 where the predicted class is wrong                              (1)
    squared    (y - y^)^2, summed over the targets of a row                      (2)
    absolute   |y - y^|, likewise                                                (3)
    log        -ln p(y | x), the probability cut off at 1e-15                    (4)
    brier      sum_k (p(k | x) - 1[y = k])^2                                     (5)
    balanced   n / (K n_y) where the class is wrong: every class counts the same (6)

A function may take their place: of targets and predictions, or of the numbers of the
classes and a matrix of probabilities.  It returns a loss for each row, or one number
for all of them, such as 1 - AUC, which has no loss of a row.

Notation: y^ = predictions; p(k | x) = probabilities, a column for each class; n_y rows
of the class y, of K classes.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import is_classifier

from corollary.core.arrays import Floats, Vector
from corollary.core.errors import DataError, ParameterError, sentence
from corollary.core.parameters import shown
from corollary.core.records import readable

__all__ = [
    "LOSSES",
    "Loss",
    "absolute_losses",
    "balanced_factors",
    "brier_losses",
    "chosen_loss",
    "error_losses",
    "log_losses",
    "losses_of",
    "squared_losses",
]

LEAST = 1e-15  # probability that is looked at by (4)


@readable
@dataclass(frozen=True)
class Loss:
    """A loss by name: a function, and what of a model it looks at.

    Attributes
    ----------
    name : str
    function : callable
        ``f(y, predictions)``, or ``f(codes, probabilities)`` where codes number the
        sorted classes.  Returns an array of shape (n,), or one number.
    on : {'predictions', 'probabilities'}
        What the function is given.

    Examples
    --------
    >>> from sklearn.metrics import roc_auc_score
    >>> from corollary.selection import Loss
    >>> def unranked(codes, P):
    ...     return 1 - roc_auc_score(codes, P[:, 1])
    >>> print(Loss("1 - AUC", unranked, on="probabilities"))
    Loss
      name      1 - AUC
      function  unranked
      on        probabilities
    """

    name: str
    function: Callable[[Any, Any], Any]
    on: str = "predictions"

    def __post_init__(self) -> None:
        if self.on not in ("predictions", "probabilities"):
            must = "on must be 'predictions' or 'probabilities'"
            raise ParameterError(sentence(self, must, shown(self.on)))


def error_losses(y: Any, predicted: Any) -> Floats:
    """Return 1 where the predicted class is wrong, else 0 (1)."""
    return (np.asarray(predicted) != y).astype(np.float64)


def squared_losses(y: Any, predicted: Any) -> Floats:
    """Return squared errors, summed over the targets of a row (2)."""
    return _over_targets((np.asarray(y) - predicted) ** 2)


def absolute_losses(y: Any, predicted: Any) -> Floats:
    """Return absolute errors, summed over the targets of a row (3)."""
    return _over_targets(np.abs(np.asarray(y) - predicted))


def _over_targets(errors: Floats) -> Floats:
    return errors if errors.ndim == 1 else errors.sum(axis=1)


def log_losses(codes: Vector, P: Floats) -> Floats:
    """Return -log p of the class that came true (4)."""
    return -np.log(np.maximum(P[np.arange(len(P)), codes], LEAST))  # (4)


def brier_losses(codes: Vector, P: Floats) -> Floats:
    """Return the squared distance of probabilities to what came true (5)."""
    return ((P - np.eye(P.shape[1])[codes]) ** 2).sum(axis=1)  # (5)


def balanced_factors(codes: Vector, K: int) -> Floats:
    """Return n / (K n_y) for each class, by which (1) becomes (6); K are present.

    >>> balanced_factors(np.array([0, 0, 0, 2]), 3).round(3).tolist()
    [0.667, 2.0, 2.0]
    """
    counts = np.bincount(codes, minlength=K)
    return len(codes) / (np.count_nonzero(counts) * np.maximum(counts, 1))


LOSSES = {
    "error": Loss("error", error_losses),
    "squared": Loss("squared", squared_losses),
    "absolute": Loss("absolute", absolute_losses),
    "log": Loss("log", log_losses, "probabilities"),
    "brier": Loss("brier", brier_losses, "probabilities"),
}
OF_CLASSES = ("error", "log", "brier")


def chosen_loss(who: str, loss: Any, model: Any) -> Loss:
    """Return a loss by its name, as a function, or the usual one of a model.

    In place of the model, whether it is a classifier.
    """
    classifier = model if isinstance(model, bool) else is_classifier(model)
    if loss is None:
        return LOSSES["error" if classifier else "squared"]
    if isinstance(loss, Loss):
        return loss
    if callable(loss):
        return Loss(getattr(loss, "__name__", type(loss).__name__), loss)
    names = OF_CLASSES if classifier else ("squared", "absolute")
    if not isinstance(loss, str) or loss not in names:
        kind = "classifier" if classifier else "regressor"
        must = f"loss must be a function or one of {', '.join(map(repr, names))}"
        raise ParameterError(sentence(who, f"{must} for a {kind}", shown(loss)))
    return LOSSES[loss]


def losses_of(who: str, loss: Loss, y: Vector, answers: Any) -> Any:
    """Return the loss of each row, (n,), or one number for all; refuse what is none."""
    found = np.asarray(loss.function(y, answers), dtype=np.float64)
    if found.ndim and found.shape != (len(y),):
        must = f"loss must return {len(y)} numbers, one for each row, or a single one"
        raise DataError(sentence(who, must, f"shape {found.shape}"))
    if np.isnan(found).any():
        raise DataError(sentence(who, f"loss {loss.name!r} must be a number", "NaN"))
    return found if found.ndim else float(found)
