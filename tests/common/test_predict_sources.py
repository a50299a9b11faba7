"""Every method of every learner x source x executor: the same answer as of an array."""

import functools
import warnings

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.pipeline import make_pipeline

from common.learners import LEARNERS, ROWS_AT_ONCE, make_data
from common.sources import SOURCES, local_client
from corollary import PCA, KMeans, LogisticRegression, Ridge, engine
from corollary.core.roles import QUERIES

DATA = make_data(n=2000)
CASES = [*LEARNERS, *ROWS_AT_ONCE]
FILES = ("parquet", "csv", "chunks", "dask")


@pytest.fixture(scope="module")
def client():
    with local_client() as client:
        yield client


@functools.cache
def fitted(number):
    case = CASES[number]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return case.fitted(DATA)


def methods(model):
    return [
        name
        for name in QUERIES
        if name not in ("score", "inverse_transform") and hasattr(model, name)
    ]


def values(answer):
    """Return what a method gave as an array."""
    if isinstance(answer, engine.Source):
        parts = [c.X for part in answer.parts() for c in part.chunks()]
        answer = sp.vstack(parts) if sp.issparse(parts[0]) else np.concatenate(parts)
    if hasattr(answer, "compute"):
        answer = answer.compute()
    return answer.toarray() if sp.issparse(answer) else np.asarray(answer)


def assert_answers(number, kind, folder):
    case, model = CASES[number], fitted(number)
    X, y = case.rows(DATA.X), DATA.y(case.target)
    given = SOURCES[kind](X, y, folder)
    rows = given[0] if isinstance(given, tuple) else given
    for name in methods(model):
        answer, expected = getattr(model, name)(rows), getattr(model, name)(X)
        if np.asarray(expected).dtype.kind in "OUSbi":
            assert np.mean(values(answer) == expected) > 0.999, name  # but for ties
        else:
            expected = values(expected)
            scale = np.abs(expected).max()
            np.testing.assert_allclose(
                values(answer), expected, rtol=1e-7, atol=1e-9 * scale, err_msg=name
            )
    if y is None or not hasattr(model, "score"):
        return
    arguments = given if isinstance(given, tuple) else (given,)
    assert model.score(*arguments) == pytest.approx(model.score(X, y), rel=1e-7)


@pytest.mark.parametrize("kind", FILES)
@pytest.mark.parametrize("number", range(len(CASES)), ids=lambda i: str(CASES[i]))
def test_a_source_is_answered_as_an_array_is(number, kind, tmp_path):
    with engine.use(chunk_rows=333, threads=2):
        assert_answers(number, kind, tmp_path)


@pytest.mark.parametrize("kind", ["parquet", "chunks"])
@pytest.mark.parametrize("name", ["KMeans", "Ridge", "GaussianNB", "PCA", "SVC"])
def test_a_cluster_answers_the_same(name, kind, client, tmp_path):
    number = next(i for i, case in enumerate(CASES) if case.name == name)
    with engine.use(executor=client, chunk_rows=333):
        assert_answers(number, kind, tmp_path)


@pytest.mark.parametrize("kind", FILES)
@pytest.mark.parametrize(
    ("make", "target"),
    [
        (lambda: make_pipeline(PCA(3), LogisticRegression(tol=1e-8)), "two"),
        (lambda: make_pipeline(PCA(4), PCA(2, whiten=True), Ridge()), "number"),
        (lambda: make_pipeline(PCA(3), KMeans(3, init=10 * np.eye(3))), "none"),
    ],
    ids=["classifier", "regressor", "clusterer"],
)
def test_a_pipeline_learns_from_files_as_from_arrays(make, target, kind, tmp_path):
    y = DATA.y(target)
    given = SOURCES[kind](DATA.X, y, tmp_path)
    arguments = given if isinstance(given, tuple) else (given,)
    with engine.use(chunk_rows=333, threads=2):
        here, there = make().fit(DATA.X, y), make().fit(*arguments)
        a, b = values(here.predict(DATA.X)), values(there.predict(arguments[0]))
        if y is not None:
            scores = here.score(DATA.X, y), there.score(*arguments)
            assert scores[0] == pytest.approx(scores[1], rel=1e-6)
    if target == "number":
        np.testing.assert_allclose(a, b, rtol=1e-7, atol=1e-9)
    else:
        assert np.mean(a == b) > 0.999
    if kind != "dask":
        assert ", through PCA" in there[-1].report_.source


def test_a_pipeline_learns_on_a_cluster(client):
    import dask.array as da

    A, b = (
        da.from_array(DATA.X, chunks=(420, -1)),
        da.from_array(DATA.number, chunks=420),
    )
    with engine.use(executor=client):
        there = make_pipeline(PCA(3), Ridge()).fit(A, b)
        through = Ridge().fit(there[0].transform(engine.DaskSource(A, b)))
    here = make_pipeline(PCA(3), Ridge()).fit(DATA.X, DATA.number)
    np.testing.assert_allclose(there[-1].coef_, here[-1].coef_, rtol=1e-8)
    np.testing.assert_allclose(through.coef_, here[-1].coef_, rtol=1e-8)
    guess = there.predict(A)
    assert hasattr(guess, "__dask_graph__")
    np.testing.assert_allclose(guess.compute(), here.predict(DATA.X), rtol=1e-8)
