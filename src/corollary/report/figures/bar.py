"""Bars: a part of a whole, or a contribution to the left or right of nothing."""

from __future__ import annotations

from markupsafe import Markup

from corollary.report.figures.svg import element, percent

__all__ = ["bar", "contribution_bar"]


def bar(share: float, *, title: str, kind: str = "first", height: int = 8) -> Markup:
    """Return a bar that fills a share of its track.

    Parameters
    ----------
    share : float
        0 to 1.
    title : str
        What a reader who does not see it is told; shown where one points.
    kind : str
        The class that colours it.
    height : int
    """
    share = min(max(share, 0.0), 1.0)
    size = {"y": "0", "height": "100%", "rx": min(height / 2, 3)}
    track = element("rect", class_="track", x="0", width="100%", **size)
    inside = element("rect", class_=f"bar {kind}", x="0", width=percent(share), **size)
    return _drawing([track, inside], title, height)


def contribution_bar(
    start: float, end: float, zero: float, *, title: str, height: int = 16
) -> Markup:
    """Return a bar between two places, coloured by its direction.

    Parameters
    ----------
    start, end : float
        Shares of the width: where the prediction was, and where it goes.
    zero : float
        Where a thin line marks the beginning.
    title : str
        What a reader who does not see it is told; shown where one points.
    height : int
    """
    x = percent(zero)
    line = element("line", class_="grid", x1=x, x2=x, y1="0", y2="100%")
    left, width = min(start, end), max(abs(end - start), 0.003)
    kind = "bar up" if end >= start else "bar down"
    size = {"x": percent(left), "width": percent(width), "rx": 2}
    inside = element("rect", class_=kind, y="0", height="100%", **size)
    return _drawing([line, inside], title, height)


def _drawing(drawn: list[Markup], title: str, height: int) -> Markup:
    return element(
        "svg",
        *drawn,
        class_="chart row",
        role="img",
        aria_label=title,
        data_tip=title,
        style=f"height:{height}px",
    )
