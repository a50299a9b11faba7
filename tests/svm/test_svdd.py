"""The smallest ball around most of the rows."""

import numpy as np
import pytest
from common.machines import data
from scipy.optimize import minimize
from sklearn.metrics.pairwise import polynomial_kernel, rbf_kernel

from corollary import SVDD, OneClassSVM, load, save
from corollary.core.errors import DataError, ParameterError


@pytest.mark.course("S1-50")
def test_the_ball_is_the_plane_for_a_gaussian_kernel():
    X, _, _ = data(9)
    for nu in (0.05, 0.2, 0.6):
        plane = OneClassSVM(nu=nu, tol=1e-10).fit(X)
        ball = SVDD(nu=nu, tol=1e-10).fit(X)
        a, b = plane.decision_function(X), ball.decision_function(X)
        scale = 2 / (nu * len(X))
        np.testing.assert_allclose(b, scale * a, atol=1e-9)
        np.testing.assert_array_equal(plane.predict(X), ball.predict(X))
        assert (ball.predict(X) < 0).mean() <= nu <= len(ball.support_) / len(X)


@pytest.mark.course("S1-50")
def test_the_smallest_ball_around_all_points():
    X, _, _ = data(10, 60, 2)
    ball = SVDD(nu=1e-3, kernel="linear", tol=1e-12).fit(X)
    radius2 = ((X - ball.center_) ** 2).sum(axis=1)
    assert ball.radius2_ == pytest.approx(radius2.max())
    best = minimize(
        lambda c: ((X - c) ** 2).sum(axis=1).max(),
        X.mean(axis=0),
        method="Nelder-Mead",
        options={"xatol": 1e-10, "fatol": 1e-12, "maxiter": 5000},
    )
    np.testing.assert_allclose(ball.center_, best.x, atol=1e-5)
    assert ball.radius2_ == pytest.approx(best.fun, rel=1e-6)
    np.testing.assert_allclose(ball.score_samples(X), -radius2, atol=1e-10)
    assert ball.dual_coef_.sum() == pytest.approx(1)


@pytest.mark.course("S1-50")
@pytest.mark.parametrize("kernel", ["linear", "poly", "rbf"])
def test_a_given_matrix_is_the_same_ball(kernel):
    X, _, _ = data(11, 80)
    Z, _, _ = data(12, 30)
    options = {"nu": 0.2, "tol": 1e-10}
    if kernel == "linear":
        named, k = SVDD(kernel="linear", **options), lambda A, B: A @ B.T
    elif kernel == "poly":
        named = SVDD(kernel="poly", degree=2, gamma=0.5, coef0=1.0, **options)
        k = lambda A, B: polynomial_kernel(A, B, 2, 0.5, 1.0)  # noqa: E731
    else:
        named, k = SVDD(gamma=0.5, **options), lambda A, B: rbf_kernel(A, B, gamma=0.5)
    named.fit(X)
    given = SVDD(kernel="precomputed", **options).fit(k(X, X))
    assert given.radius2_ == pytest.approx(named.radius2_)
    np.testing.assert_array_equal(given.support_, named.support_)
    own = np.array([k(z[None], z[None])[0, 0] for z in Z])
    scores = given.decision_function(k(Z, X), own)
    np.testing.assert_allclose(scores, named.decision_function(Z), atol=1e-8)
    inside = given.predict(k(Z, X), own)
    np.testing.assert_array_equal(inside, named.predict(Z))
    distance2 = -given.score_samples(k(Z, X), own)
    np.testing.assert_allclose(distance2, -named.score_samples(Z), atol=1e-8)
    here = SVDD(kernel="precomputed", **options).fit_predict(k(X, X))
    np.testing.assert_array_equal(here, SVDD(**named.get_params()).fit_predict(X))
    if kernel == "rbf":  # k(x, x) = 1 everywhere, and need not be said
        np.testing.assert_allclose(given.decision_function(k(Z, X)), scores, atol=1e-12)
    else:
        with pytest.raises(DataError, match=r"SVDD: diagonal must be k\(x, x\)"):
            given.predict(k(Z, X))
    with pytest.raises(DataError, match="diagonal must be 30 finite numbers"):
        given.predict(k(Z, X), own[:3])
    with pytest.raises(ParameterError, match="diagonal must be None"):
        named.predict(Z, own)


def test_weights_and_files_of_a_given_matrix(tmp_path):
    X, _, _ = data(13, 60)
    K = X @ X.T
    w = np.arange(60) % 3
    given = SVDD(nu=0.2, kernel="precomputed", tol=1e-10).fit(K, sample_weight=w)
    named = SVDD(nu=0.2, kernel="linear", tol=1e-10).fit(X, sample_weight=w)
    assert given.radius2_ == pytest.approx(named.radius2_)
    scores = given.decision_function(K, np.diagonal(K))
    np.testing.assert_allclose(scores, named.decision_function(X), atol=1e-7)
    save(given, tmp_path / "ball")
    again = load(tmp_path / "ball").decision_function(K, np.diagonal(K))
    np.testing.assert_array_equal(again, scores)
    with pytest.raises(DataError, match="square matrix"):
        SVDD(kernel="precomputed").fit(X)
