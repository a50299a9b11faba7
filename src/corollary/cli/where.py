"""``corollary where NAME``: find a method by any of its names."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from corollary.core.errors import ParameterError, sentence

__all__ = ["where"]


def where(
    name: Annotated[
        str, typer.Argument(help="A class, a textbook name, a synonym, or part of one.")
    ],
) -> None:
    """Tell where a method is, what else it is called, and what it covers."""
    from corollary import catalogue, registry

    found = catalogue.find(name)
    if not found:
        *others, last = (repr(near) for near in catalogue.nearest(name))
        remedy = f"The nearest names are {', '.join(others)} and {last}."
        must = "NAME must be a name that some method is known by"
        raise ParameterError(sentence("where", must, repr(name), remedy))
    for entry in found:
        home = registry.home(entry.module, entry.name)
        typer.echo(f"{entry.name}: {entry.summary}")
        typer.echo(f"  file      {_shown(entry.file)}:{entry.line}")
        typer.echo(f"  import    from {home} import {entry.name}")
        if entry.also:
            typer.echo(f"  known as  {', '.join(entry.also)}")
        if entry.references:
            typer.echo(f"  source    {entry.references}")
        if entry.course:
            typer.echo(f"  course    {', '.join(entry.course)}")


def _shown(file: Path) -> Path:
    """Shorten a path below the working directory."""
    here = Path.cwd()
    return file.relative_to(here) if file.is_relative_to(here) else file
