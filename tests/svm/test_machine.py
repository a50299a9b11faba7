"""What kernel machines share: which rows they count, and the matrix they are given."""

import numpy as np
import pytest

import corollary
from corollary import SVC

rng = np.random.default_rng(0)
X = rng.normal(size=(40, 2))
y = (X[:, 0] + 0.3 * rng.normal(size=40) > 0).astype(int)
w = rng.integers(0, 3, size=40)

NAMES = ["SVC", "NuSVC", "SquaredHingeSVC", "SVR", "NuSVR", "OneClassSVM"]


@pytest.mark.parametrize("name", [*NAMES, "KernelQuantileRegressor"])
def test_support_vectors_are_the_users_rows_whatever_weighs_nothing(name):
    """A row of weight 0 is removed, and the others keep their numbers."""
    model = getattr(corollary, name)(kernel="linear").fit(X, y, sample_weight=w)
    assert (w[model.support_] > 0).all()
    kept = getattr(model, "support_vectors_", getattr(model, "X_fit_", None))
    np.testing.assert_array_equal(X[model.support_], kept)


@pytest.mark.parametrize("name", [*NAMES, "KernelQuantileRegressor"])
def test_a_given_matrix_may_have_rows_that_weigh_nothing(name):
    K, fine = X @ X.T, {"tol": 1e-9}
    ask = "decision_function" if "SVC" in name or name == "OneClassSVM" else "predict"
    made = getattr(corollary, name)
    rows = made(kernel="linear", **fine).fit(X, y, sample_weight=w)
    given = made(kernel="precomputed", **fine).fit(K, y, sample_weight=w)
    np.testing.assert_array_equal(given.support_, rows.support_)
    np.testing.assert_allclose(getattr(given, ask)(K), getattr(rows, ask)(X), atol=1e-6)


def test_weights_that_are_none_are_refused_as_ever():
    for bad in ("many", [1.0, 2.0], np.full(40, -1.0), np.zeros(40)):
        with pytest.raises(ValueError, match="SVC"):
            SVC().fit(X, y, sample_weight=bad)
