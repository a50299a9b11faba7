"""Columns of any type from every source: kinds, values, selections, refusals."""

import datetime
import pickle

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet as pq
import pytest
from common.sources import local_client
from common.typed import (
    FRAMES,
    SOURCES,
    TinyEncoder,
    TinyFiller,
    as_pandas,
    features,
    key,
    mixed,
)
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import corollary
from corollary import PCA, Ridge, SplineTransformer, engine
from corollary.core.errors import DataError
from corollary.core.table import Table, joined_rows, table_of
from corollary.engine.sources import columns, csv, files

TABLE = mixed()
NAMES = ["town", "age", "pay", "member", "grade", "since"]
KINDS = ["text", "number", "number", "boolean", "category", "date"]
every_source = pytest.mark.parametrize("kind", SOURCES)


def read(source):
    return [chunk for part in source.parts() for chunk in part.chunks()]


def whole(source):
    """Return all rows of a source of tables as one."""
    return joined_rows([chunk.X for chunk in read(source)])


def told(function):
    with pytest.raises(DataError) as caught:
        function()
    return str(caught.value)


def values(column):
    """Return the values of a column by which every library is the same."""
    array = column.array()
    if array.dtype.kind == "M":
        array = array.astype("M8[us]")
    return [key(value) for value in array.tolist()]


def same_table(got, wanted):
    assert got.shape == wanted.shape
    for j in range(got.shape[1]):
        assert values(got.column(j)) == values(wanted.column(j))


# -- what sources say and give ---------------------------------------------------------
@every_source
def test_every_source_knows_names_and_kinds(kind, tmp_path):
    source = SOURCES[kind](TABLE, tmp_path)
    assert source.names == NAMES
    assert source.kinds == KINDS
    assert source.tabular
    assert source.has_target


@every_source
def test_every_value_comes_back(kind, tmp_path):
    source = SOURCES[kind](TABLE, tmp_path)
    got = whole(source)
    assert got.names == tuple(NAMES)
    assert got.kinds == KINDS
    assert got.column(1).array().dtype == np.int64
    assert got.column(3).array().dtype == bool
    same_table(got, table_of("X", features(TABLE)))
    y = np.concatenate([chunk.y for chunk in read(source)])
    np.testing.assert_array_equal(y, TABLE["y"].to_numpy())


@every_source
def test_chunks_and_parts_of_tables_travel(kind, tmp_path):
    source = SOURCES[kind](TABLE, tmp_path)
    part = pickle.loads(pickle.dumps(next(iter(source.parts()))))
    sent = [pickle.loads(pickle.dumps(chunk)) for chunk in part.chunks()]
    got = joined_rows([chunk.X for chunk in sent])
    same_table(got, table_of("X", features(TABLE))[: got.n])


@every_source
def test_a_selection_of_numbers_is_a_matrix(kind, tmp_path):
    source = SOURCES[kind](TABLE, tmp_path)
    narrow = source.select(["age", "member"])
    assert narrow.names == ["age", "member"]
    assert not narrow.matrices("Who").tabular
    X = np.concatenate([chunk.X for chunk in read(narrow.matrices("Who"))])
    wanted = np.c_[TABLE["age"].to_numpy(), TABLE["member"].to_numpy(False)]
    np.testing.assert_array_equal(X, wanted)
    again = narrow.tables()
    assert whole(again).column(1).array().dtype == bool
    model = Ridge().fit(narrow)
    same = Ridge().fit(wanted, TABLE["y"].to_numpy())
    np.testing.assert_allclose(model.coef_, same.coef_, rtol=1e-9)
    assert list(model.feature_names_in_) == ["age", "member"]


@every_source
def test_columns_are_selected_by_position_mask_and_slice(kind, tmp_path):
    source = SOURCES[kind](TABLE, tmp_path)
    for asked in (["pay", "town"], [2, 0], [-4, -6]):
        assert source.select(asked).names == ["pay", "town"]
    assert source.select([True] + [False] * 5).names == ["town"]
    assert source.select(slice(4, None)).kinds == ["category", "date"]
    assert source.select(slice("age", "member")).names == ["age", "pay", "member"]
    same_table(
        whole(source.select(["grade", "town"]).tables()),
        table_of("X", TABLE.select(["grade", "town"])),
    )
    assert "must have one column 'q'; got columns ['town'" in told(
        lambda: source.select(["q"])
    )


