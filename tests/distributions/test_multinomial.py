from itertools import product

import numpy as np
import pytest
from scipy import stats

from corollary.distributions.categorical import Dirichlet
from corollary.distributions.multinomial import (
    DirichletMultinomial,
    Multinomial,
    MultinomialFamily,
)

CELLS = np.array([x for x in product(range(6), repeat=3) if sum(x) == 5])


def test_equal_scipy_and_add_up_to_1():
    p, alpha = [0.2, 0.5, 0.3], [0.5, 2.0, 1.0]
    for law, theirs in (
        (Multinomial(p, 5), stats.multinomial(5, p)),
        (DirichletMultinomial(5, alpha), stats.dirichlet_multinomial(alpha, 5)),
    ):
        np.testing.assert_allclose(law.logpdf(CELLS), theirs.logpmf(CELLS), rtol=1e-11)
        np.testing.assert_allclose(law.pdf(CELLS).sum(), 1, rtol=1e-12)
        entropy = -(law.pdf(CELLS) * law.logpdf(CELLS)).sum()
        np.testing.assert_allclose(law.entropy(), entropy, rtol=1e-11)
        np.testing.assert_allclose(law.moments()[1], theirs.cov(), atol=1e-12)
        assert law.logpdf([[1, 1, 1]])[0] == -np.inf


@pytest.mark.course("S3-21")
def test_shares_of_all_draws_are_the_estimate_for_rows_of_any_length():
    X = np.array([[2, 1, 0], [0, 5, 5], [1, 0, 0]])
    family = MultinomialFamily()
    s = family.statistics(X)
    law = family.mle(s)
    np.testing.assert_allclose(law.p, X.sum(axis=0) / X.sum(), rtol=1e-15)
    expected = [stats.multinomial(x.sum(), law.p).logpmf(x) for x in X]
    np.testing.assert_allclose(law.logpdf(X), expected, rtol=1e-11)
    top = family.loglikelihood(s, law)
    for p in np.random.default_rng(0).dirichlet(np.ones(3), 50):
        assert family.loglikelihood(s, Multinomial(p)) < top


def test_posterior_laws_of_rows():
    X = np.array([[2, 1, 0], [0, 5, 5]])
    family = MultinomialFamily()
    after = Dirichlet([1.0, 1.0, 2.0]).posterior(family.statistics(X))
    np.testing.assert_allclose(after.alpha, [3, 7, 7])
    np.testing.assert_allclose(family.law_of(after, "map").p, np.array([2, 6, 6]) / 14)
    row = np.array([[1, 0, 2]])
    np.testing.assert_allclose(
        family.law_of(after, "predictive").logpdf(row),
        stats.dirichlet_multinomial(after.alpha, 3).logpmf(row[0]),
    )
