import numpy as np
import pytest
from scipy import stats

from corollary.distributions.bernoulli import BernoulliFamily, Beta
from corollary.distributions.binomial import Binomial, BinomialFamily


def test_equals_scipy():
    law = Binomial(6, [0.3, 0.0, 1.0])
    theirs = stats.binom(6, law.p)
    X = np.array([[0, 0, 6], [6, 0, 6], [2, 0, 6], [2, 1, 6], [2.5, 0, 6], [7, 0, 6]])
    with np.errstate(divide="ignore"):
        expected = theirs.logpmf(X).sum(axis=1)
    np.testing.assert_allclose(law.logpdf(X), expected, rtol=1e-12)
    np.testing.assert_allclose(law.entropy(), theirs.entropy().sum(), rtol=1e-12)


@pytest.mark.course("S3-21")
def test_a_share_of_tosses_is_the_estimate_and_has_its_variance():
    family = BinomialFamily(10)
    s = family.statistics([3, 4, 8])
    np.testing.assert_allclose(family.mle(s).p, 15 / 30)
    grid = np.linspace(0.01, 0.99, 99)
    at = [family.loglikelihood(s, Binomial(10, p)) for p in grid]
    assert grid[np.argmax(at)] == pytest.approx(0.5)
    rng = np.random.default_rng(0)
    shares = Binomial(50, 0.2).sample(20000, rng) / 50
    np.testing.assert_allclose(shares.mean(), 0.2, atol=0.002)
    np.testing.assert_allclose(shares.var(), 0.2 * 0.8 / 50, rtol=0.05)


def test_sums_are_those_of_single_tosses():
    tosses = np.array([1, 0, 1, 1, 0, 0, 0, 1, 1, 1])
    counts = tosses.reshape(2, 5).sum(axis=1)
    prior = Beta(2.0, 3.0)
    one = prior.posterior(BernoulliFamily().statistics(tosses))
    five = prior.posterior(BinomialFamily(5).statistics(counts))
    assert (one.a, one.b) == (five.a, five.b)
    family = BinomialFamily(5)
    assert family.law_of(five, "map").p == one.map().p
    k = np.arange(6)
    np.testing.assert_allclose(
        family.law_of(five, "predictive").pdf(k),
        stats.betabinom(5, five.a, five.b).pmf(k),
        rtol=1e-10,
    )
