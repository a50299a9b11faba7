"""Rows for a class of given VC dimension."""

import math
from itertools import combinations

import numpy as np
import pytest

from corollary.core.errors import ParameterError
from corollary.theory import (
    rows_rule,
    sauer,
    vc_gap_order,
    vc_lower_bound,
    vc_realizable,
    vc_rows_order,
)


@pytest.mark.course("S0-59")
def test_numbers_of_the_notes():
    given = {"epsilon": 0.1, "delta": 0.05}
    found = vc_realizable(d=[2, 3, 4, 11], **given)
    assert found.tolist() == [526, 729, 931, 2346]
    assert vc_realizable(d=3, **given, growth="sauer") == 680


@pytest.mark.course("S0-59")
@pytest.mark.parametrize("growth", ["power", "sauer"])
@pytest.mark.parametrize(("d", "epsilon"), [(1, 0.3), (3, 0.1), (8, 0.2)])
def test_it_is_the_last_crossing(growth, d, epsilon):
    m = np.arange(1, 3000)
    if growth == "sauer":
        count = np.array([float(sauer(d, int(2 * one))) for one in m])
    else:
        count = np.where(
            2 * m >= d, (2 * np.e * m / d) ** d, np.e ** np.minimum(2 * m, d)
        )
    above = 2 * count * 2 ** (-epsilon * m / 2) > 0.05
    assert above[0]  # it rises first
    last = int(m[above].max()) + 1
    assert last >= 8 * np.log(2) / epsilon
    found = vc_realizable(d=d, epsilon=epsilon, delta=0.05, growth=growth)
    assert found == last
    at = vc_realizable(m=last, d=d, epsilon=epsilon, growth=growth)
    assert at == pytest.approx(2 * count[last - 1] * 2 ** (-epsilon * last / 2))
    few = int(8 * np.log(2) / epsilon) - 1
    assert vc_realizable(m=few, d=1, epsilon=epsilon) == 1.0


@pytest.mark.course("S0-59")
def test_pieces_of_the_proof():
    for m in range(1, 30):  # l errors among 2 m rows all in one half
        for errors in range(m + 1):
            share = math.comb(m, errors) / math.comb(2 * m, errors)
            assert share <= 2.0**-errors
            exact = math.prod((m - i) / (2 * m - i) for i in range(errors))
            assert share == pytest.approx(exact)
    # the regions where hypotheses differ from one of them shatter the same sets
    rng = np.random.default_rng(0)
    for _ in range(20):
        C = np.unique(rng.integers(0, 2, (9, 6)), axis=0)
        assert dimension(C) == dimension(C ^ C[0])


def dimension(C):
    sizes = [
        k
        for k in range(C.shape[1] + 1)
        for S in combinations(range(C.shape[1]), k)
        if len(np.unique(C[:, S], axis=0)) == 2**k or k == 0
    ]
    return max(sizes)


def check_coverage(draws):
    """Steps x >= t, d = 1: the worst consistent one, under three distributions."""
    rng = np.random.default_rng(1)
    epsilon, delta = 0.2, 0.1
    m = vc_realizable(d=1, epsilon=epsilon, delta=delta, growth="sauer")
    for law in ("uniform", "atoms"):
        u = rng.random((draws, m // 4))  # far fewer rows would do here
        x = u if law == "uniform" else np.ceil(u * 10) / 10
        low = np.where(x < 0.5, x, 0.0).max(axis=1)
        high = np.where(x >= 0.5, x, 1.0).min(axis=1)
        worst = np.maximum(0.5 - low, high - 0.5)
        assert np.mean(worst > epsilon) <= delta


@pytest.mark.course("S0-59")
def test_consistent_hypotheses_err_more_no_more_often_than_delta():
    check_coverage(1000)


@pytest.mark.slow
def test_consistent_hypotheses_err_more_no_more_often_than_delta_in_many_draws():
    check_coverage(10_000)


@pytest.mark.course("S0-59")
def test_with_fewer_rows_than_the_lower_bound_learning_fails():
    """The hard law: one point holds nearly all weight, the others share 8 epsilon."""
    rng = np.random.default_rng(2)
    d, epsilon, delta = 201, 0.1, 0.01
    m = vc_lower_bound(d=d, epsilon=epsilon, delta=delta)
    assert m == math.ceil(max(9 * np.log(100), 200 / 3.2))
    rare = np.full(d - 1, 8 * epsilon / (d - 1))
    p = np.r_[1 - rare.sum(), rare]
    failures = 0
    for _ in range(300):
        target = rng.integers(0, 2, d)
        target[0] = 0
        seen = np.zeros(d, dtype=bool)
        seen[rng.choice(d, m, p=p)] = True
        guess = np.where(seen, target, 0)  # any rule is as good where nothing was seen
        failures += p @ (guess != target) > epsilon
    assert failures / 300 > delta
    assert vc_lower_bound(d=d, epsilon=epsilon, delta=delta) < vc_realizable(
        d=d, epsilon=epsilon, delta=delta
    )
    growing = vc_lower_bound(d=10**6, epsilon=[0.1, 0.05, 0.025], delta=0.01)
    np.testing.assert_allclose(growing / growing[0], [1, 2, 4], rtol=1e-4)  # d / eps
    with pytest.raises(ParameterError, match=r"epsilon must be > 0 and < 0.125"):
        vc_lower_bound(d=3, epsilon=0.2, delta=0.01)


@pytest.mark.course("S0-59", "S4-55")
def test_orders_of_growth():
    for d, epsilon in ((1, 0.3), (5, 0.05), (100, 0.01)):
        exact = vc_realizable(d=d, epsilon=epsilon, delta=0.01)
        order = vc_rows_order(d=d, epsilon=epsilon, delta=0.01)
        expected = (np.log(100) + d * np.log(1 / epsilon)) / epsilon
        assert order == pytest.approx(expected)
        assert order < exact < 40 * order
    m = np.array([100, 10_000, 10**6])
    order = vc_gap_order(m=m, d=4, delta=0.05)
    expected = np.sqrt(4 / m * np.log(m / 4) + np.log(20) / m)
    np.testing.assert_allclose(order, expected)
    assert vc_gap_order(m=100, d=4, delta=0.05, constant=3.0) == pytest.approx(
        3 * order[0]
    )


@pytest.mark.course("S4-55")
def test_twenty_rows_for_each_dimension():
    rule = rows_rule(100, 11)
    assert (rule.needed, rule.enough) == (220, False)
    assert "120 more are worth having" in str(rule)
    assert rows_rule(220, 11).enough
    assert rows_rule(110, 11, per_dimension=10).enough
    for wrong in ({"m": 0, "d": 1}, {"m": 5, "d": 0}, {"m": "x", "d": 1}):
        with pytest.raises(ParameterError):
            rows_rule(**wrong)
    with pytest.raises(ParameterError, match="single numbers"):
        rows_rule([10], 3)


def test_bad_input():
    with pytest.raises(ParameterError, match="growth must be one of power, sauer"):
        vc_realizable(m=10, d=2, delta=0.1, growth="exact")
