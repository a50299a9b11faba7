"""A tree in the DOT language of Graphviz, for any kind of tree."""

from __future__ import annotations

from typing import Any

from corollary.trees.export_text import check_whole
from corollary.trees.tree_view import NodeStyle, view_of

__all__ = ["export_graphviz"]


def export_graphviz(
    decision_tree: Any,
    *,
    max_depth: int | None = None,
    feature_names: Any = None,
    class_names: Any = None,
    filled: bool = False,
    impurity: bool = True,
    node_ids: bool = False,
    proportion: bool = False,
    rotate: bool = False,
    rounded: bool = False,
    precision: int = 3,
) -> str:
    r"""Write a tree in the DOT language, which Graphviz draws.

    Parameters
    ----------
    decision_tree : ID3Classifier, or any fitted model with a binary `tree_`
    max_depth : int, optional
        What is further down is drawn as '(...)'.
    feature_names, class_names : sequences of str, optional
        Those of the model by default.  Quotes, backslashes and line breaks in them are
        escaped.
    filled : bool, default=False
        Colour nodes by their majority.
    impurity, node_ids, proportion : bool
        Write the impurity; the number of the node; shares instead of weights.
    rotate : bool, default=False
        Draw from left to right.
    rounded : bool, default=False
        Draw boxes with round corners.
    precision : int, default=3
        Digits of numbers.

    Returns
    -------
    str

    Examples
    --------
    >>> from corollary import ID3Classifier
    >>> from corollary.trees import export_graphviz
    >>> model = ID3Classifier().fit([["red"], ["blue"]], ["yes", "no"])
    >>> print(export_graphviz(model, feature_names=['the "colour"'], impurity=False))
    digraph Tree {
    node [shape=box, fontname="helvetica"] ;
    edge [fontname="helvetica"] ;
    0 [label="the \"colour\"\nsamples = 2\nvalue = [1, 1]\nclass = no"] ;
    1 [label="samples = 1\nvalue = [1, 0]\nclass = no"] ;
    0 -> 1 [label="= blue"] ;
    2 [label="samples = 1\nvalue = [0, 1]\nclass = yes"] ;
    0 -> 2 [label="= red"] ;
    }
    """
    who = "export_graphviz"
    check_whole(who, precision=precision)
    if max_depth is not None:
        check_whole(who, max_depth=max_depth)
    view = view_of(who, decision_tree, feature_names, class_names, decimals=precision)
    style = NodeStyle(impurity, node_ids, proportion, precision)
    looks = [name for name, on in (("filled", filled), ("rounded", rounded)) if on]
    look = f', style="{", ".join(looks)}"' if looks else ""
    lines = ["digraph Tree {", f'node [shape=box{look}, fontname="helvetica"] ;']
    lines += ['edge [fontname="helvetica"] ;', *(["rankdir=LR ;"] if rotate else [])]
    parent = {child: node.number for node in view.nodes for child in node.children}
    for node in view.down_to(None if max_depth is None else max_depth + 1):
        cut = max_depth is not None and node.depth > max_depth
        label = "(...)" if cut else "\n".join(view.lines(node, style))
        fill = "#c0c0c0" if cut else view.color(node)
        color = f', fillcolor="{fill}"' if filled else ""
        lines.append(f"{node.number} [label={quoted(label)}{color}] ;")
        if node.number in parent:
            edge = f"{parent[node.number]} -> {node.number}"
            lines.append(f"{edge} [label={quoted(node.edge)}] ;")
    return "\n".join([*lines, "}"])


def quoted(text: str) -> str:
    r"""Return a text as a string of DOT that shows it letter by letter.

    >>> print(quoted('a "b" \\ c\nd'))
    "a \"b\" \\ c\nd"
    """
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    lines = [line for line in escaped.splitlines() if line] or [""]
    return '"' + "\\n".join(printable(line) for line in lines) + '"'


def printable(text: str) -> str:
    """Return a text with a space for every letter that cannot be printed."""
    return "".join(letter if letter.isprintable() else " " for letter in text)
