"""Cost-complexity pruning against scikit-learn's, and against all subtrees."""

import numpy as np
import pytest
import sklearn.tree as peers

from corollary import DecisionTreeClassifier, DecisionTreeRegressor

rng = np.random.default_rng(4)
X = rng.normal(size=(400, 1)).astype(np.float32).astype(float)
Y = np.sin(3 * X[:, 0]) + 0.5 * rng.normal(size=400)


def subtrees(tree, node=0):
    """Yield impurity and leaves of every pruned subtree below a node."""
    w = tree.weighted_n_node_samples
    yield w[node] / w[0] * tree.impurity[node], 1
    if tree.feature[node] >= 0:
        left, right = tree.children_left[node], tree.children_right[node]
        for a, m in list(subtrees(tree, left)):
            for b, n in subtrees(tree, right):
                yield a + b, m + n


@pytest.mark.course("S2-46")
def test_the_pruned_tree_is_the_best_of_all_subtrees():
    options = {"max_depth": 4, "min_samples_leaf": 15}
    whole = DecisionTreeRegressor(**options).fit(X, Y).tree_
    every = list(subtrees(whole))
    assert len(every) > 20
    for alpha in (1e-5, 1e-3, 0.004, 0.02, 0.1, 10.0):
        model = DecisionTreeRegressor(ccp_alpha=alpha, **options).fit(X, Y)
        tree = model.tree_
        leaf = tree.feature < 0
        mass = tree.weighted_n_node_samples * tree.impurity / len(X)
        got = mass[leaf].sum() + alpha * tree.n_leaves
        np.testing.assert_allclose(got, min(R + alpha * n for R, n in every))


@pytest.mark.parametrize("labels", [False, True])
def test_the_path_is_scikit_learns(labels):
    y = (Y > 0).astype(int) if labels else Y
    ours, theirs = (
        module.DecisionTreeClassifier if labels else module.DecisionTreeRegressor
        for module in (__import__("corollary"), peers)
    )
    a = ours(min_samples_leaf=8).cost_complexity_pruning_path(X, y)
    b = theirs(min_samples_leaf=8, random_state=0).cost_complexity_pruning_path(X, y)
    np.testing.assert_allclose(a.ccp_alphas, b.ccp_alphas, atol=1e-12)
    np.testing.assert_allclose(a.impurities, b.impurities, atol=1e-12)


def test_subtrees_are_nested_and_alphas_rise():
    model = DecisionTreeClassifier(min_samples_leaf=3)
    y = (Y > 0).astype(int)
    path = model.cost_complexity_pruning_path(X, y)
    assert (np.diff(path.ccp_alphas) >= -1e-12).all()
    assert (np.diff(path.impurities) >= -1e-12).all()
    before = None
    for alpha in path.ccp_alphas[:: len(path.ccp_alphas) // 6]:
        tree = model.set_params(ccp_alpha=float(max(0.0, alpha))).fit(X, y).tree_
        kept = set(zip(tree.feature, tree.threshold, tree.n_node_samples, strict=True))
        inner = {node for node in kept if node[0] >= 0}
        assert before is None or inner <= before
        before = inner
    assert tree.node_count < 50


def test_categories_survive_pruning():
    x = rng.integers(0, 8, 400).astype(float)[:, None]
    model = DecisionTreeRegressor(categorical_features=[0], ccp_alpha=1e-3).fit(x, Y)
    whole = DecisionTreeRegressor(categorical_features=[0]).fit(x, Y)
    assert model.get_n_leaves() < whole.get_n_leaves()
    assert np.isfinite(model.predict(x)).all()
