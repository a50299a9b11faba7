"""Whether the optimiser of a model is at fault, or its objective.

Also known as: algorithm against objective test, optimisation or maximisation problem,
search error or model error.

What matters is a score a (the accuracy, perhaps weighted); what is optimised is an
objective J.  The model that is wanted has parameters w, a rival has v and the better
score, a(v) > a(w).  Put the rival's parameters into the model's own objective:

    J(v) better than J(w):  w is no optimum; the *optimiser* failed              (1)
    J(v) no better:         w won its contest and yet does worse; the
                            *objective* is wrong, its penalty or its loss        (2)

(1) asks for more iterations, another method, scaled columns; (2) for another penalty,
another loss, other features.  More iterations do not help against (2).

Scaled parameters s v, s > 0, classify like v.  For linear classifiers the best of them
stands for v, so that a rival with a larger norm does not look like (2).  A model that
states its convex problem (`optimality_gap`) adds a proof: it is never farther from its
optimum than the gap.

Notation: w of the first, v of the second model.
Course: S4-67. Reference: Ng, CS229, advice for applying machine learning.
"""

from __future__ import annotations

import copy
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.optimize import minimize_scalar
from sklearn.base import is_classifier
from sklearn.pipeline import Pipeline

from corollary.core.arrays import Floats
from corollary.core.errors import DataError, ParameterError, sentence
from corollary.core.parameters import shown
from corollary.core.rows import dense
from corollary.core.vectors import numbers
from corollary.diagnostics.optimality import (
    OptimalityGap,
    optimality_gap,
    prove,
    targets,
)
from corollary.selection.validation_data import given_rows
from corollary.selection.validation_loss import chosen_loss, losses_of
from corollary.solvers.convex_problem import LinearStatement, statement_of

__all__ = ["AlgorithmOrObjective", "algorithm_or_objective"]

WHO = "algorithm_or_objective"
TIE = 1e-9  # of the objective, relative
FAR = 1e-2  # of the objective
REACH = np.log(1e4)  # of the scales s that are tried


@dataclass(frozen=True, eq=False)
class AlgorithmOrObjective:
    """Scores and objectives of two models, and whose fault it is.

    Attributes
    ----------
    scores : pair of float
        a(w), a(v): more is better.
    objectives : pair of float
        J(w), J(v), of the first model.
    maximize : bool
        Whether J is to be large; it is to be small otherwise.
    gap : OptimalityGap or None
        How far the first model is from its optimum at most, if that is known.
    trace : tuple of float
        Objective of the first model over its fit, if it was kept.
    """

    scores: tuple[float, float]
    objectives: tuple[float, float]
    maximize: bool
    gap: OptimalityGap | None = None
    trace: tuple[float, ...] = ()

    @property
    def verdict(self) -> str:
        """Who is at fault: "optimizer", "objective", or "neither"."""
        if not self.scores[1] > self.scores[0]:
            return "neither"
        own, rival = self.objectives if self.maximize else (-x for x in self.objectives)
        better = rival > own + TIE * max(abs(own), abs(rival))
        return "optimizer" if better else "objective"

    @property
    def remedies(self) -> tuple[str, ...]:
        """What to try."""
        return {
            "optimizer": (
                "more iterations",
                "another method, such as Newton's",
                "scaled columns",
                "another learning rate",
            ),
            "objective": ("another penalty", "another loss", "other features"),
            "neither": (),
        }[self.verdict]

    @property
    def sentence(self) -> str:
        """The verdict in words, with the numbers that it rests on."""
        a, b = self.scores
        own, rival = self.objectives
        better = "larger" if self.maximize else "smaller"
        if self.verdict == "neither":
            text = f"The rival scores {b:.4g} and the model {a:.4g}"
            return text + ": the rival is not better, so nothing is to be explained."
        text = (
            f"The rival scores {b:.4g} against {a:.4g}; the model's own objective is "
        )
        text += f"{rival:.6g} at the rival's parameters and {own:.6g} at its own "
        text += f"({better} is better): "
        if self.verdict == "optimizer":
            text += "the optimiser failed"
        elif self.far:
            text += (
                "the objective is wrong, though the fit is not at its optimum either"
            )
        else:
            text += "the optimiser did its work and the objective is wrong"
        return f"{text}. Try {', '.join(self.remedies)}."

    @property
    def far(self) -> bool:
        """Whether the model may be far from its optimum, by its own proof."""
        return self.gap is not None and self.gap.gap > FAR * abs(self.gap.primal)

    def __str__(self) -> str:
        if self.gap is None:
            return self.sentence
        return f"{self.sentence}\nOptimality of the model: {self.gap}"

    def plot(self, ax: Any = None) -> Any:
        """Draw the objective of the model over its fit, and at the rival.

        Parameters
        ----------
        ax : matplotlib axes, optional

        Returns
        -------
        matplotlib axes
        """
        import matplotlib.pyplot as plt

        ax = ax if ax is not None else plt.subplots()[1]
        own, rival = self.objectives
        trace = np.array(self.trace or (own,))
        if trace[-1]:  # a fit may count in other units
            trace = trace * (own / trace[-1])
        ax.plot(range(1, len(trace) + 1), trace, marker="o", label="the model's fit")
        ax.axhline(rival, color="C1", linestyle="--", label="at the rival's parameters")
        ax.set(xlabel="pass over the data", ylabel="objective", title=self.verdict)
        ax.legend()
        return ax


