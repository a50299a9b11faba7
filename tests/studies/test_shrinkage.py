"""Paths of the lasso and of ridge against shrinkage, and their regions."""

import matplotlib as mpl
import numpy as np
import pytest

from corollary import Lasso, LinearRegression, Ridge
from corollary.core.errors import DataError, ParameterError
from corollary.linear import alpha_of_bound
from corollary.studies import correlated_regression, penalty_regions, shrinkage_paths

mpl.use("Agg")


def drawn(correlation, n=40, noise=1.0, seed=0):
    train = correlated_regression(
        n, correlation=correlation, noise=noise, random_state=seed
    )
    test = correlated_regression(
        3000, correlation=correlation, noise=noise, random_state=seed + 1000
    )
    return *train, *test


@pytest.mark.course("S3-91")
@pytest.mark.parametrize("correlation", [0.0, 0.95])
def test_the_lasso_against_its_shrinkage_factor(correlation):
    X, y, X_test, y_test = drawn(correlation)
    paths = shrinkage_paths(X, y, X_test, y_test, 21)
    line = LinearRegression().fit(X, y)
    np.testing.assert_allclose(paths.lasso_coefs[-1], line.coef_, rtol=1e-8)  # s = 1
    assert (paths.lasso_coefs[0] == 0).all()  # s = 0
    assert paths.t0 == pytest.approx(np.abs(line.coef_).sum(), rel=1e-10)
    sums = np.abs(paths.lasso_coefs).sum(axis=1)
    np.testing.assert_allclose(sums, paths.s * paths.t0, rtol=1e-8, atol=1e-12)
    for k in (4, 10, 17):
        alpha = alpha_of_bound(X, y, paths.s[k] * paths.t0)
        model = Lasso(alpha, tol=1e-14, max_iter=100_000).fit(X, y)
        np.testing.assert_allclose(model.coef_, paths.lasso_coefs[k], atol=1e-6)
        error = ((model.predict(X_test) - y_test) ** 2).mean()
        assert paths.lasso_errors[k] == pytest.approx(error, rel=1e-6)


@pytest.mark.course("S3-91")
def test_shrinkage_helps_where_inputs_are_correlated():
    gains = {}
    for correlation in (0.0, 0.97):
        each = [
            shrinkage_paths(*drawn(correlation, 20, 3.0, seed)) for seed in range(15)
        ]
        gains[correlation] = [
            np.mean([1 - errors.min() / errors[-1] for errors in kind])
            for kind in zip(
                *((p.lasso_errors, p.ridge_errors) for p in each), strict=True
            )
        ]
        norms = [np.linalg.norm(p.least_squares) for p in each]
        if correlation:
            assert np.mean(norms) > 1.4 * np.linalg.norm([1, 2, 3, 4])  # they cancel
        for p in each:
            assert p.lasso_errors.min() == p.lasso_errors[p.s == p.best_s][0]
            assert p.ridge_errors.min() == p.ridge_errors[p.df == p.best_df][0]
    assert min(gains[0.97]) > 0.08
    assert min(gains[0.97]) > 1.5 * max(gains[0.0])


def test_ridge_runs_from_nothing_to_least_squares():
    X, y, X_test, y_test = drawn(0.5)
    paths = shrinkage_paths(X, y, X_test, y_test, 31)
    assert (np.diff(paths.df) > 0).all()
    assert paths.df[0] < 1e-3
    assert paths.df[-1] == pytest.approx(4)
    np.testing.assert_allclose(paths.ridge_coefs[-1], paths.least_squares, rtol=1e-8)
    d2 = np.linalg.svd(X - X.mean(axis=0), compute_uv=False) ** 2
    k = 20
    scale = ((X - X.mean(axis=0)) ** 2).sum()
    alpha = scale * np.geomspace(1e4, 1e-6, 30)[k]
    assert paths.df[k] == pytest.approx((d2 / (d2 + alpha)).sum(), rel=1e-9)
    np.testing.assert_allclose(paths.ridge_coefs[k], Ridge(alpha).fit(X, y).coef_)


