"""Extremely randomised trees that predict numbers."""

import numpy as np
import pytest
import sklearn.ensemble as peers

from corollary import ExtraTreesRegressor

rng = np.random.default_rng(4)


def data(n):
    X = rng.normal(size=(n, 5))
    return X, np.sin(2 * X[:, 0]) + X[:, 1] + 0.2 * rng.normal(size=n)


X, Y = data(600)
TEST = data(3000)


@pytest.mark.parametrize("criterion", ["squared_error", "absolute_error"])
def test_a_forest_is_as_good_as_scikit_learns(criterion):
    options = {"n_estimators": 60, "criterion": criterion, "random_state": 0}
    ours = ExtraTreesRegressor(**options).fit(X, Y)
    theirs = peers.ExtraTreesRegressor(**options).fit(X, Y)
    np.testing.assert_allclose(ours.predict(X), Y, atol=1e-12)  # all rows are learned
    assert abs(ours.score(*TEST) - theirs.score(*TEST)) < 0.02


def test_trees_differ_though_all_see_all_rows():
    model = ExtraTreesRegressor(10, random_state=0).fit(X, Y)
    first = {float(tree.tree_.threshold[0]) for tree in model.estimators_}
    assert len(first) == 10


def test_bins_and_draws_go_together():
    model = ExtraTreesRegressor(60, max_bins=32, random_state=0).fit(X, Y)
    plain = ExtraTreesRegressor(60, random_state=0).fit(X, Y)
    assert abs(model.score(*TEST) - plain.score(*TEST)) < 0.03
