"""Target encoding: posterior means of each category, and rows that are held out."""

import numpy as np
import pandas as pd
import pytest
import sklearn
from common import typed
from hypothesis import given, settings
from hypothesis import strategies as st
from preparation.columns import assert_categories, frames
from sklearn import preprocessing
from sklearn.model_selection import GroupKFold, KFold, ShuffleSplit
from sklearn.pipeline import make_pipeline

import corollary
from corollary import Ridge, TargetEncoder, engine
from corollary.core.errors import DataError, MemoryLimitError, ParameterError
from corollary.distributions import NormalMean
from corollary.engine.statistics import Variances

TABLE = typed.mixed()
SMOOTH = st.sampled_from(["auto", 0.0, 1.0, 30.0])
KIND = st.sampled_from(["continuous", "binary", "multiclass"])


def target(kind, n, seed):
    rng = np.random.default_rng(seed)
    if kind == "continuous":
        return rng.normal(size=n) * 3 + 1000
    labels = np.array(["no", "yes", "maybe"], dtype=object)
    some = rng.integers(2 if kind == "binary" else 3, size=n)
    some[: min(n, 3)] = np.arange(3)[: min(n, 3)] % (2 if kind == "binary" else 3)
    return labels[some]


def naive(X, y, smooth, categories):
    """Encode by loops over the categories, as the formulas say."""
    mean, variance = y.mean(), y.var()
    found = []
    for v in categories:
        own = y[[x == v or (x != x and v != v) for x in X]]
        n = len(own)
        if smooth == "auto":
            top = n * variance
            share = top / (top + own.var()) if n and top + own.var() > 0 else 0.0
        else:
            share = n / (n + smooth) if n + smooth else 0.0
        found.append(share * (own.mean() if n else 0.0) + (1 - share) * mean)
    return np.array(found)


@given(
    frame=frames(),
    kind=KIND,
    smooth=SMOOTH,
    seed=st.integers(0, 99),
)
@settings(max_examples=120, deadline=None)
def test_agrees_with_scikit_learn_on_mixed_columns(frame, kind, smooth, seed):
    y = target(kind, len(frame), seed)
    options = {"smooth": smooth, "cv": KFold(2)}
    if kind == "continuous" or len(np.unique(y)) < 3:
        options["target_type"] = "binary" if kind != "continuous" else kind
    model = TargetEncoder(**options).fit(frame, y)
    other = preprocessing.TargetEncoder(**options).fit(frame, y)
    assert model.target_type_ == other.target_type_
    assert_categories(model.categories_, other.categories_)
    np.testing.assert_allclose(model.target_mean_, other.target_mean_)
    np.testing.assert_allclose(
        np.concatenate(model.encodings_), np.concatenate(other.encodings_)
    )
    np.testing.assert_allclose(model.transform(frame), other.transform(frame))
    np.testing.assert_array_equal(
        model.get_feature_names_out(), other.get_feature_names_out()
    )
    if len(frame) > 1:
        np.testing.assert_allclose(
            model.fit_transform(frame, y), other.fit_transform(frame, y)
        )


@pytest.mark.parametrize("smooth", ["auto", 0.0, 5.0])
def test_the_encoding_is_that_of_the_formulas(smooth):
    rng = np.random.default_rng(0)
    X = np.array(["a", "b", "c", np.nan], dtype=object)[rng.integers(4, size=80)]
    y = rng.normal(size=80) + (X == "b")
    model = TargetEncoder(smooth=smooth).fit(X[:, None], y)
    wanted = naive(X, y, smooth, model.categories_[0])
    np.testing.assert_allclose(model.encodings_[0], wanted, rtol=1e-12)


@pytest.mark.course("S1-10")
def test_auto_is_the_posterior_mean_of_a_normal_mean():
    rng = np.random.default_rng(1)
    X = np.array(["a", "b"], dtype=object)[(rng.random(40) < 0.2).astype(int)]
    y = rng.normal(size=40) * np.where(X == "a", 1.0, 2.0) + 5
    model = TargetEncoder(target_type="continuous").fit(X[:, None], y)
    for v, encoded in zip("ab", model.encodings_[0], strict=True):
        own = y[X == v]
        prior = NormalMean(y.mean(), y.var(), own.var())
        posterior = prior.posterior(Variances.of(own[:, None]))
        np.testing.assert_allclose(encoded, posterior.mean[0])


