import numpy as np
import pytest
from workbench.tables import rents
from workbench.test_trials import folded

from corollary.workbench import trials
from corollary.workbench.blending import Blend
from corollary.workbench.champion import refitted
from corollary.workbench.ladder import base
from corollary.workbench.trials import attempt

NAMES = ("small tree", "ridge regression", "additive boosting", "mean")


@pytest.fixture(scope="module")
def race():
    rows, metric = folded(rents(90), "rent")
    ladder = {one.name: one for one in base("regression")}
    tried = tuple(attempt(ladder[name], rows, metric) for name in NAMES)
    answers = np.mean([trial.answers for trial in tried], axis=0)
    losses = metric.losses(rows.y, answers)
    return rows, Blend(tried, (0.4, 0.3, 0.2, 0.1), answers, losses, losses)


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
    monkeypatch.setattr("corollary.workbench.champion.fitted_pipeline", fitted)
    return made


def test_learners_and_preparations_are_fitted_once(race, monkeypatch):
    rows, best = race
    made = counted(monkeypatch)
    champion, simple = refitted(best, best.trials[0], rows)
    assert sorted(made) == sorted([*NAMES, "coded", "scaled"])
    answers = [member.predict(rows.table) for member in champion.estimators_]
    np.testing.assert_array_equal(simple.predict(rows.table), answers[0])
    assert np.allclose(answers[3], rows.y.mean())
    mean = np.average(answers, axis=0, weights=best.weights)
    np.testing.assert_allclose(champion.predict(rows.table), mean)
