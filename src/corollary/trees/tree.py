"""A binary decision tree as arrays of nodes: how it is read, asked and checked.

Also known as: tree structure, node arrays, if-then-else tree.

Node 0 is the root.  A row x at a split node i of feature j goes to its left child where

    x_j <= t_i,  or  x_j in S_i  at a split by categories                            (1)

and to its right child otherwise; where x_j is missing, or no category that the node
knows of, `missing_go_to_left` decides.  A leaf's value is the answer: a mean, or the
share of each class.

The mean decrease of impurity that feature j brings is its importance:

    I_j = sum_{i: feature j} (w_i H_i - w_l H_l - w_r H_r) / w_0                     (2)

with l and r the children of node i.  Growers write trees, everybody else reads them.
The numbers are those of scikit-learn's `tree_`: -1 for no child, -2 for no feature.

A node costs 21 bytes beside its values: two children, a feature, a threshold and a bit.
Children come after their parent and have no other, so that every way down ends; a
record that breaks this, from a damaged file, is refused when it is made.

Notation: H = impurity; w = weighted_n_node_samples; t = threshold; S = a row of bits of
left_categories.
Course: S2-46. Reference: Breiman, Friedman, Olshen and Stone (1984).
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from functools import cached_property
from typing import Any

import numpy as np
import scipy.sparse as sp

from corollary import loops
from corollary.core.arrays import Floats, Matrix, Vector
from corollary.core.configuration import get_config
from corollary.core.errors import DataError, ModelFileError, sentence
from corollary.core.records import stored
from corollary.core.rows import rows_loop

__all__ = ["Tree", "leaves", "sums_of_trees"]

LEAF = -1  # no child
NONE = -2  # no feature, no threshold
WORD = 32  # categories in a word of left_categories


@stored
@dataclass(frozen=True, eq=False)
class Tree:
    """A binary decision tree, with the names of scikit-learn's `tree_`.

    Attributes
    ----------
    n_features : int
    n_classes : array of shape (n_outputs,)
        Classes of each output; 1 for a number.
    children_left, children_right : array of shape (node_count,), int32
        The children of a node, -1 at a leaf.
    feature : array of shape (node_count,), int32
        The feature of (1), -2 at a leaf.
    threshold : array of shape (node_count,), float64
        t of (1), -2 at a leaf; NaN at a split by categories.
    missing_go_to_left : array of shape (node_count,), uint8
    value : array of shape (node_count, n_outputs, max_n_classes), float64
    impurity, weighted_n_node_samples : array of shape (node_count,), float64
    n_node_samples : array of shape (node_count,), int64
    category_set : array of shape (node_count,), int32, or None
        The row of `left_categories` that splits a node, -1 where a threshold does; None
        where no node is split by categories.
    left_categories : array of shape (m, words), uint32, or None
        Bit c % 32 of word c // 32 is 1 where category c goes left.

    Examples
    --------
    >>> from corollary import DecisionTreeRegressor
    >>> tree = DecisionTreeRegressor(max_depth=1).fit([[0], [1], [2]], [0, 0, 9]).tree_
    >>> tree.node_count, tree.max_depth, tree.n_leaves
    (3, 1, 2)
    >>> tree.threshold.tolist(), tree.value[:, 0, 0].tolist()
    ([1.5, -2.0, -2.0], [3.0, 0.0, 9.0])
    """

    n_features: int
    n_classes: Vector
    children_left: Vector
    children_right: Vector
    feature: Vector
    threshold: Floats
    missing_go_to_left: Vector
    value: Floats
    impurity: Floats
    n_node_samples: Vector
    weighted_n_node_samples: Floats
    category_set: Vector | None = None
    left_categories: Vector | None = None

    def __post_init__(self) -> None:
        check_tree(self)

    # -- sizes -----------------------------------------------------------------------
    @property
    def node_count(self) -> int:
        """Number of nodes, inner ones and leaves."""
        return len(self.feature)

    @property
    def capacity(self) -> int:
        """Number of nodes that there is room for: all of them are used."""
        return self.node_count

    @property
    def n_leaves(self) -> int:
        """Number of leaves."""
        return (self.node_count + 1) // 2

    @property
    def n_outputs(self) -> int:
        """Number of outputs."""
        return int(self.value.shape[1])

    @property
    def max_n_classes(self) -> int:
        """The most classes that an output has."""
        return int(self.value.shape[2])

    @property
    def max_depth(self) -> int:
        """The number of splits on the longest way down."""
        return int(self.depths.max())

    @cached_property
    def depths(self) -> Vector:
        """The number of splits above each node, (node_count,)."""
        depths = np.empty(self.node_count, np.int32)
        left, right = self.children_left, self.children_right
        loops.tree_depths(self.feature, left, right, depths)
        return depths

    @cached_property
    def parents(self) -> Vector:
        """The parent of each node, -1 of the root, (node_count,)."""
        parents = np.full(self.node_count, LEAF, np.int32)
        inner = np.flatnonzero(self.feature >= 0).astype(np.int32)
        parents[self.children_left[inner]] = inner
        parents[self.children_right[inner]] = inner
        return parents

    @property
    def arrays(self) -> tuple[Any, ...]:
        """The arrays by which compiled loops go down a tree."""
        return (
            self.children_left,
            self.children_right,
            self.feature,
            self.threshold,
            self.missing_go_to_left,
            self.category_set,
            self.left_categories,
        )

    @property
    def table(self) -> Floats:
        """The values, all outputs and classes in a row, (node_count, k)."""
        return self.value.reshape(self.node_count, -1)

    @cached_property
    def nodes(self) -> loops.TreeNodes:
        """The tree as compiled loops read it."""
        return loops.TreeNodes(self.arrays, self.table)

    def __getstate__(self) -> dict[str, Any]:
        """Return what a copy or a pickle holds: not what is made from it."""
        return {each.name: getattr(self, each.name) for each in fields(self)}

    # -- use -------------------------------------------------------------------------
    def apply(self, X: Matrix) -> Vector:
        """Return the leaf of each row, (n,) int64."""
        return leaves([self], X)[:, 0].astype(np.int64)

    def predict(self, X: Matrix) -> Floats:
        """Return the value of each row's leaf, (n, max_n_classes) for one output."""
        values = self.value[leaves([self], X)[:, 0]]
        return values[:, 0] if self.n_outputs == 1 else values

    def decision_path(self, X: Matrix) -> Any:
        """Return which nodes each row passes, a CSR matrix of ones (n, node_count)."""
        leaf = self.apply(X)
        at, depths = leaf.copy(), self.depths[leaf].astype(np.int64)
        indptr = np.concatenate([[0], np.cumsum(depths + 1)])
        indices = np.empty(indptr[-1], np.int64)
        rows = np.arange(len(leaf))
        for step in range(int(depths.max(initial=0)) + 1):
            indices[indptr[rows + 1] - 1 - step] = at[rows]
            rows = rows[depths[rows] > step]
            at[rows] = self.parents[at[rows]]
        ones = np.ones(len(indices), np.int64)
        path = sp.csr_matrix(
            (ones, indices, indptr), shape=(len(leaf), self.node_count)
        )
        path.sort_indices()
        return path

    def compute_feature_importances(self, normalize: bool = True) -> Floats:
        """Return the importance (2) of each feature, their sum being 1 or 0."""
        inner = np.flatnonzero(self.feature >= 0)
        mass = self.weighted_n_node_samples * self.impurity
        gain = mass[inner] - mass[self.children_left[inner]]
        gain -= mass[self.children_right[inner]]
        sums = np.bincount(self.feature[inner], gain, minlength=self.n_features)
        importances = sums / self.weighted_n_node_samples[0]  # (2)
        total = float(importances.sum())
        return importances / total if normalize and total > 0 else importances


