"""A tree as text and pictures see it, whatever kind of tree it is.

Two kinds are read: trees with a branch for each value (`ID3Classifier`), and binary
trees of thresholds whose `tree_` has the arrays `children_left`, `children_right`,
`feature`, `threshold`, `value`, `impurity` and `n_node_samples`, as scikit-learn's and
our CART trees have.  Names are taken as they are; whoever prints them takes care of
what they mean in its language.
"""

from __future__ import annotations

import colorsys
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from corollary.core.arrays import Floats
from corollary.core.checks import names_of
from corollary.core.errors import DataError, ParameterError, sentence
from corollary.trees.multiway_tree import MultiwayTree
from corollary.trees.rules import Condition, described, threshold_at

__all__ = ["NodeStyle", "NodeView", "TreeView", "view_of"]

FEW = 6  # categories of a set that are written
ARRAYS = (
    "children_left",
    "children_right",
    "feature",
    "threshold",
    "value",
    "impurity",
    "n_node_samples",
)


@dataclass(frozen=True)
class NodeView:
    """One node: what leads to it, what it asks, what it answers."""

    number: int
    depth: int
    branch: str  # the condition that leads here; "" for the root
    edge: str  # what is written at the edge that leads here
    question: str  # "" for a leaf
    value: Floats  # (k,) share of each class, or (1,) the mean of a regression
    impurity: float
    rows: float  # how many, or their weight where only that is known
    weight: float
    children: tuple[int, ...]


@dataclass(frozen=True)
class NodeStyle:
    """What is written in the box of a node."""

    impurity: bool = True
    node_ids: bool = False
    proportion: bool = False
    precision: int = 3


@dataclass(frozen=True)
class TreeView:
    """All nodes by number, the root first."""

    nodes: tuple[NodeView, ...]
    classes: tuple[str, ...] | None  # None for a regression
    measure: str  # the name of the impurity

    def lines(self, node: NodeView, style: NodeStyle) -> list[str]:
        """Return what stands in the box of a node."""
        p = style.precision
        out = [f"node {node.number}"] if style.node_ids else []
        out += [node.question] if node.question else []
        out += [f"{self.measure} = {node.impurity:.{p}g}"] if style.impurity else []
        share = node.rows / self.nodes[0].rows
        out.append(
            f"samples = {share:.1%}"
            if style.proportion
            else f"samples = {node.rows:.{max(p, 6)}g}"
        )
        if self.classes is None and len(node.value) == 1:
            return [*out, f"value = {node.value[0]:.{p}g}"]
        plain = self.classes is None or style.proportion
        values = node.value if plain else node.value * node.weight
        texts = ", ".join(f"{value:.{p}g}" for value in values)
        if self.classes is None:
            return [*out, f"value = [{texts}]"]
        name = self.classes[int(np.argmax(node.value))]
        return [*out, f"value = [{texts}]", f"class = {name}"]

    def color(self, node: NodeView) -> str:
        """Return a colour: the hue of the majority, paler where it is less sure."""
        if self.classes is None:
            values = [each.value[0] for each in self.nodes]
            low, high = min(values), max(values)
            sure = 0.0 if high == low else (node.value[0] - low) / (high - low)
            hue = 0.07
        else:
            k, ranked = len(self.classes), np.sort(node.value)[::-1]
            second = float(ranked[1]) if k > 1 else 0.0
            sure = (float(ranked[0]) - second) / max(1 - second, 1e-12)
            hue = 0.07 + int(np.argmax(node.value)) / k
        rgb = colorsys.hsv_to_rgb(hue % 1.0, 0.75 * min(max(sure, 0.0), 1.0), 0.95)
        return "#" + "".join(f"{round(255 * part):02x}" for part in rgb)

    def down_to(self, max_depth: int | None) -> tuple[NodeView, ...]:
        """Return the nodes down to a depth, each before its children."""
        out, stack = [], [self.nodes[0]]
        while stack:
            node = stack.pop()
            out.append(node)
            if max_depth is None or node.depth < max_depth:
                stack.extend(self.nodes[c] for c in reversed(node.children))
        return tuple(out)

    def levels_below(self) -> list[int]:
        """Return how many levels each node has below it."""
        below = [0] * len(self.nodes)
        for node in sorted(self.nodes, key=lambda node: -node.depth):
            below[node.number] = max((below[c] + 1 for c in node.children), default=0)
        return below


