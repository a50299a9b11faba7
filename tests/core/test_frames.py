"""Frames of three libraries become the same matrix, or a sentence with a column."""

import datetime

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from numpy.testing import assert_allclose

import corollary
from corollary.core.errors import DataError
from corollary.core.frames import frame_to_array, is_frame

MAKERS = {"pandas": pd.DataFrame, "polars": pl.DataFrame, "pyarrow": pa.table}
A = np.array([1.5, -2.0, 3.25, 0.0])

every_library = pytest.mark.parametrize("make", MAKERS.values(), ids=MAKERS)


def wrong(frame):
    with pytest.raises(DataError) as caught:
        frame_to_array("KMeans", frame)
    return str(caught.value)


@every_library
def test_floats_integers_and_booleans_become_float64(make):
    X = frame_to_array("KMeans", make({"a": A, "i": np.arange(4), "t": A > 0}))
    assert X.dtype == np.float64
    assert X.flags.c_contiguous
    np.testing.assert_array_equal(X, np.c_[A, np.arange(4), A > 0])


@every_library
def test_float32_stays_only_where_every_column_is(make):
    small = {"a": A.astype(np.float32), "b": A.astype(np.float32)}
    X = frame_to_array("KMeans", make(small))
    assert X.dtype == np.float32
    np.testing.assert_array_equal(X, np.c_[A, A])
    assert frame_to_array("KMeans", make(small | {"c": A})).dtype == np.float64


@every_library
def test_many_rows_are_copied_in_order(make):
    X = np.random.default_rng(0).standard_normal((10_001, 3))
    frame = make({f"x{j}": X[:, j] for j in range(3)})
    np.testing.assert_array_equal(frame_to_array("KMeans", frame), X)


def test_one_block_of_pandas_floats_is_not_copied():
    frame = pd.DataFrame(np.ones((100, 4)))
    assert np.shares_memory(frame_to_array("KMeans", frame), frame.to_numpy())


@every_library
def test_text_is_refused_by_name_even_where_it_looks_like_numbers(make):
    assert wrong(make({"a": A, "town": list("1234")})) == (
        "KMeans: column 'town' of X must hold numbers; got type String. "
        "Encode it as numbers, or drop it."
    )


@every_library
def test_dates_are_refused_by_name(make):
    days = [datetime.datetime(2026, 1, day + 1) for day in range(4)]
    message = wrong(make({"a": A, "when": days}))
    assert message.startswith(
        "KMeans: column 'when' of X must hold numbers; got type Datetime"
    )


@pytest.mark.parametrize(
    "frame",
    [
        pd.DataFrame({"kind": pd.Categorical(list("abab"))}),
        pl.DataFrame({"kind": pl.Series(list("abab"), dtype=pl.Categorical)}),
        pa.table({"kind": pa.array(list("abab")).dictionary_encode()}),
    ],
    ids=MAKERS,
)
def test_categories_are_refused_by_name(frame):
    assert "column 'kind' of X must hold numbers; got type Categorical" in wrong(frame)


@pytest.mark.parametrize(
    "frame",
    [
        pd.DataFrame({"a": A, "i": pd.array([1, None, 3, 4], dtype="Int64")}),
        pd.DataFrame(
            {"a": A, "i": pd.array([True, None, True, True], dtype="boolean")}
        ),
        pl.DataFrame({"a": A, "i": [1, None, 3, 4]}),
        pa.table({"a": A, "i": [1, None, 3, 4]}),
    ],
    ids=["Int64", "boolean", "polars", "pyarrow"],
)
def test_missing_values_become_nan_and_fit_names_the_column(frame):
    X = frame_to_array("KMeans", frame)
    assert np.isnan(X[1, 1])
    assert np.isfinite(np.delete(X, 1, axis=0)).all()
    with pytest.raises(DataError, match=r"NaN in row 1, column 1 \('i'\)"):
        corollary.KMeans(n_clusters=2).fit(frame)


def test_objects_that_are_numbers_pass_and_others_are_named():
    numbers = pd.DataFrame({"a": A, "o": np.array([1, 2.5, 3, 4], dtype=object)})
    np.testing.assert_array_equal(
        frame_to_array("KMeans", numbers)[:, 1], [1, 2.5, 3, 4]
    )
    mixed = pd.DataFrame({"o": np.array([1, "2", 3, 4], dtype=object)})
    assert "column 'o' of X must hold numbers; got '2' of type str." in wrong(mixed)


def test_a_lazy_frame_asks_to_be_collected():
    assert wrong(pl.DataFrame({"a": A}).lazy()) == (
        "KMeans: X must be a data frame with its rows; got a lazy one. Use X.collect()."
    )


@every_library
def test_names_are_learned_and_checked(make):
    frame = make({"size": A, "age": A[::-1].copy()})
    model = corollary.KMeans(n_clusters=2, random_state=0).fit(frame)
    assert list(model.feature_names_in_) == ["size", "age"]
    np.testing.assert_array_equal(model.predict(frame), model.labels_)
    with pytest.raises(DataError, match="Feature names"):
        model.predict(make({"age": A, "size": A}))


def test_arrays_and_series_are_no_frames():
    assert not is_frame(A)
    assert not is_frame(pd.Series(A))
    assert not is_frame([[1.0]])
    assert is_frame(pd.DataFrame(A))


def test_categories_that_are_numbers_are_numbers():
    values = np.arange(12) % 3
    frame = pd.DataFrame({"a": np.arange(12.0), "b": pd.Categorical(values)})
    plain = np.column_stack([np.arange(12.0), values])
    for model in (corollary.Ridge(), corollary.DecisionTreeRegressor(max_depth=2)):
        found = model.fit(frame, values).predict(frame)
        assert_allclose(found, model.fit(plain, values).predict(plain))
    frame["b"] = pd.Categorical([None, *values[1:]])
    with pytest.raises(DataError, match="NaN"):
        corollary.Ridge().fit(frame, values)
    frame["b"] = pd.Categorical(list("abc") * 4)
    with pytest.raises(DataError, match="column 'b' of X must hold numbers"):
        corollary.Ridge().fit(frame, values)
