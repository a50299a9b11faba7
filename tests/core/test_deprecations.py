"""Warnings of what goes away point at whoever calls the library."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

from corollary import SGDRegressor
from corollary.core.deprecations import warn_of_change


def test_the_warning_names_the_learner_and_the_caller():
    with pytest.warns(FutureWarning, match=r"^Ridge: this goes away\.$"):
        warn_of_change("Ridge", "this goes away")
    X, y = np.arange(6.0)[:, None] / 6, np.arange(6.0)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        SGDRegressor(power_t=-0.1, random_state=0).fit(X, y)
    (warning,) = [w for w in caught if w.category is FutureWarning]
    assert str(warning.message).startswith("SGDRegressor: a power_t below 0")
    assert warning.filename == __file__
