"""Using a model on a source: chunks, files, errors, Ctrl-C."""

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import scipy.sparse as sp
import sklearn
from sklearn.pipeline import make_pipeline

import corollary
from corollary import (
    PCA,
    GaussianNB,
    KMeans,
    LinearRegression,
    LogisticRegression,
    PolynomialFeatures,
    SGDClassifier,
    engine,
)
from corollary.core.errors import DataError, MemoryLimitError
from corollary.registry import ESTIMATORS

RNG = np.random.default_rng(0)
X = RNG.normal(size=(500, 3))
Y = (X[:, 0] + 0.3 * RNG.normal(size=500) > 0).astype(int)
W = (np.arange(500) % 3 > 0).astype(float)
NAMES = ["a", "b", "c"]


@pytest.fixture
def file(tmp_path):
    columns = {name: X[:, j] for j, name in enumerate(NAMES)}
    labels = np.array(["no", "yes"])[Y]
    path = tmp_path / "rows.parquet"
    pq.write_table(pa.table(columns | {"y": labels, "w": W}), path, row_group_size=120)
    return path


def source(file, **more):
    return engine.ParquetSource(file, target="y", weight="w", **more)


def test_an_iterator_of_arrays_in_the_order_of_the_rows(file):
    model = LogisticRegression().fit(source(file))
    with engine.use(chunk_rows=120):
        parts = list(engine.predict(model, source(file), "predict_proba"))
    assert len(parts) > 1
    whole = np.concatenate(parts)
    assert whole.shape == (500, 2)  # rows of weight 0 have answers too
    np.testing.assert_allclose(whole, model.predict_proba(source(file)), rtol=1e-12)
    np.testing.assert_array_equal(
        np.concatenate(list(engine.predict(model, source(file)))),
        model.classes_[whole.argmax(axis=1)],
    )


def test_arrays_and_sparse_matrices_come_in_chunks_too():
    model = LogisticRegression().fit(X, Y)
    with engine.use(chunk_rows=100):
        parts = list(engine.predict(model, X))
        sparse = list(engine.predict(model, sp.csr_array(X)))
    assert len(parts) == 5
    np.testing.assert_array_equal(np.concatenate(parts), model.predict(X))
    np.testing.assert_array_equal(np.concatenate(sparse), model.predict(X))


def test_score_counts_weights(file):
    model = LogisticRegression().fit(source(file))
    guess = model.predict(source(file))
    right = guess == np.array(["no", "yes"])[Y]
    assert model.score(source(file)) == pytest.approx(np.average(right, weights=W))


def test_score_needs_a_target():
    model = LinearRegression().fit(X, Y)
    with pytest.raises(DataError, match="score needs a source with y"):
        model.score(engine.ChunkSource([X]))


def test_answers_go_to_a_file_or_a_folder(file, tmp_path):
    model = GaussianNB().fit(source(file))
    path = engine.predict(model, source(file), into=tmp_path / "answers.parquet")
    table = pq.read_table(path)
    assert table.schema.names == ["predict"]
    assert table["predict"].to_pylist() == model.predict(source(file)).tolist()
    folder = engine.predict(
        model, source(file), "predict_proba", into=tmp_path / "answers"
    )
    table = pq.read_table(folder)
    assert table.schema.names == ["predict_proba_no", "predict_proba_yes"]
    assert table.num_rows == 500
    with pytest.raises(DataError, match="a folder that is not there"):
        engine.predict(model, source(file), into=folder)
    with pytest.raises(DataError, match="must be there"):
        engine.predict(model, source(file), into=tmp_path / "no" / "such.parquet")


@pytest.mark.parametrize("error", [KeyboardInterrupt, ValueError])
@pytest.mark.parametrize("name", ["answers.parquet", "answers"])
@pytest.mark.parametrize("executor", ["serial", "threads"])
def test_nothing_half_written_is_left(name, error, executor, tmp_path):
    def rows():
        yield X[:100]
        yield X[100:200]
        raise error("enough")

    model = LinearRegression().fit(X, Y)
    before = set(tmp_path.iterdir())
    with engine.use(executor=executor, threads=2), pytest.raises(error):
        engine.predict(model, engine.ChunkSource(rows), into=tmp_path / name)
    assert set(tmp_path.iterdir()) == before


def test_an_older_file_stays_where_the_new_one_fails(tmp_path):
    path = tmp_path / "answers.parquet"
    model = LinearRegression().fit(X, Y)
    engine.predict(model, X, into=path)
    before = path.read_bytes()
    bad = X.copy()
    bad[400] = np.nan
    with pytest.raises(DataError, match="NaN"), engine.use(chunk_rows=100):
        engine.predict(model, bad, into=path)
    assert path.read_bytes() == before


def test_predictions_that_do_not_fit_name_the_way_out():
    model = PolynomialFeatures(6).fit(X)
    assert isinstance(model.transform(engine.ChunkSource([X])), engine.MappedSource)
    model = LogisticRegression().fit(X, Y)
    many = engine.ChunkSource(lambda: (X for _ in range(2000)))
    with engine.use(memory_limit="2MB"), pytest.raises(MemoryLimitError) as caught:
        model.predict_proba(many)
    assert "Use engine.predict(model, source), or into=" in str(caught.value)
    with engine.use(memory_limit="2MB"):
        assert sum(len(part) for part in engine.predict(model, many)) == 10**6


