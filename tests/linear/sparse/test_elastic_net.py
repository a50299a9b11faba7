import numpy as np
import pytest
import scipy.sparse as sp
import sklearn.linear_model

from corollary import ElasticNet, ElasticNetCV, Lasso, Ridge
from corollary.core.errors import DataError, ParameterError

TIGHT = {"tol": 1e-12, "max_iter": 100_000}


def make(n=80, d=6, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d)) + rng.normal(size=d)
    return X, X[:, :3] @ [2.0, -1.0, 0.5] + rng.normal(size=n) + 1


@pytest.mark.parametrize("shape", [(80, 6), (40, 300)])
@pytest.mark.parametrize("rho", [0.1, 0.7, 1.0])
@pytest.mark.parametrize("positive", [False, True])
def test_agrees_with_scikit_learn(shape, rho, positive):
    X, y = make(*shape)
    w = np.random.default_rng(1).uniform(0, 2, len(y))
    more = {"l1_ratio": rho, "positive": positive, "max_iter": 100_000}
    theirs = sklearn.linear_model.ElasticNet(0.1, tol=1e-14, **more).fit(X, y, w)
    for kind in (X, sp.csr_array(X)):
        ours = ElasticNet(0.1, tol=1e-12, **more).fit(kind, y, w)
        np.testing.assert_allclose(ours.coef_, theirs.coef_, atol=1e-7)
        assert ours.intercept_ == pytest.approx(theirs.intercept_, abs=1e-7)


@pytest.mark.parametrize("shape", [(80, 6), (40, 300)])
@pytest.mark.parametrize("rho", [0.2, 0.9])
def test_is_the_lasso_on_augmented_rows(shape, rho):
    X, y = make(*shape)
    n, d = shape
    alpha = 0.2
    Xc, yc = X - X.mean(axis=0), y - y.mean()
    rows = np.vstack([Xc, np.sqrt(n * alpha * (1 - rho)) * np.eye(d)])  # (2)
    target = np.concatenate([yc, np.zeros(d)])
    share = alpha * rho * n / (n + d)  # the lasso divides by its number of rows
    lasso = Lasso(share, fit_intercept=False, **TIGHT).fit(rows, target)
    model = ElasticNet(alpha, l1_ratio=rho, **TIGHT).fit(X, y)
    np.testing.assert_allclose(model.coef_, lasso.coef_, atol=1e-8)


@pytest.mark.parametrize("shape", [(80, 6), (40, 300)])
def test_its_ends_are_the_lasso_and_ridge(shape):
    X, y = make(*shape)
    lasso, net = Lasso(0.1, **TIGHT), ElasticNet(0.1, l1_ratio=1.0, **TIGHT)
    np.testing.assert_array_equal(net.fit(X, y).coef_, lasso.fit(X, y).coef_)
    net = ElasticNet(0.3, l1_ratio=0.0, **TIGHT).fit(X, y)
    ridge = Ridge(0.3 * len(y)).fit(X, y)
    np.testing.assert_allclose(net.coef_, ridge.coef_, atol=1e-7)
    assert net.dual_gap_ <= 1e-12 * y.var()
    assert net.intercept_ == pytest.approx(ridge.intercept_, abs=1e-6)


def test_keeps_equal_columns_together():
    X, y = make()
    X = np.column_stack([X, X[:, 0]])
    model = ElasticNet(0.1, **TIGHT).fit(X, y)
    assert model.coef_[0] == pytest.approx(model.coef_[-1], abs=1e-9)
    assert model.coef_[0] > 0.5


@pytest.mark.parametrize("ratio", [-0.1, 1.5])
def test_bad_parameters(ratio):
    X, y = make()
    message = rf"ElasticNet: l1_ratio must be a number in \[0, 1\]; got {ratio}\."
    with pytest.raises(ParameterError, match=message):
        ElasticNet(l1_ratio=ratio).fit(X, y)
    with pytest.raises(ParameterError, match="ElasticNet: alpha must be a number >= 0"):
        ElasticNet(alpha=-1).fit(X, y)
    with pytest.raises(ParameterError, match="ElasticNetCV: l1_ratio must"):
        ElasticNetCV(l1_ratio=[0.5, ratio]).fit(X, y)


@pytest.mark.parametrize("shape", [(80, 6), (50, 250)])
def test_cross_validation_agrees_with_scikit_learn(shape):
    X, y = make(*shape)
    more = {"l1_ratio": [0.3, 0.9], "alphas": 12, "eps": 0.01, "max_iter": 100_000}
    ours = ElasticNetCV(tol=1e-12, cv=3, **more).fit(X, y)
    theirs = sklearn.linear_model.ElasticNetCV(tol=1e-12, cv=3, **more).fit(X, y)
    np.testing.assert_allclose(ours.alphas_, theirs.alphas_, rtol=1e-10)
    np.testing.assert_allclose(ours.mse_path_, theirs.mse_path_, rtol=1e-6)
    assert (ours.alpha_, ours.l1_ratio_) == pytest.approx(
        (theirs.alpha_, theirs.l1_ratio_)
    )
    np.testing.assert_allclose(ours.coef_, theirs.coef_, atol=1e-6)


def test_a_grid_needs_some_lasso():
    X, y = make()
    with pytest.raises(ParameterError, match="l1_ratio must be above 0 for a grid"):
        ElasticNetCV(l1_ratio=0.0).fit(X, y)
    model = ElasticNetCV(l1_ratio=0.0, alphas=[1.0, 0.01], tol=1e-10).fit(X, y)
    ridge = Ridge(model.alpha_ * len(y)).fit(X, y)
    np.testing.assert_allclose(model.coef_, ridge.coef_, atol=1e-6)


def test_penalties_that_are_given_are_one_grid_for_every_share():
    X = np.random.default_rng(0).normal(size=(60, 3))
    y = X @ [3.0, 0.0, -2.0]
    options = {"l1_ratio": [0.1, 0.9], "cv": 3}
    model = ElasticNetCV(alphas=[0.1, 1.0], **options).fit(X, y)
    assert model.alphas_.tolist() == [1.0, 0.1]
    assert ElasticNetCV(alphas=2, **options).fit(X, y).alphas_.shape == (2, 2)


@pytest.mark.parametrize("weighted", [False, True])
def test_a_gram_matrix_that_is_given_must_be_that_of_the_rows(weighted):
    X, y = make()
    w = np.random.default_rng(1).uniform(0.5, 2.0, len(y)) if weighted else None
    plain = ElasticNet(alpha=0.1).fit(X, y, w).coef_
    share = np.ones(len(y)) if w is None else w / w.mean()
    centred = X - np.average(X, axis=0, weights=w)
    model = ElasticNet(alpha=0.1, precompute=(centred.T * share) @ centred)
    np.testing.assert_allclose(model.fit(X, y, w).coef_, plain)
    model.set_params(precompute=(X.T * share) @ X)
    with pytest.warns(UserWarning, match="not centred, as an intercept needs"):
        np.testing.assert_allclose(model.fit(X, y, w).coef_, plain)
    for wrong in (np.eye(6), np.eye(5)):
        with pytest.raises(DataError, match="must be the Gram matrix of X, of shape"):
            model.set_params(precompute=wrong).fit(X, y, w)
