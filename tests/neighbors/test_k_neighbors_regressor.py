"""The mean of the neighbours' targets."""

import numpy as np
import pytest
from sklearn.neighbors import KNeighborsRegressor as Peer

from corollary import KNeighborsRegressor, load, save


def rows(seed=0, n=300, d=3, m=None):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    return X, X[:, 0] + rng.normal(size=n if m is None else (m, n)).T.T


@pytest.mark.parametrize("weights", ["uniform", "distance", lambda r: np.exp(-r)])
@pytest.mark.parametrize("outputs", [1, 2])
def test_equals_scikit_learn(weights, outputs):
    rng = np.random.default_rng(0)
    X, Q = rng.normal(size=(300, 3)), rng.normal(size=(100, 3))
    Y = rng.normal(size=(300, outputs))
    y = Y[:, 0] if outputs == 1 else Y
    ours = KNeighborsRegressor(6, weights=weights).fit(X, y)
    peer = Peer(6, weights=weights, algorithm="kd_tree").fit(X, y)  # exact distances
    np.testing.assert_allclose(ours.predict(Q), peer.predict(Q), rtol=1e-9)
    np.testing.assert_allclose(ours.predict(X), peer.predict(X), rtol=1e-9)
    assert ours.score(Q, y[:100]) == pytest.approx(peer.score(Q, y[:100]))


def test_all_rows_as_neighbours_give_the_mean_and_one_gives_the_row():
    rng = np.random.default_rng(1)
    X, y = rng.normal(size=(40, 2)), rng.normal(size=40)
    np.testing.assert_allclose(
        KNeighborsRegressor(40).fit(X, y).predict(X), np.full(40, y.mean())
    )
    assert (KNeighborsRegressor(1).fit(X, y).predict(X) == y).all()


def test_the_variance_of_the_answer_is_that_of_the_noise_over_k():
    X = np.linspace(0, 1, 400)[:, None]
    draws = np.random.default_rng(2).normal(size=(300, 400))
    for k in (1, 4, 16):
        answers = KNeighborsRegressor(k).fit(X, draws.T).predict([[0.5]])
        assert answers.var() == pytest.approx(1 / k, rel=0.3)


def test_float32_stays_float32_and_files_hold_the_rows(tmp_path):
    rng = np.random.default_rng(3)
    X, y = rng.normal(size=(50, 2)).astype(np.float32), rng.normal(size=50)
    model = KNeighborsRegressor().fit(X, y)
    assert model.predict(X).dtype == np.float32
    save(model, tmp_path / "model.corollary")
    again = load(tmp_path / "model.corollary")
    assert (again.predict(X) == model.predict(X)).all()
    assert model.report_.facts["n_rows_kept"] == 50