def algorithm_or_objective(
    first: Any,
    second: Any,
    X: Any = None,
    y: Any = None,
    *,
    objective: Callable[..., Any] | None = None,
    score: Callable[..., Any] | None = None,
    maximize: bool = False,
    test: tuple[Any, Any] | None = None,
    sample_weight: Any = None,
    rescale: bool = True,
) -> AlgorithmOrObjective:
    """Tell whether the optimiser of a model is at fault or its objective (1), (2).

    Parameters
    ----------
    first : fitted model, or array
        The model that is wanted, or its parameters.
    second : fitted model, or array
        A rival, or its parameters.
    X, y : rows and targets of the fit
        Needed for models.
    objective : function, optional
        J: of a model, X and y; of parameters where arrays are given.  By default the
        objective that `first` states, a linear model whose coefficients are replaced
        by the rival's.
    score : function, optional
        a, of the same; by default the accuracy, or minus the mean squared error.
    maximize : bool, default=False
        Whether `objective` is to be large, such as a likelihood.
    test : pair (X, y), optional
        Rows for the score; by default those of the fit.
    sample_weight : array of shape (n,), optional
        Of the fit; and of the accuracy where there is no `test`.
    rescale : bool, default=True
        Whether the rival's coefficients may be scaled, for linear classifiers.

    Returns
    -------
    AlgorithmOrObjective

    Examples
    --------
    >>> import numpy as np
    >>> from corollary.diagnostics import algorithm_or_objective
    >>> def likelihood(w):
    ...     return -(w[0] - 3.0) ** 2
    >>> found = algorithm_or_objective(
    ...     [1.0], [2.0], objective=likelihood, score=lambda w: w[0], maximize=True
    ... )
    >>> found.verdict  # the rival is nearer to the maximum
    'optimizer'
    """
    if hasattr(first, "predict") or hasattr(second, "predict"):
        rows = given_rows(WHO, first, X, y, sample_weight, least=1)
        rates = _scores(first, second, rows, score, test)
        if objective is None:
            J = _stated(first, second, rows, bool(rescale))
            gap, maximize = _gap(first, rows), False
        else:
            own, rival = (
                _called(objective, m, rows.X, rows.y) for m in (first, second)
            )
            J, gap = (own, rival), None
        trace = tuple(getattr(getattr(first, "report_", None), "objective", ()))
        return AlgorithmOrObjective(rates, J, bool(maximize), gap, trace)
    if objective is None or score is None:
        must = "objective and score must be functions where parameters are given"
        raise ParameterError(sentence(WHO, must, "none"))
    w, v = (numbers(WHO, part, "parameters") for part in (first, second))
    rest = () if X is None else (X, y)
    pairs = [(_called(score, p, *rest), _called(objective, p, *rest)) for p in (w, v)]
    (a, J_w), (b, J_v) = pairs
    return AlgorithmOrObjective((a, b), (J_w, J_v), bool(maximize))


# -- models ----------------------------------------------------------------------------
def _scores(
    first: Any, second: Any, rows: Any, score: Any, test: Any
) -> tuple[float, float]:
    """Return a(w) and a(v)."""
    if test is not None:
        if not isinstance(test, tuple | list) or len(test) != 2:
            raise ParameterError(sentence(WHO, "test must be a pair X, y", shown(test)))
        rows = given_rows(WHO, first, *test, least=1)
    if score is not None:
        a, b = (_called(score, model, rows.X, rows.y) for model in (first, second))
        return a, b
    loss, found = chosen_loss(WHO, None, first), []
    for model in (first, second):
        losses = losses_of(WHO, loss, rows.y, np.asarray(model.predict(rows.X)))
        mean = float(np.average(losses, weights=rows.w))
        found.append(1 - mean if is_classifier(first) else -mean)
    return found[0], found[1]


