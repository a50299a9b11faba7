import numpy as np
import pytest
from scipy.optimize import minimize_scalar
from scipy.stats import norm

from corollary.core.errors import DataError, ParameterError
from corollary.distributions.gaussian import Gaussian
from corollary.studies.misspecification import (
    gaussian_rule_error,
    misspecification,
)

TRUTH = (Gaussian([0.0], 1.0), Gaussian([1.0], 1e6))


def model(mu):
    return Gaussian([0.0], 1.0), Gaussian([mu], 1.0)


def error(mu):
    return gaussian_rule_error(model(mu), TRUTH).error


@pytest.mark.course("S3-23")
def test_worked_numbers():
    fitted = gaussian_rule_error(model(1.0), TRUTH)
    np.testing.assert_allclose(fitted.boundaries, [0.5])
    assert fitted.error == pytest.approx(0.4042, abs=5e-5)
    bayes = gaussian_rule_error(TRUTH, TRUTH)
    np.testing.assert_allclose(bayes.boundaries, [-3.716925, 3.716923], atol=1e-6)
    assert bayes.error == pytest.approx(0.00158, abs=5e-6)
    best = minimize_scalar(error, bounds=(1, 50), method="bounded")
    assert best.x == pytest.approx(7.4338, abs=1e-3)
    assert best.fun == pytest.approx(0.2506, abs=5e-5)


@pytest.mark.course("S3-23")
def test_every_mu_from_1_to_1745_beats_maximum_likelihood():
    at_mle = error(1.0)
    assert all(error(mu) < at_mle for mu in (1.01, 3, 7.4338, 100, 1000, 1745))
    assert error(1746.5) > at_mle
    assert error(0.9) > at_mle


@pytest.mark.course("S3-23")
def test_held_out_rows_refute_the_model_and_do_not_refute_the_right_one():
    X = np.concatenate(
        [law.sample(2000, random_state=i) for i, law in enumerate(TRUTH)]
    )
    y = np.repeat([0, 1], 2000)
    wrong = misspecification(model(1.0), [0.5, 0.5], X, y, random_state=0)
    assert wrong.plug_in == pytest.approx(norm.cdf(-0.5), abs=5 * wrong.plug_in_error)
    assert wrong.held_out == pytest.approx(0.4042, abs=5 * wrong.held_out_error)
    assert wrong.refuted
    assert "errs more often than they say" in str(wrong)
    right = misspecification(TRUTH, [0.5, 0.5], X, y, random_state=0)
    assert not right.refuted
    assert right.plug_in == pytest.approx(0.00158, abs=5 * right.plug_in_error)
    assert "do not speak against" in right.verdict


@pytest.mark.course("S3-23")
def test_the_right_model_is_refuted_rarely():
    laws = [Gaussian([0.0, 0.0], 1.0), Gaussian([1.0, 1.0], 2.0)]
    rng = np.random.default_rng(0)
    refuted = 0
    for _ in range(60):
        X = np.concatenate([law.sample(150, rng) for law in laws])
        y = np.repeat([0, 1], 150)
        found = misspecification(laws, [0.5, 0.5], X, y, draws=2000, random_state=rng)
        refuted += found.refuted
    assert refuted <= 2


def test_errors_of_known_rules():
    equal = Gaussian([0.0], 1.0), Gaussian([2.0], 1.0)
    found = gaussian_rule_error(equal, equal)
    np.testing.assert_allclose(found.error, norm.cdf(-1))
    np.testing.assert_allclose(found.boundaries, [1.0])
    fish = Gaussian([5.0], 1.0), Gaussian([10.0], 4.0)  # salmon and bass
    np.testing.assert_allclose(
        gaussian_rule_error(fish, fish).boundaries, [-0.267, 6.933], atol=1e-3
    )
    assert gaussian_rule_error(fish, fish).error == pytest.approx(0.04460, abs=5e-6)
    skewed = gaussian_rule_error(fish, fish, [2 / 3, 1 / 3])
    assert skewed.error == pytest.approx(0.03618, abs=5e-6)
    same = Gaussian([0.0], 1.0), Gaussian([0.0], 1.0)
    prior = gaussian_rule_error(same, same, [0.7, 0.3])
    assert prior.boundaries == ()
    np.testing.assert_allclose(prior.error, 0.3)
    nested = Gaussian([0.0], 1.0), Gaussian([0.0], 1.1)
    never = gaussian_rule_error(nested, nested, [0.01, 0.99])
    np.testing.assert_allclose(never.error, 0.01)  # the second class everywhere


@pytest.mark.parametrize(
    ("call", "kind", "message"),
    [
        (
            lambda: misspecification([TRUTH[0]], [1.0], [0.0], [0]),
            ParameterError,
            "two laws or more",
        ),
        (
            lambda: misspecification(TRUTH, [0.5, 0.6], [0.0], [0]),
            DataError,
            "priors must add up to 1",
        ),
        (
            lambda: misspecification(TRUTH, [0.5, 0.5], [0.0], [2]),
            DataError,
            "a class from 0 to 1",
        ),
        (
            lambda: gaussian_rule_error(TRUTH, [Gaussian([0, 0], 1.0)] * 2),
            ParameterError,
            "on one feature each",
        ),
    ],
)
def test_bad_input_gets_one_sentence(call, kind, message):
    with pytest.raises(kind, match=message) as caught:
        call()
    assert "\n" not in str(caught.value)
