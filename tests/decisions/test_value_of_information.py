import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from corollary import datasets
from corollary.core.errors import ParameterError
from corollary.decisions.value_of_information import value_of_information


@pytest.mark.course("S3-11")
def test_doctor():
    d = datasets.doctor()
    worth = value_of_information(d.likelihood, d.prior, d.loss, actions=d.actions)
    np.testing.assert_allclose(worth.evidence, [0.75, 0.25])
    np.testing.assert_allclose(worth.risk, d.known["risk"], rtol=1e-12)
    np.testing.assert_allclose(worth.bayes_risk, 0.48, rtol=1e-12)
    np.testing.assert_allclose(worth.value, 0.42, rtol=1e-12)
    assert [d.actions[a] for a in worth.actions] == ["tea", "antibiotics"]
    assert d.actions[worth.prior_action] == "antibiotics"
    assert worth.buy
    assert not value_of_information(d.likelihood, d.prior, d.loss, price=0.43).buy
    assert "worth 0.42 (the truth: 0.9) and costs 0: buy it" in str(worth)


@pytest.mark.course("S3-11")
def test_course_choice_is_worth_a_lecture():
    c = datasets.course_choice()
    worth = value_of_information(c.likelihood, c.prior, c.loss)
    np.testing.assert_allclose([worth.prior_risk, worth.bayes_risk], [6.0, 3.2])
    np.testing.assert_allclose(worth.value, 2.8)


@pytest.mark.course("S3-11")
@given(seed=st.integers(0, 10**6))
@settings(max_examples=60, deadline=None)
def test_information_never_hurts_and_never_beats_the_truth(seed):
    rng = np.random.default_rng(seed)
    o, k, a = rng.integers(1, 6), rng.integers(1, 5), rng.integers(1, 5)
    likelihood = rng.dirichlet(np.ones(o), size=k).T
    prior, loss = rng.dirichlet(np.ones(k)), rng.normal(size=(a, k))
    worth = value_of_information(likelihood, prior, loss)
    assert -1e-12 <= worth.value <= worth.perfect + 1e-12
    idle = value_of_information(np.full((3, k), 1 / 3), prior, loss)
    np.testing.assert_allclose(idle.value, 0, atol=1e-12)
    truth = value_of_information(np.eye(k), prior, loss)
    np.testing.assert_allclose(truth.value, worth.perfect, atol=1e-12)
    np.testing.assert_allclose(worth.posterior.sum(axis=1), 1.0)


def test_an_observation_that_cannot_come_keeps_the_prior():
    worth = value_of_information([[1, 1], [0, 0]], [0.3, 0.7], [[0, 1], [1, 0]])
    np.testing.assert_allclose(worth.posterior[1], [0.3, 0.7])


@pytest.mark.parametrize(
    ("arguments", "more", "part"),
    [
        (
            ([[0.5, 0.5]], [0.5, 0.5], [[0, 1]]),
            {},
            "column 0 of likelihood must add up",
        ),
        (([[1.0]], [0.5, 0.5], [[0, 1]]), {}, "a column for each of 2 states"),
        (([[1, 1]], [0.5, 0.4], [[0, 1]]), {}, "prior must add up to 1"),
        (([[1, 1]], [0.5, 0.5], [[0, 1, 2]]), {}, "got shape (1, 3)."),
        (([[1, 1]], [0.5, 0.5], [[0, 1]]), {"price": -1}, "price must be >= 0; got -1"),
        (([[1, 1]], [0.5, 0.5], [[0, 1]]), {"actions": "ab"}, "each of 1 rows"),
    ],
)
def test_bad_input(arguments, more, part):
    with pytest.raises(ParameterError) as caught:
        value_of_information(*arguments, **more)
    assert part in str(caught.value)
