"""One-hot encoding: scikit-learn's numbers, on every source, with weights."""

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from common import typed
from hypothesis import given, settings
from hypothesis import strategies as st
from preparation.columns import assert_categories, dense, frames, theirs

import corollary
from corollary import LinearRegression, OneHotEncoder, engine
from corollary.core.errors import DataError, MemoryLimitError, ParameterError

TABLE = typed.mixed()
OPTIONS = st.fixed_dictionaries(
    {
        "drop": st.sampled_from([None, "first", "if_binary"]),
        "sparse_output": st.booleans(),
        "dtype": st.sampled_from([np.float64, np.float32, np.int8]),
        "min_frequency": st.sampled_from([None, 2, 3, 0.2, 0.5]),
        "max_categories": st.sampled_from([None, 1, 2, 3]),
    }
)


@given(frame=frames(), options=OPTIONS)
@settings(max_examples=150, deadline=None)
def test_agrees_with_scikit_learn_on_mixed_columns(frame, options):
    model = OneHotEncoder(**options).fit(frame)
    other = theirs(model).fit(frame)
    assert_categories(model.categories_, other.categories_)
    ours, others = model.transform(frame), other.transform(frame)
    np.testing.assert_array_equal(dense(ours), dense(others))
    assert dense(ours).dtype == dense(others).dtype
    np.testing.assert_array_equal(
        model.get_feature_names_out(), other.get_feature_names_out()
    )
    if other.drop_idx_ is None:
        assert model.drop_idx_ is None
    else:
        assert model.drop_idx_.tolist() == other.drop_idx_.tolist()
    if options["min_frequency"] is not None or options["max_categories"] is not None:
        assert_categories(model.infrequent_categories_, other.infrequent_categories_)
    else:
        assert not hasattr(model, "infrequent_categories_")


@given(
    frame=frames(),
    rows=st.lists(st.integers(0, 24)),
    handle=st.sampled_from(["ignore", "infrequent_if_exist"]),
    most=st.sampled_from([None, 2]),
)
@settings(max_examples=100, deadline=None)
def test_values_that_fit_did_not_have(frame, rows, handle, most):
    some = frame.iloc[[i for i in rows if i < len(frame)] or [0]]
    model = OneHotEncoder(handle_unknown=handle, max_categories=most).fit(some)
    other = theirs(model).fit(some)
    np.testing.assert_array_equal(
        dense(model.transform(frame)), dense(other.transform(frame))
    )


@given(frame=frames(), rows=st.integers(1, 25), options=OPTIONS)
@settings(max_examples=80, deadline=None)
def test_chunks_of_any_size_give_the_same_model(frame, rows, options):
    whole = OneHotEncoder(**options).fit(frame)
    with corollary.config_context(chunk_rows=rows):
        parts = OneHotEncoder(**options).fit(frame)
    assert_categories(parts.categories_, whole.categories_)
    np.testing.assert_array_equal(
        dense(parts.transform(frame)), dense(whole.transform(frame))
    )


@given(
    frame=frames(most=12),
    weights=st.lists(st.integers(0, 3), min_size=12, max_size=12),
    options=OPTIONS,
)
@settings(max_examples=80, deadline=None)
def test_a_weight_counts_a_row_so_many_times(frame, weights, options):
    w = np.array(weights[: len(frame)])
    if not w.any():
        w[0] = 1
    weighted = OneHotEncoder(**options).fit(frame, sample_weight=w)
    repeated = OneHotEncoder(**options).fit(frame.iloc[np.repeat(np.arange(len(w)), w)])
    assert_categories(weighted.categories_, repeated.categories_)
    there = frame[w > 0]
    np.testing.assert_array_equal(
        dense(weighted.transform(there)), dense(repeated.transform(there))
    )


@pytest.mark.parametrize("kind", [*typed.SOURCES, *typed.FRAMES])
def test_every_source_gives_the_same_columns(kind, tmp_path):
    table = TABLE
    expected = OneHotEncoder(min_frequency=5).fit(typed.features(table))
    if kind in typed.FRAMES:
        source = typed.FRAMES[kind](typed.features(table))
        model = OneHotEncoder(min_frequency=5).fit(source)
        rows = model.transform(source)
    else:
        source = typed.SOURCES[kind](table, tmp_path)
        model = OneHotEncoder(min_frequency=5).fit(source)
        through = model.transform(source)
        found = [c.X for part in through.parts() for c in part.chunks()]
        rows = sp.vstack(found)
    for mine, other in zip(model.categories_, expected.categories_, strict=True):
        mine = mine.astype("M8[us]") if mine.dtype.kind == "M" else mine
        assert [*map(typed.key, mine.tolist())] == [*map(typed.key, other.tolist())]
    np.testing.assert_array_equal(
        rows.toarray(), expected.transform(typed.features(table)).toarray()
    )


