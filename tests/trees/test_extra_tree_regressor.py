"""One extremely randomised tree that predicts numbers."""

import numpy as np
import sklearn.tree as peers

from corollary import ExtraTreeRegressor

rng = np.random.default_rng(1)
X = rng.normal(size=(400, 4))
Y = X[:, 0] + np.sin(3 * X[:, 1])


def test_all_rows_are_learned_by_heart():
    model = ExtraTreeRegressor(random_state=0).fit(X, Y)
    np.testing.assert_allclose(model.predict(X), Y, atol=1e-12)


def test_shallow_trees_are_as_good_as_scikit_learns():
    def score(tree, seed):
        return tree(max_depth=5, random_state=seed).fit(X, Y).score(X, Y)

    trees = ExtraTreeRegressor, peers.ExtraTreeRegressor
    ours, theirs = (np.mean([score(tree, s) for s in range(80)]) for tree in trees)
    np.testing.assert_allclose(ours, theirs, atol=0.02)