def view_of(
    who: str,
    model: Any,
    feature_names: Any = None,
    class_names: Any = None,
    *,
    decimals: int = 3,
    unnamed: str = "x{}",
) -> TreeView:
    """Return the view of a fitted model that has a tree.

    Parameters
    ----------
    who : str
        In whose name to refuse a model without one.
    model : estimator with `tree_`
    feature_names, class_names : sequences of str, optional
        Those of the model by default.
    decimals : int
        Of thresholds.
    unnamed : str
        How a feature without a name is called.
    """
    tree = getattr(model, "tree_", None)
    if tree is None and hasattr(model, "fit"):
        check_is_fitted(model)
    multiway = isinstance(tree, MultiwayTree)
    if not multiway and not all(hasattr(tree, name) for name in ARRAYS):
        must = "model must be a decision tree with tree_"
        raise DataError(sentence(who, must, type(model).__name__))
    d = int(model.n_features_in_)
    plain = [unnamed.format(j) for j in range(d)]
    known = names_of(model) if feature_names is None else feature_names
    names = names_in(who, "feature_names", plain if known is None else known, d)
    classes = class_names_of(who, model, class_names)
    if multiway:
        nodes = multiway_nodes(model, names, decimals)
        return TreeView(nodes, classes, "entropy")
    measure = str(getattr(model, "criterion", "impurity"))
    nodes = binary_nodes(tree, names, decimals, classes is not None)
    return TreeView(nodes, classes, measure)


def names_in(who: str, what: str, names: Any, n: int) -> list[str]:
    """Return given names as texts; refuse another number of them."""
    if isinstance(names, str) or not isinstance(names, Sequence | np.ndarray):
        raise ParameterError(sentence(who, f"{what} must be a list of names", "others"))
    if len(names) < n:
        must = f"{what} must hold {n} names"
        raise ParameterError(sentence(who, must, f"{len(names)}"))
    return [str(name) for name in names]


def class_names_of(who: str, model: Any, given: Any) -> tuple[str, ...] | None:
    """Return the names of the classes, None for a regression."""
    labels = getattr(model, "classes_", None)
    if labels is None:
        return None
    if isinstance(labels, list):
        must = "the tree must have one output"
        raise DataError(sentence(who, must, f"{len(labels)} lists of classes"))
    names = labels if given is None else given
    return tuple(names_in(who, "class_names", names, len(labels)))


def multiway_nodes(model: Any, names: list[str], decimals: int) -> tuple[NodeView, ...]:
    """Read a tree with a branch for each value."""
    tree: MultiwayTree = model.tree_
    depth, entropy = tree.depth, tree.entropy
    out = []
    for i in range(tree.n_nodes):
        up, j = int(tree.parent[i]), int(tree.feature[i])
        branch = edge = ""
        if up >= 0:
            asked = int(tree.feature[up])
            condition = Condition(asked, int(tree.branch[i]), threshold_at(tree, up))
            known = model.categories_[asked]
            branch = described(condition, names[asked], known, decimals)
            edge = described(condition, "", known, decimals).removeprefix(" ")
        total = float(tree.counts[i].sum())
        out.append(
            NodeView(
                i,
                int(depth[i]),
                branch,
                edge,
                "" if j < 0 else names[j],
                tree.counts[i] / total,
                float(entropy[i]),
                total,
                total,
                tuple(tree.children(i).tolist()),
            )
        )
    return tuple(out)


def binary_nodes(
    tree: Any, names: list[str], decimals: int, shares: bool
) -> tuple[NodeView, ...]:
    """Read a binary tree of thresholds; `shares` makes its values add up to 1."""
    left, right = np.asarray(tree.children_left), np.asarray(tree.children_right)
    value = np.asarray(tree.value, dtype=np.float64).reshape(len(left), -1)
    if shares:
        value = value / value.sum(axis=1, keepdims=True)
    rows = np.asarray(tree.n_node_samples, dtype=np.float64)
    weight = np.asarray(getattr(tree, "weighted_n_node_samples", rows), np.float64)
    m = len(left)
    branch, edge, depth = [""] * m, [""] * m, np.zeros(m, dtype=int)
    for i in range(m):
        if left[i] < 0:
            continue
        low, high = sides(tree, i, names[tree.feature[i]], decimals)
        branch[left[i]], branch[right[i]] = low, high
        edge[left[i]], edge[right[i]] = "True", "False"
        depth[left[i]] = depth[right[i]] = depth[i] + 1
    return tuple(
        NodeView(
            i,
            int(depth[i]),
            branch[i],
            edge[i],
            "" if left[i] < 0 else branch[left[i]],
            value[i],
            float(tree.impurity[i]),
            float(rows[i]),
            float(weight[i]),
            () if left[i] < 0 else (int(left[i]), int(right[i])),
        )
        for i in range(m)
    )


def sides(tree: Any, node: int, name: str, decimals: int) -> tuple[str, str]:
    """Write what sends a row to the left and to the right of a binary node."""
    t = float(tree.threshold[node])
    if not np.isnan(t) or getattr(tree, "category_set", None) is None:
        return f"{name} <= {t:.{decimals}f}", f"{name} >  {t:.{decimals}f}"
    words = np.asarray(tree.left_categories)[tree.category_set[node]]
    bits = np.unpackbits(words.astype("<u4").view(np.uint8), bitorder="little")
    codes = np.flatnonzero(bits).tolist()
    some = ", ".join(map(str, codes[:FEW])) + (", ..." if len(codes) > FEW else "")
    return f"{name} in {{{some}}}", f"{name} not in {{{some}}}"
