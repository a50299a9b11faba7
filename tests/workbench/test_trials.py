import time

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from workbench.tables import churn, rents

from corollary import workbench
from corollary.core.warn import warn
from corollary.workbench import trials
from corollary.workbench.ladder import Candidate, base, variants
from corollary.workbench.problem import Settings, set_problem
from corollary.workbench.trials import TrialRefusedError, attempt


def folded(table, target):
    problem = set_problem(workbench.read_table(table, target=target), Settings(target))
    return problem.folded(), problem.metric


class Odd(ClassifierMixin, BaseEstimator):
    """A classifier that misbehaves as it is told."""

    def __init__(self, how="", seconds=0.0):
        self.how = how
        self.seconds = seconds

    def fit(self, X, y):
        time.sleep(self.seconds * len(y) / 5_000)
        if self.how == "refuses":
            raise ValueError("Odd: X must be even;\ngot odd rows.")
        if self.how == "warns":
            warn("Odd: two rows are equal.")
        self.classes_ = np.unique(y)
        return self

    def predict_proba(self, X):
        if self.how == "does not answer":
            raise ValueError("Odd: X must have many rows;\ngot few.")
        P = np.full((X.shape[0], len(self.classes_)), 1 / len(self.classes_))
        return P * np.nan if self.how == "nan" else P


def odd(how="", seconds=0.0):
    return Candidate("odd", "odd", Odd(how, seconds), "coded")


@pytest.mark.parametrize("task", ["classification", "regression"])
def test_every_learner_of_the_ladder_answers_every_row(task):
    data = (churn(90), "outcome") if task == "classification" else (rents(90), "rent")
    rows, metric = folded(*data)
    names = [one.name for one in (*base(task), *variants(task))]
    assert len(set(names)) == len(names)
    for candidate in base(task):
        found = attempt(candidate, rows, metric)
        assert np.isfinite(found.answers).all()
        if task == "classification":
            np.testing.assert_allclose(found.answers.sum(axis=1), 1)


def test_answers_of_a_row_do_not_depend_on_its_own_target():
    """The law of out-of-fold answers: changing y_i changes no answer of row i."""
    rows, metric = folded(rents(100), "rent")
    ridge = next(c for c in base("regression") if c.name == "ridge regression")
    before = attempt(ridge, rows, metric).answers
    held = rows.splits[0][1]
    rows.y[held[0]] += 1e4
    rows.held.clear()
    after = attempt(ridge, rows, metric).answers
    np.testing.assert_array_equal(after[held], before[held])
    assert (after != before).any()


def test_a_refusal_is_told_in_one_line():
    rows, metric = folded(churn(60), "outcome")
    with pytest.raises(
        TrialRefusedError, match=r"^Odd: X must be even; got odd rows\.$"
    ):
        attempt(odd("refuses"), rows, metric)
    with pytest.raises(TrialRefusedError, match=r"^Odd: X must have many rows"):
        attempt(odd("does not answer"), rows, metric)
    with pytest.raises(TrialRefusedError, match="not all finite"):
        attempt(odd("nan"), rows, metric)


def test_warnings_are_kept_and_not_shown():
    rows, metric = folded(churn(60), "outcome")
    assert attempt(odd("warns"), rows, metric).warnings == ("Odd: two rows are equal.",)


def test_what_takes_too_long_is_given_up_after_a_fold():
    rows, metric = folded(churn(60), "outcome")
    start = time.monotonic()
    with pytest.raises(TrialRefusedError, match="given up after 1 of 5 folds"):
        attempt(odd(seconds=40.0), rows, metric, until=start + 0.5)
    assert time.monotonic() - start < 5


def test_a_pilot_tells_how_many_rows_can_be_afforded(monkeypatch):
    monkeypatch.setattr(trials, "PILOT", 20)
    monkeypatch.setattr(trials, "SPARE", 0.2)  # the machine may be busy
    rows, metric = folded(churn(400), "outcome")  # 280 rows a fit
    slow = odd(seconds=5_000 * 0.001)  # a millisecond a row
    start = time.monotonic()
    found = attempt(slow, rows, metric, until=start + 4.0)
    folds = len(rows.splits)
    assert 20 <= found.rows < 0.25 * 4000 / folds
    with pytest.raises(TrialRefusedError, match="not be done in time"):
        attempt(slow, rows, metric, until=time.monotonic() + 0.05)


def test_rare_classes_get_a_probability_of_zero_where_they_were_not_seen():
    table = churn(60)
    table["outcome"] = [
        "rare" if i in (3, 40) else v for i, v in enumerate(table["outcome"])
    ]
    rows, metric = folded(table, "outcome")
    logistic = next(
        c for c in base("classification") if c.name == "logistic regression"
    )
    found = attempt(logistic, rows, metric)
    assert found.answers.shape == (len(rows.y), 3)
