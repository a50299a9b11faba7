import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from corollary import datasets
from corollary.core.errors import DataError, ParameterError
from corollary.decisions.decision_rules import posterior
from corollary.decisions.sequential_bayes import prior_belief


@pytest.mark.course("S0-8")
def test_fair_or_biased_coin():
    coin = datasets.fair_or_biased()
    head = np.log(coin.likelihood[0])
    once = prior_belief(coin.prior, coin.states).update(head)
    twice = once.update(head)
    fair = [once.posterior[0], twice.posterior[0]]
    np.testing.assert_allclose(fair, coin.known["fair_after_heads"], rtol=1e-12)
    assert once.best == "fair"
    many = twice.update(np.tile(head, (1000, 1)))
    assert many.best == "biased"
    np.testing.assert_allclose(many.posterior.sum(), 1.0)


@pytest.mark.course("S0-8")
@given(seed=st.integers(0, 10**6))
@settings(max_examples=50, deadline=None)
def test_order_batching_and_merging_do_not_matter(seed):
    rng = np.random.default_rng(seed)
    n, k = int(rng.integers(1, 60)), int(rng.integers(2, 6))
    L, prior = rng.normal(size=(n, k)) * 20, rng.dirichlet(np.ones(k))
    one_by_one = prior_belief(prior)
    for row in L:
        one_by_one = one_by_one.update(row)
    batch = prior_belief(prior).update(L)
    shuffled = prior_belief(prior).update(rng.permutation(L))
    cut = int(rng.integers(0, n + 1))
    merged = (
        prior_belief(prior).update(L[:cut]).merge(prior_belief(prior).update(L[cut:]))
    )
    for other in (one_by_one, shuffled, merged):
        np.testing.assert_allclose(other.log_posterior, batch.log_posterior, atol=1e-9)
        assert other.n == n
    direct = posterior(L.sum(axis=0)[None, :], prior)[0]
    np.testing.assert_allclose(batch.posterior, direct, rtol=1e-8, atol=1e-14)


@pytest.mark.course("S0-8")
def test_the_posterior_of_yesterday_is_the_prior_of_today():
    rng = np.random.default_rng(0)
    L, prior = rng.normal(size=(20, 3)), [0.2, 0.3, 0.5]
    first = prior_belief(prior).update(L[:12])
    again = prior_belief(first.posterior).update(L[12:])
    whole = prior_belief(prior).update(L)
    np.testing.assert_allclose(again.posterior, whole.posterior, rtol=1e-10)


def test_hypotheses_that_are_ruled_out_stay_out():
    belief = prior_belief([0.5, 0.5]).update([-np.inf, -1.0]).update([100.0, -1.0])
    np.testing.assert_array_equal(belief.posterior, [0.0, 1.0])


def test_bad_input():
    belief = prior_belief([0.5, 0.5])
    with pytest.raises(DataError, match="an observation that all rule out"):
        belief.update([-np.inf, -np.inf])
    with pytest.raises(DataError, match="a column for each of 2 classes"):
        belief.update([0.0, 0.0, 0.0])
    with pytest.raises(DataError, match="got nan in row 0, column 1"):
        belief.update([0.0, np.nan])
    with pytest.raises(ParameterError, match="prior must add up to 1"):
        prior_belief([0.5, 0.6])
    with pytest.raises(ParameterError, match="a name for each of 2; got 1"):
        prior_belief([0.5, 0.5], ["fair"])
    with pytest.raises(ParameterError, match="same hypotheses and prior"):
        belief.merge(prior_belief([0.4, 0.6]))