def _stated(first: Any, second: Any, rows: Any, rescale: bool) -> tuple[float, float]:
    """Return the objective that `first` states, at its and at the rival's weights."""
    X, y, w = rows.X, rows.y, rows.w
    if isinstance(first, Pipeline) or isinstance(second, Pipeline):
        X = _common_rows(first, second, X)
    first, second = (_last(model) for model in (first, second))
    coef, b = (_weights(first, second, name) for name in ("coef_", "intercept_"))
    if not getattr(first, "fit_intercept", True) and np.any(b):
        must = "second must have no intercept where first has none"
        raise DataError(sentence(WHO, must, shown(float(np.ravel(b)[0]))))
    weights = np.ones(rows.n) if w is None else np.asarray(w, dtype=np.float64)

    def J(coef: Any, b: Any) -> float:
        return objective_at(first, X, y, weights, coef, b)

    own = J(first.coef_, first.intercept_)
    there = J(coef, b)
    if rescale and is_classifier(first):
        found = minimize_scalar(
            lambda t: J(np.exp(t) * coef, np.exp(t) * b),
            bounds=(-REACH, REACH),
            method="bounded",
        )
        there = min(there, float(found.fun))
    return own, there


def objective_at(
    model: Any, X: Any, y: Any, weights: Floats, coef: Any, intercept: Any
) -> float:
    """Return the objective that a linear model states, at other coefficients."""
    other = copy.copy(model)
    other.coef_, other.intercept_ = coef, intercept
    X = X if hasattr(X, "tocsr") else np.asarray(X, dtype=np.float64)
    problems = statement_of(model)(other, X, targets(other, X, y), weights)
    return float(
        sum(
            one.scale * one.value()
            if isinstance(one, LinearStatement)
            else prove(one).primal
            for one in problems
        )
    )


def _weights(first: Any, second: Any, name: str) -> Floats:
    """Return the rival's coefficients in the shape of the model's."""
    own, other = getattr(first, name, None), getattr(second, name, None)
    if own is None or other is None:
        lacks = type(first if own is None else second).__name__
        must = "both models must be linear, with coef_ and intercept_"
        remedy = "Give objective=, a function of a model, X and y."
        raise DataError(sentence(WHO, must, f"{lacks} without {name}", remedy))
    a, b = np.asarray(dense(own), float), np.asarray(dense(other), float)
    if a.size != b.size and not (name == "intercept_" and b.size == 1):
        must = f"both models must have {name} of one shape"
        raise DataError(sentence(WHO, must, f"{a.shape} and {b.shape}"))
    return np.broadcast_to(b.ravel(), a.size).reshape(a.shape).copy()


def _last(model: Any) -> Any:
    return model.steps[-1][1] if isinstance(model, Pipeline) else model


def _common_rows(first: Any, second: Any, X: Any) -> Any:
    """Return the rows as both pipelines hand them to their last steps."""
    found = [
        model[:-1].transform(X) if isinstance(model, Pipeline) else X
        for model in (first, second)
    ]
    a, b = (np.asarray(dense(part), float) for part in found)
    if a.shape != b.shape or not np.allclose(a, b):
        must = "both pipelines must prepare the rows alike"
        raise DataError(sentence(WHO, must, "rows that differ"))
    return a


def _gap(model: Any, rows: Any) -> OptimalityGap | None:
    """Return the proof of optimality, where there is one."""
    try:
        X = model[:-1].transform(rows.X) if isinstance(model, Pipeline) else rows.X
        return optimality_gap(_last(model), X, rows.y, rows.w)
    except (ValueError, TypeError):
        return None


def _called(function: Any, *arguments: Any) -> float:
    """Call a function of the user's, which must return a number."""
    if not callable(function):
        must = "objective and score must be functions"
        raise ParameterError(sentence(WHO, must, shown(function)))
    value = function(*arguments)
    try:
        number = float(value)
    except (TypeError, ValueError):
        number = np.nan
    if np.isnan(number):
        must = "objective and score must return a number"
        raise DataError(sentence(WHO, must, shown(value)))
    return number
