"""A run in a few lines, for a terminal and for a notebook."""

from __future__ import annotations

from typing import Any

from corollary.core.html import html_table

__all__ = ["summary", "summary_html"]

SHOWN = 3  # actions


def lines_of(found: dict[str, Any]) -> list[tuple[str, str]]:
    """Return what is worth reading first, each line with its label."""
    lines = [("", text) for text in found["verdict"]["sentences"]]
    lines.append(("champion", members(found["champion"])))
    lines.append(("simple", f"{found['simple']['name']}"))
    for action in ((found.get("diagnosis") or {}).get("actions") or [])[:SHOWN]:
        lines.append(("try", f"{action['action']} {effect(action)}".strip()))
    if found.get("certificate"):
        lines.append(("certificate", found["certificate"]["verdict"]))
    return lines


def members(champion: dict[str, Any]) -> str:
    """Return the members of the champion with their weights."""
    each = champion["members"]
    if len(each) == 1:
        return str(each[0]["name"])
    return ", ".join(f"{one['weight']:.0%} {one['name']}" for one in each)


def effect(action: dict[str, Any]) -> str:
    """Say what an action brought where it was tried."""
    if not action.get("tried") or action.get("after") is None:
        return ""
    return (
        f"(tried: loss {action['before']:.3g} -> {action['after']:.3g}, "
        f"{action['verdict']})"
    )


def summary(found: dict[str, Any]) -> str:
    """Return a run as text.

    Parameters
    ----------
    found : dict
        Findings.
    """
    lines = [f"  {label:<12} {text}".rstrip() for label, text in lines_of(found)]
    return "\n".join([found["verdict"]["headline"], *lines])


def summary_html(found: dict[str, Any]) -> str:
    """Return a run as a small table for notebooks.

    Parameters
    ----------
    found : dict
        Findings.
    """
    return html_table(found["verdict"]["headline"], lines_of(found))
