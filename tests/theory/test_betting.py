"""An upper bound on a mean by betting against every larger value of it."""

import numpy as np
import pytest

from corollary.theory import clopper_pearson, hold_out_bound


def bound(x, delta=0.05):
    return hold_out_bound(x, delta, method="betting").value


def capital(x, m, delta=0.05):
    """Play the game row by row, and return the largest capital."""
    money = most = 1.0
    total, squares = 0.5, 0.25
    for t, loss in enumerate(x, start=1):
        bet = min(0.9, np.sqrt(2 * np.log(1 / delta) / (len(x) * squares / t)))
        money *= 1 - bet * (loss - m)
        most = max(most, money)
        total += loss
        squares += (loss - total / (t + 1)) ** 2
    return most


@pytest.mark.parametrize("seed", range(3))
def test_the_bound_is_where_the_capital_reaches_its_goal(seed):
    x = np.random.default_rng(seed).beta(1, 4, 150)
    m = bound(x)
    assert capital(x, m + 1e-9) >= 20 * (1 - 1e-9)
    assert capital(x, m - 1e-6) < 20


def test_no_losses_come_near_the_exact_bound():
    exact = clopper_pearson(n=1000, errors=0, delta=0.05)
    assert exact <= bound(np.zeros(1000)) <= 1.2 * exact


def test_losses_of_1_prove_nothing():
    assert bound(np.ones(50)) == 1.0


def test_smaller_losses_and_a_larger_delta_never_raise_the_bound():
    x = np.random.default_rng(3).random(200)
    assert bound(x, 0.2) <= bound(x)
    assert bound(0.5 * x) <= bound(x)
