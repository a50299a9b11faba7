"""The shape of an effect: what the model says as one column changes."""

from __future__ import annotations

from typing import Any

from markupsafe import Markup

from corollary.report.figures.frame import Frame, hits
from corollary.report.figures.scales import Scale, linear
from corollary.report.figures.svg import (
    area_path,
    dots_path,
    element,
    line_path,
    percent,
    stretched,
)
from corollary.report.formats import clip, number, share
from corollary.report.plain_data import is_number, numbers

__all__ = ["category_effect", "effect_scale", "number_effect"]

HEIGHT = 120
MOST = 8  # categories that are drawn


def number_effect(effect: dict[str, Any], scale: Scale | None = None) -> Markup | None:
    """Return the effect of a column of numbers; None where there is none.

    Parameters
    ----------
    effect : dict
    scale : Scale, optional
        Of the effects, to compare several; by default its own.
    """
    points = numbers(effect.get("grid"), effect.get("effect"))
    if len(points) < 2:
        return None
    band = numbers(effect.get("grid"), effect.get("low"), effect.get("high"))
    heights = [v for _, *rest in [*points, *band] for v in rest]
    frame = Frame(
        linear([x for x, _ in points], margin=0),
        scale or linear(heights),
        title=f"Effect of {clip(effect.get('column'), 80)}",
        description=f"From {number(points[0][1])} to {number(points[-1][1])}",
        height=HEIGHT,
    )
    paths = []
    if band:
        upper = [frame.at(x, high) for x, _, high in band]
        lower = [frame.at(x, low) for x, low, _ in band]
        paths.append(element("path", class_="band first", d=area_path(upper, lower)))
    places = [frame.at(*point) for point in points]
    paths.append(element("path", class_="line first", d=line_path(places)))
    tips = [
        (frame.x.share(x), f"{number(x)}: {_amount(e, frame.y)}") for x, e in points
    ]
    return frame.draw(stretched(*paths), *hits(tips))


def category_effect(
    effect: dict[str, Any], scale: Scale | None = None
) -> Markup | None:
    """Return the effect of a column of categories, one line for each.

    Parameters
    ----------
    effect : dict
    scale : Scale, optional
        Of the effects, to compare several; by default its own.
    """
    grid, values = effect.get("grid"), effect.get("effect")
    if not isinstance(grid, list) or not isinstance(values, list):
        return None
    rows = _categories(effect, grid, values)[:MOST]
    if not rows:
        return None
    ends = [v for _, *three in rows for v in three]
    scale = scale or linear(ends)
    zero = percent(scale.share(0.0)) if scale.low < 0 < scale.high else None
    lines = []
    for name, value, low, high in rows:
        at = [(scale.share(v), 0.5) for v in (low, high)]
        marks = stretched(
            element("path", class_="line first thin", d=line_path(at)),
            element(
                "path", class_="dots first", d=dots_path([(scale.share(value), 0.5)])
            ),
        )
        line = zero and element(
            "line", class_="grid", x1=zero, x2=zero, y1=0, y2="100%"
        )
        tip = f"{clip(name, 60)}: {_amount(value, scale)}"
        drawing = element(
            "svg",
            line or "",
            marks,
            class_="chart row",
            role="img",
            aria_label=tip,
            data_tip=tip,
            style="height:18px",
        )
        label = element("bdi", clip(name, 22), title=clip(name, 200))
        lines.append(element("div", label, drawing, class_="category"))
    return element("div", *lines, class_="categories")


def effect_scale(effects: list[dict[str, Any]], style: str) -> Scale:
    """Return one scale for several effects."""
    names = ("effect", "low", "high")
    ends = [v for one in effects for name in names for (v,) in numbers(one.get(name))]
    return linear(ends, style=style)


def _amount(value: float, scale: Scale) -> str:
    return share(value) if scale.style == "share" else number(value, 3)


def _categories(
    effect: dict[str, Any], grid: list[Any], values: list[Any]
) -> list[tuple[Any, ...]]:
    """Return name, effect, low and high of each category, the largest first."""
    rows = []
    for i, name in enumerate(grid[: len(values)]):
        if not is_number(values[i]):
            continue
        low, high = (_nth(effect.get(end), i, values[i]) for end in ("low", "high"))
        rows.append((name, values[i], low, high))
    return sorted(rows, key=lambda row: -row[1])


def _nth(values: Any, i: int, otherwise: float) -> float:
    found = values[i] if isinstance(values, list) and i < len(values) else None
    return float(found) if is_number(found) else otherwise
