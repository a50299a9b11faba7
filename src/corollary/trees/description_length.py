"""Choosing a tree by the length of its description plus that of its errors.

Also known as: minimum description length (MDL) pruning, two-part code, Occam's razor.

A reader knows the attributes of the rows and is to learn their classes.  Send a tree,
then the rows that it gets wrong:

    L = L(tree) + L(errors | tree)   bits                                        (1)

    inner node   1 + log2 d, and log2 (n_t - 1) for a threshold                  (2)
    leaf         1 + log2 k                                                      (3)
    its errors   log2 (n_t + 1) + log2 C(n_t, e_t) + e_t log2 (k - 1)            (4)

1 bit tells inner nodes from leaves; then which of d attributes is asked, where among
the n_t rows of the node it is cut, or which of k classes a leaf answers.  (4) tells how
many of a leaf's n_t rows are wrong, which ones, and their classes.

(1) is a sum over nodes, so that the shortest description among all prunings of a tree
follows from the leaves upwards:

    best(t) = min(leaf(t), inner(t) + sum of best over the children of t)        (5)

No rows are held out.  With few rows the shortest tree may be a single leaf.

Notation: n_t = weight of the training rows at node t; e_t = of those outside the
majority.
Course: S3-80. References: Quinlan and Rivest (1989); Mitchell (1997), 6.6.
"""

from __future__ import annotations

from copy import copy
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import gammaln

from corollary.core.arrays import Floats
from corollary.core.errors import DataError, sentence
from corollary.core.records import readable
from corollary.trees.id3 import ID3Classifier
from corollary.trees.multiway_tree import MultiwayTree, kept

__all__ = [
    "DescriptionLength",
    "ShortestTree",
    "choose_by_description_length",
    "description_length",
]


@readable
@dataclass(frozen=True)
class DescriptionLength:
    """The length (1) of a tree and of its errors, in bits."""

    tree: float
    errors: float
    total: float


@dataclass(frozen=True)
class ShortestTree:
    """The pruning of the shortest description.

    Attributes
    ----------
    model : ID3Classifier
        A copy of the model with the pruned tree.
    length, length_before : DescriptionLength
    n_nodes, n_nodes_before : int
    """

    model: ID3Classifier
    length: DescriptionLength
    length_before: DescriptionLength
    n_nodes: int
    n_nodes_before: int

    def __str__(self) -> str:
        return (
            f"{self.n_nodes_before} nodes of {self.length_before.total:.1f} bits "
            f"pruned to {self.n_nodes} of {self.length.total:.1f} bits "
            f"(tree {self.length.tree:.1f} + errors {self.length.errors:.1f})"
        )


def description_length(model: ID3Classifier) -> DescriptionLength:
    """Return how many bits a tree and its training errors take (1).

    Parameters
    ----------
    model : ID3Classifier
        Fitted.

    Returns
    -------
    DescriptionLength

    Examples
    --------
    >>> from corollary import ID3Classifier
    >>> from corollary.datasets import play_tennis
    >>> from corollary.trees import description_length
    >>> table = play_tennis()
    >>> description_length(ID3Classifier().fit(table.X, table.y)).tree  # 3 x 3 + 5 x 2
    19.0
    """
    tree = tree_of("description_length", model)
    leaf, inner, errors = node_lengths(tree)
    is_leaf = tree.feature < 0
    size = float(leaf[is_leaf].sum() + inner[~is_leaf].sum())
    wrong = float(errors[is_leaf].sum())
    return DescriptionLength(size, wrong, size + wrong)


def choose_by_description_length(model: ID3Classifier) -> ShortestTree:
    """Return the pruning of a tree that has the shortest description (5).

    Parameters
    ----------
    model : ID3Classifier
        Fitted; it is not changed.

    Returns
    -------
    ShortestTree

    Examples
    --------
    >>> import numpy as np
    >>> from corollary import ID3Classifier
    >>> from corollary.trees import choose_by_description_length
    >>> rng = np.random.default_rng(0)
    >>> X = rng.integers(0, 3, (200, 4))
    >>> y = (X[:, 0] == 1) ^ (rng.random(200) < 0.1)  # the rest is noise
    >>> chosen = choose_by_description_length(ID3Classifier().fit(X, y))
    >>> chosen.n_nodes, chosen.model.tree_.feature[0].item()
    (4, 0)
    """
    tree = tree_of("choose_by_description_length", model)
    leaf, inner, errors = node_lengths(tree)
    as_leaf = leaf + errors
    below = np.where(tree.feature >= 0, inner, np.inf)
    leaves = []
    for t in range(tree.n_nodes - 1, -1, -1):  # children before their parents
        best = min(as_leaf[t], below[t])  # (5)
        if as_leaf[t] <= below[t] and tree.feature[t] >= 0:
            leaves.append(t)
        if t:
            below[tree.parent[t]] += best
    pruned = copy(model)
    pruned.tree_ = kept(tree, leaves)
    return ShortestTree(
        pruned,
        description_length(pruned),
        description_length(model),
        pruned.tree_.n_nodes,
        tree.n_nodes,
    )


def tree_of(who: str, model: Any) -> MultiwayTree:
    """Return the tree of a model that has one with branches for values."""
    if not isinstance(model, ID3Classifier):
        must = "model must be an ID3Classifier"
        raise DataError(sentence(who, must, type(model).__name__))
    return model.tree_


def node_lengths(tree: MultiwayTree) -> tuple[Floats, Floats, Floats]:
    """Return (3), (2) and (4) of every node."""
    k, d = tree.counts.shape[1], tree.gain.shape[1]
    n = tree.counts.sum(axis=1)
    e = np.maximum(n - tree.counts.max(axis=1), 0.0)
    cuts = np.where(np.isnan(tree.threshold), 1.0, np.maximum(n - 1, 1.0))
    leaf = np.full(tree.n_nodes, 1 + np.log2(k))
    inner = 1 + np.log2(d) + np.log2(cuts)
    which = (gammaln(n + 1) - gammaln(e + 1) - gammaln(n - e + 1)) / np.log(2)
    errors = np.log2(n + 1) + which + e * np.log2(max(k - 1, 1))
    return leaf, inner, errors
