import numpy as np
import pytest
import sklearn.linear_model
from sklearn.decomposition import PCA
from sklearn.model_selection import PredefinedSplit, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from corollary import LinearRegression, PrincipalComponentRegression, Ridge, engine
from corollary.core.errors import DataError, ParameterError


def make(n=80, d=6, m=None, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d)) @ rng.normal(size=(d, d)) + rng.normal(size=d)
    shape = (d,) if m is None else (d, m)
    noise = rng.normal(size=(n,) if m is None else (n, m))
    return X, X @ rng.normal(size=shape) + noise + 3


@pytest.mark.course("S3-92")
@pytest.mark.parametrize("scale", [True, False])
@pytest.mark.parametrize("m", [None, 2])
def test_all_components_are_least_squares(scale, m):
    X, y = make(m=m)
    for k in (None, 6):
        model = PrincipalComponentRegression(k, scale=scale).fit(X, y)
        exact = LinearRegression().fit(X, y)
        np.testing.assert_allclose(model.coef_, exact.coef_, rtol=1e-8)
        np.testing.assert_allclose(model.intercept_, exact.intercept_, rtol=1e-8)


@pytest.mark.course("S3-92")
@pytest.mark.parametrize("k", [1, 2, 4])
@pytest.mark.parametrize("wide", [False, True])
@pytest.mark.parametrize("scale", [True, False])
def test_is_least_squares_on_the_scores_of_pca(k, wide, scale):
    X, y = make(8 if wide else 80, 12 if wide else 6)
    steps = [StandardScaler(with_std=scale), PCA(k), sklearn.linear_model.Ridge(0)]
    theirs = make_pipeline(*steps).fit(X, y)
    model = PrincipalComponentRegression(k, scale=scale).fit(X, y)
    np.testing.assert_allclose(model.predict(X), theirs.predict(X), rtol=1e-8)
    T = model.transform(X)
    assert T.shape == (len(X), k)
    gram = T.T @ T
    np.testing.assert_allclose(gram, np.diag(np.diag(gram)), atol=1e-8 * gram.max())
    ratio = theirs[1].explained_variance_ratio_
    np.testing.assert_allclose(model.explained_variance_ratio_, ratio, rtol=1e-8)
    np.testing.assert_allclose(T.var(axis=0, ddof=1), model.explained_variance_)


def test_the_factors_are_one_and_zero_where_those_of_a_ridge_fall():
    X, y = make()
    _, s, V = np.linalg.svd(X - X.mean(axis=0), full_matrices=False)
    ls = V @ LinearRegression().fit(X, y).coef_
    part = V @ PrincipalComponentRegression(3, scale=False).fit(X, y).coef_ / ls
    np.testing.assert_allclose(part, [1, 1, 1, 0, 0, 0], atol=1e-9)
    part = V @ Ridge(5.0).fit(X, y).coef_ / ls
    np.testing.assert_allclose(part, s**2 / (s**2 + 5), rtol=1e-8)


def test_the_number_of_components_by_variance_kept():
    X, y = make()
    shares = np.cumsum(
        PrincipalComponentRegression(scale=False).fit(X, y).explained_variance_ratio_
    )
    for share in (0.3, 0.8, 0.99):
        model = PrincipalComponentRegression(share, scale=False).fit(X, y)
        assert model.n_components_ == 1 + int((shares < share).sum())


@pytest.mark.course("S3-92")
@pytest.mark.parametrize("n", [81, 9])
def test_the_number_of_components_by_cross_validation(n):
    X, y = make(n, 6 if n > 50 else 12, seed=4)
    model = PrincipalComponentRegression("cv", n_folds=4).fit(X, y)
    folds = PredefinedSplit(np.arange(n) % 4)
    errors = []
    for k in range(1, len(model.cv_errors_) + 1):
        one = PrincipalComponentRegression(k)
        mse = -cross_val_score(one, X, y, cv=folds, scoring="neg_mean_squared_error")
        errors.append(np.average(mse, weights=np.bincount(np.arange(n) % 4)))
    np.testing.assert_allclose(model.cv_errors_, errors, rtol=1e-7)
    assert model.n_components_ == 1 + int(np.argmin(errors))


def test_dependent_columns_and_too_many_components():
    X, y = make()
    X = np.column_stack([X, X[:, 0] - X[:, 1]])
    model = PrincipalComponentRegression(7, scale=False).fit(X, y)
    assert model.n_components_ == 6
    assert "only 6 have any part" in model.report_.warnings[0]
    exact = LinearRegression().fit(X, y)  # the shortest solution
    np.testing.assert_allclose(model.coef_, exact.coef_, rtol=1e-7)


def test_keeps_digits_where_the_moments_would_lose_them():
    t = np.linspace(0, 1, 50)
    X = np.vander(t, 9)[:, :-1] + 1
    model = PrincipalComponentRegression().fit(X, np.cos(3 * t))
    assert model.report_.facts["route"] == "qr"
    exact = LinearRegression().fit(X, np.cos(3 * t))
    np.testing.assert_allclose(model.coef_, exact.coef_, rtol=1e-5)


def test_a_stream_of_batches_is_one_batch():
    X, y = make()
    model = PrincipalComponentRegression("cv")
    for a in range(0, 80, 20):
        model.partial_fit(X[a : a + 20], y[a : a + 20])
    with engine.use(chunk_rows=7):
        whole = PrincipalComponentRegression("cv").fit(X, y)
    np.testing.assert_allclose(model.coef_, whole.coef_, rtol=1e-8)


def test_bad_input():
    X, y = make()
    with pytest.raises(ParameterError, match="n_components must be None or a whole"):
        PrincipalComponentRegression(0).fit(X, y)
    with pytest.raises(DataError, match="needs rows in 2 folds; got 1"):
        PrincipalComponentRegression("cv", n_folds=3).fit(
            lambda: iter([(X[:1], y[:1])])
        )
