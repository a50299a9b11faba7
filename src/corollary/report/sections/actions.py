"""What to do next: at most three actions with their effect, and what will not help."""

from __future__ import annotations

from typing import Any

from corollary.report.figures.bar import bar
from corollary.report.formats import clip, number, share
from corollary.report.plain_data import dictionaries, dictionary, is_number, texts

__all__ = ["actions"]

ACTIONS = 3
KINDS = {"helped": "good", "worse": "bad", "no difference": "flat"}


def actions(findings: dict[str, Any]) -> dict[str, Any] | None:
    """Return actions, what will not help, and the evidence."""
    diagnosis = dictionary(findings.get("diagnosis"))
    every = [one for one in dictionaries(diagnosis.get("actions")) if one.get("action")]
    vain = dictionaries(diagnosis.get("will_not_help"))
    verdicts = dictionaries(diagnosis.get("verdicts"))
    loss = clip(diagnosis.get("loss") or "loss", 40)
    if not (every or vain or verdicts):
        return None
    return {
        "actions": [action(one, loss) for one in every[:ACTIONS]],
        "more": [action(one, loss) for one in every[ACTIONS:]],
        "vain": [
            {"action": one["action"], "why": one.get("why") or ""}
            for one in vain
            if one.get("action")
        ],
        "verdicts": [reason(one) for one in verdicts],
    }


def action(one: dict[str, Any], loss: str) -> dict[str, Any]:
    """Return an action with its effect in words."""
    word = str(one.get("verdict") or ("tried" if one.get("tried") else "not tried"))
    before, after = one.get("before"), one.get("after")
    measured = is_number(before) and is_number(after)
    doubt = one.get("standard_error")
    return {
        "action": one["action"],
        "why": one.get("why") or "",
        "verdict": word,
        "kind": KINDS.get(word, "open"),
        "loss": loss,
        "before": number(before, 3) if measured else "",
        "after": number(after, 3) if measured else "",
        "doubt": number(doubt, 2) if measured and is_number(doubt) else "",
    }


def reason(one: dict[str, Any]) -> dict[str, Any]:
    """Return a verdict with its confidence and evidence."""
    sure = one.get("confidence")
    title = one.get("title") or one.get("name") or "Verdict"
    figure = None
    if is_number(sure):
        figure = bar(sure, title=f"confidence {share(sure, 0)}", height=6)
    return {
        "title": title,
        "confidence": share(sure, 0) if is_number(sure) else "",
        "figure": figure,
        "evidence": texts(one.get("evidence")),
    }