def test_least_squares_on_indicators_gives_the_means_of_the_groups():
    rng = np.random.default_rng(0)
    X = np.array(["u", "v", "w"], dtype=object)[rng.integers(3, size=300)][:, None]
    y = rng.normal(size=300) + (X[:, 0] == "v")
    encoder = OneHotEncoder(drop="first", sparse_output=False)
    model = LinearRegression().fit(encoder.fit_transform(X), y)
    means = [y[X[:, 0] == v].mean() for v in "uvw"]
    np.testing.assert_allclose(model.intercept_, means[0])
    np.testing.assert_allclose(model.coef_, np.array(means[1:]) - means[0])


@given(frame=frames(), drop=st.sampled_from([None, "first", "if_binary"]))
@settings(max_examples=60, deadline=None)
def test_the_inverse_returns_what_was_there(frame, drop):
    model = OneHotEncoder(drop=drop).fit(frame)
    back = model.inverse_transform(model.transform(frame))
    again = OneHotEncoder(drop=drop, categories=model.categories_)
    shown = frame.astype(object)
    for j, name in enumerate(frame.columns):
        mine = pd.Series(back[:, j], dtype=object)
        known = mine.isna() & shown[name].reset_index(drop=True).isna()
        assert (known | (mine == shown[name].reset_index(drop=True))).all()
    np.testing.assert_array_equal(
        again.fit(frame).transform(frame).toarray(), model.transform(frame).toarray()
    )


def test_one_kind_of_missing_value_stands_for_another():
    model = OneHotEncoder(sparse_output=False)
    model.fit(np.array([["a"], [None]], dtype=object))
    nan = model.transform(np.array([[np.nan], ["a"]], dtype=object))
    assert nan.tolist() == [[0.0, 1.0], [1.0, 0.0]]
    both = np.array([["a"], [None], [np.nan]], dtype=object)
    assert OneHotEncoder(sparse_output=False).fit_transform(both).tolist() == [
        [1.0, 0.0, 0.0],
        [0.0, 1.0, 0.0],
        [0.0, 0.0, 1.0],
    ]


def test_a_model_of_polars_takes_pandas(tmp_path):
    table = typed.features(TABLE)
    model = OneHotEncoder().fit(typed.FRAMES["polars"](table))
    expected = model.transform(typed.FRAMES["polars"](table)).toarray()
    np.testing.assert_array_equal(
        model.transform(table.to_pandas()).toarray(), expected
    )


@pytest.mark.parametrize("missing", [None, np.nan])
def test_a_column_of_nothing_but_missing_values(missing):
    X = np.array([[missing, "a"], [missing, "b"]], dtype=object)
    model = OneHotEncoder(sparse_output=False, handle_unknown="ignore").fit(X)
    assert model.transform(X)[:, 0].tolist() == [1.0, 1.0]
    assert model.transform([["x", "a"]]).tolist() == [[0.0, 1.0, 0.0]]


def test_dates_are_categories():
    days = pd.to_datetime(["2026-01-02", "2026-01-01", None, "2026-01-02"])
    frame = pd.DataFrame({"day": days})
    model = OneHotEncoder(sparse_output=False, handle_unknown="ignore").fit(frame)
    assert model.categories_[0].dtype.kind == "M"
    assert model.transform(frame).argmax(axis=1).tolist() == [1, 0, 2, 1]
    finer = pd.DataFrame({"day": days.astype("datetime64[ns]")})
    np.testing.assert_array_equal(model.transform(finer), model.transform(frame))
    assert not model.transform(pd.DataFrame({"day": days + pd.Timedelta("1h")}))[
        0
    ].any()


def test_ten_thousand_categories():
    rng = np.random.default_rng(0)
    names = np.array([f"town {i}" for i in range(10_000)], dtype=object)
    at = np.append(rng.integers(10_000, size=40_000), np.arange(10_000))
    X = names[at][:, None]
    pieces = [X[a : a + 7001] for a in range(0, len(X), 7001)]
    model = OneHotEncoder().fit(engine.ChunkSource(pieces))
    assert_categories(model.categories_, [np.sort(names)])
    found = model.transform(X)
    assert found.shape == (50_000, 10_000)
    np.testing.assert_array_equal(model.categories_[0][found.indices], X[:, 0])


def test_a_column_of_too_many_values_is_refused_with_a_remedy():
    X = np.array([f"row {i:07d}" for i in range(200_000)], dtype=object)[:, None]
    pieces = [X[a : a + 10_000] for a in range(0, len(X), 10_000)]
    with corollary.config_context(memory_limit=10_000_000):
        with pytest.raises(MemoryLimitError, match=r"column 0 .* HashingEncoder"):
            OneHotEncoder().fit(engine.ChunkSource(pieces))


