"""Indicators of missing values: scikit-learn's, dense and sparse."""

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from sklearn.impute import MissingIndicator as Theirs

from corollary import MissingIndicator, engine
from corollary.core.errors import DataError

RNG = np.random.default_rng(0)
X = RNG.normal(size=(50, 4))
X[RNG.random((50, 4)) < [0.3, 0.0, 0.2, 0.0]] = np.nan
NEW = np.where(RNG.random((9, 4)) < 0.4, np.nan, 1.0)


@pytest.mark.parametrize("features", ["missing-only", "all"])
@pytest.mark.parametrize("sparse", [True, False, "auto"])
@pytest.mark.parametrize("kind", [np.asarray, sp.csr_array, sp.csc_array])
def test_columns_are_scikit_learns(features, sparse, kind):
    options = {"features": features, "sparse": sparse, "error_on_new": False}
    ours = MissingIndicator(**options).fit(kind(X))
    theirs = Theirs(**options).fit(kind(X))
    np.testing.assert_array_equal(ours.features_, theirs.features_)
    Z, want = ours.transform(kind(NEW)), theirs.transform(kind(NEW))
    assert sp.issparse(Z) == sp.issparse(want)
    assert Z.dtype == bool
    plain = [A.toarray() if sp.issparse(A) else A for A in (Z, want)]
    np.testing.assert_array_equal(*plain)
    names = ours.get_feature_names_out(["a", "b", "c", "d"])
    assert names.tolist() == theirs.get_feature_names_out(list("abcd")).tolist()


def test_values_missing_where_none_were_are_refused():
    model = MissingIndicator().fit(X)
    with pytest.raises(DataError, match=r"the features \[1, 3\] also"):
        model.transform(np.full((2, 4), [0.0, np.nan, 0.0, np.nan]))


def test_rows_of_weight_0_do_not_count_and_chunks_add_up():
    w = (~np.isnan(X[:, 0])).astype(float)
    assert MissingIndicator().fit(X, sample_weight=w).features_.tolist() == [2]
    source = engine.ChunkSource([X[a : a + 7] for a in range(0, 50, 7)])
    model = MissingIndicator().fit(source)
    assert model.features_.tolist() == [0, 2]
    assert model.report_.facts["n_missing"] == np.isnan(X).sum()


def test_frames_and_other_placeholders():
    frame = pd.DataFrame(np.nan_to_num(X, nan=-9.0), columns=list("abcd"))
    model = MissingIndicator(missing_values=-9).set_output(transform="pandas")
    made = model.fit_transform(frame)
    assert list(made.columns) == ["missingindicator_a", "missingindicator_c"]
    np.testing.assert_array_equal(made, np.isnan(X[:, [0, 2]]))
