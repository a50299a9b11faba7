"""Learners of all rows at once: any source gives them the same rows."""

import itertools

import numpy as np
import pytest
import scipy.sparse as sp

from corollary import SVC
from corollary.core.errors import DataError
from corollary.engine.data import Data
from corollary.engine.gather import gather
from corollary.engine.sources.chunks import ChunkSource
from corollary.engine.sources.opening import open_source


def parts(X, y, w, cuts):
    edges = [0, *cuts, len(X)]
    return [
        (X[a:b], y[a:b], None if w is None else w[a:b])
        for a, b in itertools.pairwise(edges)
    ]


@pytest.mark.parametrize("weighted", [False, True])
def test_chunks_are_gathered_in_order(weighted):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(60, 3)), rng.integers(2, size=60)
    w = rng.integers(0, 3, size=60).astype(float) if weighted else None
    chunks = parts(X, y, w, [7, 30])
    model = SVC(tol=1e-8).fit(lambda: iter(chunks))
    plain = SVC(tol=1e-8).fit(X, y, w)
    query = rng.normal(size=(20, 3))
    np.testing.assert_allclose(
        model.decision_function(query), plain.decision_function(query), atol=1e-9
    )
    assert model.report_.rows == 60


def test_rows_of_weight_0_are_left_out_and_missing_weights_are_1():
    X, y = np.arange(8.0).reshape(4, 2), np.array([0, 1, 0, 1])
    source = ChunkSource(lambda: iter([(X[:2], y[:2]), (X[2:], y[2:], [0.0, 3.0])]))
    model = SVC()
    data = Data(model, open_source(model, source))
    rows = gather(data)
    np.testing.assert_array_equal(rows.X, X[[0, 1, 3]])
    np.testing.assert_array_equal(rows.w, [1, 1, 3])


def test_bad_rows_are_named_as_everywhere():
    X = np.array([[0.0, 1], [np.nan, 2]])
    with pytest.raises(DataError, match="NaN"):
        SVC().fit(lambda: iter([(X, np.array([0, 1]))]))


def test_sparse_chunks_stay_sparse():
    rng = np.random.default_rng(1)
    X, y = (
        sp.random_array((50, 6), density=0.4, rng=rng, format="csr"),
        np.arange(50) % 2,
    )
    chunks = [(X[:20], y[:20]), (X[20:], y[20:])]
    model = SVC().fit(lambda: iter(chunks))
    assert sp.issparse(model.support_vectors_)
    np.testing.assert_allclose(
        model.decision_function(X), SVC().fit(X, y).decision_function(X), atol=1e-9
    )
