"""McNemar's test: statsmodels' numbers, and its level."""

import numpy as np
import pytest
from scipy import stats
from statsmodels.stats.contingency_tables import mcnemar as their_mcnemar

from corollary.core.errors import DataError, ParameterError
from corollary.selection import (
    mcnemar,
)


@pytest.mark.course("S3-98")
@pytest.mark.parametrize(("b", "c"), [(10, 2), (3, 3), (0, 0), (40, 61), (0, 7)])
def test_mcnemar_has_statsmodels_numbers(b, c):
    y = np.ones(150, dtype=int)
    first, second = y.copy(), y.copy()
    second[:b] = 0
    first[b : b + c] = 0
    first[-5:] = second[-5:] = 0
    table = [[150 - b - c - 5, b], [c, 5]]
    exact = their_mcnemar(table, exact=True)
    found = mcnemar(y, first, second)
    np.testing.assert_allclose(found.p_value, exact.pvalue if b + c else 1.0)
    assert found.difference == (c - b) / 150
    if b + c:
        rough = their_mcnemar(table, exact=False, correction=True)
        ours = mcnemar(y, first, second, method="chi2")
        if abs(b - c) > 0:
            np.testing.assert_allclose(ours.p_value, rough.pvalue)
        middle = mcnemar(y, first, second, method="mid-p")
        assert middle.p_value <= found.p_value
        least = min(b, c)
        law = stats.binom(b + c, 0.5)
        np.testing.assert_allclose(
            middle.p_value, min(1, 2 * law.cdf(least) - law.pmf(least))
        )
    assert found.low <= found.difference <= found.high


def test_mcnemar_holds_its_level_and_finds_a_difference():
    rng = np.random.default_rng(0)
    draws = rng.random((2000, 60, 2)) < 0.7
    y = np.ones(60, dtype=bool)
    for method, most in (("exact", 0.05), ("mid-p", 0.055), ("chi2", 0.055)):
        rate = np.mean(
            [mcnemar(y, a[:, 0], a[:, 1], method=method).p_value <= 0.05 for a in draws]
        )
        assert 0.01 < rate <= most
    better = rng.random(60) < 0.98
    worse = better & (rng.random(60) < 0.7)
    assert mcnemar(y, better, worse).verdict == "the first model is better"
    assert mcnemar(y, worse, better).verdict == "the second model is better"
    assert "no difference beyond chance" in str(mcnemar(y, better, better))


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda: mcnemar([1], [1], [1, 0]), DataError, "the same rows; got 1, 1 and 2"),
        (lambda: mcnemar([], [], []), DataError, "the same rows"),
        (lambda: mcnemar([[1]], [1], [1]), DataError, "y must be one column"),
        (lambda: mcnemar([1], [1], [1], method="z"), ParameterError, "method must be"),
    ],
)  # fmt: skip
def test_bad_input_gets_a_sentence(call, error, words):
    with pytest.raises(error, match=words):
        call()
