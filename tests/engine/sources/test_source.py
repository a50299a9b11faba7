"""Rows in memory and rows that come in chunks: cut, carried, checked, read once."""

import pickle
from itertools import pairwise

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from common.learners import LEARNERS, assert_same, make_data
from hypothesis import given, settings
from hypothesis import strategies as st

from corollary import PCA, GaussianNB, KMeans, LinearRegression, MultinomialNB, engine
from corollary.core.errors import DataError
from corollary.engine import ArraySource, ChunkSource, Data
from corollary.engine.sources.source import CHUNK_BYTES

DATA = make_data(n=200, d=4)


def read(source):
    return [chunk for part in source.parts() for chunk in part.chunks()]


def told(function):
    with pytest.raises(DataError) as caught:
        function()
    return str(caught.value)


# -- arrays ----------------------------------------------------------------------------
@given(n=st.integers(1, 200), rows=st.integers(1, 250))
@settings(deadline=None)
def test_chunks_cover_the_rows_once_in_order(n, rows):
    X, y, w = np.arange(2.0 * n).reshape(n, 2), np.arange(n), np.ones(n)
    with engine.use(chunk_rows=rows):
        chunks = read(ArraySource(X, y, w))
    assert [chunk.n for chunk in chunks[:-1]] == [rows] * (len(chunks) - 1)
    assert [chunk.first_row for chunk in chunks] == list(range(0, n, rows))
    np.testing.assert_array_equal(np.vstack([chunk.X for chunk in chunks]), X)
    np.testing.assert_array_equal(np.concatenate([chunk.y for chunk in chunks]), y)
    np.testing.assert_array_equal(np.concatenate([chunk.w for chunk in chunks]), w)


@pytest.mark.parametrize(
    ("d", "dtype"), [(3, np.float64), (100, np.float32), (4000, float)]
)
def test_a_chunk_is_about_four_megabytes(d, dtype):
    X = np.broadcast_to(np.zeros(d, dtype), (10**6, d))
    first, *_, last = ArraySource(X).parts()
    size = (first.b - first.a) * d * np.dtype(dtype).itemsize
    assert (
        CHUNK_BYTES / 2 < size <= max(CHUNK_BYTES, 256 * d * np.dtype(dtype).itemsize)
    )
    assert last.b == 10**6


def test_sparse_chunks_are_measured_by_their_entries():
    columns, ends = np.arange(200_000) % 5000, np.arange(0, 200_001, 10)
    X = sp.csr_array((np.ones(200_000), columns, ends), shape=(20_000, 5000))
    assert len(ArraySource(X).parts()) == 1  # 10 entries a row, though 5000 wide


def test_dense_chunks_are_views():
    X = np.zeros((100, 3))
    with engine.use(chunk_rows=10):
        assert all(np.shares_memory(chunk.X, X) for chunk in read(ArraySource(X)))


@pytest.mark.parametrize("make", [np.asarray, sp.csr_array], ids=["dense", "csr"])
def test_only_its_rows_travel_with_a_part(make):
    X = np.random.default_rng(0).normal(size=(10_000, 8))
    y, w = np.arange(10_000.0), np.ones(10_000)
    with engine.use(chunk_rows=100):
        part = ArraySource(make(X), y, w).parts()[37]
    letter = pickle.dumps(part)
    assert len(letter) < 3 * 100 * 10 * 8  # not 10,000 rows
    (chunk,) = pickle.loads(letter).chunks()
    rows = slice(3700, 3800)
    got = chunk.X.toarray() if sp.issparse(chunk.X) else chunk.X
    np.testing.assert_array_equal(got, X[rows])
    np.testing.assert_array_equal(chunk.y, y[rows])
    assert chunk.first_row == 3700


def test_a_part_can_be_read_again_with_a_memory_of_its_own():
    with engine.use(chunk_rows=10):
        part = pickle.loads(pickle.dumps(ArraySource(np.zeros((30, 1))).parts()[1]))
    (first,), (second,) = part.chunks(), part.chunks()
    first.memory["x"] = 1
    assert second.memory == {}


