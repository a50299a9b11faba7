"""Successive halving: what is given to whom, resuming, stopping, everything kept."""

import json

import matplotlib
import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.model_selection import GridSearchCV, KFold
from sklearn.pipeline import make_pipeline

from corollary import (
    DecisionTreeClassifier,
    LinearRegression,
    LogisticRegression,
    RandomForestRegressor,
    Ridge,
    StandardScaler,
)
from corollary.core.errors import DataError, ParameterError
from corollary.selection import halving_search, nested_cross_validation

ALPHAS = [float(a) for a in np.logspace(-2, 6, 9)]


class Told(RegressorMixin, BaseEstimator):
    """A model that keeps a diary, fails or is interrupted as it is told."""

    diary = []  # noqa: RUF012
    stop_at = None

    def __init__(self, bias=0.0):
        self.bias = bias

    def fit(self, X, y, sample_weight=None):
        if self.bias == 7.0:
            raise ValueError("no sevens")
        Told.diary.append((self.bias, len(X), frozenset(X[:, 0])))
        if Told.stop_at is not None and len(Told.diary) >= Told.stop_at:
            Told.stop_at = None
            raise KeyboardInterrupt
        self.mean_ = y.mean()
        return self

    def predict(self, X):
        return np.full(len(X), self.mean_ + self.bias)


@pytest.fixture(autouse=True)
def _clean_diary():
    Told.diary, Told.stop_at = [], None


def rows(n=120, seed=0):
    rng = np.random.default_rng(seed)
    X = np.column_stack([np.arange(n), rng.normal(size=(n, 3))])
    return X, 3 * X[:, 1] + rng.normal(size=n)


@pytest.mark.course("S4-56")
def test_each_rung_keeps_a_third_and_gives_three_times_as_much():
    X, y = rows(270)
    grid = {"bias": [float(b) for b in range(-4, 5) if b != 7]}
    found = halving_search(Told(), grid, X, y, splitter=KFold(3), smallest=5)
    assert [sum(t.rung == r for t in found.trials) for r in range(3)] == [9, 3, 1]
    assert [t.resource for t in found.trials] == [20.0] * 9 + [60.0] * 3 + [180.0]
    assert found.best_params == {"bias": 0.0}
    assert (found.stopped, found.resumed) == ("finished", 0)
    fits = {}
    for bias, n, ids in Told.diary:
        fits.setdefault(bias, []).append((n, ids))
    assert [n for n, _ in fits[0.0]] == [20] * 3 + [60] * 3 + [180] * 3
    for fold in range(3):  # rows of a rung contain those of the rung before
        small, middle, large = (fits[0.0][fold + 3 * r][1] for r in range(3))
        assert small < middle < large
    same = {ids for bias, n, ids in Told.diary if n == 20}
    assert len(same) == 3  # all settings see the same rows
    worst = [t.name for t in found.trials if t.rung == 1]
    assert set(worst) == {"bias=0", "bias=1", "bias=-1"}


@pytest.mark.course("S4-56")
def test_one_rung_is_a_grid_search():
    X, y = rows()
    grid = {"alpha": ALPHAS, "fit_intercept": [True, False]}
    found = halving_search(Ridge(), grid, X, y, rungs=1, splitter=KFold(4))
    theirs = GridSearchCV(
        Ridge(), grid, cv=KFold(4), scoring="neg_mean_squared_error"
    ).fit(X, y)
    assert len(found.trials) == 18
    assert dict(found.best_params) == theirs.best_params_
    np.testing.assert_allclose(found.best_score, theirs.best_score_)
    means = {str(p): s for p, s in zip(
        theirs.cv_results_["params"], theirs.cv_results_["mean_test_score"], strict=True
    )}  # fmt: skip
    for trial in found.trials:
        np.testing.assert_allclose(-trial.loss, means[str(dict(trial.params))])
    np.testing.assert_allclose(found.refit().predict(X), theirs.predict(X))


