"""``corollary coverage``: which course items are proved, and by which tests."""

from __future__ import annotations

import os
import tempfile
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from corollary.course import Proof

__all__ = ["coverage"]

TESTS = Path("tests")


def coverage(
    tests: Annotated[Path, typer.Option(help="The folder of the tests.")] = TESTS,
    write: Annotated[
        Path | None, typer.Option(help="Also write the course as a Markdown page.")
    ] = None,
) -> None:
    """List the course items and the tests that prove them."""
    from corollary import catalogue, course

    found = course.proofs(tests)
    if write is not None:
        write_whole(write, course.page(found, catalogue.claims()))
    _show_items(found)
    _show_counts(found)


def _show_items(found: list[Proof]) -> None:
    from corollary import course

    for item, proofs in groupby(found, key=lambda proof: proof.item):
        typer.echo(f"{item:<7}{course.items()[item]}")
        for proof in proofs:
            typer.echo(f"       {proof.test}")


def _show_counts(found: list[Proof]) -> None:
    from rich.console import Console
    from rich.table import Table

    from corollary import course

    proved = {proof.item for proof in found}
    table = Table("course", "proved", "of", "about")
    for name, title in course.courses().items():
        own = [item for item in course.items() if course.number(item)[0] == name]
        table.add_row(name, str(len(proved & set(own))), str(len(own)), title)
    table.add_section()
    table.add_row("all", str(len(proved)), str(len(course.items())), "")
    Console().print(table)


def write_whole(path: Path, text: str) -> None:
    """Write a file so that it appears whole or not at all."""
    handle, scratch = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}")
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(text)
        os.chmod(scratch, 0o644)
        os.replace(scratch, path)
    except BaseException:
        Path(scratch).unlink(missing_ok=True)
        raise