# -- rows through trees ----------------------------------------------------------------
def leaves(trees: list[Tree], X: Matrix) -> Vector:
    """Return the leaf of each row in each tree, (n, trees) int32.

    Parameters
    ----------
    trees : list of Tree
    X : float32 or float64 array (n, d), or CSR matrix
    """
    X = readable(trees, X)
    out = np.empty((X.shape[0], len(trees)), np.int32)
    nodes = [tree.nodes for tree in trees]
    ask = rows_loop(loops.tree_leaves, loops.tree_leaves_csr, X)
    ask(X.shape[1], nodes, out, get_config().threads)
    return out


def sums_of_trees(trees: list[Tree], X: Matrix, outputs: int = 1) -> Floats:
    """Return the sum of the values of each row's leaves, (n, outputs k) float64.

    Parameters
    ----------
    trees : list of Tree
    X : float32 or float64 array (n, d), or CSR matrix
    outputs : int, default=1
        How many sums of k values there are; the trees take turns to add to them.
    """
    X, k = readable(trees, X), trees[0].value[0].size
    out = np.zeros((X.shape[0], outputs * k))
    first = (np.arange(len(trees), dtype=np.int32) % outputs) * np.int32(k)
    ask = rows_loop(loops.tree_sums, loops.tree_sums_csr, X)
    ask(X.shape[1], [tree.nodes for tree in trees], first, out, get_config().threads)
    return out


