"""Random forests that classify."""

import numpy as np
import pytest
import sklearn.ensemble as peers

from corollary import DecisionTreeClassifier, RandomForestClassifier

rng = np.random.default_rng(1)


def data(n):
    X = rng.normal(size=(n, 12))
    score = np.sin(2 * X[:, 0]) + X[:, 1] * X[:, 2] + 0.5 * X[:, 3]
    return X, (score + 0.3 * rng.normal(size=n) > 0).astype(int)


X, Y = data(800)
TEST = data(5000)


@pytest.mark.course("S2-48")
@pytest.mark.parametrize("criterion", ["gini", "entropy"])
def test_with_all_features_a_forest_is_bagging_of_trees(criterion):
    options = {"criterion": criterion, "min_samples_leaf": 3}
    forest = RandomForestClassifier(6, max_features=None, random_state=0, **options)
    forest.fit(X, Y)
    bagged = np.zeros((len(TEST[0]), 2))
    for sample in forest.estimators_samples_:
        times = np.bincount(sample, minlength=len(X))
        tree = DecisionTreeClassifier(**options).fit(X, Y, times)
        bagged += tree.predict_proba(TEST[0]) / 6
    np.testing.assert_allclose(forest.predict_proba(TEST[0]), bagged, atol=1e-12)


@pytest.mark.course("S2-48")
def test_a_node_draws_its_own_features():
    forest = RandomForestClassifier(60, max_features=1, random_state=0).fit(X, Y)
    first = [tree.tree_.feature[0] for tree in forest.estimators_]
    assert len(set(first)) == 12
    for tree in forest.estimators_:  # nodes of one tree look at different features
        assert len(set(tree.tree_.feature)) == 12 + 1


@pytest.mark.course("S2-48")
def test_many_trees_are_steadier_than_one_and_as_good_as_scikit_learns():
    tree = DecisionTreeClassifier().fit(X, Y).score(*TEST)
    ours = RandomForestClassifier(100, random_state=0).fit(X, Y).score(*TEST)
    theirs = peers.RandomForestClassifier(100, random_state=0).fit(X, Y).score(*TEST)
    assert ours > tree + 0.03
    assert abs(ours - theirs) < 0.015
    few = [RandomForestClassifier(3, random_state=s).fit(X, Y) for s in range(8)]
    many = [RandomForestClassifier(60, random_state=s).fit(X, Y) for s in range(8)]
    spread = [
        np.var([m.predict_proba(TEST[0])[:, 1] for m in models], axis=0).mean()
        for models in (few, many)
    ]
    assert spread[1] < spread[0] / 10


def test_bins_cost_no_accuracy():
    exact = RandomForestClassifier(100, random_state=0).fit(X, Y).score(*TEST)
    binned = RandomForestClassifier(100, random_state=0, max_bins=64).fit(X, Y)
    assert abs(binned.score(*TEST) - exact) < 0.015


def test_importances_find_the_features_that_matter():
    model = RandomForestClassifier(100, random_state=0).fit(X, Y)
    order = np.argsort(-model.feature_importances_)
    assert set(order[:4]) == {0, 1, 2, 3}
    np.testing.assert_allclose(model.feature_importances_.sum(), 1)


def test_missing_values_and_several_outputs():
    holes = np.where(rng.random(X.shape) < 0.2, np.nan, X)
    names = np.column_stack([np.array(["a", "b"])[Y], np.array(["x", "y"])[1 - Y]])
    model = RandomForestClassifier(30, random_state=0).fit(holes, names)
    assert (model.predict(holes) == names).mean() > 0.95
    assert [p.shape for p in model.predict_proba(holes)] == [(800, 2), (800, 2)]
