"""Whatever comes in as data is right, or gets one sentence that names the culprit."""

import re

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from corollary import GaussianNB, KMeans, LinearRegression, LogisticRegression, engine
from corollary.core.checks import (
    check_finite,
    check_weights,
    check_X,
    coded,
    encode_labels,
)
from corollary.core.errors import DataError
from corollary.core.sparse import canonical

FORM = re.compile(r"^\w+: [^\n]+; got [^\n]+\.( [A-Z][^\n]*\.)?$")

rng = np.random.default_rng(0)
X = rng.normal(size=(6, 3))
NUMBERS = np.arange(6.0)
LABELS = np.array([0, 1, 0, 1, 0, 1])


def told(function, error=DataError):
    """Return the message, after a look at its form."""
    with pytest.raises(error) as caught:
        function()
    text = str(caught.value)
    assert FORM.match(text), text
    return text


def with_value(value, row, column):
    Z = X.copy()
    Z[row, column] = value
    return Z


BAD_X = {
    "one dimension": (
        X[:, 0],
        "KMeans: X must be a table of rows and columns; got a 1D array. Reshape your "
        "data: reshape(-1, 1) for one column, reshape(1, -1) for one row.",
    ),
    "a number": (
        3.0,
        "KMeans: X must be a table of rows and columns; got a scalar array. Reshape "
        "your data: reshape(-1, 1) for one column, reshape(1, -1) for one row.",
    ),
    "three dimensions": (
        X[None],
        "KMeans: X must be a table of rows and columns; got 3 dimensions.",
    ),
    "ragged": (
        [[1.0, 2.0], [3.0]],
        "KMeans: X must be a table of rows and columns; got rows of different lengths.",
    ),
    "no rows": (
        np.empty((0, 3)),
        "KMeans: X must have rows and columns; got 0 sample(s) (shape=(0, 3)) while a "
        "minimum of 1 is required.",
    ),
    "no columns": (
        np.empty((3, 0)),
        "KMeans: X must have rows and columns; got 0 feature(s) (shape=(3, 0)) while a "
        "minimum of 1 is required.",
    ),
    "text": (
        [["a", "b"], ["c", "d"]],
        "KMeans: X must hold numbers; got the text 'a'. Encode text as numbers first.",
    ),
    "complex": (
        X + 1j,
        "KMeans: X must hold real numbers; got complex ones (Complex data not "
        "supported). Give real and imaginary parts as columns of their own.",
    ),
    "complex sparse": (
        sp.csr_array(X + 1j),
        "KMeans: X must hold real numbers; got complex ones (Complex data not "
        "supported). Give real and imaginary parts as columns of their own.",
    ),
}


@pytest.mark.parametrize("kind", BAD_X)
def test_wrong_X_gets_one_sentence(kind):
    bad, message = BAD_X[kind]
    assert told(lambda: KMeans(2).fit(bad)) == message


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame])
def test_a_column_of_text_is_named(frame):
    table = frame({"height": [1.0, 2.0], "name": ["x", "y"]})
    text = told(lambda: KMeans(2).fit(table))
    assert text.startswith("KMeans: column 'name' of X must hold numbers; got ")


def test_things_that_are_no_numbers_are_a_type_error():
    bad = np.array([[{}, 1], [2, 3]], dtype=object)
    text = told(lambda: KMeans(2).fit(bad), TypeError)
    assert text.startswith("KMeans: X must hold numbers; got float() argument must be")
    assert text.endswith("not 'dict'.")


def test_sparse_rows_where_only_dense_ones_will_do():
    text = told(lambda: GaussianNB().fit(sp.csr_array(X), LABELS))
    assert text == (
        "GaussianNB: X must be dense; got a sparse matrix. "
        "Use toarray() if it fits in memory."
    )


REMEDY = "Impute, correct or drop the missing and infinite values."


