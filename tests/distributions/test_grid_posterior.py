import numpy as np
import pytest
from scipy import stats

from corollary.core.errors import DataError, ParameterError
from corollary.distributions.bernoulli import BernoulliFamily, Beta
from corollary.distributions.grid_posterior import grid_posterior
from corollary.distributions.uniform import PowerLaw, UniformFamily


def uniform(X, theta):
    inside = (X[:, 0] >= 0) & (X[:, 0] <= theta[0])
    return np.where(inside, -np.log(theta[0]), -np.inf)


@pytest.mark.course("S3-24")
@pytest.mark.parametrize("y", [0.05, 0.4])
def test_uniform_within_uniform(y):
    # X ~ U[0, 1], Y | X ~ U[0, X]: p(x | y) = (1/x)/ln(1/y) on [y, 1], mode y
    axis = np.linspace(y, 1, 4001)
    after = grid_posterior(uniform, [y], [axis])
    np.testing.assert_allclose(after.density, 1 / (axis * np.log(1 / y)), rtol=1e-4 / y)
    assert after.mode[0] == y
    np.testing.assert_allclose(after.mean, (1 - y) / np.log(1 / y), rtol=1e-4)
    whole = grid_posterior(uniform, [y], [np.linspace(1e-4, 1, 20001)])
    below = whole.points[:, 0] < y - 1e-12
    assert (whole.density[below] == 0).all()
    np.testing.assert_allclose(whole.mean, after.mean, rtol=2e-3)


@pytest.mark.course("S3-24")
def test_worked_predictive_of_the_uniform_law():
    after = grid_posterior(uniform, [1.0, 2.0, 3.0], [np.linspace(3, 10, 4001)])
    closed = PowerLaw(0, 0.0, 10.0).posterior(UniformFamily().statistics([1, 2, 3]))
    x = np.array([0.5, 3.0, 4.0, 8.0])
    np.testing.assert_allclose(
        after.predictive(x), closed.predictive().logpdf(x), atol=3e-3
    )
    np.testing.assert_allclose(np.exp(after.predictive([1.0])), 0.23761, atol=1e-5)
    np.testing.assert_allclose(after.density[0], 19.780 / 27, rtol=1e-4)
    assert after.predictive([10.5])[0] == -np.inf


@pytest.mark.course("S3-24")
def test_coin_equals_the_conjugate_answer_even_for_thousands_of_tosses():
    x = np.random.default_rng(0).integers(0, 2, 3000)

    def coin(X, theta):
        return np.where(X[:, 0] == 1, np.log(theta[0]), np.log1p(-theta[0]))

    axis = np.linspace(0.4, 0.6, 2001)
    after = grid_posterior(coin, x, [axis], lambda t: np.log(6 * t[0] * (1 - t[0])))
    closed = Beta(2.0, 2.0).posterior(BernoulliFamily().statistics(x))
    np.testing.assert_allclose(after.mean, closed.moments()[0], rtol=1e-9)
    np.testing.assert_allclose(after.covariance, closed.moments()[1], rtol=1e-6)
    np.testing.assert_allclose(
        after.predictive([1.0]), closed.predictive().logpdf([1]), rtol=1e-9
    )
    np.testing.assert_allclose(after.density, closed.pdf(axis), rtol=1e-6, atol=1e-12)
    ones = x.sum()
    from scipy.special import betaln

    evidence = betaln(2 + ones, 2 + 3000 - ones) - betaln(2, 2)
    np.testing.assert_allclose(after.log_evidence, evidence, rtol=1e-10)


@pytest.mark.course("S3-24")
def test_two_parameters_and_their_marginals():
    x = np.random.default_rng(1).normal(1, 2, 30)

    def normal(X, theta):
        z = (X[:, 0] - theta[0]) / theta[1]
        return -0.5 * z**2 - np.log(theta[1]) - 0.5 * np.log(2 * np.pi)

    axes = [np.linspace(-2, 4, 121), np.linspace(0.8, 5, 141)]
    after = grid_posterior(
        normal, x, axes, lambda t: -np.log(t[1])
    )  # Jeffreys: Student's t
    t = stats.t(29, x.mean(), x.std(ddof=1) / np.sqrt(30))
    np.testing.assert_allclose(after.marginal(0), t.pdf(axes[0]), atol=2e-4)
    np.testing.assert_allclose(np.trapezoid(after.marginal(1), axes[1]), 1)
    predictive = stats.t(29, x.mean(), x.std(ddof=1) * np.sqrt(1 + 1 / 30))
    np.testing.assert_allclose(
        after.predictive([0.0, 3.0]), predictive.logpdf([0.0, 3.0]), rtol=1e-3
    )
    assert after.mode.shape == (2,)


def test_weights_are_repetitions():
    axes = [np.linspace(5, 10, 50)]
    a = grid_posterior(uniform, [1.0, 5.0, 9.0], axes, w=[2, 1, 0])
    b = grid_posterior(uniform, [1.0, 1.0, 5.0], axes)
    np.testing.assert_allclose(a.density, b.density)


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: grid_posterior(uniform, [], [[1, 2]]), DataError, "X must have rows"),
        (
            lambda: grid_posterior(uniform, [5.0], [[1, 2]]),
            DataError,
            "probability 0 everywhere. Widen the axes",
        ),
        (
            lambda: grid_posterior(lambda X, t: X[:, 0] * np.nan, [5.0], [[1, 2]]),
            DataError,
            "got NaN",
        ),
        (lambda: grid_posterior(uniform, [5.0], [[1]]), ParameterError, "two rising"),
        (
            lambda: grid_posterior(uniform, [5.0], [[2, 1]]),
            ParameterError,
            "two rising numbers",
        ),
    ],
)
def test_bad_input_gets_one_sentence(call, error, message):
    with pytest.raises(error, match=message) as caught:
        call()
    assert "\n" not in str(caught.value)
