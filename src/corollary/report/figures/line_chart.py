"""Lines with bands: how a quantity changes, and how well that is known."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from markupsafe import Markup

from corollary.report.figures.frame import Frame, hits, key
from corollary.report.figures.svg import (
    area_path,
    dots_path,
    element,
    line_path,
    stretched,
)
from corollary.report.plain_data import Rows

__all__ = ["Curve", "line_chart"]


@dataclass(frozen=True)
class Curve:
    """One line.

    Attributes
    ----------
    name : str
    kind : str
        The class that colours it: "first", "second", "third", "quiet".
    points : list of (x, y)
    band : list of (x, low, high)
    dots : bool
        Whether points are marked.
    dashed : bool
    """

    name: str
    kind: str
    points: Rows
    band: Rows = ()
    dots: bool = False
    dashed: bool = False


def line_chart(
    frame: Frame,
    curves: Sequence[Curve],
    tips: Sequence[tuple[float, str]] = (),
    *extra: Markup,
    named: bool = True,
) -> Markup:
    """Return a chart of lines, with a key above it.

    Parameters
    ----------
    frame : Frame
    curves : sequence of Curve
    tips : pairs of x and text
        What is shown where one points.
    extra : drawn elements
    named : bool
        Whether a key says which line is which.
    """
    paths = []
    for curve in curves:
        if curve.band:
            upper = [frame.at(x, high) for x, _, high in curve.band]
            lower = [frame.at(x, low) for x, low, _ in curve.band]
            path = area_path(upper, lower)
            paths.append(element("path", class_=f"band {curve.kind}", d=path))
    for curve in curves:
        if not curve.points:
            continue
        places = [frame.at(x, y) for x, y in curve.points]
        style = f"line {curve.kind}" + (" dashed" if curve.dashed else "")
        paths.append(element("path", class_=style, d=line_path(places)))
        if curve.dots:
            dots = dots_path(places)
            paths.append(element("path", class_=f"dots {curve.kind}", d=dots))
    over = hits([(frame.x.share(x), text) for x, text in sorted(tips)])
    chart = frame.draw(*extra, stretched(*paths), *over)
    names = [
        (f"{c.kind} dashed" if c.dashed else c.kind, c.name) for c in curves if c.name
    ]
    return key(*names) + chart if named and names else chart
