"""The shape of an effect: what the model says as one column changes."""

from __future__ import annotations

from typing import Any

from markupsafe import Markup

from corollary.report.figures.frame import Frame, key
from corollary.report.figures.line_chart import Curve, line_chart
from corollary.report.figures.scales import Scale, linear
from corollary.report.figures.svg import (
    dots_path,
    element,
    line_path,
    percent,
    stretched,
)
from corollary.report.figures.time_marks import moment_text, seconds_of, time_marks
from corollary.report.formats import clip, number, share
from corollary.report.plain_data import dictionaries, is_number, numbers

__all__ = [
    "category_effect",
    "date_effect",
    "effect_scale",
    "number_effect",
    "part_effect",
]

HEIGHT = 120
MOST = 8  # categories that are drawn
HUES = ("first", "third", "second")  # of the outputs that are drawn
LETTERS = 30  # of all the names below a figure


def number_effect(effect: dict[str, Any], scale: Scale | None = None) -> Markup | None:
    """Return the effect of a column of numbers; None where there is none.

    Parameters
    ----------
    effect : dict
    scale : Scale, optional
        Of the effects, to compare several; by default its own.
    """
    grid = effect.get("grid")
    names = {x: number(x) for (x,) in numbers(grid)}
    return _lines(effect, grid, linear(names, margin=0), names, scale)


def date_effect(effect: dict[str, Any], scale: Scale | None = None) -> Markup | None:
    """Return the effect of a date along time; None where there is none.

    Parameters
    ----------
    effect : dict
    scale : Scale, optional
        Of the effects, to compare several; by default its own.
    """
    at = seconds_of(effect.get("grid"))
    if not at or not min(at) < max(at):
        return None
    marks = tuple(time_marks(min(at), max(at)))
    names = {x: moment_text(x) for x in at}
    return _lines(effect, at, Scale(min(at), max(at), given=marks), names, scale)


def part_effect(effect: dict[str, Any], scale: Scale | None = None) -> Markup | None:
    """Return the effect of what recurs in a date, a point for each of its values.

    Parameters
    ----------
    effect : dict
    scale : Scale, optional
        Of the effects, to compare several; by default its own.
    """
    grid = effect.get("grid")
    if not isinstance(grid, list) or len(grid) < 2:
        return None
    names = {float(i): clip(name, 20) for i, name in enumerate(grid)}
    steps = (1, 2, 3, 4, 6, len(grid))
    shown = (list(names.items())[::step] for step in steps)
    marks = next(
        m for m in shown if sum(len(n) + 2 for _, n in m) < LETTERS or m[1:] == []
    )
    x = Scale(0.0, len(grid) - 1.0, given=tuple(marks))
    return _lines(effect, list(names), x, names, scale, dots=True)


def _lines(
    effect: dict[str, Any],
    grid: Any,
    x: Scale,
    names: dict[float, str],
    y: Scale | None,
    dots: bool = False,
) -> Markup | None:
    """Return a line with its band for each output, and a key where they are several."""
    curves, said = [], dict.fromkeys(names, "")
    heights: list[float] = []
    for hue, one in zip(HUES, _outputs(effect), strict=False):
        points = numbers(grid, one.get("effect"))
        if len(points) < 2:
            continue
        band = numbers(grid, one.get("low"), one.get("high"))
        heights += [v for _, *rest in [*points, *band] for v in rest]
        curves.append(Curve(_name(one), hue, points, band, dots=dots))
    if not curves:
        return None
    several = len(curves) > 1
    y = y or linear(heights)
    for curve in curves:
        for at, value in curve.points:
            of = f"{curve.name} " if several else ""
            said[at] += (", " if said[at] else "") + of + _amount(value, y)
    ends = [curves[0].points[at][1] for at in (0, -1)]
    frame = Frame(
        *(x, y),
        title=f"Effect of {clip(effect.get('column'), 80)}",
        description=f"From {number(ends[0])} to {number(ends[1])}",
        height=HEIGHT,
    )
    tips = [(x.share(at), f"{names[at]}: {text}") for at, text in said.items() if text]
    return line_chart(frame, curves, tips, named=several)


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
    grid, outputs = effect.get("grid"), _outputs(effect)
    if not isinstance(grid, list):
        return None
    rows = _categories(outputs, grid)[:MOST]
    if not rows:
        return None
    scale = scale or linear([v for _, values in rows for _, *v in values for v in v])
    lines = []
    for name, values in rows:
        texts = [
            f"{_name(one)} {_amount(v, scale)}" if outputs[1:] else _amount(v, scale)
            for one, (_, v, *_) in zip(outputs, values, strict=False)
        ]
        drawing = _row(values, scale, f"{clip(name, 60)}: {', '.join(texts)}")
        label = element("bdi", clip(name, 22), title=clip(name, 200))
        lines.append(element("div", label, drawing, class_="category"))
    names = [(hue, _name(one)) for hue, one in zip(HUES, outputs, strict=False)]
    legend = key(*names) if outputs[1:] else ""
    return element("div", legend, *lines, class_="categories")


