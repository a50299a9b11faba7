"""Where it errs: groups of rows that do worse than the rest, and the worst rows."""

from __future__ import annotations

import math
from typing import Any

from corollary.report.figures.bar import bar
from corollary.report.formats import TIMES, clip, count, number, p_value, share
from corollary.report.plain_data import dictionaries, dictionary, is_number

__all__ = ["slices", "worst"]

SLICES = 12
WORST = 60
VALUES = 10  # columns that are shown of a row, those that matter most


def slices(findings: dict[str, Any]) -> dict[str, Any] | None:
    """Return the groups with a higher loss than the rest."""
    found = [s for s in dictionaries(findings.get("slices")) if s.get("where")]
    if not found:
        return None
    losses = [
        s[key] for s in found for key in ("loss", "rest") if is_number(s.get(key))
    ]
    most = max(losses, default=0) or 1.0
    rows = []
    for one in found[:SLICES]:
        loss, rest = one.get("loss"), one.get("rest")
        ratio = ""
        if is_number(loss) and is_number(rest) and rest > 0:
            ratio = f"{number(loss / rest, 2)}{TIMES}"
        rows.append(
            {
                "where": one["where"],
                "rows": count(one.get("rows")),
                "loss": loss_text(loss, most),
                "rest": loss_text(rest, most),
                "ratio": ratio,
                "p_value": p_value(one.get("p_value")),
                "sentence": one.get("sentence") or "",
                "here": _bar(loss, most, "loss here", "bad"),
                "elsewhere": _bar(rest, most, "loss elsewhere", "second"),
            }
        )
    many = (
        "1 group of rows does" if len(found) == 1 else f"{len(found)} groups of rows do"
    )
    return {"takeaway": f"{many} worse than the rest.", "rows": rows}


def loss_text(value: Any, most: float) -> str:
    """Return a loss with as many decimals as the largest needs."""
    if not is_number(value) or not 1e-3 <= most < 1e4:
        return number(value, 3)
    decimals = max(0, 2 - math.floor(math.log10(most)))
    return f"{value:,.{decimals}f}"


def _bar(value: Any, most: float, name: str, kind: str) -> Any:
    if not is_number(value):
        return None
    return bar(value / most, title=f"{name}: {number(value, 3)}", kind=kind, height=7)


def worst(findings: dict[str, Any]) -> dict[str, Any] | None:
    """Return the rows with the largest errors."""
    found = dictionaries(findings.get("worst"))
    if not found:
        return None
    weights = importances(findings)
    rows = []
    for one in found[:WORST]:
        values = list(dictionary(one.get("values")).items())
        values.sort(key=lambda pair: -weights.get(pair[0], 0.0))
        rows.append(
            {
                "row": clip(one.get("row"), 20),
                "actual": _value(one.get("actual")),
                "predicted": _value(one.get("predicted")),
                "sure": _sure(one),
                "values": [(key, _value(value)) for key, value in values[:VALUES]],
                "more": max(len(values) - VALUES, 0),
            }
        )
    classes = sorted({str(row["actual"]) for row in rows})
    is_choice = findings.get("task") != "regression" and 1 < len(classes) <= 30
    return {
        "takeaway": "The rows that are most wrong: look for what they share.",
        "rows": rows,
        "classes": classes if is_choice else [],
        "regression": findings.get("task") == "regression",
    }


def importances(findings: dict[str, Any]) -> dict[str, float]:
    """Return how much each column matters, where that is known."""
    return {
        str(one["column"]): float(one["importance"])
        for one in dictionaries(findings.get("effects"))
        if one.get("column") is not None and is_number(one.get("importance"))
    }


def _value(value: Any) -> str:
    return number(value) if is_number(value) else clip(value, 120)


def _sure(one: dict[str, Any]) -> str:
    if is_number(one.get("probability")):
        return f"{share(one['probability'])} sure"
    if is_number(one.get("error")):
        return f"off by {number(abs(one['error']))}"
    return ""
