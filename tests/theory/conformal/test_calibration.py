"""The conformal quantile, against its definition."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from corollary.core.errors import DataError, ParameterError
from corollary.theory import conformal_quantile
from corollary.theory.conformal.calibration import Calibration, conformal_rank

numbers = st.floats(-1e6, 1e6)
levels = st.floats(0.001, 0.999)


@given(n=st.integers(1, 10_000), percent=st.integers(1, 99))
def test_the_rank_is_that_of_the_decimal_number_that_was_written(n, percent):
    exact = -((-(n + 1) * (100 - percent)) // 100)  # the ceiling
    assert conformal_rank(n, percent / 100) == exact
    assert Fraction(exact, n + 1) >= 1 - Fraction(percent, 100)


@given(scores=st.lists(numbers, min_size=1, max_size=50), delta=levels)
def test_the_quantile_is_an_order_statistic(scores, delta):
    k = int(np.ceil((len(scores) + 1) * (1 - delta) - 1e-9))
    expected = sorted(scores)[k - 1] if k <= len(scores) else np.inf
    assert conformal_quantile(scores, delta) == expected
    assert Calibration.of(np.array(scores)).threshold(delta) == expected


@given(
    scores=st.lists(numbers, min_size=1, max_size=30),
    delta=levels,
    more=levels,
)
def test_it_falls_as_delta_grows(scores, delta, more):
    low, high = sorted([delta, more])
    assert conformal_quantile(scores, low) >= conformal_quantile(scores, high)


@given(
    pairs=st.lists(st.tuples(numbers, st.integers(0, 4)), min_size=1, max_size=30),
    delta=levels,
)
def test_a_weight_is_so_many_copies(pairs, delta):
    scores, copies = (np.array(each) for each in zip(*pairs, strict=True))
    if copies.any():
        expected = conformal_quantile(np.repeat(scores, copies), delta)
        assert conformal_quantile(scores, delta, weights=copies) == expected


@given(
    pairs=st.lists(st.tuples(numbers, st.floats(0, 10)), min_size=1, max_size=30),
    new=st.floats(0, 10),
    delta=levels,
)
def test_weighted_thresholds_are_the_definition(pairs, new, delta):
    scores, w = (np.array(each) for each in zip(*pairs, strict=True))
    found = Calibration.of(scores, w).threshold(delta, np.array([new]))[0]
    total = (w.sum() + new) * (1 - delta)
    below = [w[scores <= s].sum() for s in scores]
    slack = 1e-9 * (1 + total)
    enough = [s for s, b in zip(scores, below, strict=True) if b >= total + slack]
    almost = [s for s, b in zip(scores, below, strict=True) if b >= total - slack]
    assert min(almost, default=np.inf) <= found <= min(enough, default=np.inf)


def test_bad_scores_end_in_one_sentence():
    with pytest.raises(DataError, match="scores must be numbers; got NaN in row 1"):
        conformal_quantile([1.0, np.nan])
    with pytest.raises(DataError, match="at least 1 row"):
        conformal_quantile([])
    with pytest.raises(DataError, match="scores must be numbers"):
        conformal_quantile(["a"])
    with pytest.raises(ParameterError, match=r"delta must be a number in \(0, 1\)"):
        conformal_quantile([1.0], 1)
