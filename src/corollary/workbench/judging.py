"""What a model is judged by: a loss for each row, and the score made of it.

Every score here is a function of a mean loss over rows,

    score = g( (1/n) sum_i loss(y_i, f_i) )                                        (1)

so that one vector of losses serves comparison, error bars, slices and learning curves:

    log loss    loss = -log p(y)          g(m) = m
    accuracy    loss = 1{decided != y}    g(m) = 1 - m
    balanced    loss = n / (K n_y) 1{decided != y}     g(m) = 1 - m
    rmse        loss = (y - f)^2          g(m) = sqrt(m)
    r2          loss = (y - f)^2          g(m) = 1 - m / var(y)
    mae         loss = |y - f|            g(m) = m

The standard error of a score follows by the delta method, s.e. = |g'(m)| s / sqrt(n).
Models are compared by the mean of paired differences of losses, whose error is far
smaller than that of either.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from corollary.core.arrays import Floats, Vector
from corollary.core.errors import ParameterError, sentence
from corollary.selection.validation_loss import (
    absolute_losses,
    balanced_factors,
    error_losses,
    log_losses,
    squared_losses,
)

__all__ = ["METRICS", "Metric", "decided", "metric_named"]


@dataclass(frozen=True)
class Metric:
    """A score made of the mean loss of rows (1).

    Attributes
    ----------
    name : str
    task : {'classification', 'regression'}
    greater_is_better : bool
    words : str
        What the number is, for people who do not know its name.
    score : callable
        g of (1): of the mean loss, and of the variance of the targets.
    slope : callable
        The derivative of g, of the same two.
    """

    name: str
    task: str
    greater_is_better: bool
    words: str
    score: Callable[[float, float], float]
    slope: Callable[[float, float], float]

    def losses(self, y: Vector, answers: Floats) -> Floats:
        """Return the loss of each row (1).

        Parameters
        ----------
        y : array of shape (n,)
            Codes of classes 0 ... K - 1, or targets.
        answers : array of shape (n, K) or (n,)
            Probabilities, or predictions.
        """
        if self.task == "regression":
            formula = absolute_losses if self.name == "mae" else squared_losses
            return formula(y, answers)
        if self.name == "log loss":
            return log_losses(y, answers)
        wrong = error_losses(y, answers.argmax(axis=1))
        if self.name == "accuracy":
            return wrong
        return wrong * balanced_factors(y, answers.shape[1])[y]

    def of(self, losses: Floats, spread: float = 1.0) -> float:
        """Return the score of these losses."""
        return float(self.score(float(np.mean(losses)), spread))

    def error(self, losses: Floats, spread: float = 1.0) -> float:
        """Return its standard error, by the delta method."""
        if len(losses) < 2:
            return float("nan")
        mean, deviation = float(np.mean(losses)), float(np.std(losses, ddof=1))
        return abs(self.slope(mean, spread)) * deviation / np.sqrt(len(losses))

    def at(self, mean_loss: float, spread: float = 1.0) -> float:
        """Return the score at a mean loss."""
        return float(self.score(max(mean_loss, 0.0), spread))


METRICS = {
    one.name: one
    for one in (
        Metric(
            "log loss",
            "classification",
            False,
            "the mean of -log p, where p is the probability given to what happened",
            lambda m, s: m,
            lambda m, s: 1.0,
        ),
        Metric(
            "accuracy",
            "classification",
            True,
            "the share of rows that are decided rightly",
            lambda m, s: 1.0 - m,
            lambda m, s: -1.0,
        ),
        Metric(
            "balanced accuracy",
            "classification",
            True,
            "the share of rows that are decided rightly, each class counting the same",
            lambda m, s: 1.0 - m,
            lambda m, s: -1.0,
        ),
        Metric(
            "rmse",
            "regression",
            False,
            "the root of the mean squared error, in units of the target",
            lambda m, s: float(np.sqrt(m)),
            lambda m, s: 0.5 / max(float(np.sqrt(m)), 1e-300),
        ),
        Metric(
            "r2",
            "regression",
            True,
            "the share of the target's variance that is explained",
            lambda m, s: 1.0 - m / s if s > 0 else float("nan"),
            lambda m, s: -1.0 / s if s > 0 else float("nan"),
        ),
        Metric(
            "mae",
            "regression",
            False,
            "the mean absolute error, in units of the target",
            lambda m, s: m,
            lambda m, s: 1.0,
        ),
    )
}
DEFAULTS = {"classification": "log loss", "regression": "rmse"}


def metric_named(name: str | None, task: str) -> Metric:
    """Return the metric of a name, or the one that a task has by default.

    >>> metric_named(None, "regression").name
    'rmse'
    """
    if name is None:
        return METRICS[DEFAULTS[task]]
    known = [one for one in METRICS if METRICS[one].task == task]
    found = name.strip().lower().replace("_", " ").replace("-", " ")
    if found not in known:
        must = f"metric must be one of {', '.join(known)} for {task}"
        raise ParameterError(sentence("workbench", must, f"{name!r}"))
    return METRICS[found]


def decided(answers: Floats, classes: Vector) -> Vector:
    """Return the most probable class of each row of probabilities (n, K)."""
    return np.asarray(classes)[np.argmax(answers, axis=1)]
