import numpy as np
import pytest
import scipy.sparse as sp
import sklearn.cluster
from sklearn.exceptions import ConvergenceWarning

from corollary import KMeans, StopReason, engine
from corollary.core.errors import DataError, ParameterError


def blobs(n=600, d=3, k=5, seed=0):
    rng = np.random.default_rng(seed)
    centres = rng.uniform(-10, 10, size=(k, d))
    return centres[rng.integers(k, size=n)] + rng.normal(size=(n, d))


def naive_lloyd(X, mu, passes, w=None):
    """Lloyd's algorithm from the book: (2), then (3)."""
    w = np.ones(len(X)) if w is None else w
    trace = []
    for _ in range(passes):
        d2 = ((X[:, None] - mu[None]) ** 2).sum(axis=2)
        z = d2.argmin(axis=1)
        trace.append((w * d2[np.arange(len(X)), z]).sum())
        mu = np.stack(
            [np.average(X[z == k], axis=0, weights=w[z == k]) for k in range(len(mu))]
        )
    return mu, trace


@pytest.mark.course("S0-42", "S1-20", "S4-72")
@pytest.mark.parametrize("weighted", [False, True])
def test_equals_the_book(weighted):
    X = blobs()
    w = np.random.default_rng(1).uniform(0.5, 2, len(X)) if weighted else None
    mu, trace = naive_lloyd(X, X[:5], 4, w)
    with pytest.warns(ConvergenceWarning, match="max_iter reached after 4 passes"):
        model = KMeans(5, init=X[:5], max_iter=4, tol=0).fit(X, sample_weight=w)
    np.testing.assert_allclose(model.cluster_centers_, mu, rtol=1e-12)
    np.testing.assert_allclose(model.report_.objective[:4], trace, rtol=1e-12)


@pytest.mark.course("S0-42", "S1-20")
@pytest.mark.parametrize("seed", range(5))
def test_energy_never_rises_and_the_end_is_a_fixed_point(seed):
    X = blobs(seed=seed)
    model = KMeans(7, init="random", n_init=1, tol=0, random_state=seed).fit(X)
    J = np.array(model.report_.objective)
    assert (np.diff(J) <= 1e-9 * J[0]).all()
    assert model.report_.stop is StopReason.CONVERGED
    d2 = ((X[:, None] - model.cluster_centers_[None]) ** 2).sum(axis=2)
    np.testing.assert_array_equal(model.labels_, d2.argmin(axis=1))
    for k in range(7):
        mean = X[model.labels_ == k].mean(axis=0)
        np.testing.assert_allclose(model.cluster_centers_[k], mean, rtol=1e-10)


@pytest.mark.course("S4-72")
def test_the_objective_uses_each_rows_own_centre():
    X = blobs()
    model = KMeans(5, random_state=0).fit(X)
    own = ((X - model.cluster_centers_[model.labels_]) ** 2).sum()
    assert model.inertia_ == pytest.approx(own, rel=1e-12)
    assert model.score(X) == pytest.approx(-own, rel=1e-12)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_equals_scikit_learn_from_the_same_start(dtype):
    X = blobs(3000, 10, 8).astype(dtype)
    ours = KMeans(8, init=X[:8], tol=0).fit(X)
    theirs = sklearn.cluster.KMeans(8, init=X[:8], tol=0, n_init=1).fit(X)
    np.testing.assert_array_equal(ours.labels_, theirs.labels_)
    np.testing.assert_allclose(
        ours.cluster_centers_,
        theirs.cluster_centers_,
        rtol=2e-5 if dtype == np.float32 else 1e-10,
    )
    assert ours.inertia_ == pytest.approx(theirs.inertia_, rel=1e-5)


@pytest.mark.course("S2-56", "S4-72")
def test_restarts_keep_the_best():
    X = blobs(400, 2, 8, seed=4)
    once = [
        KMeans(8, init="random", n_init=1, random_state=s).fit(X).inertia_
        for s in range(8)
    ]
    many = KMeans(8, init="random", n_init=10, random_state=0).fit(X)
    assert many.inertia_ <= min(once) * (1 + 1e-9) or many.inertia_ <= np.median(once)
    assert many.inertia_ < max(once)
    first = KMeans(8, init="random", n_init=1, random_state=0).fit(X)
    assert many.inertia_ <= first.inertia_


@pytest.mark.course("S2-56", "S4-72")
@pytest.mark.parametrize("place", [0, 1, 2])
def test_the_best_of_given_starts_is_kept_wherever_it_stands(place):
    # three pairs of points on a line; two starts are stuck in a bad local minimum
    X = np.array([[0.0], [1.0], [10.0], [11.0], [20.0], [21.0]])
    bad, good = [[0.0], [1.0], [15.5]], [[0.5], [10.5], [20.5]]
    starts = [bad, bad, bad]
    starts[place] = good
    given = iter(starts)
    asked = []

    def init(X, k, random_state):
        asked.append(k)
        return np.array(next(given))

    model = KMeans(3, init=init, n_init=3, tol=0).fit(X)
    assert asked == [3, 3, 3]
    assert model.inertia_ == pytest.approx(1.5)
    assert sorted(model.cluster_centers_.ravel().tolist()) == [0.5, 10.5, 20.5]
    assert model.labels_.tolist() == [0, 0, 1, 1, 2, 2]
    stuck = KMeans(3, init=np.array(bad), tol=0).fit(X)
    assert stuck.inertia_ == pytest.approx(101.0)


