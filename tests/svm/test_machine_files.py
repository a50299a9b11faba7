"""Files of kernel machines: what comes back, and what is refused."""

import numpy as np
import pytest
import scipy.sparse as sp
from common.machines import data

import corollary
from corollary.core.errors import ModelFileError


@pytest.mark.parametrize("name", ["SVC", "SVR", "OneClassSVM"])
@pytest.mark.parametrize("sparse", [False, True])
def test_files(name, sparse, tmp_path):
    X, y, _ = data(15)
    rows = sp.csr_array(np.where(np.abs(X) < 0.5, 0, X)) if sparse else X
    model = getattr(corollary, name)().fit(rows, y)
    corollary.save(model, tmp_path / "model")
    again = corollary.load(tmp_path / "model")
    np.testing.assert_array_equal(again.predict(rows), model.predict(rows))
    assert sp.issparse(again.support_vectors_) == sparse
    model.n_support_ = model.n_support_ * 0 + 10**6
    corollary.save(model, tmp_path / "forged")
    with pytest.raises(ModelFileError, match="altered"):
        corollary.load(tmp_path / "forged")
    if sparse:
        model = getattr(corollary, name)().fit(rows, y)
        model.support_vectors_.indices[0] = 10**6
        corollary.save(model, tmp_path / "forged")
        with pytest.raises(ModelFileError, match="valid indices"):
            corollary.load(tmp_path / "forged")