def test_a_dense_answer_that_does_not_fit_is_refused():
    X = np.arange(5000)[:, None]
    model = OneHotEncoder(sparse_output=False).fit(X)
    with corollary.config_context(memory_limit=50_000_000):
        with pytest.raises(MemoryLimitError, match="sparse_output=True"):
            model.transform(X)


def test_unknown_categories_are_named():
    model = OneHotEncoder().fit(pd.DataFrame({"town": ["Rome", "Oslo"]}))
    text = r"column 'town' .* \['Bonn'\] in column 0 during transform"
    with pytest.raises(DataError, match=text):
        model.transform(pd.DataFrame({"town": ["Rome", "Bonn"]}))
    given = OneHotEncoder(categories=[["Rome"]])
    with pytest.raises(DataError, match=r"\['Oslo'\] in column 0 during fit"):
        given.fit(pd.DataFrame({"town": ["Rome", "Oslo"]}))


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"categories": [["a"], ["b"]]}, "one array for each column"),
        ({"categories": [["a", "a"]]}, "duplicate"),
        ({"categories": [[]]}, "different values"),
        ({"categories": [[np.nan, "a"]]}, "Nan should be the last"),
        ({"categories": [[b"a"]]}, "bytes"),
        ({"drop": ["c"]}, "not found"),
        ({"drop": ["a", "b"]}, "length"),
        ({"drop": ["a"], "max_categories": 2}, "infrequent"),
        ({"min_frequency": 1.5}, "min_frequency must be"),
        ({"dtype": "text"}, "dtype must be a type of numbers"),
    ],
)
def test_parameters_that_make_no_sense(options, text):
    X = np.array([["a"], ["b"], ["b"], ["c2"], ["c2"]], dtype=object)
    with pytest.raises(ParameterError, match=text):
        OneHotEncoder(**options).fit(X)


def test_values_that_cannot_be_compared():
    X = np.empty((2, 1), dtype=object)
    X[0, 0], X[1, 0] = [1], [2]
    with pytest.raises(DataError, match="uniformly strings or numbers"):
        OneHotEncoder().fit(X)
    with pytest.raises(DataError, match="can be compared"):
        OneHotEncoder().fit([["a"]]).transform(X)
    with pytest.raises(TypeError, match=r"\['int', 'str'\]"):
        OneHotEncoder().fit(np.array([[1], ["a"]], dtype=object))


def test_a_name_that_is_no_text_is_refused():
    model = OneHotEncoder(feature_name_combiner=lambda feature, category: 3)
    with pytest.raises(TypeError, match="Python string"):
        model.fit([["a"]]).get_feature_names_out()


def test_frames_come_out_with_names():
    frame = pd.DataFrame({"town": ["Rome", "Oslo"], "n": [1, 2]}, index=[5, 6])
    model = OneHotEncoder(sparse_output=False).set_output(transform="pandas")
    out = model.fit_transform(frame)
    assert out.columns.tolist() == ["town_Oslo", "town_Rome", "n_1", "n_2"]
    assert out.index.tolist() == [5, 6]


@pytest.mark.parametrize("kind", ["str", "float", "int", "bool", "date", "mixed"])
def test_a_model_of_every_type_survives_its_file(kind, tmp_path):
    columns = {
        "str": pd.Series(["b", "a", None, "a"], dtype=object),
        "float": pd.Series([1.5, np.nan, 2.0, 1.5]),
        "int": pd.Series([3, 1, 3, 1]),
        "bool": pd.Series([True, False, True, True]),
        "date": pd.Series(pd.to_datetime(["2026-01-02", None, "2026-01-01"] * 2)[:4]),
    }
    frame = pd.DataFrame(columns if kind == "mixed" else {kind: columns[kind]})
    model = OneHotEncoder(drop="first", min_frequency=2, sparse_output=False).fit(frame)
    corollary.save(model, tmp_path / "model")
    again = corollary.load(tmp_path / "model")
    assert_categories(again.categories_, model.categories_)
    np.testing.assert_array_equal(again.transform(frame), model.transform(frame))
    np.testing.assert_array_equal(
        again.get_feature_names_out(), model.get_feature_names_out()
    )


def test_a_file_holds_categories_and_no_rows(tmp_path):
    texts = np.array([["left", "right"], ["up", "down"]], dtype=object)
    corollary.save(OneHotEncoder().fit(texts), tmp_path / "model")
    content = (tmp_path / "model").read_bytes()
    assert b"left" in content
    assert b"up" in content
    tree = content[: content.rindex(b"}") + 1].decode("latin-1")
    assert tree.index("up") < tree.index("down")  # by column, not by row
    assert tree.index("left") < tree.index("down")
