"""Calibration: whether the probabilities can be taken at their word."""

from __future__ import annotations

from typing import Any

from corollary.report.figures.calibration import calibration_chart
from corollary.report.formats import share
from corollary.report.plain_data import dictionary, is_number, numbers

__all__ = ["calibration"]


def calibration(findings: dict[str, Any]) -> dict[str, Any] | None:
    """Return the chart of promised and observed shares."""
    found = dictionary(findings.get("calibration"))
    names = ("predicted", "observed", "low", "high", "count")
    rows = numbers(*(found.get(name) for name in names))
    if not rows:
        bare = numbers(found.get("predicted"), found.get("observed"))
        rows = [(p, o, o, o, 0.0) for p, o in bare]
    if not rows:
        return None
    error = found.get("error")
    text = ""
    if is_number(error):
        text = (
            f"Probabilities are off by {share(error)} on average."
            if error > 0
            else "Probabilities are as far off as chance alone would make them."
        )
    counts = [row[-1] for row in rows]
    uneven = min(counts) < 0.9 * max(counts)
    return {"takeaway": text, "figure": calibration_chart(rows), "uneven": uneven}
