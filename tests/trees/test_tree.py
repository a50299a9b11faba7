"""The record of a tree: what it refuses, and what it says of rows."""

from dataclasses import replace

import numpy as np
import pytest
import sklearn.tree as peers
from oracles import cart as oracle

from corollary import DecisionTreeClassifier, DecisionTreeRegressor
from corollary.core.errors import ModelFileError
from corollary.trees.tree import sums_of_trees

rng = np.random.default_rng(0)
X = rng.normal(size=(300, 4)).astype(np.float32).astype(float)
Z = np.digitize(X[:, 0] + 0.5 * rng.normal(size=300), [-0.5, 0.5])
TREE = DecisionTreeClassifier(max_depth=4, min_samples_leaf=10).fit(X, Z).tree_


def altered(name, place, value):
    array = getattr(TREE, name).copy()
    array[place] = value
    return replace(TREE, **{name: array})


FORGED = {
    "a child that is its own parent": ("children_left", 0, 0),
    "a child before its parent": ("children_right", 1, 0),
    "a child beyond the nodes": ("children_left", 0, 10_000),
    "a child below 0": ("children_right", 0, -5),
    "two parents of one node": ("children_left", 0, int(TREE.children_right[0])),
    "a feature beyond the columns": ("feature", 0, 4),
    "a leaf that has no children to be split": ("feature", TREE.node_count - 1, 0),
    "a node without its children": ("feature", 0, -2),
}


@pytest.mark.parametrize("change", FORGED.values(), ids=FORGED)
def test_arrays_that_no_way_down_ends_in_are_refused(change):
    with pytest.raises(ModelFileError, match="Tree: "):
        altered(*change)


@pytest.mark.parametrize(
    "change",
    [
        {"threshold": TREE.threshold.astype(np.float32)},
        {"threshold": TREE.threshold[:-1]},
        {"value": TREE.value[:, :, :2].copy()},
        {"value": TREE.value[:, 0]},
        {"category_set": np.zeros(TREE.node_count, np.int32)},
        {
            "category_set": np.full(TREE.node_count, 3, np.int32),
            "left_categories": np.zeros((3, 1), np.uint32),
        },
    ],
)
def test_arrays_of_other_shapes_and_types_are_refused(change):
    with pytest.raises(ModelFileError, match="Tree: "):
        replace(TREE, **change)


def test_leaves_paths_and_values_are_those_of_a_walk():
    ways = [oracle.path(TREE, x) for x in X]
    leaf = [way[-1] for way in ways]
    np.testing.assert_array_equal(TREE.apply(X), leaf)
    np.testing.assert_array_equal(TREE.predict(X), TREE.value[leaf, 0])
    path = TREE.decision_path(X)
    assert [sorted(path[i].indices) for i in range(len(X))] == ways
    np.testing.assert_allclose(sums_of_trees([TREE, TREE], X), 2 * TREE.predict(X))
    assert TREE.max_depth == max(map(len, ways)) - 1
    assert TREE.n_leaves == (TREE.feature < 0).sum()


def test_rows_in_any_layout_are_read():
    fortran = np.asfortranarray(X.astype(np.float32))
    np.testing.assert_array_equal(TREE.apply(fortran), TREE.apply(X))
    np.testing.assert_array_equal(TREE.apply(X[::2]), TREE.apply(X)[::2])


@pytest.mark.parametrize("width", [1, 3, 5])
def test_rows_of_other_features_are_refused(width):
    for ask in (TREE.apply, TREE.predict, TREE.decision_path):
        with pytest.raises(ValueError, match=r"^Tree: X must have rows of 4 features"):
            ask(np.zeros((2, width)))


def test_importances_are_the_decreases_of_impurity():
    y = X[:, 0] + 0.1 * X[:, 1] ** 2
    ours = DecisionTreeRegressor(min_samples_leaf=20).fit(X, y)
    theirs = peers.DecisionTreeRegressor(min_samples_leaf=20, random_state=0).fit(X, y)
    np.testing.assert_allclose(ours.feature_importances_, theirs.feature_importances_)
    bare = ours.tree_.compute_feature_importances(normalize=False)
    leaf = ours.apply(X)
    left = sum(ours.tree_.impurity[leaf]) / len(X)
    np.testing.assert_allclose(bare.sum(), ours.tree_.impurity[0] - left)


def test_a_node_costs_at_most_24_bytes_beside_its_values():
    structure = [array for array in TREE.arrays if array is not None]
    assert sum(array.nbytes for array in structure) <= 24 * TREE.node_count
