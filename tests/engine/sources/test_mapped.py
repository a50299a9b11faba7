"""A source seen through a transformer: its rows, names, target and passes."""

import numpy as np
import pytest
import scipy.sparse as sp

from corollary import (
    PCA,
    LinearRegression,
    LogisticRegression,
    PolynomialFeatures,
    engine,
)
from corollary.core.errors import DataError

RNG = np.random.default_rng(1)
X = RNG.normal(size=(60, 4))
Y = np.array(["b", "a"])[(X[:, 0] > 0).astype(int)]


def chunks():
    yield X[:25], Y[:25]
    yield X[25:], Y[25:], np.arange(35.0)


def test_what_it_says_of_itself():
    model = PCA(2).fit(X)
    source = model.transform(engine.ChunkSource(chunks))
    assert (source.n_features, source.dtype, source.sparse) == (2, np.float64, False)
    assert source.names == ["pca0", "pca1"]
    assert source.has_target
    assert source.replayable
    assert source.described == "chunks, through PCA"
    for _ in range(2):
        rows = [chunk for part in source.parts() for chunk in part.chunks()]
        np.testing.assert_allclose(
            np.concatenate([chunk.X for chunk in rows]), model.transform(X)
        )
        np.testing.assert_array_equal(rows[1].w, np.arange(35.0))
        assert rows[1].first_row == 25


def test_float32_stays_float32():
    small = X.astype(np.float32)
    source = PCA(2).fit(small).transform(engine.ChunkSource([small]))
    assert source.dtype == np.float32
    assert next(iter(source.parts())).chunks().__next__().X.dtype == np.float32


def test_labels_are_those_of_the_base():
    source = PCA(2).fit(X).transform(engine.ChunkSource(chunks))
    model = LogisticRegression().fit(source)
    assert model.classes_.tolist() == ["a", "b"]
    assert not hasattr(model, "feature_names_in_")  # as after an array of components


def test_two_transformers_one_after_the_other():
    first = PCA(3).fit(X)
    second = PolynomialFeatures(2).fit(first.transform(X))
    source = second.transform(first.transform(engine.ChunkSource(chunks)))
    rows = np.concatenate([c.X for part in source.parts() for c in part.chunks()])
    np.testing.assert_allclose(rows, second.transform(first.transform(X)))
    assert source.described == "chunks, through PCA, through PolynomialFeatures"


def test_sparse_rows_stay_sparse():
    S = sp.csr_array(np.where(RNG.random(X.shape) < 0.5, 0.0, X))
    model = PolynomialFeatures(2).fit(S)
    source = model.transform(engine.ChunkSource([S[:30], S[30:]]))
    assert source.sparse
    rows = sp.vstack([c.X for part in source.parts() for c in part.chunks()])
    np.testing.assert_allclose(rows.toarray(), model.transform(S).toarray())


def test_chunks_that_come_once_are_read_once():
    model = PCA(2).fit(X)
    source = model.transform(engine.ChunkSource(iter([(X, X[:, 0])])))
    assert not source.replayable
    line = LinearRegression().fit(source)
    expected = LinearRegression().fit(model.transform(X), X[:, 0])
    np.testing.assert_allclose(line.coef_, expected.coef_)


def test_bad_rows_are_named():
    bad = X.copy()
    bad[40, 1] = np.inf
    source = PCA(2).fit(X).transform(engine.ChunkSource([bad]))
    with pytest.raises(DataError, match="infinity in row 40, column 1"):
        LinearRegression().fit(engine.ChunkSource([(bad, X[:, 0])]))
    with pytest.raises(DataError, match="PCA: Input X must be finite"):
        PCA(1).fit(source)
