import numpy as np
import pytest
from scipy.integrate import quad

from corollary.distributions.uniform import (
    PowerLaw,
    Uniform,
    UniformFamily,
    UniformPredictive,
)


def mass(law, a, b):
    return quad(lambda x: float(law.pdf([x])[0]), a, b, limit=200)[0]


@pytest.mark.course("S3-21")
def test_largest_value_is_the_likeliest_end_and_too_small_on_average():
    family = UniformFamily()
    s = family.statistics([1.0, 4.0, 2.0])
    assert family.mle(s).high.tolist() == [4.0]
    top = family.loglikelihood(s, family.mle(s))
    assert family.loglikelihood(s, Uniform(4.001)) < top
    assert family.loglikelihood(s, Uniform(3.999)) == -np.inf
    rng = np.random.default_rng(0)
    ends = [family.fit(Uniform(6.0).sample(5, rng)).high[0] for _ in range(4000)]
    np.testing.assert_allclose(np.mean(ends), 6 * 5 / 6, rtol=0.01)  # n/(n + 1)


@pytest.mark.course("S3-26")
def test_worked_example():
    # D = {1, 2, 3}, theta uniform on [0, 10]
    family = UniformFamily()
    after = PowerLaw(0, 0.0, 10.0).posterior(family.statistics([1.0, 2.0, 3.0]))
    c = 2 / (3.0**-2 - 10.0**-2)
    np.testing.assert_allclose(c, 19.780, atol=5e-4)
    theta = np.array([3.0, 4.0, 10.0])
    np.testing.assert_allclose(after.pdf(theta), c * theta**-3, rtol=1e-12)
    assert after.pdf([2.9, 10.1]).tolist() == [0.0, 0.0]
    predictive = after.predictive()
    plateau = c / 3 * (3.0**-3 - 10.0**-3)
    np.testing.assert_allclose(plateau, 0.23761, atol=5e-6)
    np.testing.assert_allclose(predictive.pdf([0.0, 1.5, 3.0]), plateau, rtol=1e-12)
    x = np.array([3.5, 7.0, 10.0])
    tail = c / 3 * (x**-3 - 10.0**-3)
    np.testing.assert_allclose(predictive.pdf(x), tail, rtol=1e-10, atol=1e-15)
    assert predictive.pdf([10.5, -0.1]).tolist() == [0.0, 0.0]
    np.testing.assert_allclose(mass(predictive, 0, 3) + mass(predictive, 3, 10), 1)
    assert predictive.pdf([9.0])[0] > 0  # beyond all that was seen
    assert after.map().high.tolist() == [3.0]


@pytest.mark.course("S3-26")
@pytest.mark.parametrize("x", [0.5, 4.0, 9.9])
def test_one_row_has_a_logarithm(x):
    after = PowerLaw(0, 0.0, 10.0).posterior(UniformFamily().statistics([x]))
    theta = np.linspace(x, 10, 5)
    np.testing.assert_allclose(after.pdf(theta), 1 / (np.log(10 / x) * theta))
    total = mass(after.predictive(), 0, x) + mass(after.predictive(), x, 10)
    np.testing.assert_allclose(total, 1, rtol=1e-9)


@pytest.mark.course("S3-26")
def test_thousands_of_rows_neither_overflow_nor_underflow():
    X = Uniform(8.0).sample(5000, random_state=0)
    after = PowerLaw(0, 0.0, 10.0).posterior(UniformFamily().statistics(X))
    law = after.predictive()
    inside = law.logpdf([4.0])[0]
    np.testing.assert_allclose(inside, -np.log(X.max()), atol=1e-3)  # near U[0, max]
    assert np.isfinite(law.logpdf([9.0])[0])
    np.testing.assert_allclose(after.moments()[0], X.max(), rtol=1e-3)


def test_pareto_and_flat_priors():
    pareto = PowerLaw(3.5, 2.0, np.inf)
    np.testing.assert_allclose(mass(pareto, 2, np.inf), 1, rtol=1e-8)
    np.testing.assert_allclose(pareto.moments()[0], 2.5 * 2 / 1.5, rtol=1e-12)
    assert pareto.moments()[1][0, 0] > 0
    assert PowerLaw(2.5, 2.0, np.inf).moments()[1][0, 0] == np.inf
    flat = PowerLaw(0, 1.0, 3.0)
    np.testing.assert_allclose(flat.entropy(), np.log(2), rtol=1e-9)
    np.testing.assert_allclose(flat.logpdf([2.0]), -np.log(2), rtol=1e-14)
    log_uniform = PowerLaw(1, 1.0, np.e)
    draws = np.log(log_uniform.sample(4000, random_state=0))
    assert abs(draws.mean() - 0.5) < 0.03
    prior = UniformPredictive(0, 0.0, 10.0)
    np.testing.assert_allclose(prior.pdf([2.0]), np.log(5) / 10, rtol=1e-12)
    assert prior.pdf([0.0])[0] == np.inf
    np.testing.assert_allclose(UniformPredictive(0, 0.0, 2.0).moments()[0], 0.5)
