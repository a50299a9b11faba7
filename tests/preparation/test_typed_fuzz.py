"""Columns of any kind through a ColumnTransformer: one answer, or one sentence.

The same rows come as a pandas frame, a polars frame, an Arrow table, chunks of it and a
Parquet file; each encoder gives the same columns for all of them, or refuses them
in one sentence.
"""

import datetime
import warnings

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import scipy.sparse as sp
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from preparation.columns import dense

from corollary import (
    ColumnTransformer,
    DateParts,
    HashingEncoder,
    MissingIndicator,
    OneHotEncoder,
    OrdinalEncoder,
    SimpleImputer,
    TargetEncoder,
    engine,
)

TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=4)
MOMENTS = st.datetimes(datetime.datetime(1700, 1, 1), datetime.datetime(2250, 1, 1))
COLUMNS = {
    "text": (pa.string(), TEXTS | st.sampled_from(["a", "ß", "\U0001f600", "nan"])),
    "category": (pa.dictionary(pa.int8(), pa.string()), st.sampled_from("abé")),
    "int": (pa.int64(), st.integers(-(2**53), 2**53)),
    "small": (pa.uint8(), st.integers(0, 255)),
    "float": (pa.float64(), st.floats(allow_nan=False, allow_infinity=False)),
    "bool": (pa.bool_(), st.booleans()),
    "time": (pa.timestamp("us"), MOMENTS),
    "null": (pa.null(), st.none()),
    "list": (pa.list_(pa.int64()), st.lists(st.integers(0, 9), max_size=2)),
}
ENCODERS = {
    "one hot": OneHotEncoder(handle_unknown="ignore"),
    "ordinal": OrdinalEncoder(handle_unknown="use_encoded_value", unknown_value=-1),
    "target": TargetEncoder(cv=2, random_state=0, target_type="continuous"),
    "hashing": HashingEncoder(64),
    "dates": DateParts(),
    "imputer": SimpleImputer(strategy="most_frequent"),
    "indicator": MissingIndicator(features="all"),
}


@st.composite
def tables(draw):
    """Return Arrow tables of a few columns, and the positions of some of them."""
    n = draw(st.integers(2, 10))
    kinds = draw(st.lists(st.sampled_from(list(COLUMNS)), min_size=1, max_size=4))
    made = {}
    for number, kind in enumerate(kinds):
        type_, items = COLUMNS[kind]
        items = items | st.none() if draw(st.booleans()) else items
        values = draw(st.lists(items, min_size=n, max_size=n))
        made[f"{kind} {number}"] = pa.array(values, type_)
    some = draw(st.sets(st.integers(0, len(kinds) - 1), min_size=1))
    return pa.table(made), sorted(some)


