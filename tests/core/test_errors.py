"""One sentence: who, what must hold, what came, what to do."""

import numpy as np
import pytest
import scipy.sparse as sp

import corollary
from corollary import SVC, GaussianNB, Ridge
from corollary.core.errors import (
    DataError,
    MemoryLimitError,
    ModelFileError,
    ParameterError,
    sentence,
)


def test_the_form_of_a_sentence():
    assert sentence("Ridge", "alpha must be >= 0", "-1") == (
        "Ridge: alpha must be >= 0; got -1."
    )
    assert sentence(corollary.KMeans(), "k must be small", "9", "Use less.") == (
        "KMeans: k must be small; got 9. Use less."
    )


@pytest.mark.parametrize("error", [DataError, ParameterError, ModelFileError])
def test_what_is_wrong_with_values_is_a_value_error(error):
    assert issubclass(error, ValueError)


def test_the_memory_limit_is_a_memory_error():
    assert issubclass(MemoryLimitError, MemoryError)
    assert not issubclass(MemoryLimitError, ValueError)


@pytest.mark.parametrize("kind", [TypeError, ValueError, DataError])
def test_sparse_data_where_dense_is_needed_is_an_error_of_type_too(kind):
    X, y = sp.csr_array(np.eye(4)), [0, 1, 0, 1]
    with pytest.raises(kind, match="SVC: Sparse precomputed kernels"):
        SVC(kernel="precomputed").fit(X, y)
    with pytest.raises(kind, match="GaussianNB: "):
        GaussianNB().fit(X, y)
    with pytest.raises(kind, match="y must be dense"):
        Ridge().fit(X, sp.csr_array(np.eye(4)))
