"""The verdict: what was found, in plain words, and three numbers."""

from __future__ import annotations

from typing import Any

from corollary.report.figures.interval_mark import interval_mark
from corollary.report.figures.scales import linear
from corollary.report.formats import (
    MISSING,
    between,
    doubt_text,
    metric_name,
    number,
    score,
    share,
    share_metric,
)
from corollary.report.plain_data import dictionaries, dictionary, is_number, texts
from corollary.report.sections.model_comparison import is_baseline

__all__ = ["verdict"]

SENTENCES = 3


def verdict(findings: dict[str, Any]) -> dict[str, Any]:
    """Return the headline, at most three sentences, and the three numbers."""
    said = dictionary(findings.get("verdict"))
    cards = [expected(findings), champion(findings), simplicity(findings)]
    return {
        "headline": said.get("headline") or findings.get("title") or "Report",
        "sentences": texts(said.get("sentences"))[:SENTENCES],
        "cards": [card for card in cards if card],
    }


def expected(findings: dict[str, Any]) -> dict[str, Any] | None:
    """Return the card of what to expect on new rows."""
    metric = dictionary(findings.get("metric"))
    best = dictionary(findings.get("champion"))
    value, ends, source = best.get("test_score"), best.get("test_interval"), "test rows"
    if not is_number(value):
        value, error = best.get("score"), best.get("standard_error")
        source = "cross-validation"
        if is_number(value) and is_number(error):
            ends = [value - 2 * error, value + 2 * error]
    if not is_number(value):
        return None
    low, high = ends if isinstance(ends, list) and len(ends) == 2 else (None, None)
    known = is_number(low) and is_number(high)
    return {
        "label": "Expected on new data",
        "value": score(value, metric),
        "unit": metric_name(metric),
        "note": f"likely {between(low, high, metric)}" if known else "",
        "words": metric.get("words") or f"measured on {source}",
        "track": track(findings, value, low, high) if known else None,
    }


def track(findings: dict[str, Any], value: Any, low: Any, high: Any) -> Any:
    """Return how far the way from guessing to perfect is gone; None if unknown."""
    metric = dictionary(findings.get("metric"))
    models = dictionaries(findings.get("models"))
    base = next((m.get("score") for m in models if is_baseline(m)), None)
    up = bool(metric.get("greater_is_better"))
    perfect = 1.0 if up else 0.0
    if not is_number(base) or not (base < value <= 1 if up else 0 <= value < base):
        return None
    scale = linear([base, perfect], margin=0)
    title = f"{score(value, metric)}, likely {between(low, high, metric)}"
    left = high if not up else low
    right = low if not up else high
    return {
        "figure": interval_mark(
            scale, value, left, right, title=title, height=14, mirror=not up, track=True
        ),
        "left": f"guessing {score(base, metric)}",
        "right": f"perfect {score(perfect, metric)}",
    }


def champion(findings: dict[str, Any]) -> dict[str, Any] | None:
    """Return the card of the model that was chosen."""
    best = dictionary(findings.get("champion"))
    if not best.get("name"):
        return None
    members = dictionaries(best.get("members"))
    metric = dictionary(findings.get("metric"))
    tried = len(dictionaries(findings.get("models")))
    note = f"chosen among {tried} models" if tried > 1 else ""
    words = ""
    if is_number(best.get("score")):
        words = f"{score(best['score'], metric)} in cross-validation"
        if is_number(best.get("standard_error")):
            words += f" ± {doubt_text(best['standard_error'], metric)}"
    return {
        "label": "Champion",
        "name": best["name"],
        "note": note,
        "words": words,
        "members": [member(one) for one in members] if len(members) > 1 else [],
    }


def member(one: dict[str, Any]) -> dict[str, Any]:
    """Return a model of an average, with its weight."""
    weight = one.get("weight")
    return {
        "weight": share(weight, 0) if is_number(weight) else "",
        "name": one.get("name"),
    }


def simplicity(findings: dict[str, Any]) -> dict[str, Any] | None:
    """Return the card of what a model that people can read would cost."""
    simple = dictionary(findings.get("simple"))
    if not simple.get("name"):
        return None
    metric = dictionary(findings.get("metric"))
    price = simple.get("price")
    shown = MISSING
    if is_number(price):
        whole = 100 * price if share_metric(metric) else price
        shown = number(whole, 2 if abs(whole) < 100 else 3)
    points = share_metric(metric) and is_number(price)
    return {
        "label": "Price of simplicity",
        "value": shown,
        "unit": "points" if points else metric_name(metric) if shown != MISSING else "",
        "name_small": simple["name"],
        "words": simple.get("price_words") or "",
    }
