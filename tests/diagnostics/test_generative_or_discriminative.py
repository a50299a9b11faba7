import numpy as np
import pytest
from scipy.special import expit
from scipy.stats import poisson

from corollary.core.errors import DataError
from corollary.diagnostics.generative_or_discriminative import (
    generative_or_discriminative,
)


@pytest.mark.course("S4-40")
def test_gaussian_classes_and_few_rows_favour_the_generative_rule():
    rng = np.random.default_rng(0)
    y = rng.integers(2, size=4000)
    X = rng.normal(size=(4000, 8)) + 0.7 * y[:, None]
    found = generative_or_discriminative(X, y, sizes=[60, 1000], repeats=40)
    assert found.difference[0] < -2 * found.standard_error[0]
    assert abs(found.difference[1]) < 0.005  # both have converged
    assert (found.generative[1], found.discriminative[1]) < (found.generative[0],) * 2


@pytest.mark.course("S4-40")
def test_other_classes_favour_the_discriminative_rule():
    rng = np.random.default_rng(1)
    y = rng.integers(2, size=4000)
    X = rng.exponential(np.where(y, 1.0, 8.0)[:, None], size=(4000, 2)) ** 2
    found = generative_or_discriminative(X, y, sizes=[100, 1500], repeats=10)
    assert found.difference[-1] > 2 * found.standard_error[-1]
    assert found.advice.startswith("discriminative")
    assert "advice: discriminative" in str(found)


@pytest.mark.course("S4-40")
def test_poisson_classes_have_a_logistic_posterior_too():
    # so a logistic posterior does not prove Gaussian classes
    x, rates, phi = np.arange(30), (3.0, 7.0), 0.4
    joint = poisson.pmf(x, rates[1]) * phi, poisson.pmf(x, rates[0]) * (1 - phi)
    theta = np.log(rates[1] / rates[0])
    theta_0 = rates[0] - rates[1] + np.log(phi / (1 - phi))
    np.testing.assert_allclose(joint[0] / sum(joint), expit(theta * x + theta_0))


def test_bad_input():
    X, y = np.random.default_rng(0).normal(size=(50, 2)), np.arange(50) % 3
    with pytest.raises(DataError, match="y must have two labels; got 3"):
        generative_or_discriminative(X, y)
    with pytest.raises(DataError, match="below the number of rows = 50; got"):
        generative_or_discriminative(X, y % 2, sizes=[100])
