"""Elements of SVG, written safely: every text and every attribute is escaped.

A drawing is as wide as its place.  What stands at a point is placed in percent; a
curve, whose path cannot be, is drawn in a square of 1000 by 1000 that is stretched over
the drawing, with strokes that keep their width:

    x = 1000 s,  y = 1000 (1 - t)   for shares s of the width and t of the height.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from markupsafe import Markup, escape

__all__ = ["area_path", "dots_path", "element", "line_path", "percent", "stretched"]

Point = tuple[float, float]  # shares of the width, from the left, and of the height


def element(name: str, *children: Any, **attributes: Any) -> Markup:
    """Return an element; ``class_`` is its class, ``data_tip`` its data-tip.

    >>> print(element("text", "a < b", class_="label", data_tip='"'))
    <text class="label" data-tip="&#34;">a &lt; b</text>
    """
    written = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{escape(value)}"'
        for key, value in attributes.items()
        if value is not None
    )
    inside = "".join(escape(child) for child in children)
    return Markup(f"<{name}{written}>{inside}</{name}>")


def percent(value: float) -> str:
    """Return a share as a length.

    >>> percent(0.12345)
    '12.35%'
    """
    return f"{_short(100 * value)}%"


def stretched(*paths: Markup) -> Markup:
    """Return paths in a square that is stretched over the drawing."""
    return element(
        "svg",
        *paths,
        class_="stretch",
        viewBox="0 0 1000 1000",
        preserveAspectRatio="none",
        width="100%",
        height="100%",
    )


def line_path(points: Iterable[Point]) -> str:
    """Return the path through points.

    >>> line_path([(0, 0), (0.5, 1)])
    'M0 1000L500 0'
    """
    return "M" + "L".join(_at(point) for point in points)


def area_path(upper: list[Point], lower: list[Point]) -> str:
    """Return the path around what is between two curves."""
    return line_path([*upper, *reversed(lower)]) + "Z"


def dots_path(points: Iterable[Point]) -> str:
    """Return a path that is a dot at each point, drawn with round ends."""
    return "".join(f"M{_at(point)}h0" for point in points)


def _at(point: Point) -> str:
    return f"{_short(1000 * point[0], 1)} {_short(1000 * (1 - point[1]), 1)}"


def _short(value: float, decimals: int = 2) -> str:
    text = f"{value:.{decimals}f}"
    text = text.rstrip("0").rstrip(".") if "." in text else text
    return "0" if text == "-0" else text
