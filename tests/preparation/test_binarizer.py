"""Thresholds: scikit-learn's, dense and sparse."""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.preprocessing import Binarizer as Theirs

from corollary import Binarizer
from corollary.core.errors import DataError

RNG = np.random.default_rng(0)
X = np.where(RNG.random((60, 5)) < 0.4, 0.0, RNG.normal(size=(60, 5)))


@pytest.mark.parametrize("threshold", [-0.5, 0.0, 0.5])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_entries_are_scikit_learns(threshold, dtype):
    rows = X.astype(dtype)
    Z = Binarizer(threshold=threshold).transform(rows)
    assert Z.dtype == dtype
    np.testing.assert_array_equal(Z, Theirs(threshold=threshold).transform(rows))
    large = np.tile(rows, (900, 1))
    np.testing.assert_array_equal(
        Binarizer(threshold=threshold).transform(large), np.tile(Z, (900, 1))
    )


@pytest.mark.parametrize("kind", [sp.csr_array, sp.csc_array])
def test_sparse_rows_store_ones_only(kind):
    Z = Binarizer(threshold=0.5).transform(kind(X))
    assert Z.format == kind(X).format
    assert Z.nnz == (X > 0.5).sum()
    assert (Z.data == 1).all()
    with pytest.raises(DataError, match="threshold must be >= 0"):
        Binarizer(threshold=-0.5).transform(kind(X))
