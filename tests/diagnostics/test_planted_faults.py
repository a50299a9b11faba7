"""Faults that were planted are named first, and the first advice helps."""

import importlib.util
import sys
from pathlib import Path

import numpy as np
import pytest

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"


@pytest.fixture(scope="module")
def planted():
    """The benchmark of planted faults, a script beside the library."""
    sys.path.insert(0, str(BENCHMARKS))
    try:
        spec = importlib.util.spec_from_file_location(
            "planted_faults", BENCHMARKS / "planted_faults.py"
        )
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        yield module
    finally:
        sys.path.remove(str(BENCHMARKS))


@pytest.mark.course("S4-64")
def test_planted_faults_are_named_first(planted):
    rows = planted.run(planted.FAULTS, 2, seed=15, most_rows=400)
    told = planted.summary(rows)
    assert told["right"] >= 23 / 26
    assert told["false_alarms"] == 0
    assert told["helped"] >= 0.7


@pytest.mark.slow
def test_more_of_them_and_the_confidence_is_worth_its_name(planted):
    rows = planted.run(planted.FAULTS, 6, seed=4)  # and of any size
    told = planted.summary(rows)
    assert told["right"] >= 0.87
    assert told["false_alarms"] <= 1 / 6
    assert told["helped"] >= 0.7
    sure = [row[0] == row[2] for row in rows if row[3] >= 0.95]
    assert np.mean(sure) >= 0.9