def test_parquet_reads_the_selected_columns_only(tmp_path, monkeypatch):
    source = SOURCES["parquet"](TABLE, tmp_path).select(["town"]).unlabelled()
    asked = []
    original = pq.ParquetFile.iter_batches

    def spy(self, *args, **options):
        asked.append(options["columns"])
        return original(self, *args, **options)

    monkeypatch.setattr(pq.ParquetFile, "iter_batches", spy)
    assert whole(source).shape == (600, 1)
    assert asked
    assert all(names == ["town"] for names in asked)


@every_source
def test_a_learner_of_matrices_is_told_the_column(kind, tmp_path):
    source = SOURCES[kind](TABLE, tmp_path)
    message = told(lambda: Ridge().fit(source))
    assert message.startswith("Ridge: column 'town' of ")
    assert "must hold numbers; got " in message
    assert "Encode it as numbers, or leave it out" in message
    message = told(lambda: Ridge().fit(source.select(["since", "age"])))
    assert message.startswith("Ridge: column 'since' of ")


# -- missing numbers -------------------------------------------------------------------
@every_source
def test_missing_numbers_pass_where_a_learner_takes_them(kind, tmp_path):
    source = SOURCES[kind](TABLE, tmp_path).select(["age", "pay"])
    splines = SplineTransformer(handle_missing="zeros")
    X = table_of("X", TABLE.select(["age", "pay"])).matrix()
    assert np.isnan(X).any()
    model, same = splines.fit(source), SplineTransformer(handle_missing="zeros").fit(X)
    np.testing.assert_allclose(model.knots_, same.knots_)
    got = np.concatenate([chunk.X for chunk in read(model.transform(source))])
    np.testing.assert_allclose(got, same.transform(X), atol=1e-12)


@every_source
def test_missing_numbers_are_refused_by_name_and_row_elsewhere(kind, tmp_path):
    source = SOURCES[kind](TABLE, tmp_path).select(["age", "pay"])
    message = told(lambda: Ridge().fit(source))
    first = int(np.argmax(TABLE["pay"].is_null().to_numpy()))
    assert "'pay'" in message
    assert f"row {first}" in message
    model = Ridge().fit(SOURCES[kind](TABLE, tmp_path).select(["age", "member"]))
    bad = TABLE.select(["age", "pay", "y"]).rename_columns(["age", "member", "y"])
    with pytest.raises(DataError, match="row"):
        model.predict(engine.ChunkSource([features(bad)]))


@every_source
def test_missing_values_are_refused_where_columns_may_not_miss_any(kind, tmp_path):
    class Strict(TinyEncoder):
        def takes_missing(self):
            return False

    source = SOURCES[kind](TABLE, tmp_path).select(["member", "town"])
    message = told(lambda: Strict().fit(source))
    first = int(np.argmax(TABLE["town"].is_null().to_numpy()))
    assert f"row {first}, column 1 ('town')" in message
    assert message.startswith("Strict: Input X must be finite; got N")


def test_a_missing_target_or_weight_is_refused_even_so(tmp_path):
    data = {"a": [1.0, None, 3.0], "y": [1.0, 2.0, None], "w": [1.0, None, 1.0]}
    path = tmp_path / "a.parquet"
    pq.write_table(pa.table(data), path)

    class Tolerant(Ridge):
        def takes_missing(self):
            return True

    for options in ({"target": "y"}, {"target": "a", "weight": "w"}):
        source = engine.ParquetSource(path, **options)
        assert "must have no missing values; got null" in told(
            lambda: Tolerant().fit(source)  # noqa: B023
        )


# -- the same answer from every source and executor ------------------------------------
def encoders():
    names = ["town", "member", "grade"]
    rows = features(TABLE).select(names)
    return names, rows, TinyEncoder().fit(rows)


