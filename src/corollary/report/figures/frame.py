"""The frame of a chart: grid, marks on the axes, names, and layers inside.

Letters stand outside the drawing's own box (it lets them), so that its percents are
those of the area of the curves.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass

from markupsafe import Markup

from corollary.report.figures.scales import Scale
from corollary.report.figures.svg import element, percent
from corollary.report.formats import clip
from corollary.report.plain_data import Rows

__all__ = ["Frame", "key", "thin"]

LETTER = 6.7  # pixels of a letter of a mark, about


@dataclass(frozen=True)
class Frame:
    """The axes of a chart.

    Attributes
    ----------
    x, y : Scale
    title, description : str
        What a reader who does not see it is told.
    x_name, y_name : str
        Names of the axes.
    height : int
        Of the area of the curves, in pixels.
    square : bool
        Whether both axes have the same length.
    """

    x: Scale
    y: Scale
    title: str
    description: str = ""
    x_name: str = ""
    y_name: str = ""
    height: int = 230
    square: bool = False

    def at(self, x: float, y: float) -> tuple[float, float]:
        """Return the place of a point, as shares of width and height."""
        return self.x.share(x), self.y.share(y)

    def draw(self, *layers: Markup) -> Markup:
        """Return the chart with layers drawn in this order."""
        marks = self.y.labels(4 if self.height < 160 else 5)
        left = 12 + LETTER * max((len(text) for _, text in marks), default=0)
        summary = f"{self.title}. {self.description}".strip()
        picture = element(
            "svg",
            *self._grid(marks),
            *layers,
            *self._names(left),
            class_="chart square" if self.square else "chart",
            role="img",
            aria_label=summary,
            style=None if self.square else f"height:{self.height}px",
        )
        above = 26 if self.y_name else 10
        below = 44 if self.x_name else 26
        room = f"padding:{above}px 14px {below}px {left:.0f}px"
        return element("div", picture, class_="plot", style=room)

    def _grid(self, marks: Sequence[tuple[float, str]]) -> list[Markup]:
        drawn = []
        for value, text in marks:
            y = percent(1 - self.y.share(value))
            line = element("line", class_="grid", x1="0", x2="100%", y1=y, y2=y)
            label = element(
                "text", text, class_="mark end", x="0", dx="-8", y=y, dy="0.33em"
            )
            drawn += [line, label]
        bottom = element("line", class_="axis", x1="0", x2="100%", y1="100%", y2="100%")
        return [*drawn, bottom, *self._marks_below()]

    def _marks_below(self) -> list[Markup]:
        drawn = []
        small = self.height < 160 and not self.square
        for value, text in self.x.labels(3 if small else 5):
            s = self.x.share(value)
            side = "start" if s < 0.02 else "end" if s > 0.98 else "middle"
            place = {"x": percent(s), "y": "100%", "dy": "18"}
            drawn.append(element("text", text, class_=f"mark {side}", **place))
        return drawn

    def _names(self, left: float) -> list[Markup]:
        drawn = []
        if self.y_name:
            place = {"x": "0", "dx": f"{-left:.0f}", "y": "0", "dy": "-14"}
            drawn.append(element("text", clip(self.y_name, 48), class_="name", **place))
        if self.x_name:
            place = {"x": "100%", "y": "100%", "dy": "37"}
            name = clip(self.x_name, 48)
            drawn.append(element("text", name, class_="name end", **place))
        return drawn


def hits(places: Sequence[tuple[float, str]]) -> list[Markup]:
    """Return bars over the chart, unseen, that show a text where one points.

    Parameters
    ----------
    places : pairs of share of the width and text
        In order of the shares.
    """
    shares = [s for s, _ in places]
    middles = [(a + b) / 2 for a, b in itertools.pairwise(shares)]
    edges = [0.0, *middles, 1.0]
    return [
        element(
            "rect",
            class_="hit",
            x=percent(a),
            width=percent(max(b - a, 0)),
            y="0",
            height="100%",
            data_tip=text,
        )
        for (_, text), a, b in zip(places, edges, edges[1:], strict=False)
    ]


def key(*entries: tuple[str, str]) -> Markup:
    """Return the key of a chart: for each class of a curve, its name."""
    return element(
        "div",
        *(
            element("span", element("i", class_=f"swatch {kind}"), name)
            for kind, name in entries
        ),
        class_="key",
    )


def thin(points: Rows, most: int = 200) -> Rows:
    """Return at most so many points, evenly chosen, with both ends."""
    if len(points) <= most:
        return points
    last = len(points) - 1
    return [points[round(i * last / (most - 1))] for i in range(most)]
