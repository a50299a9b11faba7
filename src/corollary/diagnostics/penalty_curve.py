"""Penalty curve: training and validation loss against the strength of a penalty.

Also known as: lambda curve, regularisation path of the error, bias-variance tradeoff of
the penalty, validation curve.

A model minimises, over its weights w, a loss and a penalty of strength l,

    J(w; l) = mean loss(w) + l R(w),     R >= 0                                  (1)

and is judged without the penalty:

    J_train(l) = mean loss on the rows it was fitted to                          (2)
    J_cv(l)    = mean loss on rows held out                                      (3)

It is the mirror of the curve over the degree: a strong penalty makes a simple model.
(2) rises with l.  (3) is U-shaped, and chosen is its minimum; of penalties within one
standard error of it the strongest is the simplest.

The objective itself cannot choose.  For l < l', with w' the minimiser at l',

    min J(.; l) <= J(w'; l) <= J(w'; l') = min J(.; l')                          (4)

so the minimum of (1) never falls as l grows, and its choice is always the weakest
penalty that was tried, 0 if 0 was.

Notation: l = values, sorted from strong to weak.
Course: S4-66, S4-62. Reference: Hastie, Tibshirani, Friedman (2009), 7.10.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.pipeline import Pipeline

from corollary.core.arrays import Floats
from corollary.core.errors import DataError, ParameterError, sentence
from corollary.core.frames import frame_to_array, is_frame
from corollary.core.parameters import one_of, shown
from corollary.diagnostics.complexity_sweep import ComplexitySweep
from corollary.diagnostics.optimality import targets
from corollary.selection.folds import folds_of
from corollary.selection.validation_data import (
    Given,
    answers_of,
    check_model,
    fitted,
    given_rows,
)
from corollary.selection.validation_loss import Loss, chosen_loss
from corollary.solvers.convex_problem import (
    HuberStatement,
    LinearStatement,
    statement_of,
)
from corollary.theory.draws import seed_of

__all__ = ["PenaltyCurve", "penalized_objective", "penalty_curve"]

WHO = "penalty_curve"


@dataclass(frozen=True, eq=False)
class PenaltyCurve:
    """Losses for each penalty, from strong to weak, and two ways to choose.

    Attributes
    ----------
    parameter : str
    values : tuple
        From the strongest penalty to the weakest.
    training, validation : arrays of shape (m,)
        (2) and (3).
    standard_error : array of shape (m,)
        Of the validation loss, over the rows held out.
    objective : array of shape (m,) or None
        Minimum of (1) on the rows fitted to; None for models that do not state it.
    loss : str
    """

    parameter: str
    values: tuple[Any, ...]
    training: Floats
    validation: Floats
    standard_error: Floats
    objective: Floats | None
    loss: str

    @property
    def sweep(self) -> ComplexitySweep:
        """The same as a sweep over complexities."""
        curves = (self.training, self.validation, self.standard_error)
        return ComplexitySweep(self.parameter, self.values, *curves)

    @property
    def best(self) -> Any:
        """The value with the least validation loss."""
        return self.sweep.best

    @property
    def simplest(self) -> Any:
        """The strongest penalty within one standard error of the best."""
        return self.sweep.simplest

    @property
    def by_objective(self) -> Any:
        """What the minimum of (1) would choose: by (4) the weakest, whatever it is."""
        if self.objective is None:
            return None
        least = np.flatnonzero(self.objective <= self.objective.min() * (1 + 1e-9))
        return self.values[int(least[-1])]

    @property
    def verdicts(self) -> tuple[str, ...]:
        """For each value: "underfits", "overfits", "chosen" or "as good"."""
        return self.sweep.verdicts

    def __len__(self) -> int:
        return len(self.values)

    def __str__(self) -> str:
        text = str(self.sweep)
        if self.objective is None:
            return text
        at = f"the objective itself would choose {self.by_objective}, whatever the data"
        return f"{text}\n{at}"

    def plot(self, ax: Any = None) -> Any:
        """Draw the losses over the penalty; return the axes.

        Parameters
        ----------
        ax : matplotlib axes, optional

        Returns
        -------
        matplotlib axes
        """
        ax = self.sweep.plot(ax)
        if self.objective is not None:
            at = np.arange(len(self))
            ax.plot(at, self.objective, linestyle="--", color="grey", label="objective")
            ax.legend()
        return ax


def penalty_curve(
    model: Any,
    X: Any,
    y: Any,
    parameter: str,
    values: Sequence[Any],
    *,
    stronger: str | None = None,
    splitter: Any = 5,
    loss: Any = None,
    sample_weight: Any = None,
    groups: Any = None,
    random_state: Any = 0,
) -> PenaltyCurve:
    """Fit a model with penalties of several strengths; compare its losses.

    Parameters
    ----------
    model : classifier, regressor or pipeline
        Cloned for every fit.
    X : rows: array, sparse matrix, data frame or table
    y : targets of shape (n,)
    parameter : str
        The penalty, as `set_params` takes it: ``"alpha"``, ``"svc__C"``.
    values : sequence of numbers
    stronger : {'larger', 'smaller'}, optional
        Which values are the stronger penalties; by default the smaller ones of a
        parameter that is called C, else the larger ones.
    splitter : int, splitter of scikit-learn's, or pairs of rows, default=5
    loss : str, function or Loss, optional
        Without the penalty; by default 'log' for classifiers with probabilities,
        'error' for others, 'squared' for regressors.
    sample_weight : array of shape (n,), optional
    groups : array of shape (n,), optional
    random_state : None, int, RandomState or Generator, default=0
        Draws the folds, the same for every value.

    Returns
    -------
    PenaltyCurve

    Examples
    --------
    >>> import numpy as np
    >>> from corollary import Ridge
    >>> from corollary.diagnostics import penalty_curve
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(60, 30))
    >>> y = X[:, 0] + rng.normal(size=60)
    >>> found = penalty_curve(Ridge(), X, y, "alpha", [0, 1, 10, 100, 1000])
    >>> found.best, found.by_objective
    (100, 0)
    """
    check_model(WHO, model)
    given = given_rows(WHO, model, X, y, sample_weight, groups)
    if parameter not in model.get_params():
        must = f"parameter must be one of the {type(model).__name__}'s"
        raise ParameterError(sentence(WHO, must, repr(parameter)))
    ordered = _from_strong(parameter, values, stronger)
    if loss is None and given.classes is not None and hasattr(model, "predict_proba"):
        loss = "log"
    cost = chosen_loss(WHO, loss, model)
    splits = folds_of(WHO, splitter, given, seed=seed_of(WHO, random_state))
    results = []
    for value in ordered:
        one = clone(model).set_params(**{parameter: value})
        results.append(_losses(one, given, splits, cost))
    training, validation, errors, objective = (
        np.array(column) for column in zip(*results, strict=True)
    )
    stated = None if np.isnan(objective).any() else objective
    return PenaltyCurve(
        parameter, ordered, training, validation, errors, stated, cost.name
    )


def penalized_objective(model: Any, X: Any, y: Any, sample_weight: Any = None) -> float:
    """Return the objective (1) of a fitted linear model at its weights.

    Parameters
    ----------
    model : fitted linear model, or a pipeline that ends in one
        That states its convex problem, as for `optimality_gap`.
    X, y : rows and targets
    sample_weight : array of shape (n,), optional

    Returns
    -------
    float

    Examples
    --------
    >>> from corollary import Ridge
    >>> from corollary.diagnostics import penalized_objective
    >>> X, y = [[0.0], [1.0], [2.0]], [0.0, 1.0, 2.0]
    >>> round(penalized_objective(Ridge(1.0).fit(X, y), X, y), 6)  # of half squares
    0.111111
    """
    who = "penalized_objective"
    if isinstance(model, Pipeline):
        X = model[:-1].transform(X)
        model = model.steps[-1][1]
    state = statement_of(model)
    X = frame_to_array(who, X) if is_frame(X) else X
    X = X if sp.issparse(X) else np.asarray(X, dtype=np.float64)
    w = np.ones(X.shape[0]) if sample_weight is None else np.asarray(sample_weight)
    problems = state(model, X, targets(model, X, y), w.astype(np.float64))
    linear = [one for one in problems if isinstance(one, LinearStatement)]
    if len(linear) < len(problems):
        must = "model must state a mean loss and a penalty of its coefficients"
        came = type(model).__name__
        if any(isinstance(one, HuberStatement) for one in problems):
            came += ", whose scale is an unknown beside them"
        remedy = "optimality_gap(model, X, y).primal is the objective that it states."
        raise DataError(sentence(who, must, came, remedy))
    return float(sum(one.value() for one in linear))


def _from_strong(parameter: str, values: Any, stronger: str | None) -> tuple[Any, ...]:
    """Return the values from the strongest penalty to the weakest."""
    if not one_of("larger", "smaller", None).holds(stronger):
        must = "stronger must be 'larger' or 'smaller'"
        raise ParameterError(sentence(WHO, must, shown(stronger)))
    found = list(values) if np.iterable(values) and not isinstance(values, str) else []
    try:
        sizes = np.array(found, dtype=np.float64)
    except (TypeError, ValueError):
        sizes = np.empty(0)
    if not len(sizes) or sizes.ndim != 1 or np.isnan(sizes).any():
        must = "values must be numbers, at least one"
        raise ParameterError(sentence(WHO, must, shown(values)))
    small = (
        parameter.split("__")[-1] == "C" if stronger is None else stronger != "larger"
    )
    order = np.argsort(sizes if small else -sizes, kind="stable")
    return tuple(found[i] for i in order)


def _losses(
    model: Any, given: Given, splits: Any, cost: Loss
) -> tuple[float, float, float, float]:
    """Return (2), (3), the standard error of (3), and the minimum of (1)."""
    training, held, weights, objective = [], [], [], []
    for train, test in splits:
        sample, rest = given.some(train), given.some(test)
        one = fitted(WHO, model, sample)
        own = answers_of(one, sample).losses(WHO, cost, sample)
        out = answers_of(one, rest).losses(WHO, cost, rest)
        if np.ndim(out) == 0:
            must = "loss must be a number for each row"
            raise ParameterError(sentence(WHO, must, "one number for all"))
        training.append(float(np.average(own, weights=sample.w)))
        held.append(out)
        weights.append(np.ones(len(out)) if rest.w is None else rest.w)
        objective.append(_stated(one, sample))
    losses, w = np.concatenate(held), np.concatenate(weights)
    mean = float(np.average(losses, weights=w))
    n = max(len(losses) - 1, 1)
    spread = np.sqrt(((w * (losses - mean)) ** 2).sum() * len(losses) / n) / w.sum()
    return float(np.mean(training)), mean, float(spread), float(np.mean(objective))


def _stated(model: Any, rows: Given) -> float:
    """Return the objective of a model that states it, else NaN."""
    try:
        return penalized_objective(model, rows.X, rows.y, rows.w)
    except (DataError, TypeError, AttributeError):
        return float("nan")
