"""Extremely randomised trees that classify."""

import numpy as np
import pytest
import sklearn.ensemble as peers

from corollary import ExtraTreesClassifier

rng = np.random.default_rng(3)


def data(n):
    X = rng.normal(size=(n, 8))
    score = X[:, 0] + X[:, 1] * X[:, 2]
    return X, np.digitize(score + 0.3 * rng.normal(size=n), [-0.7, 0.7])


X, Y = data(700)
TEST = data(4000)


def test_all_rows_are_seen_and_learned():
    model = ExtraTreesClassifier(20, random_state=0).fit(X, Y)
    assert model.score(X, Y) == 1
    assert all(len(s) == len(X) for s in model.estimators_samples_)
    assert all(tree.splitter == "random" for tree in model.estimators_)


@pytest.mark.parametrize("bootstrap", [False, True])
def test_a_forest_is_as_good_as_scikit_learns(bootstrap):
    options = {"n_estimators": 150, "bootstrap": bootstrap, "random_state": 0}
    ours = ExtraTreesClassifier(**options).fit(X, Y).score(*TEST)
    theirs = peers.ExtraTreesClassifier(**options).fit(X, Y).score(*TEST)
    assert abs(ours - theirs) < 0.02


def test_thresholds_are_uniform_between_the_ends():
    x = np.repeat([0.0, 1.0, 4.0], 40)[:, None]
    y = np.repeat([0, 1, 0], 40)
    model = ExtraTreesClassifier(4000, max_depth=1, random_state=0).fit(x, y)
    drawn = np.array([tree.tree_.threshold[0] for tree in model.estimators_])
    share, _ = np.histogram(drawn, [0, 1, 2, 3, 4])
    np.testing.assert_allclose(share / 4000, 0.25, atol=0.03)


def test_missing_values_and_categories_are_drawn_too():
    category = rng.integers(0, 5, 700)
    y = (category % 2) ^ (X[:, 0] > 0)
    rows = np.column_stack([np.where(X[:, 0] > 2, np.nan, X[:, 0]), category])
    model = ExtraTreesClassifier(
        30, categorical_features=[1], max_features=None, random_state=0
    ).fit(rows, y)
    assert model.score(rows, y) > 0.98