def outcome(function):
    """Return what a function gives, or the sentence in which it refuses."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return function()
        except (ValueError, TypeError) as error:
            text = str(error)
            assert ": " in text, text
            assert "\n" not in text, text
            return text


def made(encoder, columns, X, y):
    """Return the rows that an encoder gives through a ColumnTransformer."""
    model = ColumnTransformer([("e", encoder, columns)], remainder="drop")
    out = model.fit(X, y).transform(X)
    if isinstance(out, engine.Source):
        chunks = [chunk.X for part in out.parts() for chunk in part.chunks()]
        if sp.issparse(chunks[0]):
            return sp.vstack(chunks).toarray()
        return np.concatenate([np.asarray(chunk) for chunk in chunks])
    return np.asarray(dense(out))


def chunked(table, y, size):
    pieces = [(table.slice(a, size), y[a : a + size]) for a in range(0, len(y), size)]
    return engine.ChunkSource(lambda: iter(pieces))


def same(a, b):
    """Tell whether two answers are one, missing values of all libraries alike."""
    if isinstance(a, str) or isinstance(b, str):
        return isinstance(a, str) and isinstance(b, str)
    return a.shape == b.shape and plain(a) == plain(b)


def plain(values):
    return [
        None if value is None or value != value else value
        for value in values.astype(object).ravel().tolist()
    ]


@pytest.mark.parametrize("name", ENCODERS)
@given(drawn=tables(), group=st.integers(1, 10))
@settings(
    deadline=None,
    max_examples=15,
    phases=(Phase.explicit, Phase.generate),  # a failure is small enough as drawn
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
def test_every_way_to_give_the_rows_has_one_answer(
    name, drawn, group, tmp_path_factory
):
    table, columns = drawn
    y = np.arange(table.num_rows) % 3 * 1.0
    path = tmp_path_factory.mktemp("fuzz") / "a.parquet"
    pq.write_table(table.append_column("y", pa.array(y)), path, row_group_size=group)
    encoder = ENCODERS[name]
    answers = {
        "Arrow": outcome(lambda: made(encoder, columns, table, y)),
        "polars": outcome(lambda: made(encoder, columns, pl.from_arrow(table), y)),
        "pandas": outcome(lambda: made(encoder, columns, table.to_pandas(), y)),
        "chunks": outcome(
            lambda: made(encoder, columns, chunked(table, y, group), None)
        ),
        "Parquet": outcome(
            lambda: made(encoder, columns, engine.ParquetSource(path, target="y"), None)
        ),
    }
    first = answers["Arrow"]
    holes = any(column.null_count for column in table.columns)
    for kind, answer in answers.items():
        if kind == "pandas" and holes:  # NaN rather than None, and no type without one
            continue
        assert same(first, answer), (kind, first, answer)


OBJECTS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-3, 3),
    st.floats(allow_nan=True),
    st.sampled_from(["a", "1", "True", "2026-01-01", "\ud800", "\x00", "é"]),
    st.binary(max_size=2),
    st.dates(),
    st.sampled_from([pd.NaT, pd.NA, np.datetime64("NaT"), (1, 2), [1], {"a": 1}, ...]),
)


@pytest.mark.parametrize("name", ENCODERS)
@given(items=st.lists(OBJECTS, min_size=2, max_size=8))
@settings(deadline=None, max_examples=40, phases=(Phase.explicit, Phase.generate))
def test_mixed_objects_are_encoded_or_refused_in_a_sentence(name, items):
    X = np.empty((len(items), 2), dtype=object)
    for row, item in enumerate(items):
        X[row, 0] = X[-1 - row, 1] = item
    frame = pd.DataFrame(X, columns=["a", "b"], dtype=object)
    y = np.arange(len(items)) % 3 * 1.0
    for rows in (X, frame):
        found = outcome(lambda rows=rows: made(ENCODERS[name], [0], rows, y))
        assert isinstance(found, str) or len(found) == len(items)


@pytest.mark.parametrize("name", ["one hot", "ordinal", "hashing"])
def test_columns_of_one_name_are_told_apart_or_refused(name):
    frame = pd.DataFrame([["u", "v"], ["v", "u"]], columns=["a", "a"])
    found = outcome(lambda: dense(ENCODERS[name].fit(frame).transform(frame)))
    if not isinstance(found, str):
        assert (found[0] != found[1]).any()


@pytest.mark.slow
@pytest.mark.parametrize("name", ["one hot", "ordinal", "target", "hashing", "dates"])
def test_ten_thousand_columns(name, tmp_path):
    d = 10_000
    values = [f"2026-01-0{1 + i % 3}" for i in range(3)]
    wide = pa.table({f"x{j}": pa.array(values, pa.string()) for j in range(d)})
    y = pa.array([0.0, 1.0, 2.0])
    pq.write_table(wide.append_column("y", y), tmp_path / "a.parquet")
    encoder = ENCODERS[name]
    source = engine.ParquetSource(tmp_path, target="y")
    found = made(encoder, slice(0, d), source, None)
    expected = made(encoder, slice(0, d), wide, y.to_numpy())
    assert same(found, expected)
    assert len(found) == 3


@pytest.mark.parametrize("name", ENCODERS)
def test_files_without_rows_or_columns_are_refused(name, tmp_path):
    encoder = ENCODERS[name]
    pq.write_table(pa.table({"t": pa.array([], pa.string())}), tmp_path / "0.parquet")
    (tmp_path / "1.parquet").write_bytes(b"")
    for number in range(2):
        path = tmp_path / f"{number}.parquet"
        found = outcome(lambda path=path: encoder.fit(engine.ParquetSource(path)))
        assert isinstance(found, str)
    for frame in (pd.DataFrame({"t": []}), pd.DataFrame(index=[0, 1])):
        y = np.zeros(len(frame))
        found = outcome(lambda frame=frame, y=y: encoder.fit(frame, y))
        assert isinstance(found, str)
