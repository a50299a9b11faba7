"""Groups of columns through transformers of their own, at every scale."""

import pickle

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse as sp
from common.sources import local_client
from common.typed import (
    SOURCES,
    TinyEncoder,
    TinyFiller,
    as_pandas,
    features,
    mixed,
)
from sklearn import compose
from sklearn.base import clone
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.impute import SimpleImputer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler, TargetEncoder

from corollary import PCA, ColumnTransformer, PolynomialFeatures, Ridge, engine
from corollary.core.errors import DataError, MemoryLimitError
from corollary.core.table import joined_rows, table_of
from corollary.preparation import make_column_selector, make_column_transformer

TABLE = mixed()
FRAME = as_pandas(features(TABLE))
Y = TABLE["y"].to_numpy()
every_source = pytest.mark.parametrize("kind", SOURCES)


def groups():
    return [
        ("labels", TinyEncoder(), ["town", "grade"]),
        ("powers", PolynomialFeatures(2, include_bias=False), ["age"]),
        ("theirs", make_pipeline(SimpleImputer(), StandardScaler()), ["pay"]),
        ("as it is", "passthrough", ["member"]),
    ]


def rows(source):
    """Return all rows of a source as one matrix or table."""
    X = [chunk.X for part in source.parts() for chunk in part.chunks()]
    if source.tabular:
        return joined_rows(X)
    return sp.vstack(X).toarray() if source.sparse else np.concatenate(X)


def told(function):
    with pytest.raises(DataError) as caught:
        function()
    return str(caught.value)


# -- in memory it is scikit-learn's ----------------------------------------------------
@pytest.mark.parametrize("library", [pd.DataFrame, pl.DataFrame])
@pytest.mark.parametrize("remainder", ["drop", "passthrough", StandardScaler()])
def test_frames_give_what_scikit_learn_gives(library, remainder):
    data = {"t": list("abab"), "n": [1.0, 2, 3, 5], "m": [1, 2, 3, 4]}
    frame = library(data)
    made = [("t", OneHotEncoder(sparse_output=False), ["t"]), ("n", "passthrough", [1])]
    ours = ColumnTransformer(made, remainder=remainder)
    theirs = compose.ColumnTransformer(made, remainder=remainder)
    np.testing.assert_array_equal(
        ours.fit_transform(frame), theirs.fit_transform(frame)
    )
    np.testing.assert_array_equal(
        ours.get_feature_names_out(), theirs.get_feature_names_out()
    )
    assert ours.output_indices_ == theirs.output_indices_


def test_it_is_cloned_pickled_and_searched_like_scikit_learns():
    model = ColumnTransformer(groups()).set_params(powers__degree=3)
    assert clone(model).get_params()["powers__degree"] == 3
    assert isinstance(model, compose.ColumnTransformer)
    fitted = model.fit(FRAME)
    again = pickle.loads(pickle.dumps(fitted))
    np.testing.assert_array_equal(again.transform(FRAME), fitted.transform(FRAME))


# -- the same answer from every source and executor ------------------------------------
@every_source
@pytest.mark.parametrize("executor", ["serial", "threads"])
def test_a_pipeline_on_a_source_is_the_pipeline_in_memory(kind, executor, tmp_path):
    same = make_pipeline(ColumnTransformer(groups()), Ridge()).fit(FRAME, Y)
    source = SOURCES[kind](TABLE, tmp_path)
    with engine.use(executor=executor, threads=2):
        model = make_pipeline(ColumnTransformer(groups()), Ridge()).fit(source)
        np.testing.assert_allclose(model[-1].coef_, same[-1].coef_, atol=1e-10)
        np.testing.assert_allclose(model.predict(source), same.predict(FRAME))
        assert model.score(source) == pytest.approx(same.score(FRAME, Y))
    np.testing.assert_allclose(model.predict(FRAME), same.predict(FRAME))
    np.testing.assert_array_equal(
        model[0].get_feature_names_out(), same[0].get_feature_names_out()
    )
    assert list(model[0].feature_names_in_) == list(FRAME.columns)
    assert model[0].output_indices_ == same[0].output_indices_
    answers = np.concatenate(list(engine.predict(model, source)))
    np.testing.assert_allclose(answers, same.predict(FRAME))


