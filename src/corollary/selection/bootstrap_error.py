"""Bootstrap estimates of a model's error: models of rows drawn with replacement.

Also known as: bootstrap, out-of-bag error, leave-one-out bootstrap, 632 rule, .632+
estimator, no-information rate.

Draw n of n rows with replacement, B times, and fit f_b to each draw.  A row is missing
from a draw with probability (1 - 1/n)^n, which tends to 1/e = 0.368.

    training   err  = mean loss of the model of all rows on these rows           (1)
    plain      mean over b of the mean loss of f_b on all rows                   (2)
    out of bag err1 = (1/n) sum_i mean of loss_i(f_b) over draws without row i   (3)
    .632       0.368 err + 0.632 err1                                            (4)

(2) is too small, since f_b has seen 63.2% of the rows; (3) is too large, since f_b has
0.632 n different rows, about as in 2-fold cross-validation.  (4) lies between, and is
too small for a model that fits its rows perfectly.  .632+ moves it towards (3) by the
relative overfitting R, from 0 (none) to 1 (as bad as without information):

    gamma = (1/n^2) sum_i sum_j loss(y_i, f(x_j)), the no-information rate       (5)
    R     = (err1' - err) / (gamma - err),  err1' = min(err1, gamma)             (6)
    w     = 0.632 / (1 - 0.368 R)                                                (7)
    .632+ = (1 - w) err + w err1'                                                (8)

A 1-nearest-neighbour rule on labels without information has err = 0, err1 = gamma =
1/2: (4) says 0.316, (8) the truth.  R = 0 where err1' <= err or gamma <= err.

The standard error is the spread of the rows' losses in (3) over the root of n, scaled
with the estimate.  It takes the models as given and is a little too small.  The formula
of Efron and Tibshirani by influences adds the models, but needs thousands of draws
before the chance of the draws does not drown it.

Notation: loss_i(f) = loss(y_i, f(x_i)); B = n_resamples.
Course: S3-101, S4-56. References: Efron (1983); Efron and Tibshirani (1997).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from corollary.core.arrays import Floats, Vector
from corollary.core.errors import DataError, ParameterError, sentence
from corollary.core.parameters import shown, whole
from corollary.core.randomness import generator
from corollary.selection.validation_data import (
    Answers,
    Given,
    answers_of,
    check_model,
    fitted,
    given_rows,
    seed_of,
)
from corollary.selection.validation_loss import Loss, chosen_loss

__all__ = ["BootstrapError", "bootstrap_error", "bootstrapped"]

METHODS = ("plain", "out-of-bag", "632", "632+")
SHARE = 1 - math.exp(-1)  # 0.632
SHIFTS = 500  # of the answers against the targets, for (5)
REDRAWS = 1000  # of a sample that has one class


@dataclass(frozen=True)
class BootstrapError:
    """Bootstrap estimates of the error of a model.

    Attributes
    ----------
    model, loss, method : str
    training : float
        Loss on the rows of the fit (1), too small.
    plain : float
        Loss of the resampled models on all rows (2), too small.
    out_of_bag : float
        Loss on rows that a model was not drawn (3), too large.
    error_632 : float
        (4).
    error_632_plus : float
        (8).
    no_information : float
        The loss if rows said nothing of targets (5).
    overfitting : float
        R of (6), in [0, 1].
    standard_error : float
        Of the estimate.
    losses : array of shape (n,)
        Mean loss of each row out of bag; NaN where it was in every draw.
    n_resamples : int
    """

    model: str
    loss: str
    method: str
    training: float
    plain: float
    out_of_bag: float
    error_632: float
    error_632_plus: float
    no_information: float
    overfitting: float
    standard_error: float
    losses: Floats
    n_resamples: int

    @property
    def error(self) -> float:
        """The estimate that was asked for."""
        each = (self.plain, self.out_of_bag, self.error_632, self.error_632_plus)
        return dict(zip(METHODS, each, strict=True))[self.method]

    def __str__(self) -> str:
        head = f"{self.model}: {self.loss} loss {self.error:.4g} by {self.method}"
        head += f", standard error {self.standard_error:.2g}"
        table = (
            ("training", self.training),
            ("plain", self.plain),
            (".632", self.error_632),
            (".632+", self.error_632_plus),
            ("out of bag", self.out_of_bag),
            ("no information", self.no_information),
        )
        lines = [f"  {name:<15} {value:.4g}" for name, value in table]
        lines.append(f"  overfitting {self.overfitting:.2f}, {self.n_resamples} draws")
        return "\n".join([head, *lines])


def bootstrap_error(
    model: Any,
    X: Any,
    y: Any,
    *,
    method: str = "632+",
    n_resamples: int = 100,
    loss: Any = None,
    random_state: Any = 0,
) -> BootstrapError:
    """Estimate the error of a model from rows drawn with replacement.

    Parameters
    ----------
    model : estimator or pipeline
        Cloned for every fit.
    X : rows: array, sparse matrix, data frame or table
    y : targets of shape (n,), or (n, m) for a regressor
    method : {'plain', 'out-of-bag', '632', '632+'}
        (2), (3), (4) or (8); the record has all of them.
    n_resamples : int, default=100
        Draws B.  A draw of one class alone is drawn again for a classifier.
    loss : str, function or Loss, optional
        As in `cross_validate`; it must be one of rows.
    random_state : None, int or Generator, default=0
        Draws the rows.

    Returns
    -------
    BootstrapError

    Examples
    --------
    >>> import numpy as np
    >>> from corollary import DecisionTreeClassifier
    >>> from corollary.selection import bootstrap_error
    >>> rng = np.random.default_rng(0)
    >>> X, y = rng.normal(size=(100, 2)), rng.integers(2, size=100)  # nothing to learn
    >>> found = bootstrap_error(DecisionTreeClassifier(random_state=0), X, y)
    >>> found.training, round(found.error_632, 2), round(found.error, 2)
    (0.0, 0.32, 0.5)
    """
    who = "bootstrap_error"
    check_model(who, model)
    given = given_rows(who, model, X, y)
    cost = chosen_loss(who, loss, model)
    if method not in METHODS:
        must = f"method must be one of {', '.join(map(repr, METHODS))}"
        raise ParameterError(sentence(who, must, shown(method)))
    if not whole(2).holds(n_resamples):
        must = "n_resamples must be a whole number >= 2"
        raise ParameterError(sentence(who, must, shown(n_resamples)))
    seed = seed_of(who, random_state)
    return bootstrapped(who, model, given, cost, int(n_resamples), seed, method)


def bootstrapped(
    who: str, model: Any, given: Given, loss: Loss, B: int, seed: int, method: str
) -> BootstrapError:
    """Fit B models to draws, and judge them on all rows."""
    n = given.n
    L, N = np.empty((B, n)), np.empty((B, n))  # losses, times in the draw
    for b in range(B):
        rows = draw_of(who, given, generator(seed, 101, b))
        one = fitted(who, model, given.some(rows))
        L[b] = by_row(who, loss, answers_of(one, given), given)
        N[b] = np.bincount(rows, minlength=n)
    whole_model = answers_of(fitted(who, model, given), given)
    err = float(by_row(who, loss, whole_model, given).mean())  # (1)
    out = N == 0
    with np.errstate(invalid="ignore", divide="ignore"):
        each = np.where(out, L, 0.0).sum(axis=0) / out.sum(axis=0)
    if np.isnan(each).all():
        must = "n_resamples must leave rows out"
        raise DataError(sentence(who, must, f"{B} draws of {n} rows that have all"))
    err1 = float(np.nanmean(each))  # (3)
    gamma = no_information(who, loss, whole_model, given)
    known = min(err1, gamma)
    R = (known - err) / (gamma - err) if min(known, gamma) > err else 0.0  # (6)
    w = SHARE / (1 - (1 - SHARE) * R)  # (7)
    estimates = {
        "plain": float(L.mean()),
        "out-of-bag": err1,
        "632": (1 - SHARE) * err + SHARE * err1,
        "632+": (1 - w) * err + w * known,
    }
    seen = each[~np.isnan(each)]
    spread = float(seen.std() / np.sqrt(len(seen)))
    scale = estimates[method] / err1 if err1 else 1.0
    return BootstrapError(
        type(model).__name__,
        loss.name,
        method,
        err,
        estimates["plain"],
        estimates["out-of-bag"],
        estimates["632"],
        estimates["632+"],
        gamma,
        R,
        spread * abs(scale),
        each,
        B,
    )


def draw_of(who: str, given: Given, rng: np.random.Generator) -> Vector:
    """Draw n of n rows with replacement, for a classifier of two classes at least."""
    several = given.classes is not None and len(given.classes) > 1
    for _ in range(REDRAWS):
        rows = rng.integers(given.n, size=given.n)
        if not several or (given.codes[rows] != given.codes[rows[0]]).any():
            return rows
    must = f"a draw of rows must have two classes within {REDRAWS} tries"
    raise DataError(sentence(who, must, "one class in all"))


def by_row(who: str, loss: Loss, answers: Answers, given: Given) -> Floats:
    """Return the loss of each row; refuse one number for all."""
    losses = answers.losses(who, loss, given)
    if np.ndim(losses) == 0:
        must = "loss must be one of rows, for some are left out of each draw"
        raise ParameterError(sentence(who, must, f"{loss.name!r}, one number for all"))
    return np.asarray(losses)


def no_information(who: str, loss: Loss, answers: Answers, given: Given) -> float:
    """Return (5): targets against the answers for other rows, shift by shift.

    All n shifts where they are few; else some, at even distances.
    """
    n = given.n
    total, shifts = 0.0, np.unique(np.linspace(0, n, min(n, SHIFTS), endpoint=False))
    for shift in shifts.astype(np.intp):
        predicted, P = np.roll(answers.predicted, shift, axis=0), answers.probabilities
        turned = Answers(predicted, None if P is None else np.roll(P, shift, axis=0))
        total += float(by_row(who, loss, turned, given).mean())
    return total / len(shifts)
