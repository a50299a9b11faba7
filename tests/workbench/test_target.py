"""Targets: classes or numbers, and those that nothing can be learned of."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from corollary.core.errors import DataError, ParameterError
from corollary.workbench import guess_task, read_table

RNG = np.random.default_rng(0)


@pytest.mark.parametrize(
    ("y", "task"),
    [
        (["a", "b", "a"], "classification"),
        ([True, False, None], "classification"),
        ([0, 1] * 10, "classification"),
        ([0.0, 1.0, np.nan] * 10, "classification"),
        ([2.5, 7.25] * 3, "classification"),  # two values
        (np.repeat([0, 1, 2], 50), "classification"),
        (np.repeat([0.0, 1.0, 2.0], 10), "classification"),
        (np.arange(400) % 20, "classification"),
        (np.arange(399) % 20, "regression"),  # more than 5% of the rows
        (np.arange(2000) % 21, "regression"),  # too many
        (np.arange(12) % 4, "regression"),  # three rows each
        (np.repeat([0.5, 1.0, 2.0], 50), "regression"),  # not whole
        (RNG.normal(size=50), "regression"),
        (np.arange(50), "regression"),
        (pd.Series(["a", None, "b"]), "classification"),
        (pd.Series(pd.Categorical([1, 2, 3])), "regression"),
        (pl.Series([1.5, 2.5, 3.5]), "regression"),
        (pa.array([1, 2, 1]), "classification"),
    ],
)
def test_the_task_is_told_by_the_values(y, task):
    assert guess_task(y) == task


@pytest.mark.parametrize("y", [[], [None, None], "words", 3, np.zeros((2, 2))])
def test_no_task_without_a_column_of_values(y):
    with pytest.raises(DataError, match=r"^guess_task: y must"):
        guess_task(y)


def test_rows_without_a_target_are_left_out_and_said():
    table = {"x": range(6), "y": [1.5, None, 2.5, 3.0, np.nan, 8.0]}
    data = read_table(table, target="y")
    assert (data.rows, data.used_rows) == (6, 4)
    assert data.y.tolist() == [1.5, 2.5, 3, 8]
    assert "2 rows without a value of the target 'y' left out." in data.notes
    assert data.features.column("x").to_pylist() == [0, 2, 3, 5]


def test_labels_are_words_whole_numbers_or_booleans():
    def y(values):
        data = read_table({"x": RNG.normal(size=len(values)), "y": values}, target="y")
        assert data.task == "classification"
        return data.y, data.schema.classes

    words, classes = y(["no", "yes", "no"])  # words stay words
    assert (words.dtype.kind, classes) == ("U", ("no", "yes"))
    numbers, classes = y([1.0, 0.0, 1.0])
    assert (numbers.dtype.kind, classes) == ("i", (0, 1))
    booleans, classes = y([True, False, True])
    assert (booleans.dtype.kind, classes) == ("b", (False, True))
    large, classes = y([1e300, -1e300, 1e300])
    assert (large.dtype.kind, classes) == ("f", (-1e300, 1e300))
    halves, classes = y([0.5, 1.5, 0.5])
    assert (halves.dtype.kind, classes) == ("f", (0.5, 1.5))


def test_yes_and_no_are_booleans_only_among_features(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("a,y\nyes,no\nno,yes\nyes,yes\n")
    data = read_table(path, target="y")
    assert [c.kind for c in data.columns] == ["boolean", "category"]


@pytest.mark.parametrize(
    ("y", "words"),
    [
        ([7, 7, 7], "the value '7.0' in all 3 rows"),
        ([None, None, None], "no value at all"),
        (["a", None, None], "the value 'a' in all 1 rows"),
        ([f"id{i}" for i in range(100)], "100 different words in 100 rows"),
        (["2021-01-01", "2021-01-02", "2021-01-03"], "dates"),
    ],
)
def test_targets_of_which_nothing_can_be_learned_are_refused(y, words):
    with pytest.raises(DataError, match=words):
        read_table({"x": RNG.normal(size=len(y)), "y": y}, target="y")


def test_a_target_that_is_not_there_is_told_with_close_names():
    table = {"Price": [1, 2], "Rooms": [3, 4]}
    with pytest.raises(DataError, match="The closest name is 'Price'"):
        read_table(table, target="price")
    with pytest.raises(DataError, match="There are 'Price', 'Rooms'"):
        read_table(table, target="zzz")


def test_a_target_may_be_named_as_the_file_writes_it(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text(" y ,x\n1.5,2\n2.5,3\n4,5\n")
    for name in (" y ", "y"):
        assert read_table(path, target=name).target == "y"


def test_without_a_target_there_is_no_schema():
    data = read_table({"x": [1, 2]})
    with pytest.raises(ParameterError, match="a target must be given"):
        data.y
    with pytest.raises(ParameterError, match="a target must be given"):
        data.schema
