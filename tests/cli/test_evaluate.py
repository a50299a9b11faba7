"""A model judged on rows whose target is known."""

import json

import numpy as np
import pyarrow.csv
import pytest
from sklearn.metrics import log_loss, roc_auc_score

from corollary import load
from corollary.theory import score_interval


def scores(corollary, *words):
    result = corollary("evaluate", *words, "--json")
    assert result.exit_code == 0, result.output
    found = json.loads(result.stdout)
    return found, {one["name"]: one for one in found["scores"]}


def test_scores_of_classes(corollary, flat_files):
    found, by_name = scores(corollary, flat_files.classes, flat_files.new)
    y = np.array(pyarrow.csv.read_csv(flat_files.new)["dear"].to_pylist())
    model = load(flat_files.classes)
    P, told = model.predict_proba(flat_files.new), model.predict(flat_files.new)
    assert by_name["log loss"]["value"] == pytest.approx(log_loss(y, P))
    assert by_name["AUC"]["value"] == pytest.approx(roc_auc_score(y == "yes", P[:, 1]))
    exact = score_interval(y, told, "accuracy")
    assert by_name["accuracy"] == {
        "name": "accuracy",
        "value": exact.value,
        "low": exact.low,
        "high": exact.high,
        "kind": "exact",
    }
    matrix = np.array(found["confusion"]["matrix"])
    assert matrix.sum() == found["rows"] == 160
    assert np.trace(matrix) == (y == told).sum()
    held = model.predict_set(flat_files.new)
    truth = held[np.arange(len(y)), (y == "yes").astype(int)]
    assert found["coverage"]["value"] == pytest.approx(truth.mean())
    assert found["coverage"]["promised"] == 0.9 <= found["coverage"]["high"]


def test_scores_of_numbers(corollary, flat_files):
    found, by_name = scores(corollary, flat_files.numbers, flat_files.new)
    y = pyarrow.csv.read_csv(flat_files.new)["rent"].to_numpy()
    error = load(flat_files.numbers).predict(flat_files.new) - y
    assert by_name["RMSE"]["value"] == pytest.approx(np.sqrt(np.mean(error**2)))
    assert by_name["R^2"]["value"] == pytest.approx(1 - np.mean(error**2) / y.var())
    assert by_name["mean absolute error"]["value"] == pytest.approx(
        np.abs(error).mean()
    )
    assert found["errors"]["mean"] == pytest.approx(error.mean())
    assert found["errors"]["largest"] == pytest.approx(np.abs(error).max())
    assert found["errors"]["largest_row"] == np.abs(error).argmax()


def test_words_for_people(corollary, flat_files):
    result = corollary("evaluate", flat_files.numbers, flat_files.new)
    assert result.exit_code == 0
    assert result.stderr == ""
    assert result.stdout.startswith("rent: 160 rows, confidence 0.95 each\n")
    for part in ("RMSE", "R^2", "of 90%", "half within", "always answering their mean"):
        assert part in result.stdout


def test_training_rows_are_noticed(corollary, flat_files):
    result = corollary("evaluate", flat_files.classes, flat_files.train)
    assert result.exit_code == 0
    assert "fitted to about 100% of these rows" in result.stderr


def test_rows_without_a_target_and_a_new_class(corollary, flat_files, tmp_path):
    text = flat_files.new.read_text().splitlines()
    text[1] = text[1].rpartition(",")[0] + ","
    text[2] = text[2].rpartition(",")[0] + ",perhaps"
    path = tmp_path / "some.csv"
    path.write_text("\n".join(text))
    result = corollary("evaluate", flat_files.classes, path, "--json")
    assert "1 row without a value of 'dear' left out" in result.stderr
    assert "has not met: 'perhaps'; they count as errors" in result.stderr
    found = json.loads(result.stdout)
    assert found["rows"] == 159
    names = [one["name"] for one in found["scores"]]
    assert names == ["log loss", "accuracy"]
    assert np.isfinite(found["scores"][0]["value"])


def test_one_row_and_one_class(corollary, flat_files, tmp_path):
    text = flat_files.new.read_text().splitlines()
    path = tmp_path / "one.csv"
    path.write_text("\n".join(text[:2]))
    for model in (flat_files.classes, flat_files.numbers):
        for form in ([], ["--json"]):
            result = corollary("evaluate", model, path, *form)
            assert result.exit_code == 0, result.output


def test_bad_input(refused, flat_files, tmp_path):
    said = refused("evaluate", flat_files.classes, flat_files.blind)
    assert "must have the column 'dear'" in said
    words = "evaluate", flat_files.classes, flat_files.new
    assert "--delta must be" in refused(*words, "--delta", 0)
    assert "--delta must be" in refused(*words, "--set-delta", 2)
    refused("evaluate", flat_files.classes, tmp_path)
    refused("evaluate", flat_files.classes)
    path = tmp_path / "void.csv"
    lines = flat_files.new.read_text().splitlines()[:5]
    rows = [line.rpartition(",")[0] + "," for line in lines[1:]]
    path.write_text("\n".join([lines[0], *rows]))
    assert "must hold values" in refused("evaluate", flat_files.classes, path)
