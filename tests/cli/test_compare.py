"""Two models on the same rows, by paired tests."""

import json

import numpy as np
import pyarrow.csv
import pytest
from scipy import stats

from corollary import load
from corollary.cli.compare import paired_t, verdict
from corollary.selection import mcnemar


def test_tests_are_those_of_the_library(corollary, flat_files):
    words = "compare", flat_files.poor, flat_files.classes, flat_files.new
    result = corollary(*words, "--json")
    assert result.exit_code == 0, result.output
    found = json.loads(result.stdout)
    y = np.array(pyarrow.csv.read_csv(flat_files.new)["dear"].to_pylist())
    a, b = load(flat_files.poor), load(flat_files.classes)
    told = [model.predict(flat_files.new) for model in (a, b)]
    by_errors, by_loss = found["tests"]
    assert by_errors["p_value"] == pytest.approx(mcnemar(y, *told).p_value)
    code = (y == "yes").astype(int)
    losses = [
        -np.log(model.predict_proba(flat_files.new)[np.arange(160), code])
        for model in (a, b)
    ]
    expected = stats.ttest_rel(*losses)
    assert by_loss["p_value"] == pytest.approx(expected.pvalue)
    interval = expected.confidence_interval()
    assert [by_loss["low"], by_loss["high"]] == pytest.approx(list(interval))
    assert found["verdict"].startswith("Model B is better, by errors (p = ")


def test_a_model_is_no_better_than_itself(corollary, flat_files):
    text = flat_files.new.read_text()
    words = "compare", flat_files.numbers, flat_files.numbers, "-"
    result = corollary(*words, input=text)
    assert result.exit_code == 0, result.output
    first = result.stdout.splitlines()[0]
    assert first == "No difference beyond chance was found on 160 rows."


def test_training_rows_are_no_fair_test(corollary, flat_files):
    words = "compare", flat_files.classes, flat_files.poor, flat_files.train
    result = corollary(*words)
    assert result.exit_code == 0
    assert result.stderr.count("no fair test") == 2
    assert "McNemar's exact test" in result.stdout


def test_verdicts():
    rng = np.random.default_rng(0)
    base = rng.normal(size=400)
    near = paired_t(base, base + 0.01 * rng.normal(size=400))
    worse = paired_t(base + 0.5, base + 0.1 * rng.normal(size=400))
    better = paired_t(base, base + 0.5 + 0.1 * rng.normal(size=400))
    assert verdict({"x": near}, 9) == "No difference beyond chance was found on 9 rows."
    assert verdict({"x": worse, "z": near}, 9).startswith("Model B is better, by x (p")
    assert verdict({"x": better}, 9).startswith("Model A is better, by x (p")
    mixed = verdict({"x": better, "z": worse}, 9)
    assert mixed.startswith("Neither model is better in all: A by x")
    assert "and B by z" in mixed


def test_false_alarms_are_as_rare_as_promised():
    rng = np.random.default_rng(1)
    alarms = 0
    for _ in range(400):
        tests = {name: paired_t(*rng.normal(size=(2, 30))) for name in "ab"}
        alarms += verdict(tests, 30).startswith("Model")
    assert alarms <= stats.binom.ppf(0.999, 400, 0.05)


def test_bad_input(refused, flat_files):
    a, b, new = flat_files.classes, flat_files.numbers, flat_files.new
    assert "same target; got 'dear' and 'rent'" in refused("compare", a, b, new)
    assert "'dear'" in refused("compare", a, a, flat_files.blind)
    assert "does not exist" in refused("compare", a, "none.corollary", new)
    refused("compare", a, a)
    refused("compare", a, a, "-", input="")
