"""Every learner x source x executor: the same answer."""

import numpy as np
import pytest
import scipy.sparse as sp

import corollary
from common.learners import LEARNERS, ROWS_AT_ONCE, assert_same, make_data
from common.sources import SOURCES, local_client
from corollary import engine

DATA = make_data()


@pytest.fixture(scope="module")
def client():
    with local_client() as client:
        yield client


@pytest.fixture(scope="module")
def reference():
    with engine.use(executor="serial", chunk_rows=10**6):
        return {str(case): case.fitted(DATA) for case in [*LEARNERS, *ROWS_AT_ONCE]}


@pytest.mark.course("S4-29")
@pytest.mark.parametrize("executor", ["serial", "threads", "dask"])
@pytest.mark.parametrize("kind", SOURCES)
@pytest.mark.parametrize("case", [*LEARNERS, *ROWS_AT_ONCE], ids=str)
def test_same_answer(case, kind, executor, reference, request, tmp_path):
    y = DATA.y(case.target)
    source = SOURCES[kind](case.rows(DATA.X), y, tmp_path)
    arguments = source if isinstance(source, tuple) else (source,)
    chosen = request.getfixturevalue("client") if executor == "dask" else executor
    with engine.use(executor=chosen, chunk_rows=333, threads=2):
        model = case.make().fit(*arguments)
    assert_same(case, model, reference[str(case)])
    assert model.report_.rows == 2000


@pytest.mark.filterwarnings("ignore:HardMarginSVC. no hyperplane")  # rows of zeros
@pytest.mark.parametrize("executor", ["serial", "threads"])
@pytest.mark.parametrize(
    "case", [c for c in LEARNERS if c.make().takes_sparse], ids=str
)
def test_sparse_rows_give_the_dense_answer(case, executor):
    rows, y = case.rows(DATA.X), DATA.y(case.target)
    X = np.where(np.random.default_rng(1).random(rows.shape) < 0.6, 0.0, rows)
    with engine.use(executor=executor, chunk_rows=333, threads=2):
        dense = case.make().fit(X, y)
        sparse = case.make().fit(sp.csr_matrix(X), y)
    assert_same(case, sparse, dense, rtol=1e-9)


@pytest.mark.course("S4-29")
@pytest.mark.parametrize("rows", [50, 199, 777, 10**6])
@pytest.mark.parametrize("case", LEARNERS, ids=str)
def test_answer_does_not_depend_on_the_chunking(case, rows, reference):
    with engine.use(chunk_rows=rows):
        assert_same(case, case.fitted(DATA), reference[str(case)])


@pytest.mark.course("S4-29")
@pytest.mark.parametrize("case", LEARNERS, ids=str)
def test_serial_and_threads_are_equal_to_the_bit(case):
    models = []
    for executor, threads in (("serial", 1), ("threads", 2), ("threads", 4)):
        with engine.use(executor=executor, threads=threads, chunk_rows=150):
            models.append(case.fitted(DATA))
    for model in models[1:]:
        assert_same(case, model, models[0], rtol=1e-300)


@pytest.mark.parametrize("case", LEARNERS, ids=str)
def test_dropped_memory_changes_no_bit(case, monkeypatch):
    with engine.use(executor="serial", chunk_rows=150):
        kept = case.fitted(DATA)
        monkeypatch.setattr(
            "corollary.engine.executors.executor.chunks",
            lambda part, number, memories: part.chunks(),
        )
        dropped = case.fitted(DATA)
    assert_same(case, kept, dropped, rtol=1e-300)


STREAMING = [c for c in LEARNERS if hasattr(c.make(), "partial_fit")]


@pytest.mark.parametrize("case", [c for c in STREAMING if c.name != "KMeans"], ids=str)
def test_stream_ends_where_the_batch_does(case, reference):
    model, X, y = case.make(), case.rows(DATA.X), DATA.y(case.target)
    for a in range(0, 2000, 500):
        rows = slice(a, a + 500)
        if isinstance(model, engine.StreamingClassifier):
            model.partial_fit(X[rows], y[rows], classes=np.unique(y))
        else:
            model.partial_fit(X[rows], None if y is None else y[rows])
    assert_same(case, model, reference[str(case)])
    assert model.report_.rows == 2000
    assert model.report_.stop is corollary.StopReason.STREAMING


@pytest.mark.parametrize("case", STREAMING, ids=str)
def test_partial_fit_goes_on_after_fit(case):
    X, y = case.rows(DATA.X), DATA.y(case.target)
    first, second = slice(0, 1200), slice(1200, 2000)
    part = case.make().fit(X[first], None if y is None else y[first])
    part.partial_fit(X[second], None if y is None else y[second])
    if case.name != "KMeans":
        assert_same(case, part, case.fitted(DATA))
    else:
        assert part._running.statistics.n.sum() == 2000
