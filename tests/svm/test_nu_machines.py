"""Machines of a share nu of the rows: the law that all of them share."""

import numpy as np
import pytest
from common.machines import data
from hypothesis import given, settings
from hypothesis import strategies as st

import corollary

ROUND = [
    ("NuSVC", "rbf", 0.25),
    ("NuSVC", "rbf", 0.5),
    ("NuSVC", "linear", 0.5),
    *(("NuSVR", k, nu) for k in ("linear", "rbf") for nu in (0.25, 0.5, 0.7)),
    *((name, "rbf", nu) for name in ("OneClassSVM", "SVDD") for nu in (0.25, 0.5)),
]


@pytest.mark.course("S0-26")
@pytest.mark.parametrize(("name", "kernel", "nu"), ROUND)
@given(seed=st.integers(0, 2**31))
@settings(max_examples=10, deadline=None)
def test_a_share_of_whole_rows_leaves_the_offset_to_no_rounding(name, kernel, nu, seed):
    """nu times the rows is a whole number: often no variable is between its bounds."""
    rng = np.random.default_rng(seed)
    X, y, number = data(11, 80)
    y = np.where(X[:, 0] + 0.2 * rng.normal(size=80) > 0, 1, -1)
    y = y if name == "NuSVC" else number
    times = rng.integers(0, 4, size=80)
    order = rng.permutation(np.repeat(np.arange(80), times))
    more = {"C": 1e-3} if name == "NuSVR" else {}
    model = getattr(corollary, name)(nu=nu, kernel=kernel, tol=1e-9, gamma=0.1, **more)
    weighted = model.fit(X, y, sample_weight=times).intercept_
    again = model.fit(X[order], y[order]).intercept_
    np.testing.assert_allclose(weighted, again, rtol=1e-8, atol=1e-10)
