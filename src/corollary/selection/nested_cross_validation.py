"""Nested cross-validation: what error to expect after something was tuned.

Also known as: double cross-validation, cross-validation of the whole procedure, nested
resampling.

Where models are chosen, or parameters tuned, by their estimated error, the least of the
estimates is too small (`model_choice`).  Take the choice as part of the learner:

    outer   for each fold j: the rows without it go to the whole search,
            and what it chose is judged on fold j                                (1)
    inner   the search itself, on these rows alone: folds of folds

The mean over the outer folds is an honest estimate of the procedure "search, then fit";
the inner estimates of the winners are not, and what they are short of is

    optimism = mean outer loss - mean inner loss of the winners                  (2)

The estimate is of the procedure, not of one setting: other folds may choose otherwise,
and how often they do tells how firm the choice is.  The final model is that of the
search on all rows.

Notation: J outer folds; inner = estimates by which the winners were chosen.
Course: S1-42. References: Stone (1974); Varma and Simon (2006); Cawley and Talbot
(2010).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import is_classifier
from sklearn.pipeline import Pipeline

from corollary.core.arrays import Floats
from corollary.core.errors import ParameterError, sentence
from corollary.core.parameters import shown
from corollary.selection.cross_validation import CrossValidation, validated
from corollary.selection.folds import folds_of
from corollary.selection.hold_out_split import is_classes
from corollary.selection.model_choice import choose_model
from corollary.selection.search_result import words_of
from corollary.selection.validation_data import (
    Given,
    check_model,
    fitted,
    given_rows,
    seed_of,
)
from corollary.selection.validation_loss import Loss, chosen_loss

__all__ = ["NestedCrossValidation", "nested_cross_validation"]

TUNED = ("alpha_", "C_", "l1_ratio_", "tau_", "n_components_")


@dataclass(frozen=True)
class NestedCrossValidation:
    """An honest estimate of the error of a search and its winner.

    Attributes
    ----------
    outer : CrossValidation
        Of the whole procedure (1), with out-of-fold predictions.
    choices : tuple of str
        What was chosen in each outer fold, in words.
    inner : array of shape (J,)
        The estimate by which the winner of each fold was chosen; NaN where the search
        does not say it in terms of the same loss.
    """

    outer: CrossValidation
    choices: tuple[str, ...]
    inner: Floats

    @property
    def mean(self) -> float:
        """The estimate: mean loss over the outer folds."""
        return self.outer.mean

    @property
    def standard_error(self) -> float:
        """Of the mean, corrected for shared training rows."""
        return self.outer.standard_error

    @property
    def optimism(self) -> float:
        """How much too small the inner estimates of the winners are (2)."""
        return self.mean - float(self.inner.mean())

    def __str__(self) -> str:
        names, times = np.unique(self.choices, return_counts=True)
        order = np.argsort(-times, kind="stable")
        head = f"{self.outer.loss} loss {self.mean:.4g}, standard error "
        lines = [f"{head}{self.standard_error:.2g}, of the search and its winner"]
        if np.isfinite(self.optimism):
            inner = self.inner.mean()
            lines.append(f"  the winners' own estimate {inner:.4g} is too small by ")
            lines[-1] += f"{self.optimism:.4g}"
        J = len(self.choices)
        lines += [f"  chosen {times[i]} of {J} times: {names[i]}" for i in order]
        return "\n".join(lines)


def nested_cross_validation(
    search: Any,
    X: Any,
    y: Any,
    *,
    splitter: Any = 5,
    inner: Any = 5,
    loss: Any = None,
    sample_weight: Any = None,
    groups: Any = None,
    random_state: Any = 0,
) -> NestedCrossValidation:
    """Judge a search on rows that it has not seen (1).

    Parameters
    ----------
    search : mapping of name -> estimator, estimator, or function
        Models, the best of which is chosen by `choose_model`; an estimator that tunes
        itself, such as `RidgeCV` or scikit-learn's ``GridSearchCV``; or a function of X
        and y that returns a fitted model, or a record with a `refit` such as
        `halving_search` makes.
    X : rows: array, sparse matrix, data frame or table
    y : targets of shape (n,)
    splitter : int, splitter of scikit-learn's, or pairs of rows, default=5
        The outer folds.
    inner : int or splitter, default=5
        The inner folds, where `search` is a mapping.
    loss : str, function or Loss, optional
        As in `cross_validate`.
    sample_weight : array of shape (n,), optional
        Not with a function.
    groups : array of shape (n,), optional
        Rows that belong together, in the outer folds and, of a mapping, in the inner.
    random_state : None, int or Generator, default=0
        Draws the folds.

    Returns
    -------
    NestedCrossValidation

    Examples
    --------
    >>> import numpy as np
    >>> from corollary import Ridge
    >>> from corollary.selection import nested_cross_validation
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(60, 10))
    >>> y = X[:, 0] + rng.normal(size=60)
    >>> models = {f"alpha {a:g}": Ridge(alpha=a) for a in (0.1, 10.0, 1000.0)}
    >>> found = nested_cross_validation(models, X, y)
    >>> found.choices[0]
    'alpha 10'
    """
    who = "nested_cross_validation"
    check_search(who, search, sample_weight)
    seed, kind = seed_of(who, random_state), kind_of(search, y)
    given = given_rows(who, kind, X, y, sample_weight, groups)
    cost = chosen_loss(who, loss, kind)
    splits = folds_of(who, splitter, given, seed=seed)
    choices: list[str] = []
    estimates: list[float] = []

    def fit(rows: Given) -> Any:
        model, name, estimate = searched(who, search, rows, inner, cost, seed)
        if is_classifier(model) != kind:
            must = f"search must make a {'classifier' if kind else 'regressor'} for y"
            raise ParameterError(sentence(who, must, f"a {type(model).__name__}"))
        choices.append(name)
        estimates.append(estimate)
        return model

    outer = validated(who, search, given, splits, cost, fit=fit)
    return NestedCrossValidation(outer, tuple(choices), np.array(estimates))


def check_search(who: str, search: Any, weights: Any) -> None:
    """Refuse what cannot search."""
    if isinstance(search, Mapping) and search:
        for model in search.values():
            check_model(who, model)
    elif hasattr(search, "fit"):
        check_model(who, search)
    elif not callable(search):
        must = "search must be a mapping of models, an estimator or a function"
        raise ParameterError(sentence(who, must, shown(search)))
    elif weights is not None:
        must = "sample_weight needs a mapping of models or an estimator"
        raise ParameterError(sentence(who, must, "a function"))


def kind_of(search: Any, y: Any) -> bool:
    """Tell whether a search is for classifiers; of a function, by the targets."""
    if isinstance(search, Mapping):
        return bool(is_classifier(next(iter(search.values()))))
    if hasattr(search, "fit"):
        return bool(is_classifier(search))
    return is_classes(np.asarray(y))


def searched(
    who: str, search: Any, rows: Given, inner: Any, loss: Loss, seed: int
) -> tuple[Any, str, float]:
    """Return the winner of a search fitted to rows, its name, and its estimate."""
    if isinstance(search, Mapping):
        found = choose_model(
            search,
            rows.X,
            rows.y,
            splitter=inner,
            loss=loss,
            sample_weight=rows.w,
            groups=rows.groups,
            random_state=seed,
        )
        return found.model, found.chosen, float(found.losses.min())
    if hasattr(search, "fit"):
        model = fitted(who, search, rows)
        return model, setting_of(model), float("nan")
    made = search(rows.X, rows.y)
    if hasattr(made, "refit"):  # a record of a search
        same = getattr(made, "loss", None) == loss.name
        estimate = float(made.best_loss) if same else float("nan")
        return made.refit(), words_of(made.best_params), estimate
    check_model(who, made)
    return made, setting_of(made), float("nan")


def setting_of(model: Any) -> str:
    """Say what an estimator has tuned in itself."""
    last = model[-1] if isinstance(model, Pipeline) else model
    if hasattr(last, "best_params_"):
        return words_of(last.best_params_)
    known = {name[:-1]: getattr(last, name) for name in TUNED if hasattr(last, name)}
    return words_of(known) if known else type(last).__name__