@every_source
@pytest.mark.parametrize("executor", ["serial", "threads"])
def test_an_encoder_learns_the_same_everywhere(kind, executor, tmp_path):
    names, rows, same = encoders()
    source = SOURCES[kind](TABLE, tmp_path).select(names)
    with engine.use(executor=executor, threads=2):
        model = TinyEncoder().fit(source)
        assert model.labels_ == same.labels_
        assert list(model.feature_names_in_) == names
        X = np.concatenate([chunk.X for chunk in read(model.transform(source))])
    np.testing.assert_array_equal(X, same.transform(rows))


def test_an_encoder_learns_the_same_on_a_cluster(tmp_path):
    names, rows, same = encoders()
    with local_client() as client:
        for kind, make in SOURCES.items():
            folder = tmp_path / kind
            folder.mkdir()
            source = make(TABLE, folder).select(names)
            with engine.use(executor=client):
                model = TinyEncoder().fit(source)
                assert model.labels_ == same.labels_
                ridge = Ridge().fit(model.transform(source))
            wanted = Ridge().fit(same.transform(rows), TABLE["y"].to_numpy())
            np.testing.assert_allclose(ridge.coef_, wanted.coef_, atol=1e-12)


@pytest.mark.parametrize("library", FRAMES)
def test_frames_in_memory_are_read_alike(library):
    names, rows, same = encoders()
    frame = FRAMES[library](rows)
    model = TinyEncoder().fit(frame)
    assert model.labels_ == same.labels_
    assert list(model.feature_names_in_) == names
    np.testing.assert_array_equal(model.transform(frame), same.transform(rows))
    with engine.use(chunk_rows=77, threads=2):
        assert TinyEncoder().fit(frame).labels_ == same.labels_
    with pytest.raises(DataError, match=r"[Ff]eature names|columns must be those"):
        model.transform(frame[names[::-1]] if library != "pyarrow" else
                        frame.select(names[::-1]))  # fmt: skip


@every_source
def test_texts_go_through_a_transformer_that_gives_texts(kind, tmp_path):
    source = SOURCES[kind](TABLE, tmp_path).select(["town", "grade"])
    rows = TABLE.select(["town", "grade"])
    for table in (True, False):
        filler = TinyFiller(table=table).fit(source)
        filled = filler.transform(source)
        assert filled.tabular
        assert filled.kinds == ["text", "text"]
        model = TinyEncoder().fit(filled)
        assert model.labels_[0] == ["Oslo", "Rome", "São Paulo", "none", "Ōsaka"]
        assert (
            whole(filled).column(1).array()[:20].tolist()
            == [
                "none" if value is None else value
                for value in rows["grade"].to_pylist()
            ][:20]
        )
        message = told(lambda: Ridge().fit(filled))  # noqa: B023
        assert message.startswith("Ridge: column 'tinyfiller0' of X must hold numbers")


@every_source
def test_sparse_outputs_stay_sparse(kind, tmp_path):
    names, rows, same = encoders()
    source = SOURCES[kind](TABLE, tmp_path).select(names)
    sparse = TinyEncoder(sparse=True).fit(source).transform(source)
    assert sparse.sparse
    model = Ridge().fit(sparse)
    wanted = Ridge().fit(same.transform(rows), TABLE["y"].to_numpy())
    np.testing.assert_allclose(model.coef_, wanted.coef_, atol=1e-7)


def test_text_labels_do_not_stop_a_pipeline(tmp_path):
    from sklearn.pipeline import make_pipeline

    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 3))
    labels = np.where(X[:, 0] > 0, "yes", "no")
    table = pa.table({"a": X[:, 0], "b": X[:, 1], "c": X[:, 2], "y": labels})
    pq.write_table(table, tmp_path / "a.parquet", row_group_size=60)
    source = engine.ParquetSource(tmp_path, target="y")
    model = make_pipeline(PCA(2), corollary.LogisticRegression()).fit(source)
    same = make_pipeline(PCA(2), corollary.LogisticRegression()).fit(X, labels)
    np.testing.assert_array_equal(model.predict(source), same.predict(X))
    assert model.score(source) == same.score(X, labels)


