"""Members are refitted once, or answer by the mean of their models of all folds."""

import time

import numpy as np
import pytest
from workbench.tables import churn, rents
from workbench.test_trials import folded

from corollary.workbench import champion as module
from corollary.workbench import trials
from corollary.workbench.blending import Blend, softened
from corollary.workbench.champion import held_apart, refitted
from corollary.workbench.ladder import base
from corollary.workbench.trials import attempt

TABLES = {"classification": (churn, "outcome"), "regression": (rents, "rent")}


def made(task, *names, rows=90):
    """Return a blend of rungs of the ladder, each with the same weight."""
    make, target = TABLES[task]
    table, metric = folded(make(rows), target)
    rungs = {one.name: one for one in base(task)}
    trials = tuple(attempt(rungs[name], table, metric) for name in names)
    weights = (1 / len(trials),) * len(trials)
    one = trials[0]
    return Blend(trials, weights, one.answers, one.losses, one.losses), table


def champion(best, table, until=-np.inf):
    return refitted(best, best.trials[-1], table, until)[0]


def later():
    return time.monotonic() + 1e6


def answers(model, rows):
    return (
        model.predict_proba(rows) if hasattr(model, "classes_") else model.predict(rows)
    )


@pytest.mark.parametrize("task", list(TABLES))
def test_the_mean_of_the_models_of_all_folds_answers(task):
    best, table = made(task, "boosting")
    found = champion(best, table, later())
    member = found.estimators_[0]
    assert len(member.estimators_) == len(table.splits)
    for one, (_, valid) in zip(member.estimators_, table.splits, strict=True):
        rows = table.table.take(valid)  # its model has not seen them
        np.testing.assert_allclose(answers(one, rows), best.answers[valid])
    each = [answers(one, table.table) for one in member.estimators_]
    mean = softened(np.mean(each, axis=0), table)
    np.testing.assert_allclose(answers(found, table.table), mean)
    if task == "classification":
        assert set(found.predict(table.table)) <= set(table.classes)


def test_other_members_are_refitted_and_keep_their_weights():
    best, table = made("regression", "boosting", "ridge regression")
    averaged, ridge = champion(best, table, later()).estimators_
    assert len(averaged.estimators_) == len(table.splits)
    assert hasattr(ridge, "steps")
    both = [answers(one, table.table) for one in (averaged, ridge)]
    found = champion(best, table, later())
    np.testing.assert_allclose(answers(found, table.table), np.mean(both, axis=0))


def test_without_time_each_member_is_refitted():
    best, table = made("regression", "boosting")
    assert hasattr(champion(best, table).estimators_[0], "steps")
    soon = time.monotonic() + 0.5 * best.trials[0].seconds
    assert hasattr(champion(best, table, soon).estimators_[0], "steps")


def test_many_rows_and_classes_that_a_fold_does_not_know_are_left_alone(monkeypatch):
    _best, table = made("classification", "boosting")
    assert len(held_apart(table)) == len(table.splits)
    table.y[:] = 0
    table.y[table.splits[0][1][0]] = 1  # one row: its fold does not learn of it
    assert held_apart(table) == []
    _best, table = made("regression", "boosting")
    monkeypatch.setattr(module, "MOST_AVERAGED", len(table.y) - 1)
    assert held_apart(table) == []


def counted(monkeypatch):
    """Note each preparation that is made, and each learner that is fitted."""
    made = []
    preparation, fit = trials.preparation, trials.fitted_pipeline

    def prepared(kind, *more):
        made.append(kind)
        return preparation(kind, *more)

    def fitted(candidate, *more):
        made.append(candidate.name)
        return fit(candidate, *more)

    monkeypatch.setattr(trials, "preparation", prepared)
    monkeypatch.setattr(module, "fitted_pipeline", fitted)
    return made


def test_learners_and_preparations_are_fitted_once(monkeypatch):
    names = ("small tree", "ridge regression", "additive boosting", "mean")
    best, table = made("regression", *names)
    fits = counted(monkeypatch)
    found, simple = refitted(best, best.trials[0], table)
    assert sorted(fits) == sorted([*names, "coded", "scaled"])
    each = [answers(member, table.table) for member in found.estimators_]
    np.testing.assert_array_equal(answers(simple, table.table), each[0])
    np.testing.assert_allclose(each[3], table.y.mean())
    np.testing.assert_allclose(answers(found, table.table), np.mean(each, axis=0))
