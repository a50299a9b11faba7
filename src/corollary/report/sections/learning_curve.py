"""The learning curve: what more rows would bring."""

from __future__ import annotations

from typing import Any

from corollary.report.figures.frame import Frame
from corollary.report.figures.line_chart import Curve, line_chart
from corollary.report.figures.scales import linear, logarithmic
from corollary.report.formats import count, metric_name, number, score, share_metric
from corollary.report.plain_data import (
    Rows,
    dictionaries,
    dictionary,
    is_number,
    numbers,
)

__all__ = ["learning_curve"]


def learning_curve(findings: dict[str, Any]) -> dict[str, Any] | None:
    """Return the chart of training and validation, with what lies beyond the rows."""
    found = dictionary(findings.get("learning_curve"))
    sizes = found.get("sizes")
    training = numbers(sizes, found.get("training"))
    validation = numbers(sizes, found.get("validation"))
    if len(validation) < 2:
        return None
    metric = dictionary(findings.get("metric"))
    if found.get("loss"):
        metric = {"name": found["loss"], "greater_is_better": False}
    same = is_metric(training, validation, metric)
    beyond = further(found, validation)
    curves = [
        _curve(found, "training", "second", training),
        _curve(found, "validation", "first", validation),
    ]
    if len(beyond) > 1:
        points = [(n, v) for n, v, *_ in beyond]
        band = [(n, low, high) for n, _, low, high in beyond[1:]]
        curves.append(
            Curve("expected with more rows", "first", points, band, dashed=True)
        )
    heights = [v for c in curves for _, *rest in [*c.points, *c.band] for v in rest]
    shares = same and share_metric(metric)
    frame = Frame(
        logarithmic([n for c in curves for n, _ in c.points]),
        linear(heights, style="share" if shares else "number"),
        title="Learning curve",
        description=found.get("sentence") or "",
        x_name="rows to learn from",
        y_name=metric_name(metric) if same else "loss",
        height=260,
    )
    tips = _tips(training, validation, beyond, metric if same else {})
    return {
        "takeaway": found.get("sentence") or "",
        "figure": line_chart(frame, curves, tips),
    }


def is_metric(
    training: Rows,
    validation: Rows,
    metric: dict[str, Any],
) -> bool:
    """Return whether the curve is of the metric, not of a loss.

    Models do better on the rows they learned from, which tells the direction.
    """
    up = bool(metric.get("greater_is_better"))
    a = sum(v for _, v in training) / max(len(training), 1)
    b = sum(v for _, v in validation) / len(validation)
    return (a >= b) == up if training else True


def further(
    found: dict[str, Any], validation: Rows
) -> list[tuple[float, float, float, float]]:
    """Return size, value, low and high beyond the rows, from the last point on."""
    rows = [
        tuple(float(one[key]) for key in ("size", "value", "low", "high"))
        for one in dictionaries(found.get("extrapolated"))
        if all(is_number(one.get(key)) for key in ("size", "value", "low", "high"))
    ]
    last, value = validation[-1]
    beyond = sorted(row for row in rows if row[0] > last)
    return [(last, value, value, value), *beyond]  # type: ignore[list-item]


def _curve(found: dict[str, Any], name: str, kind: str, points: Rows) -> Curve:
    rows = numbers(found.get("sizes"), found.get(name), found.get(f"{name}_se"))
    band: Rows = [(n, v - se, v + se) for n, v, se in rows]
    return Curve(name, kind, sorted(points), sorted(band), dots=True)


def _tips(
    training: Rows,
    validation: Rows,
    beyond: list[tuple[float, float, float, float]],
    metric: dict[str, Any],
) -> list[tuple[float, str]]:
    def text(v: float) -> str:
        return score(v, metric) if metric else number(v)

    known = {n: v for n, v in training}
    tips = []
    for n, v in validation:
        tip = f"{count(n)} rows: validation {text(v)}"
        tip += f", training {text(known[n])}" if n in known else ""
        tips.append((n, tip))
    for n, v, low, high in beyond[1:]:
        tip = f"{count(n)} rows: expected {text(v)} ({text(low)} to {text(high)})"
        tips.append((n, tip))
    return tips
