"""What holds a model back, and drift between two files, from the command line."""

import json

import pyarrow.csv
import pytest

from corollary import load
from corollary.diagnostics import drift
from corollary.diagnostics.remedies import FAULTS
from corollary.workbench import read_like


def test_a_constant_is_told_to_be_too_stiff(corollary, flat_files):
    words = "diagnose", flat_files.poor, flat_files.train, "--time-budget", 5
    result = corollary(*words, "--json")
    assert result.exit_code == 0, result.output
    found = json.loads(result.stdout)
    names = [verdict["name"] for verdict in found["verdicts"]]
    assert "high_bias" in names
    assert found["member"] == "PriorClassifier"
    assert found["rows"] == 300
    assert found["loss"]["validation"] > found["loss"]["reference"]
    assert found["actions"]


def test_words_for_people(corollary, flat_files):
    words = "diagnose", flat_files.classes, flat_files.train, "--time-budget", 3
    result = corollary(*words)
    assert result.exit_code == 0, result.output
    first, verdict, *_ = result.stdout.splitlines()
    assert first == "dear: LogisticRegression on 300 rows"
    assert verdict.partition(" (confidence")[0] in FAULTS.values()


@pytest.fixture(scope="module")
def moved(flat_files, tmp_path_factory):
    """Flats of which all towns but one are new, without their rent."""
    text = flat_files.new.read_text().replace("Oslo", "Bodo").replace("Moss", "Ulvik")
    path = tmp_path_factory.mktemp("moved") / "moved.csv"
    path.write_text(text)
    return path


def test_drift_between_two_files(corollary, flat_files, moved):
    words = "diagnose", flat_files.classes, flat_files.train, "--against", moved
    result = corollary(*words, "--json")
    assert result.exit_code == 0, result.output
    found = json.loads(result.stdout)
    schema = load(flat_files.classes).schema
    tables = [read_like(path, schema).table for path in (flat_files.train, moved)]
    expected = drift(*tables)
    assert found["drifted"]
    assert found["columns"][0]["column"] == "town"
    assert found["columns"][0]["p_value"] == pytest.approx(expected.columns[0].p_value)
    assert found["area"]["value"] == pytest.approx(expected.auc.value)
    town = pyarrow.csv.read_csv(flat_files.new)["town"].to_pylist()
    assert found["new_categories"] == {"town": len(town) - town.count("Bergen")}
    accuracy = next(one for one in found["scores"] if one["name"] == "accuracy")
    assert accuracy["first"][0] > accuracy["second"][0]
    assert "fitted to about 100%" in result.stderr


def test_drift_in_words_without_a_target(corollary, flat_files):
    words = "diagnose", flat_files.classes, flat_files.new, "--against"
    result = corollary(*words, flat_files.blind)
    assert result.exit_code == 0
    assert result.stderr == ""
    assert "The two sets of rows are alike" in result.stdout
    assert "accuracy" not in result.stdout


def test_bad_input(refused, flat_files, tmp_path):
    words = "diagnose", flat_files.classes
    assert "'dear'" in refused(*words, flat_files.blind)
    assert "time_budget" in refused(*words, flat_files.train, "--time-budget", 0)
    assert "--delta" in refused(*words, flat_files.train, "--delta", 3)
    said = refused(*words, flat_files.train, "--against", tmp_path / "none.csv")
    assert "no such file" in said
    few = tmp_path / "few.csv"
    few.write_text("\n".join(flat_files.new.read_text().splitlines()[:6]))
    assert "10 rows" in refused(*words, few)