@pytest.mark.parametrize("make", [np.asarray, sp.csr_array], ids=["dense", "csr"])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize(
    ("value", "word"), [(np.nan, "NaN"), (np.inf, "infinity"), (-np.inf, "infinity")]
)
def test_the_guilty_entry_is_named(make, dtype, value, word):
    bad = make(with_value(value, 4, 2).astype(dtype))
    message = f"KMeans: Input X must be finite; got {word} in row 4, column 2. {REMEDY}"
    assert told(lambda: KMeans(2).fit(bad)) == message
    model = KMeans(2, random_state=0).fit(make(X.astype(dtype)))
    assert told(lambda: model.predict(bad)) == message


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame])
def test_the_guilty_column_is_named(frame):
    columns = dict(zip(["height", "weight", "age"], with_value(np.nan, 1, 2).T))  # noqa: B905
    text = told(lambda: KMeans(2).fit(frame(columns)))
    assert "got NaN in row 1, column 2 ('age')." in text


@given(data=st.data())
@settings(max_examples=60, deadline=None)
def test_the_first_guilty_entry_is_found_wherever_it_is(data):
    n, d = data.draw(st.integers(1, 40)), data.draw(st.integers(1, 12))
    dtype = data.draw(st.sampled_from([np.float32, np.float64]))
    Z = np.random.default_rng(0).normal(size=(n, d)).astype(dtype)
    row, column = data.draw(st.integers(0, n - 1)), data.draw(st.integers(0, d - 1))
    Z[row, column] = data.draw(st.sampled_from([np.nan, np.inf, -np.inf]))
    first = data.draw(st.integers(0, 1000))
    for rows in (Z, canonical("Who", sp.csr_array(Z))):
        with pytest.raises(
            DataError, match=f"in row {first + row}, column {column}\\."
        ):
            check_finite("Who", rows, first_row=first)


@pytest.mark.parametrize("kind", ["int", "bool", "object", "list", "float16", "mask"])
def test_numbers_in_other_dress_are_welcome(kind):
    Z = np.array([[1, 0], [0, 1], [1, 1]])
    dressed = {
        "int": Z,
        "bool": Z > 0,
        "object": Z.astype(object),
        "list": Z.tolist(),
        "float16": Z.astype(np.float16),
        "mask": np.ma.masked_array(Z),
    }[kind]
    checked = check_X(KMeans(), dressed, reset=True, sparse=False)
    np.testing.assert_array_equal(checked, Z)
    assert checked.dtype in (np.float32, np.float64)
    assert checked.flags.c_contiguous


@pytest.mark.parametrize(
    "make", [sp.csr_matrix, sp.csc_array, sp.coo_array, sp.lil_matrix]
)
def test_sparse_rows_become_sorted_unique_csr_and_the_input_stays(make):
    Z = make(np.where(np.abs(X) > 1, X, 0.0))
    checked = check_X(KMeans(), Z, reset=True, sparse=True)
    assert isinstance(checked, sp.csr_array)
    assert checked.has_canonical_format
    assert checked.indices.dtype == np.int32
    np.testing.assert_array_equal(checked.toarray(), Z.toarray())


def test_the_data_is_never_changed():
    Z, y, w = X.copy(), LABELS.copy(), np.ones(6)
    Z.flags.writeable = y.flags.writeable = w.flags.writeable = False
    LogisticRegression().fit(Z, y, sample_weight=w).predict(Z)
    KMeans(2, random_state=0).fit(Z, sample_weight=w).predict(Z)


# -- a fitted model's features -------------------------------------------------------
def test_another_number_of_columns():
    model = KMeans(2, random_state=0).fit(X)
    assert told(lambda: model.predict(X[:, :2])) == (
        "KMeans: X must have as many columns as in fit; got another number "
        "(X has 2 features, but KMeans is expecting 3 features as input)."
    )


