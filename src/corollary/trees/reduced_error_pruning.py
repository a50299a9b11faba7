"""Reduced-error pruning: cut a tree back wherever held-out rows do not object.

Also known as: post-pruning with a validation set.

Repeat: of all inner nodes, make that one a leaf, with the majority of its training rows
as answer, whose pruning lowers the error on the validation rows the most; stop where
every pruning would raise it.  At equal errors the smaller tree wins: of equally good
nodes the one with most nodes below it is pruned.

With E(t) the validation weight that node t, as a leaf, would get wrong, and B(t) that
of the branches below it (rows that no branch takes are answered by t itself), pruning t
changes the error by

    E(t) - B(t)                                                                  (1)

so one pass of the validation rows serves all steps.  The validation accuracy never
falls, and each step takes at least one node away.  It is a biased estimate of the
accuracy on new rows; those need rows of their own.

Course: S3-79. References: Quinlan (1987), Simplifying decision trees; Mitchell (1997),
3.7.
"""

from __future__ import annotations

from collections.abc import Iterator
from copy import copy
from dataclasses import dataclass
from typing import Any

import numpy as np

from corollary.core.arrays import Floats, Vector
from corollary.core.errors import DataError, sentence
from corollary.core.vectors import non_negative
from corollary.trees.id3 import ID3Classifier
from corollary.trees.multiway_tree import MultiwayTree, kept

__all__ = ["PrunedTree", "reduced_error_pruning"]


@dataclass(frozen=True)
class PruningStep:
    """One node made a leaf."""

    node: int  # its number in the tree that was given
    n_nodes: int  # nodes that are left
    errors: float  # validation weight in error, after it


@dataclass(frozen=True)
class PrunedTree:
    """A pruned model, and how it came about.

    Attributes
    ----------
    model : ID3Classifier
        A copy of the model with the pruned tree.
    steps : tuple of PruningStep
        In the order in which nodes were pruned.
    n_nodes_before, n_nodes : int
    accuracy_before, accuracy : float
        On the validation rows.
    """

    model: ID3Classifier
    steps: tuple[PruningStep, ...]
    n_nodes_before: int
    n_nodes: int
    accuracy_before: float
    accuracy: float

    def __str__(self) -> str:
        return (
            f"{self.n_nodes_before} nodes pruned to {self.n_nodes} in "
            f"{len(self.steps)} steps; validation accuracy "
            f"{self.accuracy_before:.4f} to {self.accuracy:.4f}"
        )


def reduced_error_pruning(
    model: ID3Classifier, X: Any, y: Any, sample_weight: Any = None
) -> PrunedTree:
    """Prune a tree by validation rows that it was not grown from.

    Parameters
    ----------
    model : ID3Classifier
        Fitted; it is not changed.
    X, y : array or data frame of d columns, and labels
        The validation rows.
    sample_weight : array of shape (n,), optional

    Returns
    -------
    PrunedTree

    Examples
    --------
    >>> import numpy as np
    >>> from corollary import ID3Classifier
    >>> from corollary.trees import reduced_error_pruning
    >>> rng = np.random.default_rng(0)
    >>> X = rng.integers(0, 3, (300, 4))
    >>> y = (X[:, 0] == 1) ^ (rng.random(300) < 0.1)  # the rest is noise
    >>> model = ID3Classifier().fit(X[:200], y[:200])
    >>> pruned = reduced_error_pruning(model, X[200:], y[200:])
    >>> pruned.n_nodes < pruned.n_nodes_before, pruned.model.tree_.feature[0].item()
    (True, 0)
    """
    if not isinstance(model, ID3Classifier):
        must = "model must be an ID3Classifier"
        raise DataError(sentence("reduced_error_pruning", must, type(model).__name__))
    tree, counts = model.tree_, validation_counts(model, X, y, sample_weight)
    levels = by_level(tree)
    through = counts.copy()  # (m, k + 1) rows at a node or below it
    size = np.zeros(tree.n_nodes)  # nodes below
    for nodes in levels[:0:-1]:
        np.add.at(through, tree.parent[nodes], through[nodes])
        np.add.at(size, tree.parent[nodes], size[nodes] + 1)
    answer = tree.counts.argmax(axis=1)
    as_leaf = wrong(through, answer)  # E(t)
    below = wrong(counts, answer)  # B(t), below
    for nodes in levels[:0:-1]:
        np.add.at(below, tree.parent[nodes], below[nodes])
    total = float(counts.sum())
    before = 1 - float(below[0]) / total
    steps = list(prune(tree, as_leaf, below, size, levels, 1e-12 * total))
    pruned = copy(model)
    pruned.tree_ = kept(tree, [step.node for step in steps])
    after = 1 - max(float(below[0]), 0.0) / total
    n = pruned.tree_.n_nodes
    return PrunedTree(pruned, tuple(steps), tree.n_nodes, n, before, after)


def prune(
    tree: MultiwayTree,
    as_leaf: Floats,
    below: Floats,
    size: Floats,
    levels: list[Vector],
    slack: float,
) -> Iterator[PruningStep]:
    """Yield the nodes to prune one by one; B and the sizes are kept up to date."""
    gone = np.zeros(tree.n_nodes, dtype=bool)  # below a node that was pruned
    while True:
        change = np.where(gone | (size == 0), np.inf, as_leaf - below)  # (1)
        if not change.min() <= slack:
            return
        equal = np.flatnonzero(change <= change.min() + slack)
        node = int(equal[size[equal].argmax()])
        under = np.zeros(tree.n_nodes, dtype=bool)
        under[node] = True
        for nodes in levels[1:]:
            under[nodes] |= under[tree.parent[nodes]]
        gone |= under
        more, fewer = as_leaf[node] - below[node], size[node]
        path = tree.path(node)
        below[path] += more
        size[path] -= fewer
        yield PruningStep(node, int(size[0]) + 1, max(float(below[0]), 0.0))


def validation_counts(
    model: ID3Classifier, X: Any, y: Any, sample_weight: Any
) -> Floats:
    """Return the weight of each class where the validation rows end, (m, k + 1).

    The last column is for labels that training did not have.
    """
    who = "reduced_error_pruning"
    at, y = model.apply(X), np.asarray(y)
    if y.shape != at.shape:
        must = f"y must hold one label for each of {len(at)} rows"
        raise DataError(sentence(who, must, f"shape {y.shape}"))
    w = np.ones(len(at)) if sample_weight is None else sample_weight
    w = non_negative(who, w, "sample_weight")
    if w.shape != at.shape or not w.sum() > 0:
        must = f"sample_weight must hold {len(at)} weights, not all 0"
        raise DataError(sentence(who, must, f"shape {w.shape}, sum {w.sum():g}"))
    k, m = len(model.classes_), model.tree_.n_nodes
    code = {label: c for c, label in enumerate(model.classes_.tolist())}
    z = np.array([code.get(label, k) for label in y.tolist()])
    counts: Any = np.bincount(at * (k + 1) + z, w, m * (k + 1))
    return counts.reshape(m, k + 1)


def wrong(counts: Floats, answer: Vector) -> Floats:
    """Return the weight at each node that its answer gets wrong."""
    right = counts[np.arange(len(counts)), answer]
    return counts.sum(axis=1) - right


def by_level(tree: MultiwayTree) -> list[Vector]:
    """Return the nodes of each depth."""
    depth = tree.depth
    return [np.flatnonzero(depth == level) for level in range(int(depth.max()) + 1)]
