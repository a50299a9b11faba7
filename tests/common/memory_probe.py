"""Peak memory of fits, measured in a process of its own.

Run as ``python memory_probe.py SOURCE ROWS NAME...``: prints one JSON line for each
case with the peak beyond what the process had before, in bytes, and the error, if any.
"""

from __future__ import annotations

import ctypes
import gc
import json
import os
import re
import sys
import tempfile
import time
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp

import corollary
from common.learners import LEARNERS, Case, Data, make_data
from corollary.core.errors import MemoryLimitError
from corollary.engine import ParquetSource

LIMIT = 48 * 2**20
SECONDS = 20  # a fit that takes longer is stopped: its memory was taken by then
COLUMNS = 8

KNOWN = {case.name for case in LEARNERS}
TARGETS = {"labels": "two", "none": "none"}
CASES = {str(case): case for case in LEARNERS} | {
    name: Case(name, {}, (), TARGETS.get(getattr(corollary, name).target, "number"))
    for name in corollary.registry.ESTIMATORS
    if name not in KNOWN
}


class Late(Exception):
    """The fit took its seconds; no error of files, which readers explain."""


def status(key: str) -> int:
    """Read a number of bytes from the system's account of this process."""
    text = Path("/proc/self/status").read_text()
    return 1024 * int(re.search(rf"{key}:\s+(\d+)", text)[1])


def settle() -> None:
    """Give freed memory back, and begin a new peak."""
    import pyarrow as pa

    gc.collect()
    pa.default_memory_pool().release_unused()
    ctypes.CDLL("libc.so.6").malloc_trim(0)
    Path("/proc/self/clear_refs").write_text("5")


def opened(case: Case, data: Data, kind: str, folder: str) -> tuple[Any, Any]:
    """Return X and y of a kind, files written by a process that ends."""
    X, y = case.rows(data.X), data.y(case.target)
    if kind == "array":
        return X, y
    if kind == "csr":
        return sp.csr_array(X), y
    path = f"{folder}/{case.name}.parquet"
    Y = {} if y is None else {"y": y}
    if y is not None and y.ndim == 2:
        Y = {f"y{k}": y[:, k] for k in range(y.shape[1])}
    child = os.fork()
    if child == 0:
        import pyarrow as pa
        import pyarrow.parquet as pq

        columns = {f"c{j}": X[:, j] for j in range(X.shape[1])}
        pq.write_table(pa.table(columns | Y), path, row_group_size=len(X) // 2 + 1)
        os._exit(0)
    os.waitpid(child, 0)
    names = list(Y)
    target = names if len(names) > 1 else names[0] if names else None
    return ParquetSource(path, target=target), None


def measured(case: Case, data: Data, small: Data, kind: str, folder: str) -> Any:
    """Fit once for the imports, then under the limit; return peak and error."""
    import signal

    model = case.make()
    if "max_iter" in model.get_params():
        model.set_params(max_iter=3)
    X, y = opened(case, small, kind, folder)
    try:
        model.fit(X, y)
    except ValueError:
        return None  # takes no such source
    X, y = opened(case, data, kind, folder)
    settle()
    before, error = status("VmRSS"), ""

    def late(*_: object) -> None:
        raise Late

    signal.signal(signal.SIGALRM, late)
    signal.alarm(SECONDS)
    try:
        with corollary.config_context(memory_limit=LIMIT):
            model.fit(X, y)
    except (MemoryLimitError, Late, ValueError) as raised:
        error = f"{type(raised).__name__}: {raised}"
    finally:
        signal.alarm(0)
    return max(0, status("VmHWM") - before), error


def main(kind: str, rows: int, names: list[str]) -> None:
    """Measure some cases."""
    warnings.simplefilter("ignore")
    small, data = make_data(200, COLUMNS), make_data(rows, COLUMNS)
    with tempfile.TemporaryDirectory() as folder:
        for name in names:
            begun = time.time()
            found = measured(CASES[name], data, small, kind, folder)
            if found is not None:
                seconds = time.time() - begun
                print(json.dumps([name, *found, seconds]), flush=True)


if __name__ == "__main__":
    np.seterr(all="ignore")
    main(sys.argv[1], int(sys.argv[2]), sys.argv[3:])
