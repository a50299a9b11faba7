import numpy as np
import pytest
import scipy.sparse as sp
import sklearn.linear_model
from sklearn.exceptions import ConvergenceWarning

from corollary import LinearRegression, OrthogonalMatchingPursuit, StopReason
from corollary.core.errors import ParameterError
from corollary.linear import orthogonal_mp

SHAPES = [(80, 12), (40, 300)]


def make(n, d, seed=0, noise=1.0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d)) * rng.uniform(0.5, 2, d) + rng.normal(size=d)
    return X, X[:, :4] @ [2.0, -1.0, 0.5, 3.0] + noise * rng.normal(size=n) + 1


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("how", [{}, {"n_nonzero_coefs": 6}, {"tol": 90.0}])
def test_agrees_with_scikit_learn(shape, intercept, how):
    X, y = make(*shape)
    how = {"fit_intercept": intercept, **how}
    theirs = sklearn.linear_model.OrthogonalMatchingPursuit(**how).fit(X, y)
    for rows in (X, sp.csr_array(X)):
        ours = OrthogonalMatchingPursuit(**how).fit(rows, y)
        np.testing.assert_allclose(ours.coef_, theirs.coef_, atol=1e-9)
        assert ours.intercept_ == pytest.approx(theirs.intercept_)
        assert ours.n_iter_ == theirs.n_iter_
        assert ours.n_nonzero_coefs_ == theirs.n_nonzero_coefs_


@pytest.mark.course("S4-58")
@pytest.mark.parametrize("shape", SHAPES)
def test_the_residual_is_orthogonal_to_the_chosen_columns(shape):
    X, y = make(*shape)
    w = np.random.default_rng(1).uniform(0, 2, len(y))
    model = OrthogonalMatchingPursuit(n_nonzero_coefs=5).fit(X, y, w)
    residual = w * (y - model.predict(X))
    assert residual.sum() == pytest.approx(0.0, abs=1e-9)
    products = X.T @ residual
    assert np.abs(products[model.active_]).max() < 1e-8 < np.abs(products).max()
    assert set(np.flatnonzero(model.coef_)) == set(model.active_)
    plain = LinearRegression().fit(X[:, model.active_], y, w)  # least squares on them
    np.testing.assert_allclose(model.coef_[model.active_], plain.coef_, rtol=1e-8)
    fewer = OrthogonalMatchingPursuit(n_nonzero_coefs=4).fit(X, y, w)
    assert fewer.active_ == model.active_[:4]  # a greedy choice is kept


def test_finds_the_columns_of_an_exact_sum():
    X, _ = make(100, 40)
    b = np.zeros(40)
    b[[3, 17, 29]] = [1.0, -2.0, 1.5]
    model = OrthogonalMatchingPursuit(tol=1e-18).fit(X, X @ b + 5)
    np.testing.assert_allclose(model.coef_, b, atol=1e-9)
    assert sorted(model.active_) == [3, 17, 29]
    assert model.report_.stop is StopReason.CONVERGED


def test_all_columns_give_least_squares_and_copies_stay_out():
    X, y = make(60, 5)
    doubled = np.column_stack([X, X, np.ones(60)])
    model = OrthogonalMatchingPursuit(n_nonzero_coefs=11).fit(doubled, y)
    np.testing.assert_allclose(
        model.predict(doubled), LinearRegression().fit(X, y).predict(X)
    )
    assert model.n_iter_ == 5
    with pytest.warns(ConvergenceWarning, match="least squares itself leaves"):
        OrthogonalMatchingPursuit(tol=1e-9).fit(X, y)


def test_several_targets_and_the_path():
    X, y = make(60, 12)
    Y = np.column_stack([y, X[:, 5]])
    both = OrthogonalMatchingPursuit(n_nonzero_coefs=3).fit(X, Y)
    for k in range(2):
        one = OrthogonalMatchingPursuit(n_nonzero_coefs=3).fit(X, Y[:, k])
        np.testing.assert_allclose(both.coef_[k], one.coef_, atol=1e-12)
        assert both.n_iter_[k] == one.n_iter_
    path, steps = orthogonal_mp(
        X, Y, n_nonzero_coefs=3, return_path=True, return_n_iter=True
    )
    assert path.shape == (12, 2, 3)
    assert steps[0] == 3 > steps[1]  # the second target is a column
    np.testing.assert_allclose(path[:, 1, -1], np.eye(12)[5], atol=1e-12)
    theirs = sklearn.linear_model.orthogonal_mp(
        X, y, n_nonzero_coefs=3, return_path=True
    )
    np.testing.assert_allclose(path[:, 0], theirs, atol=1e-10)
    np.testing.assert_allclose(path[:, 0, -1], orthogonal_mp(X, y, n_nonzero_coefs=3))


def test_bad_parameters():
    X, y = make(30, 4)
    with pytest.raises(ParameterError, match="at most the number of columns = 4"):
        OrthogonalMatchingPursuit(n_nonzero_coefs=5).fit(X, y)
    with pytest.raises(ParameterError, match="orthogonal_mp: tol must be"):
        orthogonal_mp(X, y, tol=-1.0)
