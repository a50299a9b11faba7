"""Trying the advice of a diagnosis, by the folds that it was given by.

Every action that says exactly what to fit is measured as the model was: the same folds,
the same loss, the difference row by row with its standard error.  Some need care to be
measured at all:

    a leaking column   is not known where the model works: before, its values are
                       exchanged among the test rows; after, it is gone
    labels corrected   in training rows only; test rows keep the labels given
    weights by shift   are judged by the test rows, where they are given
    repeated rows      stay together in the folds, before and after
    class weights      are judged with every class counting the same, a robust loss by
                       absolute errors: what the verdict was about

An action helped, or did harm, if the losses differ by two standard errors.
"""

from __future__ import annotations

import time as clock
from dataclasses import replace
from typing import Any

import numpy as np
from sklearn.base import clone, is_classifier

from corollary.core.arrays import Floats, Vector
from corollary.core.errors import DataError, sentence
from corollary.core.randomness import generator
from corollary.diagnostics.duplicates import find_duplicates
from corollary.diagnostics.evidence import FAILURES, Evidence
from corollary.diagnostics.judged_loss import JudgedLoss, judged_loss, mean_and_error
from corollary.diagnostics.out_of_fold import (
    Folds,
    answer,
    folds_of,
    out_of_fold,
    quiet_fit,
)
from corollary.diagnostics.table_columns import exchanged_columns, without_columns
from corollary.diagnostics.verdict import Action, Diagnosis
from corollary.theory.certify import some_rows

__all__ = ["try_actions"]

WHO = "try_actions"
MOST = 3


def try_actions(
    model: Any,
    X: Any,
    y: Any,
    diagnosis: Diagnosis,
    *,
    test: tuple[Any, Any] | None = None,
    time_budget: float = 30,
    most: int = MOST,
) -> Diagnosis:
    """Measure the first actions of a diagnosis that say exactly what to do.

    Parameters
    ----------
    model, X, y
        As they were given to `diagnose`.
    diagnosis : Diagnosis
        What it returned.
    test : (X, y), optional
        Test rows, by which weights against a shift are judged.
    time_budget : float, default=30
        Seconds; actions that find no time are not tried.
    most : int, default=3
        How many actions to try.

    Returns
    -------
    Diagnosis
        With the losses before and after, and what they mean, in its actions.

    Examples
    --------
    >>> import numpy as np
    >>> from corollary import DecisionTreeRegressor
    >>> from corollary.diagnostics import diagnose
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(300, 4))
    >>> y = X[:, 0] + rng.normal(size=300)
    >>> model = DecisionTreeRegressor(random_state=0)
    >>> found = try_actions(model, X, y, diagnose(model, X, y))
    >>> found.actions[0].verdict
    'helped'
    """
    known = diagnosis.evidence
    if not isinstance(known, Evidence) or known.folds is None:
        must = "diagnosis must come from diagnose"
        raise DataError(
            sentence(WHO, must, f"a {type(diagnosis).__name__} without folds")
        )
    y = np.asarray(y)
    y = y[:, 0] if y.ndim == 2 and y.shape[1] == 1 else y
    deadline = clock.perf_counter() + float(time_budget)
    trial = Trial(model, X, y, known, deadline, test)
    done, actions = 0, []
    for action in diagnosis.actions:
        if action.concrete and done < most and clock.perf_counter() < deadline:
            action = trial.measured(action)
            done += action.tried
        actions.append(action)
    return replace(diagnosis, actions=tuple(actions))


