"""What the model uses: how much each column matters, and in what way."""

from __future__ import annotations

from typing import Any

from corollary.report.figures.bar import contribution_bar
from corollary.report.figures.effect_shape import (
    category_effect,
    date_effect,
    effect_scale,
    number_effect,
    part_effect,
)
from corollary.report.figures.interval_mark import interval_mark
from corollary.report.figures.scales import linear
from corollary.report.formats import MINUS, clip, number, share, signed
from corollary.report.plain_data import dictionaries, is_number, numbers

__all__ = ["attributions", "effects"]

RANKED = 20
SHAPES = 9
EXAMPLES = 30
PARTS = 10
DRAWN = {"category": category_effect, "date": date_effect, "part": part_effect}


def effects(findings: dict[str, Any]) -> dict[str, Any] | None:
    """Return the columns by importance, and the shapes of the first."""
    found = [e for e in dictionaries(findings.get("effects")) if e.get("column")]
    if not found:
        return None
    found.sort(
        key=lambda e: -(e["importance"] if is_number(e.get("importance")) else 0)
    )
    ranked = [e for e in found if is_number(e.get("importance"))][:RANKED]
    shapes = []
    style = "share" if of_shares(findings) else "number"
    several = any(dictionaries(one.get("others")) for one in found[:SHAPES])
    for one in found[:SHAPES]:  # few of many classes move alike
        scale = effect_scale([one] if several else found[:SHAPES], style)
        for each in [one, *dictionaries([one.get("part")])]:
            draw = DRAWN.get(str(each.get("kind")), number_effect)
            figure = draw(each, scale) or category_effect(each, scale)
            if figure is not None:
                shapes.append({"column": each.get("column"), "figure": figure})
    of = {str(one.get("of") or "") for one in found[:SHAPES]}
    first = [f"“{clip(e['column'], 40)}”" for e in ranked[:3] if e["importance"] > 0]
    names = (
        ", ".join(first[:-1]) + (" and " if first[:-1] else "") + "".join(first[-1:])
    )
    return {
        "takeaway": f"The model leans most on {names}." if first else "",
        "ranked": importances(ranked),
        "shapes": shapes,
        "several": several,
        "of": of.pop() if len(of) == 1 else "",
        "target": findings.get("target"),
        "left_out": max(len(found) - RANKED, 0),
    }


def of_shares(findings: dict[str, Any]) -> bool:
    """Return whether effects and answers are probabilities."""
    if findings.get("task") != "classification":
        return False
    found = dictionaries(findings.get("effects"))
    found += dictionaries(findings.get("attributions"))
    if any(one.get("of") for one in found):  # whose probability it is
        return True
    answers = [
        value
        for one in dictionaries(findings.get("effects"))
        for (value,) in numbers(one.get("effect"))
    ]
    for one in dictionaries(findings.get("attributions")):
        answers += [v for (v,) in numbers([one.get("base"), one.get("prediction")])]
    return bool(answers) and 0 <= min(answers) and max(answers) <= 1


def importances(ranked: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return a dot and a whisker for each column, on one scale."""
    ends = [0.0]
    rows = []
    for one in ranked:
        doubt = one.get("importance_se")
        spread = doubt if is_number(doubt) else 0.0
        value = one["importance"]
        rows.append((one["column"], value, value - spread, value + spread))
        ends += [value - spread, value + spread]
    scale = linear(ends, margin=0.03)
    return [
        {
            "column": name,
            "importance": number(value, 3),
            "figure": interval_mark(
                scale,
                value,
                low,
                high,
                title=f"{clip(name, 60)}: {number(value, 3)}",
                line=0.0,
                height=20,
            ),
        }
        for name, value, low, high in rows
    ]


def attributions(findings: dict[str, Any]) -> dict[str, Any] | None:
    """Return, for some rows, what moved the prediction and by how much."""
    found = [a for a in dictionaries(findings.get("attributions")) if a.get("parts")]
    if not found:
        return None
    shares = of_shares(findings)
    examples = [example(one, shares) for one in found[:EXAMPLES]]
    return {"examples": examples, "target": findings.get("target")}


def example(one: dict[str, Any], shares: bool) -> dict[str, Any]:
    """Return the steps from the average to the prediction of a row."""

    def text(value: Any) -> str:
        return share(value) if shares else number(value, 3)

    def change(amount: float) -> str:
        if shares:
            return f"{100 * amount:+.1f}%".replace("-", MINUS)
        return signed(amount, 2 if abs(amount) < 1 else 3)

    parts = [p for p in dictionaries(one["parts"]) if is_number(p.get("contribution"))]
    parts.sort(key=lambda p: -abs(p["contribution"]))
    base = one["base"] if is_number(one.get("base")) else 0.0
    shown, rest = parts[:PARTS], sum(p["contribution"] for p in parts[PARTS:])
    steps = [(p.get("column"), p.get("value"), float(p["contribution"])) for p in shown]
    if len(parts) > PARTS:
        steps.append((f"{len(parts) - PARTS} other columns", None, rest))
    places = [base]
    for *_, amount in steps:
        places.append(places[-1] + amount)
    scale = linear(places, margin=0.04)
    rows = []
    for (name, value, amount), a, b in zip(steps, places, places[1:], strict=False):
        title = f"{clip(name, 60)}: {change(amount)}"
        bar = contribution_bar(
            scale.share(a), scale.share(b), scale.share(base), title=title
        )
        shown_value = number(value) if is_number(value) else clip(value, 40)
        rows.append(
            {
                "column": name,
                "value": "" if value is None else shown_value,
                "amount": change(amount),
                "figure": bar,
            }
        )
    return {
        "row": clip(one.get("row"), 20),
        "of": one.get("of") or "",
        "base": text(base),
        "prediction": text(one.get("prediction")),
        "rows": rows,
    }
