"""A picture of a tree, for any kind of tree."""

from __future__ import annotations

import textwrap
from itertools import pairwise
from typing import Any

import numpy as np

from corollary.trees.export_text import check_whole
from corollary.trees.tree_view import NodeStyle, NodeView, TreeView, view_of

__all__ = ["plot_tree"]

LARGEST = 10.0  # points of the letters where there is room
SMALLEST = 3.0
MOST = 60.0  # inches of a figure
LONGEST = 28  # letters of a name that are drawn


def plot_tree(
    decision_tree: Any,
    *,
    max_depth: int | None = None,
    feature_names: Any = None,
    class_names: Any = None,
    filled: bool = False,
    impurity: bool = True,
    node_ids: bool = False,
    proportion: bool = False,
    rounded: bool = False,
    precision: int = 3,
    ax: Any = None,
    fontsize: float | None = None,
) -> Any:
    """Draw a tree; return the matplotlib axes.

    Leaves stand side by side and every node above the middle of its children.  A figure
    that is made here is as large as the boxes need; in axes that are given, letters
    shrink until the boxes of a level do not overlap.

    Parameters
    ----------
    decision_tree : ID3Classifier, or any fitted model with a binary `tree_`
    max_depth : int, optional
        What is further down is not drawn; '(...)' stands in the box above it.
    feature_names, class_names : sequences of str, optional
        Those of the model by default.  They are drawn letter by letter: no formula is
        made of dollar signs.
    filled, rounded : bool, default=False
        Colour nodes by their majority; draw boxes with round corners.
    impurity, node_ids, proportion : bool
        Write the impurity; the number of the node; shares instead of weights.
    precision : int, default=3
        Digits of numbers.
    ax : matplotlib axes, optional
    fontsize : float, optional
        Of the letters, in points; by default as large as fits.

    Returns
    -------
    matplotlib axes

    Examples
    --------
    >>> from corollary import ID3Classifier
    >>> from corollary.datasets import play_tennis
    >>> from corollary.trees import plot_tree
    >>> table = play_tennis()
    >>> model = ID3Classifier().fit(table.X, table.y)
    >>> ax = plot_tree(model, feature_names=table.columns)  # doctest: +SKIP
    """
    who = "plot_tree"
    check_whole(who, precision=precision)
    if max_depth is not None:
        check_whole(who, max_depth=max_depth)
    import matplotlib.pyplot as plt

    view = view_of(who, decision_tree, feature_names, class_names, decimals=precision)
    style = NodeStyle(impurity, node_ids, proportion, precision)
    drawn = view.down_to(max_depth)
    places = layout(view, drawn)
    width = max(x for x, _ in places.values()) + 1
    height = max(-y for _, y in places.values()) + 1
    own = ax is None
    if own:
        figure, ax = plt.subplots(layout=None)
        figure.subplots_adjust(0.01, 0.01, 0.99, 0.99)
    ax.set_axis_off()
    ax.set_xlim(-0.5, width - 0.5)
    ax.set_ylim(0.5 - height, 0.5)
    edges = draw_edges(ax, drawn, places)
    boxes = []
    for node in drawn:
        lines = [part for line in view.lines(node, style) for part in wrapped(line)]
        lines += ["(...)"] if node.children and node.depth == max_depth else []
        face = view.color(node) if filled else "white"
        boxes.append(draw_box(ax, places[node.number], lines, face, rounded))
    size = fitted_size(ax, boxes, drawn, places, own) if fontsize is None else fontsize
    for text in (*boxes, *edges):
        text.set_fontsize(size)
    return ax


def layout(
    view: TreeView, drawn: tuple[NodeView, ...]
) -> dict[int, tuple[float, float]]:
    """Return where each node stands: leaves at 0, 1, ..., others above their middle."""
    inside = {node.number for node in drawn}
    x: dict[int, float] = {}
    leaves = 0
    for node in drawn:
        if not inside.intersection(node.children):
            x[node.number] = float(leaves)
            leaves += 1
    for node in reversed(drawn):  # children stand behind their parents
        below = [x[c] for c in node.children if c in inside]
        if below:
            x[node.number] = 0.5 * (below[0] + below[-1])
    return {node.number: (x[node.number], -float(node.depth)) for node in drawn}