class Trial:
    """A model and its rows, by whose folds actions are measured."""

    def __init__(
        self,
        model: Any,
        X: Any,
        y: Vector,
        known: Evidence,
        deadline: float,
        test: tuple[Any, Any] | None,
    ) -> None:
        self.test = test
        self.model, self.X, self.y, self.deadline = model, X, y, deadline
        self.at = np.arange(len(y)) if known.rows is None else np.asarray(known.rows)
        self.folds = [(self.at[a], self.at[b]) for a, b in known.folds]
        self.stated = known.loss
        self.groups = known.groups

    def measured(self, action: Action) -> Action:
        """Return an action with what it brought, as it was if it cannot be tried."""
        loss = judged_loss(action.loss or self.stated, self.model, self.y)
        if action.sample_weight is not None:
            return self.weighed(action, loss)
        folds: Folds = self.folds
        if action.key == "drop_duplicates":
            folds = self.together()
        try:
            before = self.losses(self.before(action), loss, folds)
            after = self.after(action, loss, folds)
        except FAILURES:
            return action
        gain, error = mean_and_error(before - after, None, self.of_groups())
        start = mean_and_error(before)[0]
        return action.measured(start, start - gain, error)

    def weighed(self, action: Action, loss: JudgedLoss) -> Action:
        """Return an action with weights, judged by the test rows."""
        if self.test is None or self.test[1] is None:
            return action
        X, y = self.test[0], np.asarray(self.test[1])
        labels = np.unique(self.y) if is_classifier(self.model) else None
        found = []
        try:
            for w in (None, action.sample_weight):
                model = quiet_fit(clone(self.model), self.X, self.y, w)[0]
                found.append(loss(y, answer(model, X, loss.reads, labels), labels))
        except FAILURES:
            return action
        gain, error = mean_and_error(found[0] - found[1])
        start = float(found[0].mean())
        return action.measured(start, start - gain, error)

    def before(self, action: Action) -> Action:
        """Return what is compared with: nothing changed, but a leak not known."""
        plain = Action(action.key, "", "")
        if action.key != "drop_column":
            return plain
        return replace(plain, drop_columns=action.drop_columns)

    def after(self, action: Action, loss: JudgedLoss, folds: Folds) -> Floats:
        """Return the losses with the change made."""
        if not action.drop_columns:
            return self.losses(action, loss, folds)
        fitted = self.model if action.model is None else action.model

        def tried(rows: Any) -> Floats:
            return out_of_fold(
                fitted, rows, self.y, folds, loss, deadline=self.deadline
            ).losses

        try:
            return tried(without_columns(self.X, action.drop_columns))
        except FAILURES:  # a pipeline that names its columns: let them say nothing
            first = np.zeros(len(self.y), dtype=np.intp)
            return tried(exchanged_columns(self.X, action.drop_columns, first))

    def losses(self, change: Action, loss: JudgedLoss, folds: Folds) -> Floats:
        """Return out-of-fold losses, trained as a change says."""
        if change.drop_columns:
            return self.unknown_columns(change.drop_columns, loss, folds)
        targets = np.array(self.y)
        if change.relabel is not None:
            targets[change.relabel[0]] = change.relabel[1]
        dropped = np.zeros(len(self.y), dtype=bool)
        if change.drop_rows is not None:
            dropped[change.drop_rows] = True

        def training(train: Vector) -> tuple[Vector, Vector, Any]:
            rows = train[~dropped[train]]
            w = change.sample_weight
            return rows, targets[rows], None if w is None else np.asarray(w)[rows]

        fitted = self.model if change.model is None else change.model
        return out_of_fold(
            fitted,
            self.X,
            self.y,
            folds,
            loss,
            change=training,
            deadline=self.deadline,
        ).losses

    def unknown_columns(
        self, positions: tuple[int, ...], loss: JudgedLoss, folds: Folds
    ) -> Floats:
        """Return losses where some columns are not known of the test rows."""
        labels = np.unique(self.y) if is_classifier(self.model) else None
        total, count = np.zeros(len(self.y)), np.zeros(len(self.y))
        rng = generator(0, 22)
        for train, test in folds:
            if clock.perf_counter() > self.deadline:
                raise TimeoutError("the time to try an action was up")
            fitted = quiet_fit(
                clone(self.model), some_rows(self.X, train), self.y[train]
            )[0]
            order = rng.permutation(len(test))
            rows = exchanged_columns(some_rows(self.X, test), positions, order)
            said = answer(fitted, rows, loss.reads, labels)
            total[test] += loss(self.y[test], said, labels)
            count[test] += 1
        return np.where(count > 0, total / np.maximum(count, 1), np.nan)

    def together(self) -> Folds:
        """Return folds that keep equal rows together."""
        groups = find_duplicates(self.X).groups
        return folds_of(bool(is_classifier(self.model)), self.y, groups=groups)

    def of_groups(self) -> Any:
        """Return the group of every row, None where there are none."""
        if self.groups is None:
            return None
        full = np.full(len(self.y), -1)
        full[self.at] = np.unique(np.asarray(self.groups), return_inverse=True)[1]
        return full
