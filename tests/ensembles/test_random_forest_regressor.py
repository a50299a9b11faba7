"""Random forests that predict numbers."""

import numpy as np
import pytest
import sklearn.ensemble as peers

from corollary import DecisionTreeRegressor, RandomForestRegressor

rng = np.random.default_rng(2)


def data(n):
    X = rng.normal(size=(n, 6))
    return X, np.sin(2 * X[:, 0]) + X[:, 1] * X[:, 2] + 0.2 * rng.normal(size=n)


X, Y = data(700)
TEST = data(3000)


@pytest.mark.course("S2-48")
@pytest.mark.parametrize("criterion", ["squared_error", "absolute_error"])
def test_with_all_features_a_forest_is_bagging_of_trees(criterion):
    options = {"criterion": criterion, "min_samples_leaf": 4}
    forest = RandomForestRegressor(4, random_state=0, **options).fit(X, Y)
    bagged = np.zeros(len(TEST[0]))
    for sample in forest.estimators_samples_:
        times = np.bincount(sample, minlength=len(X))
        tree = DecisionTreeRegressor(**options).fit(X, Y, times)
        bagged += tree.predict(TEST[0]) / 4
    np.testing.assert_allclose(forest.predict(TEST[0]), bagged, atol=1e-12)


def test_a_forest_is_as_good_as_scikit_learns():
    options = {"n_estimators": 100, "max_features": 0.5, "random_state": 0}
    ours = RandomForestRegressor(oob_score=True, **options).fit(X, Y)
    theirs = peers.RandomForestRegressor(oob_score=True, **options).fit(X, Y)
    assert abs(ours.score(*TEST) - theirs.score(*TEST)) < 0.02
    assert abs(ours.oob_score_ - theirs.oob_score_) < 0.04


def test_answers_stay_within_the_numbers_seen():
    model = RandomForestRegressor(20, random_state=0).fit(X, Y)
    far = model.predict(100 * TEST[0])
    assert Y.min() <= far.min() <= far.max() <= Y.max()


def test_several_outputs():
    both = np.column_stack([Y, -2 * Y])
    model = RandomForestRegressor(10, random_state=0, oob_score=True)
    with pytest.warns(UserWarning, match="OOB"):
        model.fit(X, both)
    found = model.predict(X)
    np.testing.assert_allclose(found[:, 1], -2 * found[:, 0], atol=1e-9)
    assert model.oob_prediction_.shape == both.shape
