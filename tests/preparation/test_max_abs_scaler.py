"""Scaling by the largest size."""

import numpy as np
import pytest
import scipy.sparse as sp

from corollary import MaxAbsScaler, engine

RNG = np.random.default_rng(3)


@pytest.mark.course("S4-5")
def test_the_training_rows_reach_1_exactly_and_zeros_stay():
    X = RNG.normal(size=(200, 4)) * [1e-5, 1.0, 3.0, 1e7]
    X[RNG.random(X.shape) < 0.3] = 0.0
    Z = MaxAbsScaler().fit_transform(X)
    assert (np.abs(Z).max(axis=0) == 1.0).all()
    np.testing.assert_array_equal(Z == 0, X == 0)


def test_columns_of_zeros_stay():
    X = sp.csr_array(np.array([[0.0, -2.0], [0.0, 1.0]]))
    model = MaxAbsScaler().fit(X)
    assert model.max_abs_.tolist() == [0.0, 2.0]
    assert model.scale_.tolist() == [1.0, 2.0]
    assert model.transform(X).nnz == 2


def test_sparse_chunks_add_up():
    X = sp.random_array((300, 6), density=0.2, rng=RNG, format="csr") * -3.0
    chunks = engine.ChunkSource(lambda: (X[a : a + 37] for a in range(0, 300, 37)))
    model = MaxAbsScaler().fit(chunks)
    np.testing.assert_array_equal(model.max_abs_, np.abs(X.toarray()).max(axis=0))
