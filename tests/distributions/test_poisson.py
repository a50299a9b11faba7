import numpy as np
import pytest
from scipy import stats

from corollary.distributions.poisson import (
    Gamma,
    NegativeBinomial,
    Poisson,
    PoissonFamily,
)


def test_equal_scipy():
    X = np.array([[0, 3], [5, 0], [100, 7]])
    law = Poisson([0.5, 30.0])
    theirs = stats.poisson(law.rate)
    np.testing.assert_allclose(law.logpdf(X), theirs.logpmf(X).sum(axis=1), rtol=1e-12)
    np.testing.assert_allclose(law.entropy(), theirs.entropy().sum(), rtol=1e-8)
    gamma = Gamma([0.5, 3.0], [2.0, 0.1])
    theirs = stats.gamma(gamma.shape, scale=1 / gamma.rate)
    T = np.array([[0.1, 5.0], [2.0, 60.0]])
    np.testing.assert_allclose(gamma.logpdf(T), theirs.logpdf(T).sum(axis=1))
    np.testing.assert_allclose(gamma.entropy(), theirs.entropy().sum(), rtol=1e-10)
    nb = NegativeBinomial([2.5, 1.0], [0.3, 0.9])
    theirs = stats.nbinom(nb.shape, nb.p)
    np.testing.assert_allclose(nb.logpdf(X), theirs.logpmf(X).sum(axis=1), rtol=1e-11)
    np.testing.assert_allclose(nb.entropy(), theirs.entropy().sum(), rtol=1e-8)


@pytest.mark.course("S3-21")
def test_the_mean_is_the_likeliest_rate():
    family = PoissonFamily()
    s = family.statistics([2, 0, 7, 3])
    best = family.mle(s)
    np.testing.assert_allclose(best.rate, 3.0)
    top = family.loglikelihood(s, best)
    assert all(family.loglikelihood(s, Poisson(r)) < top for r in (0.5, 2.9, 3.1, 10.0))
    np.testing.assert_allclose(top, stats.poisson(3).logpmf([2, 0, 7, 3]).sum())


def test_a_rate_of_0_is_a_law():
    law = PoissonFamily().fit([0, 0])
    assert law.logpdf([0, 1]).tolist() == [0.0, -np.inf]
    assert law.entropy() == 0


def test_posterior_and_predictive_by_quadrature():
    x = np.array([3, 1, 4])
    after = Gamma(2.0, 1.5).posterior(PoissonFamily().statistics(x))
    rate = np.linspace(1e-6, 30, 200001)
    unnormalised = stats.gamma(2, scale=1 / 1.5).pdf(rate) * np.prod(
        stats.poisson(rate[:, None]).pmf(x), axis=1
    )
    density = unnormalised / np.trapezoid(unnormalised, rate)
    np.testing.assert_allclose(after.pdf(rate)[1:], density[1:], atol=1e-7)
    for k in (0, 2, 9):
        mixed = np.trapezoid(stats.poisson(rate).pmf(k) * density, rate)
        np.testing.assert_allclose(after.predictive().pdf([k])[0], mixed, rtol=1e-6)
    assert rate[density.argmax()] == pytest.approx(after.map().rate[0], abs=2e-4)
