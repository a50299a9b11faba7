"""Mistakes: which class is taken for which, or how far numbers are missed."""

from __future__ import annotations

from typing import Any

from corollary.report.figures.confusion import MOST, confusion_map
from corollary.report.figures.scatter import residual_chart, truth_chart
from corollary.report.formats import count, number, share
from corollary.report.plain_data import (
    dictionaries,
    dictionary,
    is_number,
    numbers,
    texts,
)

__all__ = ["confusion", "residuals"]

PAIRS = 6


def confusion(findings: dict[str, Any]) -> dict[str, Any] | None:
    """Return the heat map and the pairs that are taken for each other most."""
    found = dictionary(findings.get("confusion"))
    classes = texts(found.get("classes"))
    rows = found.get("matrix") if isinstance(found.get("matrix"), list) else []
    matrix = [[n for (n,) in numbers(row)] for row in rows or []]
    k = len(classes)
    if not k or len(matrix) != k or any(len(row) != k for row in matrix):
        return None
    total = sum(map(sum, matrix))
    right = sum(matrix[i][i] for i in range(k))
    pairs = [
        {
            "actual": pair.get("actual"),
            "predicted": pair.get("predicted"),
            "count": count(pair.get("count")),
            "share": share(pair.get("share")) if is_number(pair.get("share")) else "",
        }
        for pair in dictionaries(found.get("pairs"))
        if pair.get("count")
    ]
    return {
        "takeaway": f"{count(right)} of {count(total)} rows are classified right"
        f" ({share(right / total)})."
        if total
        else "",
        "figure": confusion_map(classes, matrix),
        "pairs": pairs[:PAIRS] if k > 2 else [],
        "left_out": max(k - MOST, 0),
    }


def residuals(findings: dict[str, Any]) -> dict[str, Any] | None:
    """Return actual and missing amounts over predictions."""
    found = dictionary(findings.get("residuals"))
    rows = numbers(found.get("predicted"), found.get("actual"))
    if len(rows) < 2:
        return None
    sizes = sorted(abs(a - p) for p, a in rows)
    half, most = sizes[len(sizes) // 2], sizes[int(0.9 * (len(sizes) - 1))]
    return {
        "takeaway": f"Half of the predictions are within {number(half, 3)} "
        f"of the truth, nine in ten within {number(most, 3)}.",
        "figures": [
            {"title": "Truth", "figure": truth_chart(rows)},
            {"title": "Errors", "figure": residual_chart(rows)},
        ],
    }