@pytest.mark.course("S3-114")
@pytest.mark.parametrize("share", [0.2, 0.5, 0.9])
@pytest.mark.parametrize("correlation", [0.0, 0.8])
def test_ellipses_touch_the_regions(share, correlation):
    X, y = correlated_regression(60, (3.0, 1.5), correlation, 0.5, random_state=3)
    r = penalty_regions(X, y, share)
    assert np.abs(r.lasso).sum() == pytest.approx(r.diamond, rel=1e-9)
    assert np.linalg.norm(r.ridge) == pytest.approx(r.disc, rel=1e-9)
    angle = np.linspace(0, 2 * np.pi, 4001)
    ring = np.column_stack([np.cos(angle), np.sin(angle)])
    disc = r.disc * ring
    diamond = r.diamond * ring / np.abs(ring).sum(axis=1, keepdims=True)
    least = r.error(np.zeros(2))
    assert r.error(r.ridge) <= r.error(disc).min() + 1e-9 * least  # the nearest point
    assert r.error(r.lasso) <= r.error(diamond).min() + 1e-9 * least
    assert r.error(disc).min() <= r.error(r.ridge) * (1 + 1e-3)
    slope = r.gram @ (r.least_squares - r.ridge)
    cross = slope[0] * r.ridge[1] - slope[1] * r.ridge[0]
    assert abs(cross) <= 1e-7 * np.linalg.norm(slope) * r.disc  # normal to the disc
    pull = r.gram @ (r.least_squares - r.lasso)
    if r.corner:
        assert np.abs(pull).argmax() == np.abs(r.lasso).argmax()
    else:
        np.testing.assert_allclose(*np.abs(pull), rtol=1e-6)  # normal to an edge


@pytest.mark.course("S3-114")
def test_the_diamond_has_corners_and_the_disc_has_none():
    X, y = correlated_regression(200, (3.0, 0.4), 0.0, 0.1, random_state=0)
    r = penalty_regions(X, y, 0.5)
    assert r.corner
    assert r.lasso[1] == 0
    assert abs(r.ridge[1]) > 0.05
    whole = penalty_regions(X, y, 1.0)
    np.testing.assert_allclose(whole.lasso, whole.least_squares, rtol=1e-9)
    np.testing.assert_allclose(whole.ridge, whole.least_squares, rtol=1e-9)


@pytest.mark.course("S3-91", "S3-114")
def test_the_pictures_show_the_numbers():
    X, y, X_test, y_test = drawn(0.9)
    paths = shrinkage_paths(X, y, X_test, y_test, 11)
    axes = paths.plot()
    lines = axes[0, 0].get_lines()
    assert len(lines) == 4
    np.testing.assert_array_equal(
        lines[2].get_xydata().T, [paths.s, paths.lasso_coefs[:, 2]]
    )
    np.testing.assert_array_equal(
        axes[1, 1].get_lines()[0].get_ydata(), paths.ridge_errors
    )
    regions = penalty_regions(X[:, :2], y, 0.4)
    left, right = regions.plot()
    np.testing.assert_array_equal(left.get_lines()[0].get_xydata()[0], regions.lasso)
    np.testing.assert_array_equal(right.get_lines()[0].get_xydata()[0], regions.ridge)
    assert left.patches[0].get_xy().max() == pytest.approx(regions.diamond)
    mpl.pyplot.close("all")


def test_bad_input_is_one_sentence():
    X, y, X_test, y_test = drawn(0.0)
    with pytest.raises(ParameterError, match="n_points must be a whole number >= 2"):
        shrinkage_paths(X, y, X_test, y_test, 1)
    with pytest.raises(DataError, match="X_test must have the 4 columns of X; got 3"):
        shrinkage_paths(X, y, X_test[:, :3], y_test)
    with pytest.raises(DataError, match="X must have 2 columns; got 4"):
        penalty_regions(X, y)
    with pytest.raises(ParameterError, match="share must be"):
        penalty_regions(X[:, :2], y, 0.0)
    with pytest.raises(ParameterError, match="correlation must be"):
        correlated_regression(correlation=1.5)
