import json
import os
import time
from types import SimpleNamespace

import numpy as np
import pytest
from workbench.tables import churn, rents

import corollary
from corollary import workbench
from corollary.core.errors import DataError, ParameterError
from corollary.workbench import looks


@pytest.fixture(scope="module")
def classified(tmp_path_factory):
    folder = tmp_path_factory.mktemp("churn")
    return workbench.run(churn(), "outcome", time_budget=8, folder=folder), folder


@pytest.fixture(scope="module")
def priced():
    return workbench.run(rents(), "rent", time_budget=8)


def not_worse(blend, other):
    """Tell whether a blend is no worse than another, but for noise."""
    difference = blend.losses - other.losses
    return difference.mean() <= difference.std() / np.sqrt(len(difference))


def test_all_files_are_written_and_agree(classified):
    import pyarrow.parquet as pq

    found, folder = classified
    told = json.loads((folder / "report.json").read_text(encoding="utf-8"))
    assert told == found.findings
    model = corollary.load(folder / "model.corollary")
    np.testing.assert_array_equal(
        model.predict_proba(churn()), found.model.predict_proba(churn())
    )
    simple = corollary.load(folder / "simple.corollary")
    assert simple.predict(churn()).shape == (240,)
    rows = pq.read_table(folder / "predictions.parquet").to_pandas()
    assert sorted(rows["row"]) == list(range(240))
    assert (rows["part"] == "test").sum() == len(found.problem.split.test)
    assert list(rows["outcome"]) == churn()["outcome"]
    assert (folder / "report.html").stat().st_size < 3e6


@pytest.mark.course("S4-57")
def test_locked_rows_are_unseen_by_everything_before(priced):
    """Spoiling the targets of locked rows changes no answer out of fold."""
    spoilt = rents()
    for row in priced.problem.split.test:
        spoilt["rent"][row] += 1000.0
    again = workbench.run(spoilt, "rent", time_budget=3)
    before = {trial.name: trial for trial in priced.race.trials}
    shared = [trial for trial in again.race.trials if trial.name in before]
    assert len(shared) > 2
    for trial in shared:
        np.testing.assert_array_equal(trial.answers, before[trial.name].answers)
    assert again.judged.score > 500 > priced.judged.score


@pytest.mark.course("S1-42")
def test_the_score_is_that_of_the_model_on_locked_rows(classified):
    found, _ = classified
    rows = found.problem.rows[found.problem.split.test]
    table = {k: [v[i] for i in rows] for k, v in churn().items() if k != "outcome"}
    P = found.model.predict_proba(table)
    y = np.array([churn()["outcome"][i] for i in rows])
    p = P[np.arange(len(y)), np.searchsorted(found.model.classes_, y)]
    assert np.isclose(found.judged.score, -np.log(p).mean())
    low, high = found.judged.interval()
    assert low < found.judged.score < high
    wide = found.expected_score(rows=50)
    assert wide[0] < low < high < wide[1]


def test_the_truth_is_found_in_both_tasks(classified, priced):
    found, _ = classified
    assert found.problem.schema.task == "classification"
    base = next(m for m in found.findings["models"] if m["name"] == "majority")
    assert found.findings["champion"]["score"] < base["score"] - 0.1
    assert priced.problem.schema.task == "regression"
    assert priced.judged.score < 40  # the noise is 20
    assert priced.simple_trial.candidate.family == "linear"


def test_prediction_sets_cover_what_they_promise(priced):
    ends = priced.model.predict_interval(rents(2000, seed=5), delta=0.1)
    y = np.asarray(rents(2000, seed=5)["rent"])
    covered = ((ends[:, 0] <= y) & (y <= ends[:, 1])).mean()
    assert 0.84 < covered < 0.96


def test_files_and_frames_are_read_alike(classified, tmp_path):
    import pandas as pd

    found, _ = classified
    frame = pd.DataFrame(churn()).drop(columns="outcome")
    frame.to_csv(tmp_path / "new.csv", index=False)
    shuffled = frame[["noise", "town", "age"]].assign(more=1)
    expected = found.model.predict_proba(frame)
    np.testing.assert_allclose(found.model.predict_proba(shuffled), expected)
    path = str(tmp_path / "new.csv")
    np.testing.assert_allclose(found.model.predict_proba(path), expected, atol=1e-9)


def test_a_second_run_goes_on_from_the_journal(classified):
    found, folder = classified
    start = time.monotonic()
    again = workbench.run(churn(), "outcome", time_budget=8, folder=folder)
    done = {t.name: t for t in again.race.trials}
    for trial in found.race.trials:
        if trial.name not in done:  # the race may end earlier
            continue
        assert done[trial.name].seconds == trial.seconds  # read, not measured again
        np.testing.assert_array_equal(done[trial.name].answers, trial.answers)
    assert not_worse(again.blend, found.blend)
    assert time.monotonic() - start < 30


