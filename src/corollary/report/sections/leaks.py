"""Leaks and noise: what could make the score too good, and labels that may be wrong."""

from __future__ import annotations

from typing import Any

from corollary.report.formats import clip, count, number, share
from corollary.report.plain_data import dictionaries, dictionary, is_number

__all__ = ["leaks"]

COLUMNS = 20
ROWS = 30


def leaks(findings: dict[str, Any]) -> dict[str, Any] | None:
    """Return what was looked for, and what was found."""
    found = dictionary(findings.get("leaks"))
    noise = dictionary(findings.get("noise"))
    if not (found or noise):
        return None
    columns = [
        {
            "column": one["column"],
            "score": number(one.get("score"), 3),
            "sentence": one.get("sentence") or "",
        }
        for one in dictionaries(found.get("columns"))
        if one.get("column")
    ]
    double = dictionary(found.get("duplicates"))
    check = dictionary(found.get("split_check"))
    return {
        "takeaway": takeaway(columns, double, noise),
        "columns": columns[:COLUMNS],
        "checked": bool(found),
        "duplicates": duplicates(double),
        "split_check": check.get("sentence") or "",
        "noise": noise_words(noise),
        "rows": [suspect(one) for one in dictionaries(noise.get("rows"))[:ROWS]],
    }


def takeaway(columns: list[Any], double: dict[str, Any], noise: dict[str, Any]) -> str:
    """Return one sentence."""
    parts = []
    if columns:
        many = "1 column" if len(columns) == 1 else f"{len(columns)} columns"
        parts.append(f"{many} may give the answer away")
    if double.get("across"):
        parts.append(f"{count(double['across'])} test rows repeat rows of the training")
    if is_number(noise.get("share")) and noise["share"] > 0:
        parts.append(f"about {share(noise['share'])} of the labels look wrong")
    text = "; ".join(parts) or "no sign of a leak"
    return f"{text[0].upper()}{text[1:]}."


def duplicates(double: dict[str, Any]) -> str:
    """Return a sentence about rows that are there twice."""
    if double.get("sentence"):
        return str(double["sentence"])
    if not is_number(double.get("within")):
        return ""
    return (
        f"{count(double['within'])} rows are there twice, "
        f"{count(double.get('across'))} of them in both training and test."
    )


def noise_words(noise: dict[str, Any]) -> str:
    """Return how many labels look wrong."""
    if not is_number(noise.get("share")):
        return ""
    if not noise["share"] > 0:
        most = noise.get("high")
        return f"No label looks wrong (at most {share(most)} are)." if most else ""
    text = f"About {share(noise['share'])} of the labels look wrong"
    if is_number(noise.get("low")) and is_number(noise.get("high")):
        text += f" ({share(noise['low'])} to {share(noise['high'])})"
    return f"{text}."


def suspect(one: dict[str, Any]) -> dict[str, Any]:
    """Return a row whose label may be wrong."""
    return {
        "row": clip(one.get("row"), 20),
        "given": clip(one.get("given"), 80),
        "suggested": clip(one.get("suggested"), 80),
        "probability": share(one.get("probability")),
    }
