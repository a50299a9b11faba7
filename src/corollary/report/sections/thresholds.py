"""Thresholds and costs: from a probability to a decision.

A row is said to be positive where its score reaches the threshold t.  With costs c for
each of the four outcomes,

    cost(t) = c_TP TP(t) + c_FP FP(t) + c_FN FN(t) + c_TN TN(t)                  (1)
    precision = TP / (TP + FP),   recall = TP / (TP + FN)                        (2)

The page starts at the threshold that is nearest to one half and with a cost of 1 for
each error; its script computes (1) and (2) again as the reader changes them.
"""

from __future__ import annotations

from typing import Any

from corollary.report.figures.cost_curve import cost_curve
from corollary.report.figures.frame import thin
from corollary.report.formats import MISSING, clip, count, number, share
from corollary.report.plain_data import dictionary, is_number, numbers

__all__ = ["thresholds"]

MOST = 1000
OUTCOMES = ("true_positive", "false_positive", "false_negative", "true_negative")
COSTS = {"false_positive": 1.0, "false_negative": 1.0}


def thresholds(findings: dict[str, Any]) -> dict[str, Any] | None:
    """Return the table of the start, the cost curve, and the numbers for the script."""
    found = dictionary(findings.get("thresholds"))
    every = numbers(found.get("threshold"), *(found.get(name) for name in OUTCOMES))
    rows = thin(sorted(every), MOST)
    if len(rows) < 2:
        return None
    given = dictionary(found.get("costs"))
    costs = [
        given.get(o) if is_number(given.get(o)) else COSTS.get(o, 0.0) for o in OUTCOMES
    ]
    prices = [cost(row[1:], costs) for row in rows]
    start = min(range(len(rows)), key=lambda i: abs(rows[i][0] - 0.5))
    best = prices.index(min(prices))
    positive = clip(found.get("positive"), 40)
    return {
        "takeaway": f"Where to draw the line for “{positive}” "
        "depends on what an error costs.",
        "positive": positive,
        "start": start,
        "last": len(rows) - 1,
        "threshold": number(rows[start][0], 3),
        "cheapest": number(rows[best][0], 3),
        "counts": {o: count(n) for o, n in zip(OUTCOMES, rows[start][1:], strict=True)},
        "costs": {o: f"{c:g}" for o, c in zip(OUTCOMES, costs, strict=True)},
        "measures": measures(rows[start][1:], costs),
        "figure": cost_curve([r[0] for r in rows], prices, start, best),
        "data": {
            "threshold": [r[0] for r in rows],
            **{o: [_count(r[i + 1]) for r in rows] for i, o in enumerate(OUTCOMES)},
        },
    }


def _count(n: float) -> float:
    return int(n) if n == int(n) else n


def cost(counts: tuple[float, ...], costs: list[Any]) -> float:
    """Return what the decisions of a threshold cost (1)."""
    return float(sum(n * c for n, c in zip(counts, costs, strict=True)))


def measures(counts: tuple[float, ...], costs: list[Any]) -> dict[str, str]:
    """Return precision and recall (2), the share that is flagged, and the cost."""
    tp, fp, fn, tn = counts
    rows = tp + fp + fn + tn
    return {
        "precision": share(tp / (tp + fp)) if tp + fp else MISSING,
        "recall": share(tp / (tp + fn)) if tp + fn else MISSING,
        "flagged": share((tp + fp) / rows) if rows else MISSING,
        "cost": number(1000 * cost(counts, costs) / rows, 4) if rows else MISSING,
    }
