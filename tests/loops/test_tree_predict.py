"""The way of rows to their leaves against a walk by the book."""

import numpy as np
import pytest
import scipy.sparse as sp
from oracles import cart as oracle

from corollary import loops
from corollary.core.rows import rows_loop
from corollary.trees.tree import Tree


def drawn_tree(rng, d, splits, categories):
    """Return a tree of random splits: a leaf is split again and again."""
    left, right, feature = [-1], [-1], [-2]
    threshold, sets, row = [-2.0], [], [-1]
    leaves = [0]
    for _ in range(splits):
        at = leaves.pop(int(rng.integers(len(leaves))))
        left[at], right[at] = len(left), len(left) + 1
        feature[at], threshold[at] = int(rng.integers(d)), rng.normal()
        if categories and rng.random() < 0.5:
            threshold[at], row[at] = np.nan, len(sets)
            sets.append(rng.integers(0, 2**32, 2, dtype=np.uint32))
        leaves += [len(left), len(left) + 1]
        for name, value in ((left, -1), (right, -1), (feature, -2), (row, -1)):
            name += [value, value]
        threshold += [-2.0, -2.0]
    n = len(left)
    ints = [np.array(a, np.int32) for a in (left, right, feature)]
    return Tree(
        d,
        np.array([3]),
        *ints,
        np.array(threshold),
        rng.integers(0, 2, n).astype(np.uint8),
        rng.normal(size=(n, 1, 3)),
        np.zeros(n),
        np.ones(n, np.int64),
        np.ones(n),
        np.array(row, np.int32) if categories else None,
        np.array(sets, np.uint32).reshape(-1, 2) if categories else None,
    )


@pytest.mark.parametrize("n", [0, 1, 31, 700])
@pytest.mark.parametrize("categories", [False, True])
@pytest.mark.parametrize("sparse", [False, True])
def test_leaves_and_sums(n, categories, sparse, dtype, rng):
    d = 6
    X = np.where(rng.random((n, d)) < 0.5, rng.normal(size=(n, d)), 0.0)
    X = np.where(rng.random((n, d)) < 0.3, rng.integers(-2, 80, (n, d)), X)
    X = np.where(rng.random((n, d)) < 0.1, np.nan, X).astype(dtype)
    trees = [drawn_tree(rng, d, splits, categories) for splits in (0, 1, 40)]
    walked = [[oracle.path(tree, x)[-1] for tree in trees] for x in X]
    wanted = np.array(walked, np.int32).reshape(n, 3)
    rows = sp.csr_array(X) if sparse else X
    nodes = [tree.nodes for tree in trees]
    first = np.array([0, 3, 0], np.int32)
    for threads in (1, 2):
        leaf, sums = np.full((n, 3), -7, np.int32), np.zeros((n, 6))
        ask = rows_loop(loops.tree_leaves, loops.tree_leaves_csr, rows)
        ask(d, nodes, leaf, threads)
        np.testing.assert_array_equal(leaf, wanted)
        ask = rows_loop(loops.tree_sums, loops.tree_sums_csr, rows)
        ask(d, nodes, first, sums, threads)
        each = [tree.value[wanted[:, t], 0] for t, tree in enumerate(trees)]
        both = np.hstack([each[0] + each[2], each[1]])
        np.testing.assert_allclose(sums, both, atol=1e-12)


@pytest.mark.parametrize("splits", [0, 1, 40])
def test_depths(splits, rng):
    tree = drawn_tree(rng, 3, splits, False)
    wanted = [0] * tree.node_count
    for i in np.flatnonzero(tree.feature >= 0):
        for child in (tree.children_left[i], tree.children_right[i]):
            wanted[child] = wanted[i] + 1
    assert tree.depths.tolist() == wanted
