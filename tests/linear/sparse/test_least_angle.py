import warnings

import numpy as np
import pytest
import scipy.sparse as sp
import sklearn.linear_model
from sklearn.datasets import load_diabetes
from sklearn.exceptions import ConvergenceWarning

from corollary import Lars, Lasso, LassoLars, LinearRegression, StopReason
from corollary.core.errors import ParameterError
from corollary.diagnostics import optimality_gap
from corollary.linear import lars_path

X, Y = load_diabetes(return_X_y=True)


def make(n, d, seed=0, noise=1.0):
    rng = np.random.default_rng(seed)
    A = rng.normal(size=(n, d)) @ (np.eye(d) + 0.4 * rng.normal(size=(d, d)))
    return A, A[:, :3] @ [2.0, -1.0, 0.5] + noise * rng.normal(size=n) + 1


@pytest.mark.parametrize("method", ["lar", "lasso"])
def test_the_path_is_scikit_learns(method):
    ours, theirs = (
        lars_path(X, Y, method=method),
        sklearn.linear_model.lars_path(X, Y, method=method),
    )
    np.testing.assert_allclose(ours[0], theirs[0], atol=1e-12)
    assert ours[1] == list(theirs[1])
    np.testing.assert_allclose(ours[2], theirs[2], atol=1e-8)


@pytest.mark.parametrize("shape", [(200, 30), (70, 100)])
@pytest.mark.parametrize("positive", [False, True])
def test_the_lasso_path_is_scikit_learns(shape, positive):
    A, b = make(*shape)
    how = {"method": "lasso", "positive": positive}
    ours, theirs = lars_path(A, b, **how), sklearn.linear_model.lars_path(A, b, **how)
    k = min(len(ours[0]), len(theirs[0])) - 1
    np.testing.assert_allclose(ours[0][:k], theirs[0][:k], atol=1e-9)
    np.testing.assert_allclose(ours[2][:, :k], theirs[2][:, :k], atol=1e-7)


