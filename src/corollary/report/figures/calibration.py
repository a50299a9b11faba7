"""Calibration: of the rows that were given a probability, how many it came true for.

Points on the diagonal are honest; below it the model promises too much.
"""

from __future__ import annotations

from markupsafe import Markup

from corollary.report.figures.frame import Frame, hits
from corollary.report.figures.scales import Scale
from corollary.report.figures.svg import (
    dots_path,
    element,
    line_path,
    percent,
    stretched,
)
from corollary.report.formats import count, share
from corollary.report.plain_data import Rows

__all__ = ["calibration_chart"]


def calibration_chart(rows: Rows) -> Markup:
    """Return the chart.

    Parameters
    ----------
    rows : list of (predicted, observed, low, high, count)
    """
    axis = Scale(0.0, 1.0, "share")
    rows = sorted(rows)
    most = max((n for *_, n in rows), default=0) or 1
    words = "; ".join(f"{share(p)} promised, {share(o)} came true" for p, o, *_ in rows)
    frame = Frame(
        axis,
        axis,
        title="Calibration",
        description=words,
        x_name="probability that was promised",
        y_name="share that came true",
        square=True,
    )
    diagonal = element(
        "path", class_="line quiet dashed", d=line_path([(0, 0), (1, 1)])
    )
    columns = [
        element(
            "rect",
            class_="column",
            x=percent(min(max(p - 0.012, 0), 0.976)),
            width=percent(0.024),
            y=percent(1 - 0.16 * n / most),
            height=percent(0.16 * n / most),
        )
        for p, *_, n in rows
        if min(row[-1] for row in rows) < 0.9 * most  # equal groups show nothing
    ]
    whiskers = [
        element("path", class_="line first thin", d=line_path([(p, low), (p, high)]))
        for p, _, low, high, _ in rows
    ]
    points = [(p, o) for p, o, *_ in rows]
    curve = element("path", class_="line first", d=line_path(points)) if rows else ""
    dots = element("path", class_="dots first", d=dots_path(points))
    tips = [
        (
            p,
            f"promised {share(p)}: {share(o)} came true "
            f"({share(low)} to {share(high)}), {count(n)} rows",
        )
        for p, o, low, high, n in rows
    ]
    layers = stretched(diagonal, *whiskers, Markup(curve), dots)
    return frame.draw(*columns, layers, *hits(tips))
