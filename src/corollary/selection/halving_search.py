"""Successive halving: many settings on few rows, few settings on many.

Also known as: halving grid search, racing, hyper-parameter search, grid search.

Of M settings give each a little first, keep the best 1/eta, give these eta times as
much, and so on until all is spent on the last few:

    rung r = 0 ... R - 1:   M eta^-r settings, each with a share eta^(r - R + 1)   (1)
    R = floor(log_eta M) + 1

Every rung costs about as much as the last, so that R rungs cost R/M of trying all
settings on all rows.  What is given is rows to train on, or a parameter such as the
number of trees.  All settings of a rung are judged on the same rows held out, and the
training rows of a rung contain those of the rung before, with classes in proportion.

What can go wrong: a setting that needs many rows to shine, such as a large model or a
weak penalty, is dropped early.  A larger smallest share guards against it; eta = M, or
`rungs=1`, is a plain grid search.

A search is a long job.  Its state goes to a file after every trial, and a search that
was stopped goes on from there; Ctrl-C, or the end of its time, gives what was found.

Notation: eta = factor; M settings.
Course: S4-56. References: Jamieson and Talwalkar (2016); Li et al. (2018).
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from time import perf_counter
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.model_selection import ParameterGrid

from corollary.core.arrays import Vector
from corollary.core.errors import ParameterError, sentence
from corollary.core.parameters import missing, real, shown, whole
from corollary.core.randomness import generator
from corollary.selection.cross_validation import validated
from corollary.selection.folds import Split, folds_of
from corollary.selection.search_result import SearchResult, SearchTrial, words_of
from corollary.selection.search_state import SearchState, search_key
from corollary.selection.validation_data import Given, check_model, given_rows, seed_of
from corollary.selection.validation_loss import Loss, chosen_loss

__all__ = ["Settings", "halving_search", "judged", "settings_of"]

WHO = "halving_search"
FEWEST = 20  # rows to train on in the first rung, where nothing is said


@dataclass(frozen=True)
class Settings:
    """Candidates: a name, a setting, and the model with it."""

    names: tuple[str, ...]
    params: tuple[Mapping[str, Any], ...]
    models: tuple[Any, ...]


def halving_search(
    model: Any,
    grid: Any,
    X: Any,
    y: Any,
    *,
    splitter: Any = 5,
    loss: Any = None,
    factor: int = 3,
    rungs: int | None = None,
    resource: str = "rows",
    smallest: float | None = None,
    largest: float | None = None,
    sample_weight: Any = None,
    groups: Any = None,
    seconds: float | None = None,
    resume: Any = None,
    random_state: Any = 0,
) -> SearchResult:
    """Search for the best setting of a model by successive halving (1).

    Parameters
    ----------
    model : estimator or pipeline
        None where `grid` holds models.
    grid : mapping of parameter -> list of values, list of settings, or mapping of name
        -> estimator
        All combinations, the settings themselves, or the candidates.
    X : rows: array, sparse matrix, data frame or table
    y : targets of shape (n,)
    splitter : int, splitter of scikit-learn's, or pairs of rows, default=5
        As in `cross_validate`, the same for all settings.
    loss : str, function or Loss, optional
        As in `cross_validate`.
    factor : int, default=3
        eta: of so many settings one goes on.
    rungs : int, optional
        R; by default as many as bring the settings down to fewer than eta.
    resource : str, default='rows'
        What is given: 'rows' to train on, or the name of a parameter.
    smallest, largest : float, optional
        Of the first and of the last rung.  For 'rows' 20 and all of a fold by default;
        a parameter needs its largest value.
    sample_weight, groups : arrays of shape (n,), optional
        As in `cross_validate`.
    seconds : float, optional
        No trial begins after that time.
    resume : path, optional
        A JSON file for the state: written after every trial, and read where it exists,
        so that the search goes on where it was stopped.
    random_state : None, int or Generator, default=0
        Draws folds and rows.

    Returns
    -------
    SearchResult
        After Ctrl-C, what was found so far.

    Examples
    --------
    >>> import numpy as np
    >>> from corollary import Ridge
    >>> from corollary.selection import halving_search
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(200, 5))
    >>> y = 3 * X[:, 0] + rng.normal(size=200)
    >>> found = halving_search(Ridge(), {"alpha": np.logspace(-2, 6, 9)}, X, y)
    >>> bool(found.best_params["alpha"] <= 10), len(found.trials)
    (True, 13)
    >>> model = found.refit()
    """
    rules = (
        ("factor", factor, whole(2)),
        ("rungs", rungs, whole(1) | missing),
        ("seconds", seconds, real(0, ends="(]") | missing),
        ("smallest", smallest, real(0, ends="(]") | missing),
        ("largest", largest, real(0, ends="(]") | missing),
    )
    for name, value, rule in rules:
        if not rule.holds(value):
            must = f"{name} must be {rule.words}"
            raise ParameterError(sentence(WHO, must, shown(value)))
    settings = settings_of(WHO, model, grid)
    first = settings.models[0]
    given = given_rows(WHO, first, X, y, sample_weight, groups)
    cost = chosen_loss(WHO, loss, first)
    seed = seed_of(WHO, random_state)
    splits = folds_of(WHO, splitter, given, seed=seed)
    spend = spending(settings, given, splits, resource, smallest, largest, seed)
    shares = spend.rungs(len(settings.names), factor, rungs)
    key = search_key(settings.names, given, splits, (cost.name, resource, shares))
    state = SearchState.opened(WHO, resume, key, len(settings.names))
    race = Race(settings, given, splits, cost, spend, state, seconds, perf_counter())
    stopped = race.run(shares, factor)
    return race.result(stopped)


def settings_of(who: str, model: Any, grid: Any) -> Settings:
    """Return the candidates of a grid, of a list of settings, or of models by name."""
    if isinstance(grid, Mapping) and grid and model is None:
        for one in grid.values():
            check_model(who, one)
        each = tuple(map(str, grid))
        return Settings(each, tuple({"model": n} for n in each), tuple(grid.values()))
    check_model(who, model)
    if isinstance(grid, Mapping):
        for name, values in grid.items():
            if isinstance(values, str) or not hasattr(values, "__len__"):
                must = f"grid must have a list of values for {name!r}"
                raise ParameterError(sentence(who, must, shown(values)))
        settings = list(ParameterGrid(grid)) if grid else []
    else:
        settings = list(grid) if isinstance(grid, Sequence) else []
    if not settings or not all(isinstance(one, Mapping) for one in settings):
        must = "grid must be values by parameter, a list of settings, or models by name"
        raise ParameterError(sentence(who, must, shown(grid)))
    known = model.get_params()
    for name in {name for one in settings for name in one}:
        if name not in known:
            must = f"grid must name parameters of the {type(model).__name__}"
            raise ParameterError(sentence(who, must, repr(name)))
    names, models = [], []
    for one in settings:
        names.append(words_of(one))
        models.append(clone(model).set_params(**one))
    if len(set(names)) < len(names):
        names = [f"{i}: {name}" for i, name in enumerate(names)]
    return Settings(tuple(names), tuple(map(dict, settings)), tuple(models))


# -- what is given ---------------------------------------------------------------------
@dataclass(frozen=True)
class Spending:
    """What a setting may be given, from the smallest to the largest."""

    resource: str
    smallest: float
    largest: float
    orders: tuple[Vector, ...]  # of the training rows of each fold

    def rungs(self, M: int, eta: int, R: int | None) -> tuple[float, ...]:
        """Return what each rung gives (1), rising; rungs that give the same are one."""
        most = math.floor(math.log(M, eta) + 1e-9) + 1 if M > 1 else 1
        count = most if R is None else R
        shares = [self.largest * float(eta) ** (r - count + 1) for r in range(count)]
        rounded = [float(round(max(s, self.smallest))) for s in shares]
        return tuple(sorted(set(rounded)))

    def given(self, model: Any, splits: tuple[Split, ...], amount: float) -> Any:
        """Return the model and the splits with some of what there is."""
        if self.resource != "rows":
            return clone(model).set_params(**{self.resource: int(amount)}), splits
        parts = []
        for (train, test), order in zip(splits, self.orders, strict=True):
            count = max(2, min(len(train), round(amount)))
            parts.append((np.sort(order[:count]), test))
        return model, tuple(parts)


def spending(
    settings: Settings,
    given: Given,
    splits: tuple[Split, ...],
    resource: Any,
    smallest: float | None,
    largest: float | None,
    seed: int,
) -> Spending:
    """Return what can be given: rows of the folds, or a parameter."""
    if resource == "rows":
        orders = tuple(
            growing(given, train, generator(seed, 57, j))
            for j, (train, _) in enumerate(splits)
        )
        most = max(len(train) for train, _ in splits)
        top = float(most if largest is None else min(largest, most))
        low = float(min(FEWEST, top) if smallest is None else min(smallest, top))
        return Spending("rows", low, top, orders)
    known = all(resource in model.get_params() for model in settings.models)
    if not isinstance(resource, str) or not known or largest is None:
        must = "resource must be 'rows', or a parameter of the model with its largest"
        raise ParameterError(sentence(WHO, must, shown(resource)))
    low = 1.0 if smallest is None else min(float(smallest), float(largest))
    return Spending(resource, low, float(largest), ())


def growing(given: Given, rows: Vector, rng: np.random.Generator) -> Vector:
    """Return rows in an order whose beginnings have classes in proportion."""
    shuffled = rng.permutation(rows)
    if given.codes is None:
        return shuffled
    codes = given.codes[shuffled]
    place = np.empty(len(codes))
    for c in np.unique(codes):
        own = np.flatnonzero(codes == c)
        place[own] = np.arange(len(own)) / len(own)
    return shuffled[np.argsort(place, kind="stable")]


# -- the race --------------------------------------------------------------------------
@dataclass
class Race:
    """Settings that compete, rung by rung."""

    settings: Settings
    given: Given
    splits: tuple[Split, ...]
    loss: Loss
    spend: Spending
    state: SearchState
    seconds: float | None
    begun: float

    def run(self, shares: tuple[float, ...], eta: int) -> str:
        """Run all rungs; return why it stopped."""
        left = list(range(len(self.settings.names)))
        for rung, amount in enumerate(shares):
            for i in left:
                late = perf_counter() - self.begun
                if self.seconds is not None and late > self.seconds and self.state.done:
                    return "out of time"
                if (rung, i) in self.state.done:
                    continue
                try:
                    trial = self.tried(i, rung, amount)
                except KeyboardInterrupt:
                    if not self.state.done:
                        raise
                    return "interrupted"
                self.state.add(rung, i, trial)
            order = sorted(left, key=lambda i: self.state.done[rung, i].loss)
            if not np.isfinite(self.state.done[rung, order[0]].loss):
                why = self.state.done[rung, order[0]].error
                must = "at least one setting must be fitted"
                raise ParameterError(sentence(WHO, must, f"none ({why})"))
            left = order[: max(1, -(-len(left) // eta))]
        return "finished"

    def tried(self, i: int, rung: int, amount: float) -> SearchTrial:
        """Cross-validate a setting with what the rung gives."""
        model, splits = self.spend.given(self.settings.models[i], self.splits, amount)
        name, params = self.settings.names[i], self.settings.params[i]
        found = judged(WHO, model, self.given, splits, self.loss)
        return SearchTrial(name, params, rung, amount, *found)

    def result(self, stopped: str) -> SearchResult:
        """Return everything that was tried."""
        full = {
            name: self.spend.given(model, self.splits, self.spend.largest)[0]
            for name, model in zip(
                self.settings.names, self.settings.models, strict=True
            )
        }
        trials = tuple(
            SearchTrial(**(vars(trial) | {"params": self.settings.params[i]}))
            for (_, i), trial in self.state.done.items()
        )
        resumed = self.state.resumed
        return SearchResult(trials, self.loss.name, stopped, resumed, full, self.given)


def judged(
    who: str, model: Any, given: Given, splits: tuple[Split, ...], loss: Loss
) -> tuple[float, float, float, str]:
    """Return loss, standard error, seconds, and why a fit failed if it did."""
    begun = perf_counter()
    try:
        found = validated(who, model, given, splits, loss)
    except (ValueError, ArithmeticError) as failure:
        return math.inf, math.nan, perf_counter() - begun, f"{failure}"
    return found.mean, found.standard_error, perf_counter() - begun, ""