def test_labels_of_an_array_are_encoded_in_a_new_source():
    y = np.array(["b", "a", "b"])
    source = ArraySource(np.zeros((3, 1)), y)
    classes = source.labels("Who")
    encoded = source.encoded(classes)
    assert classes.tolist() == ["a", "b"]
    assert encoded.y.tolist() == [1, 0, 1]
    assert source.y.tolist() == ["b", "a", "b"]
    assert told(lambda: source.encoded(np.array(["a"]))) == (
        "ArraySource: labels must be among the classes ['a']; got 'b' in y."
    )


def test_sparse_chunks_are_views_of_their_rows():
    X = sp.random_array((50, 7), density=0.3, rng=0, format="csr")
    with engine.use(chunk_rows=20):
        chunks = read(ArraySource(X))
    assert [chunk.X.shape for chunk in chunks] == [(20, 7), (20, 7), (10, 7)]
    assert all(np.shares_memory(chunk.X.data, X.data) for chunk in chunks)
    assert all(chunk.X.has_sorted_indices for chunk in chunks)
    together = sp.vstack([chunk.X for chunk in chunks])
    np.testing.assert_array_equal(together.toarray(), X.toarray())


def test_a_chunk_outweighs_its_statistics():
    class Wide(MultinomialNB):
        def sums_bytes(self, n_features):
            return 20 * 2**20

    X = np.ones((2_000_000, 8))  # 128 MB
    y = np.arange(len(X)) % 2
    source = ArraySource(X, y)
    model = Wide().fit(X, y)
    assert Data(Wide(), source).source.chunk_bytes == 80 * 2**20
    assert len(source.parts()) == 2
    assert (
        Data(MultinomialNB().fit(X[:9], y[:9]), source).source.chunk_bytes
        == CHUNK_BYTES
    )
    np.testing.assert_array_equal(model.feature_count_, np.full((2, 8), 10**6))


@pytest.mark.parametrize("case", LEARNERS, ids=str)
def test_a_source_of_arrays_is_fitted_like_the_arrays(case):
    source = ArraySource(case.rows(DATA.X), DATA.y(case.target))
    assert_same(case, case.make().fit(source), case.fitted(DATA))


# -- chunks ----------------------------------------------------------------------------
def pieces(case, cuts, dress=np.asarray):
    X, y = case.rows(DATA.X), DATA.y(case.target)
    for a, b in pairwise(cuts):
        yield dress(X[a:b]) if y is None else (dress(X[a:b]), y[a:b])


@pytest.mark.parametrize("case", LEARNERS, ids=str)
def test_chunks_of_any_size_give_the_answer_of_the_whole(case):
    cuts = [0, 0, 1, 1, 50, 120, 120, 200, 200]  # empty ones and one row among them
    for chunks in (list(pieces(case, cuts)), lambda: pieces(case, cuts)):
        model = case.make().fit(ChunkSource(chunks))
        assert_same(case, model, case.fitted(DATA), rtol=1e-9)
        assert model.report_.rows == 200


@pytest.mark.parametrize("case", LEARNERS, ids=str)
def test_the_first_chunk_decides_the_precision(case):
    more = {"tol": 1e-4} if case.name == "LogisticRegression" else {}
    single = next(pieces(case, [0, 100], lambda X: X.astype(np.float32)))
    mixed = [single, *pieces(case, [100, 200])]
    all_single = [single, *pieces(case, [100, 200], lambda X: X.astype(np.float32))]
    a = case.make(**more).fit(ChunkSource(mixed))
    b = case.make(**more).fit(ChunkSource(all_single))
    assert_same(case, a, b, rtol=1e-300)


def test_a_function_is_called_anew_for_every_pass():
    calls = []

    def again():
        calls.append(1)
        return iter([DATA.X[:90], DATA.X[90:]])

    model = KMeans(3, random_state=0).fit(again)
    assert len(calls) == 1 + 1 + model.n_iter_ + 1  # a look, a survey, passes, the end
    assert model.report_.source == "chunks"


