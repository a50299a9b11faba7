"""Metrics of SciPy and scikit-learn, functions of two rows, sparse distances."""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.metrics import DistanceMetric
from sklearn.neighbors import KNeighborsClassifier as Peer
from sklearn.neighbors import KNeighborsRegressor as PeerRegressor
from sklearn.neighbors import KNeighborsTransformer
from sklearn.pipeline import make_pipeline

import corollary
from corollary import KNeighborsClassifier, KNeighborsRegressor
from corollary.core.errors import DataError, ParameterError

RNG = np.random.default_rng(0)
X = np.exp(RNG.normal(size=(90, 4)))
Q = np.exp(RNG.normal(size=(40, 4)))
Y = RNG.integers(0, 3, 90)
ROOT = RNG.normal(size=(4, 4))
W = np.array([0.5, 2.0, 1.0, 0.1])
COUNTS = RNG.integers(0, 3, (90, 4)).astype(float)


def third_power(x, z, c=1.0):
    return c * float((np.abs(x - z) ** 3).sum())


@pytest.mark.parametrize(
    "how",
    [
        {"metric": "braycurtis"},
        {"metric": "canberra"},
        {"metric": "correlation"},
        {"metric": "sqeuclidean"},
        {"metric": "seuclidean", "metric_params": {"V": W}},
        {"metric": "mahalanobis", "metric_params": {"VI": ROOT @ ROOT.T}},
        {"metric": "minkowski", "p": 3, "metric_params": {"w": W}},
        {"metric": "minkowski", "p": 1, "metric_params": {"w": W}},
        {"metric": third_power},
        {"metric": third_power, "metric_params": {"c": 2.0}},
        {"metric": DistanceMetric.get_metric("canberra")},
    ],
    ids=lambda how: (
        how["metric"]
        if isinstance(how["metric"], str)
        else type(how["metric"]).__name__
    ),
)
def test_distances_and_answers_are_scikit_learns(how):
    ours = KNeighborsClassifier(5, weights="distance", **how).fit(X, Y)
    D, rows = ours.kneighbors(Q)
    if isinstance(how["metric"], DistanceMetric):  # which its classifier does not take
        peer = PeerRegressor(5, algorithm="brute", **how).fit(X, Y)
    else:
        peer = Peer(5, weights="distance", algorithm="brute", **how).fit(X, Y)
        chances = peer.predict_proba(Q)
        np.testing.assert_allclose(ours.predict_proba(Q), chances, rtol=1e-7)
    expected, numbers = peer.kneighbors(Q)
    np.testing.assert_allclose(D, expected, rtol=1e-9)
    np.testing.assert_array_equal(rows, numbers)
    own, _ = ours.kneighbors()
    np.testing.assert_allclose(own, peer.kneighbors()[0], rtol=1e-9)


@pytest.mark.parametrize("metric", ["hamming", "jaccard", "dice", "yule", "russellrao"])
def test_yes_and_no_are_compared(metric):
    ours = KNeighborsRegressor(4, metric=metric).fit(COUNTS, Y)
    yes = COUNTS if metric == "hamming" else COUNTS != 0
    peer = PeerRegressor(4, metric=metric, algorithm="brute").fit(yes, Y)
    expected = np.nan_to_num(peer.kneighbors(yes[::2])[0], nan=np.inf)
    np.testing.assert_allclose(ours.kneighbors(COUNTS[::2])[0], expected, atol=1e-12)


def test_places_on_the_globe():
    paris, rome, sydney = (
        np.radians([48.86, 2.35]),
        np.radians([41.9, 12.5]),
        np.radians([-33.87, 151.2]),
    )
    model = KNeighborsRegressor(1, metric="haversine").fit([paris, sydney], [0.0, 1.0])
    distances, rows = model.kneighbors([rome])
    assert rows.tolist() == [[0]]
    assert 1050 < 6371 * distances[0, 0] < 1150  # kilometres
    with pytest.raises(DataError, match="latitude"):
        KNeighborsRegressor(metric="haversine").fit(X, Y).predict(X)


def test_missing_values_are_left_out_of_a_distance():
    rows = np.array([[0.0, 1.0], [1.0, np.nan], [2.0, 3.0], [np.nan, 5.0]])
    model = KNeighborsClassifier(3, metric="nan_euclidean").fit(rows, [0, 0, 1, 1])
    distances, found = model.kneighbors([[1.0, np.nan]])
    np.testing.assert_allclose(distances, [[0.0, np.sqrt(2), np.sqrt(2)]])
    assert found.tolist() == [[1, 0, 2]]
    far, last = model.kneighbors([[1.0, np.nan]], 4)
    assert far[0, -1] == np.inf  # no column in common
    assert last[0, -1] == 3
    with pytest.raises(ValueError, match="NaN"):
        KNeighborsClassifier().fit(rows, [0, 0, 1, 1])


