"""Generalisation gap: what a model loses on new rows beyond what it lost in training.

Also known as: overfitting demo, optimism of the training error, train-test gap.

A model that is flexible enough follows its training rows to the last one, noise
included.  With rows that it has not seen,

    gap = mean loss on new rows - mean loss on the rows fitted to                (1)

The second mean is a fact; the first one estimates the risk, with an interval that is
exact for errors (binomial) and asymptotic for other losses.  The gap has the same
interval, moved.

A rule that was not fitted at all has a gap too, by the luck of the training rows.  The
model overfits where the gap is more than that and the doubt of the new rows explain,

    gap^2  >  (test - low)^2 + z^2 variance of the training losses / n           (2)

and a simpler model is better if its loss on new rows is lower, whatever it is in
training.

Course: S3-109. References: Duda, Hart, Stork (2001), 1.3; Langford (2005).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy import stats

from corollary.core.errors import DataError, ParameterError, sentence
from corollary.core.parameters import real, shown
from corollary.core.randomness import generator
from corollary.core.warn import gathered_warnings
from corollary.diagnostics.nested_samples import nested_order
from corollary.selection.validation_data import (
    Given,
    answers_of,
    check_model,
    fitted,
    given_rows,
)
from corollary.selection.validation_loss import chosen_loss
from corollary.theory.clopper_pearson import binomial_interval
from corollary.theory.draws import seed_of
from corollary.theory.interval import Interval
from corollary.theory.score_intervals import mean_interval

__all__ = ["GeneralizationGap", "generalization_gap"]

WHO = "generalization_gap"


@dataclass(frozen=True, eq=False)
class GeneralizationGap:
    """Training loss, loss on new rows, and how far apart they are.

    Attributes
    ----------
    model, loss : str
        Class of the model and name of the loss.
    training, test : float
        Mean losses.
    training_se : float
        Standard error of the training loss as if the model had not been fitted to it.
    n_train, n_test : int
        Rows.
    interval : Interval
        For the gap (1).
    test_interval : Interval
        For the loss on new rows.
    fitted : estimator
        The model, fitted to the training rows.
    """

    model: str
    loss: str
    training: float
    test: float
    training_se: float
    n_train: int
    n_test: int
    interval: Interval
    test_interval: Interval
    fitted: Any

    @property
    def gap(self) -> float:
        """The gap (1)."""
        return self.test - self.training

    @property
    def overfits(self) -> bool:
        """Whether the gap is more than luck (2)."""
        z = float(stats.norm.ppf(1 - self.interval.delta / 2))
        doubt = np.hypot(self.gap - self.interval.low, z * self.training_se)
        return bool(self.gap > doubt)

    @property
    def sentence(self) -> str:
        """Both losses, the gap, and what it means."""
        low, high = self.interval.low, self.interval.high
        text = f"{self.model} has a {self.loss} loss of {self.training:.4g} on the "
        text += f"{self.n_train:,} rows it was fitted to and of {self.test:.4g} on "
        text += f"{self.n_test:,} new rows: a gap of {self.gap:.4g} "
        text += f"({low:.4g} to {high:.4g})"
        if self.overfits:
            return text + "; it overfits, and its training loss promises too much."
        return text + "; no sign of overfitting."

    def __str__(self) -> str:
        return self.sentence

    def plot(self, ax: Any = None) -> Any:
        """Draw both losses, with the interval of the second.

        Parameters
        ----------
        ax : matplotlib axes, optional

        Returns
        -------
        matplotlib axes
        """
        import matplotlib.pyplot as plt

        ax = ax if ax is not None else plt.subplots()[1]
        ends = self.test_interval
        reach = [[max(self.test - ends.low, 0.0)], [max(ends.high - self.test, 0.0)]]
        ax.bar(["training"], [self.training], color="0.75")
        ax.bar(["new rows"], [self.test], yerr=reach, capsize=4)
        ax.set(ylabel=f"{self.loss} loss", title=self.model)
        return ax


def generalization_gap(
    model: Any,
    X: Any,
    y: Any,
    *,
    test: tuple[Any, Any] | None = None,
    held_out: float = 0.3,
    loss: Any = None,
    delta: float = 0.05,
    sample_weight: Any = None,
    random_state: Any = 0,
) -> GeneralizationGap:
    """Compare the loss on training rows with the loss on new ones (1).

    Parameters
    ----------
    model : classifier, regressor or pipeline
        A clone is fitted.
    X : rows: array, sparse matrix, data frame or table
    y : targets of shape (n,)
    test : pair (X, y), optional
        New rows; the model is then fitted to all of X.
    held_out : float in (0, 1), default=0.3
        Share of X to hold out where there is no `test`, with classes in proportion.
    loss : str, function or Loss, optional
        As in `learning_curve`: 'error' for classifiers, 'squared' for regressors.
    delta : float in (0, 1), default=0.05
        How often the interval may miss.
    sample_weight : array of shape (n,), optional
        For the fit, and for the loss of rows held out from X.
    random_state : None, int, RandomState or Generator, default=0
        Draws the rows held out.

    Returns
    -------
    GeneralizationGap

    Examples
    --------
    >>> from corollary import DecisionTreeClassifier, datasets
    >>> from corollary.diagnostics import generalization_gap
    >>> X, y = datasets.two_moons(400, noise=0.4, random_state=0)
    >>> found = generalization_gap(DecisionTreeClassifier(random_state=0), X, y)
    >>> found.training, round(found.test, 3), found.overfits
    (0.0, 0.192, True)
    """
    check_model(WHO, model)
    if not real(0, 1, ends="()").holds(delta):
        must = "delta must be a number between 0 and 1"
        raise ParameterError(sentence(WHO, must, shown(delta)))
    given = given_rows(WHO, model, X, y, sample_weight)
    cost, seed = chosen_loss(WHO, loss, model), seed_of(WHO, random_state)
    if test is None:
        sample, new = _parted(given, held_out, seed)
    else:
        sample, new = given, _new_rows(model, given, test)
    with gathered_warnings():
        one = fitted(WHO, model, sample)
        own = answers_of(one, sample).losses(WHO, cost, sample)
        out = answers_of(one, new).losses(WHO, cost, new)
    if np.ndim(out) == 0:
        must = "loss must be a number for each row"
        raise ParameterError(sentence(WHO, must, "one number for all"))
    counted = new.w is None and given.classes is not None
    if counted and np.isin(out, (0.0, 1.0)).all():
        ends = binomial_interval(new.n, int(out.sum()), float(delta))
    else:
        ends = mean_interval(f"{cost.name} loss", out, float(delta), new.w)
    training = float(np.average(own, weights=sample.w))
    moved = replace(
        ends,
        name="generalisation gap",
        value=ends.value - training,
        low=ends.low - training,
        high=ends.high - training,
    )
    return GeneralizationGap(
        type(model).__name__,
        cost.name,
        training,
        float(np.average(out, weights=new.w)),
        float(np.std(own) / np.sqrt(sample.n)),
        sample.n,
        new.n,
        moved,
        ends,
        one,
    )


def _parted(given: Given, held_out: Any, seed: int) -> tuple[Given, Given]:
    """Return rows to fit to and rows held out, with classes in proportion."""
    count = 0
    if real(0, 1, ends="()").holds(held_out):
        count = round(float(held_out) * given.n)
    if not 0 < count < given.n:
        must = f"held_out must be a share in (0, 1) that leaves some of {given.n} rows"
        raise ParameterError(sentence(WHO, must, shown(held_out)))
    order = nested_order(np.arange(given.n), given.codes, generator(seed, 109))
    kept = given.n - count
    return given.some(np.sort(order[:kept])), given.some(np.sort(order[kept:]))


def _new_rows(model: Any, given: Given, test: Any) -> Given:
    """Return rows of a test, their labels numbered as those of the training rows."""
    if not isinstance(test, tuple | list) or len(test) != 2:
        raise ParameterError(sentence(WHO, "test must be a pair X, y", shown(test)))
    new = given_rows(WHO, model, *test, least=1)
    if given.classes is None:
        return new
    classes = np.union1d(given.classes, new.classes)
    if len(classes) > len(given.classes):
        strange = np.setdiff1d(new.classes, given.classes)[0]
        must = "test must have labels that the training rows have"
        raise DataError(sentence(WHO, must, shown(strange)))
    codes = np.searchsorted(given.classes, new.y)
    return new._replace(classes=given.classes, codes=codes)
