"""ROC and precision-recall: how well the model puts the positive rows first."""

from __future__ import annotations

from typing import Any

from corollary.report.figures.frame import Frame, thin
from corollary.report.figures.line_chart import Curve, line_chart
from corollary.report.figures.scales import Scale
from corollary.report.formats import between, number, share
from corollary.report.plain_data import dictionary, is_number, numbers

__all__ = ["ranking"]

AXIS = Scale(0.0, 1.0, "share")


def ranking(findings: dict[str, Any]) -> dict[str, Any] | None:
    """Return the two curves, those of them that are there."""
    figures = [f for f in (roc(findings), precision_recall(findings)) if f]
    if not figures:
        return None
    found = dictionary(findings.get("roc"))
    text = ""
    if is_number(found.get("auc")):
        text = (
            f"A positive row is ranked above a negative one "
            f"{share(found['auc'])} of the time"
        )
        ends = found.get("auc_interval")
        if isinstance(ends, list) and len(ends) == 2 and all(map(is_number, ends)):
            text += f" ({share(ends[0])} to {share(ends[1])})"
        text += "."
    return {"takeaway": text, "figures": figures}


def roc(findings: dict[str, Any]) -> dict[str, Any] | None:
    """Return the ROC curve."""
    found = dictionary(findings.get("roc"))
    rates = (found.get("false_positive_rate"), found.get("true_positive_rate"))
    points = thin(numbers(*rates))
    if len(points) < 2:
        return None
    auc = found.get("auc")
    ends = found.get("auc_interval")
    low, high = ends if isinstance(ends, list) and len(ends) == 2 else (None, None)
    frame = Frame(
        AXIS,
        AXIS,
        title="ROC curve",
        description=f"Area under the curve {number(auc, 3)}",
        x_name="false alarms",
        y_name="positives found",
        square=True,
    )
    tips = [
        (x, f"finds {share(y)} at {share(x)} false alarms") for x, y in thin(points, 40)
    ]
    curves = [
        Curve("by chance", "quiet", [(0.0, 0.0), (1.0, 1.0)], dashed=True),
        Curve("this model", "first", points),
    ]
    note = f"area {number(auc, 3)}" if is_number(auc) else ""
    inside = between(low, high, {})
    return {
        "title": "ROC",
        "note": f"{note} ({inside})" if inside else note,
        "figure": line_chart(frame, curves, tips, named=False),
    }


def precision_recall(findings: dict[str, Any]) -> dict[str, Any] | None:
    """Return precision over recall."""
    found = dictionary(findings.get("precision_recall"))
    points = thin(numbers(found.get("recall"), found.get("precision")))
    if len(points) < 2:
        return None
    base = found.get("base")
    frame = Frame(
        AXIS,
        AXIS,
        title="Precision and recall",
        description=f"Share of positive rows {share(base)}",
        x_name="recall: found of all positives",
        y_name="precision: right among the flagged",
        square=True,
    )
    curves = [Curve("this model", "first", points)]
    if is_number(base):
        level = [(0.0, float(base)), (1.0, float(base))]
        curves.insert(0, Curve("by chance", "quiet", level, dashed=True))
    tips = [
        (x, f"recall {share(x)}, precision {share(y)}") for x, y in thin(points, 40)
    ]
    return {
        "title": "Precision and recall",
        "note": f"by chance {share(base)}" if is_number(base) else "",
        "figure": line_chart(frame, curves, tips, named=False),
    }