# -- Dask in, Dask out -----------------------------------------------------------------
def test_dask_in_gives_lazy_dask_out():
    import dask.dataframe as dd

    _, rows, same = encoders()
    frame = dd.from_pandas(as_pandas(rows), 3)
    for sparse in (False, True):
        out = TinyEncoder(sparse).fit(frame).transform(frame)
        assert hasattr(out, "__dask_graph__")
        got = out.compute()
        got = got.toarray() if sparse else got.to_numpy()
        np.testing.assert_array_equal(got, same.transform(rows))
    filled = TinyFiller().fit(frame).transform(frame)
    assert list(filled.columns) == ["tinyfiller0", "tinyfiller1", "tinyfiller2"]
    assert filled.compute()["tinyfiller0"].isna().sum() == 0


def test_dask_predictions_are_lazy_and_warn_of_nothing():
    import dask.dataframe as dd

    X = pd.DataFrame(np.random.default_rng(0).normal(size=(90, 3)), columns=list("abc"))
    frame = dd.from_pandas(X, 3)
    model = corollary.LogisticRegression().fit(X, X["a"] > 0)
    for method in ("predict", "predict_proba", "decision_function"):
        out = getattr(model, method)(frame)
        assert hasattr(out, "__dask_graph__")
        wanted = getattr(model, method)(X)
        np.testing.assert_allclose(out.compute().to_numpy(), wanted)
        assert list(out.compute().index) == list(X.index)


def test_dask_types_of_pandas():
    import dask.dataframe as dd

    frame = pd.DataFrame(
        {
            "i": pd.array([1, None, 3, 4], dtype="Int64"),
            "b": pd.array([True, False, None, True], dtype="boolean"),
            "f": np.arange(4, dtype=np.float32),
        }
    )
    source = engine.DaskSource(dd.from_pandas(frame, 2))
    assert source.kinds == ["number", "boolean", "number"]
    X = np.concatenate([chunk.X for chunk in read(source)])
    np.testing.assert_array_equal(
        X, [[1, 1, 0], [np.nan, 0, 1], [3, np.nan, 2], [4, 1, 3]]
    )
    texts = engine.DaskSource(np_dask(np.array([["a", "b"], ["c", "d"]])))
    assert texts.kinds == ["text", "text"]
    assert whole(texts).column(1).array().tolist() == ["b", "d"]


def np_dask(array):
    import dask.array as da

    return da.from_array(array, chunks=(1, -1))


# -- Parquet ---------------------------------------------------------------------------
def test_a_category_keeps_its_kind_and_unused_labels_are_no_labels(tmp_path):
    rows = pd.DataFrame({"c": pd.Categorical(list("bab"), categories=list("cba"))})
    rows.to_parquet(tmp_path / "a.parquet")
    source = engine.ParquetSource(tmp_path)
    assert source.kinds == ["category"]
    labels, codes = whole(source).column(0).coded()
    assert labels.tolist() == ["a", "b"]
    assert codes.tolist() == [1, 0, 1]


def test_columns_that_differ_from_file_to_file(tmp_path):
    first = {"t": ["a", None], "n": pa.array([1, 2]), "e": pa.nulls(2)}
    second = {
        "t": pa.array(["b", "a"]).dictionary_encode(),
        "n": pa.array([1.5, None]),
        "e": ["x", "y"],
    }
    pq.write_table(pa.table(first), tmp_path / "1.parquet")
    pq.write_table(pa.table(second), tmp_path / "2.parquet")
    source = engine.ParquetSource(tmp_path)
    assert source.kinds == ["text", "number", "text"]
    assert [chunk.X.kinds for chunk in read(source)] == [source.kinds] * 2
    table = whole(source)
    assert values(table.column(0)) == ["a", None, "b", "a"]
    assert values(table.column(1)) == [1, 2, 1.5, None]
    assert values(table.column(2)) == [None, None, "x", "y"]
    assert TinyEncoder().fit(source).labels_[2] == [None, "x", "y"]


