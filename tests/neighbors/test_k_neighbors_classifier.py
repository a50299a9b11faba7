"""The rule of the k nearest neighbours: counts, ties, weights, and scikit-learn."""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.datasets import load_iris
from sklearn.model_selection import cross_val_score
from sklearn.neighbors import KNeighborsClassifier as Peer

from corollary import DataError, KNeighborsClassifier, ParameterError, load, save
from corollary.engine import ArraySource, ChunkSource


def rows(seed=0, n=300, d=4, K=3):
    rng = np.random.default_rng(seed)
    y = rng.integers(K, size=n)
    return rng.normal(size=(n, d)) + rng.normal(size=(K, d))[y], y


@pytest.mark.course("S3-40")
def test_the_posterior_is_the_share_of_each_class_among_the_neighbours():
    # two bass and one salmon are nearest to the fish: bass
    X = [[10.0, 4.0], [11.0, 4.5], [9.0, 5.0], [3.0, 1.0], [2.0, 2.0], [24.0, 19.0]]
    y = ["bass", "bass", "salmon", "salmon", "salmon", "bass"]
    model = KNeighborsClassifier(3).fit(X, y)
    fish = [[10.0, 4.4]]
    assert model.kneighbors(fish, return_distance=False).tolist() == [[0, 1, 2]]
    np.testing.assert_allclose(model.predict_proba(fish), [[2 / 3, 1 / 3]])
    assert model.predict(fish).tolist() == ["bass"]
    # more neighbours than the ball around the fish should hold decide otherwise
    assert KNeighborsClassifier(5).fit(X, y).predict(fish).tolist() == ["salmon"]


@pytest.mark.course("S3-40")
@pytest.mark.parametrize("weights", ["uniform", "distance", lambda r: np.exp(-r)])
@pytest.mark.parametrize(
    "metric", [{}, {"p": 1}, {"p": 3}, {"metric": "cosine"}, {"metric": "chebyshev"}]
)
def test_equals_scikit_learn(weights, metric):
    X, y = rows()
    Q, _ = rows(1)
    ours = KNeighborsClassifier(7, weights=weights, **metric).fit(X, y)
    peer = Peer(7, weights=weights, algorithm="brute", **metric).fit(X, y)
    D, rows_of_peer = peer.kneighbors(Q)
    distances, found = ours.kneighbors(Q)
    assert (found == rows_of_peer).all()
    np.testing.assert_allclose(distances, D, rtol=1e-6)
    np.testing.assert_allclose(ours.predict_proba(Q), peer.predict_proba(Q), rtol=1e-9)
    assert (ours.predict(Q) == peer.predict(Q)).all()
    assert ours.score(Q, y) == peer.score(Q, y)


def test_of_equal_counts_the_first_class_wins_as_in_scikit_learn():
    X, y = [[0.0], [1.0], [2.0], [3.0]], ["b", "a", "c", "a"]
    ours, peer = KNeighborsClassifier(2).fit(X, y), Peer(2).fit(X, y)
    Q = [[0.4], [1.6], [2.4]]
    assert ours.predict(Q).tolist() == peer.predict(Q).tolist() == ["a", "a", "a"]
    assert ours.predict_proba(Q).tolist() == peer.predict_proba(Q).tolist()


def test_rows_at_distance_0_count_alone():
    X, y = [[0.0], [0.0], [1.0]], [0, 1, 1]
    model = KNeighborsClassifier(3, weights="distance").fit(X, y)
    assert model.predict_proba([[0.0], [1.0]]).tolist() == [[0.5, 0.5], [0.0, 1.0]]


def test_a_row_is_none_of_its_own_neighbours():
    X, y = rows(n=60)
    model = KNeighborsClassifier(3).fit(X, y)
    left_out = [
        KNeighborsClassifier(3)
        .fit(np.delete(X, i, axis=0), np.delete(y, i))
        .predict(X[[i]])[0]
        for i in range(60)
    ]
    assert model.predict(None).tolist() == left_out
    graph = model.kneighbors_graph()
    assert graph.shape == (60, 60)
    assert graph.diagonal().sum() == 0
    assert graph.sum() == 180
    near = model.kneighbors_graph(X[:5], 2, mode="distance")
    assert (near.toarray()[:, :5].diagonal() == 0).all()


def test_several_outputs():
    X, y = rows()
    Y = np.column_stack([y, np.array(["no", "yes"])[y % 2]]).astype(object)
    ours, peer = KNeighborsClassifier().fit(X, Y), Peer().fit(X, Y.astype(str))
    assert (ours.predict(X) == peer.predict(X)).all()
    for a, b in zip(ours.predict_proba(X), peer.predict_proba(X), strict=True):
        np.testing.assert_allclose(a, b)
    assert ours.outputs_2d_


def test_float32_stays_float32_and_sparse_equals_dense():
    X, y = rows()
    X[np.abs(X) < 0.7] = 0
    single = KNeighborsClassifier().fit(X.astype(np.float32), y)
    Q = X[:50].astype(np.float32)
    assert single.kneighbors(Q)[0].dtype == np.float32
    assert single.predict_proba(Q).dtype == np.float32
    sparse = KNeighborsClassifier().fit(sp.csr_array(X), y)
    dense = KNeighborsClassifier().fit(X, y)
    for query in (X, sp.csr_array(X)):
        assert (sparse.predict_proba(query) == dense.predict_proba(query)).all()


