"""The command line: one file a verb.

A wrong flag, name or file ends in one sentence on the standard error and exit code 2.
"""

from __future__ import annotations

from corollary.cli import bound, data, demo, where
from corollary.cli.application import app

__all__ = ["app", "main"]

for verb in (demo.demo, where.where, data.data):
    app.command()(verb)
app.add_typer(bound.bound, name="bound")


def main() -> None:
    """Run the command line of this process."""
    app(prog_name="corollary")
