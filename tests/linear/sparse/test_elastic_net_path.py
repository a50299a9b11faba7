import numpy as np
import pytest
import scipy.sparse as sp
import sklearn.linear_model

from corollary import ElasticNet, ElasticNetCV, Lasso
from corollary.core.errors import DataError, ParameterError
from corollary.linear import alpha_grid, enet_path, lasso_path


def make(n=50, d=10, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    return X, X[:, :3] @ [2.0, -1.0, 0.5] + rng.normal(size=n)


@pytest.mark.course("S3-91")
@pytest.mark.parametrize("shape", [(50, 10), (30, 250)])
@pytest.mark.parametrize("positive", [False, True])
def test_agrees_with_scikit_learn(shape, positive):
    X, y = make(*shape)
    more = {"positive": positive, "max_iter": 100_000, "n_alphas": 15, "eps": 0.01}
    for ours, theirs in (
        (enet_path, sklearn.linear_model.enet_path),
        (lasso_path, sklearn.linear_model.lasso_path),
    ):
        alphas, coefs, gaps, epochs = ours(X, y, tol=1e-12, return_n_iter=True, **more)
        wanted = theirs(X, y, tol=1e-13, alphas=alphas, positive=positive)
        highest = (X.T @ y if positive else np.abs(X.T @ y)).max() / len(y)
        rho = 0.5 if ours is enet_path else 1.0
        np.testing.assert_allclose(alphas, highest / rho * np.geomspace(1, 0.01, 15))
        np.testing.assert_allclose(coefs, wanted[1], atol=1e-6)
        assert gaps.max() <= 1e-12 * (y @ y) / len(y)
        assert len(epochs) == 15


@pytest.mark.course("S3-91")
def test_begins_at_zero_and_is_the_lasso_at_every_alpha():
    X, y = make()
    path = lasso_path(X, y, tol=1e-13, n_alphas=30, max_iter=10**5)
    alphas, coefs, _ = path
    assert path.coefs is coefs
    assert "dual_gaps" in str(path)
    assert not coefs[:, 0].any()
    sizes = np.abs(coefs).sum(axis=0)
    assert (np.diff(sizes) > -1e-9).all()
    for j in (3, 12, 29):
        model = Lasso(alphas[j], fit_intercept=False, tol=1e-13, max_iter=10**5)
        np.testing.assert_allclose(coefs[:, j], model.fit(X, y).coef_, atol=1e-8)


def test_sparse_weights_start_and_given_alphas():
    X, y = make()
    X *= np.random.default_rng(1).random(X.shape) < 0.5
    w = np.random.default_rng(2).integers(0, 3, 50)
    more = {"alphas": [0.1, 0.5], "tol": 1e-13, "max_iter": 10**5}
    alphas, coefs, _ = enet_path(sp.csr_array(X), y, sample_weight=w, **more)
    assert alphas.tolist() == [0.5, 0.1]
    rows = np.repeat(np.arange(50), w)
    _, again, _ = enet_path(X[rows], y[rows], coef_init=np.ones(10), **more)
    np.testing.assert_allclose(coefs, again, atol=1e-9)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"l1_ratio": 1.5}, r"enet_path: l1_ratio must be a number in \[0, 1\]; got 1"),
        ({"l1_ratio": 0.0}, "enet_path: l1_ratio must be above 0 for a grid"),
        ({"eps": 2}, r"enet_path: eps must be a number in \(0, 1\]; got 2"),
        ({"alphas": [-1.0]}, "enet_path: alphas must be >= 0; got -1"),
        ({"n_alphas": 0}, "enet_path: n_alphas must be a whole number >= 1; got 0"),
    ],
)
def test_bad_parameters(parameters, message):
    with pytest.raises(ParameterError, match=message):
        enet_path(*make(), **parameters)


def test_bad_data():
    X, y = make()
    with pytest.raises(DataError, match="enet_path: y must have as many rows as X"):
        enet_path(X, y[:-1])
    X[3, 2] = np.nan
    with pytest.raises(DataError, match="NaN in row 3, column 2"):
        lasso_path(X, y)


@pytest.mark.parametrize("positive", [False, True])
@pytest.mark.parametrize("fit_intercept", [False, True])
def test_the_grid_begins_where_the_first_coefficient_leaves_zero(
    fit_intercept, positive
):
    X, y = make()
    w = np.random.default_rng(2).integers(0, 3, 50)
    given = {"fit_intercept": fit_intercept, "positive": positive}
    alphas = alpha_grid(
        X, y, l1_ratio=0.5, n_alphas=4, eps=0.1, sample_weight=w, **given
    )
    np.testing.assert_allclose(alphas, alphas[0] * np.geomspace(1, 0.1, 4))
    for factor, count in ((1 + 1e-6, 0), (1 - 1e-3, 1)):
        model = ElasticNet(factor * alphas[0], l1_ratio=0.5, tol=1e-12, **given)
        assert np.count_nonzero(model.fit(X, y, w).coef_) == count
    chosen = ElasticNetCV(alphas=4, eps=0.1, l1_ratio=0.5, cv=3, **given)
    found = chosen.fit(X, y, w).alphas_
    np.testing.assert_allclose(found, alphas)
    sparse = alpha_grid(
        sp.csr_array(X), y, l1_ratio=0.5, n_alphas=4, eps=0.1, sample_weight=w, **given
    )
    np.testing.assert_allclose(sparse, alphas)


def test_misuse_of_the_grid():
    X, y = make()
    with pytest.raises(ParameterError, match="alpha_grid: l1_ratio must be above 0"):
        alpha_grid(X, y, l1_ratio=0.0)
    with pytest.raises(ParameterError, match="alpha_grid: n_alphas must be a whole"):
        alpha_grid(X, y, n_alphas=0)
    with pytest.raises(DataError, match="alpha_grid: y must have as many rows as X"):
        alpha_grid(X, y[1:])
