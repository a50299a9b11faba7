"""Minimal cost-complexity pruning: the nested subtrees that trade impurity for leaves.

Also known as: weakest-link pruning, CCP, post-pruning.

For alpha >= 0 prune a tree to the smallest subtree T that minimises

    R_alpha(T) = R(T) + alpha |T|,   R(T) = sum over leaves i of (w_i / w_0) H_i     (1)

with |T| its leaves.  Cutting off what is below node i pays from the effective alpha on

    g(i) = (R(i) - R(T_i)) / (|T_i| - 1)                                             (2)

where R(i) is node i's own share of (1) as a leaf and T_i the branch below it.  Cutting
the node of least g, the weakest link, again and again visits the minimiser of (1) for
every alpha: the subtrees are nested.  A heap finds the weakest link, and a cut changes
g of the ancestors alone: n nodes of depth h take n h log n steps, not n^2.

Notation: H = impurity; w = weighted_n_node_samples; T_i = node i and all below it.
Course: S2-46. Reference: Breiman, Friedman, Olshen and Stone (1984), chapter 3.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from corollary.core.arrays import Floats, Vector
from corollary.trees.tree import LEAF, NONE, Tree

__all__ = ["cuts", "pruned", "pruning_path"]


def cuts(tree: Tree) -> Iterator[tuple[float, float, int]]:
    """Yield effective alpha (2), the impurity R(T) after the cut, and the node cut.

    The weakest link comes first; of equal ones that of the lowest number.
    """
    own = tree.weighted_n_node_samples * tree.impurity
    own = (own / tree.weighted_n_node_samples[0]).tolist()  # R(i)
    left, right = tree.children_left.tolist(), tree.children_right.tolist()
    parent = tree.parents.tolist()
    branch, size = list(own), [1] * tree.node_count  # R(T_i), |T_i|
    inner = np.flatnonzero(tree.feature >= 0).tolist()
    for i in reversed(inner):
        branch[i] = branch[left[i]] + branch[right[i]]
        size[i] = size[left[i]] + size[right[i]]
    link = {i: (own[i] - branch[i]) / (size[i] - 1) for i in inner}
    heap = [(g, i) for i, g in link.items()]
    heapq.heapify(heap)
    while heap:
        g, i = heapq.heappop(heap)
        if link.get(i) != g:
            continue  # it has changed, or an ancestor was cut
        forget(i, link, left, right)
        lost, risen = size[i] - 1, own[i] - branch[i]
        at = i
        while at != LEAF:
            branch[at] += risen
            size[at] -= lost
            if at in link:
                link[at] = (own[at] - branch[at]) / (size[at] - 1)
                heapq.heappush(heap, (link[at], at))
            at = parent[at]
        yield g, branch[0], i


def forget(i: int, link: dict[int, float], left: list[int], right: list[int]) -> None:
    """Take a node and all below it out of the links."""
    stack = [i]
    while stack:
        at = stack.pop()
        if link.pop(at, None) is not None:
            stack += (left[at], right[at])


def pruning_path(tree: Tree) -> tuple[Floats, Floats]:
    """Return the effective alphas (2) of all cuts, and R(T) after each; 0 first."""
    leaf = tree.feature < 0
    mass = tree.weighted_n_node_samples * tree.impurity
    first = float(mass[leaf].sum() / tree.weighted_n_node_samples[0])
    made = [(0.0, first), *((g, R) for g, R, _ in cuts(tree))]
    alphas, impurities = (np.array(column) for column in zip(*made, strict=True))
    return alphas, impurities


def pruned(tree: Tree, alpha: float) -> Tree:
    """Return the smallest subtree that minimises (1)."""
    if alpha == 0:
        return tree
    leaf = tree.feature < 0
    for g, _, i in cuts(tree):
        if g > alpha:
            break
        leaf[i] = True
    return cut_at(tree, leaf)


def cut_at(tree: Tree, leaf: Vector) -> Tree:
    """Return the tree without what is below the nodes marked as leaves."""
    kept, stack = [], [0]
    while stack:
        i = stack.pop()
        kept.append(i)
        if not leaf[i]:
            stack += (int(tree.children_right[i]), int(tree.children_left[i]))
    old = np.array(kept)
    new = np.full(tree.node_count + 1, LEAF, np.int32)  # the last: no child
    new[old] = np.arange(len(old), dtype=np.int32)
    ends = leaf[old]

    def child(children: Vector) -> Vector:
        return np.where(ends, LEAF, new[children[old]]).astype(np.int32)

    names = (
        "missing_go_to_left",
        "value",
        "impurity",
        "n_node_samples",
        "weighted_n_node_samples",
    )
    sets = tree.category_set
    return replace(
        tree,
        children_left=child(tree.children_left),
        children_right=child(tree.children_right),
        feature=np.where(ends, NONE, tree.feature[old]).astype(np.int32),
        threshold=np.where(ends, float(NONE), tree.threshold[old]),
        category_set=None if sets is None else np.where(ends, -1, sets[old]),
        **{name: getattr(tree, name)[old] for name in names},
    )
