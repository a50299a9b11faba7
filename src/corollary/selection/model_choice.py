"""Choosing among models by an estimate of their error.

Also known as: model selection, model comparison, winner's curse, optimism of the
minimum.

Each model m gets an estimate E_m of its error, by hold-out, k folds, leave-one-out or
the bootstrap, on the same rows for all; chosen is

    m* = argmin_m E_m                                                            (1)

and as good is every model that (1) does not beat by more than the standard error of
their paired difference, fold by fold.

E_{m*} is too small: it is the least of M estimates.  With models of equal error p that
err independently on n rows held out, the expected minimum is

    E min_m E_m = (1/n) sum_{k=1}^{n} P(B >= k)^M,      B binomial (n, p)        (2)

which for coins (p = 1/2), n = 100 and M = 1000 is 0.339.  A second look at other rows
puts it right: `nested_cross_validation`, or a `LockedTestSet`.

Notation: E = losses; M = number of models.
Course: S4-56, S4-57. References: Cawley and Talbot (2010); Hastie, Tibshirani and
Friedman (2009), 7.10.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import stats
from sklearn.base import is_classifier

from corollary.core.arrays import Floats
from corollary.core.errors import ParameterError, sentence
from corollary.core.parameters import one_of, real, shown, whole
from corollary.core.randomness import generator
from corollary.selection.bootstrap_error import bootstrapped
from corollary.selection.cross_validation import standard_error, validated
from corollary.selection.folds import Split, folds_of
from corollary.selection.hold_out_split import drawn
from corollary.selection.leave_one_out import leave_one_out
from corollary.selection.validation_data import (
    Given,
    check_model,
    fitted,
    given_rows,
    seed_of,
)
from corollary.selection.validation_loss import Loss, chosen_loss

__all__ = ["ModelChoice", "choose_model", "expected_least_error"]

METHODS = ("cross-validation", "hold-out", "leave-one-out", "bootstrap")


@dataclass(frozen=True)
class ModelChoice:
    """Estimated errors of several models, and the one that has the least.

    Attributes
    ----------
    names : tuple of str
    losses : array of shape (M,)
        Estimated error of each model.
    standard_errors : array of shape (M,)
    as_good : tuple of bool
        Whether a model is within the noise of the chosen one.
    by : str
        How errors were estimated.
    loss : str
    model : estimator
        The chosen one, fitted to all rows.
    fold_losses : array of shape (M, J) or None
        Losses of each split, the same splits for all.
    """

    names: tuple[str, ...]
    losses: Floats
    standard_errors: Floats
    as_good: tuple[bool, ...]
    by: str
    loss: str
    model: Any
    fold_losses: Floats | None = None

    @property
    def chosen(self) -> str:
        """The name of the model with the least estimate (1)."""
        return self.names[int(self.losses.argmin())]

    def __str__(self) -> str:
        wide = max(map(len, self.names))
        best = int(self.losses.argmin())
        lines = [f"{self.loss} loss by {self.by}"]
        for i in np.argsort(self.losses, kind="stable"):
            mark = "  <- chosen" if i == best else "  as good" * self.as_good[i]
            doubt = f"+- {self.standard_errors[i]:.2g}"
            line = f"  {self.names[i]:<{wide}}  {self.losses[i]:<9.4g} {doubt}{mark}"
            lines.append(line)
        if len(self.names) > 1:
            lines.append("The least of several estimates is too small for its model.")
        return "\n".join(lines)

    def plot(self, ax: Any = None) -> Any:
        """Draw the estimates with their standard errors; return the axes.

        Parameters
        ----------
        ax : matplotlib axes, optional

        Returns
        -------
        matplotlib axes
        """
        import matplotlib.pyplot as plt

        ax = ax if ax is not None else plt.subplots()[1]
        at = np.arange(len(self.names))[::-1]
        order = np.argsort(self.losses, kind="stable")
        bars = self.standard_errors[order]
        ax.errorbar(self.losses[order], at, xerr=bars, fmt="o", capsize=3)
        ax.set_yticks(at, [self.names[i] for i in order])
        ax.set(xlabel=f"{self.loss} loss by {self.by}", title=f"best: {self.chosen}")
        return ax


def choose_model(
    models: Mapping[str, Any],
    X: Any,
    y: Any,
    *,
    by: str = "cross-validation",
    splitter: Any = None,
    loss: Any = None,
    sample_weight: Any = None,
    groups: Any = None,
    random_state: Any = 0,
) -> ModelChoice:
    """Choose the model of the least estimated error (1).

    Parameters
    ----------
    models : mapping of name -> estimator
    X : rows: array, sparse matrix, data frame or table
    y : targets of shape (n,)
    by : {'cross-validation', 'hold-out', 'leave-one-out', 'bootstrap'}
    splitter : int, float, splitter of scikit-learn's, or pairs of rows, optional
        For cross-validation as in `cross_validate`, 10 folds by default.  For hold-out
        a share of the rows, 0.3 by default, or a single pair of rows.
    loss : str, function or Loss, optional
        As in `cross_validate`.
    sample_weight : array of shape (n,), optional
        Not with 'bootstrap'.
    groups : array of shape (n,), optional
        Rows that belong together; with 'cross-validation' alone.
    random_state : None, int or Generator, default=0
        Draws rows, the same for every model.

    Returns
    -------
    ModelChoice

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.pipeline import make_pipeline
    >>> from corollary import LinearRegression, PolynomialFeatures
    >>> from corollary.selection import choose_model
    >>> x = np.linspace(-1, 1, 60)[:, None]
    >>> y = x[:, 0] ** 2 + 0.1 * np.random.default_rng(1).normal(size=60)
    >>> models = {
    ...     f"degree {p}": make_pipeline(PolynomialFeatures(p), LinearRegression())
    ...     for p in (1, 2, 9)
    ... }
    >>> print(choose_model(models, x, y))
    squared loss by cross-validation
      degree 2  0.007936  +- 0.0026  <- chosen
      degree 9  0.009759  +- 0.0023
      degree 1  0.1128    +- 0.019
    The least of several estimates is too small for its model.
    """
    who = "choose_model"
    if not isinstance(models, Mapping) or not models:
        must = "models must be a mapping of names to estimators"
        raise ParameterError(sentence(who, must, shown(models)))
    for model in models.values():
        check_model(who, model)
    if len({is_classifier(model) for model in models.values()}) > 1:
        must = "models must be all classifiers or all regressors"
        raise ParameterError(sentence(who, must, "both"))
    if by not in METHODS:
        must = f"by must be {one_of(*METHODS).words}"
        raise ParameterError(sentence(who, must, shown(by)))
    first = next(iter(models.values()))
    given = given_rows(who, first, X, y, sample_weight, groups)
    cost = chosen_loss(who, loss, first)
    seed = seed_of(who, random_state)
    if by in ("cross-validation", "hold-out"):
        splits = splits_of(who, by, splitter, given, seed)
        found = compared(who, models, given, cost, splits)
    else:
        if splitter is not None or (by == "bootstrap" and sample_weight is not None):
            name = "sample_weight" if splitter is None else "splitter"
            raise ParameterError(sentence(who, f"by {by!r} takes no {name}", "one"))
        found = one_by_one(who, by, models, given, cost, seed)
    E, doubt, close, each = found
    chosen = list(models.values())[int(E.argmin())]
    last = fitted(who, chosen, given)
    names = tuple(map(str, models))
    return ModelChoice(names, E, doubt, close, by, cost.name, last, each)


def splits_of(
    who: str, by: str, splitter: Any, given: Given, seed: int
) -> tuple[Split, ...]:
    """Return the pairs of rows that all models are judged on."""
    if by == "cross-validation":
        return folds_of(who, 10 if splitter is None else splitter, given, seed=seed)
    if splitter is not None and not isinstance(splitter, float):
        pairs = folds_of(who, splitter, given, seed=seed)
        if len(pairs) != 1:
            must = "splitter of a hold-out must be a share or one pair of rows"
            raise ParameterError(sentence(who, must, f"{len(pairs)} pairs"))
        return pairs
    share = 0.3 if splitter is None else splitter
    count = round(share * given.n) if 0 < share < 1 else 0
    if not 0 < count < given.n:
        must = f"splitter must hold out some of the {given.n} rows"
        raise ParameterError(sentence(who, must, shown(share)))
    rng = generator(seed, 98)
    codes = np.zeros(given.n) if given.codes is None else given.codes
    order = np.lexsort((rng.random(given.n), codes))
    train, _, test = drawn(order, (count, 0), rng)
    return folds_of(who, [(np.sort(train), np.sort(test))], given)


def compared(
    who: str,
    models: Mapping[str, Any],
    given: Given,
    loss: Loss,
    splits: tuple[Split, ...],
) -> tuple[Any, ...]:
    """Judge all models on the same splits; differences are paired."""
    found = [validated(who, model, given, splits, loss) for model in models.values()]
    E = np.array([one.mean for one in found])
    best = found[int(E.argmin())]
    close = []
    for one in found:
        apart = None
        if one.losses is not None and best.losses is not None:
            apart = one.losses - best.losses
        noise = standard_error(one.fold_losses - best.fold_losses, splits, apart)
        close.append(bool(one.mean - best.mean <= noise))
    each = np.array([one.fold_losses for one in found])
    return E, np.array([one.standard_error for one in found]), tuple(close), each


def one_by_one(
    who: str,
    by: str,
    models: Mapping[str, Any],
    given: Given,
    loss: Loss,
    seed: int,
) -> tuple[Any, ...]:
    """Judge each model by leave-one-out or by the bootstrap; differences by rows."""
    E, doubt, rows = [], [], []
    for model in models.values():
        if by == "bootstrap":
            found: Any = bootstrapped(who, model, given, loss, 50, seed, "632+")
            E.append(found.error)
        else:
            found = leave_one_out(
                model, given.X, given.y, loss=loss, sample_weight=given.w
            )
            E.append(found.mean)
        doubt.append(found.standard_error)
        rows.append(found.losses)
    errors, best = np.array(E), int(np.argmin(E))
    apart = np.array(rows) - rows[best]
    noise = np.nanstd(apart, axis=1) / np.sqrt(given.n)
    return errors, np.array(doubt), tuple(errors - errors[best] <= noise), None


def expected_least_error(n_rows: int, n_models: int, error: float = 0.5) -> float:
    """Return what the best of many equal models shows on rows held out (2).

    Parameters
    ----------
    n_rows : int
        Rows held out.
    n_models : int
        Models that all have one error, and err independently of each other.
    error : float in [0, 1], default=0.5
        Their error.

    Returns
    -------
    float
        Expected share of errors of the winner; its true error is `error`.

    Examples
    --------
    >>> from corollary.selection import expected_least_error
    >>> [round(expected_least_error(100, M), 3) for M in (1, 10, 1000)]
    [0.5, 0.423, 0.339]
    """
    who = "expected_least_error"
    for name, value in (("n_rows", n_rows), ("n_models", n_models)):
        if not whole(1).holds(value):
            must = f"{name} must be a whole number >= 1"
            raise ParameterError(sentence(who, must, shown(value)))
    if not real(0, 1).holds(error):
        must = "error must be a number in [0, 1]"
        raise ParameterError(sentence(who, must, shown(error)))
    k = np.arange(n_rows)
    return float((stats.binom.sf(k, n_rows, error) ** n_models).sum() / n_rows)  # (2)
