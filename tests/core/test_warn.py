"""Warnings point at the user's line, however deep their cause lies."""

from __future__ import annotations

import warnings
from inspect import currentframe
from pathlib import Path

import numpy as np
import pytest
from sklearn.model_selection import cross_val_score

import corollary
from corollary import (
    KBinsDiscretizer,
    KMeans,
    LassoCV,
    LinearDiscriminantAnalysis,
    LogisticRegression,
    OneVsRestClassifier,
    SGDRegressor,
    SimpleImputer,
)
from corollary.core.warn import warn_of_change

RNG = np.random.default_rng(0)
X = RNG.normal(size=(60, 3))
y = (X[:, 0] + RNG.normal(size=60) > 0) * 1
HOLES = np.where(np.arange(3) == 1, np.nan, X)
CAUSES = {
    "fit": lambda: LogisticRegression(max_iter=1).fit(X, y),
    "inside": lambda: OneVsRestClassifier(LogisticRegression(max_iter=1)).fit(X, y),
    "folds": lambda: cross_val_score(LogisticRegression(max_iter=1), X, y),
    "k-means": lambda: KMeans(1, algorithm="elkan", random_state=0).fit(X),
    "priors": lambda: LinearDiscriminantAnalysis(priors=[0.5, 0.6]).fit(X, y),
    "path": lambda: LassoCV(max_iter=1, tol=1e-12).fit(X, X[:, 0] + y),
    "bins": lambda: KBinsDiscretizer(9, quantile_method="linear").fit(X.round()),
    "imputer": lambda: SimpleImputer().fit(HOLES).transform(HOLES),
    "change": lambda: SGDRegressor(power_t=-0.1, random_state=0).fit(X, y),
}


def test_the_warning_names_the_learner():
    with pytest.warns(FutureWarning, match=r"^Ridge: this goes away\.$"):
        warn_of_change("Ridge", "this goes away")


@pytest.mark.parametrize("cause", CAUSES)
def test_a_warning_points_at_the_line_that_called_the_library(cause):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        CAUSES[cause]()
    assert caught
    line = CAUSES[cause].__code__.co_firstlineno
    for warning in caught:
        assert (warning.filename, warning.lineno) == (__file__, line), warning


def test_a_loop_of_fits_is_told_once():
    with warnings.catch_warnings(record=True) as caught:
        warnings.resetwarnings()  # Python's own way: once for each line
        for _ in range(5):
            KMeans(1, algorithm="elkan", random_state=0).fit(X)
    (warning,) = caught
    assert warning.lineno == currentframe().f_lineno - 2


def test_nothing_else_gives_warnings():
    package = Path(corollary.__file__).parent
    others = [
        path.name
        for path in package.rglob("*.py")
        if "warnings.warn(" in path.read_text() and path.name != "warn.py"
    ]
    assert others == []
