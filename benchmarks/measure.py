"""One fresh process: make a job's data, or time one contestant on it.

usage: measure.py JOB INDEX make
       measure.py JOB INDEX time CONTESTANT SECONDS

The working directory holds the data.  `cold` is the first call, imports done; `time`
the least of this and of the calls that follow within the seconds given; `peak_mb` how
far the first call rose above the memory in use before.
"""

from __future__ import annotations

import gc
import json
import sys
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from harness import Job, jobs, one_line

MOST_CALLS = 5000


def make(job: Job) -> dict[str, Any]:
    """Write the data: arrays as .npy, plain values in one JSON file."""
    plain = {}
    for name, value in job.data().items():
        if isinstance(value, np.ndarray):
            np.save(f"{name}.npy", value)
        else:
            plain[name] = value
    Path("plain.json").write_text(json.dumps(plain), encoding="utf-8")
    return {}


def load() -> dict[str, Any]:
    """Read what `make` wrote."""
    arrays = {file.stem: np.load(file) for file in sorted(Path().glob("*.npy"))}
    return arrays | json.loads(Path("plain.json").read_text(encoding="utf-8"))


def timed(job: Job, contestant: str, seconds: float) -> dict[str, Any]:
    """Time one contestant."""
    data = load()
    call = job.contestants[contestant](**data)
    gc.collect()
    model, cold, peak = first(call)
    times: list[float] = []
    while len(times) < MOST_CALLS and sum(times) + (times or [cold])[-1] < seconds:
        model = None
        start = time.perf_counter()
        model = call()
        times.append(time.perf_counter() - start)
    return {
        "time": min([cold, *times]),
        "cold": cold,
        "calls": 1 + len(times),
        "peak_mb": peak,
        "quality": {k: float(v) for k, v in job.quality(model, **data).items()},
        "traffic": float(job.traffic(model, **data)) if job.traffic else None,
    }


def first(call: Callable[[], Any]) -> tuple[Any, float, float | None]:
    """Make the first call: its result, seconds, and MB above what was in use."""
    try:
        Path("/proc/self/clear_refs").write_text("5")  # forget the peak so far
    except OSError:
        pass
    used, peak_before = memory("VmRSS"), memory("VmHWM")
    start = time.perf_counter()
    model = call()
    seconds = time.perf_counter() - start
    peak = memory("VmHWM")
    if used is None or (peak == peak_before and peak_before - used > 1):
        return model, seconds, None  # an older peak hides this one
    return model, seconds, peak - used


def memory(field: str) -> float | None:
    """Read a field of this process's status, in MB; None where there is none."""
    try:
        lines = Path("/proc/self/status").read_text().splitlines()
    except OSError:
        return None
    return next(int(x.split()[1]) / 1024 for x in lines if x.startswith(field))


def main() -> None:
    """Do what the command line says; print the result, or the failure, as JSON."""
    warnings.filterwarnings("ignore")
    name, index, verb, *rest = sys.argv[1:]
    try:
        job = jobs(name)[int(index)]
        result = make(job) if verb == "make" else timed(job, rest[0], float(rest[1]))
    except Exception as error:
        result = {"fail": one_line(f"{type(error).__name__}: {error}")}
    print("RESULT " + json.dumps(result), flush=True)


if __name__ == "__main__":
    main()
