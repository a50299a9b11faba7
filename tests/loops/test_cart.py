"""The grower against every split tried: each node of a tree takes the best one."""

import numpy as np
import pytest
from oracles import cart as oracle

from corollary import (
    DecisionTreeClassifier,
    DecisionTreeRegressor,
    ExtraTreeRegressor,
    loops,
)
from corollary.trees.growing import Sampling, grow_trees, number_targets
from corollary.trees.rank_codes import rank_codes

CRITERIA = ["gini", "entropy", "squared_error", "absolute_error", "poisson"]


def target(criterion, k, n, rng):
    if criterion in ("gini", "entropy"):
        return rng.integers(0, k, n)
    return (
        rng.poisson(1.5, n).astype(float)
        if criterion == "poisson"
        else rng.normal(size=n)
    )


def assert_every_split_is_best(model, X, y, w, criterion, **rules):
    """Hold each inner node's split to the best of all splits of its rows."""
    tree = model.tree_
    ways = [oracle.path(tree, x) for x in X]
    for node in np.flatnonzero(tree.feature >= 0):
        at = np.array([node in way for way in ways])
        left = np.array([tree.children_left[node] in way for way in ways])[at]
        assert tree.n_node_samples[node] == at.sum()
        got = oracle.left_impurity(left, y[at], w[at], criterion)
        best = oracle.best_impurity(X[at], y[at], w[at], criterion, **rules)
        assert got <= best + 1e-9 * (1 + abs(best))
        own = oracle.impurity(y[at], w[at], criterion)
        np.testing.assert_allclose(tree.impurity[node], own, atol=1e-9)


@pytest.mark.parametrize("criterion", CRITERIA)
@pytest.mark.parametrize("k", [2, 3])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("missing", [False, True])
def test_every_split_is_the_best_of_all(criterion, k, weighted, missing, rng):
    labels = criterion in ("gini", "entropy")
    learner = DecisionTreeClassifier if labels else DecisionTreeRegressor
    for n, min_leaf in ((25, 1), (60, 3)):
        X = np.column_stack([rng.normal(size=(n, 2)), rng.integers(0, 4, n)])
        if missing:
            X[rng.random(X.shape) < 0.2] = np.nan
        y, w = target(criterion, k, n, rng), np.ones(n)
        if weighted:
            w = rng.integers(1, 4, n) * 0.5
        model = learner(criterion=criterion, min_samples_leaf=min_leaf)
        model.fit(X, y, w if weighted else None)
        assert_every_split_is_best(model, X, y, w, criterion, min_leaf=min_leaf)


@pytest.mark.parametrize("criterion", ["gini", "squared_error"])
def test_categories_are_split_by_the_best_of_all_subsets(criterion, rng):
    labels = criterion == "gini"
    learner = DecisionTreeClassifier if labels else DecisionTreeRegressor
    n = 120
    X = np.column_stack([rng.integers(0, 6, n) * 7, rng.normal(size=n)]).astype(float)
    X[rng.random(n) < 0.1, 0] = np.nan
    y = target(criterion, 2, n, rng)
    model = learner(criterion=criterion, categorical_features=[0], max_depth=4)
    model.fit(X, y)
    assert (model.tree_.category_set >= 0).any()
    assert_every_split_is_best(model, X, y, np.ones(n), criterion, categorical=(0,))


def test_a_sample_is_drawn_by_the_weights(rng):
    w = rng.random(50)
    order = rng.permutation(50).astype(np.int32)
    drawn = np.empty(200_000, np.int32)
    loops.bootstrap_rows(7, order, np.cumsum(w[order]), drawn)
    share = np.bincount(drawn, minlength=50) / len(drawn)
    np.testing.assert_allclose(share, w / w.sum(), atol=4e-3)
    loops.bootstrap_rows(7, order, None, drawn)
    share = np.bincount(drawn, minlength=50) / len(drawn)
    np.testing.assert_allclose(share, 1 / 50, atol=2.5e-3)


def test_drawn_thresholds_divide_alike_with_a_table_of_places_and_without(rng):
    X = np.column_stack([rng.normal(size=(300, 2)), rng.integers(0, 4, 300)])
    X[rng.random(X.shape) < 0.1] = np.nan
    learner = ExtraTreeRegressor(max_features=2)
    given = rank_codes(learner, X), number_targets(learner, X[:, 0] > X[:, 1])
    seeds = np.arange(60, dtype=np.uint64)  # so many trees make the table
    together = grow_trees(learner, *given, seeds, Sampling(), random=True)
    for k in range(5):
        [alone] = grow_trees(learner, *given, seeds[[k]], Sampling(), random=True)
        np.testing.assert_array_equal(alone.feature, together[k].feature)
        np.testing.assert_array_equal(alone.threshold, together[k].threshold)
        np.testing.assert_array_equal(alone.value, together[k].value)
