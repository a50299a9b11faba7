"""Inputs that the tests of all loops share."""

import numpy as np
import pytest
import scipy.sparse as sp

DTYPES = [np.float32, np.float64]


@pytest.fixture(params=DTYPES, ids=["float32", "float64"])
def dtype(request):
    """X's dtype."""
    return request.param


@pytest.fixture(params=[False, True], ids=["unweighted", "weighted"])
def weighted(request):
    """Whether rows have weights."""
    return request.param


@pytest.fixture(params=["dense", "csr32", "csr64"])
def layout(request):
    """How X is stored; the number is that of indptr's bits."""
    return request.param


@pytest.fixture
def rng():
    """Random numbers, the same in every run."""
    return np.random.default_rng(0)


@pytest.fixture
def rows(layout, dtype, rng):
    """Draw X (n, d) and the arguments that stand for it in a call."""

    def draw(n, d):
        if layout == "dense":
            X = rng.normal(size=(n, d)).astype(dtype)
            return X, (X,)
        X = sp.random_array((n, d), density=0.3, rng=rng, dtype=dtype, format="csr")
        indptr = X.indptr.astype(np.int64 if layout == "csr64" else np.int32)
        return X.toarray(), (X.data, X.indices.astype(np.int32), indptr)

    return draw


@pytest.fixture
def weights(weighted, rng):
    """Draw the weights of n rows, some of them 0, or None."""

    def draw(n):
        return rng.random(n) * (rng.random(n) < 0.9) if weighted else None

    return draw


@pytest.fixture
def loop(layout):
    """Look up a loop by name, in the version for the layout."""
    from corollary import loops

    return lambda name: getattr(loops, name if layout == "dense" else f"{name}_csr")