def draw_edges(
    ax: Any, drawn: tuple[NodeView, ...], places: dict[int, tuple[float, float]]
) -> list[Any]:
    """Draw the lines from nodes to their children; return the texts beside them."""
    texts = []
    nodes = {node.number: node for node in drawn}
    for node in drawn:
        for child in (nodes[c] for c in node.children if c in nodes):
            (x0, y0), (x1, y1) = places[node.number], places[child.number]
            ax.plot([x0, x1], [y0, y1], color="0.5", linewidth=0.8, zorder=1)
            label = ax.text(
                0.45 * x0 + 0.55 * x1,
                0.45 * y0 + 0.55 * y1,
                short(child.edge),
                ha="center",
                va="center",
                color="0.25",
                zorder=2,
                parse_math=False,
                bbox={"facecolor": "white", "edgecolor": "none", "pad": 0.5},
            )
            texts.append(label)
    return texts


def draw_box(
    ax: Any, place: tuple[float, float], lines: list[str], face: str, rounded: bool
) -> Any:
    """Draw one node."""
    shape = "round,pad=0.3" if rounded else "square,pad=0.3"
    return ax.text(
        *place,
        "\n".join(lines),
        ha="center",
        va="center",
        fontsize=LARGEST,
        zorder=3,
        parse_math=False,
        bbox={"boxstyle": shape, "facecolor": face, "edgecolor": "0.2"},
    )


def wrapped(text: str) -> list[str]:
    """Return the lines of a text: those of many numbers are wrapped, names are cut."""
    many = text.startswith("value = [")
    return textwrap.wrap(text, LONGEST) if many else [short(text)]


def short(text: str) -> str:
    """Return a text in one line, cut where it is too long for a box."""
    line = "".join(c if c.isprintable() else " " for c in text)
    return line if len(line) <= LONGEST else f"{line[: LONGEST - 3]}..."


def fitted_size(
    ax: Any,
    boxes: list[Any],
    drawn: tuple[NodeView, ...],
    places: dict[int, tuple[float, float]],
    own: bool,
) -> float:
    """Return the size of letters at which no two boxes of a level overlap.

    A figure of our own is first made large enough for the largest letters.
    """
    figure = ax.get_figure()
    room = 1.15
    wide, high = box_sizes(figure, boxes)
    need_x, need_y = room * spacing_needed(wide, drawn, places), 1.6 * high.max()
    (left, right), (low, top) = ax.get_xlim(), ax.get_ylim()
    if own:
        inches = figure.get_dpi()
        size = np.array([need_x * (right - left), need_y * (top - low)]) / inches
        figure.set_size_inches(*np.clip(size / 0.98, (4.0, 3.0), MOST))
    area = ax.get_window_extent()
    given_x, given_y = area.width / (right - left), area.height / (top - low)
    shrink = min(1.0, given_x / need_x, given_y / need_y)
    return max(LARGEST * shrink, SMALLEST)


def box_sizes(figure: Any, boxes: list[Any]) -> tuple[Any, Any]:
    """Return the width and height of boxes in pixels."""
    renderer = figure.canvas.get_renderer()
    found = []
    for box in boxes:
        box.update_bbox_position_size(renderer)
        extent = box.get_bbox_patch().get_window_extent(renderer)
        found.append((extent.width, extent.height))
    wide, high = np.array(found).T
    return wide, high


def spacing_needed(
    wide: Any, drawn: tuple[NodeView, ...], places: dict[int, tuple[float, float]]
) -> float:
    """Return the pixels between two leaves at which no boxes of a level overlap."""
    levels: dict[int, list[tuple[float, float]]] = {}
    for node, width in zip(drawn, wide, strict=True):
        levels.setdefault(node.depth, []).append((places[node.number][0], width))
    need = float(max(wide)) / max(x + 1 for x, _ in places.values())
    for level in levels.values():
        level.sort()
        for (x0, w0), (x1, w1) in pairwise(level):
            need = max(need, 0.5 * (w0 + w1) / (x1 - x0))
    return need
