"""A search by Optuna: settings are proposed from what was tried before.

Also known as: Bayesian optimisation of hyper-parameters, TPE, tree of Parzen windows.

Optuna proposes, `cross_validate` judges, Optuna is told:

    theta_{t+1} ~ what Optuna makes of (theta_1, loss_1) ... (theta_t, loss_t)   (1)

Its sampler is its own; here is the loop, so that time and Ctrl-C end a search with what
was found, everything tried is kept, and the record is that of `halving_search`.  Optuna
is no part of Corollary and must be installed beside it.

Notation: theta = a setting.
Course: S4-56. References: Akiba et al. (2019); Bergstra et al. (2011).
"""

from __future__ import annotations

import importlib
from collections.abc import Mapping, Sequence
from time import perf_counter
from typing import Any

from sklearn.base import clone

from corollary.core.errors import ParameterError, sentence
from corollary.core.parameters import missing, real, shown, whole
from corollary.selection.folds import folds_of
from corollary.selection.halving_search import judged
from corollary.selection.search_result import SearchResult, SearchTrial, words_of
from corollary.selection.validation_data import check_model, given_rows, seed_of
from corollary.selection.validation_loss import chosen_loss

__all__ = ["optuna_search"]

WHO = "optuna_search"


def optuna_search(
    model: Any,
    space: Mapping[str, Any],
    X: Any,
    y: Any,
    *,
    n_trials: int = 50,
    seconds: float | None = None,
    splitter: Any = 5,
    loss: Any = None,
    sample_weight: Any = None,
    groups: Any = None,
    sampler: Any = None,
    random_state: Any = 0,
) -> SearchResult:
    """Search for the best setting of a model with Optuna (1).

    Parameters
    ----------
    model : estimator or pipeline
    space : mapping of parameter -> values
        A list to choose from; a pair (low, high) of numbers, whole ones where both are
        whole; a triple (low, high, 'log'); or a function of an Optuna trial.
    X : rows: array, sparse matrix, data frame or table
    y : targets of shape (n,)
    n_trials : int, default=50
    seconds : float, optional
        No trial begins after that time.
    splitter, loss, sample_weight, groups
        As in `cross_validate`.
    sampler : Optuna sampler, optional
        By default Optuna's TPE with the seed of `random_state`.
    random_state : None, int or Generator, default=0
        Draws folds and settings.

    Returns
    -------
    SearchResult
        After Ctrl-C, what was found so far.

    Examples
    --------
    >>> from corollary.selection import optuna_search
    >>> space = {"alpha": (1e-3, 1e3, "log"), "fit_intercept": [True, False]}
    >>> found = optuna_search(Ridge(), space, X, y)  # doctest: +SKIP
    """
    check_model(WHO, model)
    if not whole(1).holds(n_trials) or not (real(0) | missing).holds(seconds):
        must = "n_trials must be a whole number >= 1 and seconds a number or None"
        raise ParameterError(sentence(WHO, must, shown((n_trials, seconds))))
    check_space(model, space)
    optuna = imported()
    given = given_rows(WHO, model, X, y, sample_weight, groups)
    cost, seed = chosen_loss(WHO, loss, model), seed_of(WHO, random_state)
    splits = folds_of(WHO, splitter, given, seed=seed)
    chooser = (
        optuna.samplers.TPESampler(seed=seed % 2**32) if sampler is None else sampler
    )
    study = optuna.create_study(direction="minimize", sampler=chooser)
    begun, stopped = perf_counter(), "finished"
    trials: list[SearchTrial] = []
    makers: dict[str, Any] = {}
    for number in range(n_trials):
        if trials and seconds is not None and perf_counter() - begun > seconds:
            stopped = "out of time"
            break
        proposal = study.ask()
        params = {
            name: proposed(proposal, name, values) for name, values in space.items()
        }
        name = f"{number}: {words_of(params)}"
        makers[name] = clone(model).set_params(**params)
        try:
            found = judged(WHO, makers[name], given, splits, cost)
        except KeyboardInterrupt:
            if not trials:
                raise
            stopped = "interrupted"
            break
        failed = bool(found[3])
        state = optuna.trial.TrialState.FAIL if failed else None
        study.tell(proposal, None if failed else found[0], state=state)
        trials.append(SearchTrial(name, params, 0, float(given.n), *found))
    if all(trial.error for trial in trials):
        must = "at least one setting must be fitted"
        raise ParameterError(sentence(WHO, must, f"none ({trials[0].error})"))
    return SearchResult(tuple(trials), cost.name, stopped, 0, makers, given)


def imported() -> Any:
    """Return Optuna, or say in one sentence how to get it."""
    try:
        return importlib.import_module("optuna")
    except ImportError:
        must = "Optuna must be installed"
        remedy = "Run `pip install optuna`, or use halving_search, which needs nothing."
        raise ImportError(
            sentence(WHO, must, "an environment without", remedy)
        ) from None


def check_space(model: Any, space: Any) -> None:
    """Refuse a space that is none, or that names what the model does not have."""
    if not isinstance(space, Mapping) or not space:
        must = "space must be a mapping of parameters to values"
        raise ParameterError(sentence(WHO, must, shown(space)))
    known = model.get_params()
    for name, values in space.items():
        if name not in known:
            must = f"space must name parameters of the {type(model).__name__}"
            raise ParameterError(sentence(WHO, must, repr(name)))
        if callable(values) or (isinstance(values, list) and values):
            continue
        ends = isinstance(values, tuple) and len(values) in (2, 3)
        if (
            not ends
            or not all(real().holds(v) for v in values[:2])
            or (values[2:] not in ((), ("log",)) or not values[0] < values[1])
        ):
            must = (
                f"space must have a list, (low, high) or (low, high, 'log') of {name!r}"
            )
            raise ParameterError(sentence(WHO, must, shown(values)))


def proposed(trial: Any, name: str, values: Any) -> Any:
    """Return Optuna's proposal for a parameter."""
    if callable(values):
        return values(trial)
    if isinstance(values, Sequence) and not isinstance(values, tuple):
        return trial.suggest_categorical(name, list(values))
    low, high = values[:2]
    log = values[2:] == ("log",)
    if whole().holds(low) and whole().holds(high):
        return trial.suggest_int(name, low, high, log=log)
    return trial.suggest_float(name, low, high, log=log)
