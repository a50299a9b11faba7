"""The command line: one file a verb.

A wrong flag, name or file ends in one sentence on the standard error and exit code 2.
"""

from __future__ import annotations

from corollary.cli import (
    bound,
    certify,
    cluster,
    compare,
    data,
    demo,
    diagnose,
    evaluate,
    explain,
    fit,
    predict,
    reduce,
    where,
)
from corollary.cli.application import app

__all__ = ["app", "main"]

for verb, example in (
    (fit.fit, fit.EXAMPLE),
    (predict.predict, predict.EXAMPLE),
    (evaluate.evaluate, evaluate.EXAMPLE),
    (diagnose.diagnose, diagnose.EXAMPLE),
    (certify.certify, certify.EXAMPLE),
    (compare.compare, compare.EXAMPLE),
    (cluster.cluster, cluster.EXAMPLE),
    (reduce.reduce, reduce.EXAMPLE),
    (explain.explain, explain.EXAMPLE),
    (demo.demo, "corollary demo"),
    (where.where, "corollary where 'ridge regression'"),
    (data.data, "corollary data rows.parquet --rows 1000000"),
):
    app.command(epilog=f"Example: {example}")(verb)
app.add_typer(bound.bound, name="bound")


def main() -> None:
    """Run the command line of this process."""
    app(prog_name="corollary")