def test_an_iterator_is_read_once_and_in_step():
    handed = []

    def generator():
        for a in range(0, 200, 20):
            handed.append(a)
            yield DATA.X[a : a + 20]

    source = ChunkSource(generator())
    assert handed == [0]  # only the first was looked at
    parts = source.parts()
    next(parts)
    next(parts)
    assert handed == [0, 20]
    assert sum(chunk.n for part in parts for chunk in part.chunks()) == 160
    assert list(source.parts()) == []
    assert told(lambda: PCA().fit(source)) == (
        "PCA: a source must give at least one row; got none."
    )


def test_errors_of_the_users_generator_arrive_as_they_are():
    def broken():
        yield DATA.X[:50]
        raise ConnectionError("the line is dead")

    for executor in ("serial", "threads"):
        with (
            engine.use(executor=executor, threads=2),
            pytest.raises(ConnectionError, match="the line is dead"),
        ):
            PCA().fit(broken())


def test_frames_lists_and_integers_are_numeric_chunks():
    table = [[1, 2], [3, 4], [5, 9]]
    for chunk in (pd.DataFrame(table), table, np.array(table, dtype=np.int8)):
        model = PCA().fit(ChunkSource([chunk]))
        np.testing.assert_allclose(model.mean_, [3, 5])
        assert model.mean_.dtype == np.float64


X, Y, W = DATA.X[:10], DATA.number[:10], np.ones(10)

BAD = {
    "width": (
        [X, X[:, :3]],
        "chunk 1 must have 4 columns like the first chunk; got 3 columns.",
    ),
    "sparse after dense": (
        [X, sp.csr_array(X)],
        "chunk 1 must have dense rows like the first chunk; got sparse rows.",
    ),
    "no y": (
        [(X, Y), X],
        "chunk 1 must have a vector y like the first chunk; got no y.",
    ),
    "wide y": (
        [(X, Y), (X, np.column_stack([Y, Y]))],
        "chunk 1 must have a vector y like the first chunk; got y of 2 columns.",
    ),
    "short y": (
        [(X, Y), (X, Y[:9])],
        "y of chunk 1 must have 10 rows like its X; got 9.",
    ),
    "short weights": (
        [(X, Y, W), (X, Y, W[:3])],
        "sample_weight of chunk 1 must have 10 rows like its X; got 3.",
    ),
    "vector": ([X, X[0]], "chunk 1 must be a numeric matrix; got shape (4,), float64."),
    "text": (
        [X, np.full((2, 4), "a")],
        "chunk 1 must be a numeric matrix; got shape (2, 4), <U1.",
    ),
    "complex": (
        [X + 1j],
        "chunk 0 must be a numeric matrix; got shape (10, 4), complex128.",
    ),
    "ragged": (
        [[X, Y]],
        "chunk 0 must be a numeric matrix; got rows of different lengths.",
    ),
    "too much": (
        [(X, Y, W, 3)],
        "chunk 0 must be X, (X, y) or (X, y, sample_weight); got 4 things.",
    ),
    "nothing": ([], "an iterator of chunks must give at least one chunk; got none."),
}


@pytest.mark.parametrize("kind", BAD)
@pytest.mark.parametrize("once", [False, True])
def test_a_wrong_chunk_gets_one_sentence(kind, once):
    chunks, message = BAD[kind]

    def fit():
        source = ChunkSource(iter(chunks) if once else chunks)
        return (LinearRegression() if source.has_target else PCA()).fit(source)

    assert told(fit) == f"ChunkSource: {message}"


def test_things_that_are_no_chunks():
    assert told(lambda: ChunkSource(5)) == (
        "ChunkSource: chunks must be a function, a list or an iterator; got 5."
    )


def test_targets_come_inside_the_source():
    assert told(lambda: LinearRegression().fit(ChunkSource([X]), Y)) == (
        "LinearRegression: y and sample_weight must come inside the source, next to X; "
        "got them as separate arguments."
    )
    assert told(lambda: LinearRegression().fit(ChunkSource([X]))) == (
        "LinearRegression: requires y to be passed, but the target y is None; got X "
        "alone. Use fit(X, y)."
    )
    text = ChunkSource([(X, Y.astype(str))])
    assert told(lambda: LinearRegression().fit(text)) == (
        "LinearRegression: y must hold numbers; got <U32 from row 0 on. "
        "Encode text as numbers first."
    )


