"""Leave-one-out: each row is predicted by the model of all others.

Also known as: LOOCV, leave-one-out cross-validation, jackknife, PRESS, R-fold
cross-validation.

    LOO = (1/n) sum_i loss(y_i, f_{-i}(x_i))                                     (1)

It wastes no rows, needs no draw, and is nearly unbiased for the error of n - 1 rows.
It costs n fits; a linear smoother (`linear_smoother`) costs one,

    y_i - f_{-i}(x_i) = (y_i - f(x_i)) / (1 - h_i)                               (2)

and rows of leverage h_i = 1 are refitted.  Where h_i is replaced by its mean, (1) of
squared errors is the generalised cross-validation of `ridge_path`.  The n models are
almost the same, so the losses are those of nearly one model: their spread says how rows
differ, and little of how the estimate would differ with other rows.  Learners that
answer in jumps, and data of two equal classes under a majority rule, mislead it: the
majority of all others is always wrong there.

Notation: h = leverage; f_{-i} = the model without row i.
Course: S3-99, S4-56. References: Allen (1974); Stone (1974); Kohavi (1995).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from corollary.core.arrays import Floats, Vector
from corollary.core.errors import ParameterError, sentence
from corollary.core.parameters import shown
from corollary.selection.linear_smoother import Smoothed, smoothed
from corollary.selection.validation_data import (
    Answers,
    Given,
    answers_of,
    check_model,
    fitted,
    given_rows,
)
from corollary.selection.validation_loss import Loss, chosen_loss

__all__ = ["LeaveOneOut", "leave_one_out"]

METHODS = ("auto", "closed form", "refits")


@dataclass(frozen=True)
class LeaveOneOut:
    """What the model of all other rows says of each row.

    Attributes
    ----------
    model : str
    loss : str
    predictions : array of shape (n,) or (n, m)
        Of each row by the model without it.
    probabilities : array of shape (n, K) or None
    losses : array of shape (n,)
        NaN for a row of weight 0.
    mean : float
        The estimate (1).
    standard_error : float
        Spread of the losses over the root of n.  The models share nearly all rows, so
        that it says little of other data sets.
    leverage : array of shape (n,) or None
        h of (2), where it is known.
    fits : int
        How many models were fitted.
    method : {'closed form', 'refits'}
    """

    model: str
    loss: str
    predictions: Vector
    probabilities: Floats | None
    losses: Floats
    mean: float
    standard_error: float
    leverage: Floats | None
    fits: int
    method: str

    def __str__(self) -> str:
        head = f"{self.model}: leave-one-out {self.loss} loss {self.mean:.4g}"
        n = int(np.isfinite(self.losses).sum())
        fits = f"{self.fits:,} fit{'s' if self.fits != 1 else ''}"
        lines = [head, f"  {n:,} rows, {fits} ({self.method})"]
        worst = int(np.nanargmax(self.losses))
        lines.append(f"  worst: row {worst}, loss {self.losses[worst]:.4g}")
        if self.leverage is not None:
            top = int(np.nanargmax(self.leverage))
            text = f"  largest leverage: row {top}, {self.leverage[top]:.4g}"
            lines.append(f"{text} (mean {np.nanmean(self.leverage):.4g})")
        return "\n".join(lines)

    def plot(self, ax: Any = None) -> Any:
        """Draw the losses over the leverages, or over the rows; return the axes.

        Parameters
        ----------
        ax : matplotlib axes, optional

        Returns
        -------
        matplotlib axes
        """
        import matplotlib.pyplot as plt

        ax = ax if ax is not None else plt.subplots()[1]
        known = self.leverage is not None
        at = self.leverage if known else np.arange(len(self.losses))
        ax.plot(at, self.losses, ".", alpha=0.6)
        ax.axhline(self.mean, linestyle=":", color="grey")
        ax.set(xlabel="leverage" if known else "row", ylabel=f"{self.loss} loss")
        ax.set_title(f"{self.model}, each row left out")
        return ax


def leave_one_out(
    model: Any,
    X: Any,
    y: Any,
    *,
    loss: Any = None,
    sample_weight: Any = None,
    method: str = "auto",
) -> LeaveOneOut:
    """Predict each row by the model of all others (1).

    Parameters
    ----------
    model : estimator or pipeline
        Cloned for every fit.
    X : rows: array, sparse matrix, data frame or table
    y : targets of shape (n,), or (n, m) for a regressor
    loss : str, function or Loss, optional
        As in `cross_validate`; it must be one of rows.
    sample_weight : array of shape (n,), optional
        A row is left out with all its weight.
    method : {'auto', 'closed form', 'refits'}
        'auto' takes (2) for linear smoothers and n fits for others.

    Returns
    -------
    LeaveOneOut

    Examples
    --------
    >>> import numpy as np
    >>> from corollary import LinearRegression
    >>> from corollary.selection import leave_one_out
    >>> X = np.array([[0.0], [1.0], [2.0], [3.0], [10.0]])
    >>> print(leave_one_out(LinearRegression(), X, [0.0, 1.0, 2.0, 4.0, 9.0]))
    LinearRegression: leave-one-out squared loss 3.279
      5 rows, 1 fit (closed form)
      worst: row 4, loss 14.44
      largest leverage: row 4, 0.9363 (mean 0.4)
    """
    who = "leave_one_out"
    check_model(who, model)
    given = given_rows(who, model, X, y, sample_weight)
    cost = chosen_loss(who, loss, model)
    if method not in METHODS:
        must = f"method must be one of {', '.join(map(repr, METHODS))}"
        raise ParameterError(sentence(who, must, shown(method)))
    there = np.arange(given.n) if given.w is None else np.flatnonzero(given.w > 0)
    rows = given if len(there) == given.n else given.some(there)
    found = None
    if method != "refits" and cost.on == "predictions":
        fitted(who, model, rows)  # it checks parameters and rows
        found = smoothed(model, rows)
    if found is None and method == "closed form":
        must = "method 'closed form' needs a linear smoother at fixed parameters"
        remedy = "Use method='refits'."
        came = f"a {type(model).__name__}"
        raise ParameterError(sentence(who, must, came, remedy))
    if found is None:
        return gathered(who, model, given, there, cost, refitted(who, model, rows))
    alone = np.isnan(found.left_out.reshape(rows.n, -1)).any(axis=1)
    again = np.flatnonzero(alone)
    found.left_out[again] = refitted(who, model, rows, again).predicted
    answers = Answers(found.left_out, None)
    return gathered(who, model, given, there, cost, answers, found, len(again))


def refitted(who: str, model: Any, given: Given, rows: Vector | None = None) -> Answers:
    """Return what models say of rows that they were fitted without, one by one."""
    every = np.arange(given.n)
    some = every if rows is None else rows
    said = []
    for i in some:
        one = fitted(who, model, given.some(np.delete(every, i)))
        said.append(answers_of(one, given.some(every[i : i + 1])))
    if not said:
        return Answers(np.empty((0, *given.y.shape[1:])), None)
    probable = None
    if said[0].probabilities is not None:
        probable = np.vstack([one.probabilities for one in said])
    return Answers(np.concatenate([one.predicted for one in said]), probable)


def gathered(
    who: str,
    model: Any,
    given: Given,
    there: Vector,
    loss: Loss,
    answers: Answers,
    closed: Smoothed | None = None,
    again: int = 0,
) -> LeaveOneOut:
    """Make the record; rows of weight 0 have no answer."""
    rows = given if len(there) == given.n else given.some(there)
    losses = answers.losses(who, loss, rows)
    if np.ndim(losses) == 0:
        must = "loss must be one of rows, for one row is left out at a time"
        raise ParameterError(sentence(who, must, f"{loss.name!r}, one number for all"))
    leverage = None if closed is None else closed.leverage

    def spread(values: Any) -> Any:
        if values is None or len(there) == given.n:
            return values
        kind = np.float64 if values.dtype.kind in "fiu" else object
        full = np.full((given.n, *values.shape[1:]), np.nan, dtype=kind)
        full[there] = values
        return full

    return LeaveOneOut(
        type(model).__name__,
        loss.name,
        spread(answers.predicted),
        spread(answers.probabilities),
        spread(losses),
        float(np.average(losses, weights=rows.w)),
        float(losses.std(ddof=1) / np.sqrt(len(losses))),
        spread(leverage),
        rows.n if closed is None else 1 + again,
        "refits" if closed is None else "closed form",
    )
