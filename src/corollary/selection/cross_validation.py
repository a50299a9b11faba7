"""Cross-validation: every row is predicted by a model that has not seen it.

Also known as: k-fold cross-validation, rotation estimation, out-of-fold predictions,
repeated cross-validation, cross-validated error.

Part n rows in k folds.  The model without fold j predicts the rows of fold j, and the
estimate is the mean of the losses of all rows,

    CV = (1/n) sum_i loss(y_i, f_{-j(i)}(x_i))                                   (1)

Each row is tested once, and trains k - 1 times.  k = n leaves one out (`leave_one_out`,
in closed form where there is one); k = 10 wastes a tenth of the rows and costs ten
fits; a single split in two is `hold-out`, one fit.  (1) is the error of a model of
(1 - 1/k) n rows, a little more than that of n rows.

How sure is it?  The k fold means e_j share training rows, so that their spread alone is
too small, and no unbiased estimate of the variance of (1) exists (Bengio and
Grandvalet).  Nadeau and Bengio's correction for J means on n_2 rows after training on
n_1 adds what the shared rows hide,

    se^2 = (1/J + n_2/n_1) s^2,     s^2 = variance of the e_j, with J - 1        (2)

which about doubles the variance in 10 folds.  It is a rule of thumb, on the safe side
for most learners.  Where a single split leaves no s, the spread of the rows is taken,

    se^2 = variance of the losses / number of rows                               (3)

Who chooses the best of many models by (1) and reports its (1) reports too little: see
`nested_cross_validation` and `hold_out_split`.

Notation: e = fold_losses; n_1 = n_train; n_2 = n_test; J = number of splits.
Course: S1-42, S3-100, S4-56. References: Stone (1974); Nadeau and Bengio (2003);
Bengio and Grandvalet (2004); Bates, Hastie and Tibshirani (2024).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from time import perf_counter
from typing import Any

import numpy as np
from scipy import stats

from corollary.core.arrays import Floats, Vector
from corollary.core.errors import ParameterError, sentence
from corollary.core.parameters import real, shown
from corollary.selection.folds import Split, folds_of
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
from corollary.theory.interval import Interval

__all__ = ["CrossValidation", "cross_validate", "out_of_fold"]

DEPENDENT = "Fold losses share training rows; their spread is corrected, not exact."


@dataclass(frozen=True)
class CrossValidation:
    """What models said of rows that they had not seen.

    Attributes
    ----------
    model : str
        Class of the model.
    loss : str
        Name of the loss.
    predictions : array of shape (n,) or (n, m)
        Of each row by models that had not seen it: the mean of numbers, the most
        likely or most frequent class; NaN, or the first class, where it was never held
        out.
    probabilities : array of shape (n, K) or None
        Likewise, the mean where a row was held out more than once.
    classes : array of shape (K,) or None
    losses : array of shape (n,) or None
        Mean loss of each row, NaN where it was never held out; None where the loss is
        one number for all rows.
    times : array of int of shape (n,)
        How often each row was held out.
    fold_losses : array of shape (J,)
        Mean loss of each split.
    mean : float
        The estimate (1).
    standard_error : float
        Of the mean, corrected for shared training rows (2), or (3).
    splits : tuple of J pairs of arrays
        Rows to train on and rows held out; may be given as `splitter` elsewhere.
    seconds : array of shape (J,)
        Time of each fit.
    models : tuple
        The fitted models, where they were to be kept.
    """

    model: str
    loss: str
    predictions: Vector
    probabilities: Floats | None
    classes: Vector | None
    losses: Floats | None
    times: Vector
    fold_losses: Floats
    mean: float
    standard_error: float
    splits: tuple[Split, ...]
    seconds: Floats
    models: tuple[Any, ...] = ()

    @property
    def n_train(self) -> float:
        """Rows that a model was fitted to, the mean over the splits."""
        return float(np.mean([len(train) for train, _ in self.splits]))

    @property
    def n_test(self) -> float:
        """Rows held out in a split, the mean over the splits."""
        return float(np.mean([len(test) for _, test in self.splits]))

    def interval(self, delta: float = 0.05) -> Interval:
        """Return an interval for the expected loss, by Student's law and (2).

        Parameters
        ----------
        delta : float in (0, 1), default=0.05
            How often it may miss.

        Returns
        -------
        Interval
        """
        if not real(0, 1, ends="()").holds(delta):
            must = "delta must be a number between 0 and 1"
            raise ParameterError(sentence(self, must, shown(delta)))
        J = len(self.fold_losses)
        freedom = J - 1 if J > 1 else int(self.n_test) - 1
        half = float(stats.t.ppf(1 - delta / 2, max(freedom, 1))) * self.standard_error
        name = f"{self.loss} loss, {J} splits"
        low, high = self.mean - half, self.mean + half
        cited = "Nadeau and Bengio (2003)"
        grounds = (DEPENDENT,) if J > 1 else ()
        return Interval(name, self.mean, low, high, delta, "asymptotic", grounds, cited)

    def __str__(self) -> str:
        J = len(self.fold_losses)
        head = f"{self.model}: {self.loss} loss {self.mean:.4g}"
        if np.isfinite(self.standard_error):
            head += f", standard error {self.standard_error:.2g}"
        tested = int((self.times > 0).sum())
        kind = "split" if J == 1 else "splits"
        low, high = self.fold_losses.min(), self.fold_losses.max()
        lines = [
            head,
            f"  {J} {kind}, {tested:,} rows held out, {self.n_train:,.0f} to train on",
            f"  splits from {low:.4g} to {high:.4g}, {self.seconds.sum():.3g} s to fit",
        ]
        return "\n".join(lines)

    def plot(self, ax: Any = None) -> Any:
        """Draw the loss of each split, the mean and its standard error.

        Parameters
        ----------
        ax : matplotlib axes, optional

        Returns
        -------
        matplotlib axes
        """
        import matplotlib.pyplot as plt

        ax = ax if ax is not None else plt.subplots()[1]
        J = len(self.fold_losses)
        ax.bar(np.arange(1, J + 1), self.fold_losses, color="0.75")
        ax.axhline(self.mean, color="C0", label="mean")
        if np.isfinite(self.standard_error):
            low, high = self.mean - self.standard_error, self.mean + self.standard_error
            ax.axhspan(low, high, color="C0", alpha=0.2, label="one standard error")
        ax.set(xlabel="split", ylabel=f"{self.loss} loss", title=self.model)
        ax.legend()
        return ax


def cross_validate(
    model: Any,
    X: Any,
    y: Any,
    *,
    splitter: Any = 10,
    loss: Any = None,
    sample_weight: Any = None,
    groups: Any = None,
    repeats: int = 1,
    keep_models: bool = False,
    random_state: Any = 0,
) -> CrossValidation:
    """Predict every row by a model that has not seen it; estimate the error (1), (2).

    Parameters
    ----------
    model : estimator or pipeline
        Cloned for every fit.
    X : rows: array, sparse matrix, data frame or table
    y : targets of shape (n,), or (n, m) for a regressor
    splitter : int, splitter of scikit-learn's, or pairs of rows, default=10
        A number parts the rows in as many folds, by chance, with classes in
        proportion and groups kept together.
    loss : str, function or Loss, optional
        'error', 'log', 'brier' for classifiers, 'squared', 'absolute' for regressors,
        or a function (`Loss`).  By default 'error' or 'squared'.
    sample_weight : array of shape (n,), optional
        For the fits and for the mean; a row of weight 0 is not there.
    groups : array of shape (n,), optional
        Rows that belong together, such as those of one patient.
    repeats : int, default=1
        How often to part the rows anew, where `splitter` is a number.
    keep_models : bool, default=False
        Whether to keep the fitted models.
    random_state : None, int or Generator, default=0
        Draws the folds.

    Returns
    -------
    CrossValidation

    Examples
    --------
    >>> import numpy as np
    >>> from corollary import LinearRegression
    >>> from corollary.selection import cross_validate
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(200, 3))
    >>> y = X[:, 0] + rng.normal(size=200)
    >>> found = cross_validate(LinearRegression(), X, y)
    >>> round(found.mean, 3), round(found.standard_error, 3)
    (1.046, 0.167)
    """
    who = "cross_validate"
    check_model(who, model)
    given = given_rows(who, model, X, y, sample_weight, groups)
    cost = chosen_loss(who, loss, model)
    seed = seed_of(who, random_state)
    splits = folds_of(who, splitter, given, repeats=repeats, seed=seed)
    return validated(who, model, given, splits, cost, keep_models=keep_models)


def out_of_fold(
    model: Any, X: Any, y: Any, *, method: str = "predict", **options: Any
) -> Vector:
    """Return predictions of each row by a model that has not seen it.

    Parameters
    ----------
    model, X, y
        As in `cross_validate`.
    method : {'predict', 'predict_proba'}
    **options
        Further parameters of `cross_validate`.

    Returns
    -------
    array of shape (n,) or (n, K)

    Examples
    --------
    >>> from corollary import LinearRegression
    >>> from corollary.selection import out_of_fold
    >>> X, y = [[1.0], [2.0], [3.0], [4.0]], [1.0, 2.0, 3.0, 4.0]
    >>> out_of_fold(LinearRegression(), X, y, splitter=4).round(6).tolist()
    [1.0, 2.0, 3.0, 4.0]
    """
    who = "out_of_fold"
    if method not in ("predict", "predict_proba"):
        must = "method must be 'predict' or 'predict_proba'"
        raise ParameterError(sentence(who, must, shown(method)))
    found = cross_validate(model, X, y, **options)
    if method == "predict":
        return found.predictions
    if found.probabilities is None:
        must = "method 'predict_proba' needs a classifier that offers it"
        raise ParameterError(sentence(who, must, f"a {found.model}"))
    return found.probabilities


def validated(
    who: str,
    model: Any,
    given: Given,
    splits: tuple[Split, ...],
    loss: Loss,
    *,
    keep_models: bool = False,
    fit: Callable[[Given], Any] | None = None,
) -> CrossValidation:
    """Fit a model without each fold, and gather what it says of the fold.

    Where `fit` is given it makes the fitted model of some rows.
    """
    fit = fit or (lambda rows: fitted(who, model, rows))
    tally = Tally.of(given)
    fold_losses, seconds, models = [], [], []
    for train, test in splits:
        begun = perf_counter()
        one = fit(given.some(train))
        seconds.append(perf_counter() - begun)
        rows = given.some(test)
        answers = answers_of(one, rows)
        losses = answers.losses(who, loss, rows)
        tally.add(test, answers, losses)
        single = np.ndim(losses) == 0
        fold_losses.append(
            losses if single else float(np.average(losses, weights=rows.w))
        )
        if keep_models:
            models.append(one)
    e = np.array(fold_losses)
    mean = tally.mean(given.w) if tally.by_row else float(e.mean())
    return CrossValidation(
        type(model).__name__,
        loss.name,
        tally.predictions(),
        tally.probabilities(),
        given.classes,
        tally.row_losses(),
        tally.times,
        e,
        mean,
        standard_error(e, splits, tally.row_losses()),
        splits,
        np.array(seconds),
        tuple(models),
    )


def standard_error(
    e: Floats, splits: tuple[Split, ...], losses: Floats | None
) -> float:
    """Return (2), or (3) where there is one split; NaN where nothing is known."""
    J = len(e)
    if J > 1:
        n1 = float(np.mean([len(train) for train, _ in splits]))
        n2 = float(np.mean([len(test) for _, test in splits]))
        return float(np.sqrt((1 / J + n2 / n1) * e.var(ddof=1)))
    held = np.empty(0) if losses is None else losses[splits[0][1]]
    if len(held) < 2:
        return float("nan")
    return float(held.std(ddof=1) / np.sqrt(len(held)))


@dataclass
class Tally:
    """Sums of what was said of each row; rows may be held out more than once."""

    given: Given
    times: Vector  # (n,)
    loss: Floats  # (n,)
    said: Floats  # (n, m) sums of numbers, or (n, K) votes
    sure: Floats | None = None  # (n, K) sums of probabilities
    by_row: bool = True

    @classmethod
    def of(cls, given: Given) -> Tally:
        """Begin with nothing said."""
        n, one = given.n, 1 if given.y.ndim == 1 else given.y.shape[1]
        wide = one if given.classes is None else len(given.classes)
        return cls(given, np.zeros(n, dtype=np.int64), np.zeros(n), np.zeros((n, wide)))

    def add(self, rows: Vector, answers: Answers, losses: Any) -> None:
        """Add what a model says of rows that it has not seen."""
        self.times[rows] += 1
        self.by_row = np.ndim(losses) == 1
        if self.by_row:
            self.loss[rows] += losses
        if self.given.classes is None:
            self.said[rows] += answers.predicted.reshape(len(rows), -1)
            return
        codes = np.searchsorted(self.given.classes, answers.predicted)
        self.said[rows, codes] += 1
        if answers.probabilities is not None:
            if self.sure is None:
                self.sure = np.zeros_like(self.said)
            self.sure[rows] += answers.probabilities

    def _each(self, sums: Floats) -> Floats:
        """Divide sums by the number of times, NaN where that is 0."""
        often = self.times.reshape(-1, *[1] * (sums.ndim - 1))
        return np.where(often > 0, sums / np.maximum(often, 1), np.nan)

    def predictions(self) -> Vector:
        """Return the mean number, or the class of most votes; ties by probability."""
        if self.given.classes is None:
            mean = self._each(self.said)
            return mean[:, 0] if self.given.y.ndim == 1 else mean
        votes = self.said
        if self.sure is not None and self.times.max() > 1:
            votes = votes + self.sure / (2 * np.maximum(self.times, 1))[:, None]
        return np.asarray(self.given.classes[votes.argmax(axis=1)])

    def probabilities(self) -> Floats | None:
        """Return mean probabilities."""
        return None if self.sure is None else self._each(self.sure)

    def row_losses(self) -> Floats | None:
        """Return the mean loss of each row."""
        return self._each(self.loss) if self.by_row else None

    def mean(self, w: Any) -> float:
        """Return the mean of the losses of all rows held out (1)."""
        weights = self.times if w is None else self.times * w
        there = self.times > 0
        return float(np.average(self._each(self.loss)[there], weights=weights[there]))