@given(
    frame=frames(),
    rows=st.integers(1, 25),
    kind=KIND,
    smooth=SMOOTH,
    seed=st.integers(0, 9),
)
@settings(max_examples=60, deadline=None)
def test_chunks_of_any_size_give_the_same_model(frame, rows, kind, smooth, seed):
    y = target(kind, len(frame), seed)
    whole = TargetEncoder(smooth=smooth).fit(frame, y)
    with corollary.config_context(chunk_rows=rows):
        parts = TargetEncoder(smooth=smooth).fit(frame, y)
    assert_categories(parts.categories_, whole.categories_)
    for mine, other in zip(parts.encodings_, whole.encodings_, strict=True):
        np.testing.assert_allclose(mine, other, rtol=1e-10)


@given(
    frame=frames(most=12),
    weights=st.lists(st.integers(0, 3), min_size=12, max_size=12),
    kind=KIND,
    smooth=SMOOTH,
)
@settings(max_examples=60, deadline=None)
def test_a_weight_counts_a_row_so_many_times(frame, weights, kind, smooth):
    w = np.array(weights[: len(frame)])
    if not w.any():
        w[0] = 1
    y, many = target(kind, len(frame), 0), np.repeat(np.arange(len(w)), w)
    kinds = {"target_type": "continuous"} if kind == "continuous" else {}
    weighted = TargetEncoder(smooth=smooth, **kinds).fit(frame, y, sample_weight=w)
    repeated = TargetEncoder(smooth=smooth, **kinds).fit(frame.iloc[many], y[many])
    assert weighted.target_type_ == repeated.target_type_
    assert_categories(weighted.categories_, repeated.categories_)
    for mine, other in zip(weighted.encodings_, repeated.encodings_, strict=True):
        np.testing.assert_allclose(mine, other, rtol=1e-10)


def test_rows_of_weight_0_have_no_say_in_the_folds():
    rng = np.random.default_rng(2)
    X = rng.integers(3, size=(60, 2))
    y, w = rng.normal(size=60), rng.integers(0, 2, size=60).astype(float)
    options = {"cv": 3, "random_state": 0, "target_type": "continuous"}
    all_rows = TargetEncoder(**options).fit_transform(X, y, sample_weight=w)
    others = TargetEncoder(**options).fit_transform(X[w > 0], y[w > 0])
    np.testing.assert_allclose(all_rows[w > 0], others)


@pytest.mark.parametrize("kind", typed.SOURCES)
def test_every_source_gives_the_same_encodings(kind, tmp_path):
    source = typed.SOURCES[kind](TABLE, tmp_path)
    model = TargetEncoder().fit(source)
    assert model.target_type_ == "continuous"
    frame, y = typed.features(TABLE), TABLE["y"].to_numpy()
    expected = TargetEncoder().fit(frame, y)
    for mine, other in zip(model.encodings_, expected.encodings_, strict=True):
        np.testing.assert_allclose(mine, other)
    found = [c.X for part in model.transform(source).parts() for c in part.chunks()]
    np.testing.assert_allclose(np.concatenate(found), expected.transform(frame))


@pytest.mark.parametrize("kind", ["parquet", "chunks", "dask"])
@pytest.mark.parametrize("labels", [False, True])
def test_a_source_is_held_out_like_rows_in_memory(kind, labels, tmp_path):
    table, cv = TABLE, KFold(4)
    if labels:
        names = np.array(["low", "mid", "top"])[np.arange(len(table)) % 3]
        table = table.set_column(table.num_columns - 1, "y", [names.tolist()])
    source = typed.SOURCES[kind](table, tmp_path)
    held = TargetEncoder(cv=cv).set_output(transform="pandas").fit_transform(source)
    y = np.array(table["y"].to_pylist(), dtype=object if labels else float)
    expected = TargetEncoder(cv=cv).fit_transform(typed.features(table), y)
    np.testing.assert_allclose(held.X, expected)
    assert held.y.tolist() == y.tolist()


def test_a_pipeline_learns_from_rows_that_were_held_out():
    rng = np.random.default_rng(3)
    X = rng.integers(300, size=(600, 1)).astype(str).astype(object)  # says nothing of y
    y = rng.normal(size=600)
    chunks = [(X[a : a + 100], y[a : a + 100]) for a in range(0, 600, 100)]
    for data in ((X, y), (engine.ChunkSource(chunks),)):
        encoder = TargetEncoder(cv=KFold(5), smooth=1.0)
        model = make_pipeline(encoder, Ridge()).fit(*data)
        assert abs(model[-1].coef_[0]) < 0.3
    leaking = Ridge().fit(encoder.transform(X), y)
    assert leaking.coef_[0] > 0.9