def test_a_pipeline_on_a_cluster_is_the_pipeline_in_memory(tmp_path):
    same = make_pipeline(ColumnTransformer(groups()), Ridge()).fit(FRAME, Y)
    with local_client() as client:
        for kind in ("parquet", "dask"):
            source = SOURCES[kind](TABLE, tmp_path)
            with engine.use(executor=client):
                model = make_pipeline(ColumnTransformer(groups()), Ridge()).fit(source)
                guess = model.predict(source)
            np.testing.assert_allclose(model[-1].coef_, same[-1].coef_, atol=1e-10)
            np.testing.assert_allclose(guess, same.predict(FRAME))


@every_source
def test_what_is_fitted_in_memory_transforms_a_source(kind, tmp_path):
    model = ColumnTransformer(groups()).fit(FRAME)
    source = model.transform(SOURCES[kind](TABLE, tmp_path))
    np.testing.assert_allclose(rows(source), model.transform(FRAME), atol=1e-12)
    assert source.names == model.get_feature_names_out().tolist()


def test_the_labels_are_those_of_the_source(tmp_path):
    from corollary import LogisticRegression

    labels = np.where(Y > 0, "up", "down")
    table = TABLE.set_column(6, "y", pa.array(labels))
    source = SOURCES["parquet"](table, tmp_path)
    model = make_pipeline(ColumnTransformer(groups()), LogisticRegression()).fit(source)
    same = make_pipeline(ColumnTransformer(groups()), LogisticRegression())
    same.fit(FRAME, labels)
    np.testing.assert_array_equal(model.predict(source), same.predict(FRAME))
    assert model.score(source) == same.score(FRAME, labels)


# -- which columns ---------------------------------------------------------------------
@every_source
@pytest.mark.parametrize(
    "columns",
    [
        ["town", "grade"],
        [0, 4],
        [True, False, False, False, True, False],
        np.array([0, -2]),
        make_column_selector(kinds=["text", "category"]),
        make_column_selector("^(town|grade)$"),
        lambda frame: ["town", "grade"],
    ],
    ids=["names", "positions", "mask", "array", "kinds", "pattern", "function"],
)
def test_columns_are_given_in_every_way(kind, columns, tmp_path):
    source = SOURCES[kind](TABLE, tmp_path)
    model = ColumnTransformer([("labels", TinyEncoder(), columns)]).fit(source)
    wanted = TinyEncoder().fit(FRAME[["town", "grade"]])
    np.testing.assert_array_equal(
        rows(model.transform(source)), wanted.transform(FRAME[["town", "grade"]])
    )


@every_source
def test_slices_of_names_and_the_remainder(kind, tmp_path):
    source = SOURCES[kind](TABLE, tmp_path)
    made = [("labels", TinyEncoder(), slice("town", "town")), ("off", "drop", [2, 5])]
    for remainder, width in (("drop", 0), ("passthrough", 3)):
        model = ColumnTransformer(made, remainder=remainder).fit(source)
        out = model.transform(source)
        assert out.n_features == 5 + width
        assert out.tabular == (remainder == "passthrough")  # grades are texts
    rest = ColumnTransformer([("off", "drop", [2, 5])], remainder=TinyEncoder())
    wanted = TinyEncoder().fit(FRAME[["town", "age", "member", "grade"]])
    assert rest.fit(source).named_transformers_["remainder"].labels_ == wanted.labels_


@every_source
def test_texts_that_pass_through_make_tables(kind, tmp_path):
    source = SOURCES[kind](TABLE, tmp_path)
    first = ColumnTransformer(
        [("texts", TinyFiller(), ["town"]), ("rest", "passthrough", ["age", "grade"])],
        verbose_feature_names_out=False,
    ).fit(source)
    out = first.transform(source)
    assert out.tabular
    assert out.kinds == ["text", "number", "category"]
    assert out.names == ["tinyfiller0", "age", "grade"]
    second = ColumnTransformer([("labels", TinyEncoder(), ["grade"])]).fit(out)
    wanted = TinyEncoder().fit(FRAME[["grade"]])
    assert second.named_transformers_["labels"].labels_ == wanted.labels_
    np.testing.assert_array_equal(
        rows(second.transform(out)), wanted.transform(FRAME[["grade"]])
    )


