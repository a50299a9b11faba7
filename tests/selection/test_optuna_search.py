"""The adapter to Optuna: its sentence where there is none, its loop where there is."""

import random
import sys
from types import SimpleNamespace

import numpy as np
import pytest

from corollary import DecisionTreeClassifier, Ridge
from corollary.core.errors import ParameterError
from corollary.selection import cross_validate, optuna_search

SPACE = {"alpha": (1e-3, 1e3, "log"), "fit_intercept": [True, False]}


class Trial:
    def __init__(self, study):
        self.study = study

    def suggest_float(self, name, low, high, log):
        self.study.asked.add((name, "float", log))
        u = self.study.rng.random()
        return float(low * (high / low) ** u) if log else low + u * (high - low)

    def suggest_int(self, name, low, high, log):
        self.study.asked.add((name, "int", log))
        return self.study.rng.randint(low, high)

    def suggest_categorical(self, name, choices):
        self.study.asked.add((name, "choice", None))
        return self.study.rng.choice(choices)


class Study:
    def __init__(self, sampler):
        self.sampler, self.told, self.asked = sampler, [], set()
        self.rng = random.Random(0)

    def ask(self):
        return Trial(self)

    def tell(self, trial, value, state=None):
        self.told.append((value, state))


@pytest.fixture
def studies(monkeypatch):
    """Put a small Optuna in the place of the real one."""
    made = []

    def create_study(direction, sampler):
        assert direction == "minimize"
        made.append(Study(sampler))
        return made[-1]

    fake = SimpleNamespace(
        create_study=create_study,
        samplers=SimpleNamespace(TPESampler=lambda seed: ("tpe", seed)),
        trial=SimpleNamespace(TrialState=SimpleNamespace(FAIL="failed")),
    )
    monkeypatch.setitem(sys.modules, "optuna", fake)
    return made


def rows(n=60):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, 3))
    return X, 3 * X[:, 0] + rng.normal(size=n)


def test_without_optuna_there_is_one_sentence(monkeypatch):
    monkeypatch.setitem(sys.modules, "optuna", None)
    words = (
        "optuna_search: Optuna must be installed; got an environment without. Run "
        "`pip install optuna`, or use halving_search, which needs nothing."
    )
    with pytest.raises(ImportError) as caught:
        optuna_search(Ridge(), SPACE, *rows())
    assert str(caught.value) == words
    assert "optuna" not in getattr(sys.modules["corollary"], "__dict__", {})


def test_proposals_are_judged_and_told(studies):
    X, y = rows()
    found = optuna_search(Ridge(), SPACE, X, y, n_trials=12, random_state=5)
    study = studies[0]
    assert study.sampler == ("tpe", 5)
    assert len(found.trials) == len(study.told) == 12
    for trial, (value, state) in zip(found.trials, study.told, strict=True):
        same = cross_validate(
            Ridge(**trial.params), X, y, splitter=5, random_state=5
        ).mean
        np.testing.assert_allclose([trial.loss, value], same)
        assert state is None
    assert found.best_loss == min(trial.loss for trial in found.trials)
    assert found.refit().alpha == found.best_params["alpha"]
    assert study.asked == {("alpha", "float", True), ("fit_intercept", "choice", None)}


def test_whole_numbers_functions_and_failures(studies):
    X, y = rows()
    space = {
        "max_depth": (1, 5),
        "min_samples_leaf": lambda trial: trial.suggest_int("leaf", 0, 1, log=False),
    }
    found = optuna_search(DecisionTreeClassifier(), space, X, y > 0, n_trials=10)
    assert ("max_depth", "int", False) in studies[0].asked
    failed = [trial for trial in found.trials if trial.error]
    assert failed  # a leaf of 0 rows
    assert ("failed" in [state for _, state in studies[0].told]) == bool(failed)
    with pytest.raises(ParameterError, match="at least one setting must be fitted"):
        optuna_search(
            DecisionTreeClassifier(),
            {"min_samples_leaf": [0]},
            X,
            y > 0,
            n_trials=2,
        )


def test_time_and_interrupts_keep_what_was_found(studies):
    X, y = rows()
    found = optuna_search(Ridge(), SPACE, X, y, seconds=0)
    assert (found.stopped, len(found.trials)) == ("out of time", 1)

    class Stops(Ridge):
        fits = 0

        def fit(self, X, y):
            Stops.fits += 1
            if Stops.fits > 12:
                raise KeyboardInterrupt
            return super().fit(X, y)

    found = optuna_search(Stops(), SPACE, X, y)
    assert (found.stopped, len(found.trials)) == ("interrupted", 2)
    with pytest.raises(KeyboardInterrupt):
        optuna_search(Stops(), SPACE, X, y)
    mine = object()
    optuna_search(Ridge(), SPACE, X, y, n_trials=1, sampler=mine)
    assert studies[-1].sampler is mine


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"n_trials": 0}, "n_trials must be"),
        ({"seconds": -1}, "n_trials must be .* and seconds"),
        ({"space": {}}, "a mapping of parameters to values"),
        ({"space": {"beta": [1]}}, "parameters of the Ridge; got 'beta'"),
        ({"space": {"alpha": 3}}, "a list, .low, high. or"),
        ({"space": {"alpha": (2, 1)}}, "a list, .low, high. or"),
        ({"space": {"alpha": (1, 2, "lin")}}, "a list, .low, high. or"),
        ({"space": {"alpha": ("a", "b")}}, "a list, .low, high. or"),
        ({"model": Ridge}, "with fit and predict"),
    ],
)
def test_bad_input_gets_a_sentence(change, words):
    X, y = rows(20)
    given = {"model": Ridge(), "space": SPACE, "X": X, "y": y}
    with pytest.raises(ParameterError, match=words):
        optuna_search(**(given | change))
