import numpy as np
import pytest
from scipy import stats
from scipy.special import gammaln

from corollary.core.errors import DataError, ParameterError
from corollary.distributions.numerical_mle import numerical_mle, score
from corollary.distributions.uniform import Uniform


def normal(X, theta):
    return -0.5 * ((X[:, 0] - theta[0]) ** 2 / theta[1] + np.log(2 * np.pi * theta[1]))


def gamma(X, theta):
    a, b = theta
    x = X[:, 0]
    return a * np.log(b) - gammaln(a) + (a - 1) * np.log(x) - b * x


def uniform(X, theta):
    inside = (X[:, 0] >= 0) & (X[:, 0] <= theta[0])
    return np.where(inside, -np.log(theta[0]), -np.inf)


POSITIVE = [(1e-6, None), (1e-6, None)]


@pytest.mark.course("S1-7", "S3-20")
def test_interior_maximum_equals_the_closed_form_with_its_standard_errors():
    x = np.random.default_rng(0).normal(3, 2, 200)
    found = numerical_mle(normal, x, [0.0, 1.0], [(None, None), (1e-6, None)])
    np.testing.assert_allclose(found.theta, [x.mean(), x.var()], rtol=1e-7)
    assert found.kind == "interior"
    np.testing.assert_allclose(found.score, 0, atol=1e-6)
    expected = [np.sqrt(x.var() / 200), x.var() * np.sqrt(2 / 200)]
    np.testing.assert_allclose(found.standard_errors, expected, rtol=1e-3)
    np.testing.assert_allclose(
        found.loglikelihood, stats.norm(x.mean(), x.std()).logpdf(x).sum()
    )
    assert "second-order test holds" in found.verdict


@pytest.mark.course("S3-20")
def test_a_family_without_a_closed_form():
    x = stats.gamma(2.5, scale=0.5).rvs(300, random_state=1)
    found = numerical_mle(gamma, x, [[1.0, 1.0], [5.0, 0.3]], POSITIVE)
    shape, _, scale = stats.gamma.fit(x, floc=0)
    np.testing.assert_allclose(found.theta, [shape, 1 / scale], rtol=1e-4)
    np.testing.assert_allclose(score(gamma, x, found.theta), 0, atol=1e-3)
    assert found.kind == "interior"


@pytest.mark.course("S3-20")
def test_the_end_of_a_uniform_law_is_an_edge_where_no_score_vanishes():
    x = Uniform(5.0).sample(20, random_state=0)
    found = numerical_mle(uniform, x, 30.0, [(1e-6, None)])
    np.testing.assert_allclose(found.theta, x.max(), rtol=1e-8)
    assert found.theta[0] >= x.max()  # else the data would be impossible
    assert found.kind == "edge"
    np.testing.assert_allclose(found.score, -1 / x.max(), rtol=1e-3)
    with pytest.raises(DataError, match="need an interior maximum; got edge"):
        found.standard_errors


@pytest.mark.course("S3-20")
@pytest.mark.parametrize(("low", "high", "at"), [(2.0, 9.0, 2.0), (-9.0, 0.0, 0.0)])
def test_a_maximum_on_the_boundary_of_the_range(low, high, at):
    x = np.array([0.5, 1.0, 1.5])  # the mean, 1, is outside the range

    def mean_only(X, theta):
        return normal(X, [theta[0], 1.0])

    found = numerical_mle(mean_only, x, 5.0, [(low, high)])
    assert found.theta.tolist() == [at]
    assert found.kind == "boundary"
    assert np.sign(found.score[0]) == np.sign(1 - at)  # out of the range


@pytest.mark.course("S3-20")
def test_the_boundary_wins_over_a_stationary_point_that_is_lower():
    # l(t) = (t^2 - 1)^2 on [-3, 0.5]: stationary at 0 and -1, largest at the end -3
    def wavy(X, theta):
        return np.full(len(X), (theta[0] ** 2 - 1) ** 2)

    found = numerical_mle(wavy, [0.0], 0.1, [(-3.0, 0.5)])
    assert found.theta.tolist() == [-3.0]
    assert found.kind == "boundary"


@pytest.mark.course("S3-20")
def test_a_saddle_or_minimum_is_not_called_a_maximum():
    def bowl(X, theta):
        return np.full(len(X), theta[0] ** 2)

    assert numerical_mle(bowl, [0.0], 0.0, [(-1.0, 1.0)]).kind == "boundary"

    def flat(X, theta):
        return np.zeros(len(X))

    found = numerical_mle(flat, [0.0], 0.0)
    assert found.kind == "unsettled"
    assert "try other starts" in found.verdict


@pytest.mark.course("S3-20")
def test_the_density_is_never_asked_outside_the_range():
    asked = []

    def strict(X, theta):
        asked.append(theta[0])
        return normal(X, [theta[0], 1.0])

    for x in (
        -1.0,
        4e-6,
        0.001,
        2.99999,
        5.0,
    ):  # beyond the range, or close to its ends
        found = numerical_mle(strict, [x], 0.5, [(0.0, 3.0)])
        np.testing.assert_allclose(found.theta, np.clip(x, 0, 3), atol=1e-7)
        assert found.kind in ("boundary", "interior")
    assert 0 <= min(asked) <= max(asked) <= 3


@pytest.mark.course("S3-20")
def test_weights_are_repetitions():
    x, w = np.array([1.0, 2.0, 5.0]), np.array([2, 0, 3])
    bounds = [(None, None), (1e-6, None)]
    a = numerical_mle(normal, x, [0.0, 1.0], bounds, w)
    b = numerical_mle(normal, np.repeat(x, w), [0.0, 1.0], bounds)
    np.testing.assert_allclose(a.theta, b.theta, rtol=1e-6)
    np.testing.assert_allclose(a.loglikelihood, b.loglikelihood)


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: numerical_mle(uniform, [], 1.0), DataError, "X must have rows"),
        (lambda: numerical_mle(uniform, [3.0], 1.0), DataError, "make the data poss"),
        (lambda: numerical_mle(uniform, [3.0], np.nan), DataError, "must be finite"),
        (
            lambda: numerical_mle(uniform, [3.0], 4.0, [(2.0, 1.0)]),
            ParameterError,
            "1 pairs",
        ),
        (
            lambda: numerical_mle(uniform, [3.0], 4.0, w=[-1.0]),
            DataError,
            "sample_weight",
        ),
    ],
)
def test_bad_input_gets_one_sentence(call, error, message):
    with pytest.raises(error, match=message) as caught:
        call()
    assert "\n" not in str(caught.value)
