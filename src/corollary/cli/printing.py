"""How verbs print: results on the standard output, notes on the standard error."""

from __future__ import annotations

import contextlib
import json
import math
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import typer

__all__ = ["heading", "lines", "notes", "number", "print_json", "table", "working"]

WIDEST = 40  # letters of a cell


def heading(text: str) -> None:
    """Print the most important line, in bold on a terminal."""
    from rich.console import Console
    from rich.text import Text

    Console(highlight=False).print(Text(text, style="bold"), soft_wrap=True)


def lines(texts: Iterable[str], indent: int = 2) -> None:
    """Print lines as they are."""
    for text in texts:
        typer.echo(f"{' ' * indent}{text}".rstrip())


def notes(texts: Iterable[str], quiet: bool = False) -> None:
    """Print notes on the standard error, each once."""
    if not quiet:
        for text in dict.fromkeys(texts):
            typer.echo(f"note: {text}", err=True)


def print_json(value: Any) -> None:
    """Print JSON; a number that is not finite is null."""
    typer.echo(json.dumps(plain(value), allow_nan=False, ensure_ascii=False))


def plain(value: Any) -> Any:
    """Return a value as JSON takes it.

    >>> plain({"a": (1.5, float("nan")), 2: True})
    {'a': [1.5, None], '2': True}
    """
    if isinstance(value, dict):
        return {str(key): plain(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [plain(one) for one in value]
    if hasattr(value, "tolist"):  # of NumPy
        return plain(value.tolist())
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if value is None or isinstance(value, bool | int | str):
        return value
    return str(value)


def number(value: Any) -> str:
    """Write a number for people.

    >>> number(0.123456), number(12345), number(float("inf")), number(None)
    ('0.1235', '12,345', 'inf', '')
    """
    if value is None:
        return ""
    if isinstance(value, int):
        return f"{value:,}"
    return f"{value:,.0f}" if 1e4 <= abs(value) < 1e12 else f"{value:.4g}"


def table(
    head: Sequence[str],
    rows: Sequence[Sequence[Any]],
    indent: int = 2,
    widest: int = WIDEST,
) -> None:
    """Print a table with aligned columns, numbers to the right.

    >>> table(["town", "rows"], [["Oslo", 12], ["Bergen", 3]])
      town    rows
      Oslo      12
      Bergen     3
    """
    numeric = [
        all(not isinstance(row[j], str) for row in rows) and bool(rows)
        for j in range(len(head))
    ]
    texts = [list(head), *([cell(value, widest) for value in row] for row in rows)]
    wide = [max(len(row[j]) for row in texts) for j in range(len(head))]
    for row in texts:
        padded = (
            text.rjust(width) if right else text.ljust(width)
            for text, width, right in zip(row, wide, numeric, strict=True)
        )
        typer.echo(f"{' ' * indent}{'  '.join(padded)}".rstrip())


def cell(value: Any, widest: int) -> str:
    """Write a cell of a table in one line."""
    if not isinstance(value, str):
        return str(value) if isinstance(value, bool) else number(value)
    text = " ".join(value.split())
    return text if len(text) <= widest else f"{text[: widest - 3]}..."


@contextlib.contextmanager
def working(text: str, quiet: bool = False) -> Iterator[None]:
    """Show on a terminal that something takes its time."""
    from rich.console import Console

    console = Console(stderr=True, highlight=False)
    if quiet or not console.is_terminal:
        yield
        return
    with console.status(text):
        yield
