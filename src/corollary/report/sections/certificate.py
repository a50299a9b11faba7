"""The certificate: what theory promises of the error on new rows, and on what terms."""

from __future__ import annotations

from typing import Any

from corollary.report.figures.interval_mark import interval_mark
from corollary.report.figures.scales import linear
from corollary.report.formats import between, count, number
from corollary.report.plain_data import dictionaries, dictionary, is_number, texts

__all__ = ["certificate"]

HOLDS = {True: ("good", "holds"), False: ("bad", "fails")}
OPEN = ("open", "unknown")


def certificate(findings: dict[str, Any]) -> dict[str, Any] | None:
    """Return the promise, its assumptions and the checks of them."""
    found = dictionary(findings.get("certificate"))
    if not found:
        return None
    facts = []
    for label, key, write in (
        ("measured risk", "risk", number),
        ("bound", "bound", number),
        ("fails at most", "delta", chance),
        ("test rows", "n", count),
        ("loss", "loss", str),
    ):
        if found.get(key) is not None:
            facts.append((label, write(found[key])))
    checks = []
    for one in dictionaries(found.get("checks")):
        state = HOLDS[one["holds"]] if isinstance(one.get("holds"), bool) else OPEN
        checks.append(
            {
                "name": one.get("name") or "",
                "kind": state[0],
                "mark": state[1],
                "words": one.get("words") or "",
            }
        )
    conformal = dictionary(found.get("conformal"))
    return {
        "takeaway": found.get("verdict") or "",
        "facts": facts,
        "assumptions": texts(found.get("assumptions")),
        "checks": checks,
        "intervals": intervals(found),
        "conformal": conformal.get("words") or "",
    }


def chance(value: Any) -> str:
    """Return a small probability.

    >>> chance(0.05), chance(0.001)
    ('5%', '0.1%')
    """
    return f"{number(100 * value, 2)}%" if is_number(value) else str(value)


def intervals(found: dict[str, Any]) -> list[dict[str, Any]]:
    """Return each interval with its drawing, on its own scale."""
    rows = []
    for one in dictionaries(found.get("intervals")):
        value, low, high = one.get("value"), one.get("low"), one.get("high")
        if not (is_number(value) and is_number(low) and is_number(high)):
            continue
        inside = 0 <= low <= high <= 1
        scale = (
            linear([0.0, 1.0], margin=0) if inside else linear([low, high], margin=0.4)
        )
        text = between(low, high, {})
        rows.append(
            {
                "name": one.get("name") or "",
                "value": number(value, 3),
                "between": text,
                "figure": interval_mark(
                    scale, value, low, high, title=f"{number(value, 3)} ({text})"
                ),
            }
        )
    return rows
