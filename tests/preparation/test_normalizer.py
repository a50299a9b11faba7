"""Rows of norm 1: scikit-learn's, dense and sparse, of any size."""

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from sklearn.preprocessing import Normalizer as Theirs

from corollary import Normalizer, engine
from corollary.core.errors import DataError, ParameterError

RNG = np.random.default_rng(0)
X = np.where(RNG.random((60, 5)) < 0.4, 0.0, RNG.normal(size=(60, 5)))
X[7] = 0.0


@pytest.mark.parametrize("norm", ["l1", "l2", "max"])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_rows_are_scikit_learns(norm, dtype):
    rows = X.astype(dtype)
    Z = Normalizer(norm).transform(rows)
    assert Z.dtype == dtype
    np.testing.assert_allclose(Z, Theirs(norm).transform(rows), rtol=1e-6, atol=1e-7)
    order = {"l1": 1, "l2": 2, "max": np.inf}[norm]
    sizes = np.linalg.norm(Z, order, axis=1)
    np.testing.assert_allclose(np.delete(sizes, 7), 1, rtol=1e-6)
    assert sizes[7] == 0
    S = Normalizer(norm).transform(sp.csc_array(rows))
    assert S.format == "csr"
    assert S.dtype == dtype
    np.testing.assert_allclose(S.toarray(), Z, rtol=1e-6)


@pytest.mark.parametrize("scale", [1e-300, 1e-160, 1e140])
def test_squares_that_vanish_do_not_matter(scale):
    rows = np.array([[3.0, -4.0, 0.0]]) * scale
    want = [[0.6, -0.8, 0.0]]
    # beside a row of plain size, tiny ones are taken
    rows = np.vstack([rows, [[1.0, 0.0, 0.0]]])
    np.testing.assert_allclose(Normalizer().transform(rows)[:1], want, rtol=1e-15)
    S = Normalizer().transform(sp.csr_array(rows)).toarray()
    np.testing.assert_allclose(S[:1], want, rtol=1e-15)


def test_large_arrays_and_chunks_give_the_same():
    rows = RNG.normal(size=(60_000, 7))
    Z = Normalizer().transform(rows)
    np.testing.assert_allclose(np.linalg.norm(Z, axis=1), 1, rtol=1e-14)
    source = engine.ChunkSource([rows[a : a + 999] for a in range(0, 5000, 999)])
    made = Normalizer().fit(source).transform(source)
    parts = [chunk.X for part in made.parts() for chunk in part.chunks()]
    np.testing.assert_array_equal(np.concatenate(parts), Z[: 6 * 999])


def test_nothing_is_learned_but_the_columns():
    frame = pd.DataFrame(X, columns=list("abcde"))
    model = Normalizer().fit(frame)
    assert model.get_feature_names_out().tolist() == list("abcde")
    made = model.set_output(transform="pandas").transform(frame)
    assert list(made.columns) == list("abcde")
    with pytest.raises(DataError):
        Normalizer().fit(X).transform(X[:, :3])
    with pytest.raises(DataError, match="NaN in row 0, column 1"):
        Normalizer().transform(np.array([[1.0, np.nan]]))
    with pytest.raises(ParameterError, match="norm"):
        Normalizer("l3").fit(X)
