import numpy as np
import pytest
import scipy.sparse as sp
import sklearn.cross_decomposition
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import PredefinedSplit, cross_val_score

from corollary import (
    LinearRegression,
    PLSRegression,
    PrincipalComponentRegression,
    config_context,
    load,
    save,
)
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


@pytest.mark.parametrize("m", [1, 3])
@pytest.mark.parametrize("sparse", [False, True])
def test_scores_of_the_training_rows_are_scikit_learns(m, sparse):
    rng = np.random.default_rng(2)
    X, Y = rng.normal(size=(50, 6)), rng.normal(size=(50, m))
    ours = PLSRegression(3).fit(sp.csr_array(X) if sparse else X, Y)
    theirs = sklearn.cross_decomposition.PLSRegression(3, tol=1e-13, max_iter=10**5)
    theirs.fit(X, Y)
    sign = np.sign((ours.x_weights_ * theirs.x_weights_).sum(axis=0))
    np.testing.assert_allclose(ours.x_scores_, theirs.x_scores_ * sign, atol=1e-6)
    np.testing.assert_allclose(ours.y_scores_, theirs.y_scores_ * sign, atol=1e-5)
    np.testing.assert_allclose(ours.transform(X, copy=False), ours.x_scores_)
    ours.partial_fit(X, Y)
    assert not hasattr(ours, "x_scores_")
    with config_context(memory_limit=1000):
        assert not hasattr(PLSRegression(3).fit(X, Y), "x_scores_")


@pytest.mark.parametrize("m", [None, 1, 3])
@pytest.mark.parametrize("scale", [True, False])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_rows_and_targets_come_back_from_their_components(m, scale, dtype):
    X, y = make(m=m)
    X, y = X.astype(dtype), y.astype(dtype)
    options = {"scale": scale, "tol": 1e-30, "max_iter": 20000}
    theirs = sklearn.cross_decomposition.PLSRegression(2, **options).fit(X, y)
    ours = PLSRegression(2, scale=scale).fit(X, y)
    rtol = 1e-7 if dtype == np.float64 else 1e-3
    pairs = (
        ours.inverse_transform(*ours.transform(X, y)),
        theirs.inverse_transform(*theirs.transform(X, y)),
    )
    for a, b in zip(*pairs, strict=True):
        assert a.dtype == dtype
        np.testing.assert_allclose(a, b, rtol=rtol, atol=rtol * np.abs(b).max())
    T = ours.x_scores_
    np.testing.assert_allclose(ours.inverse_transform(T), pairs[0][0], rtol=rtol)
    full = PLSRegression(6, scale=scale).fit(X, y)  # the whole rank: nothing is lost
    back = full.inverse_transform(full.transform(X))
    np.testing.assert_allclose(back, X, rtol=1e-7, atol=1e-2 * rtol * np.abs(X).max())


def test_components_that_do_not_fit_are_refused():
    X, y = make()
    model = PLSRegression(2).fit(X, y)
    with pytest.raises(DataError, match="X must have 2 columns, one a component; got"):
        model.inverse_transform(np.ones((4, 3)))
    with pytest.raises(DataError, match="y must have as many rows as X = 4; got 3"):
        model.inverse_transform(np.ones((4, 2)), np.ones((3, 2)))
    with pytest.raises(DataError, match=r"PLSRegression: .*NaN"):
        model.inverse_transform(np.full((4, 2), np.nan))
    with pytest.raises(NotFittedError):
        PLSRegression().inverse_transform(np.ones((4, 2)))


def test_a_model_file_tells_no_scores_of_training_rows(tmp_path):
    X, y = make()
    model = PLSRegression(6).fit(X, y)  # from whose scores the rows come back
    save(model, tmp_path / "model")
    again = load(tmp_path / "model")
    assert not hasattr(again, "x_scores_")
    assert not hasattr(again, "y_scores_")
    np.testing.assert_array_equal(again.transform(X), model.transform(X))
    content = (tmp_path / "model").read_bytes()
    assert not any(row.tobytes() in content for row in model.x_scores_)
