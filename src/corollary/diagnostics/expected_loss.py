"""Loss and score as one interface over any learner.

Also known as: empirical risk, mean loss, total loss, loss function,
generalisation error estimate.

A learner is a score f(x) of a row, and a loss L(f(x), y) that is high where the score
is poor, 0 or low where it is good.  Over rows that were drawn like those to come,

    mean   R = (1/n) sum_i L_i,   L_i = L(f(x_i), y_i)                           (1)
    total  n R,    standard error  s = sd(L_i) / sqrt(n)                         (2)

(1) estimates the expected loss without bias if the rows were not fitted to.  What is
asked of the model follows from the loss:

    error, squared, absolute                   its predictions
    log, brier                                 its probabilities
    hinge, log_loss, perceptron, ...           its score of two classes, y = -1, +1
    multiclass_hinge                           its score of each class

and a loss may be any record of `corollary.objectives` or a function of (y, predicted).
So any two learners are compared by one number, and one learner by any loss.  Where a
loss lies above the 0-1 loss its mean bounds the error rate.

Notation: L_i = losses; R = mean.
Course: S3-111. References: Vapnik (1995), 1.2; Bartlett, Jordan and McAuliffe (2006).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import is_classifier

from corollary.core.arrays import Floats
from corollary.core.errors import ParameterError, sentence
from corollary.core.parameters import shown
from corollary.diagnostics.model_scores import scored
from corollary.objectives.class_losses import ClassLoss
from corollary.objectives.losses import LOSSES as SCORE_LOSSES
from corollary.objectives.losses import Loss as ScoreLoss
from corollary.objectives.multiclass_hinge import multiclass_hinge
from corollary.selection.validation_data import answers_of, given_rows
from corollary.selection.validation_loss import Loss, chosen_loss

__all__ = ["ExpectedLoss", "expected_loss"]

WHO = "expected_loss"
MULTICLASS = "multiclass_hinge"


@dataclass(frozen=True, eq=False)
class ExpectedLoss:
    """The mean of a loss over rows.

    Attributes
    ----------
    model, loss : str
        Class of the model, name of the loss.
    asked : {'predictions', 'probabilities', 'scores'}
        What the loss looks at.
    rows : int
    mean, total : float
        (1) and (2).
    standard_error : float
        Of the mean; NaN where the loss is one number for all rows, or there is one row.
    losses : array of shape (n,) or None
        L_i; None where the loss is one number for all rows.
    bounds_error : bool
        Whether the mean is at least the error rate, by theory.
    """

    model: str
    loss: str
    asked: str
    rows: int
    mean: float
    total: float
    standard_error: float
    losses: Floats | None
    bounds_error: bool

    def __float__(self) -> float:
        return self.mean

    def __str__(self) -> str:
        sure = "" if np.isnan(self.standard_error) else f" +- {self.standard_error:.2g}"
        text = f"{self.model}: {self.loss} {self.mean:.4g}{sure} a row"
        text += f" ({self.rows:,} rows, by its {self.asked})"
        return text + ("; the error rate is no larger" if self.bounds_error else "")


def expected_loss(
    model: Any, X: Any, y: Any, *, loss: Any = None, sample_weight: Any = None
) -> ExpectedLoss:
    """Return the mean loss of a fitted model on rows, (1).

    Parameters
    ----------
    model : fitted classifier, regressor or pipeline
    X : rows: array, sparse matrix, data frame or table
        That the model was not fitted to.
    y : array of shape (n,)
    loss : str, function or loss, optional
        'error', 'log', 'brier' for classifiers, 'squared', 'absolute' for regressors;
        'hinge', 'log_loss', 'perceptron', 'exponential', 'squared_error' and the others
        of `corollary.objectives` for scores of two classes, or numbers;
        'multiclass_hinge'; a `Loss` of `objectives` or of `selection`; or a function
        (y, predicted) -> loss of each row.  By default 'error' or 'squared'.
    sample_weight : array of shape (n,), optional
        Of the mean.

    Returns
    -------
    ExpectedLoss

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from corollary import GaussianNB
    >>> from corollary.diagnostics import expected_loss
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> model = GaussianNB().fit(X[::2], y[::2])
    >>> print(expected_loss(model, X[1::2], y[1::2]))
    GaussianNB: error 0.07042 +- 0.015 a row (284 rows, by its predictions)
    >>> expected_loss(model, X[1::2], y[1::2], loss="brier").mean < 0.14
    True
    """
    if not hasattr(model, "predict"):
        must = "model must be fitted, and offer predict"
        raise ParameterError(sentence(WHO, must, shown(model)))
    cost = _score_loss(loss)
    given = given_rows(WHO, model, X, y, sample_weight, least=1)
    name = type(model).__name__
    if cost is None:
        chosen = chosen_loss(WHO, loss, model)
        losses = answers_of(model, given).losses(WHO, chosen, given)
        return _summed(name, chosen.name, chosen.on, losses, given.w, given.n, False)
    if cost == MULTICLASS or isinstance(cost, ClassLoss):
        losses = _of_classes(cost, model, X, y)
        title = cost if isinstance(cost, str) else type(cost).__name__
        return _summed(name, title, "scores", losses, given.w, given.n, False)
    title = loss if isinstance(loss, str) else type(cost).__name__
    if not is_classifier(model):
        if cost.margin:
            must = f"loss {title!r} is one of labels: model must be a classifier"
            raise ParameterError(sentence(WHO, must, name))
        losses = cost.value(given.y, answers_of(model, given).predicted)
        return _summed(name, title, "predictions", losses, given.w, given.n, False)
    found = scored(WHO, model, X, y)
    if found.scores.ndim == 2:
        must = f"loss {title!r} is one of two classes"
        remedy = f"Use '{MULTICLASS}', 'log' or 'error'."
        came = f"{len(found.classes)} classes"
        raise ParameterError(sentence(WHO, must, came, remedy))
    losses = cost.value(found.signs, found.scores)
    bounds = cost.margin and cost.bounds_zero_one
    return _summed(name, title, "scores", losses, given.w, given.n, bounds)


def _score_loss(loss: Any) -> Any:
    """Return a loss of scores that is asked for, or None."""
    if isinstance(loss, ScoreLoss | ClassLoss) or loss == MULTICLASS:
        return loss
    if isinstance(loss, str) and loss in SCORE_LOSSES:
        return SCORE_LOSSES[loss]()
    if isinstance(loss, str | None | Loss) or callable(loss):
        return None
    must = "loss must be a name, a function or a loss"
    raise ParameterError(sentence(WHO, must, shown(loss)))


def _of_classes(cost: Any, model: Any, X: Any, y: Any) -> Floats:
    """Return losses of one score for each class; two classes have -f/2 and f/2."""
    found = scored(WHO, model, X, y)
    s = found.scores
    S = np.column_stack([-s / 2, s / 2]) if s.ndim == 1 else s
    if isinstance(cost, ClassLoss):
        return np.asarray(cost.value(found.codes, S))
    return np.asarray(multiclass_hinge(S, found.codes))


def _summed(
    model: str, loss: str, asked: str, losses: Any, w: Any, n: int, bounds: bool
) -> ExpectedLoss:
    if np.ndim(losses) == 0:
        mean = float(losses)
        return ExpectedLoss(model, loss, asked, n, mean, n * mean, np.nan, None, bounds)
    losses = np.asarray(losses, np.float64)
    weight = np.ones(n) if w is None else np.asarray(w, np.float64)
    mean = float(np.average(losses, weights=weight))
    spread = float(np.sqrt(np.average((losses - mean) ** 2, weights=weight)))
    size = float(weight.sum() ** 2 / (weight**2).sum())  # rows that weigh as much
    error = spread / np.sqrt(size - 1) if size > 1 else np.nan
    total = float(weight @ losses)
    return ExpectedLoss(model, loss, asked, n, mean, total, error, losses, bounds)
