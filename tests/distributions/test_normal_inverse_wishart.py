import numpy as np
import pytest
from scipy import stats

from corollary.distributions.gaussian import GaussianFamily
from corollary.distributions.normal_inverse_wishart import NormalInverseWishart

FAMILY = GaussianFamily()


@pytest.mark.course("S1-10")
def test_one_dimension_against_the_normal_inverse_gamma():
    x = np.array([1.0, 4.0, 2.0, 2.5])
    k, v, psi, m = 2.0, 3.0, 1.5, 0.5
    after = NormalInverseWishart(m, k, psi, v).posterior(FAMILY.statistics(x))
    kn, vn = k + 4, v + 4
    mn = (k * m + x.sum()) / kn
    psin = psi + ((x - x.mean()) ** 2).sum() + k * 4 / kn * (x.mean() - m) ** 2
    np.testing.assert_allclose(after.mean, mn)
    np.testing.assert_allclose(after.scale, psin)
    theirs = stats.t(vn, mn, np.sqrt(psin * (kn + 1) / (kn * vn)))
    grid = np.linspace(-5, 8, 7)
    np.testing.assert_allclose(
        after.predictive().logpdf(grid), theirs.logpdf(grid), rtol=1e-12
    )


@pytest.mark.course("S1-10")
def test_predictive_averages_gaussians_over_the_posterior():
    X = np.random.default_rng(0).normal([1, -1], 1, size=(5, 2))
    after = NormalInverseWishart([0, 0], 1.0, np.eye(2), 4.0).posterior(
        FAMILY.statistics(X)
    )
    at = np.array([[0.5, 0.0], [3.0, -3.0]])
    S = stats.invwishart(after.df, after.scale).rvs(20000, random_state=1)
    Z = np.random.default_rng(2).normal(size=(20000, 2))
    L = np.linalg.cholesky(S / after.strength)
    means = after.mean + np.einsum("nij,nj->ni", L, Z)
    for x, expected in zip(at, after.predictive().pdf(at), strict=True):
        d = x - means
        r2 = np.einsum("ni,nij,nj->n", d, np.linalg.inv(S), d)
        density = np.exp(-0.5 * r2) / (2 * np.pi * np.sqrt(np.linalg.det(S)))
        error = density.std() / np.sqrt(20000)
        assert abs(density.mean() - expected) < 5 * error


def test_mode_is_higher_than_its_neighbours():
    X = np.random.default_rng(1).normal(size=(6, 2))
    after = NormalInverseWishart([0, 0], 1.0, np.eye(2), 4.0).posterior(
        FAMILY.statistics(X)
    )
    best = after.map()

    def log_density(mean, S):
        d = mean - after.mean
        return (
            stats.invwishart(after.df, after.scale).logpdf(S)
            - 0.5 * after.strength * d @ np.linalg.solve(S, d)
            - 0.5 * np.linalg.slogdet(S)[1]
        )

    top = log_density(best.mean, best.covariance)
    rng = np.random.default_rng(0)
    for _ in range(40):
        B = np.eye(2) + 0.05 * rng.normal(size=(2, 2))
        other = log_density(
            best.mean + 0.02 * rng.normal(size=2), B @ best.covariance @ B.T
        )
        assert other < top
