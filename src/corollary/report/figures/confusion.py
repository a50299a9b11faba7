"""The confusion matrix as a heat map: rows are what is true, columns what was said.

Each row is shaded by its share, so that a rare class is seen as well as a common one;
errors are shaded against the largest of them.
Of many classes, those with most errors are drawn.
"""

from __future__ import annotations

from markupsafe import Markup

from corollary.report.figures.svg import element
from corollary.report.formats import clip, count, share

__all__ = ["confusion_map"]

MOST = 12  # classes that are drawn
LEAST = 0.2  # share of errors that is shaded most, where errors are few


def confusion_map(classes: list[str], matrix: list[list[float]]) -> Markup:
    """Return a table whose cells are shaded by their share of the row.

    Parameters
    ----------
    classes : list of k names
    matrix : k lists of k counts
    """
    shown = most_confused(matrix)
    head = element(
        "tr",
        element("th", element("span", "true ↓  said →", class_="corner")),
        *(element("th", _name(classes[j]), scope="col") for j in shown),
    )
    parts = [[n / (sum(row) or 1.0) for n in row] for row in matrix]
    most = max((parts[i][j] for i in shown for j in shown if i != j), default=0.0)
    body = []
    for i in shown:
        cells = [
            _cell(classes, i, j, matrix[i][j], parts[i][j], max(most, LEAST))
            for j in shown
        ]
        body.append(
            element("tr", element("th", _name(classes[i]), scope="row"), *cells)
        )
    table = element(
        "table",
        element("caption", "Confusion matrix: counts of rows", class_="unseen"),
        element("thead", head),
        element("tbody", *body),
        class_="confusion",
    )
    attributes = {"tabindex": "0", "role": "group", "aria_label": "Confusion matrix"}
    return element("div", table, class_="scroll", **attributes)


def most_confused(matrix: list[list[float]]) -> list[int]:
    """Return the classes to draw, in their order: all, or those with most errors."""
    k = len(matrix)
    errors = [
        sum(matrix[i]) + sum(row[i] for row in matrix) - 2 * matrix[i][i]
        for i in range(k)
    ]
    return sorted(sorted(range(k), key=lambda i: -errors[i])[:MOST])


def _name(text: str) -> Markup:
    return element("bdi", clip(text, 18), title=clip(text, 200))


def _cell(
    classes: list[str], i: int, j: int, n: float, part: float, most: float
) -> Markup:
    shade = part if i == j else min(part / most, 1.0)
    tip = (
        f"{clip(classes[i], 40)} said to be {clip(classes[j], 40)}: "
        f"{count(n)}, {share(part)} of the row"
    )
    return element(
        "td",
        element("b", count(n)),
        element("small", share(part, 0)) if n else "",
        class_="right" if i == j else "wrong",
        style=f"--part:{shade:.3f}",
        data_tip=tip,
    )