@pytest.mark.parametrize("ending", ["parquet", "csv"])
def test_long_texts_are_read_in_small_tables(tmp_path, monkeypatch, ending):
    monkeypatch.setattr(files, "BATCH_BYTES", 50_000)
    monkeypatch.setattr(columns, "TABLE_BYTES", 50_000)
    monkeypatch.setattr(csv, "BLOCK_BYTES", 20_000)
    texts = [f"{i:04d}" * 250 for i in range(1000)]  # 1 MB
    table, path = pa.table({"t": texts}), tmp_path / f"a.{ending}"
    if ending == "csv":
        pa.csv.write_csv(table, path)
        source = engine.CSVSource(path, kinds={"t": "text"})
    else:
        pq.write_table(table, path)
        source = engine.ParquetSource(path)
    chunks = read(source)
    assert max(chunk.n for chunk in chunks) < 100
    assert values(whole(source).column(0)) == texts
    assert [c.first_row for c in chunks] == list(
        np.cumsum([0, *(c.n for c in chunks[:-1])])
    )


def test_tables_forget_rows_of_weight_zero(tmp_path):
    data = {"t": list("abcd"), "y": [1.0, 2, 3, 4], "w": [1.0, 0.0, 2.0, 0.0]}
    pq.write_table(pa.table(data), tmp_path / "a.parquet")
    source = engine.ParquetSource(tmp_path, target="y", weight="w")
    (chunk,) = read(source)
    assert values(chunk.X.column(0)) == ["a", "c"]
    assert chunk.w.tolist() == [1.0, 2.0]


def test_objects_of_files_are_objects(tmp_path):
    pq.write_table(pa.table({"l": [[1], None, [2, 3]]}), tmp_path / "a.parquet")
    source = engine.ParquetSource(tmp_path)
    assert source.kinds == ["object"]
    got = whole(source).column(0).array()
    assert [None if v is None else list(v) for v in got] == [[1], None, [2, 3]]
    assert "uniformly strings or numbers" in told(lambda: TinyEncoder().fit(source))


# -- CSV -------------------------------------------------------------------------------
def write(path, text):
    path.write_text(text, encoding="utf-8")
    return path


def test_csv_types_are_inferred(tmp_path):
    text = (
        "t,n,i,b,d,m,z,e,h\n"
        "x,1.5,1,true,2026-01-31,2026-01-31 12:30,2026-01-31T12:30Z,,10:30\n"
        ",,,,,,,,\n"
        '"a,b",2,3,FALSE,2025-01-31,2026-01-31T12:30:15,2026-01-31T12:30+02:00,,9:15\n'
    )
    source = engine.CSVSource(write(tmp_path / "a.csv", text))
    kinds = ["text", "number", "number", "boolean", "date", "date", "date", "number"]
    assert source.kinds == [*kinds, "text"]
    table = whole(source)
    assert values(table.column(0)) == ["x", None, "a,b"]
    assert values(table.column(1)) == [1.5, None, 2.0]
    assert values(table.column(3)) == [True, None, False]
    day, moment = table.column(4).array(), table.column(5).array()
    assert day.dtype == "M8[D]"
    assert np.isnat(day).tolist() == np.isnat(moment).tolist() == [False, True, False]
    assert moment[2].astype("M8[s]").item() == datetime.datetime(
        2026, 1, 31, 12, 30, 15
    )
    zones = table.column(6).array().astype("M8[m]")
    assert zones[2].item() == datetime.datetime(2026, 1, 31, 10, 30)
    assert table.column(7).is_missing().all()


def test_csv_whole_numbers_stay_whole_where_they_are(tmp_path, monkeypatch):
    monkeypatch.setattr(csv, "BLOCK_BYTES", 64)
    lines = "".join(f"{i},{i}\n" for i in range(30))
    path = write(tmp_path / "a.csv", f"a,b\n{lines}0.5,1\n")
    source = engine.CSVSource(path, chunk_rows=10).tables()
    chunks = read(source)
    assert chunks[0].X.column(0).array().dtype == np.int64
    assert chunks[-1].X.column(0).array().tolist() == [0.5]
    assert chunks[-1].X.column(1).array().dtype == np.int64
    assert TinyEncoder().fit(source).n_features_in_ == 2