@pytest.mark.course("S3-91")
@pytest.mark.parametrize("shape", [(60, 12), (30, 300)])
@pytest.mark.parametrize("positive", [False, True])
def test_every_knot_is_a_lasso(shape, positive):
    A, b = make(*shape)
    w = np.random.default_rng(1).uniform(0.5, 2, len(b))
    path = LassoLars(alpha=0.01, positive=positive).fit(A, b, w)
    how = {"positive": positive, "tol": 1e-14, "max_iter": 10**6}
    for k in range(1, len(path.alphas_), max(1, len(path.alphas_) // 8)):
        lasso = Lasso(path.alphas_[k], **how).fit(A, b, w)
        np.testing.assert_allclose(path.coef_path_[:, k], lasso.coef_, atol=1e-5)
        middle = path.alphas_[k - 1 : k + 1].mean()  # and so is all between them
        lasso = Lasso(middle, **how).fit(A, b, w)
        between = path.coef_path_[:, k - 1 : k + 1].mean(axis=1)
        np.testing.assert_allclose(between, lasso.coef_, atol=1e-5)
    assert (np.diff(path.alphas_) < 0).all()
    assert path.alphas_[-1] == pytest.approx(0.01)
    assert path.report_.optimality.kind == "duality gap"
    assert path.report_.optimality.value < 1e-9
    assert path.report_.stop is StopReason.CLOSED_FORM
    assert optimality_gap(path, A, b, w).gap < 1e-9


@pytest.mark.course("S4-58")
def test_correlations_stay_tied_and_fall_one_column_a_step():
    path = Lars().fit(X, Y)
    Xc, yc = X - X.mean(axis=0), Y - Y.mean()
    for k, b in enumerate(path.coef_path_.T):
        sizes = np.abs(Xc.T @ (yc - Xc @ b)) / len(Y)
        tied = sizes >= path.alphas_[k] - 1e-9
        assert tied.sum() == min(k + 1, 10)
        np.testing.assert_allclose(sizes[tied], path.alphas_[k], atol=1e-9)
    np.testing.assert_allclose(path.coef_, LinearRegression().fit(X, Y).coef_)
    assert path.active_ == [2, 8, 3, 6, 1, 9, 4, 7, 5, 0]


@pytest.mark.course("S3-91")
def test_both_paths_are_the_same_until_a_sign_would_change():
    lars, lasso = Lars().fit(X, Y), LassoLars(alpha=0.0).fit(X, Y)
    left = np.flatnonzero(np.diff(np.count_nonzero(lasso.coef_path_, axis=0)) <= 0)
    first = int(left[0])
    assert first >= 5
    np.testing.assert_allclose(
        lars.coef_path_[:, : first + 1], lasso.coef_path_[:, : first + 1], atol=1e-9
    )
    assert np.abs(lars.alphas_[first + 1] - lasso.alphas_[first + 1]) > 1e-6
    np.testing.assert_allclose(lars.coef_, lasso.coef_, rtol=1e-8)  # least squares


@pytest.mark.parametrize("kind", [Lars, LassoLars])
def test_ties_enter_together(kind):
    A = np.array([[0.0, 0.0, 0.0, -1.0, 0.0], [0.0, -1.0, 0.0, 0.0, 0.0]])
    more = {} if kind is Lars else {"alpha": 0.0}
    model = kind(fit_intercept=False, **more).fit(A, [-2.5, -2.5])
    np.testing.assert_allclose(model.coef_, [0, 2.5, 0, 2.5, 0])


def test_columns_that_repeat_others_stay_out():
    A, b = make(50, 4)
    doubled = np.column_stack([A, A, A[:, :2].sum(axis=1), np.ones(50)])
    for kind, more in ((Lars, {}), (LassoLars, {"alpha": 0.0})):
        model = kind(**more).fit(doubled, b)
        plain = LinearRegression().fit(A, b)
        np.testing.assert_allclose(model.predict(doubled), plain.predict(A))
        assert np.count_nonzero(model.coef_) <= 5


def test_ends_where_asked():
    assert np.count_nonzero(Lars(n_nonzero_coefs=3).fit(X, Y).coef_) == 3
    assert len(Lars(n_nonzero_coefs=3).fit(X, Y).alphas_) == 4
    nothing = LassoLars(alpha=100.0).fit(X, Y)
    assert not nothing.coef_.any()
    assert nothing.intercept_ == pytest.approx(Y.mean())
    with pytest.warns(ConvergenceWarning, match="max_iter reached"):
        short = LassoLars(alpha=0.0, max_iter=3).fit(X, Y)
    assert len(short.alphas_) == 4
    assert not hasattr(LassoLars(fit_path=False).fit(X, Y), "coef_path_")
    alpha, active, coef, steps = lars_path(
        X, Y, max_iter=2, return_path=False, return_n_iter=True
    )
    assert (len(active), coef.shape, steps) == (2, (10,), 2)
    assert alpha > 0


def test_several_targets_sparse_rows_and_float32():
    A, b = make(80, 8)
    B = np.column_stack([b, b**2])
    both = LassoLars(alpha=0.1).fit(A, B)
    for k in range(2):
        one = LassoLars(alpha=0.1).fit(sp.csr_array(A), B[:, k])
        np.testing.assert_allclose(both.coef_[k], one.coef_, atol=1e-9)
        np.testing.assert_allclose(both.coef_path_[k], one.coef_path_, atol=1e-9)
        assert both.active_[k] == one.active_
    single = LassoLars(alpha=0.1).fit(A.astype(np.float32), b.astype(np.float32))
    assert single.coef_.dtype == single.alphas_.dtype == np.float32
    np.testing.assert_allclose(single.coef_, both.coef_[0], atol=1e-4)


def test_an_ill_conditioned_path_ends_in_least_squares():
    H = 1.0 / (np.arange(1, 8) + np.arange(7)[:, None])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = Lars(fit_intercept=False).fit(H, np.arange(7.0))
    residual = np.arange(7.0) - model.predict(H)
    assert np.abs(H.T @ residual).max() < 1e-6


def test_bad_parameters():
    with pytest.raises(ParameterError, match="positive=True needs method='lasso'"):
        lars_path(X, Y, positive=True)
    with pytest.raises(ParameterError, match="lars_path: method must be one of"):
        lars_path(X, Y, method="ridge")
    with pytest.raises(ParameterError, match="Lars: n_nonzero_coefs must be"):
        Lars(n_nonzero_coefs=0).fit(X, Y)


def test_a_path_that_rounding_ends_early_says_so():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40, 4)) * [1, 1e10, 1e-10, 1]  # 1e20 between two columns
    y = X @ [1.0, 1e-10, 1e10, 0.0] + 0.1 * rng.normal(size=40)
    with pytest.warns(ConvergenceWarning, match="stalled"):
        model = LassoLars(alpha=0.0).fit(X, y)
    assert model.report_.stop is StopReason.STALLED
    assert "scale the features" in model.report_.what_to_do
    even = LassoLars(alpha=0.0).fit(X / [1, 1e10, 1e-10, 1], y)
    assert even.report_.stop is StopReason.CLOSED_FORM
    asked = LassoLars(alpha=1e-3).fit(X, y)  # where the third column has no part
    assert asked.report_.stop is StopReason.CLOSED_FORM
    assert asked.report_.optimality.relative < 1e-12
