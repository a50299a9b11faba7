"""A dot and its interval in the row of a table, all rows on one scale."""

from __future__ import annotations

from markupsafe import Markup

from corollary.report.figures.scales import Scale
from corollary.report.figures.svg import element, percent

__all__ = ["interval_mark"]


def interval_mark(
    scale: Scale,
    value: float,
    low: float,
    high: float,
    *,
    title: str,
    kind: str = "first",
    line: float | None = None,
    height: int = 22,
    mirror: bool = False,
    track: bool = False,
) -> Markup:
    """Return a dot at a value, a whisker from low to high, and a line to compare with.

    Parameters
    ----------
    scale : Scale
        The same for all rows.
    value, low, high : float
    title : str
        What a reader who does not see it is told; shown where one points.
    kind : str
        The class that colours it.
    line : float, optional
        Where a dashed line goes from top to bottom.
    height : int
    mirror : bool
        Whether small values are on the right.
    track : bool
        Whether a thin line shows the whole scale.
    """

    def at(one: float) -> str:
        place = scale.share(one)
        return percent(1 - place if mirror else place)

    middle = height / 2
    drawn = []
    if track:
        ends = {"x1": "0", "x2": "100%", "y1": middle, "y2": middle}
        drawn.append(element("line", class_="whole", **ends))
    if line is not None:
        x = at(line)
        drawn.append(element("line", class_="baseline", x1=x, x2=x, y1="0", y2="100%"))
    left, right = at(low), at(high)
    drawn.append(
        element(
            "line", class_=f"whisker {kind}", x1=left, x2=right, y1=middle, y2=middle
        )
    )
    drawn.append(
        element(
            "circle",
            class_=f"dot {kind}",
            cx=at(value),
            cy=middle,
            r="4.5",
        )
    )
    return element(
        "svg",
        *drawn,
        class_="chart row",
        role="img",
        aria_label=title,
        data_tip=title,
        style=f"height:{height}px",
    )
