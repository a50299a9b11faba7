import numpy as np
import pytest

from corollary.core.errors import ParameterError
from corollary.diagnostics.sample_size import rows_to_fill, sample_size_advice
from corollary.distributions.gaussian import Gaussian, GaussianFamily


@pytest.mark.course("S3-47")
def test_rows_grow_with_the_power_of_the_dimension():
    assert [rows_to_fill(9, d) for d in (1, 2, 3)] == [9, 81, 729]
    assert rows_to_fill(10, 20 * 20) == 10**400


@pytest.mark.course("S3-47")
@pytest.mark.parametrize(
    ("n", "d", "advice"),
    [
        (1000, 10, "full"),
        (999, 10, "shrunk"),
        (100, 10, "shrunk"),
        (99, 10, "diagonal"),
        (5, 10, "diagonal"),
        (2, 10, "spherical"),
        (1, 1, "spherical"),
    ],
)
def test_advice(n, d, advice):
    found = sample_size_advice(n, d)
    assert found.advice == advice
    assert f"n = {n} rows, d^2 = {d * d}" in str(found)
    assert found.largest_d**2 * 10 <= max(n, 10)


@pytest.mark.course("S3-47")
@pytest.mark.parametrize("d", [1, 3, 8])
def test_parameters_are_those_of_the_laws(d):
    found = sample_size_advice(1000, d)
    X = np.random.default_rng(0).normal(size=(40, d))
    for name in ("full", "diagonal", "spherical"):
        family = GaussianFamily(name)
        assert getattr(found, name) == family.n_parameters(family.fit(X))


@pytest.mark.course("S3-47")
def test_the_advice_holds_on_correlated_features():
    d, rng = 12, np.random.default_rng(0)
    S = 0.3 * np.ones((d, d)) + 0.7 * np.eye(d)  # a diagonal covariance is wrong
    law = Gaussian(np.zeros(d), S)
    new = law.sample(2000, rng)
    few = law.sample(20, rng)  # below d^2
    many = law.sample(12 * d * d, rng)
    assert sample_size_advice(20, d).advice == "diagonal"
    assert sample_size_advice(len(many), d).advice == "full"
    score = {
        (name, len(X)): GaussianFamily(name).fit(X).logpdf(new).mean()
        for name in ("full", "diagonal")
        for X in (few, many)
    }
    assert score["diagonal", 20] > score["full", 20]
    assert score["full", len(many)] > score["diagonal", len(many)]


@pytest.mark.parametrize(
    "call", [lambda: sample_size_advice(0, 1), lambda: rows_to_fill(3, 0)]
)
def test_bad_input_gets_one_sentence(call):
    with pytest.raises(ParameterError, match="must be a whole number >= 1; got 0"):
        call()