def test_sources_give_the_same_answer():
    X, y = rows()
    model = KNeighborsClassifier().fit(X, y)
    chunks = ChunkSource(
        lambda: ((X[a : a + 70], y[a : a + 70]) for a in range(0, 300, 70))
    )
    streamed = KNeighborsClassifier().fit(chunks)
    assert (streamed.predict(X) == model.predict(X)).all()
    assert (
        streamed.predict(ChunkSource(lambda: iter([X[:9], X[9:20]])))
        == model.predict(X[:20])
    ).all()


def test_weights_of_a_source_are_refused():
    X, y = rows()
    with pytest.raises(DataError, match="must have no weights"):
        KNeighborsClassifier().fit(ArraySource(X, y, 1.0 + np.arange(300.0)))
    KNeighborsClassifier().fit(ArraySource(X, y, np.ones(300)))


def test_saving_keeps_the_rows_and_the_report_says_so(tmp_path):
    X, y = rows()
    model = KNeighborsClassifier(4, weights="distance", p=1).fit(
        X, np.array(list("abc"))[y]
    )
    assert model.report_.facts["n_rows_kept"] == 300
    assert "rows kept" in str(model.report_)
    save(model, tmp_path / "model.corollary")
    again = load(tmp_path / "model.corollary")
    assert (again.predict_proba(X) == model.predict_proba(X)).all()
    assert again.effective_metric_ == "manhattan"
    assert again.n_samples_fit_ == 300


def test_a_column_that_drowns_the_others_is_told():
    # 50 and 10.05 away: the wrong class, until the columns are scaled
    X = np.array([[1.0, 150.0], [2.0, 110.0]])
    model = KNeighborsClassifier(1).fit(X, [1, 2])
    D, _ = model.kneighbors([[1.0, 100.0]], 2)
    np.testing.assert_allclose(D, [[np.sqrt(101), 50.0]])
    assert model.predict([[1.0, 100.0]]).tolist() == [2]
    wide = np.column_stack([np.arange(9) % 2, 1000.0 * np.arange(9)])
    [text] = KNeighborsClassifier().fit(wide, np.arange(9) % 2).report_.warnings
    assert "column 1 varies" in text
    assert "StandardScaler" in text
    assert (
        not KNeighborsClassifier(metric="cosine").fit(wide, wide[:, 0]).report_.warnings
    )


def test_distances_may_be_given():
    X, y = rows(n=80)
    D = np.abs(X[:, None] - X).sum(axis=2)
    model = KNeighborsClassifier(3, metric="precomputed", weights="distance")
    same = KNeighborsClassifier(3, p=1, weights="distance")
    given, own = model.fit(D[:60, :60], y[:60]), same.fit(X[:60], y[:60])
    assert (given.predict_proba(D[60:, :60]) == own.predict_proba(X[60:])).all()
    assert (given.predict(None) == own.predict(None)).all()
    scores = cross_val_score(model, D, y), cross_val_score(same, X, y)
    assert (scores[0] == scores[1]).all()
    with pytest.raises(DataError, match="square"):
        model.fit(D[:, :10], y)
    with pytest.raises(DataError, match="at least 0"):
        model.fit(-D, y)
    with pytest.raises(DataError, match="at least 0"):
        model.fit(sp.csr_array(-D), y)


def test_cross_validation_on_iris():
    X, y = load_iris(return_X_y=True)
    assert cross_val_score(KNeighborsClassifier(), X, y).mean() > 0.95


def test_errors():
    X, y = rows(n=20)
    model = KNeighborsClassifier().fit(X, y)
    with pytest.raises(
        DataError, match="n_neighbors must be at most n_samples_fit = 20"
    ):
        model.kneighbors(X, 21)
    with pytest.raises(DataError, match="a row being none of its own"):
        model.kneighbors(n_neighbors=20)
    with pytest.raises(ParameterError, match="n_neighbors must be a whole number >= 1"):
        model.kneighbors(X, 1.5)
    with pytest.raises(ParameterError, match="mode must be"):
        model.kneighbors_graph(mode="both")
    for parameters in (
        {"n_neighbors": 0},
        {"metric": "taxi"},
        {"p": 0},
        {"weights": "near"},
    ):
        with pytest.raises(ParameterError):
            KNeighborsClassifier(**parameters).fit(X, y)
    for weights, text in (
        (lambda r: 0 * r, "above 0 for some neighbour"),
        (lambda r: -r, "numbers >= 0"),
        (lambda r: r[:, :1], "one number for each"),
    ):
        with pytest.raises(ParameterError, match=text):
            KNeighborsClassifier(weights=weights).fit(X, y).predict(X + 0.1)
    few = KNeighborsClassifier().fit(X[:3], [0, 1, 1])
    assert "fewer than n_neighbors" in few.report_.warnings[0]
    with pytest.raises(DataError, match="n_samples"):
        few.predict(X)
