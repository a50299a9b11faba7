import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from corollary.core.errors import ParameterError
from corollary.distributions.gaussian import Gaussian, GaussianFamily
from corollary.distributions.uniform import Uniform, UniformFamily
from corollary.studies.estimator_lab import estimator_lab

LAW = Gaussian([3.0], 4.0)


def within(value, expected, error):
    return abs(value - expected) < 5 * error


@pytest.mark.course("S1-37", "S3-22")
@given(st.integers(0, 10**6))
@settings(max_examples=10, deadline=None)
def test_error_is_bias_squared_plus_variance_on_the_same_draws(seed):
    lab = estimator_lab(
        lambda X: [X.max(), X[0, 0] ** 3],
        LAW,
        [5.0, 1.0],
        sizes=[3, 8],
        repeats=50,
        random_state=seed,
    )
    for q in lab:
        np.testing.assert_allclose(q.mse, q.bias @ q.bias + q.variance, rtol=1e-12)


@pytest.mark.course("S1-37", "S3-22")
def test_mean_and_first_row_are_unbiased_with_their_variances():
    sizes = [4, 16, 64]
    mean = estimator_lab(
        lambda X: X.mean(), LAW, 3.0, sizes=sizes, repeats=3000, random_state=0
    )
    first = estimator_lab(
        lambda X: X[0], LAW, 3.0, sizes=sizes, repeats=3000, random_state=0
    )
    for n, q, p in zip(sizes, mean, first, strict=True):
        assert not q.biased
        assert within(q.mse, 4 / n, q.mse_error)
        assert not p.biased
        assert within(p.variance, 4.0, p.variance_error)
        expected = 2 / np.sqrt(n) * np.sqrt(2 / np.pi)  # mean |z|
        assert within(q.mae, expected, q.mae_error)
    assert mean.rate == pytest.approx(-1, abs=0.1)
    assert abs(first.rate) < 0.1


@pytest.mark.course("S1-8", "S1-37", "S3-22")
@pytest.mark.parametrize("n", [2, 5])
def test_variance_with_1_over_n_is_too_small_by_the_factor_known(n):
    def variance(unbiased):
        family = GaussianFamily(unbiased=unbiased)
        return estimator_lab(
            lambda X: family.fit(X).covariance[0],
            LAW,
            4.0,
            sizes=[n],
            repeats=3000,
            random_state=0,
        )[0]

    biased, unbiased = variance(False), variance(True)
    assert within(biased.bias[0], -4 / n, biased.bias_error[0])
    assert biased.biased
    assert not unbiased.biased
    assert biased.mse < unbiased.mse  # and yet the better of the two
    assert within(unbiased.mse, 2 * 16 / (n - 1), unbiased.mse_error)


@pytest.mark.course("S3-22")
def test_largest_value_errs_by_n_squared():
    family = UniformFamily()
    lab = estimator_lab(
        lambda X: family.fit(X).high,
        Uniform(6.0),
        6.0,
        sizes=[20, 80, 320],
        repeats=1500,
        random_state=1,
    )
    for q in lab:
        assert within(q.bias[0], -6 / (q.n + 1), q.bias_error[0])
        assert within(q.mse, 2 * 36 / ((q.n + 1) * (q.n + 2)), q.mse_error)
    assert lab.rate == pytest.approx(-2, abs=0.15)


def test_functions_as_laws_seeds_and_words():
    def draw(n, rng):
        return rng.exponential(2.0, n)

    make = [
        estimator_lab(np.median, draw, 2 * np.log(2), repeats=20, random_state=7)
        for _ in range(2)
    ]
    assert make[0][0].mse == make[1][0].mse
    assert str(make[0]).splitlines()[0].split() == [
        "n",
        "|bias|",
        "variance",
        "mse",
        "+-",
    ]
    assert len(str(make[0]).splitlines()) == 4


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ({"repeats": 1}, "repeats must be at least 2"),
        ({"sizes": []}, "every size at least 1"),
        ({"sizes": [0]}, "every size at least 1"),
        ({"truth": [1.0, 2.0]}, "must return 2 numbers, as many as truth"),
    ],
)
def test_bad_input_gets_one_sentence(more, message):
    arguments = {"truth": 3.0, "repeats": 5} | more
    with pytest.raises(ParameterError, match=message):
        estimator_lab(lambda X: X.mean(), LAW, **arguments)
