"""The page of a run: findings in, one HTML file out.

The page is a pure function of the findings.  It loads nothing: styles, script and
figures are inside it, and a content security policy forbids the rest.  Text from the
data is escaped wherever it stands; the templates escape by default, the figures are
built by `figures.svg.element`, and the script writes text only as text.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup, escape

from corollary.core.errors import DataError, sentence
from corollary.report.embedding import embedded
from corollary.report.formats import MISSING, clip, count
from corollary.report.plain_data import plain
from corollary.report.sections.order import SECTIONS
from corollary.report.sections.verdict import verdict

__all__ = ["render"]

FORMAT = 1


def render(findings: Mapping[str, Any]) -> str:
    """Return the page of a run, as HTML.

    Parameters
    ----------
    findings : dict
        What a run found, as in its report.json; sections that are missing or None are
        left out.

    Returns
    -------
    str

    Examples
    --------
    >>> from corollary.report import render
    >>> page = render({"format": 1, "verdict": {"headline": "A line is enough"}})
    >>> "<h1" in page and "A line is enough" in page
    True
    """
    if not isinstance(findings, Mapping):
        must = "findings must be a dictionary, as in report.json"
        raise DataError(sentence("render", must, type(findings).__name__))
    given = plain(findings)
    if given.get("format") not in (None, FORMAT):
        must = f"findings must be of format {FORMAT}"
        came = clip(given["format"], 40)
        raise DataError(sentence("render", must, came, "Update Corollary."))
    shown = [(section, section.view(given)) for section in SECTIONS]
    sections = [(section, view) for section, view in shown if view is not None]
    data = {section.name: view["data"] for section, view in sections if "data" in view}
    return (
        environment()
        .get_template("page.html")
        .render(
            title=given.get("title") or "Corollary report",
            target=target_to_name(given),
            verdict=verdict(given),
            sections=sections,
            data=data,
        )
    )


def target_to_name(findings: dict[str, Any]) -> Any:
    """Return the target, unless the title says it already."""
    target = findings.get("target")
    return None if str(target) in str(findings.get("title")) else target


@cache
def environment() -> Environment:
    """Return where templates are found and how values are written in them."""
    made = Environment(
        loader=PackageLoader("corollary.report"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters.update(embedded=embedded, named=named, clip=clip, count=count)
    return made


def named(value: Any, most: int = 60) -> Markup:
    """Return text from the data, apart from the direction of what is around it.

    >>> print(named("<b>"))
    <bdi>&lt;b&gt;</bdi>
    """
    text = MISSING if value is None else str(value)
    short = clip(text, most)
    if short == text:
        return Markup("<bdi>{}</bdi>").format(escape(text))
    return Markup('<bdi title="{}">{}</bdi>').format(clip(text, 400), short)
