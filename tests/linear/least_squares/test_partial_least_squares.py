import numpy as np
import pytest
import scipy.sparse as sp
import sklearn.cross_decomposition
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.model_selection import PredefinedSplit, cross_val_score

from corollary import LinearRegression, PLSRegression, PrincipalComponentRegression
from corollary.core.errors import DataError, ParameterError


def make(n=60, d=6, m=None, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d)) @ rng.normal(size=(d, d)) + rng.normal(size=d)
    shape = (d,) if m is None else (d, m)
    noise = rng.normal(size=(n,) if m is None else (n, m))
    return X, X @ rng.normal(size=shape) + noise + 3


@pytest.mark.course("S3-93")
@pytest.mark.parametrize("m", [None, 1, 3])
@pytest.mark.parametrize("k", [1, 2, 4])
@pytest.mark.parametrize("scale", [True, False])
@pytest.mark.parametrize("wide", [False, True])
def test_agrees_with_scikit_learn(m, k, scale, wide):
    X, y = make(9 if wide else 60, 15 if wide else 6, m)
    ours = PLSRegression(k, scale=scale).fit(X, y)
    options = {"scale": scale, "tol": 1e-30, "max_iter": 20000}
    theirs = sklearn.cross_decomposition.PLSRegression(k, **options).fit(X, y)
    for name in ("x_weights_", "x_loadings_", "x_rotations_", "y_loadings_", "coef_"):
        a, b = getattr(ours, name), getattr(theirs, name)
        assert a.shape == b.shape
        np.testing.assert_allclose(a, b, rtol=1e-7, atol=1e-9 * np.abs(b).max())
    assert ours.predict(X).shape == y.shape
    np.testing.assert_allclose(ours.predict(X), theirs.predict(X), rtol=1e-8)
    np.testing.assert_allclose(ours.transform(X), theirs.transform(X), atol=1e-7)
    np.testing.assert_allclose(
        X @ ours.coef_.T + ours.intercept_,
        theirs.predict(X).reshape(len(X), -1),
        rtol=1e-8,
    )
    T, U = ours.fit_transform(X, y)
    np.testing.assert_allclose(T, theirs.x_scores_, atol=1e-7)
    assert U.shape == T.shape


@pytest.mark.course("S3-93")
def test_the_first_direction_is_proportional_to_the_covariances():
    X, y = make()
    w = PLSRegression(1, scale=False).fit(X, y).x_weights_[:, 0]
    c = (X - X.mean(axis=0)).T @ (y - y.mean())
    np.testing.assert_allclose(np.abs(w @ c), np.linalg.norm(c), rtol=1e-12)
    scaled = PLSRegression(1).fit(X, y).x_weights_[:, 0]
    c = c / X.std(axis=0)
    np.testing.assert_allclose(np.abs(scaled @ c), np.linalg.norm(c), rtol=1e-12)
    # no direction of length 1 covaries more
    rng = np.random.default_rng(1)
    V = rng.normal(size=(1000, 6))
    V /= np.linalg.norm(V, axis=1, keepdims=True)
    covariance = np.abs((X / X.std(axis=0) @ V.T - 0).T @ (y - y.mean()))
    assert covariance.max() <= np.linalg.norm(c)


@pytest.mark.course("S3-93")
@given(seed=st.integers(0, 2**31), d=st.integers(1, 6))
@settings(max_examples=25, deadline=None)
def test_all_components_are_least_squares_and_the_scores_are_uncorrelated(seed, d):
    X, y = make(40, d, seed=seed)
    model = PLSRegression(d).fit(X, y)
    exact = LinearRegression().fit(X, y)
    np.testing.assert_allclose(model.predict(X), exact.predict(X), rtol=1e-6, atol=1e-6)
    T = model.transform(X)
    gram = T.T @ T
    size = np.sqrt(np.outer(np.diag(gram), np.diag(gram)))
    np.testing.assert_allclose(gram / size, np.eye(T.shape[1]), atol=1e-6)