@pytest.mark.course("S4-72")
@pytest.mark.parametrize("chunk_rows", [2, 1000])
def test_an_empty_cluster_may_be_eliminated(chunk_rows):
    X = np.array([[0.0], [1], [2], [3], [100]])
    start = np.array([[500.0], [1.0], [600.0], [99.0]])
    with engine.use(chunk_rows=chunk_rows):
        model = KMeans(4, init=start, tol=0, empty="drop").fit(X)
    assert model.cluster_centers_.ravel().tolist() == [1.5, 100.0]
    assert model.labels_.tolist() == [0, 0, 0, 0, 1]
    assert model.inertia_ == pytest.approx(5.0)
    assert model.report_.facts["n_clusters"] == 2
    assert model.predict([[90.0]]).tolist() == [1]
    assert model.transform(X).shape == (5, 2)


@pytest.mark.course("S4-72")
def test_elimination_is_that_of_the_book_and_goes_on_in_a_stream():
    X = blobs(300, 2, 4, seed=3)
    start = np.vstack([X[:4], np.full((3, 2), 1e3)])
    rest, _ = naive_lloyd(X, X[:4], 60)
    with engine.use(chunk_rows=50):
        model = KMeans(7, init=start, tol=0, empty="drop").fit(X)
    np.testing.assert_allclose(model.cluster_centers_, rest, rtol=1e-10)
    model.partial_fit(X[:100])
    assert model.cluster_centers_.shape == (4, 2)
    late = KMeans(7, init=start, empty="drop").partial_fit(X[:150])
    assert late.partial_fit(X[150:]).cluster_centers_.shape == (4, 2)


@pytest.mark.course("S2-56", "S4-72")
@pytest.mark.parametrize("chunk_rows", [7, 1000])
def test_an_empty_cluster_takes_the_farthest_row(chunk_rows):
    X = np.array([[0.0], [1], [2], [3], [100]])
    start = np.array([[1.0], [500.0], [600.0]])  # two of them get no row
    with engine.use(chunk_rows=chunk_rows):
        model = KMeans(3, init=start, tol=0).fit(X)
    # 100 and 3 lie farthest from 1; then nothing moves any more
    assert model.cluster_centers_.ravel().tolist() == [1.0, 100.0, 3.0]
    assert model.inertia_ == pytest.approx(2.0)


@pytest.mark.course("S2-56")
def test_repair_of_empty_clusters_does_not_depend_on_chunks():
    X = blobs(200, 2, 3, seed=2)
    start = np.vstack([X[:1], np.full((6, 2), 1e3)])
    models = []
    for rows in (3, 50, 1000):
        with engine.use(chunk_rows=rows):
            models.append(KMeans(7, init=start, tol=0).fit(X))
    assert (np.bincount(models[0].labels_, minlength=7) > 0).all()
    for model in models[1:]:
        np.testing.assert_allclose(
            model.cluster_centers_, models[0].cluster_centers_, rtol=1e-10
        )


@pytest.mark.course("S2-56")
def test_a_weight_of_zero_cannot_attract_a_centre():
    X = np.vstack([blobs(100, 2, 3), [[1e6, 1e6]]])
    w = np.append(np.ones(100), 0.0)
    model = KMeans(4, random_state=0).fit(X, sample_weight=w)
    assert np.abs(model.cluster_centers_).max() < 100
    assert len(model.labels_) == 101


@pytest.mark.parametrize("seed", range(20))
def test_as_many_centres_as_distinct_rows_leave_nothing_to_gain(seed):
    """The bound is 0 in theory, and no rounding lifts it above J."""
    rng = np.random.default_rng(seed)
    points = rng.normal(size=(2, 3)) * 10.0 ** rng.integers(-3, 4)
    model = KMeans(2, random_state=seed).fit(points[np.arange(41) % 2])
    optimality = model.report_.optimality
    assert model.inertia_ <= 1e-20 * (points**2).sum()
    if model.inertia_ == 0:
        assert (optimality.value, optimality.relative) == (0.0, 0.0)


@pytest.mark.parametrize("seed", range(4))
def test_the_spectral_bound_lies_below_every_clustering(seed):
    X = blobs(60, 3, 4, seed=seed)
    model = KMeans(4, n_init=20, random_state=seed).fit(X)
    gap = model.report_.optimality.value
    scatter = np.linalg.eigvalsh(np.cov(X.T, bias=True) * len(X))[::-1]
    bound = scatter[3:].sum()
    assert (
        gap == pytest.approx(model.inertia_ - max(bound, 0), rel=1e-6, abs=1e-6)
        or bound <= 0
    )
    rng = np.random.default_rng(seed)
    for _ in range(50):
        z = rng.integers(4, size=60)
        J = sum(
            ((X[z == k] - X[z == k].mean(0)) ** 2).sum()
            for k in range(4)
            if (z == k).any()
        )
        assert J >= bound


