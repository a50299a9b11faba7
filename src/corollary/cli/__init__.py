"""The command line: one file a verb.

A wrong flag, name or file ends in one sentence on the standard error and exit code 2.
"""

from __future__ import annotations

from corollary.cli.application import app
from corollary.cli.coverage import coverage
from corollary.cli.data import data
from corollary.cli.demo import demo
from corollary.cli.where import where

__all__ = ["app", "main"]

for verb in (demo, where, coverage, data):
    app.command()(verb)


def main() -> None:
    """Run the command line of this process."""
    app(prog_name="corollary")
