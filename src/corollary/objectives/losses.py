"""Losses of a score, with their curvature and what they are calibrated to.

Also known as: surrogate loss, margin loss, contrast function, calibration table.

A loss of the margin u = y f, y in {-1, +1}, or of the residual r = f - y:

    margin    L(y, f) = phi(y f)      dL/df = y phi'(y f)   d2L/df2 = phi''(y f)     (1)
    residual  L(y, f) = rho(f - y)    dL/df = rho'(f - y)   d2L/df2 = rho''(f - y)   (2)

The 0-1 loss 1[y f <= 0] is a step, on which no gradient method moves; the others stand
in for it.  With eta = P(y = +1 | x), what a loss leads to is its population minimiser

    f*(eta) = argmin_f  eta L(+1, f) + (1 - eta) L(-1, f)                            (3)

and it is calibrated where sign f*(eta) = sign(2 eta - 1), Bayes' decision.  Every phi
that is convex with phi'(0) < 0 is; convexity is not necessary (sigmoid).  Where f* is
strictly increasing, its inverse turns a score into a probability:

    loss             phi(u) or rho(r)                  f*(eta)              eta(f)
    exponential      e^-u                              1/2 log(eta/(1-eta)) s(2 f)
    logistic         log(1 + e^-u)                     log(eta/(1-eta))     s(f)
    sigmoid          (1 + e^u)^-2                      log(eta/(1-eta))     s(f)
    hinge            max(0, 1 - u)                     sign(2 eta - 1)      none
    squared hinge    max(0, 1 - u)^2                   2 eta - 1            (1 + f)/2
    modified Huber   max(0, 1 - u)^2, -4u below -1     2 eta - 1            (1 + f)/2
    perceptron       max(0, -u)                        0: not calibrated    none
    squared          r^2/2                             2 eta - 1            (1 + f)/2
    absolute         |r|                               sign(2 eta - 1)      none
    quantile q       max(q(-r), (1-q) r)               sign(eta - 1 + q)    none
    Huber            r^2/2, delta|r| - delta^2/2 far   see (4)              see (4)
    eps-insensitive  max(0, |r| - eps)                 (1-eps) sign(2 eta - 1)  none
      squared        max(0, |r| - eps)^2               (1-eps)(2 eta - 1)   linear

with s(f) = 1/(1 + e^-f).  Huber's for eta >= 1/2, and by symmetry below:

    f* = 2 eta - 1 where 2 eta <= delta,  otherwise 1 - delta (1 - eta)/eta          (4)

The squared loss on y = +-1 is a margin loss too, (1 - u)^2/2; sigmoid is the Brier
score of s(f), also known as Savage's loss.  The natural logarithm's logistic loss does
not lie above the 0-1 loss (log 2 < 1 at u = 0); that of base 2 does.

Notation: L of `lipschitz` is the Lipschitz constant of dL/df, sup |d2L/df2|, and
infinite where the derivative jumps.
Course: S2-17, S1-32. References: Bartlett, Jordan and McAuliffe (2006); Huber (1964);
Masnadi-Shirazi and Vasconcelos (2008).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from corollary.core.arrays import Floats
from corollary.core.checks import check_finite_values
from corollary.core.errors import DataError, sentence
from corollary.objectives.class_losses import ClassLoss
from corollary.objectives.loss import Loss
from corollary.objectives.margin_losses import (
    Exponential,
    Hinge,
    Logistic,
    ModifiedHuber,
    Perceptron,
    Sigmoid,
    SquaredHinge,
)
from corollary.objectives.residual_losses import (
    Absolute,
    EpsilonInsensitive,
    Huber,
    Quantile,
    Squared,
    SquaredEpsilonInsensitive,
)

__all__ = [
    "LOSSES",
    "Absolute",
    "EpsilonInsensitive",
    "Exponential",
    "Hinge",
    "Huber",
    "Logistic",
    "Loss",
    "ModifiedHuber",
    "Perceptron",
    "Quantile",
    "Sigmoid",
    "Squared",
    "SquaredEpsilonInsensitive",
    "SquaredHinge",
    "risk",
    "zero_one",
]

#: The losses by the names that linear models give them.
LOSSES: dict[str, type[Loss]] = {
    "hinge": Hinge,
    "log_loss": Logistic,
    "modified_huber": ModifiedHuber,
    "squared_hinge": SquaredHinge,
    "perceptron": Perceptron,
    "exponential": Exponential,
    "sigmoid": Sigmoid,
    "squared_error": Squared,
    "absolute_error": Absolute,
    "huber": Huber,
    "quantile": Quantile,
    "epsilon_insensitive": EpsilonInsensitive,
    "squared_epsilon_insensitive": SquaredEpsilonInsensitive,
}


def zero_one(y: Any, f: Any) -> Floats:
    """Return the 0-1 loss 1[y f <= 0] of labels -1, +1 and scores.

    Also known as: 0-1 loss, misclassification loss.

    Parameters
    ----------
    y : array of shape (n,)
        Labels -1 and +1.
    f : array of shape (n,)
        Scores; 0 is on neither side, and counts as an error.

    Examples
    --------
    >>> zero_one([1, 1, -1], [2.0, 0.0, 3.0]).tolist()
    [0.0, 1.0, 1.0]
    """
    return (np.asarray(y, float) * np.asarray(f, float) <= 0).astype(float)


def risk(loss: Any, y: Any, f: Any, sample_weight: Any = None) -> float:
    """Return the empirical risk, the weighted mean of a loss.

    Parameters
    ----------
    loss : Loss, ClassLoss or function of (y, f)
        Such as `Hinge()`, or `zero_one` for the error rate; of several classes
        `ClassError()`, `OneHotSquared()` or `CrossEntropy()`.
    y, f : arrays of shape (n,)
        Labels -1 and +1 (margin losses) or numbers, and scores; for a `ClassLoss` the
        codes of the classes, and scores of shape (n, c).
    sample_weight : array of shape (n,), optional

    Examples
    --------
    >>> y, f = [1, 1, -1], [2.0, -1.0, -0.5]
    >>> round(risk(zero_one, y, f), 4), round(risk(Hinge(), y, f), 4)
    (0.3333, 0.8333)
    """
    if isinstance(loss, ClassLoss):
        return float(np.average(loss.value(y, f), weights=sample_weight))
    y, f = np.asarray(y, float), np.asarray(f, float)
    if y.shape != f.shape or y.ndim != 1 or not len(y):
        must = "y and f must be vectors of one length"
        raise DataError(sentence("risk", must, f"shapes {y.shape} and {f.shape}"))
    check_finite_values("risk", y, "y")
    check_finite_values("risk", f, "f")
    if (loss is zero_one or getattr(loss, "margin", False)) and (np.abs(y) != 1).any():
        strange = y[np.abs(y) != 1][0]
        must = "y must hold labels -1 and +1 for a loss of the margin"
        raise DataError(sentence("risk", must, f"{strange:g}"))
    values = loss.value(y, f) if isinstance(loss, Loss) else loss(y, f)
    return float(np.average(values, weights=sample_weight))
