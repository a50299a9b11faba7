import numpy as np
import pytest
import scipy.sparse as sp
import sklearn.neighbors

from corollary import NearestCentroid
from corollary.core.errors import DataError, ParameterError


def make(n=200, d=5, k=3, seed=0):
    rng = np.random.default_rng(seed)
    y = rng.integers(k, size=n)
    return rng.normal(size=(k, d))[y] + rng.normal(size=(n, d)), y


@pytest.mark.course("S2-7")
@pytest.mark.parametrize("metric", ["euclidean", "manhattan"])
@pytest.mark.parametrize("shrink", [None, 0.5])
@pytest.mark.parametrize("priors", ["uniform", "empirical", [0.2, 0.3, 0.5]])
def test_equals_scikit_learn(metric, shrink, priors):
    X, y = make()
    options = dict(metric=metric, shrink_threshold=shrink, priors=priors)
    ours = NearestCentroid(**options).fit(X, y)
    theirs = sklearn.neighbors.NearestCentroid(**options).fit(X, y)
    names = ("centroids_", "within_class_std_dev_", "deviations_", "class_prior_")
    for name in names:
        np.testing.assert_allclose(getattr(ours, name), getattr(theirs, name))
    np.testing.assert_array_equal(ours.predict(X), theirs.predict(X))
    if metric == "euclidean":
        np.testing.assert_allclose(
            ours.predict_proba(X), theirs.predict_proba(X), atol=1e-12
        )
        np.testing.assert_allclose(
            ours.decision_function(X), theirs.decision_function(X)
        )
    else:
        assert not hasattr(ours, "predict_proba")


@pytest.mark.course("S2-7")
def test_decides_for_the_nearest_mean():
    X, y = make()
    model = NearestCentroid().fit(X, y)
    means = np.stack([X[y == c].mean(axis=0) for c in range(3)])
    far = ((X[:, None, :] - means) ** 2).sum(axis=2)
    np.testing.assert_array_equal(model.predict(X), far.argmin(axis=1))
    surface = model.boundary(0, 1)
    np.testing.assert_allclose(surface(X), far[:, 1] - far[:, 0], atol=1e-10)
    assert surface.kind == "hyperplane"


@pytest.mark.parametrize("priors", ["uniform", "empirical"])
def test_sparse_rows(priors):
    X, y = make()
    X[X < 0.3] = 0
    dense = NearestCentroid(priors=priors).fit(X, y)
    sparse = NearestCentroid(priors=priors).fit(sp.csr_array(X), y)
    np.testing.assert_allclose(sparse.centroids_, dense.centroids_)
    np.testing.assert_array_equal(sparse.predict(sp.csr_array(X)), dense.predict(X))
    np.testing.assert_allclose(
        sparse.predict_proba(sp.csr_array(X)), dense.predict_proba(X), atol=1e-10
    )


def test_weighted_medians_count_as_repetition():
    X, y = make(n=60)
    w = np.random.default_rng(1).integers(0, 4, 60)
    one = NearestCentroid("manhattan").fit(X, y, w)
    other = NearestCentroid("manhattan").fit(np.repeat(X, w, axis=0), np.repeat(y, w))
    np.testing.assert_allclose(one.centroids_, other.centroids_)


def test_bad_input():
    X, y = make()
    with pytest.raises(DataError, match="All features have zero variance"):
        NearestCentroid().fit(np.ones((4, 2)), [0, 0, 1, 1])
    with pytest.raises(DataError, match="classes has to be greater than one; got 1"):
        NearestCentroid().fit(X, np.zeros(len(X)))
    with pytest.raises(ParameterError, match="metric must be one of"):
        NearestCentroid(metric="cosine").fit(X, y)
    with pytest.raises(DataError, match="medians are no sums"):
        NearestCentroid("manhattan").fit(lambda: iter([(X, y)]))
    X[:, 2] = y
    model = NearestCentroid().fit(X, y)
    assert "features [2] have zero standard deviation" in model.report_.warnings[0]
