"""A tree as indented text, for any kind of tree."""

from __future__ import annotations

from typing import Any

import numpy as np

from corollary.core.errors import ParameterError, sentence
from corollary.core.parameters import shown, whole
from corollary.trees.tree_view import NodeView, TreeView, view_of

__all__ = ["check_whole", "export_text"]


def export_text(
    decision_tree: Any,
    *,
    feature_names: Any = None,
    class_names: Any = None,
    max_depth: int = 10,
    spacing: int = 3,
    decimals: int = 2,
    show_weights: bool = False,
) -> str:
    """Write a tree as text, a line for each branch and each leaf.

    Parameters
    ----------
    decision_tree : ID3Classifier, or any fitted model with a binary `tree_`
    feature_names, class_names : sequences of str, optional
        Those of the model by default.
    max_depth : int, default=10
        Branches further down are left out, and how deep they go is said.
    spacing : int, default=3
        Letters by which a level is indented.
    decimals : int, default=2
        Of thresholds and weights.
    show_weights : bool, default=False
        Write the weight of each class beside a leaf's class.

    Returns
    -------
    str

    Examples
    --------
    >>> from corollary import ID3Classifier
    >>> from corollary.trees import export_text
    >>> X = [["red", 1.5], ["red", 2.5], ["blue", 3.5], ["blue", 0.5]]
    >>> model = ID3Classifier().fit(X, ["no", "yes", "yes", "yes"])
    >>> print(export_text(model, feature_names=["colour", "size"]), end="")
    |--- colour = blue
    |   |--- class: yes
    |--- colour = red
    |   |--- size <= 2.00
    |   |   |--- class: no
    |   |--- size > 2.00
    |   |   |--- class: yes
    """
    who = "export_text"
    check_whole(who, max_depth=max_depth, decimals=decimals)
    check_whole(who, 1, spacing=spacing)
    unnamed = "feature_{}"
    view = view_of(
        who,
        decision_tree,
        feature_names,
        class_names,
        decimals=decimals,
        unnamed=unnamed,
    )
    below = view.levels_below()
    lines = []
    for node in view.down_to(max_depth + 1):
        if node.branch:
            lines.append(f"{indent(node.depth, spacing)} {one_line(node.branch)}")
        deeper = indent(node.depth + 1, spacing)
        if not node.children:
            lines.append(f"{deeper} {leaf(view, node, decimals, show_weights)}")
        elif node.depth > max_depth:
            lines.append(f"{deeper} truncated branch of depth {below[node.number] + 1}")
    return "\n".join(lines) + "\n"


def indent(depth: int, spacing: int) -> str:
    """Return what stands before a branch."""
    return ("|" + " " * spacing) * (depth - 1) + "|" + "-" * spacing


def leaf(view: TreeView, node: NodeView, decimals: int, show_weights: bool) -> str:
    """Write what a leaf answers."""
    if view.classes is None:
        return f"value: {numbers(node.value, decimals)}"
    name = one_line(view.classes[int(np.argmax(node.value))])
    weights = numbers(node.value * node.weight, decimals)
    return f"weights: {weights} class: {name}" if show_weights else f"class: {name}"


def numbers(values: Any, decimals: int) -> str:
    """Write numbers in brackets."""
    return "[" + ", ".join(f"{value:.{decimals}f}" for value in values) + "]"


def one_line(text: str) -> str:
    """Return a name in one line: a line break in it would look like a branch."""
    return " ".join(text.splitlines()) if len(text.splitlines()) > 1 else text


def check_whole(who: str, low: int = 0, **given: Any) -> None:
    """Refuse what is no whole number."""
    for name, value in given.items():
        rule = whole(low)
        if not rule.holds(value):
            must = f"{name} must be {rule.words}"
            raise ParameterError(sentence(who, must, shown(value)))