def _row(values: list[tuple[Any, ...]], scale: Scale, tip: str) -> Markup:
    """Return a dot with its whisker for each output."""
    marks = []
    for hue, value, low, high in values:
        at = [(scale.share(v), 0.5) for v in (low, high)]
        dot = dots_path([(scale.share(value), 0.5)])
        marks.append(element("path", class_=f"line {hue} thin", d=line_path(at)))
        marks.append(element("path", class_=f"dots {hue}", d=dot))
    line: Markup | str = ""
    if scale.low < 0 < scale.high:
        zero = percent(scale.share(0.0))
        line = element("line", class_="grid", x1=zero, x2=zero, y1=0, y2="100%")
    return element(
        "svg",
        line,
        stretched(*marks),
        class_="chart row",
        role="img",
        aria_label=tip,
        data_tip=tip,
        style="height:18px",
    )


def effect_scale(effects: list[dict[str, Any]], style: str) -> Scale:
    """Return one scale for several effects."""
    parts = [one["part"] for one in effects if isinstance(one.get("part"), dict)]
    drawn = [one for effect in [*effects, *parts] for one in _outputs(effect)]
    names = ("effect", "low", "high")
    ends = [v for one in drawn for name in names for (v,) in numbers(one.get(name))]
    if style == "share":  # of bands, what is possible
        ends = [min(max(v, 0.0), 1.0) for v in ends]
    return linear(ends, style=style, floor=0.0 if style == "share" else None)


def _outputs(effect: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the outputs whose effects are drawn, the one that moves most first."""
    others = [one for one in dictionaries(effect.get("others")) if _values(one)]
    return [effect, *others][: len(HUES)]


def _values(one: dict[str, Any]) -> list[Any]:
    values = one.get("effect")
    return values if isinstance(values, list) else []


def _name(one: dict[str, Any]) -> str:
    return clip(one.get("of"), 22)


def _amount(value: float, scale: Scale) -> str:
    return share(value) if scale.style == "share" else number(value, 3)


def _categories(
    outputs: list[dict[str, Any]], grid: list[Any]
) -> list[tuple[Any, list[tuple[Any, ...]]]]:
    """Return each category with hue, effect, low and high of the outputs.

    The largest effect on the first output comes first.
    """
    rows = []
    for i, name in enumerate(grid):
        values = []
        for hue, one in zip(HUES, outputs, strict=False):
            value = _nth(_values(one), i)
            if value is None:
                continue
            low, high = (_nth(one.get(end), i) for end in ("low", "high"))
            ends = (value if end is None else end for end in (low, high))
            values.append((hue, value, *ends))
        if values:
            rows.append((name, values))
    return sorted(rows, key=lambda row: -row[1][0][1])


def _nth(values: Any, i: int) -> float | None:
    found = values[i] if isinstance(values, list) and i < len(values) else None
    return float(found) if is_number(found) else None