def test_weights_of_chunks_are_weights():
    w = np.random.default_rng(0).integers(0, 3, 200).astype(float)
    chunks = [
        (DATA.X[a : a + 50], DATA.number[a : a + 50], w[a : a + 50])
        for a in range(0, 200, 50)
    ]
    model = LinearRegression().fit(ChunkSource(chunks))
    same = LinearRegression().fit(DATA.X, DATA.number, sample_weight=w)
    np.testing.assert_allclose(model.coef_, same.coef_, rtol=1e-10)
    silent = ChunkSource([(X, Y, np.zeros(10)), (X, Y, np.zeros(10))])
    assert told(lambda: LinearRegression().fit(silent)) == (
        "LinearRegression: at least one sample_weight must be above 0; got zero for "
        "every row."
    )


def test_many_targets_come_as_a_matrix():
    targets = np.column_stack([DATA.number, -DATA.number])
    source = ChunkSource([(DATA.X[:99], targets[:99]), (DATA.X[99:], targets[99:])])
    assert source.many_targets
    model = LinearRegression().fit(source)
    np.testing.assert_allclose(model.coef_[0], -model.coef_[1], rtol=1e-8)


# -- labels ----------------------------------------------------------------------------
LABELS = np.array(["low", "mid", "high"])[DATA.label]


def labelled(**more):
    return ChunkSource([(DATA.X[:70], LABELS[:70]), (DATA.X[70:], LABELS[70:])], **more)


def test_classes_are_looked_for_where_they_are_not_given():
    model = GaussianNB().fit(labelled())
    assert model.classes_.tolist() == ["high", "low", "mid"]
    same = GaussianNB().fit(DATA.X, LABELS)
    np.testing.assert_allclose(model.theta_, same.theta_, rtol=1e-10)


def test_given_classes_are_sorted_and_may_be_more_than_there_are():
    model = GaussianNB().fit(labelled(classes=["mid", "low", "none", "high", "low"]))
    assert model.classes_.tolist() == ["high", "low", "mid", "none"]
    assert model.class_count_[3] == 0


def test_an_unknown_label_is_told_with_its_chunk():
    assert told(lambda: GaussianNB().fit(labelled(classes=["high", "low"]))) == (
        "ChunkSource: labels must be among the classes ['high', 'low']; got 'mid' in "
        "chunk 0."
    )
    numbers = ChunkSource([(X, np.zeros(10)), (X, np.full(10, 7.0))], classes=[0, 1])
    assert told(lambda: GaussianNB().fit(numbers)) == (
        "ChunkSource: labels must be among the classes [0, 1]; got 7.0 in chunk 1."
    )


def test_labels_that_are_measurements_or_matrices():
    assert told(lambda: GaussianNB().fit(ChunkSource([(X, Y)]))) == (
        "GaussianNB: y must hold class labels; got Unknown label type: continuous "
        "numbers. Use a regressor for them."
    )
    wide = ChunkSource([(X, np.zeros((10, 2), int))])
    assert told(lambda: GaussianNB().fit(wide)) == (
        "ChunkSource: y must be one column; got shape (10, 2) in chunk 0."
    )


def test_a_source_is_not_changed_by_the_learner_that_reads_it():
    source = labelled()
    GaussianNB().fit(source)
    assert source.classes is None
    assert read(source)[0].y[:3].tolist() == LABELS[:3].tolist()
    chunks = [(X, np.array([0, 1] * 5))]
    source = ChunkSource(chunks)
    GaussianNB().fit(source)
    chunks.append((X, np.full(10, 2)))
    assert GaussianNB().fit(source).classes_.tolist() == [0, 1, 2]


def test_sparse_chunks_only_where_sparse_rows_will_do():
    sparse = ChunkSource([(sp.csr_array(X), np.array([0, 1] * 5))])
    assert told(lambda: GaussianNB().fit(sparse)) == (
        "GaussianNB: X must be dense; got a source of sparse rows."
    )
    model = LinearRegression().fit(ChunkSource([(sp.csr_array(DATA.X), DATA.number)]))
    same = LinearRegression().fit(DATA.X, DATA.number)
    np.testing.assert_allclose(model.coef_, same.coef_, rtol=1e-9)
