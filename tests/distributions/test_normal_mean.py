import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from corollary.distributions.gaussian import Gaussian, GaussianFamily
from corollary.distributions.grid_posterior import grid_posterior
from corollary.distributions.normal_mean import NormalMean

FAMILY = GaussianFamily()


def covariance(d, seed):
    A = np.random.default_rng(seed).normal(size=(d, d))
    return A @ A.T + 0.5 * np.eye(d)


@pytest.mark.course("S1-10", "S3-25")
@given(
    st.lists(st.floats(-9, 9), min_size=1, max_size=8),
    st.floats(-5, 5),
    st.floats(0.1, 9),
    st.floats(0.1, 9),
)
def test_one_dimension_by_the_formula_and_its_bounds(x, mu0, s0, s):
    n, mean = len(x), np.mean(x)
    after = NormalMean(mu0, s0, s).posterior(FAMILY.statistics(x))
    expected = (n * s0 * mean + s * mu0) / (n * s0 + s)
    np.testing.assert_allclose(after.mean, expected, rtol=1e-9, atol=1e-9)
    variance = after.covariance[0, 0]
    np.testing.assert_allclose(1 / variance, n / s + 1 / s0, rtol=1e-9)
    assert variance <= min(s / n, s0) * (1 + 1e-12)  # Lemma
    low, high = sorted((mu0, mean))
    assert low - 1e-9 <= after.mean[0] <= high + 1e-9
    np.testing.assert_allclose(after.predictive().covariance[0, 0], s + variance)


@pytest.mark.course("S1-10")
def test_many_dimensions_by_precisions():
    S, S0 = covariance(3, 1), covariance(3, 2)
    mu0, X = np.array([1.0, 0.0, -1.0]), np.random.default_rng(0).normal(size=(7, 3))
    after = NormalMean(mu0, S0, S).posterior(FAMILY.statistics(X))
    precision = 7 * np.linalg.inv(S) + np.linalg.inv(S0)
    np.testing.assert_allclose(np.linalg.inv(after.covariance), precision, rtol=1e-9)
    right = 7 * np.linalg.solve(S, X.mean(axis=0)) + np.linalg.solve(S0, mu0)
    np.testing.assert_allclose(precision @ after.mean, right, rtol=1e-9)
    predictive = after.predictive()
    np.testing.assert_allclose(predictive.covariance, S + after.covariance)
    np.testing.assert_array_equal(after.map().covariance, S)
    np.testing.assert_allclose(after.law.mean, after.mean)


@pytest.mark.course("S1-10", "S3-25")
def test_limits():
    x = [3.0, 5.0, 10.0]
    s = FAMILY.statistics(x)
    certain = NormalMean(1.0, 0.0, 2.0).posterior(s)
    assert certain.mean.tolist() == [1.0]  # s0 = 0: nothing is learned
    assert certain.covariance[0, 0] == 0
    broad = NormalMean(1.0, 1e12, 2.0).posterior(s)
    np.testing.assert_allclose(broad.mean, 6.0, rtol=1e-10)  # s0 to infinity: the mean
    np.testing.assert_allclose(broad.covariance, 2 / 3, rtol=1e-10)
    many = NormalMean(1.0, 0.5, 2.0).posterior(s.scaled(1e9))
    np.testing.assert_allclose(many.mean, 6.0, rtol=1e-8)
    spread = [
        NormalMean(1.0, 0.5, 2.0).posterior(s.scaled(n / 3)).covariance[0, 0]
        for n in range(1, 20)
    ]
    assert (np.diff(spread) < 0).all()


@pytest.mark.course("S1-10", "S3-25")
def test_row_by_row_in_any_order_and_diagonal_sums():
    rng = np.random.default_rng(3)
    X, S0 = rng.normal(size=(12, 2)), covariance(2, 5)
    prior = NormalMean([0.0, 1.0], S0, [0.5, 2.0])
    batch = prior.posterior(FAMILY.statistics(X))
    stream = prior
    for x in X[rng.permutation(12)]:
        stream = stream.posterior(FAMILY.statistics(x[None, :]))
    np.testing.assert_allclose(stream.mean, batch.mean, rtol=1e-10)
    np.testing.assert_allclose(stream.covariance, batch.covariance, rtol=1e-9)
    means = prior.posterior(GaussianFamily("diagonal").statistics(X))
    np.testing.assert_allclose(means.mean, batch.mean, rtol=1e-12)


@pytest.mark.course("S3-24", "S3-25")
def test_equals_the_posterior_on_a_grid():
    x, s = np.array([1.0, 2.5, 4.0]), 1.5
    after = NormalMean(0.0, 2.0, s).posterior(FAMILY.statistics(x))
    grid = grid_posterior(
        lambda X, theta: Gaussian(theta, s).logpdf(X),
        x,
        [np.linspace(-8, 12, 1001)],
        lambda theta: Gaussian([0.0], 2.0).logpdf(theta)[0],
    )
    np.testing.assert_allclose(grid.mean, after.mean, rtol=1e-9)
    np.testing.assert_allclose(grid.covariance, after.covariance, rtol=1e-9)
    new = np.array([-3.0, 0.0, 5.0])
    np.testing.assert_allclose(
        grid.predictive(new), after.predictive().logpdf(new), rtol=1e-9
    )
