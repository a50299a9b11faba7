"""Certificates from the command line, by rows that a model has not seen."""

import json

import numpy as np
import pyarrow.csv
import pytest

from corollary import load
from corollary.theory import clopper_pearson


def test_errors_are_bounded_exactly(corollary, flat_files):
    words = "certify", flat_files.classes, flat_files.new, "--delta", 0.1
    result = corollary(*words, "--json")
    assert result.exit_code == 0, result.output
    found = json.loads(result.stdout)
    y = np.array(pyarrow.csv.read_csv(flat_files.new)["dear"].to_pylist())
    errors = int((load(flat_files.classes).predict(flat_files.new) != y).sum())
    bound = clopper_pearson(n=160, errors=errors, delta=0.1)
    assert found["bound"]["value"] == pytest.approx(bound)
    assert found["holds"]
    many = json.loads(corollary(*words, "--json", "--models-tried", 20).stdout)
    assert many["bound"]["value"] > found["bound"]["value"]


def test_errors_of_numbers_count_up_to_the_largest_out_of_fold(corollary, flat_files):
    result = corollary("certify", flat_files.numbers, flat_files.new)
    assert result.exit_code == 0
    largest = load(flat_files.numbers).scores_[-1]
    assert f"Losses above {largest:g} count as {largest:g}." in result.stdout
    words = "certify", flat_files.numbers, flat_files.new, "--largest-loss", 1000
    assert "Losses above 1000" in corollary(*words).stdout


def test_training_rows_are_refused(refused, flat_files):
    said = refused("certify", flat_files.numbers, flat_files.train)
    assert "DATA must be rows that the model was not fitted to" in said
    assert "about 300 of 300" in said
    refused("certify", flat_files.classes, flat_files.train, flat_files.new)


def test_words_for_people(corollary, flat_files):
    result = corollary("certify", flat_files.classes, flat_files.new)
    assert result.exit_code == 0
    assert result.stderr == ""
    first = result.stdout.splitlines()[0]
    assert first.startswith("model of dear: Expect a share of errors of at most 0.")


def test_bad_input(refused, flat_files):
    words = "certify", flat_files.classes, flat_files.new
    assert "delta must be" in refused(*words, "--delta", 1.5)
    assert "models_tried must be" in refused(*words, "--models-tried", 0)
    assert "--largest-loss must be left out" in refused(*words, "--largest-loss", 2)
    assert "'dear'" in refused("certify", flat_files.classes, flat_files.blind)
    words = "certify", flat_files.numbers, flat_files.new
    assert "largest_loss must be" in refused(*words, "--largest-loss", 0)
