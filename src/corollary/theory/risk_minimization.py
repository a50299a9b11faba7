"""Risk, empirical risk, and the hypothesis that minimises the latter.

Also known as: ERM, empirical risk minimisation, training error, generalisation error,
true error, consistent learner, Opt(C).

    R(h)      = E loss(h(x), y)                       risk                       (1)
    R_m(h)    = (1/m) sum_i loss(h(x_i), y_i)         empirical risk             (2)
    Opt(C)    = min_{h in C} R(h)                                                (3)
    ERM       = argmin_{h in C} R_m(h)                ties: the first            (4)

(1) is exact where x and y take finitely many values of known probability, as (2) with
these probabilities as weights.  Where a class is listed, (4) is a look at each; for
most infinite ones it is NP-hard, and logistic regression or a support vector machine
minimise a convex loss above the errors instead.  With epsilon of `uniform_deviation`

    R(ERM) <= R_m(ERM) + epsilon   and   R(ERM) <= Opt(C) + 2 epsilon            (5)

hold with probability 1 - delta.  A hypothesis that is chosen because it makes no error
(*consistent*) has by `realizable_bound`

    R(h) <= ln(k / delta) / m                                                    (6)

Losses: 0/1 "error"; for y = -1, +1, "half_absolute" |h - y| / 2 is the same number,
"half_squared" (h - y)^2 / 2 counts 2 for each error.

Notation: k hypotheses in the class C; m rows.
Course: S0-52, S1-43, S4-52. References: Vapnik (1998), ch. 1; Valiant (1984).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from corollary.core.arrays import Floats, Vector
from corollary.core.checks import full_weights
from corollary.core.errors import DataError, ParameterError, sentence
from corollary.core.parameters import shown
from corollary.core.vectors import numbers, probabilities
from corollary.theory.bound import Bound
from corollary.theory.calculator import in_interval
from corollary.theory.pac import realizable_bound, uniform_deviation

__all__ = [
    "Consistent",
    "EmpiricalMinimum",
    "consistent_hypothesis",
    "empirical_risk",
    "least_risk",
    "minimize_empirical_risk",
    "risk",
]

Loss = Callable[[Any, Any], Any]
INDEPENDENT = "Rows are drawn independently from one distribution."
LISTED = "The class was listed before the rows were seen."
BOUNDED = "Losses are between 0 and 1."


def _error(h: Vector, y: Vector) -> Floats:
    return (h != y).astype(np.float64)


def _half_absolute(h: Vector, y: Vector) -> Floats:
    return np.abs(h - y) / 2


def _half_squared(h: Vector, y: Vector) -> Floats:
    return (h - y) ** 2 / 2


LOSSES: dict[str, Loss] = {
    "error": _error,
    "half_absolute": _half_absolute,
    "half_squared": _half_squared,
}


@dataclass(frozen=True)
class EmpiricalMinimum:
    """The hypothesis with the least empirical risk, and what follows for its risk.

    Attributes
    ----------
    index : int
        Its place in the list (4).
    hypothesis : object
    risks : array of shape (k,)
        Empirical risk of every hypothesis.
    epsilon : float
        No empirical risk is farther from the risk than this.
    bound : Bound
        On the risk of the hypothesis (5).
    """

    index: int
    hypothesis: Any
    risks: Floats
    epsilon: float
    bound: Bound

    @property
    def empirical_risk(self) -> float:
        """The least empirical risk."""
        return float(self.risks[self.index])

    @property
    def regret(self) -> float:
        """The risk is at most Opt(C) plus this (5)."""
        return 2 * self.epsilon

    def __str__(self) -> str:
        return (
            f"hypothesis {self.index} of {len(self.risks)}: empirical risk "
            f"{self.empirical_risk:.4g}\n  {self.bound}\n  risk <= Opt(C) + "
            f"{self.regret:.4g} with the same confidence"
        )


@dataclass(frozen=True)
class Consistent:
    """A hypothesis without an error on the rows, and what follows for its risk.

    Attributes
    ----------
    index : int
        Its place in the list: the first of the consistent ones.
    hypothesis : object
    count : int
        How many hypotheses make no error.
    bound : Bound
        On the risk of any of them (6).
    """

    index: int
    hypothesis: Any
    count: int
    bound: Bound

    def __str__(self) -> str:
        return (
            f"hypothesis {self.index}, the first of {self.count} that make no error"
            f"\n  {self.bound}"
        )


def empirical_risk(
    hypothesis: Any, X: Any, y: Any, *, loss: Any = "error", sample_weight: Any = None
) -> float:
    """Return the mean loss of a hypothesis on rows (2).

    Also known as: training error.

    Parameters
    ----------
    hypothesis : function of X, or fitted model
    X : array of shape (m, ...)
    y : array of shape (m,)
    loss : {"error", "half_absolute", "half_squared"} or function (h, y) -> losses
    sample_weight : array of shape (m,), optional
        How often each row counts.

    Returns
    -------
    float

    Examples
    --------
    >>> from corollary.theory import empirical_risk
    >>> empirical_risk(lambda x: x > 2, [1, 2, 3, 4], [0, 1, 1, 1])
    0.25
    """
    who = "empirical_risk"
    X, y = _rows(who, X, y)
    w = full_weights(who, sample_weight, len(y))
    return float(w @ _losses(who, hypothesis, X, y, loss) / w.sum())


def risk(
    hypothesis: Any, X: Any, y: Any, probability: Any, *, loss: Any = "error"
) -> float:
    """Return the expected loss under a distribution of finitely many rows (1).

    Also known as: true error, generalisation error.

    Parameters
    ----------
    hypothesis : function of X, or fitted model
    X : array of shape (v, ...)
        Every value that rows may take, with each label.
    y : array of shape (v,)
    probability : array of shape (v,)
        Of each value with its label; they add up to 1.
    loss : {"error", "half_absolute", "half_squared"} or function (h, y) -> losses

    Returns
    -------
    float

    Examples
    --------
    >>> from corollary.theory import risk
    >>> risk(lambda x: x > 2, [1, 2, 3, 4], [0, 1, 1, 1], [0.5, 0.125, 0.125, 0.25])
    0.125
    """
    who = "risk"
    X, y = _rows(who, X, y)
    p = probabilities(who, probability, "probability", len(y))
    return float(p @ _losses(who, hypothesis, X, y, loss))


def least_risk(
    hypotheses: Sequence[Any], X: Any, y: Any, probability: Any, *, loss: Any = "error"
) -> float:
    """Return the least risk in a class that is listed, Opt(C) (3).

    Parameters
    ----------
    hypotheses : sequence of functions of X, or of fitted models
    X : array of shape (v, ...)
        Every value that rows may take, with each label.
    y : array of shape (v,)
    probability : array of shape (v,)
        Of each value with its label; they add up to 1.
    loss : {"error", "half_absolute", "half_squared"} or function (h, y) -> losses

    Returns
    -------
    float

    Examples
    --------
    >>> from corollary.theory import least_risk
    >>> steps = [lambda x, t=t: x > t for t in range(4)]
    >>> least_risk(steps, [1, 2, 3, 4], [0, 1, 1, 0], [0.25] * 4)
    0.25
    """
    _listed("least_risk", hypotheses)
    return min(risk(h, X, y, probability, loss=loss) for h in hypotheses)


def minimize_empirical_risk(
    hypotheses: Sequence[Any],
    X: Any,
    y: Any,
    *,
    delta: float = 0.05,
    loss: Any = "error",
) -> EmpiricalMinimum:
    """Choose from a list the hypothesis with the least empirical risk (4), (5).

    Also known as: ERM, empirical risk minimisation, ERM over a finite class.

    Parameters
    ----------
    hypotheses : sequence of functions of X, or of fitted models
        Listed before the rows were seen.
    X : array of shape (m, ...)
    y : array of shape (m,)
    delta : float in (0, 1), default=0.05
        How often the bound may fail.
    loss : {"error", "half_absolute", "half_squared"} or function (h, y) -> losses
        Between 0 and 1 on these rows, or the bound means nothing.

    Returns
    -------
    EmpiricalMinimum

    Examples
    --------
    >>> import numpy as np
    >>> from corollary.theory import minimize_empirical_risk
    >>> x = np.arange(100)
    >>> steps = [lambda x, t=t: x >= t for t in range(0, 101, 10)]
    >>> print(minimize_empirical_risk(steps, x, x >= 42))
    hypothesis 4 of 11: empirical risk 0.02
      empirical risk minimisation: risk <= 0.1945 with confidence 0.95
      risk <= Opt(C) + 0.3489 with the same confidence
    """
    who = "minimize_empirical_risk"
    table = _table(who, hypotheses, X, y, delta, loss)
    if table.min() < 0 or table.max() > 1:
        must = "losses must be between 0 and 1"
        came = f"{table.max() if table.max() > 1 else table.min():g}"
        remedy = "Divide the loss by the largest there is."
        raise DataError(sentence(who, must, came, remedy))
    risks = table.mean(axis=1)
    best = int(risks.argmin())
    k, m = table.shape
    epsilon = uniform_deviation(m=m, delta=delta, hypotheses=k)
    bound = Bound(
        "empirical risk minimisation",
        float(risks[best]) + epsilon,
        delta,
        (INDEPENDENT, LISTED, BOUNDED),
        "Hoeffding (1963) and the union bound",
    )
    return EmpiricalMinimum(best, hypotheses[best], risks, epsilon, bound)


def consistent_hypothesis(
    hypotheses: Sequence[Any], X: Any, y: Any, *, delta: float = 0.05
) -> Consistent:
    """Choose from a list a hypothesis that makes no error on the rows (6).

    Also known as: consistent learner, version space.

    Parameters
    ----------
    hypotheses : sequence of functions of X, or of fitted models
        Listed before the rows were seen.
    X : array of shape (m, ...)
    y : array of shape (m,)
    delta : float in (0, 1), default=0.05
        How often the bound may fail.

    Returns
    -------
    Consistent

    Examples
    --------
    >>> import numpy as np
    >>> from corollary.theory import consistent_hypothesis
    >>> x = np.arange(100)
    >>> steps = [lambda x, t=t: x >= t for t in range(0, 101, 10)]
    >>> print(consistent_hypothesis(steps, x, x >= 40))
    hypothesis 4, the first of 1 that make no error
      consistent hypothesis: risk <= 0.05394 with confidence 0.95
    """
    who = "consistent_hypothesis"
    table = _table(who, hypotheses, X, y, delta, "error")
    perfect = np.flatnonzero(~table.any(axis=1))
    if not len(perfect):
        must = "some hypothesis must make no error on the rows"
        came = f"{int(table.sum(axis=1).min())} errors of the best"
        remedy = "Use minimize_empirical_risk."
        raise DataError(sentence(who, must, came, remedy))
    k, m = table.shape
    bound = Bound(
        "consistent hypothesis",
        realizable_bound(m=m, delta=delta, hypotheses=k),
        delta,
        (INDEPENDENT, LISTED, "Some hypothesis of the class makes no error at all."),
        "Blumer, Ehrenfeucht, Haussler, Warmuth (1987)",
    )
    first = int(perfect[0])
    return Consistent(first, hypotheses[first], len(perfect), bound)


# -- losses ----------------------------------------------------------------------------
def _table(
    who: str, hypotheses: Sequence[Any], X: Any, y: Any, delta: Any, loss: Any
) -> Floats:
    """Return the losses (k, m) of every hypothesis on every row."""
    in_interval(who, "delta", delta, 0.0, 1.0)
    X, y = _rows(who, X, y)
    _listed(who, hypotheses)
    return np.stack([_losses(who, h, X, y, loss) for h in hypotheses])


def _listed(who: str, hypotheses: Any) -> None:
    if not isinstance(hypotheses, Sequence) or not len(hypotheses):
        must = "hypotheses must be a list that is not empty"
        raise ParameterError(sentence(who, must, shown(hypotheses)))


def _losses(who: str, hypothesis: Any, X: Any, y: Vector, loss: Any) -> Floats:
    """Return the loss of a hypothesis on every row."""
    predict = getattr(hypothesis, "predict", hypothesis)
    if not callable(predict):
        must = "a hypothesis must be a function or a fitted model"
        raise ParameterError(sentence(who, must, shown(hypothesis)))
    cost = LOSSES.get(loss, loss) if isinstance(loss, str) else loss
    if not callable(cost):
        must = f"loss must be a function or one of {', '.join(LOSSES)}"
        raise ParameterError(sentence(who, must, shown(loss)))
    h = np.asarray(predict(X))
    if h.shape != y.shape:
        must = f"a hypothesis must give one label for each of {len(y)} rows"
        raise DataError(sentence(who, must, f"shape {h.shape}"))
    if cost is not _error and "b" in (h.dtype.kind, y.dtype.kind):
        h, y = h.astype(np.float64), y.astype(np.float64)
    losses = numbers(who, cost(h, y), "losses")
    if losses.shape != y.shape:
        must = f"loss must give one number for each of {len(y)} rows"
        raise DataError(sentence(who, must, f"shape {losses.shape}"))
    return losses


def _rows(who: str, X: Any, y: Any) -> tuple[Any, Vector]:
    X, y = np.asarray(X), np.asarray(y)
    if y.ndim != 1 or not len(y) or X.shape[:1] != y.shape:
        must = "X must have one row for each of the labels y"
        raise DataError(sentence(who, must, f"shapes {X.shape} and {y.shape}"))
    return X, y
