"""How the page was made: enough to make it again."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from corollary.report.formats import clip, count, number, seconds
from corollary.report.plain_data import dictionaries, dictionary, is_number, texts

__all__ = ["made"]

FACTS = (
    ("started", "started"),
    ("stopped", "stopped because"),
    ("seed", "seed"),
    ("cores", "cores"),
    ("version", "Corollary"),
    ("python", "Python"),
    ("scikit_learn", "scikit-learn"),
)


def clock_time(text: str) -> str:
    """Return a time as people write it.

    >>> clock_time("2026-11-18T10:07:17+00:00"), clock_time("yesterday")
    ('2026-11-18 10:07 UTC', 'yesterday')
    """
    try:
        when = datetime.fromisoformat(text)
    except ValueError:
        return text
    zone = f" {when.tzname()}" if when.tzinfo else ""
    return f"{when:%Y-%m-%d %H:%M}{zone}"


def made(findings: dict[str, Any]) -> dict[str, Any] | None:
    """Return facts about the run."""
    found = dictionary(findings.get("made"))
    if not found:
        return None
    facts = []
    if is_number(found.get("seconds")):
        text = seconds(found["seconds"])
        budget = found.get("budget")
        text += f" of {seconds(budget)}" if is_number(budget) else ""
        facts.append(("took", text))
    for key, label in FACTS:
        value = found.get(key)
        if value is not None:
            whole = is_number(value) and value == int(value)
            text = number(value) if is_number(value) else clip(value, 200)
            text = clock_time(text) if key == "started" else text
            facts.append((label, str(value) if key == "seed" and whole else text))
    version = found.get("version")
    models = findings.get("models")
    tried = len(models) if isinstance(models, list) else 0
    parts = [f"Corollary {clip(version, 20)}"] if version else []
    if is_number(found.get("seconds")):
        parts.append(f"{seconds(found['seconds'])}")
    if tried:
        parts.append(f"{count(tried)} models")
    unused = [
        {"name": one["name"], "why": one.get("why") or ""}
        for one in dictionaries(found.get("not_used"))
        if one.get("name")
    ]
    return {
        "not_used": unused[:20],
        "left_out": texts(findings.get("left_out"))[:20],
        "takeaway": ", ".join(parts) + "." if parts else "",
        "facts": facts,
        "command": clip(found.get("command"), 2000) if found.get("command") else "",
    }
