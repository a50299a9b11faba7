"""Searching for a good set of features by trying them with the model itself.

Also known as: wrapper feature selection, forward search, backward search, stepwise
selection, sequential feature selection, backward elimination.

There are 2^d sets of d features.  A greedy search goes through few of them:

    forward    S = {};  add the j outside S with the least error of S + {j}      (1)
    backward   S = all; drop the j in S with the least error of S - {j}          (2)

The error is a cross-validation on the same folds for all sets.  To the end that is
d + (d - 1) + ... + 1 = d(d + 1)/2 sets.  It ends at a wanted size, or by noise: with
fold by fold differences from the set before, (1) stops at a gain, (2) at a cost over
the best set so far, of

    gain < c se(gain),    cost > c se(cost)                                      (3)

where se is Nadeau and Bengio's (`cross_validation`).  Neither finds the best set for
sure.  (1) is cheap for small sets and misses features that help only together; (2)
begins with them, at the price of fits with all features.  With correlated features both
may end at different sets of nearly the same error.

The error of the set that is found is too small: it is the least of many.  Judge the
whole search on other rows, by `nested_cross_validation` or a `LockedTestSet`.

Notation: S = features; c = noise.
Course: S4-58. References: Kohavi and John (1997); Guyon and Elisseeff (2003).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.dummy import DummyClassifier, DummyRegressor
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import FunctionTransformer

from corollary.core.arrays import Vector
from corollary.core.errors import DataError, ParameterError, sentence
from corollary.core.parameters import real, shown, whole
from corollary.core.table import table_of
from corollary.selection.cross_validation import (
    CrossValidation,
    standard_error,
    validated,
)
from corollary.selection.feature_filter import some_columns
from corollary.selection.folds import Split, folds_of
from corollary.selection.validation_data import (
    Given,
    check_model,
    fitted,
    given_rows,
    seed_of,
)
from corollary.selection.validation_loss import Loss, chosen_loss

__all__ = ["FeatureSearch", "SearchStep", "backward_search", "forward_search"]


@dataclass(frozen=True)
class SearchStep:
    """One feature that was added or dropped, or would have been.

    Attributes
    ----------
    feature : str or int
    size : int
        Features after the step.
    loss : float
        Cross-validated loss after the step.
    gain : float
        By how much the loss fell: from the set before (forward), or from the best set
        so far (backward).
    noise : float
        Standard error of the gain.
    taken : bool
        False for the last one, which ended the search.
    """

    feature: Any
    size: int
    loss: float
    gain: float
    noise: float
    taken: bool

    def __str__(self) -> str:
        text = f"{self.size} features: {self.loss:.4g}, gain {self.gain:.3g}"
        ending = "" if self.taken else ", not taken"
        return f"{self.feature!s}: {text} +- {self.noise:.2g}{ending}"


@dataclass(frozen=True)
class FeatureSearch:
    """A search for features: its path, and the set that it ends with.

    Attributes
    ----------
    direction : {'forward', 'backward'}
    names : tuple
        Names of all features, or their positions.
    steps : tuple of SearchStep
    start : float
        Loss of the set that it began with: of no feature, or of all.
    chosen : array of int
        Positions of the features that were chosen, in the order of the columns.
    loss : float
        Their cross-validated loss, the least of many and so too small.
    sets : int
        Sets of features that were tried.
    fits : int
        Fits of the model.
    model : estimator
        A pipeline that selects the features and predicts, fitted to all rows.
    """

    direction: str
    names: tuple[Any, ...]
    steps: tuple[SearchStep, ...]
    start: float
    chosen: Vector
    loss: float
    sets: int
    fits: int
    model: Any

    @property
    def features(self) -> tuple[Any, ...]:
        """Names of the features that were chosen."""
        return tuple(self.names[j] for j in self.chosen)

    def __str__(self) -> str:
        whole_set = "no feature" if self.direction == "forward" else "all features"
        lines = [f"{self.direction} search, {self.sets} of 2^{len(self.names)} sets"]
        lines.append(f"  {whole_set}: {self.start:.4g}")
        sign = "+" if self.direction == "forward" else "-"
        lines += [f"  {sign} {step}" for step in self.steps]
        kept = ", ".join(map(str, self.features)) or "none"
        return "\n".join([*lines, f"chosen: {kept}"])

    def plot(self, ax: Any = None) -> Any:
        """Draw the loss over the number of features; return the axes.

        Parameters
        ----------
        ax : matplotlib axes, optional

        Returns
        -------
        matplotlib axes
        """
        import matplotlib.pyplot as plt

        ax = ax if ax is not None else plt.subplots()[1]
        first = 0 if self.direction == "forward" else len(self.names)
        sizes = [first, *(step.size for step in self.steps)]
        ax.plot(sizes, [self.start, *(step.loss for step in self.steps)], marker="o")
        for step in self.steps:
            ax.annotate(str(step.feature), (step.size, step.loss))
        ax.axvline(len(self.chosen), linestyle=":", color="grey")
        ax.set(xlabel="features", ylabel="loss", title=f"{self.direction} search")
        return ax


def forward_search(
    model: Any,
    X: Any,
    y: Any,
    *,
    n_features: int | None = None,
    noise: float = 1.0,
    splitter: Any = 5,
    loss: Any = None,
    sample_weight: Any = None,
    groups: Any = None,
    random_state: Any = 0,
) -> FeatureSearch:
    """Add features one by one, each time the one that helps the model most (1).

    Parameters
    ----------
    model : estimator or pipeline
    X : array, sparse matrix, data frame or table
    y : targets of shape (n,)
    n_features : int, optional
        How many to choose; by default as many as gain more than noise (3).
    noise : float, default=1
        c of (3), standard errors that a gain must exceed.
    splitter, loss, sample_weight, groups, random_state
        As in `cross_validate`.

    Returns
    -------
    FeatureSearch

    Examples
    --------
    >>> import numpy as np
    >>> from corollary import LinearRegression
    >>> from corollary.selection import forward_search
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(80, 6))
    >>> y = 3 * X[:, 1] - 2 * X[:, 4] + rng.normal(size=80)
    >>> forward_search(LinearRegression(), X, y).features
    (1, 4)
    """
    who = "forward_search"
    given = checked(who, model, X, y, n_features, noise, sample_weight, groups)
    trial = Trial.of(who, model, given, splitter, loss, random_state)
    kept: list[int] = []
    before = start = trial.judged(kept)
    steps: list[SearchStep] = []
    while len(kept) < (trial.d if n_features is None else n_features):
        rest = [j for j in range(trial.d) if j not in kept]
        found = [trial.judged([*kept, j]) for j in rest]
        best = int(np.argmin([one.mean for one in found]))
        gain, doubt = trial.gain(before, found[best])
        taken = n_features is not None or gain > noise * doubt  # (3)
        name = trial.names[rest[best]]
        after = found[best].mean
        steps.append(SearchStep(name, len(kept) + 1, after, gain, doubt, taken))
        if not taken:
            break
        kept.append(rest[best])
        before = found[best]
    return trial.record("forward", steps, start.mean, kept, before.mean)


def backward_search(
    model: Any,
    X: Any,
    y: Any,
    *,
    n_features: int | None = None,
    noise: float = 1.0,
    splitter: Any = 5,
    loss: Any = None,
    sample_weight: Any = None,
    groups: Any = None,
    random_state: Any = 0,
) -> FeatureSearch:
    """Drop features one by one, each time the one that the model misses least (2).

    Parameters
    ----------
    model : estimator or pipeline
    X : array, sparse matrix, data frame or table
    y : targets of shape (n,)
    n_features : int, optional
        How many to leave; by default as few as cost no more than noise (3).
    noise : float, default=1
        c of (3), standard errors that dropping may cost.
    splitter, loss, sample_weight, groups, random_state
        As in `cross_validate`.

    Returns
    -------
    FeatureSearch

    Examples
    --------
    >>> import numpy as np
    >>> from corollary import LinearRegression
    >>> from corollary.selection import backward_search
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(80, 6))
    >>> y = 3 * X[:, 1] - 2 * X[:, 4] + rng.normal(size=80)
    >>> backward_search(LinearRegression(), X, y).features
    (1, 4)
    """
    who = "backward_search"
    given = checked(who, model, X, y, n_features, noise, sample_weight, groups)
    trial = Trial.of(who, model, given, splitter, loss, random_state)
    kept = list(range(trial.d))
    best = last = start = trial.judged(kept)
    steps: list[SearchStep] = []
    while len(kept) > (1 if n_features is None else n_features):
        found = [trial.judged([i for i in kept if i != j]) for j in kept]
        least = int(np.argmin([one.mean for one in found]))
        gain, doubt = trial.gain(best, found[least])
        taken = n_features is not None or -gain <= noise * doubt  # (3)
        name = trial.names[kept[least]]
        after = found[least].mean
        steps.append(SearchStep(name, len(kept) - 1, after, gain, doubt, taken))
        if not taken:
            break
        kept.pop(least)
        last = found[least]
        best = last if last.mean < best.mean else best
    return trial.record("backward", steps, start.mean, kept, last.mean)


def checked(
    who: str,
    model: Any,
    X: Any,
    y: Any,
    n_features: Any,
    noise: Any,
    sample_weight: Any,
    groups: Any,
) -> Given:
    """Check rows and numbers."""
    check_model(who, model)
    given = given_rows(who, model, X, y, sample_weight, groups)
    if getattr(given.X, "ndim", 2) != 2:
        must = "X must be a table of rows and columns"
        raise DataError(sentence(who, must, f"{given.X.ndim} dimensions"))
    d = int(given.X.shape[1])
    if n_features is not None and not whole(1, d).holds(n_features):
        must = f"n_features must be a whole number, 1 to {d}, or None"
        raise ParameterError(sentence(who, must, shown(n_features)))
    if not real(0).holds(noise):
        raise ParameterError(sentence(who, "noise must be >= 0", shown(noise)))
    return given


@dataclass
class Trial:
    """Judges sets of features on the same folds, and counts them."""

    who: str
    model: Any
    given: Given
    splits: tuple[Split, ...]
    loss: Loss
    names: tuple[Any, ...]
    sets: int = 0

    @classmethod
    def of(
        cls, who: str, model: Any, given: Given, splitter: Any, loss: Any, state: Any
    ) -> Trial:
        """Part the rows once for all sets."""
        cost = chosen_loss(who, loss, model)
        splits = folds_of(who, splitter, given, seed=seed_of(who, state))
        table = table_of(who, given.X)
        d = table.shape[1]
        names = tuple(range(d)) if table.names is None else tuple(table.names)
        return cls(who, model, given, splits, cost, names)

    @property
    def d(self) -> int:
        """How many features there are."""
        return len(self.names)

    def judged(self, columns: Sequence[int]) -> CrossValidation:
        """Return the cross-validation of a model with some features, or with none."""
        if not columns:
            kind = DummyRegressor() if self.given.classes is None else DummyClassifier()
            rows = self.given._replace(X=np.zeros((self.given.n, 1)))
            return validated(self.who, kind, rows, self.splits, self.loss)
        self.sets += 1
        rows = self.given._replace(X=some_columns(self.given.X, sorted(columns)))
        return validated(self.who, self.model, rows, self.splits, self.loss)

    def gain(self, a: CrossValidation, b: CrossValidation) -> tuple[float, float]:
        """Return how much less the second loses, and the noise of that."""
        apart = None
        if a.losses is not None and b.losses is not None:
            apart = a.losses - b.losses
        doubt = standard_error(a.fold_losses - b.fold_losses, self.splits, apart)
        return a.mean - b.mean, doubt

    def record(
        self,
        direction: str,
        steps: list[SearchStep],
        start: float,
        kept: list[int],
        loss: float,
    ) -> FeatureSearch:
        """Make the record, with a model of the features that were chosen."""
        at = np.sort(np.array(kept, dtype=np.intp))
        last: Any = (
            DummyRegressor() if self.given.classes is None else DummyClassifier()
        )
        if len(at):
            choose = FunctionTransformer(some_columns, kw_args={"columns": at.tolist()})
            last = Pipeline([("features", choose), ("model", self.model)])
        model = fitted(self.who, last, self.given)
        fits = self.sets * len(self.splits)
        return FeatureSearch(
            direction,
            self.names,
            tuple(steps),
            start,
            at,
            loss,
            self.sets,
            fits,
            model,
        )
