"""Histograms: how the values of a column are spread, in the space of a word."""

from __future__ import annotations

from markupsafe import Markup

from corollary.report.figures.svg import area_path, element, percent, stretched
from corollary.report.formats import count, number

__all__ = ["histogram"]


def histogram(
    edges: list[float], counts: list[float], title: str, height: int = 44
) -> Markup:
    """Return a small histogram: one step for each bin, as high as its count.

    Parameters
    ----------
    edges : list of k + 1 numbers
        Ends of the bins, rising; all bins are drawn with the same width.
    counts : list of k numbers
    title : str
        What a reader who does not see it is told.
    height : int
        In pixels.
    """
    most = max(counts, default=0) or 1
    k = len(counts)
    upper = []
    for i, n in enumerate(counts):
        top = n / most if n <= 0 else max(n / most, 0.02)
        upper += [(i / k, top), ((i + 1) / k, top)]
    ends = [(0.0, 0.0), (1.0, 0.0)]
    shape = stretched(element("path", class_="bins", d=area_path(upper, ends)))
    over = [
        element(
            "rect",
            class_="hit",
            x=percent(i / k),
            width=percent(1 / k),
            y="0",
            height="100%",
            data_tip=f"{number(edges[i])} to {number(edges[i + 1])}: {count(n)}",
        )
        for i, n in enumerate(counts)
    ]
    return element(
        "svg",
        shape,
        *over,
        class_="chart small",
        role="img",
        aria_label=title,
        style=f"height:{height}px",
    )
