import itertools

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

from corollary import GeneralizedKMeans, KMeans, StopReason
from corollary.clustering.dissimilarities import DISSIMILARITIES
from corollary.core.errors import DataError, ParameterError

NAMES = list(DISSIMILARITIES)


def blobs(n=300, d=3, k=4, seed=0):
    """Return positive rows in loose groups."""
    rng = np.random.default_rng(seed)
    centres = rng.gamma(2.0, 3.0, size=(k, d)) + 1
    return centres[rng.integers(k, size=n)] * rng.gamma(20.0, 0.05, size=(n, d))


def distortion(measure, X, z, w=None):
    """Return (1) of a partition by the definition."""
    w = np.ones(len(X)) if w is None else w
    total = 0.0
    for j in np.unique(z):
        c = measure.centroid(X[z == j], w[z == j])
        total += float(w[z == j] @ measure.between(X[z == j], c[None])[:, 0])
    return total


@pytest.mark.course("S2-56")
@pytest.mark.parametrize("init", ["k-means++", "random", "rows"])
def test_with_the_squared_norm_it_is_k_means(init):
    X = blobs(400, 4, 6)
    init = X[:6] if init == "rows" else init
    options = {"init": init, "n_init": 3, "random_state": 5, "tol": 0.0}
    if not isinstance(init, str):
        options["n_init"] = 1
    theirs = KMeans(6, **options).fit(X)
    ours = GeneralizedKMeans(6, dissimilarity="squared", **options).fit(X)
    np.testing.assert_array_equal(ours.labels_, theirs.labels_)
    np.testing.assert_allclose(ours.cluster_centers_, theirs.cluster_centers_)
    assert ours.inertia_ == pytest.approx(theirs.inertia_, rel=1e-12)


@pytest.mark.course("S2-56")
@pytest.mark.parametrize("name", NAMES)
def test_restarts_reach_the_best_of_all_partitions(name):
    X = blobs(8, 2, 2, seed=3)
    measure = DISSIMILARITIES[name]
    best = min(
        distortion(measure, X, np.array((0, *z)))
        for z in itertools.product(range(3), repeat=7)
    )
    model = GeneralizedKMeans(
        3, dissimilarity=name, init="random", n_init=60, random_state=0
    ).fit(X)
    assert model.inertia_ == pytest.approx(best, rel=1e-12)
    assert model.inertia_ == pytest.approx(distortion(measure, X, model.labels_))


@pytest.mark.course("S2-56")
@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_the_distortion_never_rises_and_the_end_is_a_fixed_point(name, dtype):
    X, measure = blobs(500, 3, 5, seed=1).astype(dtype), DISSIMILARITIES[name]
    model = GeneralizedKMeans(
        7, dissimilarity=name, init="random", n_init=2, random_state=0
    ).fit(X)
    trace = np.array(model.report_.objective)
    assert len(trace) > 3
    assert (np.diff(trace) <= 0).all()
    assert trace[-1] == model.inertia_
    assert model.report_.stop is StopReason.CONVERGED
    d = measure.between(X.astype(float), model.cluster_centers_.astype(float))
    np.testing.assert_array_equal(model.labels_, d.argmin(axis=1))
    np.testing.assert_array_equal(model.predict(X), model.labels_)
    np.testing.assert_allclose(model.transform(X), d, rtol=1e-6, atol=1e-7)
    assert model.score(X) == pytest.approx(-model.inertia_, rel=1e-12)
    again = distortion(measure, X.astype(float), model.labels_)
    assert model.inertia_ == pytest.approx(again, rel=1e-5)
    assert model.cluster_centers_.dtype == dtype


@pytest.mark.course("S2-56")
@pytest.mark.parametrize("name", NAMES)
def test_a_weight_is_a_row_repeated_and_0_removes_it(name):
    X = blobs(120)
    w = np.random.default_rng(2).integers(0, 4, size=120)
    model = GeneralizedKMeans(4, dissimilarity=name, random_state=0)
    weighted = model.fit(X, sample_weight=w)
    centres, D = weighted.cluster_centers_, weighted.inertia_
    assert weighted.labels_.shape == (120,)
    repeated = model.fit(np.repeat(X, w, axis=0)[::-1])
    np.testing.assert_array_equal(repeated.cluster_centers_, centres)
    assert repeated.inertia_ == D
    assert model.score(X, sample_weight=w) == pytest.approx(-D)


@pytest.mark.course("S2-56")
def test_k_medians_is_not_drawn_to_an_outlier():
    X = np.array([[1.0], [2], [3], [4], [5], [101], [102], [103], [104], [400]])
    start = [[0.0], [120.0]]
    medians = GeneralizedKMeans(2, init=start).fit(X)
    assert medians.cluster_centers_.ravel().tolist() == [3.0, 103.0]
    assert medians.inertia_ == 6 + (2 + 1 + 0 + 1 + 297)
    means = GeneralizedKMeans(2, dissimilarity="squared", init=start).fit(X)
    assert means.cluster_centers_.max() > 150