def test_csv_kinds_can_be_stated(tmp_path):
    path = write(tmp_path / "a.csv", "zip,n,d,c,y\n01,3,2026-01-01,1,1\n2,4,,2,0\n")
    stated = {"zip": "text", "d": "date", "c": "category", "n": "number"}
    source = engine.CSVSource(path, target="y", kinds=stated)
    assert source.kinds == ["text", "number", "date", "category"]
    table = whole(source)
    assert values(table.column(0)) == ["01", "2"]
    assert table.column(1).array().dtype == np.float64
    assert values(table.column(3)) == ["1", "2"]
    same = engine.CSVSource(path, target="y", kinds={"zip": "number"})
    assert same.kinds[0] == "number"
    flags = write(tmp_path / "b.csv", "b\n1\n0\n")
    (chunk,) = read(engine.CSVSource(flags, kinds={"b": "boolean"}).tables())
    assert chunk.X.column(0).array().tolist() == [True, False]


@pytest.mark.parametrize(
    ("kinds", "message"),
    [
        ({"q": "text"}, "kinds must be of columns that there are, such as ['a']; got"),
        ({"a": "word"}, "kinds must be among number, boolean, date, text, category; "),
    ],
)
def test_csv_kinds_that_make_no_sense(tmp_path, kinds, message):
    path = write(tmp_path / "a.csv", "a\n1\n")
    assert message in told(lambda: engine.CSVSource(path, kinds=kinds))


@pytest.mark.parametrize(
    ("first", "later", "what"),
    [
        ("1", "12b", "numbers"),
        ("true", "maybe", "true or false"),
        ("2026-01-01", "tomorrow", "dates"),
        ("2026-01-01 10:00", "noon", "dates"),
    ],
)
@pytest.mark.parametrize("threads", [1, 2])
def test_a_value_that_does_not_fit_names_line_column_and_remedy(
    tmp_path, monkeypatch, first, later, what, threads
):
    monkeypatch.setattr(csv, "BLOCK_BYTES", 128)
    text = "t,v\n" + f"a,{first}\n" * 100 + f"a,{later}\n"
    path = write(tmp_path / "a.csv", text)
    with engine.use(threads=threads):
        source = engine.CSVSource(path)
        assert told(lambda: TinyEncoder().fit(source)) == (
            f"CSVSource: column 'v' of {path} must hold {what}; got '{later}' in line "
            "102. Correct the value, leave the column out with columns=[...], or read "
            "it as text with kinds={'v': 'text'}."
        )
        remedy = engine.CSVSource(path, kinds={"v": "text"})
        assert TinyEncoder().fit(remedy).labels_[1] == sorted([first, later])


def test_text_in_one_csv_file_is_text_in_all(tmp_path):
    write(tmp_path / "1.csv", "a,b\n1,true\n")
    write(tmp_path / "2.csv", "a,b\nx,2\n")
    source = engine.CSVSource(tmp_path)
    assert source.kinds == ["text", "number"]
    table = whole(source)
    assert values(table.column(0)) == ["1", "x"]
    assert values(table.column(1)) == [1.0, 2.0]
    assert f"of {tmp_path / '2.csv'} must hold numbers; got 'x' in line 2." in told(
        lambda: PCA().fit(source)
    )


# -- chunks ----------------------------------------------------------------------------
def test_chunks_may_be_frames_tables_lists_and_arrays_of_objects():
    frame = pd.DataFrame({"t": ["a", "b"], "n": [1, 2]})
    lists = [["a", 1], ["b", 2]]
    array = np.array(lists, dtype=object)
    for chunk in (frame, table_of("X", frame), lists, array):
        source = engine.ChunkSource([chunk, chunk])
        assert source.kinds == ["text", "number"]
        assert whole(source).column(0).array().tolist() == list("abab")
        assert TinyEncoder().fit(source).labels_ == [["a", "b"], [1, 2]]
    numbers = engine.ChunkSource([frame[["n"]], frame[["n"]]])
    assert not numbers.tabular
    assert numbers.names == ["n"]
    assert whole(numbers.tables()).column(0).array().dtype == np.int64