def test_what_is_asked_of_a_metric_is_told():
    model = KNeighborsRegressor(p=3).fit(X, Y)
    assert model.effective_metric_ == "minkowski"
    assert model.effective_metric_params_ == {"p": 3.0}
    assert KNeighborsRegressor().fit(X, Y).effective_metric_params_ == {}
    weighted = KNeighborsRegressor(metric_params={"w": W}).fit(X, Y)
    assert weighted.effective_metric_ == "euclidean"
    np.testing.assert_array_equal(weighted.effective_metric_params_["w"], W)
    function = KNeighborsRegressor(metric=third_power).fit(X, Y)
    assert function.effective_metric_ is third_power
    assert function.report_.facts["distance"] == "third_power"
    with pytest.warns(SyntaxWarning, match="takes the place of the parameter p"):
        power = KNeighborsRegressor(metric_params={"p": 3}).fit(X, Y)
    np.testing.assert_array_equal(power.kneighbors(Q)[0], model.kneighbors(Q)[0])


def test_a_power_below_one_is_answered_with_a_warning():
    with pytest.warns(UserWarning, match=r"p = 0.5 < 1 makes no metric"):
        model = KNeighborsRegressor(5, p=0.5).fit(X, Y)
    expected = (np.sqrt(np.abs(Q[:, None] - X)).sum(axis=2) ** 2).argsort(axis=1)
    np.testing.assert_array_equal(model.kneighbors(Q)[1], expected[:, :5])


def test_a_file_keeps_the_parameters_of_a_metric(tmp_path):
    how = {"metric": "seuclidean", "metric_params": {"V": W}}
    model = KNeighborsRegressor(**how).fit(X, Y)
    corollary.save(model, tmp_path / "model.corollary")
    again = corollary.load(tmp_path / "model.corollary")
    np.testing.assert_array_equal(again.predict(Q), model.predict(Q))


@pytest.mark.parametrize(
    ("how", "text"),
    [
        ({"metric": "seuclidean"}, "needs metric_params={'V'"),
        ({"metric": "mahalanobis", "metric_params": {"VI": W}}, r"shape \(4, 4\)"),
        ({"metric_params": {"w": [1.0, np.nan, 1.0, 1.0]}}, "must be numbers"),
        ({"metric_params": {"w": ["a", "b", "c", "d"]}}, "must be numbers"),
        ({"metric": "euclidean", "metric_params": {"V": W}}, "must be {'w'}"),
        ({"metric": "haversine", "metric_params": {"w": W}}, "must be none"),
        ({"metric_params": [("w", W)]}, "metric_params must be None or a dict"),
        ({"metric": "taxi"}, "metric must be one of"),
    ],
)
def test_parameters_that_a_metric_does_not_have_are_refused(how, text):
    with pytest.raises(ParameterError, match=text):
        KNeighborsClassifier(**how).fit(X, Y)


def test_rows_that_a_metric_does_not_take_are_refused():
    with pytest.raises(DataError, match="needs dense rows"):
        KNeighborsClassifier(metric="canberra").fit(sp.csr_array(X), Y)
    dense = KNeighborsClassifier(metric="canberra").fit(X, Y)
    np.testing.assert_array_equal(dense.predict(sp.csr_array(Q)), dense.predict(Q))
    model = KNeighborsClassifier(metric=lambda x, z: -1.0).fit(X, Y)
    with pytest.raises(DataError, match="at least 0"):
        model.predict(Q)


@pytest.mark.parametrize("kind", [sp.csr_array, sp.csc_matrix, sp.lil_array])
def test_distances_of_some_neighbours_are_enough(kind):
    direct = KNeighborsRegressor(5, weights="distance").fit(X, Y)
    among = direct.kneighbors_graph(X, 9, mode="distance")  # with each row itself
    asked = direct.kneighbors_graph(Q, 7, mode="distance")
    model = KNeighborsRegressor(5, weights="distance", metric="precomputed")
    model.fit(kind(among), Y)
    np.testing.assert_allclose(model.predict(kind(asked)), direct.predict(Q))
    np.testing.assert_allclose(model.predict(None), direct.predict(None))
    with pytest.raises(DataError, match="must hold 8 neighbours of each row; got 7"):
        model.kneighbors(kind(asked), 8)
    with pytest.raises(DataError, match="must hold 9 neighbours of each row; got 8"):
        model.kneighbors(n_neighbors=9)
    with pytest.raises(TypeError, match="holds distances of 0"):
        model.predict(sp.dok_array(asked))


def test_a_transformer_finds_the_neighbours_once():
    graph = KNeighborsTransformer(n_neighbors=6, mode="distance")
    chain = make_pipeline(graph, KNeighborsClassifier(5, metric="precomputed"))
    direct = KNeighborsClassifier(5).fit(X, Y)
    np.testing.assert_array_equal(chain.fit(X, Y).predict(Q), direct.predict(Q))