def test_a_damaged_journal_is_as_good_as_none(tmp_path):
    kept = tmp_path / "out"
    first = workbench.run(churn(120), "outcome", time_budget=1, folder=kept)
    for path in (kept / ".journal").iterdir():
        content = bytearray(path.read_bytes())
        content[len(content) // 2 :] = os.urandom(len(content) - len(content) // 2)
        path.write_bytes(bytes(content))
    again = workbench.run(churn(120), "outcome", time_budget=1, folder=kept)
    assert {t.name for t in first.race.trials} & {t.name for t in again.race.trials}


def test_without_locked_rows_the_score_is_out_of_fold():
    found = workbench.run(rents(100), "rent", time_budget=2, test_size=0)
    assert not found.judged.locked
    assert found.certificate is None
    assert len(found.judged.losses) == 100


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"target": "outcom"}, "outcome"),
        ({"metric": "f7"}, "metric must be one of"),
        ({"test_size": 0.9}, "test_size must be a share"),
        ({"time_budget": 0}, "time_budget must be"),
        ({"group": "town", "time": "age"}, "not both"),
        ({"group": "city"}, "city"),
        ({"ignore": ("age", "town", "noise")}, "at least one column"),
    ],
    ids=str,
)
def test_what_cannot_be_done_is_said_in_one_sentence(given, words):
    given = {"target": "outcome"} | given
    with pytest.raises((DataError, ParameterError)) as caught:
        workbench.run(churn(60), given.pop("target"), **given)
    assert words in str(caught.value)
    assert "\n" not in str(caught.value)


def test_findings_are_plain_and_name_every_section(classified):
    found, _ = classified
    told = found.findings
    json.dumps(told, allow_nan=False)
    always = {"verdict", "data", "models", "champion", "simple", "certificate", "made"}
    looked = {"confusion", "calibration", "thresholds", "roc", "worst", "slices"}
    assert always | looked <= set(told)
    assert told["verdict"]["headline"].startswith("Expect ")
    assert [m["chosen"] for m in told["models"]].count("champion") == 1
    weights = [m["weight"] for m in told["champion"]["members"]]
    assert np.isclose(sum(weights), 1)
    low, high = told["champion"]["test_interval"]
    assert low <= told["champion"]["test_score"] <= high
    assert told["certificate"]["bound"] >= told["certificate"]["risk"]
    roles = {c["name"]: c["role"] for c in told["data"]["columns"]}
    assert roles["outcome"] == "target"
    asked = [*told.get("effects", ()), *told.get("attributions", ())]
    assert {one["of"] for one in asked} <= {str(found.problem.classes[1])}
    assert "\n" in str(found)
    assert "<table" in found._repr_html_()


def test_groups_and_times_are_kept_apart():
    table = churn(200)
    table["patient"] = [f"p{i // 5}" for i in range(200)]
    found = workbench.run(table, "outcome", group="patient", time_budget=1)
    split = found.problem.split
    groups = np.arange(200) // 5
    assert split.kind == "group"
    assert not set(groups[split.train]) & set(groups[split.test])
    assert "patient" not in [c.name for c in found.problem.schema.features]
    table["day"] = np.random.default_rng(0).permutation(200).tolist()
    found = workbench.run(table, "outcome", time="day", time_budget=1)
    day = np.asarray(table["day"])
    assert day[found.problem.split.test].min() > day[found.problem.split.train].max()


def test_what_recurs_in_time_is_learned_and_the_future_foretold():
    rng = np.random.default_rng(3)
    when = np.datetime64("2024-01-01T00") + np.arange(600)
    hour = np.arange(600) % 24
    load = 10 + 3 * np.sin(2 * np.pi * (hour + 2) / 24) + 0.3 * rng.normal(size=600)
    table = {"when": when, "wind": rng.normal(size=600), "load": load}
    found = workbench.run(table, "load", time_budget=6)
    assert found.problem.split.kind == "time"
    assert found.judged.score < 0.5  # rmse; 2.1 for who does not know the hour
    verdicts = found.findings.get("diagnosis", {"verdicts": []})["verdicts"]
    assert "split_leak" not in [one["name"] for one in verdicts]


def test_many_rows_are_raced_on_a_sample_and_refitted_to_all(monkeypatch):
    from corollary.workbench import problem

    monkeypatch.setattr(problem, "RACE_ROWS", 100)
    found = workbench.run(rents(400), "rent", time_budget=4)
    assert len(found.folded.y) == 100
    assert len(found.race.trials[0].answers) == 100
    linear = found.simple.fitted_.estimators_[0][-1]
    assert len(found.problem.split.train) == 320
    assert getattr(linear, "regressor_", linear).report_.rows == 320
    assert found.judged.score < 60


def test_names_and_labels_with_markup_are_only_text(tmp_path):
    table = {f"<b>{k}</b>": v for k, v in churn(80).items() if k != "outcome"}
    evil = "<script>alert(1)</script>"
    table["y"] = [evil if v == "stays" else v for v in churn(80)["outcome"]]
    workbench.run(table, "y", time_budget=1, folder=tmp_path)
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert evil not in page
    assert "<b>age</b>" not in page


def test_a_longer_budget_is_not_worse():
    short = workbench.run(churn(), "outcome", time_budget=1)
    long = workbench.run(churn(), "outcome", time_budget=6)
    assert not_worse(long.blend, short.blend)


def test_a_champion_that_answers_slowly_is_asked_about_fewer_rows(monkeypatch):
    found = workbench.run(rents(120), "rent", time_budget=2)
    soon = time.monotonic() + 1.0
    quick = looks.affordable(found, 10, soon + 1e6, 5, 2_000)

    def slow(table):
        time.sleep(0.2)
        return np.zeros(table.num_rows)

    monkeypatch.setattr(found.model, "fitted_", SimpleNamespace(predict=slow))
    many = looks.affordable(found, 10, soon, 5, 2_000)
    assert quick == 2_000
    assert 5 <= many <= 1.0 / (10 * 0.2 / len(found.folded.y))
