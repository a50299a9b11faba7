from itertools import product

import numpy as np
import pytest
from scipy import stats

from corollary.distributions.bernoulli import (
    Bernoulli,
    BernoulliFamily,
    Beta,
    BetaBinomial,
)


@pytest.mark.course("S1-6")
def test_probabilities_of_all_rows_add_up_to_1():
    law = Bernoulli([0.2, 0.9, 0.5, 1.0])
    cells = np.array(list(product([0, 1], repeat=4)))
    np.testing.assert_allclose(law.pdf(cells).sum(), 1, rtol=1e-14)
    direct = stats.bernoulli(law.p).pmf(cells).prod(axis=1)
    np.testing.assert_allclose(law.pdf(cells), direct, rtol=1e-12)
    np.testing.assert_allclose(
        law.entropy(), stats.bernoulli(law.p).entropy().sum(), rtol=1e-12
    )


@pytest.mark.course("S0-6")
def test_share_of_heads_is_the_likeliest_bias():
    tosses = np.array([1, 0, 0, 1, 1, 1, 0, 1])
    family = BernoulliFamily()
    s = family.statistics(tosses)
    best = family.mle(s)
    np.testing.assert_allclose(best.p, 5 / 8, rtol=1e-15)
    q = np.linspace(0.01, 0.99, 99)
    likelihoods = [family.loglikelihood(s, Bernoulli(p)) for p in q]
    assert family.loglikelihood(s, best) > max(likelihoods)
    np.testing.assert_allclose(likelihoods, 5 * np.log(q) + 3 * np.log(1 - q))
    weighted = family.fit([1, 0], [3.0, 1.0])
    np.testing.assert_allclose(weighted.p, 0.75)


@pytest.mark.course("S0-6")
def test_only_heads_is_no_trouble():
    law = BernoulliFamily().fit([1, 1, 1])
    assert law.p.tolist() == [1.0]
    assert law.logpdf([1, 0]).tolist() == [0.0, -np.inf]
    assert law.entropy() == 0


def test_beta_equals_scipy_at_the_edges_too():
    law = Beta([0.5, 1.0, 3.0], [2.0, 1.0, 0.7])
    X = np.random.default_rng(0).random((20, 3))
    theirs = stats.beta(law.a, law.b)
    np.testing.assert_allclose(law.logpdf(X), theirs.logpdf(X).sum(axis=1), rtol=1e-10)
    np.testing.assert_allclose(law.entropy(), theirs.entropy().sum(), rtol=1e-10)
    assert law.logpdf([[0.0, 0.5, 0.0]])[0] == -np.inf  # inf times 0: impossible
    assert law.logpdf([[0.0, 0.5, 0.5]])[0] == np.inf


def test_posterior_counts():
    after = Beta(1.0, 1.0).posterior(BernoulliFamily().statistics([1, 1, 0, 1]))
    assert (after.a[0], after.b[0]) == (4.0, 2.0)
    np.testing.assert_allclose(after.map().p, 3 / 4)  # a flat prior: the mle
    np.testing.assert_allclose(after.predictive().p, 4 / 6)  # Laplace
    k = np.arange(8)
    np.testing.assert_allclose(
        after.predictive(7).pdf(k), stats.betabinom(7, 4, 2).pmf(k), rtol=1e-11
    )
    law = BetaBinomial(7, [4.0, 1.5], [2.0, 0.5])
    theirs = stats.betabinom(7, law.a, law.b)
    np.testing.assert_allclose(law.moments()[0], theirs.mean())
    np.testing.assert_allclose(np.diag(law.moments()[1]), theirs.var())
    np.testing.assert_allclose(law.entropy(), theirs.entropy().sum())
    np.testing.assert_allclose(
        after.predictive(1).pdf([0, 1]), stats.betabinom(1, 4, 2).pmf([0, 1])
    )