def test_chunks_of_frames_must_have_the_names_of_the_first():
    first, other = (
        pd.DataFrame({"a": [1], "b": ["x"]}),
        pd.DataFrame({"b": ["x"], "a": [1]}),
    )
    assert told(lambda: TinyEncoder().fit(engine.ChunkSource([first, other]))) == (
        "ChunkSource: chunk 1 must have the columns ['a', 'b'] of the first chunk; "
        "got ['b', 'a']."
    )


def test_typed_chunks_that_come_once_are_read_once():
    frame = pd.DataFrame({"t": ["a", "b", "c"]})
    model = TinyEncoder().fit(engine.ChunkSource(iter([frame[:2], frame[2:]])))
    assert model.labels_ == [["a", "b", "c"]]
    source = model.transform(engine.ChunkSource(iter([frame[:2], frame[2:]])))
    X = np.concatenate([chunk.X for chunk in read(source)])
    np.testing.assert_array_equal(X, np.eye(3))


def test_a_source_of_a_table_in_memory_is_fitted_like_the_frame():
    names, rows, same = encoders()
    source = engine.ArraySource(table_of("X", rows))
    assert source.names == names
    model = TinyEncoder().fit(source)
    assert model.labels_ == same.labels_
    assert list(model.feature_names_in_) == names
    numbers = engine.ArraySource(table_of("X", TABLE.select(["age", "member"])))
    assert PCA(1).fit(numbers).n_features_in_ == 2
    assert "column 'town' of X must hold numbers" in told(
        lambda: PCA().fit(engine.ArraySource(table_of("X", rows)))
    )


# -- what is no source -----------------------------------------------------------------
class Duck:
    def parts(self):
        return []


def test_what_is_no_source_is_told_what_a_source_needs(tmp_path):
    model = PCA().fit(np.eye(3))
    for act in (lambda: PCA().fit(Duck()), lambda: model.transform(Duck())):
        assert told(act) == (
            "PCA: X must be rows: an array, a data frame or a source; got an object of "
            "type Duck. A source extends engine.Source: parts(), has_target, labels, "
            "encoded."
        )
    assert "got 'a.parquet'. Use engine.ParquetSource(path)" in told(
        lambda: TinyEncoder().fit("a.parquet")
    )
    assert "base must be a source" in told(lambda: engine.MappedSource(Duck(), len))


def test_the_engine_lists_its_sources():
    assert {"ParquetSource", "CSVSource", "DaskSource"} <= set(dir(engine))
    assert "Any" not in dir(engine)


# -- fuzz ------------------------------------------------------------------------------
texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=4)
COLUMNS = {
    "text": (pa.string(), texts),
    "large": (pa.large_string(), texts),
    "category": (pa.dictionary(pa.int8(), pa.string()), st.sampled_from("abé")),
    "int": (pa.int64(), st.integers(-(2**63), 2**63 - 1)),
    "small": (pa.uint8(), st.integers(0, 255)),
    "float": (pa.float64(), st.floats(allow_nan=False, allow_infinity=False)),
    "bool": (pa.bool_(), st.booleans()),
    "date": (pa.date32(), st.dates()),
    "time": (pa.timestamp("us"), st.datetimes()),
    "null": (pa.null(), st.none()),
    "list": (pa.list_(pa.int64()), st.lists(st.integers(0, 9), max_size=2)),
}


@st.composite
def tables(draw):
    n = draw(st.integers(1, 12))
    made = {}
    for number, kind in enumerate(
        draw(st.lists(st.sampled_from(list(COLUMNS)), min_size=1, max_size=5))
    ):
        type_, items = COLUMNS[kind]
        column = draw(st.lists(items | st.none(), min_size=n, max_size=n))
        made[f"{kind} {number}"] = pa.array(column, type_)
    return pa.table(made)


