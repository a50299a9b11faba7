"""Show outcomes: a table on the terminal, JSON to keep, Markdown to publish."""

from __future__ import annotations

import json
import os
import platform
from collections.abc import Iterable
from dataclasses import asdict
from datetime import date
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from harness import OURS, Entry, Outcome
from rich.console import Console
from rich.table import Table

PACKAGES = (
    "corollary",
    "numpy",
    "scipy",
    "scikit-learn",
    "scikit-learn-intelex",
    "faiss-cpu",
    "glum",
    "lightgbm",
    "xgboost",
    "dask",
    "dask-ml",
    "pyarrow",
)
BUSY = 0.5  # other work, in cores, from which a job is marked


def seconds(t: float | None) -> str:
    """Write a time with three digits and a unit that suits it."""
    if t is None:
        return ""
    for scale, unit in ((1, "s"), (1e3, "ms")):
        if t * scale >= 1:
            return f"{t * scale:#.3g} {unit}".replace(". ", " ")
    return f"{t * 1e6:.0f} us"


def cells(e: Entry, rates: bool) -> list[str]:
    """Fill a row of the table."""
    rate = [f"{e.mb_per_s:.0f}" if e.mb_per_s else ""] if rates else []
    peak = "" if e.peak_mb is None else f"{e.peak_mb:.0f}"
    quality = ", ".join(f"{k} {v:.8g}" for k, v in e.quality.items())
    return [e.name, seconds(e.time), seconds(e.cold), peak, *rate, quality, e.note]


def heads(rates: bool) -> list[str]:
    """Name the columns."""
    rate = ["MB/s"] if rates else []
    return ["contestant", "time", "cold", "peak MB", *rate, "quality", "note"]


def verdict(o: Outcome) -> str:
    """Say in one line who is ahead."""
    if o.rival is None:
        line = "no comparable peer"
    elif o.ratio is None:
        line = f"fastest peer: {o.rival}; no comparable time of {OURS}"
    else:
        line = f"{o.rival} / {OURS} = {o.ratio:.2f}"
    return line + (f" (others kept {o.load:.1f} cores busy)" if o.load > BUSY else "")


def _rates(o: Outcome) -> bool:
    return any(e.mb_per_s for e in o.entries)


def show(o: Outcome, console: Console) -> None:
    """Print an outcome as a table."""
    table = Table(*heads(_rates(o)), title=o.title, caption=verdict(o))
    for e in o.entries:
        faint = e.time is None or not e.comparable
        style = "bold" if e.name == OURS else "dim" if faint else ""
        table.add_row(*cells(e, _rates(o)), style=style)
    console.print(table)


def conditions(command: str) -> dict[str, str]:
    """Say when, where and with what."""
    return {
        "date": date.today().isoformat(),
        "machine": machine(),
        "python": platform.python_version(),
        "versions": ", ".join(versions()),
        "command": command,
    }


def machine() -> str:
    """Name the processor, its cores and the memory."""
    name, memory = platform.processor() or platform.machine(), ""
    try:
        info = Path("/proc/cpuinfo").read_text()
        name = next(x for x in info.splitlines() if x.startswith("model name"))
        name = name.split(":", 1)[1].strip()
        gigabytes = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") / 2**30
        memory = f", {gigabytes:.0f} GiB"
    except (OSError, StopIteration, ValueError):
        pass
    return f"{name}, {os.cpu_count()} cores{memory}"


def versions() -> Iterable[str]:
    """Name the versions of the packages that are installed."""
    for package in PACKAGES:
        try:
            yield f"{package} {version(package)}"
        except PackageNotFoundError:
            continue


def write_json(path: Path, outcomes: list[Outcome], command: str) -> None:
    """Keep everything that was measured."""
    record = {**conditions(command), "jobs": [asdict(o) for o in outcomes]}
    path.write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")


def read_json(path: Path) -> tuple[list[Outcome], dict[str, str]]:
    """Read what `write_json` kept: the outcomes, and the conditions."""
    record = json.loads(path.read_text(encoding="utf-8"))
    outcomes = [
        Outcome(**{**job, "entries": [Entry(**entry) for entry in job["entries"]]})
        for job in record.pop("jobs")
    ]
    return outcomes, record


def write_markdown(path: Path, kept: list[Path]) -> None:
    """Publish the kept results of all jobs, with a summary on top."""
    records = [read_json(file) for file in kept]
    outcomes = [outcome for found, _ in records for outcome in found]
    where = max((conditions for _, conditions in records), key=lambda c: c["date"])
    commands = dict.fromkeys(conditions["command"] for _, conditions in records)
    lines = [
        "# Benchmarks",
        "",
        f"Measured until {where['date']} on {where['machine']}; Python "
        f"{where['python']}, {where['versions']}. The commands: "
        f"{', '.join(f'`{command}`' for command in commands)}.",
        "",
        "Each contestant runs in fresh processes, in turns with the others, on all "
        "cores; the least time counts. *Cold* is the first call in a process, *peak "
        "MB* its memory above the data. Ratio = time of the fastest peer of equal "
        "quality / time of corollary: above 1, corollary is ahead.",
        "",
        *_markdown(
            ["job", "ratio", "fastest peer"],
            [
                [o.title, f"{o.ratio:.2f}" if o.ratio else "", o.rival or ""]
                for o in outcomes
            ],
        ),
    ]
    for o in outcomes:
        rows = [cells(e, _rates(o)) for e in o.entries]
        table = _markdown(heads(_rates(o)), rows)
        lines += ["", f"## {o.title}", "", *table, "", verdict(o)]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def _markdown(head: list[str], rows: list[list[str]]) -> list[str]:
    table = [head, ["---"] * len(head), *rows]
    return [
        "| " + " | ".join(c.replace("|", "\\|") for c in row) + " |" for row in table
    ]
