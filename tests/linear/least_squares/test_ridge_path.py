import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from corollary import LinearRegression, Ridge, RidgeCV, engine
from corollary.core.errors import ParameterError
from corollary.linear.least_squares.ridge_path import ridge_path

ALPHAS = np.array([0.01, 1.0, 30.0, 1e3])


def make(n=40, d=5, m=None, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d)) @ rng.normal(size=(d, d)) + rng.normal(size=d)
    shape = (d,) if m is None else (d, m)
    noise = rng.normal(size=(n,) if m is None else (n, m))
    return X, X @ rng.normal(size=shape) + noise + 3


def left_out_errors(X, y, alpha, w=None, **options):
    """Fit n times, each time without one row."""
    w = np.ones(len(y)) if w is None else w
    errors = []
    for i in range(len(y)):
        rest = np.arange(len(y)) != i
        model = Ridge(alpha, **options).fit(X[rest], y[rest], w[rest])
        errors.append(y[i] - model.predict(X[[i]])[0])
    return np.array(errors)


@pytest.mark.course("S3-90")
def test_degrees_of_freedom_are_the_trace_of_the_hat_matrix():
    # four inputs, w = (1, 2, 3, 4), uncorrelated or strongly correlated
    rng = np.random.default_rng(0)
    w, alphas = np.array([1.0, 2.0, 3.0, 4.0]), np.logspace(-4, 6, 21)
    for correlation in (0.0, 0.95):
        S = np.full((4, 4), correlation) + (1 - correlation) * np.eye(4)
        X = rng.normal(size=(100, 4)) @ np.linalg.cholesky(S).T
        y = X @ w + rng.normal(size=100)
        path = ridge_path(X, y, np.append(0.0, alphas))
        Xc = X - X.mean(axis=0)
        d2 = np.linalg.svd(Xc, compute_uv=False) ** 2
        for alpha, df, coef in zip(path.alphas, path.df, path.coefs, strict=True):
            H = Xc @ np.linalg.solve(Xc.T @ Xc + alpha * np.eye(4), Xc.T)
            assert df == pytest.approx(np.trace(H), rel=1e-9)
            assert df == pytest.approx((d2 / (d2 + alpha)).sum(), rel=1e-9)
            np.testing.assert_allclose(coef, Ridge(alpha).fit(X, y).coef_, rtol=1e-8)
        assert path.df[0] == pytest.approx(4)  # the rank
        assert (np.diff(path.df) < 0).all()
        np.testing.assert_allclose(path.coefs[-1], 0, atol=1e-2)


@pytest.mark.course("S3-90")
def test_shrinks_least_squares_axis_by_axis():
    X, y = make(60, 4)
    path = ridge_path(X, y, ALPHAS, leave_one_out=False)
    assert path.loo is None
    _, s, V = np.linalg.svd(X - X.mean(axis=0), full_matrices=False)
    ls = V @ LinearRegression().fit(X, y).coef_
    for alpha, coef in zip(ALPHAS, path.coefs, strict=True):
        np.testing.assert_allclose(V @ coef, s**2 / (s**2 + alpha) * ls, rtol=1e-8)
    # orthonormal columns: all shrink by 1 / (1 + alpha)
    Q = np.linalg.qr(X - X.mean(axis=0))[0]
    path = ridge_path(Q, y, ALPHAS)
    expected = (Q.T @ y)[None, :] / (1 + ALPHAS[:, None])
    np.testing.assert_allclose(path.coefs, expected, rtol=1e-9)
    np.testing.assert_allclose(path.df, 4 / (1 + ALPHAS), rtol=1e-12)


@pytest.mark.course("S3-99", "S3-90")
@pytest.mark.parametrize("n", [40, 4])
@pytest.mark.parametrize("options", [{}, {"fit_intercept": False}])
@pytest.mark.parametrize("weighted", [False, True])
def test_leave_one_out_is_exact(n, options, weighted):
    X, y = make(n, 5)
    w = np.random.default_rng(5).uniform(0.5, 3, n) if weighted else None
    path = ridge_path(X, y, ALPHAS, sample_weight=w, **options)
    for alpha, loo in zip(ALPHAS, path.loo, strict=True):
        errors = left_out_errors(X, y, alpha, w, **options)
        expected = np.average(errors**2, weights=w)
        assert loo == pytest.approx(expected, rel=1e-8)


def test_leave_one_out_with_a_penalised_intercept():
    X, y = make(30, 4)
    path = ridge_path(X, y, ALPHAS, penalize_intercept=True)
    for i, alpha in enumerate(ALPHAS):
        model = Ridge(alpha, penalize_intercept=True).fit(X, y)
        np.testing.assert_allclose(path.coefs[i], model.coef_, rtol=1e-8)
        assert path.intercepts[i] == pytest.approx(model.intercept_, rel=1e-8)
        errors = left_out_errors(X, y, alpha, penalize_intercept=True)
        assert path.loo[i] == pytest.approx((errors**2).mean(), rel=1e-8)