def test_other_names_of_columns():
    frame = pd.DataFrame(X, columns=["a", "b", "c"])
    model = KMeans(2, random_state=0).fit(frame)
    assert told(lambda: model.predict(frame[["b", "a", "c"]])) == (
        "KMeans: X must have the feature names of fit in their order; got others "
        "(Feature names must be in the same order as they were in fit)."
    )
    text = told(lambda: model.predict(frame.rename(columns={"a": "z"})))
    assert "Feature names unseen at fit time: - z" in text


# -- targets and labels ---------------------------------------------------------------
@pytest.mark.parametrize(
    ("y", "message"),
    [
        (
            None,
            "LinearRegression: requires y to be passed, but the target y is None; got "
            "X alone. Use fit(X, y).",
        ),
        (
            NUMBERS[:5],
            "LinearRegression: y must have as many rows as X = 6; got 5 (inconsistent "
            "numbers of samples).",
        ),
        (
            np.where(NUMBERS == 3, np.nan, NUMBERS),
            "LinearRegression: Input y must be finite; got NaN in row 3. Correct or "
            "drop these rows.",
        ),
        (
            np.where(NUMBERS == 2, np.inf, NUMBERS),
            "LinearRegression: Input y must be finite; got infinity in row 2. Correct "
            "or drop these rows.",
        ),
        (
            list("abcdef"),
            "LinearRegression: y must hold numbers; got the text 'a'. Encode text as "
            "numbers first.",
        ),
        (
            sp.csr_array(NUMBERS[:, None]),
            "LinearRegression: y must be dense; got a sparse matrix. Use toarray() if "
            "it fits in memory.",
        ),
    ],
)
def test_wrong_targets(y, message):
    assert told(lambda: LinearRegression().fit(X, y)) == message


@pytest.mark.parametrize(
    ("y", "message"),
    [
        (
            NUMBERS / 2,
            "GaussianNB: y must hold class labels; got Unknown label type: continuous "
            "numbers. Use a regressor for them.",
        ),
        (
            np.array([1, "a", 2, "b", None, 3], dtype=object),
            "GaussianNB: y must hold labels of one kind that can be ordered; got mixed "
            "types.",
        ),
        (
            np.where(NUMBERS == 3, np.nan, NUMBERS),
            "GaussianNB: Input y must be finite; got NaN in row 3. Correct or drop "
            "these rows.",
        ),
        (
            np.column_stack([LABELS, LABELS]),
            "GaussianNB: y must be one column; got shape (6, 2).",
        ),
        (
            LABELS[:4],
            "GaussianNB: y must have as many rows as X = 6; got 4 (inconsistent "
            "numbers of samples).",
        ),
    ],
)
def test_wrong_labels(y, message):
    assert told(lambda: GaussianNB().fit(X, y)) == message


KINDS = [
    np.int8,
    np.int16,
    np.int64,
    np.uint8,
    np.uint64,
    np.float32,
    bool,
    str,
    object,
]


@given(data=st.data())
@settings(max_examples=100, deadline=None)
def test_classes_and_codes_give_the_labels_back(data):
    dtype = np.dtype(data.draw(st.sampled_from(KINDS)))
    if dtype.kind in "iu":
        low, high = np.iinfo(dtype).min, np.iinfo(dtype).max
        elements = st.integers(int(low), int(high)) | st.sampled_from(
            [int(low), int(high)]
        )
    elif dtype.kind == "f":
        elements = st.integers(-1000, 1000)
    else:
        elements = (
            st.booleans() if dtype.kind == "b" else st.sampled_from(["a", "b", "zz"])
        )
    y = np.array(data.draw(st.lists(elements, min_size=1, max_size=30)), dtype=dtype)
    classes, codes = encode_labels(GaussianNB(), y, len(y))
    np.testing.assert_array_equal(classes[codes], y)
    np.testing.assert_array_equal(classes, np.unique(y))
    assert codes.dtype == np.int32