def readable(trees: list[Tree], X: Matrix) -> Matrix:
    """Return rows as the loops take them: C-ordered floats, or CSR; of all features."""
    for tree in trees:
        if X.ndim != 2 or X.shape[1] != tree.n_features:
            must = f"X must have rows of {tree.n_features} features"
            raise DataError(sentence(tree, must, f"shape {X.shape}"))
    if sp.issparse(X):
        X = sp.csr_array(X)
    floats = X.dtype in (np.float32, np.float64)
    X = X if floats else X.astype(np.float64)
    return X if sp.issparse(X) else np.ascontiguousarray(X)


# -- checks ----------------------------------------------------------------------------
TYPES = {
    "children_left": np.int32,
    "children_right": np.int32,
    "feature": np.int32,
    "threshold": np.float64,
    "missing_go_to_left": np.uint8,
    "value": np.float64,
    "impurity": np.float64,
    "n_node_samples": np.int64,
    "weighted_n_node_samples": np.float64,
}


def check_tree(tree: Tree) -> None:
    """Refuse arrays that a way down could leave, or never end in."""
    nodes = len(tree.feature)
    for name, dtype in TYPES.items():
        array = getattr(tree, name)
        if array.dtype != dtype or array.shape[:1] != (nodes,) or nodes < 1:
            raise ModelFileError(f"Tree: {name} must be {nodes} of {dtype.__name__}")
        if array.ndim != (3 if name == "value" else 1) or not array.flags.c_contiguous:
            raise ModelFileError(f"Tree: {name} must be a plain array")
    if tree.value.shape[1:] != (len(tree.n_classes), max(tree.n_classes)):
        raise ModelFileError("Tree: value must have a number for each class and output")
    inner = tree.feature >= 0
    if inner.any() and tree.feature.max() >= tree.n_features:
        raise ModelFileError(f"Tree: feature must be below {tree.n_features}")
    check_children(tree, np.flatnonzero(inner), nodes)
    check_categories(tree, nodes)


def check_children(tree: Tree, inner: Vector, nodes: int) -> None:
    """Refuse children that do not come after their one parent."""
    left, right = tree.children_left[inner], tree.children_right[inner]
    good = 2 * len(inner) + 1 == nodes
    if good and len(inner):
        good = bool((left > inner).all() and (right > inner).all())
        good = good and max(left.max(), right.max()) < nodes
        good = good and np.bincount(np.concatenate([left, right])).max() == 1
    if not good:
        raise ModelFileError("Tree: each node must follow its one parent")


def check_categories(tree: Tree, nodes: int) -> None:
    """Refuse splits by sets of categories that do not exist."""
    row: Any = tree.category_set
    sets: Any = tree.left_categories
    if row is None and sets is None:
        return
    good = row is not None and sets is not None
    good = good and row.dtype == np.int32 and row.shape == (nodes,)
    good = good and row.flags.c_contiguous and sets.flags.c_contiguous
    good = good and sets.dtype == np.uint32 and sets.ndim == 2
    if not good or row.min() < -1 or row.max() >= len(sets):
        raise ModelFileError("Tree: category_set must name rows of left_categories")