def test_leave_one_out_of_an_interpolating_fit():
    X, y = make(6, 20)  # alpha = 0 fits every row, and yet (6) is finite
    path = ridge_path(X, y, [0.0, 1e-9])
    errors = []
    for i in range(6):
        rest = np.arange(6) != i
        model = LinearRegression().fit(X[rest], y[rest])
        errors.append(y[i] - model.predict(X[[i]])[0])
    assert path.loo == pytest.approx(2 * [np.mean(np.square(errors))], rel=1e-6)


@pytest.mark.course("S3-90")
def test_generalised_cross_validation():
    X, y = make(40, 5)
    path = ridge_path(X, y, ALPHAS)
    n = len(y)
    for i, alpha in enumerate(ALPHAS):
        rss = ((y - Ridge(alpha).fit(X, y).predict(X)) ** 2).sum()
        assert path.residuals[i] == pytest.approx(rss, rel=1e-9)
        gcv = rss / n / (1 - (path.df[i] + 1) / n) ** 2
        assert path.gcv[i] == pytest.approx(gcv, rel=1e-9)
    assert path.best("loo") == ALPHAS[np.argmin(path.loo)]
    assert path.best("gcv") == ALPHAS[np.argmin(path.gcv)]


@given(seed=st.integers(0, 2**31), n=st.integers(8, 60), rows=st.integers(1, 30))
@settings(max_examples=20, deadline=None)
def test_chunks_sparse_rows_and_targets_change_nothing(seed, n, rows):
    X, Y = make(n, 3, m=2, seed=seed)
    X = np.where(np.abs(X) < 0.5, 0.0, X)
    whole = ridge_path(X, Y, ALPHAS)
    with engine.use(chunk_rows=rows):
        sparse = ridge_path(sp.csr_matrix(X), Y, ALPHAS)
    single = ridge_path(X, Y[:, 1], ALPHAS)
    for name in ("coefs", "intercepts", "df", "residuals", "gcv", "loo"):
        a, b = getattr(whole, name), getattr(sparse, name)
        np.testing.assert_allclose(a, b, rtol=1e-7, atol=1e-9 * np.abs(a).max())
        if name != "df":
            np.testing.assert_allclose(
                getattr(single, name), a[:, 1], rtol=1e-7, atol=1e-9
            )


def test_works_on_any_data_that_can_be_read_twice():
    X, y = make(40, 3)

    def again():
        yield from ((X[a : a + 7], y[a : a + 7]) for a in range(0, 40, 7))

    path = ridge_path(engine.ChunkSource(again), alphas=ALPHAS)
    np.testing.assert_allclose(path.loo, ridge_path(X, y, ALPHAS).loo, rtol=1e-9)
    with engine.use(chunk_rows=10):
        model = RidgeCV(ALPHAS).fit(again)
    assert model.alpha_ == path.best()


def test_keeps_digits_where_the_moments_would_lose_them():
    t = np.linspace(0, 1, 50)
    X = np.vander(t, 9)[:, :-1] + 100
    y = np.cos(3 * t)
    path = ridge_path(X, y, [1e-12, 1e-8])
    Xc = X - X.mean(axis=0)
    U, s, V = np.linalg.svd(Xc, full_matrices=False)
    for alpha, coef in zip(path.alphas, path.coefs, strict=True):
        expected = V.T @ (s / (s**2 + alpha) * (U.T @ y))
        fit, right = Xc @ coef, Xc @ expected
        np.testing.assert_allclose(fit, right, atol=1e-9)


def test_draws_the_coefficients_over_the_degrees_of_freedom():
    plt = pytest.importorskip("matplotlib.pyplot")
    X, y = make(30, 4)
    path = ridge_path(X, y)
    ax = path.plot()
    assert len(ax.lines) == 4
    np.testing.assert_array_equal(ax.lines[2].get_ydata(), path.coefs[:, 2])
    plt.close(ax.figure)


def test_bad_arguments():
    X, y = make()
    with pytest.raises(ParameterError, match="alphas must be >= 0; got -1"):
        ridge_path(X, y, [1.0, -1.0])
    with pytest.raises(ParameterError, match="alphas must hold at least one penalty"):
        ridge_path(X, y, [])
    path = ridge_path(X, y, ALPHAS, leave_one_out=False)
    with pytest.raises(ParameterError, match="path must have leave-one-out errors"):
        path.best()
    with pytest.raises(ParameterError, match="criterion must be one of 'loo', 'gcv'"):
        path.best("aic")
