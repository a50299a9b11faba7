"""What is guaranteed, as formulas and as words."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from corollary.core.errors import ParameterError
from corollary.theory import Coverage
from corollary.theory.conformal.calibration import Calibration
from corollary.theory.conformal.coverage import of_folds, of_scores


@given(n=st.integers(1, 2000), delta=st.floats(0.001, 0.5))
def test_the_mean_of_the_beta_law_lies_in_the_band(n, delta):
    stated = of_scores(Calibration(np.arange(float(n))), delta, shifted=False)
    if stated.everything:
        assert stated.at_least == 1
        return
    mean = stats.beta(*stated.beta).mean()
    assert stated.at_least - 1e-9 <= mean <= stated.at_most + 1e-9
    assert mean == pytest.approx(stated.rank / (n + 1))


def test_between_holds_the_share_of_the_law_that_was_asked():
    stated = of_scores(Calibration(np.arange(500.0)), 0.1, shifted=False)
    low, high = stated.between(0.95)
    law = stats.beta(*stated.beta)
    assert law.cdf(high) - law.cdf(low) == pytest.approx(0.95)
    assert Coverage(0.1, 5, 5, 0.9).between() == (0.0, 1.0)
    with pytest.raises(ParameterError, match="delta"):
        stated.between(1.5)


def test_folds_lose_little():
    assert of_folds(100, 100, 0.1, around_all=False).at_least == pytest.approx(0.8)
    assert of_folds(100, 100, 0.1, around_all=True).at_least == pytest.approx(0.9)
    for n in (50, 500, 5000):
        for K in (2, 5, 10, n):
            least = of_folds(n, K, 0.1, around_all=False).at_least
            assert 0.8 - np.sqrt(2 / n) <= least <= 0.8
            assert of_folds(n, K, 0.1, around_all=True).at_least >= least


def test_weights_and_shifts_state_the_lower_end_alone():
    weighted = Calibration.of(np.arange(50.0), np.full(50, 0.5))
    stated = of_scores(weighted, 0.1, shifted=True)
    assert (stated.at_least, stated.at_most, stated.beta) == (0.9, 1.0, None)
    assert "P_new" in stated.assumption
    few = of_scores(Calibration.of(np.arange(3.0), np.ones(3)), 0.1, shifted=False)
    assert few.everything
