"""Texts and categories filled with the most frequent value or a constant."""

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.impute import SimpleImputer as Theirs

import corollary
from corollary import MissingIndicator, OneHotEncoder, SimpleImputer, config_context
from corollary.core.errors import DataError, ParameterError
from corollary.engine import ChunkSource, CSVSource, ParquetSource

RNG = np.random.default_rng(8)
TOWN = RNG.choice(["Oslo", "Rome", "Bonn"], 60, p=[0.2, 0.5, 0.3]).astype(object)
COLOUR = RNG.choice(["red", "blue"], 60, p=[0.3, 0.7]).astype(object)
TOWN[::7], COLOUR[::5] = None, None
FRAME = pd.DataFrame({"town": TOWN, "colour": COLOUR})


def objects(*columns):
    out = np.empty((len(columns[0]), len(columns)), dtype=object)
    for j, column in enumerate(columns):
        out[:, j] = column
    return out


@settings(max_examples=50, deadline=None)
@given(data=st.data())
def test_as_scikit_learn(data):
    n, d = data.draw(st.integers(1, 12)), data.draw(st.integers(1, 3))
    missing = data.draw(st.sampled_from([np.nan, None, "?", ""]))
    cells = st.sampled_from(["a", "b", "c", "dd", missing])
    X = objects(*[data.draw(st.lists(cells, min_size=n, max_size=n)) for _ in range(d)])
    X[0] = "b"  # no column is empty
    for options in (
        {"strategy": "most_frequent"},
        {"strategy": "constant"},
        {"strategy": "constant", "fill_value": "new"},
    ):
        ours, oracle = (
            cls(missing_values=missing, add_indicator=True, **options).fit(X)
            for cls in (SimpleImputer, Theirs)
        )
        assert ours.statistics_.tolist() == list(oracle.statistics_)
        expected = oracle.transform(X)
        assert ours.transform(X).tolist() == expected.tolist()
        told = ours.get_feature_names_out().tolist()
        assert told == oracle.get_feature_names_out().tolist()
        back = ours.inverse_transform(ours.transform(X))
        assert [[x is None or x != x or x == missing for x in row] for row in back] == [
            [x is None or x != x or x == missing for x in row] for row in X
        ]


def test_of_equals_the_first_in_order_is_taken():
    X = objects(["b", "a", "b", "a", None])
    model = SimpleImputer(strategy="most_frequent").fit(X)
    assert model.statistics_.tolist() == ["a"]
    again = SimpleImputer(strategy="most_frequent").fit(
        X, sample_weight=[2, 1, 1, 1, 9]
    )
    assert again.statistics_.tolist() == ["b"]
    without = SimpleImputer(strategy="most_frequent").fit(
        X, sample_weight=[0, 1, 1, 1, 9]
    )
    assert without.statistics_.tolist() == ["a"]


@pytest.mark.parametrize("chunk_rows", [1, 13, 1000])
def test_every_source_gives_the_same_answer(chunk_rows, tmp_path):
    memory = SimpleImputer(strategy="most_frequent").fit(FRAME)
    assert memory.statistics_.tolist() == ["Rome", "blue"]
    expected = memory.transform(FRAME)
    assert (
        expected.tolist()
        == FRAME.fillna({"town": "Rome", "colour": "blue"}).values.tolist()
    )
    FRAME.to_csv(tmp_path / "x.csv", index=False)
    pq.write_table(pa.Table.from_pandas(FRAME), tmp_path / "x.parquet")
    chunks = [FRAME.iloc[i : i + 20] for i in range(0, 60, 20)]
    sources = [
        CSVSource(tmp_path / "x.csv"),
        ParquetSource(tmp_path / "x.parquet"),
        ChunkSource(chunks),
    ]
    for source in sources:
        with config_context(chunk_rows=chunk_rows):
            model = SimpleImputer(strategy="most_frequent").fit(source)
            assert model.statistics_.tolist() == ["Rome", "blue"]
            lazy = model.transform(source)
            rows = [np.asarray(c.X) for part in lazy.parts() for c in part.chunks()]
        assert np.concatenate(rows).tolist() == expected.tolist()


@pytest.mark.parametrize("dtype", ["category", "str", "object"])
def test_frames_of_every_type_of_text(dtype):
    frame = FRAME.astype(dtype)
    model = SimpleImputer(strategy="most_frequent").set_output(transform="pandas")
    filled = model.fit_transform(frame)
    assert list(filled.columns) == ["town", "colour"]
    assert filled["town"].tolist() == FRAME["town"].fillna("Rome").tolist()


def test_texts_beside_numbers():
    frame = FRAME.assign(age=np.where(np.arange(60) < 20, np.nan, 3.0))
    model = SimpleImputer(strategy="most_frequent").fit(frame)
    assert model.statistics_.tolist() == ["Rome", "blue", 3.0]
    assert not pd.isna(model.transform(frame)).any()
    numbers = SimpleImputer(strategy="most_frequent").fit(frame[["age"]])
    assert numbers.statistics_.dtype == np.float64
    assert numbers.transform(frame[["age"]]).dtype == np.float64


def test_columns_without_any_value():
    X = objects(["a", "b", "a"], [None, None, None])
    model = SimpleImputer(strategy="most_frequent").fit(X)
    with pytest.warns(UserWarning, match="without any observed values"):
        assert model.transform(X).tolist() == [["a"], ["b"], ["a"]]
    kept = SimpleImputer(strategy="constant", keep_empty_features=True).fit(X)
    assert kept.transform(X)[:, 1].tolist() == ["missing_value"] * 3


@pytest.mark.parametrize("missing", [None, "Rome"])
def test_an_indicator_tells_of_texts(missing, tmp_path):
    frame = FRAME if missing is None else FRAME.fillna("?")
    frame.to_csv(tmp_path / "x.csv", index=False)
    model = MissingIndicator(missing_values=missing, features="all").fit(frame)
    expected = frame.isna() if missing is None else frame == missing
    np.testing.assert_array_equal(model.transform(frame), expected)
    assert model.report_.facts["n_missing"] == expected.to_numpy().sum()
    source = CSVSource(tmp_path / "x.csv")
    again = MissingIndicator(missing_values=missing, features="all").fit(source)
    lazy = again.transform(source)
    rows = [np.asarray(c.X) for part in lazy.parts() for c in part.chunks()]
    np.testing.assert_array_equal(np.concatenate(rows), expected)


def test_it_leads_into_an_encoder_and_can_be_saved(tmp_path):
    pipeline = corollary.SimpleImputer(strategy="most_frequent").fit(FRAME)
    encoder = OneHotEncoder(sparse_output=False).fit(pipeline.transform(FRAME))
    assert [c.tolist() for c in encoder.categories_] == [
        ["Bonn", "Oslo", "Rome"],
        ["blue", "red"],
    ]
    corollary.save(pipeline, tmp_path / "m")
    again = corollary.load(tmp_path / "m")
    assert again.transform(FRAME).tolist() == pipeline.transform(FRAME).tolist()


def test_texts_have_no_mean_and_numbers_no_text():
    with pytest.raises(DataError, match="numbers"):
        SimpleImputer(strategy="mean").fit(FRAME)
    with pytest.raises(ParameterError, match="fill_value"):
        SimpleImputer(strategy="constant", fill_value="x").fit([[1.0], [np.nan]])
    model = SimpleImputer(strategy="most_frequent").fit(FRAME)
    with pytest.raises(ValueError, match="feature names"):
        model.transform(FRAME[["town"]])