@pytest.mark.course("S3-93")
def test_needs_fewer_components_than_principal_ones():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 10)) * np.linspace(5, 1, 10)
    y = X[:, 9] + 0.1 * rng.normal(size=200)  # the axis of least variance
    pls = PLSRegression(2, scale=False).fit(X, y).score(X, y)
    pcr = PrincipalComponentRegression(2, scale=False).fit(X, y).score(X, y)
    assert pls > 0.15 > 0.05 > pcr
    scores = [PLSRegression(k, scale=False).fit(X, y).score(X, y) for k in range(1, 11)]
    assert (np.diff(scores) > -1e-12).all()


@pytest.mark.parametrize("m", [None, 2])
def test_the_number_of_components_by_cross_validation(m):
    X, y = make(50, 6, m, seed=2)
    model = PLSRegression("cv").fit(X, y)
    folds = PredefinedSplit(np.arange(50) % 5)
    for k, error in enumerate(model.cv_errors_, start=1):
        scoring = "neg_mean_squared_error"
        mse = -cross_val_score(PLSRegression(k), X, y, cv=folds, scoring=scoring)
        assert error == pytest.approx(mse.mean() * (m or 1), rel=1e-8)
    assert model.n_components_ == 1 + int(np.argmin(model.cv_errors_))


def test_sparse_rows():
    X, y = make()
    X = np.where(np.abs(X) < 1, 0.0, X)
    dense, sparse = (PLSRegression(3).fit(A, y) for A in (X, sp.csr_matrix(X)))
    np.testing.assert_allclose(dense.coef_, sparse.coef_, rtol=1e-9)
    np.testing.assert_allclose(
        dense.transform(X), sparse.transform(sp.csr_matrix(X)), atol=1e-9
    )


def test_a_target_that_never_moves_and_one_that_is_spent():
    X, _ = make()
    with pytest.warns(UserWarning, match="PLSRegression: y is constant"):
        model = PLSRegression(2).fit(X, np.full(60, 3.0))
    assert model.n_components_ == 0
    np.testing.assert_allclose(model.predict(X), 3.0)
    for k in (2, "cv"):  # nor is there anything in columns that never move
        still = PLSRegression(k).fit(np.ones((6, 2)), np.arange(6.0))
        np.testing.assert_allclose(still.predict(np.ones((1, 2))), 2.5)
    Q = np.linalg.qr(X - X.mean(axis=0))[0]
    model = PLSRegression(4, scale=False).fit(Q, Q @ np.arange(6.0))
    assert model.n_components_ == 1  # orthonormal columns: one step is all
    np.testing.assert_allclose(model.coef_[0], np.arange(6.0), atol=1e-12)
    assert "only 1 have any part in y" in model.report_.warnings[0]


def test_bad_input():
    X, y = make()
    with pytest.raises(ParameterError, match="n_components must be a whole number >="):
        PLSRegression(0).fit(X, y)
    for rows, most in ((60, 6), (4, 4)):
        words = f"at most min\\(n_samples, n_features\\) = {most}; got 7"
        with pytest.raises(ParameterError, match=words):
            PLSRegression(7).fit(X[:rows], y[:rows])
    with pytest.raises(DataError, match="PLSRegression: n_samples must be at least 2"):
        PLSRegression(1).fit(X[:1], y[:1])
    with pytest.raises(DataError, match="y must have as many rows as X = 60; got 59"):
        PLSRegression(1).fit(X, y).transform(X, y[:59])


def test_components_have_names_and_come_as_a_frame():
    pandas = pytest.importorskip("pandas")
    X = np.random.default_rng(0).normal(size=(30, 4))
    Y = X[:, :2] @ np.ones((2, 2))
    model = PLSRegression(2).set_output(transform="pandas").fit(X, Y)
    names = model.get_feature_names_out().tolist()
    assert names == ["plsregression0", "plsregression1"]
    T, U = model.transform(X, Y)
    assert isinstance(T, pandas.DataFrame)
    assert isinstance(U, np.ndarray)
    assert list(T.columns) == names
    np.testing.assert_array_equal(T, PLSRegression(2).fit(X, Y).transform(X))
