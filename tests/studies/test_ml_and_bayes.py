import numpy as np
import pytest

from corollary.core.errors import DataError, ParameterError
from corollary.distributions.bernoulli import Bernoulli, BernoulliFamily, Beta
from corollary.distributions.gaussian import Gaussian, GaussianFamily
from corollary.distributions.normal_inverse_wishart import NormalInverseWishart
from corollary.distributions.uniform import PowerLaw, Uniform, UniformFamily
from corollary.studies.ml_and_bayes import ml_and_bayes

NEW = Gaussian([0.0, 0.0], 1.0).sample(400, random_state=9)
ROWS = Gaussian([0.0, 0.0], 1.0).sample(20000, random_state=8)
PRIOR = NormalInverseWishart([0, 0], 1.0, np.eye(2), 4.0)


@pytest.mark.course("S3-27")
def test_few_rows_favour_bayes_and_many_make_the_two_alike():
    few, some, many = ml_and_bayes(
        GaussianFamily(), PRIOR, ROWS, NEW, sizes=[4, 50, 20000]
    )
    assert few.gain > 0.2
    assert few.verdict.startswith("Bayes: it is ahead by")
    assert few.gain > abs(some.gain) > abs(many.gain)
    assert abs(many.gain) < 1e-3
    assert many.verdict.startswith("alike")
    s = GaussianFamily().statistics(ROWS[:4])
    np.testing.assert_allclose(
        few.predictive, PRIOR.posterior(s).predictive().logpdf(NEW).mean()
    )
    np.testing.assert_allclose(few.ml, GaussianFamily().mle(s).logpdf(NEW).mean())
    np.testing.assert_allclose(few.map, PRIOR.posterior(s).map().logpdf(NEW).mean())


@pytest.mark.course("S3-27")
def test_a_broad_prior_changes_nothing_that_a_narrow_wrong_one_spoils():
    X, new = ([1, 0] * 100), Bernoulli([0.5]).sample(400, random_state=0)
    [broad] = ml_and_bayes(BernoulliFamily(), Beta(1.0, 1.0), X, new)
    assert abs(broad.gain) < 1e-3
    assert broad.map == pytest.approx(broad.ml)
    [wrong] = ml_and_bayes(BernoulliFamily(), Beta(5000.0, 50.0), X, new)
    assert wrong.gain < -0.5
    assert wrong.verdict.startswith("maximum likelihood: the prior costs")


@pytest.mark.course("S3-27")
def test_a_skewed_posterior_keeps_them_apart_where_ml_says_impossible():
    X, new = Uniform(8.0).sample(10, 0), Uniform(8.0).sample(300, 1)
    [found] = ml_and_bayes(UniformFamily(), PowerLaw(0, 0.0, 10.0), X, new)
    assert found.ml == found.map == -np.inf  # a new row lies beyond the largest
    assert np.isfinite(found.predictive)
    assert found.gain == np.inf
    assert "density 0" in str(found)


@pytest.mark.course("S3-27")
def test_where_ml_has_no_estimate_bayes_has_one():
    [one] = ml_and_bayes(GaussianFamily(), PRIOR, ROWS[:1], NEW)
    assert one.ml == -np.inf
    assert np.isfinite(one.predictive)


def test_bad_input_gets_one_sentence():
    family, prior = BernoulliFamily(), Beta(1.0, 1.0)
    with pytest.raises(DataError, match="two new rows or more; got 1 and 1"):
        ml_and_bayes(family, prior, [1], [1])
    with pytest.raises(ParameterError, match="sizes must be from 1 to 2"):
        ml_and_bayes(family, prior, [1, 0], [1, 0], sizes=[3])