@pytest.mark.course("S2-56")
def test_spherical_k_means_is_that_of_the_book():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 5)) * rng.gamma(1.0, size=(200, 1))
    unit = X / np.linalg.norm(X, axis=1, keepdims=True)
    C = unit[:4]
    for _ in range(100):
        z = (unit @ C.T).argmax(axis=1)
        sums = np.array([unit[z == j].sum(axis=0) for j in range(4)])
        C = sums / np.linalg.norm(sums, axis=1, keepdims=True)
    model = GeneralizedKMeans(4, dissimilarity="cosine", init=X[:4]).fit(X)
    np.testing.assert_array_equal(model.labels_, z)
    np.testing.assert_allclose(model.cluster_centers_, C, rtol=1e-9)
    assert model.inertia_ == pytest.approx((1 - (unit * C[z]).sum(axis=1)).sum())
    lengths = GeneralizedKMeans(4, dissimilarity="cosine", init=X[:4]).fit(unit * 7)
    np.testing.assert_array_equal(lengths.labels_, z)


@pytest.mark.course("S2-56")
def test_a_users_pair_of_functions():
    def largest(X, C):  # its centroid is the middle of the range of each column
        return np.abs(X[:, None] - C).max(axis=2) ** 2

    def weighted_mean(X, w):
        return np.average(X, axis=0, weights=w)

    def own_squared(X, C):
        return ((X[:, None] - C) ** 2).sum(axis=2)

    X = blobs(150)
    w = np.random.default_rng(0).uniform(size=150)
    options = {"init": X[:4], "random_state": 0}
    named = GeneralizedKMeans(4, dissimilarity="squared", **options).fit(X, None, w)
    own = GeneralizedKMeans(
        4, dissimilarity=own_squared, centroid=weighted_mean, **options
    ).fit(X, None, w)
    np.testing.assert_array_equal(own.labels_, named.labels_)
    np.testing.assert_allclose(own.cluster_centers_, named.cluster_centers_)
    np.testing.assert_allclose(own.transform(X), own_squared(X, own.cluster_centers_))
    # a centroid that is not the best one: the fit keeps the best it met, and says so
    with pytest.warns(ConvergenceWarning, match="Give the centroid that minimises"):
        wrong = GeneralizedKMeans(
            4, dissimilarity=largest, centroid=lambda X, w: X.min(axis=0), init=X[:4]
        ).fit(X)
    assert wrong.report_.stop is StopReason.DIVERGED
    assert (np.diff(wrong.report_.objective) <= 0).all()
    assert wrong.inertia_ == min(wrong.report_.objective)


@pytest.mark.course("S2-56")
@pytest.mark.parametrize("name", NAMES)
def test_an_empty_cell_takes_the_farthest_row(name):
    X = np.array([[1.0, 2.0], [1.1, 2.0], [1.0, 2.1], [9.0, 1.0], [9.1, 1.1]])
    start = np.array([[1.0, 2.0], [800.0, 0.1], [0.1, 900.0]])
    start[1:] = X[0] * [[1e3, 1e-3], [1e-3, 1e3]]
    first = DISSIMILARITIES[name].between(X, start).argmin(axis=1)
    assert len(np.unique(first)) < 3
    model = GeneralizedKMeans(3, dissimilarity=name, init=start).fit(X)
    assert len(np.unique(model.labels_)) == 3
    assert (np.diff(model.report_.objective) <= 0).all()


def test_fewer_distinct_rows_than_cells_is_told():
    X = np.repeat([[1.0], [2.0]], 5, axis=0)
    with pytest.warns(ConvergenceWarning, match=r"distinct clusters \(2\)"):
        model = GeneralizedKMeans(3, random_state=0).fit(X)
    assert model.inertia_ == 0


def test_no_more_steps_than_allowed():
    X = blobs(500)
    with pytest.warns(ConvergenceWarning, match="Raise max_iter"):
        one = GeneralizedKMeans(8, max_iter=1, init=X[:8]).fit(X)
    assert len(one.report_.objective) == 2
    assert one.n_iter_ == 1
    loose = GeneralizedKMeans(8, tol=0.5, init=X[:8]).fit(X)
    assert loose.report_.stop is StopReason.CONVERGED
    assert loose.n_iter_ <= GeneralizedKMeans(8, init=X[:8]).fit(X).n_iter_


@pytest.mark.parametrize(
    ("options", "error", "words"),
    [
        ({"n_clusters": 301}, DataError, "at most n_samples = 300; got 301"),
        ({"dissimilarity": "hamming"}, ParameterError, "'manhattan'.*got 'hamming'"),
        ({"centroid": np.mean}, ParameterError, "centroid must be None"),
        ({"dissimilarity": max}, ParameterError, "centroid must be a function"),
        ({"init": [[0.0]]}, ParameterError, r"8 centers of 3 features; got"),
    ],
)
def test_what_cannot_be_is_said_in_one_sentence(options, error, words):
    with pytest.raises(error, match=f"^GeneralizedKMeans: [^\n]*{words}[^\n]*$"):
        GeneralizedKMeans(**options).fit(blobs())


@pytest.mark.parametrize("name", ["kullback_leibler", "itakura_saito"])
def test_divergences_of_positive_numbers_refuse_others(name):
    X = blobs()
    model = GeneralizedKMeans(2, dissimilarity=name, random_state=0).fit(X)
    for use in (model.predict, model.transform, model.fit):
        with pytest.raises(DataError, match=r"X must be above 0 .*; got 0\. Add"):
            use(X * (X != X.min()))
    with pytest.raises(DataError, match=r"init must be above 0"):
        GeneralizedKMeans(2, dissimilarity=name, init=-X[:2]).fit(X)