def test_a_parameter_may_be_what_is_given():
    X, y = rows(80)
    forest = RandomForestRegressor(random_state=0)
    grid = [{"max_depth": d} for d in (1, 2, 4)]
    found = halving_search(
        forest, grid, X, y, resource="n_estimators", largest=9, splitter=2
    )
    assert [t.resource for t in found.trials] == [3.0] * 3 + [9.0]
    assert found.refit().n_estimators == 9
    assert found.refit().max_depth == found.best_params["max_depth"]


def test_candidates_by_name_tables_and_classes():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(size=(400, 3)), columns=list("abc"))
    y = np.where(frame["a"] * frame["b"] > 0, "same", "apart")
    models = {
        "line": make_pipeline(StandardScaler(), LogisticRegression()),
        "tree": DecisionTreeClassifier(min_samples_leaf=9, random_state=0),
        "stump": DecisionTreeClassifier(max_depth=1),
    }
    found = halving_search(None, models, frame, y, loss="brier", splitter=4)
    assert found.best.name == "tree"
    assert found.best_params == {"model": "tree"}
    assert set(found.refit().predict(frame)) == {"same", "apart"}
    assert found.refit(frame[:50], y[:50]).predict(frame).shape == (400,)


def test_beginnings_of_the_rows_have_every_class():
    y = np.array([0] * 190 + [1] * 8 + [2] * 2)
    X = np.random.default_rng(0).normal(size=(200, 2))
    grid = {"max_depth": list(range(1, 10))}
    found = halving_search(DecisionTreeClassifier(), grid, X, y, splitter=2, smallest=4)
    assert all(np.isfinite(trial.loss) for trial in found.trials)
    weights = np.r_[np.zeros(50), np.ones(150)]
    some = halving_search(
        DecisionTreeClassifier(), grid, X, y, splitter=2, sample_weight=weights
    )
    assert some.best_loss >= 0


# -- stopping and going on -------------------------------------------------------------
def test_a_search_goes_on_where_it_was_stopped(tmp_path):
    X, y = rows()
    grid = {"bias": [0.0, 1.0, 2.0, 3.0]}
    options = {"splitter": KFold(3), "resume": tmp_path / "state.json"}
    whole_run = halving_search(Told(), grid, X, y, splitter=KFold(3))
    every = len(Told.diary)
    Told.diary, Told.stop_at = [], 8  # in the third trial
    first = halving_search(Told(), grid, X, y, **options)
    assert first.stopped == "interrupted"
    assert len(first.trials) == 2
    assert first.best_params == {"bias": 0.0}
    held = json.loads((tmp_path / "state.json").read_text())
    assert [row["name"] for row in held["trials"]] == ["bias=0", "bias=1"]
    Told.diary = []
    second = halving_search(Told(), grid, X, y, **options)
    assert (second.stopped, second.resumed) == ("finished", 2)
    assert len(Told.diary) == every - 6  # two trials of three folds were not fitted
    assert [t.loss for t in second.trials] == [t.loss for t in whole_run.trials]
    assert [t.params for t in second.trials] == [t.params for t in whole_run.trials]
    Told.diary = []
    third = halving_search(Told(), grid, X, y, **options)
    assert third.resumed == len(third.trials)
    assert Told.diary == []
    assert third.refit().bias == 0.0
    assert not (tmp_path / "state.json.new").exists()


def test_an_interrupt_before_anything_was_found_goes_on_up(tmp_path):
    X, y = rows()
    Told.stop_at = 2
    with pytest.raises(KeyboardInterrupt):
        halving_search(Told(), {"bias": [0.0, 1.0]}, X, y, resume=tmp_path / "s.json")
    assert not (tmp_path / "s.json").exists()


