import numpy as np
import pytest
from scipy import stats

from corollary.distributions.categorical import (
    Categorical,
    CategoricalFamily,
    Dirichlet,
    Tally,
)


@pytest.mark.course("S0-10", "S3-21")
def test_relative_frequencies_are_the_unique_maximum():
    rolls = [4, 4, 1, 6, 4, 1]
    family = CategoricalFamily()
    s = family.statistics(rolls)
    law = family.mle(s)
    assert law.values.tolist() == [1.0, 4.0, 6.0]
    np.testing.assert_allclose(law.p, [2 / 6, 3 / 6, 1 / 6], rtol=1e-15)
    assert law.logpdf([2])[0] == -np.inf  # never seen
    top = family.loglikelihood(s, law)
    for p in np.random.default_rng(0).dirichlet(np.ones(3), 100):
        assert family.loglikelihood(s, Categorical(p, law.values)) < top
    narrow = Categorical([0.5, 0.5], [1, 4])
    assert family.loglikelihood(s, narrow) == -np.inf


def test_tallies_unite_their_values():
    total = Tally(np.array([1.0, 3.0]), np.array([2.0, 1.0])) + Tally(
        np.array([2.0, 3.0]), np.array([5.0, 1.0])
    )
    assert total.values.tolist() == [1.0, 2.0, 3.0]
    assert total.counts.tolist() == [2.0, 5.0, 2.0]
    assert total.n == 9


def test_classes_priors_are_shares():
    y = [0, 1, 1, 2, 1]
    np.testing.assert_allclose(CategoricalFamily().fit(y).p, [0.2, 0.6, 0.2])


def test_dirichlet_equals_scipy():
    law = Dirichlet([0.7, 2.0, 5.0])
    X = np.random.default_rng(0).dirichlet([1, 1, 1], 10)
    X /= X.sum(axis=1, keepdims=True)
    theirs = stats.dirichlet(law.alpha)
    np.testing.assert_allclose(law.logpdf(X), [theirs.logpdf(x) for x in X])
    np.testing.assert_allclose(law.entropy(), theirs.entropy(), rtol=1e-10)
    np.testing.assert_allclose(law.moments()[1], theirs.cov(), rtol=1e-12)
    assert law.logpdf([[0.5, 0.5, 0.5]])[0] == -np.inf
    assert law.logpdf([[0.0, 0.0, 1.0]])[0] == -np.inf  # inf times 0


def test_smoothing_gives_unseen_values_a_chance():
    tally = CategoricalFamily().statistics([0, 0, 2])
    after = Dirichlet(np.ones(3)).posterior(tally)
    np.testing.assert_allclose(after.predictive().p, [3 / 6, 1 / 6, 2 / 6])  # Laplace
    np.testing.assert_allclose(after.map().p, [2 / 3, 0, 1 / 3])  # flat: the mle
    many = after.predictive(5)
    theirs = stats.dirichlet_multinomial(after.alpha, 5)
    np.testing.assert_allclose(many.logpdf([[2, 1, 2]]), theirs.logpmf([2, 1, 2]))
