"""Tables for notebooks: plain HTML, every text escaped."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape

__all__ = ["html_table"]

RIGHT = "text-align:right"
LEFT = "text-align:left"


def html_table(
    title: str,
    rows: Iterable[Sequence[str]],
    head: Sequence[str] = (),
    notes: Iterable[str] = (),
) -> str:
    """Return a table with a title, an optional head, and sentences below.

    The first cell of a row names it; the others stand at the right where there is a
    head, for then they are numbers.

    >>> html_table("a < b", [("rows", "3")])[:49]
    '<table><caption style="text-align:left"><b>a &lt;'
    """
    parts = [f'<table><caption style="{LEFT}"><b>{escape(title)}</b></caption>']
    if head:
        cells = "".join(f'<th style="{RIGHT}">{escape(cell)}</th>' for cell in head)
        parts.append(f"<thead><tr>{cells}</tr></thead>")
    parts.append("<tbody>")
    side = RIGHT if head else LEFT
    for name, *rest in rows:
        shown = "".join(f'<td style="{side}">{escape(cell)}</td>' for cell in rest)
        parts.append(f'<tr><th style="{LEFT}">{escape(name)}</th>{shown}</tr>')
    parts.append("</tbody></table>")
    parts += [f"<p>{escape(text)}</p>" for text in notes]
    return "".join(parts)
