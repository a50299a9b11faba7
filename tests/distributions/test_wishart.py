"""The law of scatter matrices, against SciPy's and against scatters of draws."""

import numpy as np
import pytest
from scipy import stats

from corollary.core.errors import DataError, ParameterError
from corollary.distributions import Gaussian, GaussianFamily, Wishart

SIGMA = np.array([[2.0, 0.6, 0.0], [0.6, 1.0, -0.3], [0.0, -0.3, 0.5]])


def scatters(n, draws=3000):
    """Return scatters of n Gaussian rows about their own mean, by the library."""
    rng, law = np.random.default_rng(0), Gaussian([5.0, -1.0, 3.0], SIGMA)
    family = GaussianFamily()
    return np.array([family.statistics(law.sample(n, rng)).M2 for _ in range(draws)])


@pytest.mark.course("S2-1")
@pytest.mark.parametrize("df", [2.5, 3.0, 9.0])
def test_density_equals_scipys(df):
    ours, theirs = Wishart(SIGMA, df), stats.wishart(df, SIGMA)
    S = theirs.rvs(20, random_state=0)
    np.testing.assert_allclose(ours.logpdf(S), [theirs.logpdf(s) for s in S], rtol=1e-7)
    np.testing.assert_allclose(ours.logpdf(S[0]), theirs.logpdf(S[0]))
    np.testing.assert_allclose(ours.mean(), theirs.mean())
    np.testing.assert_allclose(ours.variance(), theirs.var())
    assert ours.logpdf(-np.eye(3)) == -np.inf
    line = Wishart(2.0, df)  # one dimension: 2 chi2(v)
    s = np.array([0.3, 2.0, 9.0])
    expected = stats.chi2(df, scale=2.0).logpdf(s)
    np.testing.assert_allclose(line.logpdf(s[:, None, None]), expected)


@pytest.mark.course("S2-1")
def test_scatters_of_gaussian_rows_have_the_law_with_n_minus_1():
    n = 6
    S, law = scatters(n), Wishart(SIGMA, n - 1)
    error = np.sqrt(law.variance() / len(S))
    assert (np.abs(S.mean(axis=0) - law.mean()) < 5 * error).all()
    np.testing.assert_allclose(S.var(axis=0), law.variance(), rtol=0.2)
    # and not that with n, which would be the scatter about the true mean
    assert (np.abs(S.mean(axis=0) - Wishart(SIGMA, n).mean()).max() > 10 * error).any()
    # two-sample tests on an entry, a quadratic form and the determinant
    drawn = law.sample(3000, 1)
    summed = np.random.default_rng(2).multivariate_normal(
        np.zeros(3), SIGMA, size=(3000, n - 1)
    )
    summed = np.einsum("nvi,nvj->nij", summed, summed)  # sum of V V' over v < n
    for f in (
        lambda M: M[:, 0, 1],
        lambda M: M.sum(axis=(1, 2)),
        np.linalg.det,
        lambda M: np.trace(M, axis1=1, axis2=2),
    ):
        assert stats.ks_2samp(f(S), f(drawn)).pvalue > 1e-3
        assert stats.ks_2samp(f(S), f(summed)).pvalue > 1e-3
    # a' S a / a' Sigma a is chi-squared with n - 1 degrees
    a = np.array([1.0, -2.0, 0.5])
    ratio = np.einsum("i,nij,j->n", a, S, a) / (a @ SIGMA @ a)
    assert stats.kstest(ratio, stats.chi2(n - 1).cdf).pvalue > 1e-3


@pytest.mark.course("S2-1")
def test_draws_are_the_same_for_the_same_seed_and_positive():
    law = Wishart(SIGMA, 2.5)
    S = law.sample(200, 3)
    np.testing.assert_array_equal(S, law.sample(200, 3))
    assert (np.linalg.eigvalsh(S) > 0).all()
    assert np.isfinite(law.logpdf(S)).all()


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: Wishart(SIGMA, 2.0), ParameterError, "exceed d - 1 = 2; got 2"),
        (lambda: Wishart(-1.0, 2.0), ValueError, "Gaussian"),
        (lambda: Wishart(SIGMA, 4).logpdf(np.eye(2)), DataError, "3 x 3 matrix"),
    ],
)
def test_misuse_gets_one_sentence(call, error, message):
    with pytest.raises(error, match=message):
        call()