@every_source
def test_a_single_column_is_a_vector_for_a_vectorizer(kind, tmp_path):
    full = TABLE.set_column(0, "town", TABLE["town"].fill_null("nowhere"))
    source = SOURCES[kind](full, tmp_path)
    made = [("words", CountVectorizer(), "town"), ("age", "passthrough", ["age"])]
    model = ColumnTransformer(made).fit(source)
    same = compose.ColumnTransformer(made).fit(as_pandas(features(full)))
    wanted = same.transform(as_pandas(features(full)))
    wanted = wanted.toarray() if sp.issparse(wanted) else wanted
    np.testing.assert_array_equal(rows(model.transform(source)), wanted)


def test_columns_are_found_by_name_in_another_order(tmp_path):
    model = ColumnTransformer(groups()).fit(SOURCES["parquet"](TABLE, tmp_path))
    names = ["y", "since", "member", "pay", "grade", "age", "town"]
    other = tmp_path / "other"
    other.mkdir()
    pa.parquet.write_table(TABLE.select(names), other / "a.parquet")
    source = model.transform(engine.ParquetSource(other))
    assert not source.has_target
    np.testing.assert_allclose(rows(source), model.transform(FRAME), atol=1e-12)
    short = engine.ParquetSource(other, columns=["member", "pay", "grade"])
    assert told(lambda: model.transform(short)) == (
        "ColumnTransformer: the columns of fit must be there; got columns are missing: "
        "['town', 'age']."
    )
    unnamed = engine.ChunkSource([FRAME.to_numpy()[:, :3]])
    assert "is expecting 6 features as input; got 3" in told(
        lambda: model.transform(unnamed)
    )


def test_selectors_of_frames_choose_by_kind_type_and_pattern():
    for frame in (FRAME, pl.from_pandas(FRAME.astype({"grade": str}))):
        assert make_column_selector(kinds="number")(frame) == ["age", "pay"]
    assert make_column_selector("a", kinds=("number", "category"))(FRAME) == [
        "age",
        "pay",
        "grade",
    ]
    assert make_column_selector(dtype_include="number")(FRAME) == ["age", "pay"]
    chosen = compose.make_column_selector(dtype_exclude="number")(FRAME)
    assert make_column_selector(dtype_exclude="number")(FRAME) == chosen
    assert make_column_selector(kinds="number")(np.eye(2)) == [0, 1]
    pickle.loads(pickle.dumps(make_column_selector("a", kinds="text")))


def test_transformers_are_named_by_their_types(tmp_path):
    model = make_column_transformer(
        (TinyEncoder(), ["town"]), (PCA(1), ["age", "member"]), remainder="drop"
    )
    assert isinstance(model, ColumnTransformer)
    assert [name for name, *_ in model.transformers] == ["tinyencoder", "pca"]
    source = SOURCES["csv"](TABLE, tmp_path)
    np.testing.assert_allclose(
        rows(model.fit_transform(source)), clone(model).fit_transform(FRAME), atol=1e-9
    )


# -- how the outputs are joined --------------------------------------------------------
@every_source
@pytest.mark.parametrize("threshold", [0.0, 0.3, 1.0])
def test_sparse_outputs_are_joined_as_in_memory(kind, threshold, tmp_path):
    made = [("labels", TinyEncoder(sparse=True), ["town"]), ("a", "passthrough", [1])]
    model = ColumnTransformer(made, sparse_threshold=threshold)
    wanted = clone(model).fit_transform(FRAME)
    source = SOURCES[kind](TABLE, tmp_path)
    out = model.fit_transform(source)
    assert out.sparse == model.sparse_output_ == sp.issparse(wanted)
    wanted = wanted.toarray() if out.sparse else wanted
    np.testing.assert_array_equal(rows(out), wanted)


@every_source
def test_weights_of_transformers(kind, tmp_path):
    source = SOURCES[kind](TABLE, tmp_path)
    weights = {"labels": 3.0, "powers": 0.5}
    model = ColumnTransformer(groups(), transformer_weights=weights)
    wanted = clone(model).fit_transform(FRAME)
    np.testing.assert_allclose(rows(model.fit_transform(source)), wanted, atol=1e-12)


def test_nothing_to_join(tmp_path):
    source = SOURCES["parquet"](TABLE, tmp_path)
    model = ColumnTransformer([("none", TinyEncoder(), [])]).fit(source)
    assert rows(model.transform(source)).shape == (600, 0)