def test_a_stream_of_rows_cannot_be_held_out():
    rows = [(np.array([["a"], ["b"]], dtype=object), np.array([1.5, 2.5]))]
    with pytest.raises(DataError, match="must read its rows twice"):
        TargetEncoder().fit_transform(iter(rows))
    with pytest.raises(ParameterError, match="target_type must be stated"):
        TargetEncoder().fit(iter(rows))
    model = TargetEncoder(target_type="continuous", smooth=0.0).fit(iter(rows))
    assert model.encodings_[0].tolist() == [1.5, 2.5]


def test_groups_are_routed_to_the_splitter():
    rng = np.random.default_rng(4)
    X, y = rng.integers(3, size=(40, 1)), rng.normal(size=40)
    groups = np.arange(40) // 8
    with sklearn.config_context(enable_metadata_routing=True):
        cv = GroupKFold(5).set_split_request(groups=True)
        found = TargetEncoder(cv=cv).fit_transform(X, y, groups=groups)
        other = preprocessing.TargetEncoder(cv=cv).fit_transform(X, y, groups=groups)
    np.testing.assert_allclose(found, other)
    with pytest.raises(ParameterError, match="enable_metadata_routing"):
        TargetEncoder().fit_transform(X, y, groups=groups)


def test_an_unknown_category_is_an_average_one():
    model = TargetEncoder().fit([["a"], ["b"], ["a"]], [1.5, 2.5, 4.0])
    assert model.transform([["new"]])[0, 0] == pytest.approx(8 / 3)
    given = TargetEncoder(categories=[["b"]], smooth=0.0)
    given.fit([["a"], ["b"], ["a"]], [1.5, 2.5, 4.0])
    assert given.encodings_[0].tolist() == [2.5]  # the rows of "a" are not in it
    assert given.target_mean_ == pytest.approx(8 / 3)


def test_two_classes_that_are_said_to_be_several():
    model = TargetEncoder(target_type="multiclass", smooth=0.0)
    out = model.fit([["a"], ["b"]], ["x", "y"]).transform([["a"]])
    assert out.tolist() == [[1.0, 0.0]]
    assert model.get_feature_names_out().tolist() == ["x0_x", "x0_y"]


@pytest.mark.parametrize(
    ("options", "y", "text"),
    [
        ({"target_type": "binary"}, [0, 1, 2, 0], "two classes"),
        ({"cv": ShuffleSplit(2)}, [0, 1, 0, 1], "each row exactly once"),
        ({"cv": [([0, 1], [2, 3])]}, [0, 1, 0, 1], "each row exactly once"),
        ({"cv": 9}, [0.5, 1.5, 2.5, 3.5], "n_splits"),
        ({"smooth": -1.0}, [0, 1, 0, 1], "smooth must be"),
        ({}, [[0, 1], [1, 2], [1, 0], [2, 2]], "Unknown label type"),
        ({}, None, "requires y"),
    ],
)
def test_what_makes_no_sense(options, y, text):
    with pytest.raises((ParameterError, DataError), match=text):
        TargetEncoder(**options).fit_transform([["a"], ["b"], ["a"], ["b"]], y)


def test_ten_thousand_categories_and_a_limit():
    rng = np.random.default_rng(5)
    X = rng.integers(10_000, size=(60_000, 1))
    y = rng.normal(size=60_000)
    model = TargetEncoder(smooth=3.0).fit(X, y)
    sums = np.bincount(X[:, 0], y, minlength=10_000)
    counts = np.bincount(X[:, 0], minlength=10_000)
    wanted = (sums + 3 * y.mean()) / (counts + 3)
    there = counts > 0
    np.testing.assert_allclose(model.encodings_[0], wanted[there])
    with corollary.config_context(memory_limit=100_000):
        with pytest.raises(MemoryLimitError):
            model.transform(X)


@pytest.mark.parametrize("kind", ["continuous", "binary", "multiclass"])
def test_a_model_survives_its_file_and_no_row_is_in_it(kind, tmp_path):
    frame = TABLE.to_pandas().drop(columns="y")
    y = target(kind, len(frame), 0)
    model = TargetEncoder().fit(frame, y)
    corollary.save(model, tmp_path / "model")
    again = corollary.load(tmp_path / "model")
    np.testing.assert_array_equal(again.transform(frame), model.transform(frame))
    assert again.target_type_ == kind
    if kind == "continuous":
        content = (tmp_path / "model").read_bytes()
        assert y[:2].tobytes() not in content


def test_frames_come_out_with_names():
    frame = pd.DataFrame({"town": ["Rome", "Oslo"] * 6}, index=range(5, 17))
    model = TargetEncoder(cv=2).set_output(transform="pandas")
    out = model.fit_transform(frame, np.arange(12) % 3)
    assert out.columns.tolist() == ["town_0", "town_1", "town_2"]
    assert out.index.tolist() == list(range(5, 17))