@pytest.mark.parametrize("dtype", [np.int8, np.int16, np.uint8])
def test_labels_over_the_whole_range_of_a_small_type(dtype):
    ends = np.iinfo(dtype)
    y = np.array([ends.min, ends.max, ends.min], dtype=dtype)
    classes, codes = coded("Who", y)
    assert classes.tolist() == [ends.min, ends.max]
    assert codes.tolist() == [0, 1, 0]
    assert classes.dtype == dtype


# -- weights -------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("w", "message"),
    [
        (
            np.ones(5),
            "sample_weight must have one value for each of the 6 rows; got shape (5,).",
        ),
        (
            np.ones((6, 1)),
            "sample_weight must have one value for each of the 6 rows; got shape (6, "
            "1).",
        ),
        ([1, 1, -2.5, 1, 1, 1], "sample_weight must be >= 0; got -2.5 in row 2."),
        (
            np.zeros(6),
            "at least one sample_weight must be above 0; got zero for every row.",
        ),
        (0, "at least one sample_weight must be above 0; got zero for every row."),
        (
            [1, 1, 1, np.nan, 1, 1],
            "Input sample_weight must be finite; got NaN in row 3. Correct or drop "
            "these rows.",
        ),
        (
            ["a"] * 6,
            "sample_weight must hold numbers; got the text 'a'. Encode text as numbers "
            "first.",
        ),
    ],
)
@pytest.mark.parametrize("name", ["KMeans", "LinearRegression"])
def test_wrong_weights(name, w, message):
    model, y = {
        "KMeans": (KMeans(2, random_state=0), None),
        "LinearRegression": (LinearRegression(), NUMBERS),
    }[name]
    assert told(lambda: model.fit(X, y, sample_weight=w)) == f"{name}: {message}"


def test_one_number_is_the_weight_of_every_row():
    np.testing.assert_array_equal(check_weights(KMeans(), 3, 4), [3.0, 3.0, 3.0, 3.0])
    assert check_weights(KMeans(), None, 4) is None


# -- one row -------------------------------------------------------------------------
def test_one_row_is_enough_where_theory_says_so():
    row = [[1.0, -2.0, 3.0]]
    assert KMeans(1).fit(row).inertia_ == 0
    model = LinearRegression().fit(row, [5.0])
    assert model.predict(row)[0] == pytest.approx(5.0)
    np.testing.assert_array_equal(model.coef_, 0.0)


# -- chunks --------------------------------------------------------------------------
@pytest.mark.parametrize("executor", ["serial", "threads"])
def test_a_culprit_in_the_third_chunk_keeps_its_row_number(executor):
    Z = np.random.default_rng(1).normal(size=(100, 4))
    Z[57, 3] = np.inf
    pieces = [Z[a : a + 20] for a in range(0, 100, 20)]
    with engine.use(executor=executor, chunk_rows=20, threads=2):
        for source in (Z, engine.ChunkSource(pieces), iter(pieces)):
            text = told(lambda source=source: KMeans(3).fit(source))
            assert "got infinity in row 57, column 3." in text


@pytest.mark.parametrize(
    ("place", "value", "message"),
    [
        (
            1,
            np.nan,
            "Input y must be finite; got NaN in row 25. Correct or drop these rows.",
        ),
        (2, np.inf, "Input sample_weight must be finite; got infinity in row 25."),
        (2, -1.0, "sample_weight must be >= 0; got -1"),
    ],
)
def test_targets_and_weights_of_chunks_are_checked_too(place, value, message):
    columns = [
        np.random.default_rng(0).normal(size=(40, 2)),
        np.arange(40.0),
        np.ones(40),
    ]
    columns[place][25] = value
    pieces = [tuple(c[a : a + 10] for c in columns) for a in range(0, 40, 10)]
    text = told(lambda: LinearRegression().fit(engine.ChunkSource(pieces)))
    assert text.startswith(f"LinearRegression: {message}")