def test_ties_go_to_the_lowest_number():
    model = KMeans(2, init=np.array([[-1.0], [1.0]]), max_iter=1, tol=1e9).fit(
        np.array([[-1.0], [1.0]])
    )
    assert model.predict([[0.0]]).tolist() == [0]


def test_streaming_is_a_running_mean_of_assigned_rows():
    X = blobs(300, 2, 3)
    model = KMeans(3, random_state=0)
    for a in range(0, 300, 100):
        model.partial_fit(X[a : a + 100])
    assert model._running.statistics.n.sum() == 300
    assert model.report_.rows == 300
    full = KMeans(3, random_state=0).fit(X)
    assert -model.score(X) < 1.1 * full.inertia_


def test_forgetting_follows_a_drift():
    rng = np.random.default_rng(0)
    old, new = rng.normal(0, 1, (500, 1)), rng.normal(50, 1, (500, 1))
    with engine.use(schedule=engine.PerChunk(decay=0.1)):
        model = KMeans(1, random_state=0).partial_fit(old)
        for _ in range(3):
            model.partial_fit(new)
    assert abs(model.cluster_centers_[0, 0] - 50) < 1
    keeping = KMeans(1, random_state=0).partial_fit(old).partial_fit(new)
    assert abs(keeping.cluster_centers_[0, 0] - 25) < 1


def test_sparse_rows():
    X = sp.random(300, 40, 0.1, format="csr", random_state=0)
    start = X[:4].toarray()
    a = KMeans(4, init=start, tol=0).fit(X)
    b = KMeans(4, init=start, tol=0).fit(X.toarray())
    np.testing.assert_array_equal(a.labels_, b.labels_)
    np.testing.assert_allclose(a.transform(X), b.transform(X.toarray()), atol=1e-10)


def test_few_distinct_rows_are_enough():
    X = np.repeat([[0.0, 0.0], [1.0, 1.0]], 10, axis=0)
    with pytest.warns(ConvergenceWarning, match=r"distinct clusters \(2\) found small"):
        model = KMeans(4, random_state=0).fit(X)
    assert model.inertia_ == 0
    assert "duplicate points" in model.report_.warnings[0]


def test_given_centres_need_one_start():
    X = np.array([[0.0], [1.0], [9.0], [10.0]])
    with pytest.warns(RuntimeWarning, match="performing only one init"):
        KMeans(2, init=np.array([[0.0], [9.0]]), n_init=3).fit(X)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"n_clusters": 0}, "KMeans: n_clusters must be a whole number >= 1; got 0."),
        (
            {"n_clusters": 2.5},
            "KMeans: n_clusters must be a whole number >= 1; got 2.5.",
        ),
        ({"init": "kmeans"}, "KMeans: init must be one of 'k-means++', 'random'"),
        ({"tol": -1}, "KMeans: tol must be a number >= 0; got -1."),
        ({"algorithm": "full"}, "KMeans: algorithm must be one of 'lloyd', 'elkan'"),
        ({"init": np.zeros((2, 3))}, "init must give 8 centres of 3 features"),
    ],
)
def test_bad_parameters(parameters, message):
    with pytest.raises(ParameterError) as caught:
        KMeans(**parameters).fit(blobs())
    assert message in str(caught.value)


def test_more_clusters_than_rows():
    with pytest.raises(DataError) as caught:
        KMeans(8).fit(blobs(5))
    assert str(caught.value) == (
        "KMeans: n_clusters must be at most n_samples = 5; got 8. "
        "Use fewer clusters or more rows."
    )


def test_rows_on_their_centres_are_left_there():
    # more centres than distinct rows: an empty cluster has nothing to take
    X = np.array([[0, 0], [1, 1], [1, 1], [1, 0], [0, 1]], float)
    with pytest.warns(ConvergenceWarning, match=r"distinct clusters \(4\)"):
        model = KMeans(5, init=X, n_init=1).fit(X)
    assert model.n_iter_ == 1
    assert model.inertia_ == 0
    np.testing.assert_array_equal(model.cluster_centers_, X)


def test_one_cluster_needs_no_elkan():
    with pytest.warns(RuntimeWarning, match="one cluster"):
        KMeans(1, algorithm="elkan", n_init=1).fit(np.eye(3))


@pytest.mark.parametrize("init", ["k-means++", "random"])
def test_both_precisions_start_alike(init):
    X = np.random.default_rng(0).uniform(size=(500, 6))
    double, single = (
        KMeans(12, init=init, n_init=1, random_state=3).fit(X.astype(dtype))
        for dtype in (np.float64, np.float32)
    )
    np.testing.assert_array_equal(double.labels_, single.labels_)
    np.testing.assert_allclose(
        double.cluster_centers_, single.cluster_centers_, atol=1e-5
    )
