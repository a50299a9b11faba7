"""Records of experiments: task, performance, experience, and whether it learns."""

import json

import numpy as np
import pytest
from sklearn.pipeline import make_pipeline

from corollary import (
    DataError,
    KNeighborsClassifier,
    LinearRegression,
    LogisticRegression,
    ParameterError,
    StandardScaler,
)
from corollary.diagnostics import (
    append_experiment,
    read_experiments,
    run_experiment,
)
from corollary.selection import cross_validate


def rows(n=300, seed=0, shift=1.0):
    rng = np.random.default_rng(seed)
    y = rng.integers(2, size=n)
    return rng.normal(size=(n, 8)) + shift * y[:, None] * np.eye(8)[0], y


@pytest.mark.course("S3-1", "S4-2")
def test_a_record_holds_task_performance_experience_and_what_they_rest_on():
    X, y = rows()
    model = make_pipeline(StandardScaler(), KNeighborsClassifier(1))
    found = run_experiment(
        model,
        X,
        y,
        task="which of two groups a row is of",
        experience="300 rows drawn from two normal laws",
        assumptions=["both groups are as frequent later"],
        random_state=3,
    )
    assert found.task == "which of two groups a row is of"
    assert found.kind == "classification"
    assert (found.rows, found.columns) == (300, 8)
    assert found.measure == "error"
    assert found.assumptions[-1] == "both groups are as frequent later"
    assert "drawn like those to come" in found.assumptions[0]
    assert found.representation == ("8 columns", "StandardScaler")
    assert found.parameters["kneighborsclassifier__n_neighbors"] == 1
    # the evaluation is a number that can be made again
    same = cross_validate(model, X, y, splitter=5, random_state=3)
    assert found.loss == same.mean
    assert found.standard_error == same.standard_error
    assert found.evaluation == "5 splits, 300 rows held out"
    assert found.baseline == pytest.approx(0.5, abs=0.07)
    assert found.skill == pytest.approx(1 - found.loss / found.baseline)
    text = str(found)
    for word in ("task", "performance", "experience", "assumes", "learning"):
        assert word in text


@pytest.mark.course("S4-2")
def test_it_learns_where_performance_improves_with_experience():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(400, 10))
    y = X[:, 0] + 0.5 * rng.normal(size=400)
    found = run_experiment(LinearRegression(), X, y, task="y from x")
    assert found.learns
    assert found.slope < -2 * found.slope_error
    assert found.losses[-1] < found.losses[0]
    assert found.sizes == tuple(sorted(found.sizes))
    assert found.loss < 0.4 < found.baseline
    assert "it learns" in str(found)


@pytest.mark.course("S4-2")
def test_it_does_not_learn_what_is_not_there():
    rng = np.random.default_rng(2)
    X, y = rng.normal(size=(300, 3)), np.arange(300) % 2
    found = run_experiment(LogisticRegression(), X, y, task="noise")
    assert not found.learns
    assert found.skill < 0.2
    assert "not been seen to learn" in str(found)


@pytest.mark.course("S4-2")
def test_the_measure_is_a_choice():
    X, y = rows()
    log = run_experiment(LogisticRegression(), X, y, task="t", measure="log")
    assert log.measure == "log"
    assert log.baseline == pytest.approx(np.log(2), abs=0.02)


@pytest.mark.course("S3-1")
def test_a_notebook_keeps_every_page(tmp_path):
    X, y = rows(120)
    path = tmp_path / "experiments.jsonl"
    models = (
        LogisticRegression(C=0.1),
        KNeighborsClassifier(weights=lambda r: np.exp(-r)),
    )
    made = [run_experiment(model, X, y, task="groups") for model in models]
    for one in made:
        append_experiment(path, one)
    again = read_experiments(path)
    assert again == made
    assert [one.model for one in again] == [
        "LogisticRegression",
        "KNeighborsClassifier",
    ]
    best = min(again, key=lambda one: one.loss)
    assert best.loss == min(one.loss for one in made)
    for line in path.read_text().splitlines():
        assert json.loads(line)["task"] == "groups"


def test_frames_keep_their_names_and_pictures():
    pytest.importorskip("matplotlib").use("Agg")
    pandas = pytest.importorskip("pandas")
    X, y = rows(100)
    frame = pandas.DataFrame(X[:, :2], columns=["length", "lightness"])
    found = run_experiment(LogisticRegression(), frame, y, task="fish")
    assert found.representation == ("length", "lightness")
    assert len(found.plot().lines) == 2


def test_errors(tmp_path):
    X, y = rows(60)
    with pytest.raises(ParameterError, match="task must be said in words"):
        run_experiment(LogisticRegression(), X, y, task=" ")
    with pytest.raises(ParameterError, match="estimator"):
        run_experiment("model", X, y, task="t")
    path = tmp_path / "x.jsonl"
    path.write_text("{not json\n")
    with pytest.raises(DataError, match="line 1"):
        read_experiments(path)
    path.write_text('{"task": "t"}\n')
    with pytest.raises(DataError, match="all fields"):
        read_experiments(path)
    path.write_text('{"mood": "t"}\n')
    with pytest.raises(DataError, match="fields of the record"):
        read_experiments(path)
