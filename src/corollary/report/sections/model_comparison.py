"""The models: each with its score, its standard error and its time, best first.

A model within one standard error of the best is as good as the best, as far as these
rows can tell.
"""

from __future__ import annotations

from typing import Any

from corollary.report.figures.interval_mark import interval_mark
from corollary.report.figures.scales import Scale, linear
from corollary.report.formats import (
    clip,
    doubt_text,
    metric_name,
    number,
    score,
    seconds,
)
from corollary.report.plain_data import dictionaries, dictionary, is_number

__all__ = ["model_comparison"]

MOST = 100
TEXT = 20_000  # letters of the readable model
FAR = 6.0  # times the middle distance from the best: what is further is off the scale
CHOSEN = {"champion": "champion", "member": "in the champion", "simple": "simplest"}


def model_comparison(findings: dict[str, Any]) -> dict[str, Any] | None:
    """Return the table of models, on one scale."""
    metric = dictionary(findings.get("metric"))
    models = [m for m in dictionaries(findings.get("models")) if m.get("name")]
    if not models:
        return None
    up = metric.get("greater_is_better", True)
    models.sort(key=lambda m: _order(m, up))
    base = next((m["score"] for m in models if is_baseline(m) and _scored(m)), None)
    scale = scale_of(models, base)
    return {
        "takeaway": takeaway(models, metric, up),
        "metric": metric_name(metric),
        "better": "higher is better" if up else "lower is better",
        "rows": [row(m, metric, scale, base) for m in models[:MOST]],
        "baseline": score(base, metric) if base is not None else "",
        "off": base is not None and not scale.low <= base <= scale.high,
        "simple": simple(findings),
        "left_out": max(len(models) - MOST, 0),
    }


def _scored(model: dict[str, Any]) -> bool:
    return is_number(model.get("score"))


def _order(model: dict[str, Any], up: Any) -> tuple[bool, float]:
    value = model["score"] if _scored(model) else 0.0
    return (not _scored(model), -value if up else value)


def is_baseline(model: dict[str, Any]) -> bool:
    """Return whether a model only repeats what is common."""
    words = f"{model.get('family')} {model.get('name')}".lower()
    return any(word in words for word in ("baseline", "dummy", "prior", "constant"))


def scale_of(models: list[dict[str, Any]], base: float | None) -> Scale:
    """Return the scale that shows all models; a very bad one may fall off it."""
    scores = [m["score"] for m in models if _scored(m)]
    wide = [
        m["score"] + sign * (m.get("standard_error") or 0.0)
        for m in models
        if _scored(m) and is_number(m.get("standard_error") or 0.0)
        for sign in (-1, 1)
    ]
    best = scores[0] if scores else 0.0
    far = sorted(abs(v - best) for v in wide)
    middle = far[len(far) // 2] if far else 0.0
    ends = wide if base is None else [*wide, base]
    near = [v for v in ends if abs(v - best) <= FAR * middle] or ends
    return linear(near, margin=0.05)


def row(
    model: dict[str, Any], metric: dict[str, Any], scale: Scale, base: float | None
) -> dict[str, Any]:
    """Return the line of a model."""
    value, doubt = model.get("score"), model.get("standard_error")
    figure = None
    if is_number(value):
        spread = doubt if is_number(doubt) else 0.0
        title = f"{clip(model['name'], 60)}: {score(value, metric)}"
        title += f" ± {doubt_text(doubt, metric)}" if is_number(doubt) else ""
        chosen = model.get("chosen") in ("champion", "member")
        kind = "third" if is_baseline(model) else "first" if chosen else "second"
        ends = (value - spread, value + spread)
        if not scale.low <= value <= scale.high:
            kind += " off"
        line = base if base is not None and scale.low <= base <= scale.high else None
        figure = interval_mark(scale, value, *ends, title=title, kind=kind, line=line)
    return {
        "name": model["name"],
        "family": model.get("family") or "",
        "parameters": parameters(model.get("parameters")),
        "chosen": CHOSEN.get(str(model.get("chosen")), ""),
        "baseline": is_baseline(model),
        "readable": bool(model.get("readable")),
        "note": model.get("note") or "",
        "figure": figure,
        "score": score(value, metric),
        "doubt": doubt_text(doubt, metric) if is_number(doubt) else "",
        "seconds": seconds(model.get("seconds")),
        "predict": seconds(model.get("predict_seconds")),
        "sort": {
            key: model[key] if is_number(model.get(key)) else ""
            for key in ("score", "seconds", "predict_seconds")
        },
    }


def simple(findings: dict[str, Any]) -> dict[str, Any] | None:
    """Return the model that people can read, as text."""
    found = dictionary(findings.get("simple"))
    text = found.get("text")
    if not text or not found.get("name"):
        return None
    return {"name": found["name"], "text": clip(text, TEXT)}


def parameters(found: Any) -> str:
    """Return parameters in one line."""
    pairs = dictionary(found).items()
    return ", ".join(
        f"{clip(key, 40)} = {number(v) if is_number(v) else clip(v, 40)}"
        for key, v in list(pairs)[:20]
    )


def takeaway(models: list[dict[str, Any]], metric: dict[str, Any], up: Any) -> str:
    """Return how many models are as good as the best, in a sentence."""
    scored = [m for m in models if _scored(m)]
    if not scored:
        return ""
    best = scored[0]
    doubt = best.get("standard_error")
    name = clip(best["name"], 60)
    text = f"{name[:1].upper()}{name[1:]} is best: {score(best['score'], metric)}"
    if not is_number(doubt):
        return f"{text}."
    gap = (
        best["score"] - m["score"] if up else m["score"] - best["score"] for m in scored
    )
    close = sum(g <= doubt for g in gap) - 1
    if not close:
        return f"{text}; no other comes within a standard error of it."
    others = "1 other comes" if close == 1 else f"{close} others come"
    return f"{text}; {others} within a standard error of it."