def test_a_file_of_another_search_or_a_damaged_one_is_refused(tmp_path):
    X, y = rows()
    path = tmp_path / "state.json"
    grid = {"bias": [0.0, 7.0]}
    halving_search(Told(), grid, X, y, resume=path)
    for change in (
        {"grid": {"bias": [0.0, 1.0]}}, {"y": y + 1}, {"X": X + 1}, {"splitter": 3},
        {"loss": "absolute"},
    ):  # fmt: skip
        given = {"grid": grid, "X": X, "y": y} | change
        with pytest.raises(DataError, match=r"of another\. Give another path"):
            halving_search(Told(), resume=path, **given)
    held = json.loads(path.read_text())
    assert held["trials"][1]["loss"] == "inf"  # the failed one is not tried again
    assert halving_search(Told(), grid, X, y, resume=path).resumed == len(
        held["trials"]
    )
    held["trials"][0]["setting"] = 99
    for text in ("", "[]", "{", json.dumps(held), "{}"):
        path.write_text(text)
        with pytest.raises(DataError, match="a file that a search has written; got"):
            halving_search(Told(), grid, X, y, resume=path)


def test_time_ends_a_search():
    X, y = rows()
    found = halving_search(Ridge(), {"alpha": ALPHAS}, X, y, seconds=1e-9)
    assert (found.stopped, len(found.trials)) == ("out of time", 1)
    assert found.best_params == {"alpha": ALPHAS[0]}


def test_settings_that_fail_are_told_and_passed_over():
    X, y = rows()
    found = halving_search(Told(), {"bias": [7.0, 1.0, 2.0]}, X, y)
    assert found.best_params == {"bias": 1.0}
    failed = next(trial for trial in found.trials if trial.error)
    assert str(failed) == "bias=7: failed, no sevens"
    with pytest.raises(ParameterError, match=r"must be fitted; got none \(no sevens\)"):
        halving_search(Told(), {"bias": [7.0]}, X, y)


def test_the_honest_error_of_a_search():
    X, y = rows(60)

    def search(Z, t):
        return halving_search(Ridge(), {"alpha": [0.1, 1e4]}, Z, t, splitter=3)

    found = nested_cross_validation(search, X, y, splitter=3)
    assert set(found.choices) == {"alpha=0.1"}
    assert np.isfinite(found.inner).all()


def test_it_prints_and_draws():
    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    X, y = rows()
    found = halving_search(Ridge(), {"alpha": ALPHAS}, X, y)
    lines = str(found).splitlines()
    assert lines[0].startswith("finished: 13 trials, best alpha=")
    assert lines[1].startswith("  rung 2: ")
    assert lines[-1] == "  and 5 more"
    ax = found.plot()
    assert len(ax.lines) == 9
    plt.close(ax.figure)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"grid": {}}, "values by parameter, a list of settings, or models by name"),
        ({"grid": [1, 2]}, "values by parameter"),
        ({"grid": 3}, "values by parameter"),
        ({"grid": {"alpha": 1.0}}, "a list of values for 'alpha'; got 1.0"),
        ({"grid": {"alpha": "ab"}}, "a list of values for 'alpha'"),
        ({"grid": {"beta": [1.0]}}, "name parameters of the Ridge; got 'beta'"),
        ({"model": None}, "with fit and predict"),
        ({"factor": 1}, "factor must be a whole number >= 2"),
        ({"rungs": 0}, "rungs must be"),
        ({"seconds": 0}, "seconds must be"),
        ({"resource": "depth"}, "resource must be 'rows', or a parameter"),
        ({"resource": "alpha"}, "with its largest"),
        ({"resume": 3}, "resume must be the path of a file"),
        ({"resume": "/nowhere/at/all.json"}, "in a directory that exists"),
    ],
)
def test_bad_input_gets_a_sentence(change, words):
    X, y = rows(20)
    given = {"model": Ridge(), "grid": {"alpha": [1.0, 2.0]}, "X": X, "y": y}
    with pytest.raises(ParameterError, match=words):
        halving_search(**(given | change))


def test_equal_settings_have_names_of_their_own():
    X, y = rows(30)
    found = halving_search(LinearRegression(), [{}, {}], X, y)
    assert {trial.name for trial in found.trials} == {"0: defaults", "1: defaults"}
