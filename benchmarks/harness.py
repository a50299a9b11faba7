"""Race contestants on one workload, each in a fresh process, and judge them.

Contestants take turns, round by round, so that a busy minute hurts all of them; the
least time of each counts.  Only those that reach equal quality are compared:

    ratio = time of the fastest comparable peer / time of corollary

Above 1 corollary is ahead.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

HERE = Path(__file__).parent
RESULTS = HERE / "results"
OURS = "corollary"


@dataclass(frozen=True)
class Close:
    """A quality must come this close to the best that any contestant reached."""

    best: Callable[..., float] = min
    relative: float = 0.0
    absolute: float = 0.0

    def holds(self, value: float, best: float) -> bool:
        """Say whether the value is as good as the best, within the tolerance."""
        return abs(value - best) <= self.absolute + self.relative * abs(best)


@dataclass(frozen=True)
class Job:
    """A workload and who runs it.

    Attributes
    ----------
    title : str
        What is timed, with its sizes.
    data : function () -> dict
        Makes the arrays and plain values, once, in an empty directory of its own.
    contestants : dict of name -> function (**data) -> function () -> model
        The outer call imports and prepares, the inner call is timed.
    quality : function (model, **data) -> dict of name -> float
        How good the result is, shown beside the time.
    equal : dict of name -> Close
        Which of these must be equal for the times to be comparable.
    reference : tuple of str
        Contestants that are shown but are not rivals, such as a bare scan.
    traffic : function (model, **data) -> float, optional
        Bytes that a call read, for a rate in MB/s.
    """

    title: str
    data: Callable[[], dict[str, Any]]
    contestants: dict[str, Callable[..., Callable[[], Any]]]
    quality: Callable[..., dict[str, float]]
    equal: dict[str, Close] = field(default_factory=dict)
    reference: tuple[str, ...] = ()
    traffic: Callable[..., float] | None = None


@dataclass
class Entry:
    """What one contestant did, over all rounds."""

    name: str
    time: float | None = None
    cold: float | None = None
    peak_mb: float | None = None
    mb_per_s: float | None = None
    quality: dict[str, float] = field(default_factory=dict)
    comparable: bool = True
    note: str = ""
    rounds: list[dict[str, Any]] = field(default_factory=list)


@dataclass
class Outcome:
    """A job's entries and its verdict."""

    title: str
    entries: list[Entry]
    ratio: float | None = None
    rival: str | None = None
    load: float = 0.0  # cores that others kept busy when the job began


@dataclass(frozen=True)
class Settings:
    """How long and how often."""

    rounds: int = 3
    seconds: float = 5.0  # of warm calls in each process
    timeout: float = 300.0  # of a whole process
    only: tuple[str, ...] = ()


def jobs(name: str) -> list[Job]:
    """Load the job, or the jobs, of a file in jobs/."""
    module = import_module(f"jobs.{name}")
    return module.JOBS if hasattr(module, "JOBS") else [module.JOB]


def race(name: str, settings: Settings) -> Iterator[Outcome]:
    """Run every job of a file."""
    RESULTS.mkdir(exist_ok=True)
    for index, job in enumerate(jobs(name)):
        load = other_work()
        with TemporaryDirectory(dir=RESULTS) as folder:
            entries = _rounds(name, index, job, folder, settings)
        yield judge(job, entries, load)


def other_work(seconds: float = 1.0) -> float:
    """Say how many cores others keep busy, by watching while we do nothing."""

    def busy() -> float:
        try:
            line = Path("/proc/stat").read_text().splitlines()[0]
        except OSError:
            return 0.0
        user, nice, system, _, _, irq, softirq, *_ = map(float, line.split()[1:])
        return (user + nice + system + irq + softirq) / os.sysconf("SC_CLK_TCK")

    before = busy()
    time.sleep(seconds)
    return (busy() - before) / seconds


def _rounds(
    name: str, index: int, job: Job, folder: str, settings: Settings
) -> list[Entry]:
    names = [n for n in job.contestants if not settings.only or n in settings.only]
    entries = {n: Entry(n) for n in names}
    made = _process([name, index, "make"], folder, settings.timeout)
    if "fail" in made:
        return [Entry(n, note=f"no data: {made['fail']}") for n in names]
    for r in range(settings.rounds):
        for n in names[r % len(names) :] + names[: r % len(names)]:
            if entries[n].note:
                continue
            arguments = [name, index, "time", n, settings.seconds]
            result = _process(arguments, folder, settings.timeout)
            if "fail" in result:
                entries[n].note = result["fail"]
            else:
                entries[n].rounds.append(result)
    return list(entries.values())


def _process(arguments: list[Any], folder: str, timeout: float) -> dict[str, Any]:
    """Run measure.py; its last line is the result, a failure becomes one line."""
    command = [sys.executable, str(HERE / "measure.py"), *map(str, arguments)]
    try:
        done = subprocess.run(
            command, cwd=folder, capture_output=True, text=True, timeout=timeout
        )
    except subprocess.TimeoutExpired:
        return {"fail": f"no result after {timeout:.0f} s"}
    lines = [x for x in done.stdout.splitlines() if x.startswith("RESULT ")]
    if lines:
        return json.loads(lines[-1].removeprefix("RESULT "))
    error = done.stderr.strip().splitlines() or [f"exit code {done.returncode}"]
    return {"fail": one_line(error[-1])}


def one_line(message: str) -> str:
    """Make a failure fit a table: one line, no folders, not too long."""
    return re.sub(r"/\S*/", "", " ".join(message.split()))[:160]


def judge(job: Job, entries: list[Entry], load: float = 0.0) -> Outcome:
    """Take the least times, mark who is not of equal quality, find the ratio."""
    for e in entries:
        if e.rounds and not e.note:
            e.time = min(r["time"] for r in e.rounds)
            e.cold = min(r["cold"] for r in e.rounds)
            peaks = [r["peak_mb"] for r in e.rounds if r["peak_mb"] is not None]
            e.peak_mb = max(peaks, default=None)
            e.quality = e.rounds[-1]["quality"]
            traffic = e.rounds[-1]["traffic"]
            e.mb_per_s = traffic / e.time / 1e6 if traffic else None
    for name, close in job.equal.items():
        values = [e.quality[name] for e in entries if name in e.quality]
        for e in entries:
            if name in e.quality and not close.holds(
                e.quality[name], close.best(values)
            ):
                e.comparable = False
                e.note = f"not comparable: {name}"
    raced = [e for e in entries if e.time is not None and e.comparable]
    ours = [e for e in raced if e.name == OURS]
    peers = [e for e in raced if e.name not in (OURS, *job.reference)]
    best = min(peers, key=lambda e: e.time, default=None)
    outcome = Outcome(job.title, entries, load=load)
    if best:
        outcome.rival = best.name
        outcome.ratio = best.time / ours[0].time if ours else None
    return outcome
