"""Run benchmarks: ``python benchmarks/run.py [JOB ...]``; without a job, all of them.

Needs an environment with corollary and benchmarks/requirements.txt.
"""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path

from harness import HERE, RESULTS, Settings, race
from report import show, write_json, write_markdown
from rich.console import Console

JOBS = sorted(f.stem for f in (HERE / "jobs").glob("[a-z]*.py"))


def arguments() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("jobs", nargs="*", metavar="JOB", help=", ".join(JOBS))
    parser.add_argument("--rounds", type=int, default=3, help="processes of each")
    parser.add_argument("--seconds", type=float, default=5, help="of warm calls")
    parser.add_argument("--timeout", type=float, default=300, help="of a process")
    parser.add_argument("--only", nargs="+", default=[], metavar="CONTESTANT")
    parser.add_argument("--gigabytes", type=float, help="size of out_of_core")
    parser.add_argument(
        "--markdown", type=Path, metavar="FILE", help="publish all kept results here"
    )
    chosen = parser.parse_args()
    unknown = [name for name in chosen.jobs if name not in JOBS]
    if unknown:
        parser.error(f"no job named {', '.join(unknown)}; there are {', '.join(JOBS)}")
    return chosen


def main() -> None:
    """Race the jobs asked for."""
    chosen = arguments()
    console = Console()
    command = " ".join(["python benchmarks/run.py", *sys.argv[1:]])
    settings = Settings(
        chosen.rounds, chosen.seconds, chosen.timeout, tuple(chosen.only)
    )
    if chosen.gigabytes:
        os.environ["BENCH_GIGABYTES"] = str(chosen.gigabytes)
    for name in chosen.jobs or JOBS:
        outcomes = []
        for outcome in race(name, settings):
            show(outcome, console)
            outcomes.append(outcome)
        write_json(RESULTS / f"{name}.json", outcomes, command)
    if chosen.markdown:
        write_markdown(chosen.markdown, sorted(RESULTS.glob("*.json")))


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:
        sys.exit("stopped; the jobs that were complete are in benchmarks/results/")
