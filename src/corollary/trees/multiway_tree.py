"""Trees whose nodes have any number of branches, as flat arrays.

Node 0 is the root, and a node has a larger number than its parent.  An inner node asks
one attribute; its branch is the attribute's code (`attributes.py`), or for a continuous
attribute

    LOW  x <= threshold,     HIGH  x > threshold,     MISSING                    (1)

Children are found by their key, parent times the most branches plus branch, which rises
with the number of the node.  A row whose value has no branch stays where it is: the
node answers for it by the classes of its own rows.  So an empty branch answers by the
majority of its parent, and so does a value that training did not have.

Notation: m nodes; counts (m, k) weight of each class at a node.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from corollary.core.arrays import Floats, Vector
from corollary.core.errors import DataError, sentence
from corollary.core.records import stored
from corollary.trees.attributes import Attributes, cuts_of
from corollary.trees.information_gain import node_entropy

__all__ = ["HIGH", "LOW", "MISSING", "MultiwayTree", "check_tree", "descend", "kept"]

LOW, HIGH, MISSING = 0, 1, 2
MOST = 2**31  # more than the branches of any node


@stored
@dataclass(frozen=True)
class MultiwayTree:
    """A tree of nodes with any number of branches.

    Attributes
    ----------
    feature : array of shape (m,)
        The attribute that a node asks; -1 for a leaf.
    threshold : array of shape (m,)
        Of a continuous attribute; NaN elsewhere.
    parent : array of shape (m,)
        -1 for the root.
    branch : array of shape (m,)
        The branch of the parent that leads here; -1 for the root.
    counts : array of shape (m, k)
        Weight of each class among the training rows.
    looked : array of shape (m,)
        Row of a node in `gain` and `ratio`; -1 where no split was looked for.
    gain, ratio : arrays of shape (s, d)
        Information gain and gain ratio of each attribute, in bits; NaN where the
        attribute has one value only.
    """

    feature: Vector
    threshold: Floats
    parent: Vector
    branch: Vector
    counts: Floats
    looked: Vector
    gain: Floats
    ratio: Floats

    @property
    def n_nodes(self) -> int:
        """The number of nodes."""
        return len(self.feature)

    @property
    def n_leaves(self) -> int:
        """The number of leaves."""
        return int((self.feature < 0).sum())

    @property
    def depth(self) -> Vector:
        """How many branches lead to each node."""
        depth, up = np.zeros(self.n_nodes, dtype=np.int64), self.parent
        while (up >= 0).any():
            depth += up >= 0
            up = np.where(up >= 0, self.parent[up], -1)
        return depth

    @property
    def entropy(self) -> Floats:
        """Entropy of the classes at each node, in bits."""
        return node_entropy(self.counts)

    def children(self, node: int) -> Vector:
        """Return the children of a node, by rising branch."""
        begin, end = np.searchsorted(self.parent, [node, node + 1])
        return np.arange(begin, end)

    def path(self, node: int) -> list[int]:
        """Return the nodes from the root to a node."""
        way = [node]
        while self.parent[way[-1]] >= 0:
            way.append(int(self.parent[way[-1]]))
        return way[::-1]


def root(counts: Floats, d: int) -> MultiwayTree:
    """Return a tree of one leaf."""
    minus, none = np.array([-1]), np.empty((0, d))
    return MultiwayTree(
        minus, np.array([np.nan]), minus, minus, counts[None], minus, none, none
    )


def descend(
    tree: MultiwayTree, codes: Vector, attributes: Attributes, node: Vector
) -> Vector:
    """Send rows down from the nodes they are at, as far as branches lead.

    Parameters
    ----------
    tree : MultiwayTree
    codes : array of shape (n, d)
        The attributes of the rows.
    attributes : Attributes
        Whose edges the codes were made by.
    node : array of shape (n,)
        Where each row is.

    Returns
    -------
    array of shape (n,)
    """
    node = node.astype(np.int64)
    keys = tree.parent[1:].astype(np.int64) * MOST + tree.branch[1:]
    cut, absent = thresholds_as_cuts(tree, attributes)
    rows = np.flatnonzero(tree.feature[node] >= 0)
    while len(rows):
        here = node[rows]
        code = codes[rows, tree.feature[here]].astype(np.int64)
        side = np.where(code >= absent[here], MISSING, code > cut[here])
        branch = np.where(absent[here] >= 0, side, code)
        key = here * MOST + branch
        at = np.minimum(np.searchsorted(keys, key), len(keys) - 1)
        found = (branch >= 0) & (keys[at] == key)
        rows, here = rows[found], at[found] + 1
        node[rows] = here
        rows = rows[tree.feature[here] >= 0]
    return node


def thresholds_as_cuts(
    tree: MultiwayTree, attributes: Attributes
) -> tuple[Vector, Vector]:
    """Return the last code of the low side of each node, and its code for missing.

    The latter is -1 where the attribute is nominal.
    """
    cut, absent = np.full((2, tree.n_nodes), -1)
    for j, edges in enumerate(attributes.edges):
        if edges is not None:
            nodes = np.flatnonzero(tree.feature == j)
            cut[nodes] = cuts_of(edges, tree.threshold[nodes])
            absent[nodes] = len(edges) + 1
    return cut, absent


def kept(tree: MultiwayTree, leaves: Any) -> MultiwayTree:
    """Return the tree with some inner nodes made leaves, and what is below them gone.

    Parameters
    ----------
    tree : MultiwayTree
    leaves : array of node numbers
    """
    feature, threshold = tree.feature.copy(), tree.threshold.copy()
    feature[leaves], threshold[leaves] = -1, np.nan
    stays = np.ones(tree.n_nodes, dtype=bool)
    for i in range(1, tree.n_nodes):
        up = tree.parent[i]
        stays[i] = stays[up] and feature[up] >= 0
    number = np.cumsum(stays) - 1
    parent = tree.parent[stays]
    parent[1:] = number[parent[1:]]
    looked = tree.looked[stays]
    some = looked[looked >= 0]
    looked[looked >= 0] = np.arange(len(some))
    return replace(
        tree,
        feature=feature[stays],
        threshold=threshold[stays],
        parent=parent,
        branch=tree.branch[stays],
        counts=tree.counts[stays],
        looked=looked,
        gain=tree.gain[some],
        ratio=tree.ratio[some],
    )


def check_tree(who: Any, tree: Any, d: int, k: int, continuous: Vector) -> None:
    """Refuse a tree that no fit leaves: files can alter it."""
    if not isinstance(tree, MultiwayTree) or not is_sound(tree, d, k, continuous):
        must = "tree_ must hold nodes after their parents, with attributes and counts"
        raise DataError(sentence(who, must, "others"))


def is_sound(tree: MultiwayTree, d: int, k: int, continuous: Vector) -> bool:
    """Tell whether the arrays of a tree fit together."""
    whole = (tree.feature, tree.parent, tree.branch, tree.looked)
    real = (tree.threshold, tree.counts, tree.gain, tree.ratio)
    m = np.size(tree.feature)
    good = all(isinstance(a, np.ndarray) and a.dtype.kind == "i" for a in whole)
    good = good and all(isinstance(a, np.ndarray) and a.dtype.kind == "f" for a in real)
    if not good or not m or any(a.shape != (m,) for a in (*whole, tree.threshold)):
        return False
    s = len(tree.gain) if tree.gain.ndim else -1
    if tree.counts.shape != (m, k) or not tree.gain.shape == tree.ratio.shape == (s, d):
        return False
    inner = tree.feature >= 0
    parent, branch = tree.parent[1:], tree.branch[1:]
    asked = tree.threshold[inner & continuous[np.clip(tree.feature, 0, d - 1)]]
    return bool(
        tree.parent[0] == -1
        and (tree.feature >= -1).all()
        and (tree.feature < d).all()
        and (parent >= 0).all()
        and (parent < np.arange(1, m)).all()
        and np.array_equal(np.unique(parent), np.flatnonzero(inner))
        and (branch >= 0).all()
        and (branch < MOST).all()
        and (np.diff(parent.astype(np.int64) * MOST + branch) > 0).all()
        and not np.isnan(asked).any()
        and np.isfinite(tree.counts).all()
        and (tree.counts >= 0).all()
        and (tree.counts.sum(axis=1) > 0).all()
        and (tree.looked >= -1).all()
        and (tree.looked < max(s, 1)).all()
    )