def test_columns_must_be_those_of_fit(file, tmp_path):
    model = LogisticRegression().fit(source(file))
    other = tmp_path / "other.parquet"
    pq.write_table(pa.table({name: X[:, 0] for name in "abz"}), other)
    with pytest.raises(DataError, match=r"those of fit, .*got \['a', 'b', 'z'\]"):
        model.predict(engine.ParquetSource(other))
    with pytest.raises(DataError, match="is expecting 3 features as input; got 2"):
        model.predict(engine.ChunkSource([X[:, :2]]))


def test_a_method_that_the_model_lacks(file):
    with pytest.raises(DataError, match="method must be one that the model has"):
        engine.predict(KMeans(2).fit(X), X, "predict_proba")


def test_methods_that_only_some_parameters_offer():
    rows = engine.ChunkSource([X[:300], X[300:]])
    model = SGDClassifier(loss="log_loss", random_state=0).fit(X, Y)
    np.testing.assert_allclose(
        model.predict_proba(rows), model.predict_proba(X), rtol=1e-12
    )
    assert not hasattr(SGDClassifier().fit(X, Y), "predict_proba")
    np.testing.assert_array_equal(model.predict(X=rows), model.predict(X))


def test_y_beside_a_source_is_refused():
    model = LinearRegression().fit(X, Y)
    with pytest.raises(DataError, match="must come inside the source"):
        model.score(engine.ChunkSource([(X, Y)]), Y)


def test_dask_in_dask_out():
    import dask.array as da
    import dask.dataframe as dd
    import pandas as pd

    table = pd.DataFrame(X, columns=NAMES)
    model = LogisticRegression().fit(table, Y)
    frame = dd.from_pandas(table, npartitions=3)
    found = model.predict_proba(frame)
    assert hasattr(found, "__dask_graph__")
    assert list(found.columns) == ["predict_proba_0", "predict_proba_1"]
    np.testing.assert_allclose(found.compute(), model.predict_proba(table), rtol=1e-12)
    empty = frame[frame["a"] > 1e9]
    assert len(model.predict(empty).compute()) == 0
    array = da.from_array(X, chunks=(100, 2))
    model = PCA(2).fit(X)
    lazy = model.transform(array)
    assert lazy.shape == (500, 2)
    np.testing.assert_allclose(lazy.compute(), model.transform(X), rtol=1e-12)
    back = model.inverse_transform(lazy)
    np.testing.assert_allclose(
        back.compute(), model.inverse_transform(model.transform(X)), rtol=1e-12
    )


TRANSFORMERS = [
    name for name in ESTIMATORS if hasattr(getattr(corollary, name), "set_output")
]


def chunked(*more):
    return engine.ChunkSource(
        lambda: (tuple(a[i : i + 90] for a in (X, *more)) for i in range(0, 500, 90))
    )


def rows_of(source):
    return np.concatenate([c.X for part in source.parts() for c in part.chunks()])


@pytest.mark.filterwarnings("ignore:.*greater than the total number")
@pytest.mark.parametrize("library", ["pandas", "polars"])
@pytest.mark.parametrize("name", TRANSFORMERS)
def test_set_output_leaves_a_source_a_source_and_makes_frames_of_its_chunks(
    name, library
):
    frame = pytest.importorskip(library).DataFrame
    model = getattr(corollary, name)()
    y = () if model.target == "none" else (Y,)
    if sp.issparse(model.fit(X, *y).transform(X)):
        pytest.skip("no data frame of scikit-learn's is sparse")
    plain = model.transform(X)
    model.set_output(transform=library)
    assert isinstance(model.transform(X), frame)
    with engine.use(threads=2):
        lazy = model.transform(chunked(*y))
        assert isinstance(lazy, engine.MappedSource)
        assert lazy.names == list(model.get_feature_names_out())
        np.testing.assert_allclose(rows_of(lazy), plain, rtol=1e-9, atol=1e-12)
        parts = list(engine.predict(model, chunked(*y), "transform"))
    assert len(parts) == 6
    for part in parts:
        assert isinstance(part, frame)
        assert list(part.columns) == list(model.get_feature_names_out())
    whole = np.concatenate([np.asarray(part) for part in parts])
    np.testing.assert_allclose(whole, plain, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_fit_transform_and_pipelines_of_sources_under_set_output(library, tmp_path):
    model = PCA(2).set_output(transform=library)
    lazy = model.fit_transform(chunked())
    assert isinstance(lazy, engine.MappedSource)
    np.testing.assert_allclose(rows_of(lazy), PCA(2).fit_transform(X), atol=1e-12)
    there = make_pipeline(PCA(2), KMeans(3, init=2 * np.eye(3)[:, :2]))
    there.set_output(transform=library).fit(chunked())
    assert isinstance(there.transform(chunked()), engine.MappedSource)
    path = engine.predict(model, chunked(), "transform", into=tmp_path / "pca.parquet")
    assert pq.read_table(path).schema.names == ["pca0", "pca1"]


def test_dask_in_dask_out_under_set_output():
    import dask.array as da

    model = PCA(2).set_output(transform="pandas").fit(X)
    lazy = model.transform(da.from_array(X, chunks=(100, 3)))
    assert hasattr(lazy, "__dask_graph__")
    np.testing.assert_allclose(lazy.compute(), model.transform(X), rtol=1e-12)


def test_scikit_learns_configuration_reaches_every_thread():
    import pandas as pd

    model = PCA(2).fit(X)
    with sklearn.config_context(transform_output="pandas"), engine.use(threads=2):
        parts = list(engine.predict(model, chunked(), "transform"))
        lazy = model.transform(chunked())
    assert all(isinstance(part, pd.DataFrame) for part in parts)
    np.testing.assert_allclose(rows_of(lazy), model.transform(X), rtol=1e-12)
