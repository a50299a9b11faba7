import numpy as np
import pytest
from sklearn import cluster
from sklearn.datasets import load_digits, load_wine, make_blobs
from sklearn.preprocessing import scale

from corollary import KMeans, engine
from corollary.clustering import kmeans_plusplus
from corollary.clustering.seeding import Sample
from corollary.core.errors import ParameterError
from corollary.engine import Chunk


@pytest.mark.course("S2-57")
def test_each_centre_is_drawn_by_its_squared_distance():
    # two candidates at distance 1 and 3 from the first centre: 1 to 9 if not greedy
    X, w = np.array([[0.0], [1.0], [-3.0]]), np.ones(3)
    rng = np.random.default_rng(0)
    first = np.zeros(3)
    second = np.zeros(3)
    from corollary.clustering.seeding import draw

    for _ in range(4000):
        first[draw(w, 1, rng)[0]] += 1
        second[draw(np.array([0.0, 1.0, 9.0]), 1, rng)[0]] += 1
    np.testing.assert_allclose(first / 4000, 1 / 3, atol=0.03)
    np.testing.assert_allclose(second / 4000, [0, 0.1, 0.9], atol=0.02)
    mu, _ = kmeans_plusplus(X, 3, sample_weight=w, random_state=0)
    assert sorted(mu.ravel().tolist()) == [-3.0, 0.0, 1.0]


@pytest.mark.course("S2-57")
def test_one_trial_is_the_sampling_of_the_theorem():
    # every ordered pair of centres by its exact probability: w_i / W, then w_j D_ij^2
    X, w = np.array([[0.0], [1.0], [-3.0], [5.0]]), np.array([1.0, 2.0, 1.0, 0.5])
    D2 = (X - X.T) ** 2 * w
    want = (w / w.sum())[:, None] * D2 / D2.sum(axis=1, keepdims=True)
    seen = np.zeros((4, 4))
    for seed in range(8000):
        _, pair = kmeans_plusplus(
            X, 2, sample_weight=w, random_state=seed, n_local_trials=1
        )
        seen[tuple(pair)] += 1
    error = np.sqrt(want * (1 - want) / 8000)
    assert (np.abs(seen / 8000 - want) <= 4 * error).all()


@pytest.mark.parametrize("name", ["wine", "digits", "blobs"])
@pytest.mark.parametrize("k", [10, 20])
def test_starts_are_as_good_as_those_of_scikit_learn(name, k):
    X = {
        "wine": lambda: scale(load_wine().data),
        "digits": lambda: load_digits().data[:300],
        "blobs": lambda: make_blobs(300, 4, centers=20, random_state=0)[0],
    }[name]()
    x2 = (X * X).sum(axis=1)

    def J(mu):
        return (x2[:, None] - 2 * X @ mu.T + (mu * mu).sum(axis=1)).min(axis=1).sum()

    ours = [J(kmeans_plusplus(X, k, random_state=seed)[0]) for seed in range(60)]
    theirs = [
        J(cluster.kmeans_plusplus(X, k, random_state=seed)[0]) for seed in range(60)
    ]
    error = np.hypot(np.std(ours), np.std(theirs)) / np.sqrt(60)
    assert np.mean(ours) <= np.mean(theirs) + 2 * error


@pytest.mark.course("S2-57")
def test_seeds_are_rows_and_spread_out():
    rng = np.random.default_rng(0)
    centres = np.arange(10)[:, None] * 100.0
    X = np.repeat(centres, 50, axis=0) + rng.normal(size=(500, 1))
    for seed in range(10):
        mu, rows = kmeans_plusplus(X, 10, random_state=seed)
        assert (mu == X[rows]).all()
        assert sorted(np.rint(mu.ravel() / 100).astype(int).tolist()) == list(range(10))


@pytest.mark.course("S2-57")
def test_expected_start_is_within_the_theorem_of_the_optimum():
    # Arthur and Vassilvitskii: E J <= 8 (ln k + 2) J*; far better in practice
    rng = np.random.default_rng(1)
    X = rng.uniform(-10, 10, (8, 2))[rng.integers(8, size=800)] + rng.normal(
        size=(800, 2)
    )
    best = KMeans(8, n_init=20, random_state=0).fit(X).inertia_
    starts = []
    for seed in range(30):
        mu, _ = kmeans_plusplus(X, 8, random_state=seed)
        starts.append(((X[:, None] - mu) ** 2).sum(2).min(1).sum())
    assert np.mean(starts) <= 8 * (np.log(8) + 2) * best
    assert np.mean(starts) <= 3 * best


def test_sample_does_not_depend_on_chunks_or_order():
    X = np.random.default_rng(0).normal(size=(1000, 3))
    whole = Sample.of(Chunk(X), 7, 50, 1.0)
    a, b = Sample.of(Chunk(X[600:]), 7, 50, 1.0), Sample.of(Chunk(X[:600]), 7, 50, 1.0)
    np.testing.assert_array_equal((a + b).keys, whole.keys)
    np.testing.assert_array_equal((b + a).X, whole.X)
    assert len(whole.keys) == 50


def test_sample_counts_copies_as_weight():
    X = np.array([[1.0], [2.0], [1.0]])
    once = Sample.of(Chunk(X[:2], w=np.array([2.0, 1.0])), 0, 10, 1.0)
    twice = Sample.of(Chunk(X), 0, 10, 1.0)
    np.testing.assert_array_equal(once.keys, twice.keys)
    np.testing.assert_array_equal(once.w, twice.w)


def test_sample_is_uniform():
    X = np.arange(20000.0)[:, None]
    means = [Sample.of(Chunk(X), seed, 500, 1.0).X.mean() for seed in range(40)]
    error = 20000 / np.sqrt(12 * 500)
    assert abs(np.mean(means) - 9999.5) < 4 * error / np.sqrt(40)
    assert 0.6 * error < np.std(means) < 1.5 * error


def test_prefilter_changes_nothing():
    X = np.random.default_rng(0).normal(size=(40_000, 2))
    with engine.use(chunk_rows=1500):
        known = KMeans(3, random_state=5).fit(X)
        pieces = [X[a : a + 999] for a in range(0, 40_000, 999)]
        unknown = KMeans(3, random_state=5).fit(engine.ChunkSource(lambda: pieces))
    np.testing.assert_allclose(
        known.cluster_centers_, unknown.cluster_centers_, rtol=1e-10
    )


def test_bad_seeding_is_refused():
    X = np.eye(3)
    for clusters in (0, 4, 1.5, "a"):
        with pytest.raises(ParameterError, match="n_clusters must be"):
            kmeans_plusplus(X, clusters)
    with pytest.raises(ParameterError, match="n_local_trials"):
        kmeans_plusplus(X, 2, n_local_trials=0)
