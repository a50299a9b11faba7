"""Regression with a share of rows outside the tube."""

import numpy as np
import pytest
from common.machines import assert_a_weight_is_a_repetition, assert_scikit_learns, data
from hypothesis import given, settings
from hypothesis import strategies as st

from corollary import SVR, NuSVR
from corollary.core.errors import ParameterError


@pytest.mark.course("S2-42")
def test_nu_is_a_share_of_rows_and_stands_for_a_width():
    X, _, number = data(8)
    tube = NuSVR(nu=0.3, C=2.0, tol=1e-9).fit(X, number)
    same = SVR(C=2.0, epsilon=tube.epsilon_, tol=1e-9).fit(X, number)
    np.testing.assert_allclose(tube.predict(X), same.predict(X), atol=1e-6)
    assert (tube.roles_ == 2).mean() <= 0.3 <= (tube.roles_ >= 1).mean()
    with pytest.raises(ParameterError, match="NuSVR: nu must be"):
        NuSVR(nu=0.0).fit(X, number)


@pytest.mark.parametrize("sparse", [False, True])
def test_it_is_scikit_learns(sparse):
    assert_scikit_learns("NuSVR", {"nu": 0.3, "C": 3.0}, sparse)


@given(seed=st.integers(0, 1000))
@settings(max_examples=8, deadline=None)
def test_a_weight_is_a_repetition(seed):
    assert_a_weight_is_a_repetition("NuSVR", seed)