def test_dask_in_gives_lazy_dask_out():
    import dask.dataframe as dd

    frame = dd.from_pandas(FRAME, 4)
    model = ColumnTransformer(groups())
    out = model.fit_transform(frame)
    assert hasattr(out, "__dask_graph__")
    assert list(out.columns) == model.get_feature_names_out().tolist()
    np.testing.assert_allclose(out.compute().to_numpy(), model.transform(FRAME))
    target = dd.from_pandas(pd.Series(Y), 4)
    pipeline = make_pipeline(ColumnTransformer(groups()), Ridge()).fit(frame, target)
    guess = pipeline.predict(frame)
    assert hasattr(guess, "__dask_graph__")
    same = make_pipeline(ColumnTransformer(groups()), Ridge()).fit(FRAME, Y)
    np.testing.assert_allclose(guess.compute(), same.predict(FRAME))


def test_set_output_leaves_sources_alone(tmp_path):
    source = SOURCES["parquet"](TABLE, tmp_path)
    made = [("labels", TinyEncoder(), ["town"]), ("a", "passthrough", ["age"])]
    model = ColumnTransformer(made).set_output(transform="pandas")
    out = model.fit_transform(source)
    assert isinstance(out, engine.Source)
    frame = model.transform(FRAME)
    assert isinstance(frame, pd.DataFrame)
    np.testing.assert_array_equal(rows(out), frame.to_numpy())
    pipeline = make_pipeline(ColumnTransformer(made), Ridge())
    pipeline.set_output(transform="pandas").fit(source)
    assert pipeline.predict(source).shape == (600,)


# -- what cannot be --------------------------------------------------------------------
def test_chunks_that_come_once_are_refused():
    source = engine.ChunkSource(iter([FRAME]))
    assert "ColumnTransformer: a source must be readable again, once for each" in told(
        lambda: ColumnTransformer(groups()).fit(source)
    )


def test_a_target_beside_a_source_is_refused():
    source = engine.ChunkSource([FRAME])
    assert "takes the source alone, with its target inside" in told(
        lambda: ColumnTransformer(groups()).fit(source, Y)
    )


def test_others_that_need_a_target_are_refused(tmp_path):
    source = SOURCES["parquet"](TABLE, tmp_path)
    model = ColumnTransformer([("means", TargetEncoder(), ["town"])])
    assert "'means' must be a transformer of Corollary" in told(
        lambda: model.fit(source)
    )


def test_others_are_fitted_within_the_memory_limit(tmp_path):
    source = SOURCES["parquet"](TABLE, tmp_path)
    model = ColumnTransformer([("theirs", StandardScaler(), ["age"])])
    with engine.use(memory_limit=1000), pytest.raises(MemoryLimitError):
        model.fit(source)


def test_a_fit_that_fails_leaves_what_was(tmp_path):
    source = SOURCES["parquet"](TABLE, tmp_path)
    model = ColumnTransformer(groups()).fit(source)
    before = model.get_feature_names_out().tolist()
    model.set_params(transformers=[("bad", PCA(), ["town"])])
    assert "PCA: column 'town' of " in told(lambda: model.fit(source))
    assert model.get_feature_names_out().tolist() == before


def test_a_new_fit_forgets_the_names_of_the_old():
    model = ColumnTransformer([("a", "passthrough", [0])], remainder=PCA(1))
    model.fit(engine.ChunkSource([FRAME[["age", "member"]]]))
    assert list(model.feature_names_in_) == ["age", "member"]
    model.fit(engine.ChunkSource([np.random.default_rng(0).normal(size=(9, 3))]))
    assert not hasattr(model, "feature_names_in_")
    assert model.n_features_in_ == 3


def test_a_table_in_memory_is_transformed_like_its_frame():
    model = ColumnTransformer(groups()).fit(FRAME)
    out = model.transform(table_of("X", FRAME))
    np.testing.assert_allclose(out, model.transform(FRAME), atol=1e-12)


def test_two_columns_of_one_name_are_refused_in_one_sentence():
    frame = pd.DataFrame(np.ones((3, 2)), columns=["a", "a"])
    transformer = ColumnTransformer([("scale", StandardScaler(), ["a"])])
    for fit in (transformer.fit, transformer.fit_transform):
        with pytest.raises(ValueError, match="different names; got 'a' more than once"):
            fit(frame)
