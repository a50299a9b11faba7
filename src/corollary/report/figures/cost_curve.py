"""The cost of each threshold, the chosen one and the cheapest; a script redraws it."""

from __future__ import annotations

from markupsafe import Markup

from corollary.report.figures.scales import linear
from corollary.report.figures.svg import element, line_path, percent, stretched
from corollary.report.formats import number

__all__ = ["cost_curve"]


def cost_curve(
    thresholds: list[float], costs: list[float], now: int, best: int
) -> Markup:
    """Return the curve; parts that the script moves carry a data-part.

    Parameters
    ----------
    thresholds, costs : lists of numbers
        Thresholds rise.
    now, best : int
        Numbers of the chosen and of the cheapest threshold.
    """
    x = linear(thresholds, margin=0)
    low, high = min(costs), max(costs)
    room = (high - low) or 1.0
    heights = [0.06 + 0.86 * (c - low) / room for c in costs]
    places = [(x.share(t), h) for t, h in zip(thresholds, heights, strict=True)]
    at, cheapest = percent(places[now][0]), places[best]
    line = element(
        "line", class_="now", x1=at, x2=at, y1="0", y2="100%", data_part="now"
    )
    dot = element(
        "circle",
        class_="dot good",
        cx=percent(cheapest[0]),
        cy=percent(1 - cheapest[1]),
        r="6",
        data_part="best",
    )
    curve = element("path", class_="line first", d=line_path(places), data_part="curve")
    marks = []
    for value, text in x.labels(5):
        s = x.share(value)
        side = "start" if s < 0.02 else "end" if s > 0.98 else "middle"
        marks.append(
            element(
                "text", text, class_=f"mark {side}", x=percent(s), y="100%", dy="18"
            )
        )
    summary = f"Cost over the threshold; the cheapest is {number(thresholds[best], 3)}"
    picture = element(
        "svg",
        element("line", class_="axis", x1="0", x2="100%", y1="100%", y2="100%"),
        *marks,
        line,
        stretched(curve),
        dot,
        class_="chart",
        role="img",
        aria_label=summary,
        style="height:120px",
        data_low=repr(x.low),
        data_high=repr(x.high),
    )
    return element("div", picture, class_="plot", style="padding:10px 10px 28px 10px")
