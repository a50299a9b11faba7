"""Tables keep what a column holds; labels stand in the order of scikit-learn's."""

import datetime
import pickle

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from sklearn.preprocessing import OrdinalEncoder

from corollary.core.errors import DataError, MixedTypesError
from corollary.core.table import Column, Table, joined_columns, joined_rows, table_of

NAN = float("nan")
TOWNS = ["Rome", None, "Ōsaka", "Rome", ""]
DAYS = [datetime.datetime(2026, 1, day) for day in (5, 1, 2, 5)]


def same(a, b):
    """Tell whether two values are equal, missing ones of a kind too."""
    return a is b or a == b or (a != a and b != b)


def all_same(a, b):
    return len(a) == len(b) and all(same(x, y) for x, y in zip(a, b, strict=True))


def objects(*items):
    out = np.empty(len(items), dtype=object)
    out[:] = items
    return out


def as_sklearn_codes(values):
    """Return scikit-learn's categories and codes of one column."""
    encoder = OrdinalEncoder(encoded_missing_value=-1)
    codes = encoder.fit_transform(values.reshape(-1, 1))[:, 0]
    return encoder.categories_[0], codes


def check_against_sklearn(column):
    values = column.array()
    labels, codes = column.coded()
    assert codes.dtype == np.int32
    categories, theirs = as_sklearn_codes(values)
    assert all_same(labels.tolist(), categories.tolist())
    assert all_same(labels[codes].tolist(), values.tolist())
    seen = theirs >= 0  # -1 is scikit-learn's code for NaN
    np.testing.assert_array_equal(codes[seen], theirs[seen])
    absent = [value is None or value != value for value in values.tolist()]
    assert column.is_missing().tolist() == absent


texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=3)
missing = st.sampled_from([None, NAN, np.float64("nan")])
numbers = st.integers(-5, 5) | st.floats(-2, 2) | st.booleans()


@given(st.lists(texts | missing, min_size=1, max_size=20))
def test_labels_of_texts_are_those_of_scikit_learn(items):
    check_against_sklearn(Column(objects(*items)))


@given(st.lists(numbers | missing, min_size=1, max_size=20))
def test_labels_of_objects_that_are_numbers(items):
    check_against_sklearn(Column(objects(*items)))


@pytest.mark.parametrize("dtype", [np.int8, np.uint64, np.int64, np.float32, np.bool_])
@pytest.mark.parametrize("spread", [1, 10**6])
def test_labels_of_numbers_of_every_type(dtype, spread):
    rng = np.random.default_rng(0)
    values = (rng.integers(0, 50, 200) * spread).astype(dtype)
    column = Column(values)
    check_against_sklearn(column)
    assert column.coded()[0].dtype == values.dtype


def test_extreme_integers_have_labels():
    for dtype in (np.int64, np.uint64):
        info = np.iinfo(dtype)
        values = np.array([info.max, info.min, info.max - 1, info.max], dtype=dtype)
        labels, codes = Column(values).coded()
        assert labels.tolist() == sorted(set(values.tolist()))
        np.testing.assert_array_equal(labels[codes], values)


def test_labels_of_floats_and_dates_end_with_one_missing_label():
    labels, codes = Column(np.array([2.0, np.nan, 1.0, np.nan])).coded()
    assert all_same(labels.tolist(), [1.0, 2.0, NAN])
    assert codes.tolist() == [1, 2, 0, 2]
    dates = np.array(["2026-01-02", "NaT", "2026-01-01", "NaT"], dtype="M8[D]")
    labels, codes = Column(dates).coded()
    assert np.isnat(labels).tolist() == [False, False, True]
    assert codes.tolist() == [1, 2, 0, 2]


def test_every_kind_of_missing_value_is_a_label_of_its_own():
    column = Column(objects("b", pd.NA, NAN, None, "a", pd.NaT))
    labels, codes = column.coded()
    assert all_same(labels.tolist()[:4], ["a", "b", None, NAN])
    assert labels[4] is pd.NaT
    assert labels[5] is pd.NA
    assert codes.tolist() == [1, 5, 3, 2, 0, 4]
    assert column.is_missing().tolist() == [False, True, True, True, False, True]