@given(table=tables(), group=st.integers(1, 12), most=st.integers(1, 12))
@settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_parquet_file_is_the_table_in_memory(tmp_path_factory, table, group, most):
    path = tmp_path_factory.mktemp("fuzz") / "a.parquet"
    pq.write_table(table, path, row_group_size=group)
    source = engine.ParquetSource(path, chunk_rows=most)
    in_memory = table_of("X", table)
    assert source.kinds == in_memory.kinds
    got = whole(source.tables())
    assert got.kinds == in_memory.kinds
    for j, name in enumerate(table.column_names):
        mine, theirs = got.column(j).array(), in_memory.column(j).array()
        if "list" in name:
            mine, theirs = (
                [None if v is None else list(v) for v in a] for a in (mine, theirs)
            )
            assert mine == theirs
        elif mine.dtype.kind == "M":
            np.testing.assert_array_equal(mine, theirs)
        else:
            assert list(map(key, mine.tolist())) == list(map(key, theirs.tolist()))
    plain = [j for j, name in enumerate(table.column_names) if "list" not in name]
    if plain:
        model = TinyEncoder().fit(source.select(plain))
        assert list(map(set, model.labels_)) == list(
            map(set, TinyEncoder().fit(in_memory.select(plain)).labels_)
        )


WORDS = st.text(st.characters(exclude_categories=["Cs", "Cc"]), max_size=4)
CELLS = WORDS | st.integers(-9, 9).map(str) | st.sampled_from(["true", "1.5", "NA", ""])


@given(
    rows=st.lists(st.lists(CELLS, min_size=2, max_size=2), min_size=1, max_size=12),
    block=st.sampled_from([64, 256, 2**20]),
)
@settings(deadline=None)
def test_any_csv_file_is_read_or_refused_in_a_sentence(tmp_path_factory, rows, block):
    path = tmp_path_factory.mktemp("fuzz") / "a.csv"
    quoted = [
        [f'"{cell.replace(chr(34), chr(34) * 2)}"' for cell in row] for row in rows
    ]
    write(path, "a,b\n" + "".join(",".join(row) + "\n" for row in quoted))
    before, csv.BLOCK_BYTES = csv.BLOCK_BYTES, block
    try:
        inferred = outcome(lambda: whole(engine.CSVSource(path).tables()))
        stated = outcome(
            lambda: whole(engine.CSVSource(path, kinds={"a": "text", "b": "text"}))
        )
    finally:
        csv.BLOCK_BYTES = before
    for found in (inferred, stated):
        if isinstance(found, DataError):  # a header alone, say
            assert str(found).startswith("CSVSource: ")
            assert "\n" not in str(found)
        else:
            assert found.n == len(rows)
    if not isinstance(stated, DataError):
        got = [[value or "" for value in values(c)] for c in stated.columns]
        assert [list(row) for row in zip(*got, strict=True)] == rows


def outcome(function):
    try:
        return function()
    except DataError as error:
        return error


def test_ten_thousand_columns_and_a_text_among_them(tmp_path):
    wide = pa.table(
        {f"x{j}": pa.array([1.0, 2.0]) for j in range(9_999)} | {"t": ["a", "b"]}
    )
    pq.write_table(wide, tmp_path / "a.parquet")
    source = engine.ParquetSource(tmp_path)
    assert source.kinds.count("text") == 1
    assert whole(source).shape == (2, 10_000)
    numbers = source.select(slice(0, 9_999))
    assert not numbers.tabular
    assert read(numbers)[0].X.shape == (2, 9_999)


def test_an_empty_file_is_refused(tmp_path):
    pq.write_table(pa.table({"t": pa.array([], pa.string())}), tmp_path / "a.parquet")
    assert "must hold at least one row" in told(lambda: engine.ParquetSource(tmp_path))
    empty = Table((table_of("X", [["a"]])[:0].column(0),))
    message = told(lambda: TinyEncoder().fit(empty))
    assert "0 sample(s)" in message
