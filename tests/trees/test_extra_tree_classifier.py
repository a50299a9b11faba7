"""One extremely randomised tree that classifies."""

import numpy as np
import sklearn.tree as peers

from corollary import DecisionTreeClassifier, ExtraTreeClassifier

rng = np.random.default_rng(0)
X = rng.normal(size=(500, 6))
Y = np.digitize(X[:, 0] + X[:, 1] ** 2, [0, 1])


def test_a_drawn_tree_is_a_decision_tree_with_drawn_thresholds():
    options = {"max_features": 3, "random_state": 4}
    extra = ExtraTreeClassifier(**options).fit(X, Y)
    plain = DecisionTreeClassifier(splitter="random", **options).fit(X, Y)
    np.testing.assert_array_equal(extra.tree_.threshold, plain.tree_.threshold)
    assert extra.score(X, Y) == 1


def test_drawn_trees_are_as_large_as_scikit_learns():
    sizes = [
        np.mean([tree(random_state=s).fit(X, Y).get_n_leaves() for s in range(60)])
        for tree in (ExtraTreeClassifier, peers.ExtraTreeClassifier)
    ]
    np.testing.assert_allclose(sizes[0], sizes[1], rtol=0.06)