@pytest.mark.parametrize("items", [("a", 1), ([1], [2]), (1, datetime.date.min)])
def test_values_without_an_order_are_refused_as_scikit_learn_refuses_them(items):
    with pytest.raises(TypeError, match="uniformly strings or numbers") as caught:
        Column(objects(*items)).coded("OneHotEncoder")
    assert isinstance(caught.value, MixedTypesError)
    assert isinstance(caught.value, DataError)
    assert str(caught.value).startswith("OneHotEncoder: ")


@given(
    st.lists(st.integers(-1, 3), min_size=1, max_size=15),
    st.permutations(["x", "b", "ß", "a"]),
    st.sampled_from([None, NAN]),
)
def test_a_coded_column_is_the_plain_one(codes, labels, missing):
    codes = np.array(codes, dtype=np.int32)
    column = Column(objects(*labels), codes, missing, "category")
    wanted = [missing if code < 0 else labels[code] for code in codes]
    assert all_same(column.array().tolist(), wanted)
    check_against_sklearn(column)
    sent = pickle.loads(pickle.dumps(column))
    assert all_same(sent.array().tolist(), wanted)
    assert sent.kind == column.kind == "category"
    half = column[: len(codes) // 2]
    both = joined_rows([Table((half,)), Table((column[len(codes) // 2 :],))])
    assert all_same(both.column(0).array().tolist(), wanted)


def test_labels_that_are_no_objects_take_missing_values():
    codes = np.array([0, -1, 1], dtype=np.int32)
    whole = Column(np.array([7, 3]), codes, NAN)
    np.testing.assert_array_equal(whole.array(), [7.0, np.nan, 3.0])
    truth = Column(np.array([True, False]), codes, None)
    assert truth.array().tolist() == [True, None, False]
    dates = Column(np.array(["2026-01-02", "2026-01-01"], dtype="M8[s]"), codes, None)
    assert np.isnat(dates.array()).tolist() == [False, True, False]
    none = Column(objects(), np.array([-1, -1], dtype=np.int32), None, "text")
    assert none.array().tolist() == [None, None]
    assert none.coded()[1].tolist() == [0, 0]


def test_few_of_many_labels_travel():
    labels = objects(*(f"label {i}" for i in range(10_000)))
    column = Column(labels, np.arange(10_000, dtype=np.int32))[[5, 9_999]]
    sent = pickle.dumps(column)
    assert len(sent) < 1_000
    assert pickle.loads(sent).array().tolist() == ["label 5", "label 9999"]


@pytest.mark.parametrize(
    ("values", "kind"),
    [
        (np.arange(3), "number"),
        (np.array([True]), "boolean"),
        (np.array(["a"]), "text"),
        (np.array([b"a"]), "text"),
        (np.array(["2026-01-01"], dtype="M8[D]"), "date"),
        (np.array([1], dtype="m8[s]"), "object"),
        (np.array([1j]), "object"),
        (objects("a", None, NAN), "text"),
        (objects(1, 2.5, None), "number"),
        (objects(True, None, NAN), "boolean"),
        (objects(1, "a"), "object"),
        (objects(None, None), "object"),
        (objects(NAN, None), "object"),
        (objects(NAN, NAN), "number"),
        (objects([1], [2]), "object"),
    ],
)
def test_kinds(values, kind):
    assert Column(values).kind == kind


# -- frames ----------------------------------------------------------------------------
def frames():
    data = {
        "town": ["Rome", None, "Oslo", "Rome"],
        "age": [3, 4, 5, 6],
        "big": [2**60 + 1, 2**60, 1, 0],
        "pay": [1.5, None, 2.5, 0.0],
        "member": [True, False, True, True],
        "since": DAYS,
        "grade": ["b", "a", None, "b"],
    }
    pandas = pd.DataFrame(data).astype({"grade": "category"})
    polars = pl.DataFrame(data).with_columns(pl.col("grade").cast(pl.Categorical))
    arrow = polars.to_arrow()
    return {"pandas": pandas, "polars": polars, "pyarrow": arrow}


@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow"])
def test_a_frame_keeps_the_types_of_its_columns(library):
    frame = frames()[library]
    table = table_of("X", frame)
    null = NAN if library == "pandas" else None
    assert table.shape == (4, 7)
    assert table.names == tuple(frames()["pandas"].columns)
    kinds = ["text", "number", "number", "number", "boolean", "date", "category"]
    assert table.kinds == kinds
    arrays = [column.array() for column in table.columns]
    assert all_same(arrays[0].tolist(), ["Rome", null, "Oslo", "Rome"])
    assert arrays[1].dtype == np.int64
    assert arrays[2].tolist() == [2**60 + 1, 2**60, 1, 0]
    np.testing.assert_array_equal(arrays[3], [1.5, np.nan, 2.5, 0.0])
    assert arrays[4].dtype == bool
    assert arrays[5].astype("M8[us]").tolist() == DAYS
    assert all_same(arrays[6].tolist(), ["b", "a", null, "b"])
    part = table.select(["pay", "member", "age"])[1:]
    np.testing.assert_array_equal(
        part.matrix(), [[np.nan, 0, 4], [2.5, 1, 5], [0, 1, 6]]
    )
    with pytest.raises(DataError) as caught:
        table.matrix(who="KMeans")
    assert str(caught.value) == (
        "KMeans: column 'town' of X must hold numbers; got a text. "
        "Encode it as numbers, or drop it."
    )


@pytest.mark.parametrize(
    ("series", "kind", "wanted"),
    [
        (pd.Series(["a", None], dtype="str"), "text", ["a", NAN]),
        (pd.Series(["a", None], dtype="string"), "text", ["a", NAN]),
        (pd.Series(["a", None], dtype="string[python]"), "text", ["a", NAN]),
        (pd.Series(["a", None], dtype=object), "text", ["a", None]),
        (pd.Series(["a\ud800", "b"], dtype=object), "text", ["a\ud800", "b"]),
        (pd.Series([1, None], dtype="Int64"), "number", [1.0, NAN]),
        (pd.Series([1, 2], dtype="Int64"), "number", [1, 2]),
        (pd.Series([1, None], dtype="int64[pyarrow]"), "number", [1.0, NAN]),
        (pd.Series([True, None], dtype="boolean"), "boolean", [True, NAN]),
        (pd.Series([True, False], dtype="boolean"), "boolean", [True, False]),
        (pd.Series([True, None], dtype="bool[pyarrow]"), "boolean", [True, NAN]),
        (pd.Series([0.0, 1.0], dtype="Sparse[float]"), "number", [0.0, 1.0]),
        (pd.Series(pd.Categorical([3, None, 1])), "category", [3.0, NAN, 1.0]),
        (pd.Series(pd.Categorical([True, None])), "category", [True, NAN]),
    ],
    ids=lambda value: str(getattr(value, "dtype", "")),
)
def test_types_of_pandas(series, kind, wanted):
    column = table_of("X", pd.DataFrame({"a": series})).column(0)
    assert column.kind == kind
    assert all_same(column.array().tolist(), wanted)


def test_moments_with_a_zone_are_those_of_utc():
    moments = pd.to_datetime(["2026-01-01T12:00+02:00"]).to_frame()
    column = table_of("X", moments).column(0)
    assert column.kind == "date"
    assert column.array().astype("M8[h]").tolist() == [
        datetime.datetime(2026, 1, 1, 10)
    ]


@pytest.mark.parametrize(
    ("array", "kind", "wanted"),
    [
        (pa.array([1, None]), "number", [1.0, NAN]),
        (pa.array([None, None]), "number", [NAN, NAN]),
        (pa.array([True, None]), "boolean", [True, None]),
        (pa.array(["a", None], pa.large_string()), "text", ["a", None]),
        (pa.array(["a", None], pa.string_view()), "text", ["a", None]),
        (pa.chunked_array([["a"], ["b", "a"]]), "text", ["a", "b", "a"]),
        (pa.array([[1], None, [2, 3]]), "object", [[1], None, [2, 3]]),
        (pa.array([1.5]).cast(pa.decimal128(5, 2)), "number", [1.5]),
        (pa.array([3, None]).dictionary_encode(), "category", [3.0, NAN]),
        (pa.array([datetime.time(3)]), "object", [datetime.time(3)]),
    ],
    ids=str,
)
def test_types_of_arrow(array, kind, wanted):
    column = table_of("X", pa.table({"a": array})).column(0)
    assert column.kind == kind
    assert all_same(column.array().tolist(), wanted)


def test_a_slice_of_a_long_dictionary_holds_its_own_labels_only():
    array = pa.array([f"{i}" for i in range(5000)] + [None]).dictionary_encode()
    column = table_of("X", pa.table({"a": array.slice(4999)})).column(0)
    assert column.values.tolist() == ["4999"]
    assert column.array().tolist() == ["4999", None]


def test_a_table_is_an_array_and_a_pandas_frame_to_others():
    frame = frames()["pandas"]
    table = table_of("X", frame)
    again = table.frame()
    assert list(again.columns) == list(frame.columns)
    assert again["grade"].dtype == frame["grade"].dtype
    assert again["age"].dtype == np.int64
    assert all_same(again["town"].tolist(), frame["town"].tolist())
    assert np.asarray(table).shape == (4, 7)
    odd = pa.DictionaryArray.from_arrays(pa.array([0, 1, 2]), ["a", "a", None])
    rows = table_of("X", pa.table({"a": odd})).frame()
    assert rows["a"].tolist()[:2] == ["a", "a"]
    numbers = table_of("X", np.eye(2)).frame(["u", "v"])
    np.testing.assert_array_equal(numbers[["v", "u"]], np.eye(2)[:, ::-1])


def test_unused_categories_are_no_labels():
    column = pd.Series(pd.Categorical(["b", "b"], categories=["c", "b", "a"]))
    labels, codes = table_of("X", column.to_frame()).column(0).coded()
    assert labels.tolist() == ["b"]
    assert codes.tolist() == [0, 0]


def test_names_are_strings_or_none_and_may_repeat():
    frame = pd.DataFrame([[1, "x", 2]], columns=["a", "b", "a"])
    table = table_of("X", frame)
    assert table.names == ("a", "b", "a")
    assert table.select([2]).matrix().tolist() == [[2.0]]
    with pytest.raises(DataError, match=r"must have one column 'a'; got 2 of them"):
        table.select(["a"])
    assert table_of("X", pd.DataFrame([[1, 2]])).names is None
    assert table_of("X", pd.DataFrame([[1, 2]], columns=["a", 1])).names is None


# -- arrays and lists ------------------------------------------------------------------
def test_a_float_array_is_not_copied():
    X = np.ones((5, 3))
    table = table_of("X", X)
    assert np.shares_memory(table.matrix(), X)
    assert np.shares_memory(table[1:3].matrix(), X)
    assert table_of("X", table) is table


def test_lists_keep_their_values_where_they_hold_texts():
    table = table_of("X", [["a", 1], ["b", 2]])
    assert table.kinds == ["text", "number"]
    assert table.column(1).array().tolist() == [1, 2]
    assert table_of("X", [[1, 2], [3, 4]]).column(0).values.dtype == np.int64
    assert table_of("X", np.array([["a", "b"]])).kinds == ["text", "text"]


def test_what_is_no_table_is_refused_in_a_sentence():
    with pytest.raises(DataError, match="X: X must be rows of one length"):
        table_of("X", [[1, 2], [3]])
    with pytest.raises(DataError, match="Expected 2D array"):
        table_of("X", [1, 2])
    with pytest.raises(DataError, match="a lazy one"):
        table_of("X", pl.DataFrame({"a": [1]}).lazy())


def test_sparse_rows_are_a_table_of_numbers():
    X = sp.random_array((20, 4), density=0.3, rng=0, format="csr")
    table = table_of("X", X)
    assert table.sparse
    assert table.kinds == ["number"] * 4
    np.testing.assert_array_equal(table[3:9].matrix().toarray(), X.toarray()[3:9])
    np.testing.assert_array_equal(table.column(2).array(), X.toarray()[:, 2])
    np.testing.assert_array_equal(
        table.select([2, 0]).matrix().toarray(), X.toarray()[:, [2, 0]]
    )


@pytest.mark.parametrize("rows", [slice(1, 3), [2, 0], np.array([True, False, True])])
def test_rows_are_selected_from_every_kind_of_table(rows):
    arrays = [np.arange(6.0).reshape(3, 2), objects("a", None, "b").reshape(3, 1)]
    for array in arrays:
        table = table_of("X", array)[rows]
        wanted = array[rows]
        assert table.shape == wanted.shape
        assert all_same(table.objects().ravel().tolist(), wanted.ravel().tolist())


def test_a_table_without_columns_has_rows():
    table = table_of("X", np.empty((4, 0)))
    assert table.shape == (4, 0)
    none = table_of("X", [["a", 1]] * 4).select([])
    assert none.shape == (4, 0)
    assert none[1:3].shape == (2, 0)
    assert none.matrix().shape == (4, 0)


@pytest.mark.parametrize("columns", [["c"], ["a", 5], [True], [-3]])
def test_columns_that_are_not_there_are_refused(columns):
    with pytest.raises(DataError, match="Table: "):
        table_of("X", pd.DataFrame({"a": [1], "b": ["x"]})).select(columns)


def test_columns_are_selected_by_name_position_mask_and_slice():
    table = table_of("X", pd.DataFrame({"a": [1], "b": ["x"], "c": [2]}))
    for columns in (["c", "a"], [2, 0], [-1, -3]):
        assert table.select(columns).names == ("c", "a")
    assert table.select([True, False, True]).names == ("a", "c")
    assert table.select(slice(1, None)).names == ("b", "c")
    assert table.select("b").names == ("b",)


# -- joining ---------------------------------------------------------------------------
@given(st.lists(st.lists(texts | st.none(), min_size=1), min_size=1, max_size=4))
def test_rows_join_whatever_their_labels(parts):
    tables = [table_of("X", pa.table({"a": pa.array(p, pa.string())})) for p in parts]
    joined = joined_rows(tables)
    wanted = [item for part in parts for item in part]
    assert joined.column(0).array().tolist() == wanted
    assert joined.kinds == ["text"]


def test_numbers_and_texts_join_as_objects():
    joined = joined_rows([table_of("X", [[1]]), table_of("X", np.array([["a"]]))])
    assert joined.column(0).array().tolist() == [1, "a"]
    dates = np.array([["2026-01-01"]], dtype="M8[D]")
    joined = joined_rows([table_of("X", dates), table_of("X", dates + 1)])
    assert joined.column(0).kind == "date"
    labels = [Column(np.array([d], dtype="M8[ns]"), np.array([0])) for d in (5, 7)]
    joined = joined_rows([Table((label,)) for label in labels])
    assert joined.column(0).array().astype(int).tolist() == [5, 7]


def test_columns_join_side_by_side():
    left, right = table_of("X", np.eye(2)), table_of("X", [["a"], ["b"]])
    both = joined_columns([left, right], ["x", "y", "z"])
    assert both.names == ("x", "y", "z")
    assert both.kinds == ["number", "number", "text"]
    assert both.objects().tolist() == [[1.0, 0.0, "a"], [0.0, 1.0, "b"]]


def test_ten_thousand_columns():
    frame = pd.DataFrame(np.ones((2, 10_000)))
    frame[0] = ["a", "b"]
    table = table_of("X", frame)
    assert table.shape == (2, 10_000)
    assert pickle.loads(pickle.dumps(table[:1])).select([0, 9_999]).kinds == [
        "text",
        "number",
    ]
