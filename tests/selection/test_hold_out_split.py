"""Parting rows in three: sizes, classes, groups, time, and a lock on the last."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse as sp

from corollary.core.errors import DataError, ParameterError
from corollary.selection import LockedError, LockedTestSet, hold_out_split


def rows_of(split):
    middle = np.empty(0, int) if split.validation is None else split.validation.rows
    return split.train.rows, middle, split.test.open().rows


@pytest.mark.course("S3-98", "S4-56", "S4-57")
def test_the_parts_cover_all_rows_once_and_have_their_sizes():
    X, y = np.arange(200.0).reshape(100, 2), np.linspace(0, 1, 100)
    usual = hold_out_split(X, y)
    assert (len(usual.train), usual.validation, usual.test.n) == (70, None, 30)
    three = hold_out_split(X, y, test=0.2, validation=15, random_state=3)
    parts = rows_of(three)
    assert [len(part) for part in parts] == [65, 15, 20]
    assert sorted(np.concatenate(parts)) == list(range(100))
    np.testing.assert_array_equal(three.train.X, X[parts[0]])
    np.testing.assert_array_equal(three.validation.y, y[parts[1]])
    np.testing.assert_array_equal(three.test.X, X[parts[2]])
    again = hold_out_split(X, y, test=0.2, validation=15, random_state=3)
    other = hold_out_split(X, y, test=0.2, validation=15, random_state=4)
    assert (again.train.rows == parts[0]).all()
    assert (other.train.rows != parts[0]).any()


@pytest.mark.course("S4-57", "S1-42")
def test_the_test_rows_cannot_be_read_before_they_are_opened():
    X, y = np.arange(20.0)[:, None], np.arange(20.0)
    test = hold_out_split(X, y).test
    assert isinstance(test, LockedTestSet)
    for name in ("X", "y", "rows"):
        with pytest.raises(LockedError, match=f"got a look at {name}"):
            getattr(test, name)
    opened = test.open()
    np.testing.assert_array_equal(opened.X[:, 0], opened.y)


def test_every_row_is_as_likely_to_be_held_out():
    X, y = np.zeros((10, 1)), np.linspace(0, 1, 10)
    counts = np.zeros(10)
    for seed in range(2000):
        split = hold_out_split(X, y, test=3, random_state=seed)
        counts[split.test.open().rows] += 1
    np.testing.assert_allclose(counts / 2000, 0.3, atol=0.04)


@pytest.mark.parametrize("labels", [str, int, bool])
def test_classes_keep_their_shares(labels):
    y = np.repeat([0, 1], [83, 17]).astype(labels)
    split = hold_out_split(np.zeros((100, 1)), y, test=0.25, validation=0.25)
    assert split.kind == "stratified"
    rare = y == np.unique(y)[1]
    for rows in rows_of(split):
        assert abs(rare[rows].sum() - 0.17 * len(rows)) <= 1
    free = hold_out_split(np.zeros((100, 1)), y, stratify=False)
    assert free.kind == "random"
    many = hold_out_split(np.zeros((100, 1)), np.arange(100))
    assert many.kind == "random"


def test_groups_are_on_one_side():
    groups = np.random.default_rng(0).integers(20, size=200)
    X, y = np.zeros((200, 1)), np.linspace(0, 1, 200)
    split = hold_out_split(X, y, test=0.3, validation=0.2, groups=groups)
    parts = rows_of(split)
    sets = [set(groups[rows]) for rows in parts]
    assert sum(map(len, sets)) == len(set().union(*sets)) == 20
    assert abs(len(parts[2]) - 60) <= 10
    assert split.kind == "group"


def test_the_latest_rows_are_held_out():
    when = pd.date_range("2024-01-01", periods=50).to_numpy()
    order = np.random.default_rng(1).permutation(50)
    X, y = np.arange(50.0)[order][:, None], np.linspace(0, 1, 50)
    split = hold_out_split(X, y, test=10, validation=10, time=when[order])
    first, middle, last = (order[rows] for rows in rows_of(split))
    assert first.max() < middle.min()
    assert middle.max() < last.min()
    assert (len(middle), len(last)) == (10, 10)
    by_order = hold_out_split(X, y, test=10, time=True)
    assert by_order.test.open().rows.tolist() == list(range(40, 50))
    tied = hold_out_split(X, y, test=10, time=np.repeat([1, 2, 3], [20, 18, 12]))
    assert tied.test.n == 12  # rows of one time stay together


@pytest.mark.parametrize("kind", ["list", "pandas", "polars", "arrow", "sparse"])
def test_rows_of_every_kind(kind):
    X, y = np.arange(40.0).reshape(20, 2), np.linspace(0, 1, 20)
    made = {
        "list": lambda: X.tolist(),
        "pandas": lambda: pd.DataFrame(X, columns=["a", "b"], index=range(7, 27)),
        "polars": lambda: pl.DataFrame(X, schema=["a", "b"]),
        "arrow": lambda: pa.table({"a": X[:, 0], "b": X[:, 1]}),
        "sparse": lambda: sp.csr_matrix(X),
    }[kind]()
    split = hold_out_split(made, y, test=5)
    kept = split.train.X
    found = kept.toarray() if kind == "sparse" else np.asarray(kept)
    np.testing.assert_array_equal(found, X[split.train.rows])
    assert kind == "list" or type(kept) is type(made)


def test_it_prints():
    split = hold_out_split(np.zeros((10, 1)), np.linspace(0, 1, 10), test=2)
    assert str(split) == "random split: 8 rows to train on, 2 locked"
    assert repr(split.train) == "RowSet(8 rows)"
    assert "0" not in repr(split.test).split("rows")[0]
    assert repr(split.test) == "LockedTestSet(2 rows, locked, models judged: 0)"


@pytest.mark.parametrize(
    ("change", "error", "words"),
    [
        ({"test": 0}, ParameterError, "some of the 9 rows to train on; got 0 and"),
        ({"test": 5, "validation": 4}, ParameterError, "got 5 and 4"),
        ({"test": 1.5}, ParameterError, "test must be a share"),
        ({"validation": "a"}, ParameterError, "validation must be a share"),
        ({"y": np.ones(3)}, DataError, "one target for each of the 9 rows"),
        ({"X": np.ones((1, 1)), "y": [1.0]}, DataError, "at least 2 rows"),
        ({"stratify": "yes"}, ParameterError, "stratify must be True, False or None"),
        ({"groups": np.ones(9)}, DataError, "enough to leave some to train on; got 1"),
        ({"groups": np.ones(9), "time": True}, ParameterError, "got both"),
        ({"time": np.ones(4)}, DataError, "time must have one entry for each"),
        ({"time": np.r_[np.nan, np.ones(8)]}, DataError, "must be known; got none in"),
        ({"time": np.array([1, "a", 2] * 3, dtype=object)}, DataError, "mixed"),
    ],
)  # fmt: skip
def test_bad_input_gets_a_sentence(change, error, words):
    given = {"X": np.zeros((9, 1)), "y": np.linspace(0, 1, 9)}
    with pytest.raises(error, match=words):
        hold_out_split(**(given | change))
